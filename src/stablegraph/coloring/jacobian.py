"""Sparse Jacobians from few evaluations: columns (or rows) without a common row (column) share one.

Result: `bipartite_coloring` is first fit in the given order: a column takes the lowest color that no earlier column has
with which it shares a row. (That is a coloring at distance 2 of one side of the bipartite graph of rows and columns.)

Idea: each row remembers the colors of its columns as a set of bits. A column unites the sets of its rows, takes the
lowest color that is missing, and adds it to them. So an entry is looked at twice, where going to the other columns of
each row would cost the sum of the squares of the rows' lengths.

State: ``used[i]`` is row i's set of the 64 colors under way, the lowest one at the highest bit. A column that finds all
64 taken is left for the next 64, with empty sets: it has none of the first ones, so the others need not know of it.

Cost: two looks at each entry for each 64 colors that its column has to try, by one thread. Work memory: 8 bytes a row
and 8 to 16 a column.

Sources: A. Curtis, M. Powell, J. Reid, "On the Estimation of Sparse Jacobian Matrices", IMA J. Appl. Math. 13, 1974.
A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._arguments import host_array
from ..parallel import at, kernel, leading_zeros, prefetch
from ..parallel.primitives import sort_by_key
from .schedule import checked_colors

_SIDES = ("columns", "rows")
_ORDERS = ("largest_first", "natural")
_COLORS = 64
_FIRST = np.uint64(1 << 63)
_AHEAD_BY = 16  # columns: their rows are asked for so long before they are looked at
_STEP = 1 << 25  # entries, on average, that are looked at between two chances to be interrupted


@kernel(by="single")
def _fit(begin, first, beyond, order, indptr, indices, used, colors):
    """Give columns the lowest free one of the 64 colors from `begin` on, if there is one."""
    last = order.size - 1
    for i in range(first, beyond):
        prefetch(indices, int(indptr[at(order[at(min(i + _AHEAD_BY, last))])]))
        j = int(order[at(i)])
        taken = np.uint64(0)
        for e in range(indptr[at(j)], indptr[at(j + 1)]):
            taken |= used[at(indices[at(e)])]
        lowest = leading_zeros(~taken)
        if lowest < _COLORS:
            colors[at(j)] = begin + lowest
            for e in range(indptr[at(j)], indptr[at(j + 1)]):
                used[at(indices[at(e)])] |= _FIRST >> np.uint64(lowest)


def bipartite_coloring(matrix: Any, side: str = "columns", *, order: str = "largest_first") -> np.ndarray:
    """Color the columns of a sparse matrix so that columns with a common row have different colors; or the rows.

    All columns of a color can be found from one product with the matrix: a Jacobian with K colors from K differences of
    the function, or K products in forward mode; with the rows colored, from K products in reverse mode.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array, or dense array, of shape (rows, columns)
        Its pattern is what counts: every stored entry, also a zero; of a dense array all that is not zero.
    side : {"columns", "rows"}
        What is colored.
    order : {"largest_first", "natural"}
        Columns with most entries first (of equals the one on the left), or from left to right.

    Returns
    -------
    int32 array (columns,) or (rows,)
        Colors 0 .. K - 1, each of them in use. Columns without entries get color 0.

    Raises
    ------
    ValueError
        If `side` or `order` is not one of those, or the matrix is not two-dimensional or has an index out of range.

    Notes
    -----
    K is at least the number of entries in the fullest row. A dense row (a constraint on all unknowns, say) thus needs
    as many colors as there are columns: color the other side, or take such rows out and differentiate them alone.

    The same colors on every machine: it runs on one thread. It takes two looks at each entry per 64 colors, in CSC form
    for columns and CSR for rows; other formats are converted first.

    See Also
    --------
    seed_matrix, decompress

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> from stablegraph.coloring.jacobian import bipartite_coloring
    >>> tridiagonal = scipy.sparse.diags_array([np.ones(5), np.ones(6), np.ones(5)], offsets=[-1, 0, 1])
    >>> bipartite_coloring(tridiagonal, order="natural")
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    """
    if order not in _ORDERS:
        raise ValueError(f"order must be 'largest_first' or 'natural', got {order!r}")
    pattern = _pattern(matrix, side)
    indptr, indices = _read_only(pattern.indptr), _read_only(pattern.indices)
    vertices, others = pattern.shape if side == "rows" else pattern.shape[::-1]
    colors = np.full(vertices, -1, np.int32)
    left = np.arange(vertices)
    if order == "largest_first" and vertices:
        lengths = np.diff(indptr)
        left = sort_by_key(lengths.max() - lengths)
    step = max(1, _STEP * vertices // max(1, pattern.nnz))
    for begin in range(0, max(vertices, 1), _COLORS):
        used = np.zeros(others, np.uint64)
        for first in range(0, left.size, step):
            _fit(begin, first, min(left.size, first + step), left, indptr, indices, used, colors)
        left = left[colors[left] < 0]
        if left.size == 0:
            break
    return colors


def seed_matrix(colors: Any) -> np.ndarray:
    """The matrix S with one column a color, that says which columns of a Jacobian are added up: compressed = J @ S.

    Parameters
    ----------
    colors : integer array (n,)
        From `bipartite_coloring`.

    Returns
    -------
    float64 array (n, K)
        ``S[j, c]`` is 1 where column j has color c, else 0. Column c of it is the direction of one evaluation. For
        colored rows, compressed = ``S.T @ J``.

    Raises
    ------
    ValueError
        If a color is negative.

    Notes
    -----
    8 n K bytes. Where that is too much, make one direction at a time: ``(colors == c).astype(float)``.

    Examples
    --------
    >>> from stablegraph.coloring.jacobian import seed_matrix
    >>> seed_matrix([0, 1, 0])
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    colors = checked_colors(colors).astype(np.int64, copy=False)
    seeds = np.zeros((colors.size, 1 + colors.max(initial=-1)))
    seeds[np.arange(colors.size), colors] = 1
    return seeds


