"""Weights of repeated entries on a GPU: combined as NumPy combines them."""

import numpy as np
import pytest

from stablegraph.csr.merge import COMBINE, combined_in_turn


@pytest.mark.parametrize("how", COMBINE)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_small_groups_are_combined_as_numpy_does_it(dtype, how):
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, 9, 500)
    first = np.cumsum(lengths) - lengths
    numbers = rng.normal(size=lengths.sum()) * 10.0 ** rng.integers(-8, 8, lengths.sum())
    if np.dtype(dtype).kind == "f":
        numbers[rng.integers(0, numbers.size, 400)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], 400)
        weights = numbers.astype(dtype)
    else:
        weights = (np.abs(numbers) * 2**32).astype(np.uint64).astype(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = COMBINE[how].reduceat(weights, first).astype(dtype)
        found = combined_in_turn(np, weights, first, lengths, how)
    np.testing.assert_array_equal(found, expected)
    if np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
