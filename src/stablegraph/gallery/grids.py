"""Regular grids and the Laplacian matrices of their stencils, built directly in CSR form with sorted rows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.dispatch import suggests_options
from .._core.validation import integer
from ..conversion import as_graph
from ..graph import Graph

_POINTS_AT_ONCE = 1 << 16


@suggests_options
def grid(shape: int | tuple[int, ...], stencil: int | None = None) -> Graph:
    """Make a regular grid: each point is a vertex, joined to its neighbors in the stencil.

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
def laplacian(shape: int | tuple[int, ...], stencil: int | None = None) -> sp.csr_array:
    """Make the Laplacian matrix of a regular grid with zero boundary values: symmetric positive definite.

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

    Examples
    --------
    >>> from stablegraph import gallery
    >>> gallery.laplacian(3).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])
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


def sorted_csr(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n: int) -> sp.csr_array:
    matrix = sp.csr_array((values, indices, indptr), shape=(n, n))
    matrix.has_canonical_format = True  # known by construction; SciPy would need a sweep to find out
    return matrix
