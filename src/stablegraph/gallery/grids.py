"""Regular grids, the Laplacian matrices of their stencils, and linear elasticity of a block of trilinear hexahedra.

All are built directly in CSR form with sorted rows.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy

from .._core.unknown_options import suggests_options
from .._core.validation import boolean, integer, number
from ..conversion import as_graph
from ..graph import Graph

_POINTS_AT_ONCE = 1 << 16


@suggests_options
def grid(shape: int | tuple[int, ...], stencil: int | None = None) -> Graph:
    """Make a regular grid: each point is a vertex, joined to its neighbors in the stencil.

    >>> import stablegraph as sg
    >>> sg.gallery.grid((2, 3)).num_edges
    7

    Parameters
    ----------
    shape : int or tuple of ints
        Number of points along each axis. One, two or three axes are usual; any number is supported.
    stencil : int, optional
        Number of points in the stencil, including the center: ``2 d + 1`` for the neighbors along the `d` axes (the
        default; 5 points in 2-D, 7 in 3-D), or ``3 ** d`` to include diagonal neighbors (9 in 2-D, 27 in 3-D).

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted. The point at index ``i`` of an array of this shape is vertex
        ``np.ravel_multi_index(i, shape)``.

    Raises
    ------
    ValueError
        If there is no axis, an extent is negative, or the stencil is neither of the two.
    TypeError
        If an extent or the stencil is not an integer.

    Notes
    -----
    Linear in points times stencil. Work memory: a few megabytes in addition to the graph.

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.grid((2, 3)).num_edges
    7
    >>> gallery.grid((2, 3), stencil=9).num_edges
    11
    """
    shape = checked_shape(shape)
    offsets = stencil_offsets(shape, stencil)
    indptr, indices = _stencil_rows(shape, [offset for offset in offsets if any(offset)])
    return as_graph((indptr, indices))


@suggests_options
def laplacian(shape: int | tuple[int, ...], stencil: int | None = None) -> scipy.sparse.csr_array:
    """Make the Laplacian matrix of a regular grid with zero boundary values: symmetric positive definite.

    >>> import stablegraph as sg
    >>> sg.gallery.laplacian(3).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])

    Parameters
    ----------
    shape : int or tuple of ints
        Number of points along each axis.
    stencil : int, optional
        As in `grid`: ``2 d + 1`` (the default) or ``3 ** d`` points.

    Returns
    -------
    scipy.sparse.csr_array, (n, n) float64
        The diagonal is the number of points in the stencil minus one, also at the boundary, because the points outside
        the grid have the value zero. Every neighbor has the entry -1. Rows are sorted; indices are int32 if they fit.

    Raises
    ------
    ValueError, TypeError
        As `grid`.
    """
    shape = checked_shape(shape)
    offsets = stencil_offsets(shape, stencil)
    indptr, indices = _stencil_rows(shape, offsets)
    n = indptr.size - 1
    values = np.full(indices.size, -1.0)
    values[indices == np.repeat(np.arange(n, dtype=indices.dtype), np.diff(indptr))] = len(offsets) - 1
    return sorted_csr(values, indices, indptr, n)


def checked_shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the number of points along each axis."""
    extents = tuple(shape) if np.iterable(shape) else (shape,)
    if not extents:
        raise ValueError("shape must be the points along one or more axes, got none")
    return tuple(integer(extent, "each extent of shape", minimum=0) for extent in extents)


def stencil_offsets(shape: tuple[int, ...], stencil: int | None) -> list[tuple[int, ...]]:
    """Return the steps from a point to the points of its stencil, in ascending order of these points."""
    axes = len(shape)
    star, box = 2 * axes + 1, 3**axes
    if stencil is not None and integer(stencil, "stencil") not in (star, box):
        raise ValueError(f"stencil of a grid with {axes} axes must be {star} or {box} points, got {stencil}")
    steps = itertools.product((-1, 0, 1), repeat=axes)
    return [step for step in steps if stencil == box or np.count_nonzero(step) <= 1]


