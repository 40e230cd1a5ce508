"""Graphs and matrices to try things on: made by a rule, the same for everybody who names the same rule and seed.

* Meshes: `grid` and `laplacian` (5, 7, 9 or 27 points), `elasticity_3d` (trilinear hexahedra, with rigid-body modes).
* Random graphs: `uniform_random`, `rmat`, `kronecker`, `delaunay`.
* Directed: `with_directions` makes arcs of the edges of any of these.
* By name: `benchmark_graph` (the six graphs on which speed is quoted) and `load` (a real graph that ships with the
  package; `positions` tells where to draw its vertices).

Points of a mesh are numbered row by row, the last axis fastest, as NumPy numbers the entries of an array. Everything
is built by whole-array operations, straight into CSR form with sorted rows where the rule gives the rows. Random draws
come from ``numpy.random.default_rng(seed)``, in an order that each docstring tells: the order is part of the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from importlib import resources
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from ._arguments import unmasked
from .graph import Graph, as_graph, from_edges

# ---------------------------------------------------------------------------------------------------------- meshes


def grid(shape: int | tuple[int, ...], stencil: int | None = None) -> Graph:
    """A regular grid: each point is a vertex, joined to its neighbours in the stencil.

    Parameters
    ----------
    shape : int or tuple of ints
        Points along each axis; one, two or three axes are usual, any number works.
    stencil : int, optional
        Points in the stencil, the centre counted: ``2 d + 1`` for the neighbours along the `d` axes (the default;
        5 points in 2-D, 7 in 3-D) or ``3 ** d`` for the diagonal ones as well (9 in 2-D, 27 in 3-D).

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted. The point at index ``i`` of an array of this shape is vertex
        ``np.ravel_multi_index(i, shape)``.

    Raises
    ------
    ValueError
        If an extent is negative or the stencil is none of those two.

    Notes
    -----
    Linear in points times stencil, with 5 bytes times that as work memory.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.grid((2, 3)).num_edges
    7
    >>> gallery.grid((2, 3), stencil=9).num_edges
    11
    """
    shape = _checked_shape(shape)
    offsets = _stencil_offsets(shape, stencil)
    indptr, indices = _stencil_rows(shape, [offset for offset in offsets if any(offset)])
    return as_graph((indptr, indices))


def laplacian(shape: int | tuple[int, ...], stencil: int | None = None) -> sp.csr_array:
    """The Laplacian matrix of a regular grid with the boundary held at zero: symmetric positive definite.

    Parameters
    ----------
    shape : int or tuple of ints
        Points along each axis.
    stencil : int, optional
        As in `grid`: ``2 d + 1`` (the default) or ``3 ** d`` points.

    Returns
    -------
    scipy.sparse.csr_array, (n, n) float64
        The stencil's points less one on the diagonal (also at the boundary: the points beyond it are there, with the
        value zero), -1 for every neighbour. Rows sorted, int32 indices where they fit.

    Raises
    ------
    ValueError
        As `grid`.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.laplacian(3).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])
    """
    shape = _checked_shape(shape)
    offsets = _stencil_offsets(shape, stencil)
    indptr, indices = _stencil_rows(shape, offsets)
    n = indptr.size - 1
    values = np.full(indices.size, -1.0)
    values[indices == np.repeat(np.arange(n, dtype=indices.dtype), np.diff(indptr))] = len(offsets) - 1
    return _sorted_csr(values, indices, indptr, n)


def elasticity_3d(
    shape: tuple[int, int, int], *, young: float = 1.0, poisson: float = 0.3, clamped: bool = True
) -> tuple[sp.csr_array, np.ndarray]:
    """Linear elasticity of a block of trilinear hexahedra, and the six rigid-body modes.

    Parameters
    ----------
    shape : tuple of three ints
        Free points along each axis, at least 2. Elements are cubes of edge 1.
    young, poisson : float, optional
        Young's modulus (> 0) and Poisson's ratio (between -1 and 0.5) of the isotropic material.
    clamped : bool, optional
        If true, the block is one layer of elements longer along the first axis, and the points at that end are held
        fixed and eliminated: the matrix is positive definite, and rows of the first layer of free points do not
        annihilate the modes. If false, the block floats: the matrix is singular, and its null space is the modes.

    Returns
    -------
    matrix : scipy.sparse.csr_array, (3 n, 3 n) float64
        Row ``3 * point + c`` is the displacement of a point along axis ``c``. Symmetric to the last bit. All 27 * 3
        entries of the stencil are stored, also those whose value happens to be zero.
    modes : (3 n, 6) float64 array
        Translations along the three axes, then rotations in the planes of axes (1, 2), (2, 0), (0, 1) about the
        block's middle.

    Raises
    ------
    ValueError
        If an extent is below 2 or a constant of the material is out of range.

    Notes
    -----
    17 bytes per entry at the peak; the result takes 12 of them. ``(60, 60, 60)`` is the matrix Elasticity3D_60 of
    Kelley and Rajamanickam (2022): 648,000 rows, 50,757,768 entries.

    Examples
    --------
    >>> import numpy as np
    >>> from stablegraph import gallery
    >>> A, modes = gallery.elasticity_3d((3, 3, 3), clamped=False)
    >>> A.shape, A.nnz, modes.shape
    ((81, 81), 3087, (81, 6))
    >>> bool(np.allclose(A @ modes, 0))
    True
    """
    shape = _checked_shape(shape)  # type: ignore[assignment]
    if len(shape) != 3 or min(shape) < 2:
        raise ValueError(f"elasticity_3d needs three extents of at least 2 points, got {shape}")
    if not (young > 0 and -1 < poisson < 0.5):
        raise ValueError(f"young must be positive and poisson between -1 and 0.5, got {young} and {poisson}")
    offsets = _stencil_offsets(shape, 27)
    around = _elements_around(shape, clamped)
    stencils = _stiffness_stencils(_element_stiffness(young, poisson), offsets)
    n = int(np.prod(shape))

    valid = _valid_neighbours(shape, offsets)
    blocks_per_row = np.count_nonzero(valid, axis=1)
    nnz = 9 * int(blocks_per_row.sum())
    itype = np.int32 if max(nnz, 3 * n) < 2**31 else np.int64
    indptr = np.zeros(3 * n + 1, itype)
    np.cumsum(np.repeat(3 * blocks_per_row, 3), out=indptr[1:])

    # An array over (point, row, neighbour, column) has the order of CSR with sorted rows.
    every = np.broadcast_to(valid[:, None, :, None], (n, 3, 27, 3))
    values = stencils[around][every]
    columns = 3 * _neighbour_ids(shape, offsets, itype)[:, None, :, None] + np.arange(3, dtype=itype)
    indices = np.broadcast_to(columns, every.shape)[every]
    return _sorted_csr(values, indices, indptr, 3 * n), _rigid_body_modes(shape)


def _checked_shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    extents = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if not extents or any(not isinstance(extent, (int, np.integer)) or extent < 0 for extent in extents):
        raise ValueError(f"shape must be one or more integers that are not negative, got {shape!r}")
    return tuple(int(extent) for extent in extents)


def _stencil_offsets(shape: tuple[int, ...], stencil: int | None) -> list[tuple[int, ...]]:
    """The steps from a point to its stencil, in the order of the neighbours' numbers."""
    axes = len(shape)
    star, box = 2 * axes + 1, 3**axes
    if stencil not in (None, star, box):
        raise ValueError(f"stencil of a grid with {axes} axes must be {star} or {box} points, got {stencil}")
    steps = itertools.product((-1, 0, 1), repeat=axes)
    return [step for step in steps if stencil == box or np.count_nonzero(step) <= 1]


