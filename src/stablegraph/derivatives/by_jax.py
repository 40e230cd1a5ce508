"""Products with Jacobians and Hessians by JAX: all colors together by vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .plan import CompressionPlan


def jacobian_values(fun: Callable[..., Any], plan: CompressionPlan, x: Any, others: Any) -> Any:
    """Return the values of the pattern's entries; of NumPy, if x is."""
    before, after, options = others
    return _values(lambda place: fun(*before, place, *after, **options), plan, x)


def hessian_values(fun: Callable[..., Any], plan: CompressionPlan, x: Any, others: Any) -> Any:
    """Return the values of the pattern's entries; of NumPy, if x is."""
    import jax

    before, after, options = others
    return _values(jax.grad(lambda place: fun(*before, place, *after, **options)), plan, x)


def _values(fun: Callable[[Any], Any], plan: CompressionPlan, x: Any) -> Any:
    import jax
    import jax.numpy as jnp

    is_of_numpy, x = isinstance(x, np.ndarray), jnp.asarray(x)
    rows, products = plan.shape[0], []
    seeds = plan.seeds(x) if plan.mode == "both" else [plan.seeds(x)]
    if plan.column_colors is not None:
        image, push = jax.linearize(fun, x)
        _check(image, rows)
        products.append(jax.vmap(push, in_axes=1, out_axes=1)(seeds[0]))
    if plan.row_colors is not None:
        image, pull = jax.vjp(fun, x)
        _check(image, rows)
        products.append(jax.vmap(lambda seed: pull(seed)[0], in_axes=1)(seeds[-1].astype(image.dtype)))
    values = plan.values(products if plan.mode == "both" else products[0])
    return np.asarray(values) if is_of_numpy else values


def _check(image: Any, rows: int) -> None:
    if image.shape != (rows,):
        raise ValueError(f"fun(x) has shape {image.shape}, but the pattern has {rows} rows: return shape ({rows},)")
