"""Sets at a distance in one fixed order on a GPU: the rounds of two.cu and k.cu with fixed keys; see by_weight.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ..history import History
from .by_weight import has_stalled, undecided_among
from .k_cuda import Sweeps
from .round_keys import IN, KeySource, RoundKeys
from .two_cuda import Rounds, drawing


def _fixed_keys(graph: Graph, keys: Any) -> KeySource:
    """Return a source that leaves all keys as they are."""
    return KeySource(keys.dtype, 0, RoundKeys(np.iinfo(keys.dtype).max, 0, -1, 0, graph.indptr[:0]))


def rounds_within_two(graph: Graph, k: int, keys: Any, allowed: Any, distance: Any, history: History) -> Any:
    """Run rounds, update the distances, and return the mask of the undecided vertices, if there are any."""
    rounds = Rounds(graph, _fixed_keys(graph, keys), at_once=True, keys=keys)
    rounds.begin(allowed, 0)
    graph.xp.putmask(keys, distance == 0, IN)
    history.undecided = [graph.num_vertices, rounds.listed]
    rounds.run(history.undecided, has_stalled)
    return undecided_among(graph, k, keys, distance, history)


def rounds_within_k(graph: Graph, k: int, keys: Any, allowed: Any, distance: Any, history: History) -> Any:
    """Run rounds, update the distances, and return the mask of the undecided vertices."""
    xp, n, source = graph.xp, graph.num_vertices, _fixed_keys(graph, keys)
    xp.putmask(keys, ~allowed, source.out)
    sweeps = Sweeps(graph, keys.dtype, k)
    sweeps.distance[...] = distance
    history.undecided = undecided = [n, int(xp.count_nonzero(allowed))]
    left, fixed = xp.zeros(1, np.int64), drawing(source.keys(0))
    while undecided[-1] and not has_stalled(undecided):
        least = sweeps.least_within(keys)
        sweeps.run("join", n, n, k, sweeps.distance, least, keys)
        sweeps.spread()
        left[...] = 0
        sweeps.run("redraw", n, n, k, 1, sweeps.distance, *fixed, keys, left)
        undecided.append(int(left[0]))
    distance[...] = sweeps.distance
    return keys != source.out
