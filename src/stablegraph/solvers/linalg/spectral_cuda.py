"""The spectral radius of D^-1 A on a GPU; spectral.cu says how, spectral.py what."""

from __future__ import annotations

import math
from typing import Any

from ...parallel.cuda_source import CudaSource
from .device_matrix import DeviceMatrix
from .spectral import ASYMMETRY, NOTHING, STEPS, ritz_value
from .spmv_cuda import products_with
from .vectors_cuda import Sums

SOURCE = CudaSource(__file__, "spectral.cu", also=("sums.cuh",), variants=({"HEIGHT": 1}, {"HEIGHT": 6}))


def _program(A: DeviceMatrix) -> Any:
    return SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, HEIGHT=A.blocksize[0])


def inverse_diagonal(A: DeviceMatrix) -> tuple[Any, float]:
    """One over each diagonal entry, or 0, and Gershgorin's bound."""
    n = A.shape[0]
    inverse, bounds = A.xp.empty(n), A.xp.empty(n)
    _program(A)("bound_rows", n, n, A.indptr, A.indices, A.data, inverse, bounds)
    return inverse, float(bounds.max()) if n else 0.0


def spectral_radius(A: DeviceMatrix, inverse: Any, bound: float, *, steps: int = STEPS) -> float:
    """The largest absolute eigenvalue of D^-1 A, nearly."""
    n, xp = A.shape[0], A.xp
    if bound == 0.0:
        return 1.0
    least, most = float(inverse.min()), float(inverse.max())
    if least < 0.0 < most:
        return bound
    sign, steps = -1 if least < 0.0 else 1, min(steps, n)
    run, products, sums = _program(A), products_with(A), Sums(n, xp)
    v, old, u = xp.empty(n), xp.zeros(n), xp.empty(n)
    scalars, numbers = xp.zeros(3), xp.zeros((3, steps + 1))
    alphas, gaps, betas = numbers  # the first beta is a square

    def sum_up(name: str, *arguments: Any) -> None:
        run(name, sums.threads, *sums.arguments, inverse, *arguments)

    sum_up("start", v, scalars, betas)
    for j in range(steps):
        products.multiply(v, u)
        sum_up("apply", v, old, u, scalars, alphas[j:], gaps[j:])
        sum_up("next", v, old, u, scalars, alphas[j:], sign, betas[j + 1 :])
        v, old = old, v
    alphas, gaps, (squares, *betas) = numbers.tolist()
    if not 0.0 < squares < math.inf:
        return bound
    for j in range(steps):
        if not gaps[j] <= ASYMMETRY * bound:
            return bound
        if betas[j] <= NOTHING * bound:
            steps = j + 1
            break
    return ritz_value([sign * alpha for alpha in alphas[:steps]], betas[: steps - 1], bound)
