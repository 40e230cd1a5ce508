"""Check of a sparse derivative: its product with a random vector, and the derivative of the function in this direction.

Result: nothing, or a ValueError that names the rows (of a plan by rows only, the columns) that differ.

Rule: with d from ``numpy.random.default_rng(0)``, J the recovered matrix, D the derivative in the direction d, and K
the number of entries in row i,

    row i differs  <=>  |(J d)_i - D_i| > (tolerance + noise) * size_i + noise * f_i,    noise = 4 * K * precision
    size = |J| |d| + |D| + C

* By JAX and PyTorch D is exact; tolerance = sqrt(eps), precision = eps, of x or of D; C = f = 0.
* By differences D is a one-sided difference of second order, C the curvature of the function in the direction, f its
  absolute value; tolerance = 1e-5, precision = sqrt(eps), as of the recovered entries.

Entries of a symmetric matrix are recovered from other rows. Then f_i also contains the largest size, and noise is
multiplied by one plus the number of rounds of substitution.

Idea: a missing entry changes the product, unless two random numbers are equal. In a plan by columns it is added to an
entry of its own row; so the rows that differ are those with missing entries. All steps of differences have the signs of
the steps for J, so that a kink at x has no effect. A row with NaN does not differ.

Cost: one product, or three evaluations. Work memory: that of a product and 30 bytes per entry, in host memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.runtime import Array, array_module, device_of
from .._core.validation import host_array
from .array_libraries import as_array
from .plan import CompressionPlan
from .products import RELATIVE_STEP, Function, checked_rows, steps_of

_SHOWN = 10  # rows in a message
_STEP = np.finfo(np.float64).eps ** (1 / 3)  # for a difference of second order


class Along(NamedTuple):
    """The derivative of a function in a random direction; by rows, of the product of random numbers and its result."""

    direction: Array
    derivative: Array
    curvature: Array | float  # absolute, or 0
    image: Array | float  # the absolute value of the function, or 0
    tolerance: float
    precision: float


def _random(size: int) -> np.ndarray:
    """Return random numbers between 1/2 and 1."""
    return np.random.default_rng(0).uniform(0.5, 1.0, size)


def _exactly(fun: Function, plan: CompressionPlan, x: Any, transforms: Any, convert: Any, limits: Any) -> Along:
    """Compute the derivative in the direction of the plan's products, by `jvp` and `vjp` of a library."""
    if plan.column_colors is None:
        image, cotangent = transforms.vjp(fun, x)
        direction = convert(_random(plan.shape[0]), image)
        derivative = cotangent(direction)[0]
    else:
        direction = convert(_random(plan.shape[1]), x)
        derivative = transforms.jvp(fun, (x,), (direction,))[1]
    eps = max(float(limits(array.dtype).eps) for array in (x, derivative))
    return Along(direction, derivative, 0.0, 0.0, eps**0.5, eps)


def along_by_jax(fun: Function, plan: CompressionPlan, x: Any) -> Along:
    """Compute the derivative exactly."""
    import jax
    import jax.numpy as jnp

    return _exactly(fun, plan, jnp.asarray(x), jax, lambda numbers, like: jnp.asarray(numbers, like.dtype), jnp.finfo)


def along_by_torch(fun: Function, plan: CompressionPlan, x: Any) -> Along:
    """Compute the derivative exactly."""
    import torch

    x = torch.from_numpy(np.array(x)) if isinstance(x, np.ndarray) else x
    return _exactly(fun, plan, x, torch.func, lambda numbers, like: torch.from_numpy(numbers).to(like), torch.finfo)


def along_by_differences(fun: Function, plan: CompressionPlan, x: Any) -> Along:
    """Compute the derivative and the curvature by differences of three values."""
    xp, x = array_module(device_of(x)), x.astype(np.float64, copy=False)
    direction = steps_of(plan, x)[0] / RELATIVE_STEP * xp.asarray(_random(plan.shape[1]))
    start, near, far = (
        host_array(checked_rows(as_array(fun(x + factor * direction), "fun(x)"), plan), "fun(x)")
        for factor in (0.0, _STEP, 2 * _STEP)
    )
    derivative = (4 * near - far - 3 * start) / (2 * _STEP)
    curvature = np.abs(far - 2 * near + start) / _STEP**2
    return Along(direction, derivative, curvature, np.abs(start), 1e-5, RELATIVE_STEP)


def check_product(
    fun: Function, plan: CompressionPlan, x: Any, values: Any, along: Callable[[Function, CompressionPlan, Any], Along]
) -> None:
    """Raise ValueError if the recovered values have another product with a random vector than the derivative."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(values, jax.core.Tracer):
        raise TypeError(
            "check=True compares numbers, but jax.jit, jax.vmap or jax.grad traces this call: call the derivative once "
            "outside of them, and use one without check= inside"
        )
    reference = along(fun, plan, x)
    values, direction, derivative = (
        host_array(array, "values") for array in (values, reference.direction, reference.derivative)
    )
    wide = np.result_type(values.dtype if values.dtype.kind == "c" else np.float64)
    entries, indptr, by_rows = values.astype(wide), np.asarray(plan.indptr), plan.column_colors is None
    matrix: Any = sp.csr_array((entries, np.asarray(plan.indices), indptr), shape=plan.shape)
    matrix = sp.csr_array(matrix.T) if by_rows else matrix
    with np.errstate(invalid="ignore", over="ignore"):
        product = matrix @ direction.astype(wide)
        size = abs(matrix) @ np.abs(direction).astype(float) + np.abs(derivative) + reference.curvature
        noise = 4 * reference.precision * np.diff(matrix.indptr) * (1 + len(plan.rounds))
        offset = reference.image + (np.nanmax(size, initial=0) if plan.mode in ("star", "acyclic") else 0)
        limit = (reference.tolerance + noise) * size + noise * offset
        wrong = np.flatnonzero(np.abs(product - derivative) > limit)
    if wrong.size:
        what, i = "column" if by_rows else "row", wrong[0]
        shown = ", ".join(map(str, wrong[:_SHOWN])) + f" and {wrong.size - _SHOWN} more" * (wrong.size > _SHOWN)
        or_rough = " (or fun is not smooth)" if along is along_by_differences else ""
        raise ValueError(
            f"the pattern lacks entries{or_rough}: the product with a random vector is wrong in "
            f"{what}{'s' * (wrong.size > 1)} {shown}; in {what} {i} it is {product[i]:.6g}, the derivative in this "
            f"direction {derivative[i]:.6g}; add every entry that can be nonzero"
        )
