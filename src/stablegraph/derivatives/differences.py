"""Jacobians by forward differences of a function of NumPy or CuPy, one color at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.runtime import array_module, device_of
from .array_libraries import as_array
from .plan import CompressionPlan

_RELATIVE_STEP = math.sqrt(np.finfo(np.float64).eps)  # as in SciPy


def jacobian_values(fun: Callable[..., Any], plan: CompressionPlan, x: Any, others: Any) -> Any:
    """Return the values of the pattern's entries."""
    if plan.row_colors is not None:
        raise ValueError(
            f"differences give products with columns only, but the plan has mode {plan.mode!r}: use mode "
            '"column", or a function of JAX or PyTorch'
        )
    before, after, options = others
    xp, (rows, _) = array_module(device_of(x)), plan.shape
    x = x.astype(np.float64, copy=False)
    colors = xp.asarray(plan.column_colors)

    def values_at(place: Any) -> Any:
        values = as_array(fun(*before, place, *after, **options), "fun(x)")
        if tuple(values.shape) != (rows,):
            raise ValueError(
                f"fun(x) has shape {tuple(values.shape)}, but the pattern has {rows} rows: return shape ({rows},)"
            )
        return values

    sizes = _RELATIVE_STEP * xp.maximum(1, xp.abs(x))
    is_symmetric = plan.mode != "column"
    if is_symmetric:
        largest = xp.zeros(plan.num_column_colors)
        xp.maximum.at(largest, colors, sizes)
        sizes = largest[colors]
    moved = x + xp.copysign(sizes, 1.0 if is_symmetric else x)
    start = values_at(x.copy())
    products = xp.empty((rows, plan.num_column_colors), np.result_type(start.dtype, np.float64))
    for color in range(plan.num_column_colors):
        products[:, color] = values_at(xp.where(colors == color, moved, x)) - start
    if is_symmetric:
        return plan.values(products / largest)
    return plan.values(products) / (moved - x)[xp.asarray(plan.indices)]