def _valid_neighbours(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> np.ndarray:
    """(n, len(offsets)) bool: is there a point at this step from this point?"""
    inside = np.ones((*shape, len(offsets)), bool)
    for column, offset in enumerate(offsets):
        for axis, step in enumerate(offset):
            if step:
                missing: list[Any] = [slice(None)] * len(shape) + [column]
                missing[axis] = slice(0, 1) if step < 0 else slice(max(shape[axis] - 1, 0), None)
                inside[tuple(missing)] = False
    flat: np.ndarray = inside.reshape(-1, len(offsets))
    return flat


def _neighbour_ids(shape: tuple[int, ...], offsets: list[tuple[int, ...]], dtype: Any) -> np.ndarray:
    """(n, len(offsets)) numbers of the points at each step; meaningless where there is none."""
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    jumps = np.array([np.dot(offset, strides) for offset in offsets], dtype)
    n = int(np.prod(shape))
    ids: np.ndarray = np.arange(n, dtype=dtype)[:, None] + jumps
    return ids


def _stencil_rows(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    valid = _valid_neighbours(shape, offsets)
    counts = np.count_nonzero(valid, axis=1)
    nnz, n = int(counts.sum()), counts.size
    indptr = np.zeros(n + 1, np.int32 if nnz < 2**31 else np.int64)
    np.cumsum(counts, out=indptr[1:])
    return indptr, _neighbour_ids(shape, offsets, np.int32 if n < 2**31 else np.int64)[valid]


def _sorted_csr(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n: int) -> sp.csr_array:
    matrix = sp.csr_array((values, indices, indptr), shape=(n, n))
    matrix.has_canonical_format = True  # known by construction; asking SciPy would cost a sweep
    return matrix


_CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))  # of an element; also the elements around a point


