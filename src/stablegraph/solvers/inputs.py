"""Vectors of solvers: checks of right-hand sides and of the near-nullspace, and the null space of a singular matrix.

Also what to do about a system that a method cannot solve: the calls and arguments that messages name. A message names
the way that loses nothing: the null space of a singular matrix if it is known, or else `solve`, which compares all
methods, or its factorization.

Work memory: the basis of the null space.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from .._core.runtime.arrays import all_finite, column_of, copied, largest_size, stacked_identities
from .._core.runtime.device import array_module, place_of
from .._core.validation import host_array, integer, is_sparse, listed, unmasked
from .linalg.block_csr import on_host
from .linalg.vectors import Vector, axpy, inner, multiply, norm, scaled

_SMALL = 1e-100  # numbers of this size, and their inverses, can be squared and summed
_IN_NULLSPACE = 1e-8  # maximum |A v| / |D v| for A v = 0; minimum independent fraction of a column

_LARGEST_NODE = 6  # unknowns: three translations and three rotations


def checked_vectors(
    b: Any, n: int, name: str, xp: Any = np, dtype: Any = np.float64, *, may_be_complex: bool = False
) -> Vector:
    """Return one vector (n,), or several as columns (n, k), as a new NumPy array or an array of another module.

    The type is float64, or complex128 for a complex matrix, and for complex vectors where they may be.
    """
    if scipy.sparse.issparse(b):
        raise TypeError(f"{name} must be a dense array, got a sparse one: hand in {name}.toarray()")
    given = unmasked(listed(b, name), name)
    given = xp.asarray(given.tolist() if getattr(given, "dtype", None) == np.dtype(object) else given)
    if given.dtype.kind == "c" and may_be_complex and xp is np:
        dtype = np.complex128
    if given.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        raise TypeError(f"{name} is complex, but A is real: take the real and the imaginary part one by one")
    if given.dtype.kind not in "fiubc":
        raise TypeError(f"{name} must hold numbers, got dtype {given.dtype}")
    if given.ndim not in (1, 2) or given.shape[0] != n:
        raise ValueError(f"{name} must have shape ({n},) or ({n}, k), got {given.shape}")
    values: Vector = copied(given) if given.dtype == dtype else xp.array(given, dtype, order="C")
    if not all_finite(values):
        finite = xp.isfinite(values)
        place = ", ".join(map(str, np.unravel_index(int(finite.argmin()), values.shape)))
        raise ValueError(f"{name}[{place}] is {values.ravel()[finite.argmin()]}, not a finite number")
    return values


def block_size_of(A: Any, B: Any, n: int, block_size: int | None) -> int:
    """Return the rows per node: `block_size`, the block size of A, or the number of translations in B."""
    if block_size is None:
        if is_sparse(A) and A.format == "bsr" and A.blocksize[0] == A.blocksize[1] > 1:
            block_size = int(A.blocksize[0])
        else:
            block_size = 1 if B is None else _translations(B if place_of(B) == "cuda" else host_array(B, "B"))
    block_size = integer(block_size, "block_size", minimum=1)
    if n % block_size:
        raise ValueError(f"block_size {block_size} does not divide the {n} rows of A")
    return block_size


def apparent_block_size(A: Any) -> int:
    """Return d from 2 to 6 if A looks like d unknowns per node, else 1. A has sorted rows, none of them empty.

    Rule: split all rows into maximal groups of consecutive rows with the same columns; d is the greatest common divisor
    of the sizes of the groups.
    """
    lengths, n = np.diff(A.indptr), A.shape[0]
    follows = np.zeros(n, bool)  # a row with the columns of the row before
    follows[1:] = lengths[1:] == lengths[:-1]
    if _divisor_of_groups(follows) > 1:  # seldom in matrices without nodes, so that entries are not compared
        before = np.arange(A.indices.size) - np.repeat(lengths, lengths)
        differs = np.logical_or.reduceat(A.indices != A.indices[before], A.indptr[:-1])
        follows[1:] &= ~differs[1:]
    size = _divisor_of_groups(follows)
    return size if size <= _LARGEST_NODE else 1


def _divisor_of_groups(follows: Any) -> int:
    """Return the greatest common divisor of the sizes of groups, whose members except for the first are marked."""
    return int(np.gcd.reduce(np.diff(np.flatnonzero(~follows), append=follows.size)))


def _translations(B: Any) -> int:
    """Return the largest number of leading columns of B that each move exactly one unknown of each node, in order."""
    xp = array_module(place_of(B))
    B = xp.asarray(B)
    if B.ndim == 0:
        return 1  # an error where B is converted
    n, columns = B.shape if B.ndim == 2 else (B.size, 1)
    first = host_array(B[:columns], "B") != 0
    for width in range(columns, 1, -1):
        alone = np.eye(width, dtype=bool)
        if n % width == 0 and (first[:width, :width] == alone[:n]).all() and _are_translations(B, width):
            return width
    return 1


def _are_translations(B: Any, width: int) -> bool:
    """Return whether each of the first `width` columns moves exactly one unknown of each node, in order."""
    unknown = array_module(place_of(B)).arange(len(B)) % width
    return all(bool(((B[:, c] != 0) == (unknown == c)).all()) for c in range(width))


def near_nullspace(B: Any, n: int, block_size: int, xp: Any = np, dtype: Any = np.float64) -> Vector:
    """Return the near-nullspace as columns: B, or a constant for each unknown of a node."""
    if B is None:
        constants: Vector = stacked_identities(xp.empty(0, dtype), n, block_size)
        return constants
    columns = checked_vectors(B, n, "B", xp, dtype)
    columns = columns.reshape(-1, 1) if columns.ndim == 1 else columns
    if n == 0:
        return columns
    sizes = np.array([largest_size(column_of(columns, j)) for j in range(columns.shape[1])])
    zero_columns = np.flatnonzero(sizes == 0)
    if zero_columns.size:
        raise ValueError(f"column {zero_columns[0]} of B is zero: leave it out")
    extreme = np.flatnonzero((sizes < _SMALL) | (sizes > 1 / _SMALL))
    if extreme.size:
        raise ValueError(
            f"column {extreme[0]} of B is too small or too large, at most {sizes[extreme[0]]:.3g}: scale it"
        )
    return columns


class Nullspace:
    """An orthonormal basis of the null space of A, from vectors that span it.

    `is_left` states whether it is also the null space of the (conjugate) transpose. Consistent right-hand sides are
    then orthogonal to it.
    """

    def __init__(self, A: Any, vectors: Vector, *, is_hermitian: bool = True) -> None:
        self.basis: list[Vector] = []
        scale = A.diagonal()
        exponent = -math.frexp(largest_size(scale))[1]
        image = np.empty_like(scale)
        for number, column in enumerate(vectors.T):
            v = column / max(float(abs(column).max()) if column.size else 0.0, np.finfo(np.float64).tiny)
            multiply(A, v, image)
            if not norm(scaled(image, exponent)) <= _IN_NULLSPACE * norm(scaled(scale * v, exponent)):
                raise ValueError(f"column {number} of nullspace is not in the null space of A: A times it is not zero")
            length = norm(v)
            for _ in range(2):  # the second time removes the rounding errors of the first
                self.project(v)
            if not norm(v) > _IN_NULLSPACE * length:
                raise ValueError(f"column {number} of nullspace depends on the columns before it: leave it out")
            self.basis.append(v / norm(v))
        self.is_left = is_hermitian or all(_is_left_null_vector(A, v) for v in self.basis)

    def project(self, x: Vector) -> float:
        """Subtract from x its projection on the null space, in place; return the norm of the projection."""
        parts = []
        for v in self.basis:
            parts.append(inner(v, x))
            axpy(-parts[-1], v, x)
        return math.hypot(*map(abs, parts))


def _is_left_null_vector(A: Any, v: Any) -> bool:
    """Return whether the product of v and A is zero up to rounding; A is unsymmetric."""
    matrix, vector = on_host(A), v if isinstance(v, np.ndarray) else v.get()
    scale = largest_size(matrix.data)
    return bool(np.abs(matrix.conj().T / scale @ vector).max() <= _IN_NULLSPACE * np.abs(vector).max())


def nullspace_columns(nullspace: Any, n: int, xp: Any = np, dtype: Any = np.float64) -> Vector:
    """Return the vectors that span a null space as columns, in a NumPy array or an array of another module."""
    columns = checked_vectors(nullspace, n, "nullspace", xp, dtype)
    return columns.reshape(-1, 1) if columns.ndim == 1 else columns


def call_of_solve(A: Any, projector: Nullspace | None, method: str = "") -> str:
    """Return the call of `solve` for this matrix, on the host."""
    get = "" if place_of(A.data) == "cpu" else ".get()"
    nullspace = "" if projector is None else f", nullspace=nullspace{get}"
    return f"stablegraph.solve(A{get}, b{get}{nullspace}{method})"


def missing_nullspace(A: Any, projector: Nullspace | None) -> str:
    """Return the advice for a singular matrix that maps constants to zero, unless its null space was passed, or ''."""
    try:
        Nullspace(A, np.ones_like(A.diagonal()).reshape(-1, 1))
    except ValueError:
        return ""
    count = int(scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(on_host(A)), directed=False)[0])
    if projector is not None and len(projector.basis) >= count:
        return ""
    if count == 1:
        return f"A maps constants to zero: pass nullspace=numpy.ones({A.shape[0]})"
    return (
        f"A maps a constant on each of its {count} connected components to zero: pass nullspace=labels[:, None] == "
        f"numpy.arange({count}) with labels = scipy.sparse.csgraph.connected_components(A)[1]"
    )


def krylov_call(A: Any, tol: float, has_symmetric_pattern: bool) -> str:
    """Return the call that converges for many unsymmetric matrices."""
    M = 'stablegraph.smoothed_aggregation(A, smoother="jacobi").aspreconditioner()'
    if place_of(A.data) == "cuda":
        return f"cupyx.scipy.sparse.linalg.bicgstab(A, b, M={M}), in CuPy 14 or later"
    if has_symmetric_pattern:
        return f"scipy.sparse.linalg.bicgstab(A, b, rtol={tol:.3g}, M={M})"
    M = "stablegraph.gauss_seidel(A, symmetric=False).aspreconditioner()"
    return f"scipy.sparse.linalg.gmres(A, b, rtol={tol:.3g}, restart=50, M={M})"
