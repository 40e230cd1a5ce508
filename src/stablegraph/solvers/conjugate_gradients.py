"""The preconditioned conjugate gradient method (PCG), with checks for stagnation and indefinite matrices.

Result: a solution of A x = b, as exact as requested or as rounding allows, and why the iteration ended; the same bits
for any number of threads.

Rule: with the residual r, z = M r, the direction p and q = A p,

    p = z + (r . z / last r . z) p,    x = x + (r . z / p . q) p,    r = r - (r . z / p . q) q

In the code: the two lines of `conjugate_gradients` that call `xpby` and `axpy_residual`.

Idea: rounding errors accumulate in the residual that the iteration updates, so it drifts away from b - A x. When this
residual reaches the target, b - A x is therefore computed. If b - A x is larger than the target, the iteration restarts
from it. If a restart has not helped, the iteration stagnates and reports this. A direction without positive curvature
(p . A p), or a correction that does not lead downhill (r . M r), shows that the matrix or the preconditioner is not
positive definite, which is an error.

In inner products of complex vectors, the first vector is conjugated. With a Hermitian matrix and preconditioner, all
inner products of the method are real. With `flexible` the preconditioner may be slightly unsymmetric: then p also
depends on the previous residual (Polak and Ribière).

Cost: each iteration is one product with A, one preconditioning, and four passes through vectors, with `flexible` one
more. Work memory: four vectors, five if flexible.

Source: M. Hestenes, E. Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.runtime.device import place_of
from .convergence import IterationMonitor
from .linalg.spmv import multiply, residual
from .linalg.vectors import Vector, axpy_residual, dot, norm, xpby

ROUNDING = float(np.finfo(np.float64).eps)


def conjugate_gradients(
    A: Any,
    b: Vector,
    x: Vector,
    precondition: Callable[[Vector, Vector], None],
    monitor: IterationMonitor,
    *,
    flexible: bool = False,
) -> None:
    """Solve A x = b from x, in place.

    ``precondition(r, z)`` sets z to the preconditioned r. `monitor` says when to stop, and afterwards how it went.
    """
    r, z, p, q = np.empty_like(b), np.empty_like(b), np.zeros_like(b), np.empty_like(b)
    before = np.zeros_like(b) if flexible else None
    residual(A, x, b, r)
    exact = norm(r)
    monitor.record(exact)
    downhill = math.inf  # the previous r . z; infinity makes beta 0, so that the first direction is z
    while monitor.should_continue():
        precondition(r, z)
        last, downhill = downhill, dot(r, z)
        if not downhill > 0:
            raise not_definite("r . M r", downhill, monitor, A)
        turned = downhill if before is None else downhill - dot(before, z)
        xpby(z, turned / last, p)
        if before is not None:
            before[:] = r
        multiply(A, p, q)
        curvature = dot(p, q)
        if not curvature > 0:
            raise not_definite("p . A p", curvature, monitor, A)
        size = math.sqrt(axpy_residual(downhill / curvature, p, q, x, r))
        if size <= max(monitor.target, ROUNDING * monitor.first):
            residual(A, x, b, r)
            size, before_that = norm(r), exact
            exact = size
            downhill = math.inf
            if monitor.target < size and not size < before_that / 2:
                monitor.why = "the residual stagnates: rounding errors do not let it fall further"
        monitor.record(size)


def gmres_for(A: Any) -> str:
    """Where the method is for matrices that conjugate gradients cannot solve with, on A's device."""
    return f"{'cupyx.' if place_of(A.data) == 'cuda' else ''}scipy.sparse.linalg.gmres"


def unsymmetric_solver(A: Any, tol: float) -> str:
    """The call that converges for most unsymmetric matrices."""
    M = 'stablegraph.smoothed_aggregation(A, smoother="jacobi").aspreconditioner()'
    if place_of(A.data) == "cuda":
        return f"cupyx.scipy.sparse.linalg.bicgstab(A, b, M={M}), in CuPy 14 or later"
    return f"scipy.sparse.linalg.bicgstab(A, b, rtol={tol:.3g}, M={M})"


def diagonal_solver(A: Any, tol: float) -> str:
    """The call of conjugate gradients with the diagonal as preconditioner."""
    if place_of(A.data) == "cuda":
        return "cupyx.scipy.sparse.linalg.cg(A, b, M=cupyx.scipy.sparse.diags(1 / A.diagonal()))"
    return f"scipy.sparse.linalg.cg(A, b, rtol={tol:.3g}, M=scipy.sparse.diags_array(1 / A.diagonal()))"


def not_definite(name: str, value: float, monitor: IterationMonitor, A: Any) -> np.linalg.LinAlgError:
    """The error, which names a quantity that is not positive."""
    return np.linalg.LinAlgError(
        f"{name} = {value:.3g} in iteration {monitor.iterations + 1}: the matrix is not positive definite, or the "
        "smoother not damped enough; pass nullspace= for a singular matrix, and solve an indefinite one by "
        f"{gmres_for(A)} with .aspreconditioner()"
    )
