"""Conversion of other libraries' sparse matrices to CSR arrays or SciPy matrices, on the same memory if possible.

Repeated entries of coordinate formats are added up, like those of SciPy's coordinate matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..csr.arrays import from_dlpack
from ..csr.checks import check_square, nonzero_entries
from ..validation import exact_array, is_sparse
from ..vertex_names import shown_entry

_FOREST_MARK = "_stablegraph_forest"


def of_torch(tensor: Any, weights: bool) -> Any:
    """Convert a PyTorch tensor of the layout CSR (shared), CSC or COO."""
    layout = str(tensor.layout).removeprefix("torch.")
    if layout == "strided":
        raise TypeError(
            f"a dense tensor of shape {tuple(tensor.shape)} is no graph: an edge index goes to "
            "from_edges(*edge_index), a matrix becomes sparse by .to_sparse_csr()"
        )
    if layout not in ("sparse_csr", "sparse_csc", "sparse_coo"):
        raise TypeError(f"a tensor must have the layout sparse_csr, sparse_csc or sparse_coo, got {layout}")
    check_square(tensor.shape)
    rows = tensor.detach() if layout == "sparse_csr" else tensor.detach().to_sparse_csr()
    values = _values(rows.values()) if weights else None
    return from_dlpack(rows.crow_indices()), from_dlpack(rows.col_indices()), values


def of_jax_coordinates(matrix: Any, weights: bool) -> Any:
    """Convert a JAX BCOO matrix. Entries outside the shape are padding and are ignored."""
    _check_unbatched(matrix)
    ends = from_dlpack(matrix.indices)
    if not isinstance(ends, np.ndarray):
        raise TypeError("a BCOO matrix on a GPU is not taken: pass jax.experimental.sparse.BCSR.from_bcoo(matrix)")
    inside = (ends < matrix.shape[0]).all(axis=1)
    values = _values(matrix.data) if weights else np.ones(len(ends), np.int8)
    return sp.coo_array((values[inside], tuple(ends[inside].T)), shape=matrix.shape)


def of_jax_rows(matrix: Any, weights: bool) -> Any:
    """Convert a JAX BCSR matrix. Entries after the last row are padding and are ignored."""
    _check_unbatched(matrix)
    indptr, indices = from_dlpack(matrix.indptr), from_dlpack(matrix.indices)
    entries = int(indptr[-1])
    return indptr, indices[:entries], _values(matrix.data)[:entries] if weights else None


def of_sparse(matrix: Any, weights: bool) -> Any:
    """Convert an array of the package `sparse`."""
    check_square(matrix.shape)
    if matrix.fill_value != 0:
        raise ValueError(f"a sparse array must be filled with 0, got fill_value {matrix.fill_value}")
    return (matrix.to_coo() if type(matrix).__name__ == "DOK" else matrix).to_scipy_sparse()


def of_graphblas(matrix: Any, weights: bool) -> Any:
    """Convert a python-graphblas matrix; an iso-valued matrix has its value on every edge."""
    check_square(matrix.shape)
    indptr, indices, values = matrix.to_csr()
    return indptr, indices, values if weights else None


def _check_unbatched(matrix: Any) -> None:
    check_square(matrix.shape)
    if matrix.n_batch or matrix.n_dense:
        raise ValueError(
            f"a sparse matrix of JAX must have n_batch=0 and n_dense=0, got {matrix.n_batch} and {matrix.n_dense}"
        )


def _values(array: Any) -> Any:
    """Return weights as a NumPy or CuPy array."""
    try:
        return from_dlpack(array)
    except (BufferError, RuntimeError, TypeError):
        raise TypeError(
            f"NumPy has no type for weights of {array.dtype}: convert them to float32, or pass weights=False"
        ) from None


def summed_csr(matrix: Any, weights: bool) -> Any:
    """Return a sparse matrix as CSR; raise ValueError if a sum of repeated entries overflows, which SciPy ignores."""
    rows = matrix.tocsr()
    kind = rows.dtype.kind
    if not weights or rows.nnz == matrix.nnz or kind not in "iufc" or not isinstance(rows.data, np.ndarray):
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        if kind in "iu":  # an overflow changes a sum by a multiple of 2**bits, far more than float64 rounds
            wrong = np.abs(matrix.astype(np.float64).tocsr().data - rows.data) >= 2.0 ** (8 * rows.dtype.itemsize - 1)
        else:
            wrong = ~np.isfinite(rows.data)
            if wrong.any():  # a sum with an infinite entry may be infinite
                entries = matrix.tocoo(copy=True)
                entries.data = ~np.isfinite(entries.data)
                wrong &= ~entries.tocsr().data
    if wrong.any():
        k = int(wrong.argmax())
        row = int(np.searchsorted(rows.indptr, k, side="right")) - 1
        wide = "complex128" if kind == "c" else "int64" if kind in "iu" and rows.dtype.itemsize < 8 else "float64"
        widens = np.dtype(wide).itemsize > rows.dtype.itemsize or kind in "iu"
        cure = f"convert it to {wide} before" if widens else "scale its entries down"
        entry = shown_entry(row, int(rows.indices[k]), None)
        raise ValueError(f"the sum of the matrix's repeated entries {entry} does not fit {rows.dtype}; {cure}")
    return rows


def mark_forest(matrix: Any) -> Any:
    """Mark a matrix with each edge of a forest once, so that `as_graph` adds the opposite entries.

    The mark is an attribute of the object: pickling keeps it, and results of operations on the matrix do not have it.
    """
    setattr(matrix, _FOREST_MARK, True)
    return matrix


def is_marked_forest(obj: Any) -> bool:
    """Return whether `mark_forest` marked this object."""
    return getattr(obj, _FOREST_MARK, False) is True


def values_at(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return the entries of a sparse array at the given positions; 0 where no entry is stored."""
    values = matrix[rows, columns]
    return values.toarray().ravel() if is_sparse(values) else np.asarray(values).ravel()


def smaller_values_at(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return the smaller one of entries (i, j) and (j, i) at the given positions, of which at least one is stored."""
    pattern = sp.csr_array((np.ones(matrix.nnz, bool), matrix.indices, matrix.indptr), shape=matrix.shape)
    values, stored = values_at(matrix, rows, columns), values_at(pattern, rows, columns)
    opposite, opposite_stored = values_at(matrix, columns, rows), values_at(pattern, columns, rows)
    smaller = np.where(opposite < values, opposite, values)
    return np.where(stored & opposite_stored, smaller, np.where(stored, values, opposite))


def to_scipy_matrix(csgraph: Any) -> Any:
    """Convert an array of the package `sparse` to SciPy."""
    if hasattr(csgraph, "to_scipy_sparse"):
        return csgraph.to_scipy_sparse(accept_fv=[0, np.inf, np.nan])
    return csgraph


def of_dense(csgraph: Any) -> tuple[Any, Any, Any]:
    """Convert a dense matrix to CSR arrays, with the entries that it has in SciPy.

    Elements that are 0, NaN or infinite are no entries; of a masked array, only those that are masked or NaN. SciPy
    converts weights to float64, which rounds large integers; this function keeps their type.
    """
    mask = np.ma.getmask(csgraph)
    array = exact_array(csgraph if mask is np.ma.nomask else csgraph.data, "csgraph")
    if array.dtype.kind == "O" or array.dtype == np.float16:
        array = array.astype(np.float64)
    if mask is np.ma.nomask:
        is_entry = (array != 0) & np.isfinite(array)
    else:
        is_entry = ~mask & ~np.isnan(array)
    indptr, u, v = nonzero_entries(is_entry)
    return indptr, v, array[u, v]


def with_type_of(matrix: Any, csgraph: Any) -> Any:
    """Convert a sparse array to the type of the input: a SciPy matrix or an array of the package `sparse`."""
    if hasattr(csgraph, "from_scipy_sparse"):
        return type(csgraph).from_scipy_sparse(matrix, fill_value=csgraph.fill_value)
    return sp.csr_matrix(matrix) if sp.isspmatrix(csgraph) else matrix
