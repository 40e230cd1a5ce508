"""Compressed Jacobians: structurally orthogonal columns (or rows) share one evaluation.

Result: colors that differ if two columns share a row. They depend only on the pattern and the order. (This is a
distance-2 coloring of one side of the bipartite graph of rows and columns.)

Rule: first fit in the given order: a column takes the lowest color that no earlier column with a common row has. In the
code: `fit` in nets.py.

Idea: rows are nets, and the colors of a net's columns are stored with the net; see nets.py.

Cost and work memory: as in nets.py.

Sources: A. Curtis, M. Powell, J. Reid, "On the Estimation of Sparse Jacobian Matrices", IMA J. Appl. Math. 13, 1974.
A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import read_only
from .._core.csr.build import build_rows
from .._core.csr.facts import scan_facts
from .._core.dispatch import suggests_options
from .._core.option_names import Side, SideOrder
from .._core.runtime import Rows
from .._core.runtime.primitives import sort_by_key
from .._core.validation import choice, host_array, integer, is_sparse
from .nets import fit
from .rules import NO_COLOR
from .schedule import checked_colors

_RELATIVE_STEP = math.sqrt(np.finfo(np.float64).eps)  # of forward differences, as in SciPy
_CHECKED_BY_SCIPY = ("csr", "csc", "bsr")  # the formats whose indices `check_format` validates


@suggests_options
def bipartite_coloring(matrix: Any, side: Side = "columns", *, order: SideOrder = "largest_first") -> np.ndarray:
    """Color the columns (or rows) of a sparse matrix so that columns with a common row differ.

    All columns of a color are determined by a single product with the matrix. A Jacobian with K colors therefore needs
    K differences of the function, or K products in forward mode; if its rows are colored, K products in reverse mode.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array, or dense array, of shape (rows, columns)
        Only the pattern is used: every stored entry, including explicit zeros; of a dense array all nonzero entries.
    side : {"columns", "rows"}
        Whether to color the columns or the rows.
    order : {"largest_first", "natural"}
        Columns with the most entries first (in a tie, the left one), or from left to right.

    Returns
    -------
    int32 array (columns,) or (rows,)
        Colors 0 .. K - 1, each of them in use. Columns without entries get color 0.

    Raises
    ------
    ValueError
        If `side` or `order` is unknown, or the matrix is not two-dimensional or has an index out of range.

    Notes
    -----
    K is at least the number of entries in the longest row. A dense row (such as a constraint on all unknowns) therefore
    needs as many colors as there are columns. In this case color the other side, or remove such rows and differentiate
    them separately.

    Deterministic: the same colors on every machine; one thread. Each entry is accessed twice, and a few more times with
    more than 64 colors. Columns need CSC form and rows need CSR; other formats are converted first. Work memory: 8
    bytes per row and 16 per column. With more than 64 colors: up to 44 bytes per row, 12 per entry and per column, and
    one bit per color for each of the longest rows.

    See Also
    --------
    seed_matrix, decompress_jacobian

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> from stablegraph.coloring.jacobian import bipartite_coloring
    >>> tridiagonal = scipy.sparse.diags_array([np.ones(5), np.ones(6), np.ones(5)], offsets=[-1, 0, 1])
    >>> bipartite_coloring(tridiagonal, order="natural")
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    """
    choice(order, "order", get_args(SideOrder))
    indptr, indices, shape = _pattern(matrix, choice(side, "side", get_args(Side)))
    columns, nets = shape if side == "rows" else shape[::-1]
    colors = np.full(columns, NO_COLOR, np.int32)
    visited = np.arange(columns)
    if order == "largest_first" and columns:
        lengths = np.diff(indptr)
        visited = sort_by_key(lengths.max() - lengths)
    sizes = partial(np.bincount, indices, minlength=nets)
    fit(Rows(indptr, indices), nets, sizes, visited.astype(indices.dtype), colors, reflexive=False)
    return colors


@suggests_options
def seed_matrix(colors: Any) -> np.ndarray:
    """Build the matrix S that adds up the columns of each color: compressed Jacobian = J @ S.

    Parameters
    ----------
    colors : integer array (n,)
        From `bipartite_coloring`.

    Returns
    -------
    float64 array (n, K)
        ``S[j, c]`` is 1 if column j has color c, else 0. Column c is the direction of one evaluation. If the rows are
        colored, the compressed Jacobian is ``S.T @ J``.

    Raises
    ------
    ValueError
        If a color is negative.

    Notes
    -----
    The result takes 8 n K bytes. If this is too much, create one direction at a time: ``(colors == c).astype(float)``.

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


