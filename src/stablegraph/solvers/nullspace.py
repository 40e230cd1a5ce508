"""The null space of a singular matrix: checked, made orthonormal, and projected out of vectors.

A system with a singular symmetric matrix has solutions if its right-hand side is orthogonal to the null space, and
then many; the one that is orthogonal to the null space is the shortest. Work memory: the basis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .inputs import Array, checked_vectors
from .linalg.spmv import multiply
from .linalg.vectors import Vector, axpy, inner, norm

_ROUNDING = 1e-8  # |A v| / |D v| of what counts as A v = 0, and the part of v that counts as independent of others


class Nullspace:
    """An orthonormal basis of the null space of A, from vectors that span it."""

    def __init__(self, A: Any, vectors: Array) -> None:
        self.basis: list[Vector] = []
        scale = A.diagonal()
        image = np.empty_like(scale)
        for number, column in enumerate(vectors.T):
            v = column / max(float(abs(column).max()) if column.size else 0.0, np.finfo(np.float64).tiny)
            multiply(A, v, image)
            if not norm(image) <= _ROUNDING * norm(scale * v):
                raise ValueError(f"column {number} of nullspace is not in the null space of A: A times it is not zero")
            length = norm(v)
            for _ in range(2):  # once more for the rounding errors of the first time
                self.project(v)
            if not norm(v) > _ROUNDING * length:
                raise ValueError(f"column {number} of nullspace depends on the columns before it: leave it out")
            self.basis.append(v / norm(v))

    def project(self, x: Vector) -> None:
        """Take out of x what lies in the null space, in place."""
        for v in self.basis:
            axpy(-inner(v, x), v, x)


def nullspace_columns(nullspace: Any, n: int, xp: Any = np, dtype: Any = np.float64) -> Array:
    """The vectors that span a null space, as columns of NumPy's, or of another module."""
    columns = checked_vectors(nullspace, n, "nullspace", xp, dtype)
    return columns.reshape(-1, 1) if columns.ndim == 1 else columns
