"""Random graphs from ``numpy.random.default_rng(seed)``; the order of the draws is part of each rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from .._core.csr.arrays import index_type
from .._core.unknown_options import suggests_options
from .._core.validation import host_array, integer, number
from ..conversion import from_edges
from ..graph import Graph

_DRAWN_AT_ONCE = 1 << 16


@suggests_options
def uniform_random(n: int, picks: int = 4, seed: int = 0) -> Graph:
    """Make a graph in which each vertex picks random vertices, and the picks are the edges.

    >>> import stablegraph as sg
    >>> sg.gallery.uniform_random(1000, seed=1).num_vertices
    1000

    Parameters
    ----------
    n : int
        Number of vertices.
    picks : int, optional
        Picks per vertex. The average degree is slightly below twice that number, because loops and repeats are dropped.
    seed : int, optional
        Seed of ``rng = numpy.random.default_rng(seed)``. The draws are ``rng.integers(0, n, (n, picks))``; row v has
        the picks of vertex v.

    Returns
    -------
    Graph
        Undirected, without loops or weights. With ``n = 2**23`` and 4 picks it follows the rule of r4-2e23.sym in the
        ECL-MIS paper.

    Raises
    ------
    ValueError, TypeError
        If `n`, `picks` or `seed` is negative or not an integer.
    """
    n, picks = integer(n, "n", minimum=0), integer(picks, "picks", minimum=0)
    rng, itype = generator(seed), index_type(n)
    picked: np.ndarray = np.empty(n * picks, itype)
    for part in _chunks(picked):
        part[:] = rng.integers(0, max(n, 1), part.size)
    return undirected_graph(np.repeat(np.arange(n, dtype=itype), picks), picked, n)


@suggests_options
def rmat(
    scale: int, edges_per_vertex: int = 8, a: float = 0.45, b: float = 0.22, c: float = 0.22, seed: int = 0
) -> Graph:
    """Make a graph with a few vertices of very large degree, by recursive choice of a quadrant of the matrix.

    >>> import stablegraph as sg
    >>> sg.gallery.rmat(10, seed=1).num_vertices
    1024

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices.
    edges_per_vertex : int, optional
        Edges drawn per vertex. Loops and repeats among them are dropped.
    a, b, c : float, optional
        Probabilities of the upper left, upper right and lower left quadrant; the lower right one has the remainder.
    seed : int, optional
        Seed of ``rng = numpy.random.default_rng(seed)``. For each bit of the ids, from the highest to the lowest,
        ``rng.random(edges)`` is drawn and compared with the sums of the probabilities; then
        ``rng.permutation(2**scale)`` renames the vertices.

    Returns
    -------
    Graph
        Undirected, without loops or weights.

    Raises
    ------
    ValueError
        If `a`, `b` and `c` are not probabilities, or `scale`, `edges_per_vertex` or `seed` is negative, or `scale` is
        above 40.
    TypeError
        If a probability is not a number, or another argument is not an integer.

    Notes
    -----
    Work memory: about 30 bytes per drawn edge.
    """
    scale, edges = checked_scale(scale, edges_per_vertex)
    a, b, c = checked_chances(a, b, c)
    rng, n = generator(seed), 1 << scale
    ends: np.ndarray = np.zeros((2, edges), index_type(n))
    u, v = ends
    for _ in range(scale):
        for tails, heads in zip(_chunks(u), _chunks(v), strict=True):
            draw = rng.random(tails.size)
            lower = draw >= a + b
            right = (draw >= a) ^ lower ^ (draw >= a + b + c)
            tails[:] = 2 * tails + lower
            heads[:] = 2 * heads + right
    name = rng.permutation(n).astype(u.dtype)
    for part in (*_chunks(u), *_chunks(v)):
        part[:] = name[part]
    return undirected_graph(u, v, n)


def checked_scale(scale: int, edges_per_vertex: int) -> tuple[int, int]:
    """Return the scale of `rmat`, and the number of edges that it draws."""
    scale = integer(scale, "scale", minimum=0, maximum=40)
    return scale, integer(edges_per_vertex, "edges_per_vertex", minimum=0) << scale


def checked_chances(a: float, b: float, c: float) -> tuple[float, float, float]:
    """Return the probabilities of the quadrants."""
    chances = number(a, "a", minimum=0), number(b, "b", minimum=0), number(c, "c", minimum=0)
    if sum(chances) > 1:
        raise ValueError(f"a, b and c must add up to at most 1, got {a}, {b} and {c}")
    return chances


@suggests_options
def kronecker(scale: int, edges_per_vertex: int = 16, seed: int = 0) -> Graph:
    """Make the Kronecker graph of the Graph500 benchmark: `rmat` with probabilities 0.57, 0.19, 0.19 (and 0.05).

    >>> import stablegraph as sg
    >>> sg.gallery.kronecker(8).num_vertices
    256

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices.
    edges_per_vertex : int, optional
        Edges drawn per vertex (Graph500's edge factor).
    seed : int, optional
        As in `rmat`.

    Returns
    -------
    Graph
        Undirected, without loops or weights; typically a quarter of the vertices or more are isolated.

    Raises
    ------
    ValueError, TypeError
        As `rmat`.
    """
    return rmat(scale, edges_per_vertex, 0.57, 0.19, 0.19, seed)


@suggests_options
def delaunay(points: int | np.ndarray, seed: int = 0) -> Graph:
    """Make the Delaunay triangulation of points in the plane or in space, or of random points.

    >>> import stablegraph as sg
    >>> sg.gallery.delaunay(100).num_vertices
    100

    Parameters
    ----------
    points : int or (n, d) array
        The points, or a number of points, which are then ``rng.random((n, 2))``, uniform in the unit square.
    seed : int, optional
        Seed of ``rng = numpy.random.default_rng(seed)``; not used if points are given.

    Returns
    -------
    Graph
        Undirected, without loops or weights; planar for points in the plane. A point that repeats another one is
        isolated.

    Raises
    ------
    ValueError
        If there are too few points for a triangle (in space: a tetrahedron), a point is not finite, or `seed` is
        negative.
    TypeError
        If `points` is neither an array nor an integer, or `seed` is not an integer.
    scipy.spatial.QhullError
        If all points are on a line (in space: in a plane).

    Notes
    -----
    SciPy's Qhull takes about 11 s for a million points in the plane.
    """
    from scipy.spatial import Delaunay

    rng, points = generator(seed), host_array(points, "points")
    if points.ndim == 0:
        points = rng.random((integer(points.item(), "points", minimum=3), 2))
    points = points.astype(float, copy=False)
    if points.ndim != 2 or not 2 <= points.shape[1] < points.shape[0]:
        raise ValueError(f"a triangulation needs 3 points in the plane or 4 in space, got shape {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"points must be finite, but point {np.argwhere(~np.isfinite(points))[0, 0]} is not")
    corners = Delaunay(points).simplices
    pairs = np.array(list(itertools.combinations(range(corners.shape[1]), 2)))
    return undirected_graph(corners[:, pairs[:, 0]].ravel(), corners[:, pairs[:, 1]].ravel(), points.shape[0])


def generator(seed: int) -> np.random.Generator:
    """Return the NumPy generator for a seed."""
    return np.random.default_rng(integer(seed, "seed", minimum=0))


def _chunks(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield pieces that fit into a cache; drawing piece by piece gives the same numbers as drawing all at once."""
    for start in range(0, array.size, _DRAWN_AT_ONCE):
        yield array[start : start + _DRAWN_AT_ONCE]


def undirected_graph(u: np.ndarray, v: np.ndarray, n: int) -> Graph:
    """Return the undirected graph of the edges, without loops."""
    return from_edges(u, v, n=n, symmetrize=True, drop_loops=True)
