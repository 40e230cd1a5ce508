"""Products with Jacobians and Hessians by PyTorch: all colors together by torch.func.vmap."""

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
    import torch

    before, after, options = others
    return _values(torch.func.grad(lambda place: fun(*before, place, *after, **options)), plan, x)


def _values(fun: Callable[[Any], Any], plan: CompressionPlan, x: Any) -> Any:
    import torch
    from torch.func import jvp, vjp, vmap

    is_of_numpy = isinstance(x, np.ndarray)
    if is_of_numpy:
        x = torch.from_numpy(np.array(x))
    rows, products = plan.shape[0], []
    seeds = plan.seeds(x) if plan.mode == "both" else [plan.seeds(x)]
    image, pull = vjp(fun, x)
    if tuple(image.shape) != (rows,):
        raise ValueError(
            f"fun(x) has shape {tuple(image.shape)}, but the pattern has {rows} rows: return shape ({rows},)"
        )
    if plan.column_colors is not None:
        products.append(vmap(lambda seed: jvp(fun, (x,), (seed,))[1], in_dims=1, out_dims=1)(seeds[0]))
    if plan.row_colors is not None:
        products.append(vmap(lambda seed: pull(seed)[0], in_dims=1)(seeds[-1].to(image.dtype)))
    values = plan.values(products if plan.mode == "both" else products[0])
    return values.detach().numpy() if is_of_numpy else values