def valid_neighbors(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> np.ndarray:
    """Return (n, len(offsets)) bool: whether each step from each point leads to a point of the grid."""
    inside = np.ones((*shape, len(offsets)), bool)
    for column, offset in enumerate(offsets):
        for axis, step in enumerate(offset):
            if step:
                missing: list[Any] = [slice(None)] * len(shape) + [column]
                missing[axis] = slice(0, 1) if step < 0 else slice(max(shape[axis] - 1, 0), None)
                inside[tuple(missing)] = False
    flat: np.ndarray = inside.reshape(-1, len(offsets))
    return flat


def neighbor_ids(
    shape: tuple[int, ...], offsets: list[tuple[int, ...]], dtype: Any, first: int = 0, end: int | None = None
) -> np.ndarray:
    """Return the (points, len(offsets)) numbers of the points at each step; meaningless outside the grid.

    The points are all of the grid, or those from `first` to `end` - 1.
    """
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    jumps = np.array([np.dot(offset, strides) for offset in offsets], dtype)
    ids: np.ndarray = np.arange(first, int(np.prod(shape)) if end is None else end, dtype=dtype)[:, None] + jumps
    return ids


def _stencil_rows(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Return indptr and indices of the stencil; process a few planes at a time to limit the work memory."""
    plane, n = int(np.prod(shape[1:])), int(np.prod(shape))
    entries = sum(math.prod(max(0, size - abs(step)) for size, step in zip(shape, o, strict=True)) for o in offsets)
    indptr: np.ndarray = np.zeros(n + 1, np.int32 if entries < 2**31 else np.int64)
    indices: np.ndarray = np.empty(entries, np.int32 if n < 2**31 else np.int64)
    planes, place = max(1, _POINTS_AT_ONCE // max(plane, 1)), 0
    for first in range(0, shape[0] if n else 0, planes):
        last = min(first + planes, shape[0])
        low, high = max(0, first - 1), min(last + 1, shape[0])  # adjacent planes, so that inner planes have neighbors
        valid = valid_neighbors((high - low, *shape[1:]), offsets)[(first - low) * plane : (last - low) * plane]
        start, end = first * plane, last * plane
        np.cumsum(np.count_nonzero(valid, axis=1), out=indptr[start + 1 : end + 1])
        indptr[start + 1 : end + 1] += indptr[start]
        neighbors = neighbor_ids(shape, offsets, indices.dtype, start, end)[valid]
        indices[place : place + neighbors.size] = neighbors
        place += neighbors.size
    return indptr, indices


def sorted_csr(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n: int) -> scipy.sparse.csr_array:
    matrix = scipy.sparse.csr_array((values, indices, indptr), shape=(n, n))
    matrix.has_canonical_format = True  # known by construction; SciPy would need a sweep to find out
    return matrix


_CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))  # of an element; also the elements around a point


@suggests_options
def elasticity_3d(
    shape: tuple[int, int, int], *, young: float = 1.0, poisson: float = 0.3, clamped: bool = True
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Assemble the linear elasticity matrix of a block of trilinear hexahedra, and its six rigid-body modes.

    >>> import stablegraph as sg
    >>> A, modes = sg.gallery.elasticity_3d((3, 3, 3))
    >>> A.shape, modes.shape
    ((81, 81), (81, 6))

    Parameters
    ----------
    shape : tuple of three ints
        Free points along each axis, at least 2. Elements are cubes of edge 1.
    young, poisson : float, optional
        Young's modulus (> 0) and Poisson's ratio (between -1 and 0.5) of the isotropic material.
    clamped : bool, optional
        If true, the block is one layer of elements longer along the first axis, and the points at its end are fixed
        and eliminated: the matrix is positive definite, and rows of the first layer of free points do not annihilate
        the modes. If false, the block is not fixed: the matrix is singular, and the modes span its null space.

    Returns
    -------
    matrix : scipy.sparse.csr_array, (3 n, 3 n) float64
        Row ``3 * point + c`` is the displacement of a point along axis ``c``. Exactly symmetric. All 27 * 3 entries of
        the stencil are stored, even if their value is zero.
    modes : (3 n, 6) float64 array
        Translations along the three axes, then rotations in the planes of axes (1, 2), (2, 0), (0, 1) about the
        block's middle.

    Raises
    ------
    ValueError
        If an extent is below 2 or a material constant is out of range.
    TypeError
        If an extent is not an integer, a constant not a number, or `clamped` not a bool.

    Notes
    -----
    Peak memory: 17 bytes per entry; the result takes 12 of them. ``(60, 60, 60)`` is the matrix Elasticity3D_60 of
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
    extents = checked_shape(shape)
    if len(extents) != 3 or min(extents) < 2:
        raise ValueError(f"elasticity_3d needs three extents of at least 2 points, got {extents}")
    young, poisson = number(young, "young", above=0), number(poisson, "poisson", above=-1, below=0.5)
    clamped = boolean(clamped, "clamped")
    offsets = stencil_offsets(extents, 27)
    around = _elements_around(extents, clamped)
    stencils = _stiffness_stencils(_element_stiffness(young, poisson), offsets)
    n = int(np.prod(extents))

    valid = valid_neighbors(extents, offsets)
    blocks_per_row = np.count_nonzero(valid, axis=1)
    nnz = 9 * int(blocks_per_row.sum())
    itype = np.int32 if max(nnz, 3 * n) < 2**31 else np.int64
    indptr = np.zeros(3 * n + 1, itype)
    np.cumsum(np.repeat(3 * blocks_per_row, 3), out=indptr[1:])

    # An array with the axes (point, row, neighbor, column) has the order of CSR with sorted rows.
    every = np.broadcast_to(valid[:, None, :, None], (n, 3, 27, 3))
    values = stencils[around][every]
    columns = 3 * neighbor_ids(extents, offsets, itype)[:, None, :, None] + np.arange(3, dtype=itype)
    indices = np.broadcast_to(columns, every.shape)[every]
    return sorted_csr(values, indices, indptr, 3 * n), _rigid_body_modes(extents)


def _element_stiffness(young: float, poisson: float) -> np.ndarray:
    """Return (8, 3, 8, 3): the force on corner a along axis i for a unit displacement of corner b along axis j."""
    gauss = 0.5 + np.array(list(itertools.product((-1, 1), repeat=3))) / np.sqrt(12)
    shapes = np.where(_CORNERS[None], gauss[:, None], 1 - gauss[:, None])  # (8 points, 8 corners, 3 factors)
    slopes = np.where(_CORNERS, 1.0, -1.0)
    gradients = np.empty((8, 8, 3))
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        gradients[:, :, axis] = slopes[:, axis] * shapes[:, :, others].prod(axis=2)
    products = np.einsum("pai,pbj->aibj", gradients, gradients) / 8  # two Gauss points per axis integrate them exactly
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    stiffness = lame * products + shear * products.transpose(0, 3, 2, 1)
    stiffness += shear * np.einsum("akbk,ij->aibj", products, np.eye(3))
    flat = stiffness.reshape(24, 24)
    symmetric: np.ndarray = ((flat + flat.T) / 2).reshape(8, 3, 8, 3)
    return symmetric


def _elements_around(shape: tuple[int, ...], clamped: bool) -> np.ndarray:
    """Return (n,) bit masks of the existing elements around each point: bit e is the element on side _CORNERS[e]."""
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
    """Return (256, 3, 27, 3): for every pattern of existing elements, the rows of the three unknowns of a point.

    The elements are added in the order of their positions in the block, which is the same for an entry and its
    transposed entry, so that the matrix is exactly symmetric.
    """
    stencils = np.zeros((256, 3, 27, 3))
    patterns = np.arange(256)
    for e, side in enumerate(_CORNERS):
        exists = (patterns >> e) & 1 == 1
        corner = 1 - side  # the point's corner in the element on this side of it
        for column, offset in enumerate(offsets):
            other = corner + offset
            if ((other == 0) | (other == 1)).all():
                a, b = corner @ (4, 2, 1), other @ (4, 2, 1)
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