class JacobianDecompression:
    """The positions of a Jacobian's entries in its compressed form: prepared once, for many evaluations.

    Parameters
    ----------
    pattern : sparse matrix or dense array, of shape (rows, columns)
        As for `bipartite_coloring`. It may have fewer entries than the matrix that was colored.
    colors : integer array (columns,) or (rows,)
    side : {"columns", "rows"}
        Whether the colors belong to columns or to rows.

    Raises
    ------
    ValueError
        If there are not as many colors as columns (rows), a color is negative, or two columns (rows) of one color have
        an entry in the same row (column), so that their entries cannot be separated.

    Notes
    -----
    A call costs one gather of the entries. All results share one pattern, in read-only arrays. The preparation needs as
    much work memory as a compressed form, and 16 bytes per entry.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> from stablegraph.coloring.jacobian import JacobianDecompression, bipartite_coloring, seed_matrix
    >>> J = scipy.sparse.csr_array(np.array([[1.0, 2, 0], [0, 3, 4], [0, 0, 5]]))
    >>> colors = bipartite_coloring(J)
    >>> restore = JacobianDecompression(J, colors)
    >>> bool((restore(J @ seed_matrix(colors)) != J).nnz)
    False
    """

    @suggests_options
    def __init__(self, pattern: Any, colors: Any, side: Side = "columns") -> None:
        choice(side, "side", get_args(Side))
        indptr, indices, self.shape = _pattern(pattern, "rows")
        colors = checked_colors(colors).astype(np.int64, copy=False)
        vertices = self.shape[1 if side == "columns" else 0]
        if colors.shape != (vertices,):
            raise ValueError(
                f"pattern has shape {self.shape} and {vertices} {side}, but colors has shape {colors.shape}: pass the "
                f"pattern whose {side} were colored, and a color for each"
            )
        number = 1 + int(colors.max(initial=-1))
        i, j = np.repeat(np.arange(self.shape[0]), np.diff(indptr)), indices.astype(np.int64)
        if side == "columns":
            self.compressed_shape = self.shape[0], number
            self._places = i * number + colors[j]
        else:
            self.compressed_shape = number, self.shape[1]
            self._places = colors[i] * self.shape[1] + j
        clash = _first_clash(self._places, math.prod(self.compressed_shape))
        if clash is not None:
            ends, other, where = (j, "row", i) if side == "columns" else (i, "column", j)
            first, second = clash
            raise ValueError(
                f"{side} {ends[first]} and {ends[second]} have the same color and both an entry in {other} "
                f"{where[first]}: color the {side} of this pattern with bipartite_coloring"
            )
        self._indptr, self._indices = read_only(indptr.copy()), read_only(indices.copy())

    def __call__(self, compressed: Any) -> Any:
        """Restore the Jacobian from its compressed form.

        Parameters
        ----------
        compressed : array (rows, K), or (K, columns) if rows are colored
            Of any dtype: ``J @ seed_matrix(colors)``, or ``seed_matrix(colors).T @ J``.

        Returns
        -------
        csr_array
            With the entries of the pattern, and the dtype of `compressed`.
        """
        compressed = host_array(compressed, "compressed")
        if compressed.shape != self.compressed_shape:
            raise ValueError(f"compressed has shape {compressed.shape}, expected {self.compressed_shape}")
        values = compressed.ravel()[self._places]
        return sp.csr_array((values, self._indices, self._indptr), shape=self.shape)


@suggests_options
def decompress_jacobian(compressed: Any, pattern: Any, colors: Any, side: Side = "columns") -> Any:
    """Restore a sparse Jacobian from its compressed form; for several evaluations, use `JacobianDecompression`.

    Parameters
    ----------
    compressed : array (rows, K), or (K, columns) if rows are colored
        ``J @ seed_matrix(colors)``, or ``seed_matrix(colors).T @ J``.
    pattern, colors, side
        As for `JacobianDecompression`.

    Returns
    -------
    csr_array (rows, columns)
        Every entry of J that is in the pattern.

    Raises
    ------
    ValueError
        If shapes do not match, or the colors do not separate all entries of the pattern.
    TypeError
        If `compressed` is a sparse matrix; only the pattern may be sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from stablegraph.coloring.jacobian import bipartite_coloring, decompress_jacobian, seed_matrix
    >>> J = np.array([[1.0, 2, 0], [0, 3, 4], [0, 0, 5]])
    >>> colors = bipartite_coloring(J)
    >>> decompress_jacobian(J @ seed_matrix(colors), J, colors).toarray()
    array([[1., 2., 0.],
           [0., 3., 4.],
           [0., 0., 5.]])
    """
    if sp.issparse(compressed):
        raise TypeError("compressed is a sparse matrix: the order is decompress_jacobian(compressed, pattern, colors)")
    return JacobianDecompression(pattern, colors, side)(compressed)


