"""Weights as 64-bit integers, which reductions add and subtract without rounding.

Result: one integer per vertex, in units of one size, and the conversion of sums back to the user's numbers.

Rule: units(v) = ceil(weight(v) / unit). The unit is the largest (for floats) or smallest from 1 (for integers) power of
two for which the sum of all units is below 2**62. If some weights are not multiples of it, the unit is the greatest
common divisor of all weights, provided that the sum of these units is below 2**62. In the code: `Units`.

Idea: integers are exact unless their sum is 2**62 or more. Floats are exact if all bits of all weights fit, or if few
bits remain after division, as for equal weights; otherwise the smaller weights are rounded up. Since no weight becomes
smaller, a bound for the units is a bound for the weights.

If weights are rounded, a set S that is heaviest in units may not be heaviest. But if S is heaviest even if its own
weights are rounded down (and all others up), then no set R is heavier: its vertices outside S do not weigh more than
their units, and those of S outside R not less. In the code: `against`.

Cost: a few passes over the weights. Work memory: 24 bytes per vertex.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..._core.csr.merge import exact_sum

_SUM_BITS = 62  # the sum of all units has at most this number of bits
_FLOAT_BITS = 53


class Units:
    """Weights (checked: int64 or float64, not negative) as integers, `values`, in units of `size`, a Fraction.

    `rounded` is the mask of the weights that were rounded up.
    """

    def __init__(self, weights: Any) -> None:
        self._are_floats = weights.dtype.kind == "f"
        room = _SUM_BITS - 1 - max(int(weights.size), 1).bit_length()  # bits of the largest unit
        largest = weights.max(initial=0)
        if self._are_floats:
            shift = math.frexp(float(largest))[1] - room
            exact = np.ldexp(weights, -shift)
            values = np.maximum(np.ceil(exact), weights > 0)
            self.values, self.rounded = values.astype(np.int64), values != exact
        else:
            shift = 0 if exact_sum(weights) < 1 << _SUM_BITS else int(largest).bit_length() - room
            self.values = -(-weights >> shift)
            self.rounded = self.values << shift != weights
        self.size = Fraction(2) ** shift
        if self.rounded.any():
            self._divide_exactly(weights)

    def _divide_exactly(self, weights: Any) -> None:
        """Divide by the greatest common divisor, if the sum of the quotients is small enough."""
        shift = 0
        if self._are_floats:
            fractions, exponents = np.frexp(weights[weights > 0])
            whole = np.ldexp(fractions, _FLOAT_BITS).astype(np.int64)
            zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # at the end
            shift = int((exponents - _FLOAT_BITS + zeros).min())
            if int(exponents.max()) - shift > _SUM_BITS:
                return
            weights = np.ldexp(weights, -shift).astype(np.int64)
        divisor = int(np.gcd.reduce(weights))
        values = weights // divisor
        if exact_sum(values) < 1 << _SUM_BITS:
            self.values, self.size = values, divisor * Fraction(2) ** shift
            self.rounded = np.zeros(weights.size, bool)

    def against(self, mask: Any) -> Any:
        """Return units with the members of a set rounded down: if it is heaviest in these units, it is heaviest."""
        return self.values - (self.rounded & mask)

    def bound(self, units: int) -> int | float:
        """Return an upper bound for the weight of sets whose units are at most `units`: an int for integers."""
        return self._converted(units * self.size, math.inf)

    def at_least(self, units: int) -> int | float:
        """Return a lower bound for the weight of sets with these units: an int for integers."""
        return self._converted(max(units - int(np.count_nonzero(self.rounded)), 0) * self.size, -math.inf)

    def _converted(self, exact: Fraction, direction: float) -> int | float:
        """Return an exact weight as an int for integers, and for floats the next float in a direction."""
        if not self._are_floats:
            return int(exact)
        try:
            value = float(exact)
        except OverflowError:
            value = math.inf
        return value if (value >= exact if direction > 0 else value <= exact) else math.nextafter(value, direction)
