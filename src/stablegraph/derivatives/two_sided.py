"""Colorings of the columns (or rows) of a matrix, and of both together, for Jacobians with dense rows and columns.

One side: structurally orthogonal columns share one product. Result of `color_side`: colors that differ if two columns
share a row; they depend only on the pattern and the order. (This is a distance-2 coloring of one side of the bipartite
graph of rows and columns.) Rule: first fit in the given order: a column takes the lowest color that no earlier column
with a common row has. Rows are nets, and the colors of a net's columns are stored with the net. In the code: `fit` in
coloring/nets.py, which also states cost and work memory.

Both sides:

Result: colors of some columns and of some rows such that each entry is the only one of its row in the product of its
column's color, or the only one of its column in the product of its row's color. They depend only on the pattern and the
order. Never more colors than a coloring of only the columns or only the rows.

Rule: a few rows R and columns C are set apart. The entries in C are recovered from the products of C's columns, which
have their own colors; the other entries in R from the products of R's rows; and the remaining entries, the core, from
products of their columns (or, in the second variant, the core and C exchange their parts with the rows). Each of the
three parts is colored by first fit (`color_side`). In the code: `_split`.

Idea: the densest row or column is removed repeatedly. After each step, the longest row in each part is a lower bound
of the number of colors, and the step with the smallest sum of bounds defines R and C, once for a core by columns and
once for a core by rows. These two colorings, that of the columns and that of the rows are compared.

Cost: two passes over the entries for the removal, and eight colorings of parts. Work memory: 32 bytes per entry and
64 per row and column.

Sources: A. Curtis, M. Powell, J. Reid, "On the Estimation of Sparse Jacobian Matrices", IMA J. Appl. Math. 13, 1974. T.
Coleman, A. Verma, "The Efficient Computation of Sparse Jacobian Matrices Using Automatic Differentiation",
SIAM J. Sci. Comput. 19(4), 1998, which removes rows and columns to divide the entries. A. Gebremedhin, F. Manne, A.
Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.csr.groups import DegreeLists, link, linked_by_degree, unlink
from .._core.runtime import Rows, kernel
from .._core.runtime.primitives import sort_by_key
from ..coloring.nets import fit
from ..coloring.rules import NO_COLOR


def color_side(indptr: Any, indices: Any, nets: int, order: str) -> np.ndarray:
    """Return int32 colors of the rows of a pattern, which differ if two rows share one of the columns, the nets."""
    count = indptr.size - 1
    colors = np.full(count, NO_COLOR, np.int32)
    visited = np.arange(count)
    if order == "largest_first" and count:
        lengths = np.diff(indptr)
        visited = sort_by_key(lengths.max() - lengths)
    sizes = partial(np.bincount, indices, minlength=nets)
    fit(Rows(indptr, indices), nets, sizes, visited.astype(indices.dtype), colors, reflexive=False)
    return colors


@kernel(by="single", types="int int64[,] int64[] int64[] int64[,]")
def _remove_densest(rows_count, graph: Rows, lists: DegreeLists, sizes, covered, order, bounds):
    """Remove the densest row or column repeatedly, and record after each step the bounds of both variants.

    `sizes[s, d]` is the number of remaining rows (s = 0) or columns (s = 1) with d entries, and `covered[v]` the number
    of removed rows (columns) with an entry in column (row) v.
    """
    nodes = order.size
    for v in range(nodes):
        sizes[1 if v >= rows_count else 0, lists.degree[v]] += 1
    top = sizes.shape[1] - 1
    longest_row, longest_column, rows_around, columns_around = top, top, 0, 0
    for step in range(nodes):
        while lists.first[top] < 0:
            top -= 1
        v = lists.first[top]
        unlink(lists, v)
        side = 1 if v >= rows_count else 0
        sizes[side, lists.degree[v]] -= 1
        lists.degree[v] = 0
        order[step] = v
        covered[v] = -1  # removed
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            u = graph.indices[e]
            if covered[u] >= 0:
                unlink(lists, u)
                sizes[1 - side, lists.degree[u]] -= 1
                link(lists, u, lists.degree[u] - 1)
                sizes[1 - side, lists.degree[u]] += 1
                covered[u] += 1
                if side:
                    columns_around = max(columns_around, covered[u])
                else:
                    rows_around = max(rows_around, covered[u])
        while longest_row > 0 and sizes[0, longest_row] == 0:
            longest_row -= 1
        while longest_column > 0 and sizes[1, longest_column] == 0:
            longest_column -= 1
        bounds[0, step] = longest_row + rows_around + columns_around
        bounds[1, step] = longest_column + rows_around + columns_around


def _removal(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns (numbered after the rows) in the order of removal, and the bounds after each step."""
    both = sp.csr_array(sp.block_array([[None, matrix], [matrix.T, None]], format="csr"))
    nodes = both.shape[0]
    lists = linked_by_degree(np.diff(both.indptr), np.arange(nodes - 1, -1, -1))
    longest = int(lists.degree.max(initial=0)) + 1
    order, bounds = np.empty(nodes, np.int64), np.empty((2, nodes), np.int64)
    covered, sizes = np.zeros(nodes, np.int64), np.zeros((2, longest), np.int64)
    _remove_densest(matrix.shape[0], Rows(both.indptr, both.indices), lists, sizes, covered, order, bounds)
    return order, bounds


