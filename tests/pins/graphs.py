"""The graphs whose answers are pinned, each in the forms that the calls need."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

BENCHMARKS = ("G2", "G3", "R4", "DE", "RM", "KR")
REAL = (
    "3elt.mtx.gz",  # meshes
    "airfoil1.mtx.gz",
    "delaunay_n16.mtx.gz",
    "mesh-stanford-bunny.mtx.gz",
    "bcsstk13.mtx.gz",  # matrices
    "fem-bunny-tet-p1.mtx.gz",
    "494_bus.mtx.gz",
    "mhd4800b.mtx.gz",
    "sherman5.mtx.gz",
    "orani678.mtx.gz",
    "adder_dcop_05.mtx.gz",
    "luxembourg_osm.mtx.gz",  # roads
    "road-NY-contracted.gr.xz",
    "minnesota-weighted.mtx.gz",
    "trans-Philadelphia.mtx.gz",
    "facebook_combined.mtx.gz",  # people
    "ca-CondMat.mtx.gz",
    "email-Enron.mtx.gz",
    "wiki-Vote.txt.gz",
    "polblogs.mtx.gz",
    "USAir97.mtx.gz",  # networks
    "power.graph.gz",
    "as-caida20071105.mtx.gz",
    "p2p-Gnutella05.mtx.gz",
    "debian-depends.mtx.gz",
    "cit-HepPh.txt.gz",
    "Wordnet3.mtx.gz",  # words
    "EAT.mtx.gz",
    "le450_15b.col.gz",  # hard instances
    "G64.mtx.gz",
)


class Subject:
    """A graph with its forms, each made at the first use."""

    device = "cpu"  # the device of the graphs that calls receive

    def __init__(self, name: str, graph: sg.Graph) -> None:
        self.name, self.given = name, graph

    @property
    def entries(self) -> int:
        return self.given.num_entries

    @cached_property
    def graph(self) -> sg.Graph:
        """Return the undirected graph without weights."""
        return sg.as_graph(_rows(self.given), symmetrize=self.given.directed)

    @cached_property
    def arcs(self) -> sg.Graph:
        """Return the directed graph: the given arcs, or each edge as one arc or two."""
        return (
            sg.as_graph(_rows(self.given), directed=True)
            if self.given.directed
            else gallery.with_directions(self.graph)
        )

    @cached_property
    def own(self) -> sg.Graph:
        """Return the undirected graph with its own weights; the smaller of two that differ."""
        return sg.as_graph(self.given, symmetrize="min")

    @cached_property
    def ties(self) -> sg.Graph:
        """Return the graph with integer weights from -3 to 6, many of them equal."""
        return sg.as_graph((*_rows(self.graph), self._drawn % 10 - 3))

    @cached_property
    def apart(self) -> sg.Graph:
        """Return the graph with weights between 0 and 1, few of them equal."""
        return sg.as_graph((*_rows(self.graph), self._drawn / 2.0**32))

    @cached_property
    def matrix(self) -> Any:
        """Return the Laplacian plus the identity: symmetric and positive definite."""
        rows, n = self._row_of_entry, self.graph.num_vertices
        between = rows != self.graph.indices
        ones = np.ones(np.count_nonzero(between))
        links = sp.csr_array((ones, (rows[between], self.graph.indices[between])), shape=(n, n))
        links.sum_duplicates()
        links.data[:] = 1
        return sp.csr_array(sp.diags_array(np.diff(links.indptr) + 1.0, shape=(n, n)) - links)

    @cached_property
    def laplacian(self) -> Any:
        """Return the Laplacian, which is singular."""
        return sp.csr_array(self.matrix - sp.eye_array(self.matrix.shape[0]))

    @cached_property
    def doubled(self) -> Any:
        """Return a matrix with two coupled unknowns per vertex."""
        return sp.csr_array(sp.kron(self.matrix, np.array([[2.0, 1.0], [1.0, 3.0]])))

    @cached_property
    def ones(self) -> np.ndarray:
        """Return an array of ones, one per vertex."""
        return np.ones(self.given.num_vertices)

    @cached_property
    def pattern(self) -> Any:
        """Return a rectangular pattern: every second row of the arcs, without the last columns."""
        return self.arcs.to_scipy()[::2, : self.given.num_vertices - self.given.num_vertices // 5].tocsr()

    @cached_property
    def hashed(self) -> np.ndarray:
        """Return a number for each vertex; some are equal."""
        return _mixed(np.arange(self.given.num_vertices)) % 1000

    @cached_property
    def fractions(self) -> np.ndarray:
        """Return a float for each vertex; some are equal."""
        return self.hashed / 7

    @cached_property
    def third(self) -> np.ndarray:
        """Return a mask of about a third of the vertices."""
        return self.hashed % 3 == 0

    @cached_property
    def far(self) -> np.ndarray:
        """Return an independent set at distance 2, from about a fifth of the vertices, without vertices of `third`."""
        return np.flatnonzero(sg.maximal_independent_set(self.graph, 2) & ~self.third & (self.hashed % 5 == 1))

    @cached_property
    def some_colors(self) -> np.ndarray:
        """Return colors for some vertices more than two steps apart, and -1 for all other vertices."""
        colors = np.full(self.given.num_vertices, -1)
        colors[self.far] = self.hashed[self.far] % 4
        return colors

    @cached_property
    def some_colors_from_0(self) -> np.ndarray:
        """Return `some_colors` plus 1."""
        return self.some_colors + 1

    @cached_property
    def enough(self) -> int:
        """Return two colors more than first fit needs."""
        return 2 + int(sg.vertex_coloring(self.graph, reduce="none").max(initial=0))

    @cached_property
    def room(self) -> int:
        """Return a capacity with which a few more colors are needed."""
        return 2 + self.given.num_vertices // self.enough

    @cached_property
    def sizes(self) -> np.ndarray:
        """Return sizes from 1 to 9."""
        return 1 + self.hashed % 9

    @cached_property
    def rooms(self) -> dict[int, int]:
        """Return rooms with 2 to 9 seats, for about twenty colors."""
        return {i: 9 - i % 8 for i in range(8 + self.given.num_vertices // 20)}

    @cached_property
    def some_lists(self) -> dict[int, list[int]]:
        """Return a color for a third of the vertices."""
        return {int(v): [int(self.hashed[v] % 4)] for v in np.flatnonzero(self.third)}

    @cached_property
    def labels(self) -> np.ndarray:
        """Return the labels of aggregates."""
        return sg.aggregate(self.graph)[1]

    @cached_property
    def sparser(self) -> sg.Graph:
        """Return the graph of the entries with large drawn weights."""
        kept = self._drawn % 10 >= 5
        return sg.from_edges(self._row_of_entry[kept], self.graph.indices[kept], n=self.graph.num_vertices)

    @cached_property
    def few(self) -> np.ndarray:
        """Return the first, the middle and the last vertex."""
        n = self.given.num_vertices
        return np.unique(np.array([0, n // 2, n - 1])) if n else np.empty(0, int)

    @cached_property
    def shuffled(self) -> np.ndarray:
        """Return half of the vertices, in a mixed order."""
        order = np.argsort(_mixed(np.arange(self.given.num_vertices)), kind="stable")
        return order[: (order.size + 1) // 2]

    @cached_property
    def _row_of_entry(self) -> np.ndarray:
        return np.repeat(np.arange(self.graph.num_vertices), np.diff(self.graph.indptr))

    @cached_property
    def _drawn(self) -> np.ndarray:
        rows, columns = self._row_of_entry, self.graph.indices.astype(np.int64)
        return _mixed(np.minimum(rows, columns) * 1_000_003 + np.maximum(rows, columns))


def _rows(graph: sg.Graph) -> tuple[Any, Any]:
    return graph.indptr, graph.indices


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Return hashes below 2**32, by a hash function that only this file uses."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(32)).astype(np.int64)


def _zoo() -> Iterator[Subject]:
    from ..support.zoo import ZOO  # imports hypothesis, which takes a quarter of a second

    for name, matrix in ZOO.items():
        yield Subject(name.replace(" ", "_"), sg.as_graph(matrix))
    yield Subject("us-counties", gallery.load("us-counties"))


def _benchmarks() -> Iterator[Subject]:
    for name in BENCHMARKS:
        yield Subject(name, gallery.benchmark_graph(name))


def data_folder() -> Path | None:
    """Return the folder of the real graphs, or None if any of them is missing."""
    folder = Path(os.environ.get("STABLEGRAPH_DATA") or "missing")
    return folder if all((folder / file).exists() for file in REAL) else None


def _real() -> Iterator[Subject]:
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError("STABLEGRAPH_DATA must name the folder of the real graphs; leave out the list `real`")
    for file in REAL:
        yield Subject(file.partition(".")[0], sg.read_graph(folder / file))


LISTS: dict[str, Callable[[], Iterator[Subject]]] = {"zoo": _zoo, "benchmarks": _benchmarks, "real": _real}
