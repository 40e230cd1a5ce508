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
the steps for J, so that a kink at x has no effect. With bounds, a step that would leave them is turned or shortened.
Entries and derivatives that are not finite are refused by row before the comparison.

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
from .products import RELATIVE_STEP, Bounds, Function, checked_rows, steps_of

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


def along_by_differences(fun: Function, plan: CompressionPlan, x: Any, bounds: Bounds | None = None) -> Along:
    """Compute the derivative and the curvature by differences of three values."""
    xp, x = array_module(device_of(x)), x.astype(np.float64, copy=False)
    bounds = bounds and bounds.on_device_of(x)
    direction = steps_of(plan, x, bounds)[0] / RELATIVE_STEP * xp.asarray(_random(plan.shape[1]))
    if bounds is not None:
        direction = bounds.steps_inside(x, 2 * _STEP * direction) / (2 * _STEP)

    def value_at(factor: float) -> np.ndarray:
        place = x + factor * direction
        image = as_array(fun(place if bounds is None else bounds.clip(place)), "fun(x)")
        return host_array(checked_rows(image, plan), "fun(x)")

    start, near, far = value_at(0.0), value_at(_STEP), value_at(2 * _STEP)
    derivative = (4 * near - far - 3 * start) / (2 * _STEP)
    curvature = np.abs(far - 2 * near + start) / _STEP**2
    return Along(direction, derivative, curvature, np.abs(start), 1e-5, RELATIVE_STEP)


def _shown(rows: np.ndarray, what: str = "row") -> str:
    """Return the words for rows, ascending: the first few numbers, and how many follow."""
    shown = ", ".join(map(str, rows[:_SHOWN])) + f" and {rows.size - _SHOWN} more" * (rows.size > _SHOWN)
    return f"{what}{'s' * (rows.size > 1)} {shown}"


def _advice(plan: CompressionPlan, bounded: bool | None) -> str:
    """Return the words that recommend bounds, if they may help."""
    if bounded is False and plan.mode == "column":
        return "; if fun is undefined outside of bounds, pass bounds=(lower, upper)"
    return ""


def nonfinite(fun: Function, plan: CompressionPlan, x: Any, values: Any, bounded: bool | None) -> str | None:
    """Name the rows of a derivative that are NaN or infinite, and the place of the first such entry, or return None.

    For differences, also say whether the function itself is not finite; `bounded` is None for exact derivatives.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(complex(values.sum())):
            return None
    values, place = host_array(values, "values"), host_array(x, "x")
    wrong = np.flatnonzero(~np.isfinite(values))
    if not wrong.size:  # only the sum overflows
        return None
    rows = np.searchsorted(np.asarray(plan.indptr), wrong, side="right") - 1
    i, j = int(rows[0]), int(plan.indices[wrong[0]])
    sentence = (
        f"the derivative is not finite in {_shown(np.unique(rows))}: entry ({i}, {j}) is {values[wrong[0]]} at "
        f"x[{j}] = {place[j]}"
    )
    if bounded is None:
        return sentence
    image = host_array(as_array(fun(x + 0.0), "fun(x)"), "fun(x)")
    undefined = np.flatnonzero(~np.isfinite(image))
    if undefined.size:
        row = i if i in undefined else undefined[0]
        return f"{sentence}, where fun(x) is {image[row]} in row {row}"
    return f"{sentence}, where fun(x) is finite, but not after a step of the difference{_advice(plan, bounded)}"


def check_product(
    fun: Function,
    plan: CompressionPlan,
    x: Any,
    values: Any,
    along: Callable[[Function, CompressionPlan, Any], Along],
    bounded: bool | None,
) -> None:
    """Raise ValueError if the recovered values have another product with a random vector than the derivative."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(values, jax.core.Tracer):
        raise TypeError(
            "check=True compares numbers, but jax.jit, jax.vmap or jax.grad traces this call: call the derivative once "
            "outside of them, and use one without check= inside"
        )
    values = host_array(values, "values")
    fault = nonfinite(fun, plan, x, values, bounded)
    if fault:
        raise ValueError(fault)
    reference = along(fun, plan, x)
    direction, derivative = (host_array(array, "values") for array in (reference.direction, reference.derivative))
    what, by_rows = ("row", False) if plan.column_colors is not None else ("column", True)
    unknown = np.flatnonzero(~np.isfinite(derivative))
    if unknown.size:
        raise ValueError(
            f"check=True cannot check {_shown(unknown, what)}: the derivative in a random direction is "
            f"{derivative[unknown[0]]} in {what} {unknown[0]}{_advice(plan, bounded)}"
        )
    wide = np.result_type(values.dtype if values.dtype.kind == "c" else np.float64)
    parts = values.astype(wide), np.asarray(plan.indices), np.asarray(plan.indptr)
    matrix: Any = sp.csr_array(parts, shape=plan.shape)
    matrix = sp.csr_array(matrix.T) if by_rows else matrix
    with np.errstate(invalid="ignore", over="ignore"):
        product = matrix @ direction.astype(wide)
        size = abs(matrix) @ np.abs(direction).astype(float) + np.abs(derivative) + reference.curvature
        noise = 4 * reference.precision * np.diff(matrix.indptr) * (1 + len(plan.rounds))
        offset = reference.image + (np.nanmax(size, initial=0) if plan.mode in ("star", "acyclic") else 0)
        limit = (reference.tolerance + noise) * size + noise * offset
        wrong = np.flatnonzero(np.abs(product - derivative) > limit)
    if wrong.size:
        i, or_rough = wrong[0], "" if bounded is None else " (or fun is not smooth)"
        raise ValueError(
            f"the pattern lacks entries{or_rough}: the product with a random vector is wrong in "
            f"{_shown(wrong, what)}; in {what} {i} it is {product[i]:.6g}, the derivative in this direction "
            f"{derivative[i]:.6g}; add every entry that can be nonzero"
        )