def _colors_of(matrix: Any, order: str) -> np.ndarray:
    """Return colors of the rows of a matrix; -1 for rows without entries, and no gaps."""
    matrix = sp.csr_array(matrix)
    used = np.flatnonzero(np.diff(matrix.indptr))
    colors = np.full(matrix.shape[0], -1, np.int32)
    part = matrix[used]
    colors[used] = color_side(part.indptr, part.indices, part.shape[1], order)
    return colors


def color_count(colors: Any) -> int:
    """Return the number of colors; 0 without colors."""
    return 0 if colors is None else 1 + int(colors.max(initial=-1))


def _split(matrix: Any, rows: np.ndarray, columns: np.ndarray, order: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the colors of rows and of columns for a core by columns; `rows` and `columns` are masks of R and C."""
    row_colors, column_colors = np.full(rows.size, -1, np.int32), np.full(columns.size, -1, np.int32)
    column_colors[~columns] = _colors_of(matrix[~rows][:, ~columns].T, order)
    of_dense_columns = _colors_of(matrix[:, columns].T, order)
    of_dense_columns[of_dense_columns >= 0] += color_count(column_colors)
    column_colors[columns] = of_dense_columns
    row_colors[rows] = _colors_of(matrix[rows][:, ~columns], order)
    return row_colors, column_colors


def color_both(matrix: Any, order: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the colors of the rows and of the columns of a CSR pattern, -1 for those in no product."""
    count, columns = matrix.shape
    nobody = np.full(count, -1, np.int32), np.full(columns, -1, np.int32)
    found = [(nobody[0], _colors_of(matrix.T, order)), (_colors_of(matrix, order), nobody[1])]
    removed, bounds = _removal(matrix)
    for variant in range(2 if removed.size else 0):
        best = int(bounds[variant].argmin())
        is_removed = np.zeros(count + columns, bool)
        is_removed[removed[: best + 1]] = True
        rows_apart, columns_apart = is_removed[:count], is_removed[count:]
        if variant == 0:
            found.append(_split(matrix, rows_apart, columns_apart, order))
        else:
            found.append(_split(sp.csr_array(matrix.T), columns_apart, rows_apart, order)[::-1])
    return min(found, key=lambda pair: color_count(pair[0]) + color_count(pair[1]))


def both_places(matrix: Any, row_colors: np.ndarray, column_colors: np.ndarray) -> np.ndarray:
    """Return the position of each entry in the products of columns, flattened, followed by those of rows."""
    i, j = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices.astype(np.int64)
    count = color_count(column_colors)
    size = matrix.shape[0] * count
    places: np.ndarray = i * count + column_colors[j]
    by_column = column_colors[j] >= 0
    uses = np.bincount(places[by_column], minlength=size)
    by_column[by_column] = uses[places[by_column]] == 1
    by_row = ~by_column
    places[by_row] = size + row_colors[i[by_row]].astype(np.int64) * matrix.shape[1] + j[by_row]
    return places
