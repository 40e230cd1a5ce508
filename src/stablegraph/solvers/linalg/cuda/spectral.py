"""The spectral radius of D^-1 A on a GPU: the driver of spectral.cu; see spectral.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...._core.runtime import CudaSource
from .device_matrix import HEIGHTS, DeviceMatrix
from .vectors import Sums, multiply

SOURCE = CudaSource(
    __file__, "spectral.cu", also=("sums.cuh",), variants=tuple({"HEIGHT": height} for height in HEIGHTS)
)


def _spectral_program(A: DeviceMatrix) -> Any:
    return SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, HEIGHT=A.blocksize[0])


def inverse_diagonal(A: DeviceMatrix) -> tuple[Any, Any]:
    """Return the inverse diagonal (0 for 0), and three numbers on the device; the first is Gershgorin's bound."""
    n, xp = A.shape[0], A.xp
    inverse, extremes, sums = xp.empty(n), xp.empty(3), Sums(n, xp)
    _spectral_program(A)("bound_rows", sums.threads, *sums.arguments, A.indptr, A.indices, A.data, inverse, extremes)
    return inverse, extremes


def lanczos(A: DeviceMatrix, inverse: Any, extremes: Any, steps: int) -> Iterator[tuple[float, float, float]]:
    """Run Lanczos' method for D^-1 A, as on a CPU. The host reads numbers only once, after all steps."""
    n, xp = A.shape[0], A.xp
    run, sums = _spectral_program(A), Sums(n, xp)
    v, old, u = xp.empty(n), xp.zeros(n), xp.empty(n)
    scalars, numbers = xp.zeros(3), xp.zeros(3 * (steps + 1) + 3)
    alphas, gaps, betas = (numbers[i * (steps + 1) :] for i in range(3))  # the first beta is a square

    def sum_up(name: str, *arguments: Any) -> None:
        run(name, sums.threads, *sums.arguments, inverse, *arguments)

    sum_up("start", v, scalars, betas)
    for j in range(steps):
        multiply(A, v, u)
        sum_up("apply", v, old, u, scalars, alphas[j:], gaps[j:])
        sum_up("next", v, old, u, scalars, alphas[j:], extremes, betas[j + 1 :])
        v, old = old, v
    numbers[-3:] = extremes
    result = numbers.tolist()
    bound, least, most = result[-3:]
    alphas, gaps, (squares, *betas) = (result[i * (steps + 1) : (i + 1) * (steps + 1)] for i in range(3))
    sign = -1 if least < 0.0 else 1
    coefficients = zip([sign * alpha for alpha in alphas[:steps]], gaps[:steps], betas, strict=True)
    return iter([(bound, least, most), (0.0, 0.0, squares), *coefficients])
