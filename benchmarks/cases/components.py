"""Components and breadth-first search: six graphs, compared with SciPy and NetworKit.

A search begins at the vertex of largest degree with the smallest id.
"""

from __future__ import annotations

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
from ..judges import judge_of_labels, judge_of_trees
from ..study import Best, Case, Judge, Options, Part, Study, WrongResult
from ..tables import Line


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our cases, then those of the peers."""
    judge, threads = judge_of_labels(graph, sg.is_component_labeling, dtype=np.int64), options.threads
    for algorithm in ("union", "fastsv"):
        run = partial(sg.connected_components, graph, algorithm=algorithm)
        for count in threads if algorithm == "union" else [max(threads)]:
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
    (Part("six", six_graphs, cases),),
    peers=("scipy", "networkit"),
    turns=True,
    best=(
        Best("connected components", "components", "components, union", "components, [SN]*"),
        Best("a search", "search", "search", "search, *"),
    ),
    pictures={"components.png": draw},
)
