"""Components and breadth-first search: six graphs and those of a thesis, compared with SciPy and NetworKit.

A search begins at the vertex of largest degree with the smallest id. The thesis (R. Cichra, CTU Prague, 2024, chapter
7) draws random directed graphs in which each arc exists with a given probability. Components and independent sets are
those of the graph with all missing reverse arcs added; strong components are those of the directed graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import stablegraph as sg
from stablegraph import gallery, plot
from stablegraph.plot.page import Ink

from .. import peers, picture
from ..graphs import pattern_of, six_graphs
from ..judges import judge_of_labels, judge_of_sets, judge_of_trees
from ..study import Case, Graphs, Judge, Options, Part, Study, WrongResult
from ..tables import Line, figures, in_order, markdown, provenance, table_of_times, thr

SIZES, DENSITIES = (1000, 2000, 4000, 8000), (0.1, 0.45, 0.65)
THESIS: dict[str, dict[float, tuple[float, ...]]] = {  # seconds of the thesis by density; one thread, Xeon Gold 6134
    "components": {
        0.1: (0.0183, 0.135, 1.11, 11.3),
        0.45: (0.220, 1.85, 16.2, 131),
        0.65: (0.349, 2.93, 25.9, 203),
    },
    "strong components": {
        0.1: (0.00047, 0.00179, 0.00701, 0.0325),
        0.45: (0.00325, 0.0126, 0.0536, 0.219),
        0.65: (0.00419, 0.0171, 0.0710, 0.301),
    },
    "independent set": {0.1: (0.00087, 0.0033, 0.0157, 0.0870), 0.65: (0.00283, 0.0137, 0.0821, 0.262)},
}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our cases, then those of the peers."""
    judge, threads = judge_of_labels(graph, sg.is_component_labeling, dtype=np.int64), options.threads
    for algorithm in ("union", "fastsv"):
        run = partial(sg.connected_components, graph, algorithm=algorithm)
        for count in threads:
            yield Case("components", f"components, {algorithm}", lambda _, run=run: run(), judge, threads=count)
    source = int(graph.degrees.argmax())
    for count in threads:
        search = partial(sg.breadth_first_search, graph, source)
        yield Case("search", "search", lambda _, run=search: run(), judge_of_trees(graph, source), threads=count)
    matrix = pattern_of(graph)
    with_scipy = partial(csgraph.connected_components, matrix, directed=False)
    yield Case("components", "components, SciPy", lambda _: with_scipy(), judge)
    search = partial(csgraph.breadth_first_order, matrix, source)
    reached = int((sg.breadth_first_search(graph, source)[0] >= 0).sum())
    yield Case("search", "search, SciPy", lambda _, run=search: run(), lambda result: _expect(reached, result[0].size))
    if networkit := peers.networkit_on(max(threads)):
        yield from networkit_cases(networkit, matrix, source, reached, judge, max(threads))


def networkit_cases(
    networkit: Any, matrix: Any, source: int, reached: int, judge: Judge, threads: int
) -> Iterator[Case]:
    """Yield the cases of NetworKit, on a graph converted in advance."""
    converted = peers.networkit_graph(networkit, matrix)

    def components(_: Any) -> Any:
        return networkit.components.ParallelConnectedComponents(converted).run()

    def search(_: Any) -> Any:
        return networkit.distance.BFS(converted, source, storePaths=False).run()

    yield Case(
        "components",
        "components, NetworKit",
        components,
        lambda done: judge((done.numberOfComponents(), np.array(done.getPartition().getVector()))),
        threads=threads,
    )

    def judge_distances(done: Any) -> dict[str, Any]:
        return _expect(reached, int((np.array(done.getDistances()) < matrix.shape[0]).sum()))

    yield Case("search", "search, NetworKit", search, judge_distances)


def _expect(wanted: int, got: int) -> dict[str, Any]:
    if wanted != got:
        raise WrongResult(f"{got} vertices are reached, expected {wanted}")
    return {"reached": got}