def _element_stiffness(young: float, poisson: float) -> np.ndarray:
    """(8, 3, 8, 3): the force on corner a along axis i for a unit displacement of corner b along axis j."""
    gauss = 0.5 + np.array(list(itertools.product((-1, 1), repeat=3))) / np.sqrt(12)
    shapes = np.where(_CORNERS[None], gauss[:, None], 1 - gauss[:, None])  # (8 points, 8 corners, 3 factors)
    slopes = np.where(_CORNERS, 1.0, -1.0)
    gradients = np.empty((8, 8, 3))
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        gradients[:, :, axis] = slopes[:, axis] * shapes[:, :, others].prod(axis=2)
    products = np.einsum("pai,pbj->aibj", gradients, gradients) / 8  # two points per axis are exact for these
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    stiffness = lame * products + shear * products.transpose(0, 3, 2, 1)
    stiffness += shear * np.einsum("akbk,ij->aibj", products, np.eye(3))
    flat = stiffness.reshape(24, 24)
    symmetric: np.ndarray = ((flat + flat.T) / 2).reshape(8, 3, 8, 3)
    return symmetric


def _elements_around(shape: tuple[int, ...], clamped: bool) -> np.ndarray:
    """(n,) which of the eight elements around a point exist: bit e for the element on side ``_CORNERS[e]`` of it."""
    sides = []
    for axis, extent in enumerate(shape):
        position = np.arange(extent)
        first = 0 if clamped and axis == 0 else 1
        sides.append((position >= first, position < extent - 1))
    around = np.zeros(shape, np.uint8)
    for e, (i, j, k) in enumerate(_CORNERS):
        exists = sides[0][i][:, None, None] & sides[1][j][:, None] & sides[2][k]
        around |= exists.astype(np.uint8) << np.uint8(e)
    return around.ravel()


def _stiffness_stencils(stiffness: np.ndarray, offsets: list[tuple[int, ...]]) -> np.ndarray:
    """(256, 3, 27, 3): for every pattern of existing elements, the rows of a point's three unknowns.

    The elements are added in the order of their places in the block, seen from either end of an entry, so that the
    matrix is symmetric to the last bit.
    """
    stencils = np.zeros((256, 3, 27, 3))
    patterns = np.arange(256)
    for e, side in enumerate(_CORNERS):
        exists = (patterns >> e) & 1 == 1
        here = 1 - side  # the point's place in the element on this side of it
        for column, offset in enumerate(offsets):
            there = here + offset
            if ((there == 0) | (there == 1)).all():
                a, b = here @ (4, 2, 1), there @ (4, 2, 1)
                stencils[exists, :, column, :] += stiffness[a, :, b, :]
    return stencils


def _rigid_body_modes(shape: tuple[int, ...]) -> np.ndarray:
    position = np.argwhere(np.ones(shape, bool)).astype(float)
    position -= (np.array(shape) - 1) / 2
    modes = np.zeros((position.shape[0], 3, 6))
    for axis in range(3):
        following, last = (axis + 1) % 3, (axis + 2) % 3
        modes[:, axis, axis] = 1
        modes[:, following, 3 + axis] = -position[:, last]
        modes[:, last, 3 + axis] = position[:, following]
    return modes.reshape(-1, 6)


# --------------------------------------------------------------------------------------------------- random graphs


