"""Regular grids and the Laplacians of their stencils, straight into CSR form with sorted rows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._arguments import integer
from ..conversion import as_graph
from ..graph import Graph
from ..unknown_options import suggests_options

_POINTS_AT_ONCE = 1 << 16


@suggests_options
def grid(shape: int | tuple[int, ...], stencil: int | None = None) -> Graph:
    """A regular grid: each point is a vertex, joined to its neighbors in the stencil.

    Parameters
    ----------
    shape : int or tuple of ints
        Points along each axis; one, two or three axes are usual, any number works.
    stencil : int, optional
        Points in the stencil, the center counted: ``2 d + 1`` for the neighbors along the `d` axes (the default;
        5 points in 2-D, 7 in 3-D) or ``3 ** d`` for the diagonal ones as well (9 in 2-D, 27 in 3-D).

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted. The point at index ``i`` of an array of this shape is vertex
        ``np.ravel_multi_index(i, shape)``.

    Raises
    ------
    ValueError
        If there is no axis, an extent is negative, or the stencil is none of those two.
    TypeError
        If an extent or the stencil is no integer.

    Notes
    -----
    Linear in points times stencil, with some megabytes of work memory beside the graph.

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
        value zero), -1 for every neighbor. Rows sorted, int32 indices where they fit.

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
    """The points along each axis."""
    extents = tuple(shape) if np.iterable(shape) else (shape,)
    if not extents:
        raise ValueError("shape must be the points along one or more axes, got none")
    return tuple(integer(extent, "each extent of shape", least=0) for extent in extents)


def stencil_offsets(shape: tuple[int, ...], stencil: int | None) -> list[tuple[int, ...]]:
    """The steps from a point to its stencil, in the order of the neighbors' numbers."""
    axes = len(shape)
    star, box = 2 * axes + 1, 3**axes
    if stencil is not None and integer(stencil, "stencil") not in (star, box):
        raise ValueError(f"stencil of a grid with {axes} axes must be {star} or {box} points, got {stencil}")
    steps = itertools.product((-1, 0, 1), repeat=axes)
    return [step for step in steps if stencil == box or np.count_nonzero(step) <= 1]


def valid_neighbors(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> np.ndarray:
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


def neighbor_ids(
    shape: tuple[int, ...], offsets: list[tuple[int, ...]], dtype: Any, first: int = 0, end: int | None = None
) -> np.ndarray:
    """(points, len(offsets)) numbers of the points at each step; meaningless where there is none.

    Of all points, or those from `first` to before `end`.
    """
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    jumps = np.array([np.dot(offset, strides) for offset in offsets], dtype)
    ids: np.ndarray = np.arange(first, int(np.prod(shape)) if end is None else end, dtype=dtype)[:, None] + jumps
    return ids


def _stencil_rows(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Some planes along the first axis at once: little is held beside the rows."""
    plane, n = int(np.prod(shape[1:])), int(np.prod(shape))
    entries = sum(math.prod(max(0, size - abs(step)) for size, step in zip(shape, o, strict=True)) for o in offsets)
    indptr: np.ndarray = np.zeros(n + 1, np.int32 if entries < 2**31 else np.int64)
    indices: np.ndarray = np.empty(entries, np.int32 if n < 2**31 else np.int64)
    planes, place = max(1, _POINTS_AT_ONCE // max(plane, 1)), 0
    for first in range(0, shape[0] if n else 0, planes):
        last = min(first + planes, shape[0])
        low, high = max(0, first - 1), min(last + 1, shape[0])  # with planes beside them, they lie on no boundary
        valid = valid_neighbors((high - low, *shape[1:]), offsets)[(first - low) * plane : (last - low) * plane]
        start, end = first * plane, last * plane
        np.cumsum(np.count_nonzero(valid, axis=1), out=indptr[start + 1 : end + 1])
        indptr[start + 1 : end + 1] += indptr[start]
        found = neighbor_ids(shape, offsets, indices.dtype, start, end)[valid]
        indices[place : place + found.size] = found
        place += found.size
    return indptr, indices


def sorted_csr(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n: int) -> sp.csr_array:
    matrix = sp.csr_array((values, indices, indptr), shape=(n, n))
    matrix.has_canonical_format = True  # known by construction; asking SciPy would cost a sweep
    return matrix
