"""Plans for sparse Jacobians and Hessians: which products to compute, and how entries are recovered from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import INT32_MAX
from .._core.csr.build import build_rows
from .._core.csr.facts import scan_facts
from .._core.option_names import HessianMode, JacobianMode, Order, SideOrder
from .._core.typing import Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import choice, host_array, is_sparse
from ..coloring.symmetric import acyclic_coloring, star_coloring
from ..conversion import as_pattern, undirected
from ..graph import Graph
from .plan import CompressionPlan
from .substitution import direct_places, substitution_places
from .two_sided import both_places, color_both, color_count, color_side


@suggests_options
def jacobian_coloring(
    pattern: Any, mode: JacobianMode = "column", *, order: SideOrder = "largest_first"
) -> CompressionPlan:
    """Color the columns or rows of a sparse Jacobian, or both, so that few products determine all entries.

    >>> import stablegraph as sg
    >>> sg.jacobian_coloring([[1, 1, 0], [0, 1, 1]]).column_colors
    array([1, 0, 1], dtype=int32)

    Parameters
    ----------
    pattern : sparse array or matrix, or dense array, of shape (rows, columns), tuple (rows, columns, shape), or graph
        The entries that may be nonzero: every stored entry, including explicit zeros; of a dense array all nonzero
        elements. A sparse matrix is one of SciPy, JAX (BCOO, BCSR), PyTorch, `sparse` or python-graphblas, a pattern of
        asdex or CasADi, or an object with attributes `rows`, `cols` and `shape`. A tuple has two integer arrays, the
        numbers of the row and of the column of each entry, from 0 on, and a tuple of two integers. A graph is a Graph,
        or one of another library that `as_graph` takes.
    mode : {"column", "row", "both"}
        - "column": columns with a common row get different colors. One product ``J @ s`` per color, in forward mode or
          by differences.
        - "row": rows with a common column get different colors. One product ``s @ J`` per color, in reverse mode.
        - "both": products of both kinds. If J has dense rows and dense columns, far fewer than in the other modes;
          never more.
    order : {"largest_first", "natural"}
        Columns (or rows) with the most entries first (in a tie, the one with the smaller number), or by number.

    Returns
    -------
    CompressionPlan
        The colors are `column_colors` and `row_colors`: int32, from 0 on, without gaps. Columns without entries get
        color 0. In the mode "both", columns and rows that are in no product have color -1.

    Raises
    ------
    ValueError
        If `mode` or `order` is unknown, or the pattern is not two-dimensional or has an index out of range.
    TypeError
        If the rows or columns of a tuple are not integers.

    See Also
    --------
    sparse_jacobian : Evaluate a Jacobian.
    hessian_coloring : For symmetric matrices.
    is_compression_plan : Check a plan with an independent method.

    Notes
    -----
    The number of colors of the columns is at least the number of entries in the longest row, so a dense row (such as a
    constraint on all unknowns) needs as many colors as there are columns. The mode "both" sets such rows apart.

    Deterministic: the same colors on every machine; one thread. Each entry is accessed twice, and a few more times with
    more than 64 colors. Columns need CSC form and rows CSR; other formats are converted first. Work memory for the
    colors: 8 bytes per row and 16 per column. With more than 64 colors: up to 44 bytes per row, 12 per entry and per
    column, and one bit per color for each of the longest rows. The mode "both" colors eight times, parts of the matrix.
    A plan takes 12 bytes per entry; its preparation up to 60 bytes per entry.

    References
    ----------
    A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, stablegraph as sg
    >>> tridiagonal = scipy.sparse.diags_array([np.ones(5), np.ones(6), np.ones(5)], offsets=[-1, 0, 1])
    >>> sg.jacobian_coloring(tridiagonal, order="natural").column_colors
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    >>> arrow = np.eye(99)
    >>> arrow[0] = arrow[:, 0] = 1
    >>> [sg.jacobian_coloring(arrow, mode).num_colors for mode in ("column", "row", "both")]
    [99, 99, 3]
    """
    choice(mode, "mode", get_args(JacobianMode))
    choice(order, "order", get_args(SideOrder))
    pattern = as_pattern(pattern)
    indptr, indices, shape = checked_pattern(pattern, "rows")
    rows, columns = np.repeat(np.arange(shape[0]), np.diff(indptr)), indices
    column_colors = row_colors = None
    if mode == "column":
        column_colors = color_side(*checked_pattern(pattern, "columns")[:2], shape[0], order)
        places = rows * color_count(column_colors) + column_colors[columns]
    elif mode == "row":
        row_colors = color_side(indptr, indices, shape[1], order)
        places = row_colors[rows].astype(np.int64) * shape[1] + columns
    else:
        matrix = sp.csr_array((np.ones(indices.size, np.int8), indices, indptr), shape=shape)
        row_colors, column_colors = color_both(matrix, order)
        places = both_places(matrix, row_colors, column_colors)
    return _plan(mode, shape, (column_colors, row_colors), (indptr, indices), places)


@suggests_options
def hessian_coloring(
    pattern: Any,
    mode: HessianMode = "star",
    *,
    order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None,
    seed: int = 0,
) -> CompressionPlan:
    """Color the columns of a sparse symmetric matrix so that few products determine all entries.

    >>> import stablegraph as sg
    >>> sg.hessian_coloring(sg.gallery.laplacian((30, 30)))
    <CompressionPlan: 900 x 900, 4380 entries, mode star, 5 colors>

    Parameters
    ----------
    pattern : Graph, sparse array or matrix, or dense array, of shape (n, n), or another pattern
        The entries that may be nonzero, as for `jacobian_coloring`. It must be symmetric. Diagonal entries are
        recovered if they are in the pattern; in that of a graph they are loops. The columns of a graph with names are
        in the order of its `nodes`, and messages contain the names.
    mode : {"star", "acyclic"}
        - "star": entries are recovered directly, by `star_coloring`.
        - "acyclic": fewer colors, by `acyclic_coloring`. Entries are recovered by substitution: each is a sum of
          products along a tree.
    order, seed
        As for `star_coloring`.

    Returns
    -------
    CompressionPlan
        The colors are `column_colors`.

    Raises
    ------
    ValueError
        If `mode` or `order` is unknown, or the pattern is not symmetric or has an index out of range.
    TypeError
        As for `jacobian_coloring`.

    See Also
    --------
    sparse_hessian : Evaluate a Hessian.

    Notes
    -----
    Deterministic: the same colors on every machine; one thread. For time and work memory of the colors see
    `star_coloring`. A plan takes 12 bytes per entry, and with the mode "acyclic" up to 60; its preparation up to 120
    bytes per entry.

    References
    ----------
    A. Gebremedhin, A. Pothen, A. Tarafdar, A. Walther, "Efficient Computation of Sparse Hessians Using Coloring and
    Automatic Differentiation", INFORMS J. Comput. 21(2), 2009.

    Examples
    --------
    >>> import stablegraph as sg
    >>> H = sg.gallery.laplacian((30, 30))
    >>> [sg.hessian_coloring(H, mode).num_colors for mode in ("star", "acyclic")]
    [5, 4]
    >>> plan = sg.hessian_coloring(H)
    >>> bool((plan.recover(H @ plan.seeds()) != H).nnz)
    False
    """
    color = _COLORINGS[choice(mode, "mode", _COLORINGS)]
    pattern = as_pattern(pattern)
    pattern = undirected(pattern) if isinstance(pattern, Graph) else pattern
    indptr, indices, shape = checked_pattern(pattern, "rows")
    if shape[0] != shape[1]:
        raise ValueError(f"the pattern of a Hessian must be square, got shape {shape}")
    graph = pattern.to("cpu") if isinstance(pattern, Graph) else (indptr, indices)  # with the names of the vertices
    colors = np.asarray(color(graph, order=order, seed=seed))
    count = color_count(colors)
    if mode == "star":
        return _plan(mode, shape, (colors, None), (indptr, indices), direct_places(indptr, indices, colors, count))
    places, entries, rounds = substitution_places(indptr, indices, colors, count)
    return _plan(mode, shape, (colors, None), (indptr, indices), places, entries, rounds)


_COLORINGS: dict[HessianMode, Callable[..., Any]] = {"star": star_coloring, "acyclic": acyclic_coloring}


def _narrow(array: Any) -> Any:
    """Return integers as int32 if they fit; JAX has no 64-bit integers by default."""
    return array.astype(np.int32 if int(array.max(initial=0)) <= INT32_MAX else np.int64)


def _plan(
    mode: str, shape: Any, colors: Any, pattern: Any, places: Any, entries: Any = None, rounds: Any = ()
) -> CompressionPlan:
    """Return a plan that shares no array with the user's pattern."""
    return CompressionPlan(
        mode=mode,
        shape=(int(shape[0]), int(shape[1])),
        column_colors=colors[0],
        row_colors=colors[1],
        num_column_colors=color_count(colors[0]),
        num_row_colors=color_count(colors[1]),
        indptr=_narrow(pattern[0]),
        indices=_narrow(pattern[1]),
        places=_narrow(places),
        entries=None if entries is None else _narrow(entries),
        rounds=tuple((_narrow(sources), _narrow(targets)) for sources, targets in rounds),
    )