def uniform_random(n: int, picks: int = 4, seed: int = 0) -> Graph:
    """Each vertex picks some others at random; the picks are the edges.

    Parameters
    ----------
    n : int
        Number of vertices.
    picks : int, optional
        Picks of each vertex; the average degree is a little below twice that, since loops and repeats are dropped.
    seed : int, optional
        Of ``numpy.random.default_rng``. The draws are ``rng.integers(0, n, (n, picks))``, row v the picks of vertex v.

    Returns
    -------
    Graph
        Undirected, without loops or weights. With ``n = 2**23`` and 4 picks it has the rule of r4-2e23.sym of the
        ECL-MIS paper.

    Raises
    ------
    ValueError
        If `n` or `picks` is negative.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.uniform_random(1000, seed=1).num_vertices
    1000
    """
    if n < 0 or picks < 0:
        raise ValueError(f"n and picks must not be negative, got {n} and {picks}")
    picked = np.random.default_rng(seed).integers(0, max(n, 1), (n, picks)).ravel()
    return _undirected(np.repeat(np.arange(n), picks), picked, n)


def rmat(
    scale: int, edges_per_vertex: int = 8, a: float = 0.45, b: float = 0.22, c: float = 0.22, seed: int = 0
) -> Graph:
    """A graph with a few vertices of very large degree, made by recursive choice of a quadrant of the matrix.

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices.
    edges_per_vertex : int, optional
        Edges drawn, per vertex; some are loops or repeats, and are dropped.
    a, b, c : float, optional
        Chances of the upper left, upper right and lower left quadrant; the lower right one has the rest.
    seed : int, optional
        Of ``numpy.random.default_rng``. From the highest bit of the ids to the lowest one ``rng.random(edges)`` is
        drawn and compared with the sums of the chances; then ``rng.permutation(2**scale)`` renames the vertices.

    Returns
    -------
    Graph
        Undirected, without loops or weights.

    Raises
    ------
    ValueError
        If the chances are no chances, or `scale` or `edges_per_vertex` is negative or `scale` above 40.

    Notes
    -----
    Work memory about 24 bytes times the edges drawn.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.rmat(10, seed=1).num_vertices
    1024
    """
    if not (min(a, b, c) >= 0 and a + b + c <= 1):  # in this form NaN is refused too
        raise ValueError(f"a, b, c must not be negative and add up to at most 1, got {a}, {b}, {c}")
    if not 0 <= scale <= 40 or edges_per_vertex < 0:
        raise ValueError(
            f"scale must be between 0 and 40 and edges_per_vertex not negative, got {scale} and {edges_per_vertex}"
        )
    rng = np.random.default_rng(seed)
    n = 1 << scale
    edges = n * edges_per_vertex
    itype = np.int32 if scale < 31 else np.int64
    u, v = np.zeros(edges, itype), np.zeros(edges, itype)
    for _ in range(scale):
        draw = rng.random(edges)
        lower = draw >= a + b
        right = (draw >= a) ^ lower ^ (draw >= a + b + c)
        u = 2 * u + lower
        v = 2 * v + right
    name = rng.permutation(n).astype(itype)
    return _undirected(name[u], name[v], n)


def kronecker(scale: int, edges_per_vertex: int = 16, seed: int = 0) -> Graph:
    """The Kronecker graph of the Graph500 benchmark: `rmat` with chances 0.57, 0.19, 0.19 (and 0.05).

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices.
    edges_per_vertex : int, optional
        Edges drawn, per vertex (Graph500's edge factor).
    seed : int, optional
        As in `rmat`.

    Returns
    -------
    Graph
        Undirected, without loops or weights; typically a quarter of the vertices or more are isolated.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.kronecker(8).num_vertices
    256
    """
    return rmat(scale, edges_per_vertex, 0.57, 0.19, 0.19, seed)


