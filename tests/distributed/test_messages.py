"""Messages between partitions arrive unchanged."""

import numpy as np
import pytest

from stablegraph._core.runtime import count_ones, kernel, use_target
from stablegraph.cluster.messages import has_update, pack_changes, write_changes
from tests.support.cases import each


@kernel
def _count(i, words, counts):
    counts[i] = count_ones(int(words[i]))


@pytest.mark.parametrize("target", [pytest.param("cpu", marks=pytest.mark.jit), "python"])
def test_ones_are_counted(target):
    words = np.array([0, 1, 2**31, 2**32 - 1, 0x8000_0001, 0x0F0F_1234, *range(40)], np.uint32)
    counts = np.empty(words.size, np.int64)
    with use_target(target):
        _count(words.size, words, counts)
    assert counts.tolist() == [int(word).bit_count() for word in words]


@each(size=[0, 1, 31, 32, 33, 64, 1000], share=[0, 0.01, 0.5, 1], dtype=[bool, np.uint8, np.int32, np.int64])
def test_readers_find_the_values_of_their_ghosts(size, share, dtype):
    rng = np.random.default_rng(size)
    changed, values = rng.random(size) < share, rng.integers(0, 2, size).astype(dtype)
    message = pack_changes(changed, values)
    assert message.nbytes <= -(-size // 8) + np.count_nonzero(changed) * np.dtype(dtype).itemsize + 1
    for places in (np.arange(size), np.flatnonzero(rng.random(size) < 0.3), np.arange(0)):
        assert np.array_equal(has_update(message, places.astype(np.int32)), changed[places])
        target = np.full(places.size, 1, dtype)
        write_changes(message, places.astype(np.int32), target)
        assert np.array_equal(target, np.where(changed[places], values[places], 1))
        write_changes(message, places.astype(np.int32), target, lambda values: ~values.astype(bool))
        assert np.array_equal(target, np.where(changed[places], values[places] == 0, 1))
