"""The operations on dense arrays that plans need, for NumPy, CuPy, JAX and PyTorch.

Idea: the library is that of the array that the user passes. JAX and PyTorch are never imported: an array of theirs can
only exist if they are loaded. A tracer of JAX is an array of JAX, so all operations work under `jit` and `vmap`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.runtime import array_module, device_of
from .._core.validation import host_array, on_gpu


@dataclass(frozen=True)
class ArrayLibrary:
    """One library: its name, and functions on its arrays.

    `indices(array, like)` converts an index array for use with `like`; `flat(parts)` joins raveled arrays;
    `add(values, targets, addends)` returns values with addends added at targets, which may repeat; `one_hot(colors,
    count, like)` returns the 0-1 matrix of colors with the dtype of `like`; `matrix(values, plan)` returns a sparse
    matrix.
    """

    name: str
    indices: Callable[[Any, Any], Any]
    flat: Callable[[list[Any]], Any]
    add: Callable[[Any, Any, Any], Any]
    one_hot: Callable[[Any, int, Any], Any]
    matrix: Callable[[Any, Any], Any]


def library_of(array: Any) -> ArrayLibrary:
    """Return the library of an array; lists and other objects belong to NumPy."""
    jax, torch = sys.modules.get("jax"), sys.modules.get("torch")
    if jax is not None and isinstance(array, getattr(jax, "Array", ())):
        return _JAX
    if torch is not None and isinstance(array, getattr(torch, "Tensor", ())):
        return _TORCH
    return _CUPY if on_gpu(array) else _NUMPY


def as_array(array: Any, name: str) -> Any:
    """Return arrays of CuPy, JAX and PyTorch unchanged, and anything else as a NumPy array."""
    return host_array(array, name) if library_of(array) is _NUMPY else array


class _Matrix(sp.csr_array):  # type: ignore[misc]
    """A sparse matrix that NumPy can convert into a dense array, because solvers of SciPy convert Jacobians this way.

    In operations, and as an element of an array of objects, it behaves like any other sparse matrix of SciPy.
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if dtype is not None and np.dtype(dtype).kind == "O":
            return np.fromiter([self], object, 1).reshape(())
        if copy is False:
            raise ValueError("a sparse matrix becomes a dense array only by a copy")
        return self.toarray().astype(dtype or self.dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [sp.csr_array(value) if isinstance(value, _Matrix) else value for value in inputs]
        if ufunc in _OPERATORS and method == "__call__" and options.keys() <= {"out"}:
            result = _OPERATORS[ufunc](*plain)
            for target in options.get("out", ()):
                target[...] = result.toarray() if hasattr(result, "toarray") else result
                return target
            return result
        return getattr(ufunc, method)(*plain, **options)


_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.matmul: operator.matmul,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}


def _scipy_matrix(values: Any, plan: Any) -> Any:
    return _Matrix((values, plan.indices, plan.indptr), shape=plan.shape)


def _cupy_matrix(values: Any, plan: Any) -> Any:
    from cupyx.scipy.sparse import csr_matrix

    xp = array_module("cuda")
    return csr_matrix((values, xp.asarray(plan.indices), xp.asarray(plan.indptr)), shape=plan.shape)


def _jax_matrix(values: Any, plan: Any) -> Any:
    import jax.numpy as jnp
    from jax.experimental.sparse import BCOO

    indptr, indices = plan.indptr, plan.indices
    if isinstance(indptr, np.ndarray):  # not by JAX, which would do it again in each compilation
        pairs = np.stack([np.repeat(np.arange(plan.shape[0], dtype=indices.dtype), np.diff(indptr)), indices], axis=1)
    else:
        rows = jnp.repeat(jnp.arange(plan.shape[0]), jnp.diff(indptr), total_repeat_length=indices.shape[0])
        pairs = jnp.stack([rows.astype(indices.dtype), indices], axis=1)
    return BCOO((values, jnp.asarray(pairs)), shape=plan.shape, indices_sorted=True, unique_indices=True)


def _torch_matrix(values: Any, plan: Any) -> Any:
    indptr, indices = _TORCH.indices(plan.indptr, values), _TORCH.indices(plan.indices, values)
    return _torch().sparse_csr_tensor(indptr, indices, values, size=plan.shape, check_invariants=False)


def _torch() -> Any:
    return sys.modules["torch"]


def _jax() -> Any:
    import jax.numpy

    return jax.numpy


def _like_numpy(
    name: str, module: Callable[[], Any], matrix: Callable[[Any, Any], Any], add: Callable[[Any, Any, Any], Any]
) -> ArrayLibrary:
    """Return a library with NumPy's functions."""
    return ArrayLibrary(
        name,
        indices=lambda array, like: module().asarray(array),
        flat=lambda parts: module().concatenate([part.ravel() for part in parts]),
        add=add,
        one_hot=lambda colors, count, like: (module().asarray(colors)[:, None] == module().arange(count)).astype(
            like.dtype
        ),
        matrix=matrix,
    )


def _sum_in_copy(values: Any, targets: Any, addends: Any) -> Any:
    values = values.copy()
    array_module(device_of(values)).add.at(values, targets, addends)
    return values


_NUMPY = _like_numpy("numpy", lambda: np, _scipy_matrix, _sum_in_copy)
_CUPY = _like_numpy("cupy", lambda: array_module("cuda"), _cupy_matrix, _sum_in_copy)
_JAX = _like_numpy("jax", _jax, _jax_matrix, lambda values, targets, addends: values.at[targets].add(addends))
_TORCH: ArrayLibrary = ArrayLibrary(
    "torch",
    indices=lambda array, like: _torch().from_numpy(np.array(array, np.int64)).to(like.device),
    flat=lambda parts: _torch().cat([part.reshape(-1) for part in parts]),
    add=lambda values, targets, addends: values.index_add(0, targets, addends),
    one_hot=lambda colors, count, like: (
        _TORCH.indices(colors, like)[:, None] == _torch().arange(count, device=like.device)
    ).to(like.dtype),
    matrix=_torch_matrix,
)
