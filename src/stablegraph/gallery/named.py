"""Graphs by name: the six benchmark graphs, and real graphs that ship with the package."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from io import BytesIO
from typing import BinaryIO

import numpy as np

from .._core.typing import GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import boolean
from ..conversion import from_edges, undirected
from ..graph import Graph
from .grids import grid
from .random import delaunay, kronecker, rmat, uniform_random

_BENCHMARK_GRAPHS: dict[str, Callable[[], Graph]] = {
    "G2": lambda: grid((1024, 1024)),
    "G3": lambda: grid((100, 100, 100)),
    "R4": lambda: uniform_random(1 << 20, 4, seed=0),
    "DE": lambda: _benchmark_delaunay(1 << 20),
    "RM": lambda: rmat(20, 8, 0.45, 0.22, 0.22, seed=1),
    "KR": lambda: kronecker(18, 48, seed=1),
}


def _benchmark_delaunay(n: int) -> Graph:
    rng = np.random.default_rng(0)
    rng.integers(0, n, (n, 4))  # the published figures used points that were drawn after the picks of R4
    return delaunay(rng.random((n, 2)))


@suggests_options
def benchmark_graph(name: str, *, directed: bool = False) -> Graph:
    """Make one of the six graphs for which the speed of this package is reported, or its directed variant.

    >>> import stablegraph as sg
    >>> sg.gallery.benchmark_graph("G2").num_vertices
    1048576

    Parameters
    ----------
    name : {"G2", "G3", "R4", "DE", "RM", "KR"}
        In this order: 1024 x 1024 grid; 100 x 100 x 100 grid; uniform random, 2**20 vertices with 4 picks; Delaunay
        triangulation of 2**20 points; RMAT, 2**20 vertices with 8 edges each; Kronecker, 2**18 vertices with 48.
    directed : bool, optional
        Make arcs of the edges by `with_directions`. R4 becomes another graph: arcs from each vertex to three picks,
        ``numpy.random.default_rng(0).integers(0, n, (n, 3))``.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError
        If the name is unknown.
    TypeError
        If `directed` is not a bool.
    """
    if not isinstance(name, str) or name not in _BENCHMARK_GRAPHS:  # type: ignore[redundant-expr]
        raise ValueError(f"the benchmark graphs are {', '.join(_BENCHMARK_GRAPHS)}, not {name!r}")
    directed = boolean(directed, "directed")
    if directed and name == "R4":
        n = 1 << 20
        heads = np.random.default_rng(0).integers(0, n, (n, 3)).ravel()
        return from_edges(np.repeat(np.arange(n), 3), heads, n=n, directed=True, drop_loops=True)
    graph = _BENCHMARK_GRAPHS[name]()
    return with_directions(graph) if directed else graph


@suggests_options
def with_directions(graph: GraphLike) -> Graph:
    """Make arcs of the edges of an undirected graph, by a hash of their ends.

    >>> import stablegraph as sg
    >>> sg.gallery.with_directions(sg.gallery.grid((10, 10))).num_entries
    253

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Loops and weights are dropped.

    Returns
    -------
    Graph
        Directed. With h = ((u * 0x9E3779B97F4A7C15) xor (v * 0xC2B2AE3D27D4EB4F)) >> 40 in 64 bits for u < v, and
        k = h mod 8, the arc from u to v exists if k < 5, and the arc from v to u if k >= 3.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or is not a graph.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.with_directions(gallery.grid((10, 10)))
    <Graph: 100 vertices, 253 arcs, directed, degrees 0 to 4, unweighted, cpu, 1.4 KiB>
    """
    graph = undirected(graph)
    tails = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    u, v = np.minimum(tails, graph.indices), np.maximum(tails, graph.indices)
    hashed = (u.astype(np.uint64) * 0x9E3779B97F4A7C15 ^ v.astype(np.uint64) * 0xC2B2AE3D27D4EB4F) >> 40
    part = hashed % 8
    is_chosen = np.where(tails < graph.indices, part < 5, part >= 3) & (u < v)
    return from_edges(tails[is_chosen], graph.indices[is_chosen], n=graph.num_vertices, directed=True)


_SHIPPED = ("us-counties",)


@suggests_options
def load(name: str) -> Graph:
    """Load a real graph that ships with the package; nothing is downloaded.

    >>> import stablegraph as sg
    >>> sg.gallery.load("us-counties").num_edges
    9483

    Parameters
    ----------
    name : {"us-counties"}
        The counties of the United States, joined where they touch: 3,234 vertices, 9,483 edges, 17 components, nearly
        planar. From the Census Bureau's county adjacency file (public domain). The names of the counties are
        ``graph.nodes``.

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted.

    Raises
    ------
    ValueError
        If the name is unknown.

    See Also
    --------
    positions : coordinates of its vertices.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> counties = gallery.load("us-counties")
    >>> counties.num_vertices, counties.num_edges, str(counties.nodes[0])
    (3234, 9483, 'Autauga County, AL')
    """
    with np.load(_shipped_file(name)) as arrays:
        rows = np.repeat(np.arange(arrays["indptr"].size - 1), np.diff(arrays["indptr"]))
        return from_edges(rows, arrays["indices"], n=arrays["indptr"].size - 1, nodes=arrays["nodes"].tolist())


@suggests_options
def positions(name: str) -> np.ndarray:
    """Return coordinates for drawing a graph that ships with the package.

    >>> import stablegraph as sg
    >>> sg.gallery.positions("us-counties").shape
    (3234, 2)

    Parameters
    ----------
    name : {"us-counties"}
        As for `load`, which raises the same errors.

    Returns
    -------
    (n, 2) float32 array
        For "us-counties" the approximate positions of the counties on a map, in miles, with y pointing north.
    """
    with np.load(_shipped_file(name)) as arrays:
        where: np.ndarray = arrays["positions"]
        return where


def _shipped_file(name: str) -> BinaryIO:
    if name not in _SHIPPED:
        raise ValueError(f"the graphs that ship with the package are {', '.join(_SHIPPED)}, not {name!r}")
    return BytesIO(resources.files("stablegraph").joinpath("data", f"{name}.npz").read_bytes())
