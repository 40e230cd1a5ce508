"""Heavy independent sets: weights, proved bounds and times of `large_independent_set` with weights, and of CHILS.

The graphs are the six benchmark graphs, and the real graphs of BEST.tsv. The weight of vertex v is hash32(v) % 200 + 1.
On each graph: the greedy set, `large_independent_set` with 0, 10, 100 (the default) and 500 rounds, and CHILS with 20
seconds if chszlablib is installed. Searches are timed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph._core.runtime.random import hash32

from .. import peers
from ..graphs import six_graphs
from ..judges import judge_of_sets
from ..study import Case, Judge, Options, Part, Study, WrongResult
from .large import QUICK_ROUNDS, real_graphs

ROUNDS = (0, 10, 100, 500)
CHILS_SECONDS = 20


def weights_of(graph: sg.Graph) -> Any:
    """Return the weights, from 1 to 200."""
    return np.array([hash32(v) % 200 + 1 for v in range(graph.num_vertices)])


def judge_of(graph: sg.Graph, weights: Any) -> Judge:
    """Return a judge of masks and of results with a bound that also returns the total weight."""
    verify = judge_of_sets(graph)

    def judge(result: Any) -> dict[str, Any]:
        mask = np.asarray(result)
        quality = {**verify(mask), "weight": int(weights[mask].sum())}
        if not isinstance(result, sg.IndependentSet):
            return quality
        if not quality["weight"] == result.weight <= result.upper_bound:
            raise WrongResult(f"{result} has the weight {quality['weight']}")
        return {**quality, "upper_bound": result.upper_bound, "optimal": result.optimal, "rounds": result.rounds}

    return judge


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the greedy set, searches by rounds, and CHILS."""
    weights, threads = weights_of(graph), max(options.threads)
    judge = judge_of(graph, weights)
    greedy = partial(sg.maximal_independent_set, graph, weights=weights)
    yield Case("heavy sets", "greedy", lambda _: greedy(), judge, threads=threads)
    for rounds in ROUNDS:
        if rounds > QUICK_ROUNDS and options.quick:
            continue
        search = partial(sg.large_independent_set, graph, weights=weights, rounds=rounds)
        yield Case("heavy sets", f"{rounds} rounds", lambda _, search=search: search(), judge, threads=threads)
    if (chszlablib := peers.module("chszlablib")) and not options.quick:
        rows = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
        converted = chszlablib.Graph.from_csr(*rows, node_weights=weights)

        def find(_: None) -> Any:
            found = chszlablib.IndependenceProblems.chils(converted, time_limit=CHILS_SECONDS, num_concurrent=threads)
            mask = np.zeros(graph.num_vertices, bool)
            mask[found.vertices] = True
            return sg.maximal_independent_set(graph, include=mask)  # CHILS need not return a maximal set

        yield Case("heavy sets", "CHILS", find, judge, threads=threads, options={"time_limit": CHILS_SECONDS})


STUDY = Study(
    __name__,
    (Part("six", partial(six_graphs, small_mark=""), cases), Part("real", real_graphs, cases)),
    peers=("chszlablib",),
    data="the graphs of its table BEST.tsv",
    repeats=1,
)