class Decompression:
    """Where the entries of a Jacobian stand in its compressed form: prepared once, for many evaluations.

    Parameters
    ----------
    pattern : sparse matrix or dense array, of shape (rows, columns)
        As for `bipartite_coloring`. It may have fewer entries than the matrix that was colored.
    colors : integer array (columns,) or (rows,)
    side : {"columns", "rows"}
        What the colors belong to.

    Raises
    ------
    ValueError
        If there are not as many colors as columns (rows), one is negative, or two columns (rows) of one color have an
        entry in the same row (column): these could not be told apart.

    Notes
    -----
    Calling it costs one gather of the entries. All results share one pattern, in arrays that cannot be written to.
    Preparing it takes as much work memory as a compressed form, and 16 bytes an entry.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> from stablegraph.coloring.jacobian import Decompression, bipartite_coloring, seed_matrix
    >>> J = scipy.sparse.csr_array(np.array([[1.0, 2, 0], [0, 3, 4], [0, 0, 5]]))
    >>> colors = bipartite_coloring(J)
    >>> restore = Decompression(J, colors)
    >>> bool((restore(J @ seed_matrix(colors)) != J).nnz)
    False
    """

    def __init__(self, pattern: Any, colors: Any, side: str = "columns") -> None:
        rows = _pattern(pattern, side).tocsr(copy=True)
        colors = checked_colors(colors).astype(np.int64, copy=False)
        vertices = rows.shape[1 if side == "columns" else 0]
        if colors.shape != (vertices,):
            raise ValueError(
                f"pattern has shape {rows.shape} and {vertices} {side}, but colors has shape {colors.shape}: pass the "
                f"pattern whose {side} were colored, and a color for each"
            )
        number = 1 + int(colors.max(initial=-1))
        i, j = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices.astype(np.int64)
        if side == "columns":
            self.compressed_shape = rows.shape[0], number
            self._places = i * number + colors[j]
        else:
            self.compressed_shape = number, rows.shape[1]
            self._places = colors[i] * rows.shape[1] + j
        clash = _first_clash(self._places, math.prod(self.compressed_shape))
        if clash is not None:
            ends, other, where = (j, "row", i) if side == "columns" else (i, "column", j)
            first, second = clash
            raise ValueError(
                f"{side} {ends[first]} and {ends[second]} have the same color and both an entry in {other} "
                f"{where[first]}: color the {side} of this pattern with bipartite_coloring"
            )
        self.shape = rows.shape
        self._indptr, self._indices = _read_only(rows.indptr), _read_only(rows.indices)

    def __call__(self, compressed: Any) -> Any:
        """The Jacobian.

        Parameters
        ----------
        compressed : array (rows, K), or (K, columns) if rows are colored
            Of any dtype: ``J @ seed_matrix(colors)``, or ``seed_matrix(colors).T @ J``.

        Returns
        -------
        csr_array
            With the pattern's entries, and the dtype of `compressed`.
        """
        compressed = host_array(compressed, "compressed")
        if compressed.shape != self.compressed_shape:
            raise ValueError(f"compressed has shape {compressed.shape}, expected {self.compressed_shape}")
        values = compressed.ravel()[self._places]
        return sp.csr_array((values, self._indices, self._indptr), shape=self.shape)


