"""Ratios of a weight and a number of vertices, compared exactly; and a monotone number for a fast first comparison.

Result: the order of the ratios x / a and y / b as real numbers, for weights that are 64-bit integers or floats.

Rule: x / a > y / b  <=>  x b > y a. In the code: `compare_ratios`.

Idea: a product of a 63-bit integer and a number of at most 31 bits is computed as two numbers of 32 and 63 bits. A
float is an integer of 53 bits times a power of two. If the powers differ, the product with the smaller power is shifted
to the right; the bits that are shifted out only decide if the other bits are equal.

`score` is a float64 that never decreases where the ratio increases: a quotient of exact numbers that is rounded once.
Integers from 2**53 on are not exact as floats; for these, it is the integer quotient.

Cost: about 20 operations per comparison, which is only needed if the scores are close to each other.
"""

from __future__ import annotations

from .._core.runtime import rule

_LOW_32 = 0xFFFF_FFFF
_FRACTION = (1 << 52) - 1  # of the bits of a float64
_LARGEST = 3.0e38  # fits in a float32
EXACT = 1 << 53  # integers below it are exact as float64


@rule
def _product(x, a):
    """Return x * a as (high, low), where the low number has 32 bits."""
    low = (x & _LOW_32) * a
    return (x >> 32) * a + (low >> 32), low & _LOW_32


@rule
def _shifted(high, low, s):
    """Return a product shifted to the right by s bits, and whether a bit that is not 0 was shifted out."""
    lost = 0
    for _ in range(min(s, 96) >> 5):
        lost |= low
        high, low = high >> 32, high & _LOW_32
    s = min(s, 96) & 31
    mask = (1 << s) - 1
    lost |= low & mask
    return high >> s, ((high & mask) << (32 - s)) | (low >> s), int(lost != 0)


@rule
def _mantissa(bits):
    """Return the integer of a float64 that is not negative, and the exponent of its power of two, given its bits."""
    exponent = bits >> 52
    return (bits & _FRACTION) | (int(exponent > 0) << 52), max(exponent, 1)


@rule
def compare_ratios(x, a, y, b, are_floats):
    """Return 1, 0 or -1 if x / a is larger than y / b, equal to it, or smaller; floats are given by their bits."""
    lost_left = lost_right = shift = 0
    if are_floats:
        x, left = _mantissa(x)
        y, right = _mantissa(y)
        shift = left - right
    high_left, low_left = _product(x, b)
    high_right, low_right = _product(y, a)
    if shift > 0:
        high_right, low_right, lost_right = _shifted(high_right, low_right, shift)
    elif shift < 0:
        high_left, low_left, lost_left = _shifted(high_left, low_left, -shift)
    if high_left == high_right:
        high_left, high_right = low_left, low_right
    if high_left == high_right:
        high_left, high_right = lost_left, lost_right
    return int(high_left > high_right) - int(high_left < high_right)


@rule
def score(weight, divisor, are_large):
    """Return a number that never decreases where weight / divisor increases; `are_large` if integers are inexact."""
    ratio = float(weight // divisor) if are_large else weight / divisor
    return min(ratio, _LARGEST)