_CHECKED_BY_SCIPY = ("csr", "csc", "bsr")  # the formats whose indices `check_format` validates


def checked_pattern(matrix: Any, by: str) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return the rows (or columns) of a matrix in CSR form, ascending and without repeated entries, and its shape.

    Every stored entry of a sparse matrix counts, also if it is zero; of a dense array all nonzero elements count.

    Cost: nothing for a CSR matrix whose rows are wanted, or a CSC matrix whose columns are wanted; otherwise a parallel
    sort (csr/build.py). Work memory: that of the sort.

    Indices are checked. The conversion is not left to SciPy, which would also transpose the values, and would delay
    Ctrl-C by ten seconds for 30 million entries.
    """
    matrix = matrix.to("cpu").to_scipy() if isinstance(matrix, Graph) else matrix
    stored: Any = matrix if is_sparse(matrix) else host_array(matrix, "the matrix")
    if stored.ndim != 2:
        raise ValueError(f"the matrix must have two dimensions, got shape {stored.shape}")
    if not is_sparse(stored):
        stored = sp.coo_array(stored)
    elif stored.format in _CHECKED_BY_SCIPY:
        stored = type(stored)((stored.data, stored.indices, stored.indptr), shape=stored.shape)
        stored.check_format()  # on a copy of the object, because SciPy may change its index types
    if stored.format == ("csr" if by == "rows" else "csc") and stored.has_canonical_format:
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
    major, minor = ends if by == "rows" else ends[::-1]
    rows = build_rows(major, minor, max(stored.shape))
    return rows.indptr[: stored.shape[0 if by == "rows" else 1] + 1], rows.indices, stored.shape