def random_arcs(n: int, density: float) -> sg.Graph:
    """Draw a graph in which each of the n (n - 1) arcs exists with the probability `density`."""
    stands = np.random.default_rng(n).random((n, n), dtype=np.float32) < density
    np.fill_diagonal(stands, False)
    indptr = np.concatenate([[0], np.cumsum(stands.sum(axis=1))])
    return sg.as_graph((indptr, np.nonzero(stands)[1].astype(np.int32)), directed=True)


def thesis_cases(name: str, directed: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the three problems of the thesis's experiment."""
    graph = sg.as_graph(directed, symmetrize=True)
    jobs = (
        (
            "components",
            sg.connected_components,
            graph,
            judge_of_labels(graph, sg.is_component_labeling, dtype=np.int64),
        ),
        ("strong components", sg.strongly_connected_components, directed, None),
        ("independent set", sg.maximal_independent_set, graph, judge_of_sets(graph)),
    )
    for job, function, arguments, judge in jobs:
        run = partial(function, arguments)
        for count in options.threads:
            judged = judge or judge_of_labels(directed, sg.is_strong_component_labeling, dtype=np.int64)
            yield Case("thesis", f"random: {job}", lambda _, run=run: run(), judged, threads=count)


def thesis_graphs(options: Options) -> Graphs:
    """Yield the graphs of the thesis, with all sizes and densities."""
    for density in DENSITIES:
        for n in SIZES[:1] if options.quick else SIZES:
            yield f"random {n} {density}", partial(random_arcs, n, density)


def thesis_table(lines: list[Line]) -> str:
    """Show milliseconds: a row for each problem, density and number of threads, and for the thesis, by size."""
    shown, rows = figures(lines), []
    for density, job in itertools.product(DENSITIES, THESIS):
        for threads in in_order(threads for _, threads, _ in shown):
            result = [shown.get((f"random: {job}", threads, f"random {n} {density}")) for n in SIZES]
            cells = (_milliseconds(figure.seconds) if figure else "" for figure in result)
            rows.append([f"{job}, density {density}, {thr(threads)}", *cells])
        theirs = map(_milliseconds, THESIS[job].get(density, ()))
        rows.append([f"*{job}, density {density}, the thesis, 1 thr*", *theirs])
    return markdown(["milliseconds", *(f"n = {n:,}" for n in SIZES)], [row for row in rows if any(row[1:])])


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def report(lines: list[Line]) -> str:
    """Show times in edge sweeps on the six graphs, and in milliseconds on those of the thesis."""
    thesis = [line for line in lines if line["problem"] == "thesis"]
    tables = [table_of_times([line for line in lines if line["problem"] != "thesis"])]
    return "\n\n".join([*tables, *([thesis_table(thesis)] if thesis else []), provenance(lines)])


def draw(lines: list[Line], path: Path) -> None:
    """Draw the largest component of the counties of the United States: their distances, and the shortest lines."""
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    counties, vertices = sg.largest_component(gallery.load("us-counties"))
    where = gallery.positions("us-counties")[vertices].astype(np.float64)
    distance, _ = sg.breadth_first_search(counties, int(counties.degrees.argmax()))
    pattern = counties.to_scipy().tocoo()
    miles = np.sqrt(((where[pattern.row] - where[pattern.col]) ** 2).sum(axis=1))
    forest = sg.minimum_spanning_forest(sp.csr_array((miles, pattern.coords), shape=pattern.shape)).tocoo()

    figure = Figure(figsize=(12, 4.2), dpi=90, facecolor=Ink.PAPER, layout="constrained")
    left, right = figure.subplots(1, 2)
    plot.plot_coloring(counties, distance, where, ax=left)
    edges = list(np.stack([where[forest.row], where[forest.col]], axis=1))
    right.add_collection(LineCollection(edges, colors=Ink.MEMBER, linewidths=1))
    right.set(aspect="equal", xlim=left.get_xlim(), ylim=left.get_ylim())
    right.set_axis_off()
    picture.save(figure, path, dpi=90)


STUDY = Study(
    __name__,
    (Part("six", six_graphs, cases), Part("thesis", thesis_graphs, thesis_cases)),
    peers=("scipy", "networkit"),
    report=report,
    pictures={"components.png": draw},
)
