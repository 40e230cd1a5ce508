"""The most frequent calls on the six graphs, within two minutes; with --against, two checkouts alternate.

Everything runs on all threads. Solvers run on the two grids; their matrices are slightly shifted Laplacians, the
typical input of multigrid.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from ..compare import report
from ..graphs import directed_variant, laplacian_of, pattern_of, six_graphs, unseen_matrix, weighted
from ..judges import (
    judge_of_colors,
    judge_of_forests,
    judge_of_labels,
    judge_of_sets,
    judge_of_trees,
    residual_of,
)
from ..study import SMALL_MARK, Case, Judge, Options, Part, Study, WrongResult, case_is_asked_for

SOLVED = ("G2", "G3")
SHIFT = 0.01
TOLERANCE = 1e-8


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all calls; inputs other than the graph are made immediately before their case."""

    def case(label: str, run: Callable[[Any], Any], judge: Judge, **more: Any) -> Case:
        return Case("headline", label, run, judge, threads=max(options.threads), **more)

    source = int(np.diff(graph.indptr).argmax())
    colors = judge_of_colors(graph)
    yield case("set", lambda _: sg.maximal_independent_set(graph), judge_of_sets(graph))
    yield case("set, random", lambda _: sg.maximal_independent_set(graph, priority="random"), judge_of_sets(graph))
    yield case("set, distance 2", lambda _: sg.maximal_independent_set(graph, 2), judge_of_sets(graph, 2))
    yield case("large set, no rounds", lambda _: sg.large_independent_set(graph, rounds=0).mask, judge_of_sets(graph))
    yield case("coloring", lambda _: sg.vertex_coloring(graph), colors)
    yield case("coloring, natural", lambda _: sg.vertex_coloring(graph, order="natural"), colors)
    yield case("components", lambda _: sg.connected_components(graph), judge_of_labels(graph, sg.is_component_labeling))
    yield case("search", lambda _: sg.breadth_first_search(graph, source), judge_of_trees(graph, source))
    yield case("aggregates", lambda _: sg.aggregate(graph), judge_of_labels(graph, sg.is_aggregation, "aggregates"))
    fresh, arrays = partial(unseen_matrix, graph), judge_of_arrays(lambda result: [result.indptr, result.indices])
    yield case("as_graph", lambda matrix: sg.as_graph(matrix, weights=False), arrays, prepare=fresh)
    pattern = pattern_of(graph)
    yield case(
        "bipartite coloring",
        lambda _: sg.jacobian_coloring(pattern),
        judge_of_arrays(lambda plan: [plan.column_colors]),
    )
    if case_is_asked_for("forest", options):
        heavy = weighted(graph, "int32, 100 values")
        yield case("forest", lambda _: sg.minimum_spanning_forest(heavy), judge_of_forests(heavy))
    if case_is_asked_for("strong components", options):
        directed = directed_variant(name)
        judge = judge_of_labels(directed, sg.is_strong_component_labeling)
        yield case("strong components", lambda _: sg.strongly_connected_components(directed), judge)
    if name.removesuffix(SMALL_MARK) in SOLVED:
        yield from solver_cases(laplacian_of(graph, SHIFT), case)


def solver_cases(A: sp.csr_array, case: Callable[..., Case]) -> Iterator[Case]:
    """Yield multigrid setup, solution from a hierarchy, and a sweep of Gauss-Seidel."""
    b = np.random.default_rng(0).standard_normal(A.shape[0])

    def parts(hierarchy: sg.Multigrid) -> Iterable[Any]:
        for level in hierarchy.levels:
            yield from (matrix for matrix in (level.A, getattr(level, "P", None)) if matrix is not None)

    def judge_solution(x: Any) -> dict[str, Any]:
        remaining = residual_of(A, x, b)
        if not remaining <= 2 * TOLERANCE:
            raise WrongResult(f"the residual is {remaining:.2g} of b, not {TOLERANCE:.2g}")
        return checksum_of([x])

    yield case("multigrid, setup", lambda _: sg.smoothed_aggregation(A), judge_of_arrays(parts))
    hierarchy = sg.smoothed_aggregation(A)
    yield case("multigrid, solution", lambda _: hierarchy.solve(b, tol=TOLERANCE), judge_solution)
    sweeper = sg.gauss_seidel(A)

    def sweep(x: np.ndarray) -> np.ndarray:
        sweeper.sweep(x, b)
        return x

    yield case("Gauss-Seidel sweep", sweep, judge_of_arrays(lambda x: [x]), prepare=partial(np.zeros, b.size))


def judge_of_arrays(parts: Callable[[Any], Iterable[Any]]) -> Judge:
    """Return a judge that only computes a checksum of the arrays and sparse matrices of an answer."""
    return lambda answer: checksum_of(parts(answer))


def checksum_of(parts: Iterable[Any]) -> dict[str, str]:
    """Return the checksum of some arrays and sparse matrices."""
    checksum = 0
    for part in parts:
        for array in (part.indptr, part.indices, part.data) if sp.issparse(part) else (part,):
            checksum = zlib.crc32(np.ascontiguousarray(array).tobytes(), checksum)
    return {"crc32": f"{checksum:08x}"}


STUDY = Study(
    __name__,
    (Part("six", six_graphs, cases),),
    repeats=15,
    fewest=9,
    longest=1.0,
    yardsticks_last=10.0,
    machines={},
    report=report,
)
