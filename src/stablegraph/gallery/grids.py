"""Regular grids, the Laplacian matrices of their stencils, and linear elasticity of a block of trilinear hexahedra.

All are built directly in CSR form with sorted rows.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from .._core.runtime import Int64s, Offsets, Vertices, kernel
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, integer, number
from ..graph import Graph
from .rows import RowRule, WriteRows


@suggests_options
def grid(shape: int | tuple[int, ...], stencil: int | None = None, *, device: str | Sequence[int] = "cpu") -> Graph:
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
    device : str or sequence of int, optional
        Where the graph is made, as in `Graph.to`: "cpu", "cuda", or several GPUs, each of which makes its rows, so that
        the graph may be larger than host memory and the memory of one GPU.

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted. The point at index ``i`` of an array of this shape is vertex
        ``np.ravel_multi_index(i, shape)``.

    Raises
    ------
    ValueError
        If there is no axis, an extent is negative, the stencil is neither of the two, or the device does not exist.
    TypeError
        If an extent or the stencil is not an integer.
    MemoryError
        If the GPUs have too little memory.

    Notes
    -----
    Linear in points times stencil. Work memory: the length of each row; on each of several GPUs of all rows.

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
    return stencil_rows(shape, [offset for offset in offsets if any(offset)]).graph(device)


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
    indptr, indices = stencil_rows(shape, offsets).arrays("cpu")
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
        either = " or ".join(map(str, sorted({star, box})))
        raise ValueError(f"stencil of a grid of shape {shape} must be {either} points, got {stencil}")
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


def neighbor_ids(shape: tuple[int, ...], offsets: list[tuple[int, ...]], dtype: Any) -> np.ndarray:
    """Return the (n, len(offsets)) numbers of the points at each step; meaningless outside the grid."""
    ids: np.ndarray = np.arange(math.prod(shape), dtype=dtype)[:, None] + np.array(_jumps(shape, offsets), dtype)
    return ids


def _jumps(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> list[int]:
    """Return the differences between the numbers of the points at each step and of their center."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return [sum(map(operator.mul, offset, strides)) for offset in offsets]


class _Stencil(NamedTuple):
    """The steps to the points of a stencil."""

    extents: Int64s
    blocked: Int64s  # bit 2 a of a step is set if it leaves the grid at the start of axis a, bit 2 a + 1 at the end
    jumps: Int64s  # the differences of the numbers of points


@kernel
def _write_points(i, first: int, stencil: _Stencil, pointers: Offsets, indices: Vertices):
    """Write a row of the stencil, or its length; see `WriteRows`."""
    v = first + i
    position, walls = v, 0
    for k in range(stencil.extents.size):
        axis = stencil.extents.size - 1 - k
        extent = stencil.extents[axis]
        walls |= (int(position % extent == 0) + 2 * int(position % extent == extent - 1)) << (2 * axis)
        position //= extent
    length = 0
    for step in range(stencil.jumps.size):
        if not walls & stencil.blocked[step]:
            if indices.size:
                indices[pointers[v] + length] = v + stencil.jumps[step]
            length += 1
    if not indices.size:
        pointers[v] = length


def stencil_rows(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> RowRule:
    """Return the rule for the rows of a stencil."""
    entries = sum(math.prod(max(0, size - abs(step)) for size, step in zip(shape, o, strict=True)) for o in offsets)
    blocked = [sum((step < 0) + 2 * (step > 0) << 2 * axis for axis, step in enumerate(offset)) for offset in offsets]

    def on(xp: Any) -> WriteRows:
        members = shape, blocked, _jumps(shape, offsets)
        stencil = _Stencil(*(xp.asarray(np.array(member, np.int64)) for member in members))

        def write(first: int, end: int, pointers: Any, indices: Any) -> None:
            _write_points(end - first, first, stencil, pointers, indices)

        return write

    return RowRule(math.prod(shape), entries, on)


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
