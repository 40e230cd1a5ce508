"""Integer arithmetic that wraps, which Numba's rules for signed numbers would get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .device import cuda_module
from .kernel import Rule

MASK_63 = 0x7FFF_FFFF_FFFF_FFFF


def _modular(plain: Callable[..., Any], compiled: Callable[..., Any]) -> Rule:
    """A rule whose arithmetic wraps: Numba calls overflow of signed numbers undefined, so it is done unsigned there."""

    def cpu() -> Any:
        from numba import njit

        return njit(compiled)

    return Rule(plain, cpu=cpu, cuda=lambda: cuda_module().jit(device=True)(compiled))


# Modulo 2**63, so that results fit in signed numbers.
wrapping_multiply = _modular(
    lambda a, b: (a * b) & MASK_63,
    lambda a, b: np.int64((np.uint64(a) * np.uint64(b)) & np.uint64(MASK_63)),
)
wrapping_add = _modular(
    lambda a, b: (a + b) & MASK_63,
    lambda a, b: np.int64(np.uint64(a) + np.uint64(b)),  # the highest bit may be set; it never counts
)
