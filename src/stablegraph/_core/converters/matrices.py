"""Conversion of other libraries' sparse matrices to CSR arrays or SciPy matrices, on the same memory if possible.

Repeated entries of coordinate formats are added up, like those of SciPy's coordinate matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..csr.arrays import from_dlpack
from ..csr.checks import check_square


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
