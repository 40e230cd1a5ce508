"""The values of sparse Jacobians and Hessians: by JAX and PyTorch all products at once, by differences color by color.

Each function takes the function of the user with one argument, a plan, and x. It returns the values of the pattern's
entries; of NumPy, if x is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Array, array_module, device_of
from .._core.texts import short_repr
from .._core.validation import host_array
from .array_libraries import as_array
from .plan import CompressionPlan

RELATIVE_STEP = math.sqrt(np.finfo(np.float64).eps)  # as in SciPy

Function = Callable[[Any], Any]
Products = Callable[[Function, CompressionPlan, Any], Any]


def checked_rows(image: Any, plan: CompressionPlan) -> Any:
    """Return the result of the function; raise ValueError if it does not have one element for each row."""
    rows = plan.shape[0]
    if tuple(image.shape) != (rows,):
        raise ValueError(
            f"fun(x) has shape {tuple(image.shape)}, but the pattern has {rows} rows: return shape ({rows},)"
        )
    return image


def _recovered(plan: CompressionPlan, x: Any, push: Function, pull: Function) -> Any:
    """Return the values of the entries; `push` takes the seeds of columns (forward), `pull` those of rows (reverse)."""
    seeds = plan.seeds(x) if plan.mode == "both" else [plan.seeds(x)]
    products = [] if plan.column_colors is None else [push(seeds[0])]
    if plan.row_colors is not None:
        products.append(pull(seeds[-1]))
    return plan.values(products if plan.mode == "both" else products[0])


def jacobian_by_jax(fun: Function, plan: CompressionPlan, x: Any) -> Any:
    """Compute the products of all colors together by `jax.vmap`."""
    import jax
    import jax.numpy as jnp

    is_of_numpy, x = isinstance(x, np.ndarray), jnp.asarray(x)

    def push(seeds: Any) -> Any:
        image, tangent = jax.linearize(fun, x)
        checked_rows(image, plan)
        return jax.vmap(tangent, in_axes=1, out_axes=1)(seeds)

    def pull(seeds: Any) -> Any:
        image, cotangent = jax.vjp(fun, x)
        return jax.vmap(lambda seed: cotangent(seed)[0], in_axes=1)(seeds.astype(checked_rows(image, plan).dtype))

    values = _recovered(plan, x, push, pull)
    return np.asarray(values) if is_of_numpy else values


def gradient_by_jax(fun: Function) -> Function:
    """Return the gradient, whose Jacobian is computed forward over reverse mode."""
    import jax

    gradient: Function = jax.grad(fun)
    return gradient


def jacobian_by_torch(fun: Function, plan: CompressionPlan, x: Any) -> Any:
    """Compute the products of all colors together by `torch.func.vmap`."""
    import torch
    from torch.func import jvp, vjp, vmap

    is_of_numpy = isinstance(x, np.ndarray)
    if is_of_numpy:
        x = torch.from_numpy(np.array(x))
    image, cotangent = vjp(fun, x)
    dtype = checked_rows(image, plan).dtype
    values = _recovered(
        plan,
        x,
        push=vmap(lambda seed: jvp(fun, (x,), (seed,))[1], in_dims=1, out_dims=1),
        pull=lambda seeds: vmap(lambda seed: cotangent(seed)[0], in_dims=1)(seeds.to(dtype)),
    )
    return values.detach().numpy() if is_of_numpy else values


def gradient_by_torch(fun: Function) -> Function:
    """Return the gradient, whose Jacobian is computed forward over reverse mode."""
    import torch

    gradient: Function = torch.func.grad(fun)
    return gradient


class Bounds(NamedTuple):
    """The lower and the upper bound of each unknown; differences stay within them."""

    lower: Array
    upper: Array

    def on_device_of(self, x: Any) -> Bounds:
        """Return the bounds on the device of x; raise ValueError if an unknown is outside of its bounds."""
        xp = array_module(device_of(x))
        here = Bounds(xp.asarray(self.lower), xp.asarray(self.upper))
        outside = (x < here.lower) | (x > here.upper)
        if outside.any():
            j = int(outside.argmax())
            raise ValueError(f"x[{j}] = {x[j]} is outside of its bounds, {self.lower[j]} to {self.upper[j]}")
        return here

    def steps_inside(self, x: Any, steps: Any) -> Any:
        """Return steps that stay inside: the given ones, else in the other direction, else to the farther bound."""
        xp = array_module(device_of(x))
        up, down, moved = self.upper - x, x - self.lower, x + steps
        shorter = xp.where(up >= down, up, -down)
        turned = xp.where(xp.abs(steps) <= xp.maximum(up, down), -steps, shorter)
        return xp.where((moved >= self.lower) & (moved <= self.upper), steps, turned)

    def clip(self, place: Any) -> Any:
        """Return a place without the rounding error by which it may be outside."""
        return array_module(device_of(place)).clip(place, self.lower, self.upper)


def checked_bounds(bounds: Any, plan: CompressionPlan, library: str | None) -> Bounds:
    """Return the bounds of all unknowns, given as a pair or as `scipy.optimize.Bounds`."""
    if plan.mode != "column" or library in ("jax", "torch"):
        which = f"the library {library!r}" if plan.mode == "column" else f"a plan with the mode {plan.mode!r}"
        raise ValueError(
            f'bounds= limits the steps of differences with a plan of the mode "column"; it has no effect on {which}'
        )
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"bounds must be a pair (lower, upper), got {short_repr(bounds)}")
    columns = plan.shape[1]
    arrays = [host_array(side, "bounds") for side in pair]
    for array in arrays:
        if array.dtype.kind not in "iuf" or array.shape not in ((), (1,), (columns,)):
            raise ValueError(
                f"each of the bounds must be a number or have one for each of the {columns} columns, got shape "
                f"{array.shape} of {array.dtype}"
            )
    lower, upper = (np.broadcast_to(array.astype(np.float64), columns) for array in arrays)
    wrong = ~(lower < upper)
    if wrong.any():
        j = int(wrong.argmax())
        raise ValueError(f"bounds of x[{j}] are {lower[j]} and {upper[j]}: the lower one must be below the upper one")
    return Bounds(lower, upper)


def steps_of(plan: CompressionPlan, x: Any, bounds: Bounds | None = None) -> tuple[Any, Any]:
    """Return the step of each unknown: that of SciPy; with a symmetric plan the largest one of its color, and these."""
    xp = array_module(device_of(x))
    sizes = RELATIVE_STEP * xp.maximum(1, xp.abs(x))
    if plan.mode == "column":
        steps = xp.copysign(sizes, x)
        return steps if bounds is None else bounds.steps_inside(x, steps), None
    by_color, colors = xp.zeros(plan.num_column_colors), xp.asarray(plan.column_colors)
    xp.maximum.at(by_color, colors, sizes)
    return by_color[colors], by_color


def jacobian_by_differences(fun: Function, plan: CompressionPlan, x: Any, bounds: Bounds | None = None) -> Any:
    """Compute forward differences of a function of NumPy or CuPy, one color at a time."""
    if plan.row_colors is not None:
        raise ValueError(
            f"differences give products with columns only, but the plan has mode {plan.mode!r}: use mode "
            '"column", or a function of JAX or PyTorch'
        )
    xp, (rows, _) = array_module(device_of(x)), plan.shape
    x = x.astype(np.float64, copy=False)
    colors = xp.asarray(plan.column_colors)

    def values_at(place: Any) -> Any:
        return checked_rows(as_array(fun(place), "fun(x)"), plan)

    bounds = bounds and bounds.on_device_of(x)
    steps, step_by_color = steps_of(plan, x, bounds)
    moved = x + steps if bounds is None else bounds.clip(x + steps)
    start = values_at(x.copy())
    products = xp.empty((rows, plan.num_column_colors), np.result_type(start.dtype, np.float64))
    for color in range(plan.num_column_colors):
        products[:, color] = values_at(xp.where(colors == color, moved, x)) - start
    if step_by_color is not None:
        return plan.values(products / step_by_color)
    return plan.values(products) / (moved - x)[xp.asarray(plan.indices)]


def refuse_gradient(fun: Function) -> Function:
    """Raise TypeError: NumPy and CuPy do not differentiate functions."""
    raise TypeError(
        'a Hessian needs a function of JAX or PyTorch: pass an array of the same library, or library="jax" or '
        '"torch"; or use sparse_jacobian(gradient, hessian_coloring(pattern)) for differences of a gradient'
    )