def delaunay(points: int | np.ndarray, seed: int = 0) -> Graph:
    """The Delaunay triangulation of points in the plane or in space, random ones by default.

    Parameters
    ----------
    points : int or (n, d) array
        The points, or how many: then they are ``rng.random((n, 2))``, uniform in the unit square.
    seed : int, optional
        Of ``rng = numpy.random.default_rng(seed)``; not used if points are given.

    Returns
    -------
    Graph
        Undirected, without loops or weights; planar for points in the plane. A point that repeats another one is
        isolated.

    Raises
    ------
    ValueError
        If there are too few points for a triangle (in space: a tetrahedron), or they are not finite.
    scipy.spatial.QhullError
        If all points lie on a line (in space: in a plane).

    Notes
    -----
    SciPy's Qhull takes about 11 s for a million points in the plane.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.delaunay(100).num_vertices
    100
    """
    from scipy.spatial import Delaunay

    if isinstance(points, (int, np.integer)):
        points = np.random.default_rng(seed).random((max(points, 0), 2))
    points = np.asarray(unmasked(points, "points"), float)
    if points.ndim != 2 or not 2 <= points.shape[1] < points.shape[0]:
        raise ValueError(f"a triangulation needs 3 points in the plane or 4 in space, got shape {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(f"points must be finite, but point {np.argwhere(~np.isfinite(points))[0, 0]} is not")
    corners = Delaunay(points).simplices
    pairs = np.array(list(itertools.combinations(range(corners.shape[1]), 2)))
    return _undirected(corners[:, pairs[:, 0]].ravel(), corners[:, pairs[:, 1]].ravel(), points.shape[0])


def _undirected(u: np.ndarray, v: np.ndarray, n: int) -> Graph:
    return from_edges(u, v, n=n, symmetrize=True, drop_loops=True)


# --------------------------------------------------------------------------------------------------------- by name

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
    rng.integers(0, n, (n, 4))  # the published figures were taken with points drawn after the picks of R4
    return delaunay(rng.random((n, 2)))


def benchmark_graph(name: str, *, directed: bool = False) -> Graph:
    """One of the six graphs on which this package's speed is quoted, or its directed variant.

    Parameters
    ----------
    name : {"G2", "G3", "R4", "DE", "RM", "KR"}
        In this order: 1024 x 1024 grid; 100 x 100 x 100 grid; uniform random, 2**20 vertices with 4 picks; Delaunay
        triangulation of 2**20 points; RMAT, 2**20 vertices with 8 edges each; Kronecker, 2**18 vertices with 48.
    directed : bool, optional
        Make arcs of the edges as `with_directions` does. R4 becomes another graph: arcs from each vertex to three
        picks, ``numpy.random.default_rng(0).integers(0, n, (n, 3))``.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.benchmark_graph("G2").num_vertices
    1048576
    """
    if name not in _BENCHMARK_GRAPHS:
        raise ValueError(f"the benchmark graphs are {', '.join(_BENCHMARK_GRAPHS)}, not {name!r}")
    if directed and name == "R4":
        n = 1 << 20
        heads = np.random.default_rng(0).integers(0, n, (n, 3)).ravel()
        return from_edges(np.repeat(np.arange(n), 3), heads, n=n, directed=True, drop_loops=True)
    graph = _BENCHMARK_GRAPHS[name]()
    return with_directions(graph) if directed else graph


def with_directions(graph: Graph) -> Graph:
    """Make arcs of the edges of an undirected graph, by a hash of their ends.

    Parameters
    ----------
    graph : Graph
        Loops and weights are dropped.

    Returns
    -------
    Graph
        Directed. With h = ((u * 0x9E3779B97F4A7C15) xor (v * 0xC2B2AE3D27D4EB4F)) >> 40 in 64 bits for u < v, and
        k = h mod 8, the arc from u to v stands if k < 5, and that from v to u if k >= 3.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.with_directions(gallery.grid((10, 10)))
    <Graph: 100 vertices, 253 arcs, directed, degrees 0 to 4, unweighted, cpu, 1.4 KiB>
    """
    tails = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    u, v = np.minimum(tails, graph.indices), np.maximum(tails, graph.indices)
    hashed = (u.astype(np.uint64) * 0x9E3779B97F4A7C15 ^ v.astype(np.uint64) * 0xC2B2AE3D27D4EB4F) >> 40
    part = hashed % 8
    kept = np.where(tails < graph.indices, part < 5, part >= 3) & (u < v)
    return from_edges(tails[kept], graph.indices[kept], n=graph.num_vertices, directed=True)


_SHIPPED = ("us-counties",)


def load(name: str) -> Graph:
    """A real graph that ships with the package; nothing is downloaded.

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
        For another name.

    See Also
    --------
    positions : where to draw its vertices.

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


def positions(name: str) -> np.ndarray:
    """Where to draw the vertices of a graph that ships with the package.

    Parameters
    ----------
    name : {"us-counties"}
        As in `load`.

    Returns
    -------
    (n, 2) float32 array
        For "us-counties" about where the counties are on a map, in miles, y to the north.

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.positions("us-counties").shape
    (3234, 2)
    """
    with np.load(_shipped_file(name)) as arrays:
        where: np.ndarray = arrays["positions"]
        return where


def _shipped_file(name: str) -> BinaryIO:
    if name not in _SHIPPED:
        raise ValueError(f"the graphs that ship with the package are {', '.join(_SHIPPED)}, not {name!r}")
    return BytesIO(resources.files(__package__).joinpath("data", f"{name}.npz").read_bytes())
