"""Spanning forests: six graphs, both algorithms and several kinds of weights, compared with SciPy.

Weights are uniform random float64 unless the name of a case says otherwise. A Graph is prepared, and its weights are
checked already; the line "SciPy matrix" includes everything that a new matrix needs. SciPy receives the full symmetric
matrix, or its upper triangle, which contains each edge once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

import stablegraph as sg

from ..graphs import WEIGHTS, six_graphs, weighted
from ..judges import judge_of_forests
from ..study import Best, Case, Options, Part, Study


def cases(name: str, pattern: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our forests (algorithms, then kinds of weights, then from a matrix), and SciPy's."""
    graph, most = weighted(pattern), max(options.threads)
    judge = judge_of_forests(graph)

    def case(name: str, arguments: sg.Graph, count: int, judge: Any, **chosen: Any) -> Case:
        run = partial(sg.minimum_spanning_forest, arguments, **chosen)
        return Case("forest", name, lambda _: run(), judge, threads=count, options=chosen)

    for algorithm in ("filter_kruskal", "boruvka"):
        for count in options.threads if algorithm == "filter_kruskal" else [most]:
            yield case(algorithm, graph, count, judge, algorithm=algorithm)
    for kind in list(WEIGHTS)[1:]:
        other = weighted(pattern, kind)
        yield case(f"weights: {kind}", other, most, judge_of_forests(other))
    matrix = graph.to_scipy()
    yield Case("forest", "SciPy matrix", sg.minimum_spanning_forest, judge, threads=most, prepare=matrix.copy)
    yield Case("forest", "SciPy, full", lambda _: minimum_spanning_tree(matrix), judge)
    upper = sp.triu(matrix, 1, format="csr")
    yield Case("forest", "SciPy, upper triangle", lambda _: minimum_spanning_tree(upper), judge)


BEST = (Best("a minimum spanning forest", "forest", "filter_kruskal", "SciPy, *"),)
STUDY = Study(__name__, (Part("six", six_graphs, cases),), peers=("scipy",), turns=True, best=BEST)
