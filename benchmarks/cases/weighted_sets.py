"""Independent sets by weights: times next to those of sets without weights, at distances 1 and 2, and total weights.

The weights are random: integers from 1 to 200, and float64. The case "no weights" is the default order; its weight is
that of its set.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from ..graphs import six_graphs
from ..judges import judge_of_sets
from ..study import Case, Judge, Options, Part, Study


def judge_of(graph: sg.Graph, distance: int, weights: Any) -> Judge:
    """Return a judge of sets that also returns the total weight."""
    judge = judge_of_sets(graph, distance)
    return lambda mask: {**judge(mask), "weight": float(weights[mask].sum())}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield sets in both orders by weights, and without weights."""
    rng, n = np.random.default_rng(0), graph.num_vertices
    integers, floats = rng.integers(1, 200, n, endpoint=True), rng.random(n)
    kinds: list[tuple[str, Any, dict[str, Any]]] = [("no weights", integers, {})]
    for kind, weights in (("1 to 200", integers), ("float64", floats)):
        for order in ("ratio", "weight"):
            kinds.append((f"{order}, {kind}", weights, {"weights": weights, "priority": order}))
    for distance in (1, 2):
        for kind, weights, chosen in kinds:
            find = partial(sg.maximal_independent_set, graph, distance, **chosen)
            judge = judge_of(graph, distance, weights)
            for count in options.threads:
                yield Case("weighted sets", f"distance {distance}, {kind}", lambda _, find=find: find(), judge, count)


STUDY = Study(__name__, (Part("six", six_graphs, cases),))
