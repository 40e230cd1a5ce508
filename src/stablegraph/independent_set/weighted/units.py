"""Weights as 64-bit integers, which reductions add and subtract without rounding.

Result: one integer per vertex, in units of a power of two, and the conversion of sums back to the user's numbers.

Rule: units(v) = ceil(weight(v) / 2**shift). The shift is the largest (for floats) or smallest from 0 (for integers) for
which the sum of all units is below 2**62. In the code: `Units`.

Idea: integers are exact unless their sum is 2**62 or more. Floats are exact if all bits of all weights fit; otherwise
the smaller weights are rounded up. Since no weight becomes smaller, a bound for the units is a bound for the weights.

Cost: a few passes over the weights. Work memory: 24 bytes per vertex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.csr.merge import exact_sum

_SUM_BITS = 62  # the sum of all units has at most this number of bits
_FLOAT_BITS = 53


class Units:
    """Weights (checked: int64 or float64, not negative) as integers, `values`, in units of 2**`shift`."""

    def __init__(self, weights: Any) -> None:
        self._are_floats = weights.dtype.kind == "f"
        room = _SUM_BITS - 1 - max(int(weights.size), 1).bit_length()  # bits of the largest unit
        largest = weights.max(initial=0)
        if self._are_floats:
            self.shift = math.frexp(float(largest))[1] - room
            values = np.maximum(np.ceil(np.ldexp(weights, -self.shift)), weights > 0).astype(np.int64)
        else:
            total = exact_sum(weights)
            self.shift = 0 if total < 1 << _SUM_BITS else int(largest).bit_length() - room
            values = -(-weights >> self.shift)
        self.values = values

    def bound(self, units: int) -> int | float:
        """Return an upper bound for the weight of sets whose units are at most `units`: an int for integers."""
        if self.shift >= 0:
            exact = units << self.shift
            return _as_float(exact, 1) if self._are_floats else exact
        return _as_float(units, 1 << -self.shift)


def _as_float(numerator: int, denominator: int) -> float:
    """Return a quotient as a float, or infinity."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf
