"""Sparse matrices of other libraries as rows, or as a SciPy matrix, on the same memory where they have such arrays.

Entries that stand several times in coordinates are added up, as those of SciPy's are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..csr.arrays import from_dlpack
from ..csr.checks import check_square


def of_torch(tensor: Any, weights: bool) -> Any:
    """PyTorch: the layouts CSR (used as it is), CSC and COO."""
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
    """JAX's BCOO. What lies outside of the shape fills it up to a fixed size, and stands for nothing."""
    _check_unbatched(matrix)
    ends = from_dlpack(matrix.indices)
    if not isinstance(ends, np.ndarray):
        raise TypeError("a BCOO matrix on a GPU is not taken: pass jax.experimental.sparse.BCSR.from_bcoo(matrix)")
    inside = (ends < matrix.shape[0]).all(axis=1)
    values = _values(matrix.data) if weights else np.ones(len(ends), np.int8)
    return sp.coo_array((values[inside], tuple(ends[inside].T)), shape=matrix.shape)


def of_jax_rows(matrix: Any, weights: bool) -> Any:
    """JAX's BCSR. Entries after the last row fill it up to a fixed size."""
    _check_unbatched(matrix)
    indptr, indices = from_dlpack(matrix.indptr), from_dlpack(matrix.indices)
    entries = int(indptr[-1])
    return indptr, indices[:entries], _values(matrix.data)[:entries] if weights else None


def of_sparse(matrix: Any, weights: bool) -> Any:
    """The arrays of the package `sparse`."""
    check_square(matrix.shape)
    if matrix.fill_value != 0:
        raise ValueError(f"a sparse array must be filled with 0, got fill_value {matrix.fill_value}")
    return (matrix.to_coo() if type(matrix).__name__ == "DOK" else matrix).to_scipy_sparse()


def of_graphblas(matrix: Any, weights: bool) -> Any:
    """python-graphblas; an iso-valued matrix has that value on every edge."""
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
    """Weights as NumPy or CuPy has them."""
    try:
        return from_dlpack(array)
    except (BufferError, RuntimeError, TypeError):
        raise TypeError(
            f"NumPy has no type for weights of {array.dtype}: convert them to float32, or pass weights=False"
        ) from None
