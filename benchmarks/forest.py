"""Spanning forests: the six graphs, all algorithms and some kinds of weights, with SciPy beside them.

    python -m benchmarks.forest                                  # measure; some minutes
    python -m benchmarks.forest --quick                          # small graphs, nothing is kept; seconds
    python -m benchmarks.forest --from-lines                     # the table of what was measured

Weights are uniform random float64 but where something else is said. A Graph is ready, with its weights checked; the
line "SciPy matrix" has the whole way from a matrix never seen before. SciPy takes the full symmetric matrix, or its
upper triangle, which has each edge once.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult
from .mis import GRAPHS, SMALL
from .studies import Plan, measure_and_show

KINDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "float64": lambda rng, size: rng.random(size),
    "float32": lambda rng, size: rng.random(size, dtype=np.float32),
    "int32, 100 values": lambda rng, size: rng.integers(0, 100, size, dtype=np.int32),
    "all equal": lambda rng, size: np.ones(size, np.int32),
}


def weighted(graph: sg.Graph, kind: str = "float64") -> sg.Graph:
    """The graph with random weights, drawn for the edges (u, v), u < v, in the order of their rows."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    u, v = np.minimum(rows, graph.indices), np.maximum(rows, graph.indices)
    upper = rows < graph.indices
    edges = u[upper] * graph.num_vertices + v[upper]
    weights = KINDS[kind](np.random.default_rng(0), edges.size)
    return sg.as_graph((graph.indptr, graph.indices, weights[np.searchsorted(edges, u * graph.num_vertices + v)]))


def judge_of_forests(graph: sg.Graph) -> Callable[[Any], dict[str, Any]]:
    """A judge: the verifier's word for every forest that it has not seen yet; the total weight is the quality."""
    accepted: set[int] = set()

    def judge(forest: Any) -> dict[str, Any]:
        checksum = zlib.crc32(forest.indptr.tobytes() + forest.indices.tobytes() + forest.data.tobytes())
        if checksum not in accepted:
            wrong = sg.explain(sg.is_minimum_spanning_forest, graph, forest)
            if wrong:
                raise WrongResult(wrong)
            accepted.add(checksum)
        return {"edges": int(forest.nnz), "weight": sg.total_weight(forest), "crc32": f"{checksum:08x}"}

    return judge


def cases(pattern: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """Our own forests: algorithms, then kinds of weights, then from a matrix; and SciPy's."""
    graph = weighted(pattern)
    judge = judge_of_forests(graph)

    def case(name: str, given: sg.Graph, count: int, judge: Any, **options: Any) -> Case:
        run = partial(sg.minimum_spanning_forest, given, **options)
        return Case("forest", name, lambda _: run(), judge, threads=count, options=options)

    for algorithm in ("filter-kruskal", "boruvka", "awerbuch-shiloach"):
        for count in threads:
            yield case(algorithm, graph, count, judge, algorithm=algorithm)
    for kind in list(KINDS)[1:]:
        other = weighted(pattern, kind)
        for count in threads:
            yield case(f"weights: {kind}", other, count, judge_of_forests(other))
    matrix = graph.to_scipy()
    for count in threads:
        yield Case(
            "forest", "SciPy matrix", sg.minimum_spanning_forest, judge, threads=count, prepare=lambda: matrix.copy()
        )
    yield Case("forest", "SciPy, full", lambda _: minimum_spanning_tree(matrix), judge)
    upper = sp.triu(matrix, 1, format="csr")
    yield Case("forest", "SciPy, upper triangle", lambda _: minimum_spanning_tree(upper), judge)


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs."""
    for name in GRAPHS:
        label, make = (
            (f"{name} (small)", SMALL[name]) if options.quick else (name, partial(gallery.benchmark_graph, name))
        )
        yield label, make, partial(cases, threads=options.threads)


def main(arguments: list[str] | None = None) -> None:
    measure_and_show("forest", __doc__ or "", plan, arguments)


if __name__ == "__main__":
    main()