@suggests_options
def colored_jacobian(fun: Callable[..., Any], pattern: Any, *, argument: int = 0) -> Callable[..., Any]:
    """Return a function that computes the sparse Jacobian of `fun` by forward differences, one color at a time.

    Parameters
    ----------
    fun : callable
        Takes a float64 array (columns,), and possibly other arguments; returns an array (rows,).
    pattern : sparse matrix or dense array, of shape (rows, columns)
        The entries of the Jacobian that may be nonzero, as for `bipartite_coloring`.
    argument : int
        The position of the array among the arguments of `fun`: 0 for ``jac=`` of `scipy.optimize.least_squares` and
        `root`, 1 for that of `scipy.integrate.solve_ivp`.

    Returns
    -------
    callable
        Takes the arguments of `fun` and returns a float64 csr_array (rows, columns); complex if `fun` is complex.

    Raises
    ------
    ValueError
        As for `bipartite_coloring`; when called, if the array or the result of `fun` does not match the pattern's
        shape.

    Notes
    -----
    K + 1 evaluations for K colors, one after another. The steps are those of SciPy: the square root of the machine
    epsilon, times the absolute value of the unknown if that is above 1, away from zero. About half of the digits are
    correct. If the pattern lacks an entry, its derivative is silently added to other entries.

    See Also
    --------
    bipartite_coloring, seed_matrix, JacobianDecompression : The individual steps, for products and other differences.

    Examples
    --------
    >>> import numpy as np, scipy.optimize, stablegraph as sg
    >>> def fun(x):  # x[i] and its two neighbors
    ...     return x**2 - np.roll(x, 1) - 0.5 * np.roll(x, -1)
    >>> around = np.eye(99) + np.roll(np.eye(99), 1, axis=0) + np.roll(np.eye(99), -1, axis=0)
    >>> jacobian = sg.colored_jacobian(fun, around)
    >>> jacobian(np.ones(99)).toarray()[0, [0, 1, 98]].round(6)
    array([ 2. , -0.5, -1. ])
    >>> bool(scipy.optimize.least_squares(fun, np.full(99, 2.0), jacobian).success)
    True
    """
    argument = integer(argument, "argument", minimum=0)
    colors = bipartite_coloring(pattern)
    restore = JacobianDecompression(pattern, colors)
    rows, columns = restore.shape

    def jacobian(*arguments: Any, **options: Any) -> Any:
        if len(arguments) <= argument:
            raise TypeError(f"the Jacobian is to argument {argument}, but there are only {len(arguments)}")
        x = host_array(arguments[argument], "x").astype(np.float64, copy=False)
        if x.shape != (columns,):
            raise ValueError(f"x has shape {x.shape}, but the pattern has {columns} columns: pass shape ({columns},)")

        def values_at(place: np.ndarray) -> np.ndarray:
            values = host_array(fun(*arguments[:argument], place, *arguments[argument + 1 :], **options), "fun(x)")
            if values.shape != (rows,):
                raise ValueError(f"fun(x) has shape {values.shape}, but the pattern has {rows} rows: give ({rows},)")
            return values

        moved = x + np.copysign(_RELATIVE_STEP * np.maximum(1, np.abs(x)), x)
        before = values_at(x.copy())
        differences = np.empty(restore.compressed_shape, np.result_type(before, np.float64))
        for color in range(differences.shape[1]):
            differences[:, color] = values_at(np.where(colors == color, moved, x)) - before
        result = restore(differences)
        result.data /= (moved - x)[result.indices]
        return result

    return jacobian


def _pattern(matrix: Any, side: str) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return the rows (or columns) of a matrix in CSR form, ascending and without repeated entries, and its shape.

    Indices are checked. The conversion is not left to SciPy, which would also transpose the values, and would delay
    Ctrl-C by ten seconds for 30 million entries.
    """
    stored: Any = matrix if is_sparse(matrix) else host_array(matrix, "the matrix")
    if stored.ndim != 2:
        raise ValueError(f"the matrix must have two dimensions, got shape {stored.shape}")
    if not is_sparse(stored):
        stored = sp.coo_array(stored)
    elif stored.format in _CHECKED_BY_SCIPY:
        stored = type(stored)((stored.data, stored.indices, stored.indptr), shape=stored.shape)
        stored.check_format()  # on a copy of the object, because SciPy may change its index types
    if stored.format == ("csr" if side == "rows" else "csc") and stored.has_canonical_format:
        return stored.indptr, stored.indices, stored.shape
    if stored.format in ("csr", "csc") and stored.shape[0] == stored.shape[1]:
        facts = scan_facts(stored.indptr, stored.indices, "cpu")
        if facts.descents == facts.repeats == 0 and facts.forward == facts.backward:  # symmetric: equals its transpose
            return stored.indptr, stored.indices, stored.shape
    entries = stored.tocoo(copy=False)
    ends = [np.ascontiguousarray(ids) for ids in (entries.row, entries.col)]
    if stored.format not in _CHECKED_BY_SCIPY:
        for ids, size, name in zip(ends, stored.shape, ("rows", "columns"), strict=True):
            if ids.size and not (ids.min() >= 0 and ids.max() < size):
                raise ValueError(f"indices of {name} must be from 0 to {size - 1}, got {ids.min()} to {ids.max()}")
    major, minor = ends if side == "rows" else ends[::-1]
    rows = build_rows(major, minor, max(stored.shape))
    return rows.indptr[: stored.shape[0 if side == "rows" else 1] + 1], rows.indices, stored.shape


def _first_clash(places: np.ndarray, size: int) -> tuple[int, int] | None:
    """Return the first entry that shares its place with a later entry, and the later entry; `size` places in total."""
    entries = np.arange(places.size)
    owner = np.empty(size, np.int64)
    owner[places] = entries  # the last write wins
    losers = np.flatnonzero(owner[places] != entries)
    return (int(losers[0]), int(owner[places[losers[0]]])) if losers.size else None
