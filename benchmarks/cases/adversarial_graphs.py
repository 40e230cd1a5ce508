"""Graphs with hubs or cliques, each from its number of vertices, and random graphs of the same size.

A graph with a hub has about as few entries as a grid, but one of its rows is as long as all other rows together, and
nearly all vertices are within two steps of each other. A clique contains every possible entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import stablegraph as sg

Ends = tuple[np.ndarray, np.ndarray]


def _joined(*parts: tuple[object, object]) -> Ends:
    """Concatenate the ends of all edges; a number in a part is repeated to the length of the other side."""
    pairs = [np.broadcast_arrays(np.asarray(u, np.int64), np.asarray(v, np.int64)) for u, v in parts]
    return np.concatenate([u for u, _ in pairs]), np.concatenate([v for _, v in pairs])


def _path(vertices: np.ndarray) -> Ends:
    return vertices[:-1], vertices[1:]


def _clique(n: int) -> Ends:
    return np.triu_indices(n, 1)


def _cycle(vertices: np.ndarray) -> Ends:
    return vertices, np.roll(vertices, -1)


def _between(hubs: int, n: int) -> Ends:
    """Connect each of the first vertices with each of the other vertices."""
    return np.repeat(np.arange(hubs), n - hubs), np.tile(np.arange(hubs, n), hubs)


def _double_star(n: int) -> Ends:
    middle = n // 2
    return _joined((0, np.arange(1, n - middle)), (n - 1, np.arange(n - middle, n - 1)), ([0], [n - 1]))


def _friendship(n: int) -> Ends:
    """Return triangles (0, 1, 2), (0, 3, 4), ..."""
    first = np.arange(1, n - 1, 2)
    return _joined((0, np.arange(1, first.size * 2 + 1)), (first, first + 1))


def _shared_leaves(n: int) -> Ends:
    """Return about sqrt(n) hubs; every other vertex is adjacent to two of them, drawn at random."""
    hubs = math.isqrt(n)
    drawn = np.random.default_rng(0).integers(0, hubs, 2 * (n - hubs))
    return drawn, np.repeat(np.arange(hubs, n), 2)


def _many_stars(n: int) -> Ends:
    """Return about sqrt(n) disjoint stars with the same number of leaves each."""
    leaves = np.arange(math.isqrt(n), n)
    return leaves % math.isqrt(n), leaves


_UNDIRECTED: dict[str, Callable[[int], Ends]] = {
    "clique": _clique,
    "star": lambda n: _joined((0, np.arange(1, n))),
    "star with hub last": lambda n: _joined((n - 1, np.arange(n - 1))),
    "double star": _double_star,
    "wheel": lambda n: _joined((0, np.arange(1, n)), _cycle(np.arange(1, n))),
    "fan": lambda n: _joined((0, np.arange(1, n)), _path(np.arange(1, n))),
    "friendship": _friendship,
    "two hubs": lambda n: _between(2, n),
    "two joined hubs": lambda n: _joined(_between(2, n), ([0], [1])),
    "shared leaves": _shared_leaves,
    "many stars": _many_stars,
    "broom": lambda n: _joined(_path(np.arange(n // 2)), (n // 2 - 1, np.arange(n // 2, n))),
    "clique with path": lambda n: _joined(_clique(math.isqrt(2 * n)), _path(np.arange(math.isqrt(2 * n) - 1, n))),
}
# These are also patterns of matrices: entry (u, v) is an arc from u to v.
_DIRECTED: dict[str, Callable[[int], Ends]] = {
    "arcs from a hub": lambda n: _joined((0, np.arange(1, n))),
    "arcs to a hub": lambda n: _joined((np.arange(1, n), 0)),
    "arcs by a hub": lambda n: _joined((np.arange(1, n // 2), 0), (0, np.arange(n // 2, n))),
    "arcs between two hubs": lambda n: _joined((0, np.arange(1, n - 1)), (np.arange(1, n - 1), n - 1)),
    "directed wheel": lambda n: _joined((0, np.arange(1, n)), _cycle(np.arange(1, n))),
    "directed fan": lambda n: _joined((np.arange(1, n), 0), _path(np.arange(1, n))),
    "directed friendship": lambda n: _joined(
        (0, np.arange(1, n - 1, 2)), (np.arange(1, n - 1, 2), np.arange(2, n, 2)), (np.arange(2, n, 2), 0)
    ),
    "directed broom": lambda n: _joined(_path(np.arange(n // 2)), (n // 2 - 1, np.arange(n // 2, n))),
    "tournament": _clique,
    "dense row": lambda n: _joined((0, np.arange(1, n)), _cycle(np.arange(n)), (np.arange(n), np.arange(n))),
    "dense column": lambda n: _joined((np.arange(1, n), 0), _cycle(np.arange(n)), (np.arange(n), np.arange(n))),
    "dense row and column": lambda n: _joined((0, np.arange(n)), (np.arange(1, n), 0), (np.arange(1, n),) * 2),
}
CLIQUES = ("clique", "tournament")
FAMILIES = (*_UNDIRECTED, *_DIRECTED)


def make(family: str, n: int) -> sg.Graph:
    """Build the graph of a family with n vertices."""
    if family in _UNDIRECTED:
        return sg.from_edges(*_UNDIRECTED[family](n), n=n, symmetrize=True)
    return sg.from_edges(*_DIRECTED[family](n), n=n, directed=True)


def random_graph(n: int, edges: int, directed: bool, loops: bool = False) -> sg.Graph:
    """Build a graph from random edges (arcs), without loops and duplicates; with `loops`, also with all n loops."""
    u, v = np.random.default_rng(0).integers(0, n, (2, edges - n if loops else edges))
    u, v = _joined((u[u != v], v[u != v]), *([(np.arange(n), np.arange(n))] if loops else []))
    return sg.from_edges(u, v, n=n, directed=directed, symmetrize=not directed)
