"""Matchings: six graphs, with and without weights, compared with NetworkX, and with SciPy on bipartite graphs.

Weights are uniform random numbers. A Graph is prepared, and its weights are checked already. The part "small" compares
weights and sizes with the optimum by NetworkX, which takes cubic time, and "bipartite" sizes with SciPy's maximum.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_bipartite_matching

import stablegraph as sg
from stablegraph import gallery

from .. import peers
from ..graphs import six_graphs, weighted
from ..judges import judge_by
from ..study import Best, Case, Graphs, Judge, Options, Part, Study

KINDS = ("float64", "int32, 100 values")
SMALL = 600  # vertices


def judge_of(graph: sg.Graph, heavy: bool = False) -> Judge:
    """Return a judge of mates; the number of edges and the total weight are the quality."""
    matrix = graph.to_scipy()

    def quality(mate: Any) -> dict[str, Any]:
        u, v = sg.matched_pairs(mate).T
        found: dict[str, Any] = {"edges": int(u.size)}
        return found | ({"weight": float(matrix[u, v].sum())} if graph.weights is not None else {})

    return judge_by(
        lambda mate: sg.explain(sg.is_maximal_matching, graph, mate, weighted=heavy),
        lambda mate: np.ascontiguousarray(mate, np.int32).tobytes(),
        quality,
    )


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield matchings without weights, and with each kind of weights."""
    for count in options.threads:
        run = partial(sg.maximal_matching, graph)
        yield Case("matching", "maximal_matching", lambda _, run=run: run(), judge_of(graph), threads=count)
    for kind in KINDS:
        heavy = weighted(graph, kind)
        judge = judge_of(heavy, True)
        run = partial(sg.weighted_matching, heavy)
        for count in options.threads:
            name = f"weighted_matching, {kind}"
            yield Case("matching", name, lambda _, run=run: run(), judge, threads=count)


def small_graphs(options: Options) -> Graphs:
    """Yield small graphs of several kinds."""
    for name, make in {
        "random": lambda: gallery.uniform_random(SMALL, 3),
        "delaunay": lambda: gallery.delaunay(SMALL),
        "grid": lambda: gallery.grid((24, 25)),
        "rmat": lambda: gallery.rmat(9, 6, seed=1),
    }.items():
        yield f"{name} {SMALL}", make


def small_cases(name: str, pattern: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield both matchings, and the optima of NetworkX."""
    graph = weighted(pattern, KINDS[1])
    for find, heavy in ((sg.maximal_matching, False), (sg.weighted_matching, True)):
        yield Case("optimum", find.__name__, lambda _, find=find: find(graph), judge_of(graph, heavy))
    if networkx := peers.module("networkx"):
        G = graph.to_networkx()

        def mates(pairs: Any) -> Any:
            mate = np.full(graph.num_vertices, -1)
            for u, v in pairs:
                mate[u], mate[v] = v, u
            return mate

        for label, weight in (("most edges", None), ("largest weight", "weight")):
            optimum = partial(networkx.max_weight_matching, G, weight=weight)
            yield Case("optimum", f"NetworkX, {label}", lambda _, run=optimum: mates(run()), _of_optimum(graph))


def _of_optimum(graph: sg.Graph) -> Judge:
    """Return a judge of mates that need not be maximal: an edge of weight 0 may be left out."""
    judge = judge_of(graph)
    return lambda mate: judge(mate) if sg.is_maximal_matching(graph, mate) else {"edges": len(sg.matched_pairs(mate))}


def bipartite_graphs(options: Options) -> Graphs:
    """Yield random bipartite graphs with 3 and 6 edges per row."""
    n = 1000 if options.quick else 200_000
    for degree in (3, 6):
        yield f"bipartite {degree}", partial(random_bipartite, n, degree)


def random_bipartite(n: int, degree: int) -> sg.Graph:
    """Return a random bipartite graph with n vertices on each side."""
    rng = np.random.default_rng(degree)
    rows, columns = np.repeat(np.arange(n), degree), rng.integers(0, n, n * degree)
    return sg.from_edges(rows, columns + n, n=2 * n, symmetrize=True)


def bipartite_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the maximal matching, and SciPy's maximum."""
    half, run, judge = graph.num_vertices // 2, partial(sg.maximal_matching, graph), judge_of(graph)
    for count in options.threads:
        yield Case("bipartite", "maximal_matching", lambda _: run(), judge, threads=count)
    block = sp.csr_array(graph.to_scipy()[:half, half:])

    def scipy_mates(_: Any) -> Any:
        columns = maximum_bipartite_matching(block, perm_type="column")
        mate = np.full(2 * half, -1)
        matched = np.flatnonzero(columns >= 0)
        mate[matched], mate[columns[matched] + half] = columns[matched] + half, matched
        return mate

    yield Case("bipartite", "SciPy, maximum", scipy_mates, judge)


STUDY = Study(
    __name__,
    (
        Part("six", six_graphs, cases),
        Part("small", small_graphs, small_cases),
        Part("bipartite", bipartite_graphs, bipartite_cases),
    ),
    peers=("scipy", "networkx"),
    turns=True,
    best=(Best("a matching of a bipartite graph (SciPy's is maximum)", "bipartite", "maximal_matching", "SciPy*"),),
)