def decompress(compressed: Any, pattern: Any, colors: Any, side: str = "columns") -> Any:
    """The sparse Jacobian from its compressed form. For several evaluations, make a `Decompression` once.

    Parameters
    ----------
    compressed : array (rows, K), or (K, columns) if rows are colored
        ``J @ seed_matrix(colors)``, or ``seed_matrix(colors).T @ J``.
    pattern, colors, side
        As for `Decompression`.

    Returns
    -------
    csr_array (rows, columns)
        Every entry of J that the pattern has.

    Raises
    ------
    ValueError
        If shapes do not fit, or colors do not tell all entries of the pattern apart.
    TypeError
        If `compressed` is a sparse matrix, as the pattern may be.

    Examples
    --------
    >>> import numpy as np
    >>> from stablegraph.coloring.jacobian import bipartite_coloring, decompress, seed_matrix
    >>> J = np.array([[1.0, 2, 0], [0, 3, 4], [0, 0, 5]])
    >>> colors = bipartite_coloring(J)
    >>> decompress(J @ seed_matrix(colors), J, colors).toarray()
    array([[1., 2., 0.],
           [0., 3., 4.],
           [0., 0., 5.]])
    """
    if sp.issparse(compressed):
        raise TypeError("compressed is a sparse matrix: the order is decompress(compressed, pattern, colors)")
    return Decompression(pattern, colors, side)(compressed)


def _pattern(matrix: Any, side: str) -> Any:
    """The matrix with the colored side's entries together, sorted and without repetitions; indices are checked."""
    if side not in _SIDES:
        raise ValueError(f"side must be 'columns' or 'rows', got {side!r}")
    given: Any = matrix if sp.issparse(matrix) else host_array(matrix, "the matrix")
    if given.ndim != 2:
        raise ValueError(f"the matrix must have two dimensions, got shape {given.shape}")
    if not sp.issparse(given):
        given = sp.coo_array(given)
    elif given.format in ("csr", "csc", "bsr"):
        given = type(given)((given.data, given.indices, given.indptr), shape=given.shape)
        given.check_format()  # on an object of our own: SciPy may give it other index types
    result = given.tocsc() if side == "columns" else given.tocsr()
    if not result.has_canonical_format:
        result = result.copy()
        result.sum_duplicates()
    return result


def _first_clash(places: np.ndarray, size: int) -> tuple[int, int] | None:
    """The first entry whose place, one of so many, belongs to a later one too, and that one."""
    entries = np.arange(places.size)
    owner = np.empty(size, np.int64)
    owner[places] = entries  # the last one that comes
    losers = np.flatnonzero(owner[places] != entries)
    return (int(losers[0]), int(owner[places[losers[0]]])) if losers.size else None


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
