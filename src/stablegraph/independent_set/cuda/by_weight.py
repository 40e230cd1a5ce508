"""Sets at a distance in one fixed order on a GPU: the rounds of two.cu and k.cu with fixed keys; see by_weight.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History, has_stalled
from ..._core.runtime.cuda.arrays import equals
from ...graph import Graph
from ..distance.round_keys import IN, KeySource, RoundKeys
from .k import Sweeps
from .two import FIRST_ROUNDS, Rounds


def _fixed_keys(graph: Graph, keys: Any) -> KeySource:
    """Return a source that leaves all keys as they are."""
    return KeySource(keys.dtype, 0, RoundKeys(np.iinfo(keys.dtype).max, 0, -1, 0, graph.indptr[:0]))


def rounds_within_two(
    graph: Graph, k: int, keys: Any, allowed: Any | None, included: Any, history: History
) -> tuple[Any, Any]:
    """Run rounds; the arguments and results are those of by_weight.py, but None if no vertex is undecided."""
    source = _fixed_keys(graph, keys)
    rounds = Rounds(graph, source, at_once=True, keys=keys)
    rounds.begin(0 if allowed is None else allowed, 0)
    if included.size:
        keys[included] = IN
    history.undecided = [graph.num_vertices, rounds.turns.listed]
    rounds.turns.run(rounds.run, history.undecided, FIRST_ROUNDS, has_stalled)
    undecided = (keys != IN) & (keys != source.out) if history.undecided[-1] else None
    return equals(keys, IN), undecided


def rounds_within_k(
    graph: Graph, k: int, keys: Any, allowed: Any | None, included: Any, history: History
) -> tuple[Any, Any]:
    """Run rounds; the arguments and results are those of by_weight.py."""
    xp, n, source = graph.xp, graph.num_vertices, _fixed_keys(graph, keys)
    sweeps = Sweeps(graph, keys.dtype, k)
    if included.size:
        sweeps.distance[included] = 0
        sweeps.spread()
    if allowed is not None:
        keys[~allowed] = source.out
    history.undecided = undecided = [n, n if allowed is None else int(xp.count_nonzero(allowed))]
    while undecided[-1] and not has_stalled(undecided):
        undecided.append(sweeps.round(keys, 1, source.keys(0)))
    return equals(sweeps.distance, 0), keys != source.out
