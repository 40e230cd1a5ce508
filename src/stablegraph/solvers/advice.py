"""What to do about a system that a method cannot solve: the calls and arguments that messages name.

A message names the way that loses nothing: the null space of a singular matrix if it is known, or else `solve`, which
compares all methods, or its factorization.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from .._core.runtime.device import place_of
from .inputs import Nullspace


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
    pattern = sp.csr_array(A if place_of(A.data) == "cpu" else A.get())
    count = int(connected_components(pattern, directed=False)[0])
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
