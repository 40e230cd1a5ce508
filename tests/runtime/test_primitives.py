"""The common parallel primitives compared with NumPy, for several numbers of threads and of workers."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph._core.runtime.primitives import (
    compact,
    exclusive_scan,
    histogram,
    partition,
    reduce,
    sort_by_key,
    sorted_words,
)
from tests.support.cases import each

SIZES = [0, 1, 2, 5, 4095, 4096, 4097, 50_000]


@pytest.fixture(params=["1", "2", "3", "5 workers", "python"])
def setting(request):
    before = sg.num_threads()
    if request.param.isdigit():
        sg.set_num_threads(int(request.param))
        yield max(SIZES)
        sg.set_num_threads(before)
    elif request.param == "python":
        with use_target("python", workers=5):
            yield 5
    else:
        with use_target("cpu", workers=5):
            yield max(SIZES)


def sizes(limit):
    return [n for n in SIZES if n <= limit]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_exclusive_scan(setting, dtype):
    for n in sizes(setting):
        values = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
        result = exclusive_scan(values)
        assert result.dtype == np.int64
        assert result.tolist() == [0, *np.cumsum(values, dtype=np.int64).tolist()]


def test_compact(setting):
    for n in sizes(setting):
        mask = np.random.default_rng(n).random(n) < 0.3
        assert np.array_equal(compact(mask), np.flatnonzero(mask))


def test_partition_keeps_the_order(setting):
    for n in sizes(setting):
        random = np.random.default_rng(n)
        values, mask = random.integers(0, 1000, n), random.random(n) < 0.3
        result, first = partition(values, mask)
        assert first == mask.sum()
        assert np.array_equal(result, np.concatenate([values[mask], values[~mask]]))


def test_partition_refuses_unequal_lengths():
    with pytest.raises(ValueError, match=r"equal shapes, got \(3,\) and \(2,\)"):
        partition(np.arange(3), np.ones(2, bool))


@each(dtype=[np.int32, np.int64, np.float32, np.float64])
def test_reduce(setting, dtype):
    for n in sizes(setting):
        values = (np.random.default_rng(n).normal(size=n) * 1000).astype(dtype)
        total = reduce(values, "sum")
        if np.dtype(dtype).kind == "i":
            assert total == values.sum(dtype=np.int64)
        else:
            assert total == pytest.approx(float(values.sum(dtype=np.float64)), rel=1e-3, abs=1.0)
        if n:
            assert reduce(values, "min") == values.min()
            assert reduce(values, "max") == values.max()


def test_floating_sums_do_not_depend_on_the_threads():
    values = np.random.default_rng(0).normal(size=100_001) * 10.0 ** np.arange(100_001).clip(0, 15)
    sums = set()
    for workers in (1, 2, 3, 7):
        with use_target("cpu", workers=workers):
            sums.add(float(reduce(values, "sum")).hex())
    assert len(sums) == 1


def test_reduce_gives_nan_for_nan():
    values = np.array([1.0, np.nan, -1.0])
    assert np.isnan(reduce(values, "min"))
    assert np.isnan(reduce(values, "max"))
    assert np.isnan(reduce(values, "sum"))


def test_reduce_counts_booleans():
    assert reduce(np.array([True, False, True]), "sum") == 2


def test_reduce_of_nothing():
    assert reduce(np.empty(0), "sum") == 0
    with pytest.raises(ValueError, match="an empty array has no max"):
        reduce(np.empty(0), "max")
    with pytest.raises(ValueError, match="how must be"):
        reduce(np.empty(0), "mean")


def test_histogram(setting):
    for n in sizes(setting):
        keys = np.random.default_rng(n).integers(0, 17, n)
        assert np.array_equal(histogram(keys, 17), np.bincount(keys, minlength=17))


@pytest.mark.parametrize("key", [-1, 3])
def test_histogram_refuses_keys_out_of_range(key):
    with pytest.raises(ValueError, match="between 0 and 2"):
        histogram(np.array([0, key]), 3)


@pytest.mark.parametrize("largest", [1, 5000, 2**40])
def test_sort_by_key_is_stable(setting, largest):
    for n in sizes(setting):
        keys = np.random.default_rng(n).integers(0, largest, n)
        assert np.array_equal(sort_by_key(keys), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("largest", [0, 1, 5000, 2**40])
def test_keys_are_lost_only_where_they_may_be(largest):
    keys = np.random.default_rng(1).integers(0, largest, 5000, endpoint=True)
    array = keys.copy()
    assert np.array_equal(sort_by_key(array), np.argsort(keys, kind="stable"))
    assert np.array_equal(array, keys)
    assert np.array_equal(sort_by_key(array, overwrite=True), np.argsort(keys, kind="stable"))


def test_sort_by_key_refuses_negative_keys():
    with pytest.raises(ValueError, match="must not be negative, got -2"):
        sort_by_key(np.array([0, -2]))


@pytest.mark.parametrize("largest", [1, 40, 2**64 - 1])
def test_sorted_words(setting, largest):
    for n in sizes(setting):
        words = np.random.default_rng(n).integers(0, largest, n, np.uint64, endpoint=True)
        words[: n // 3] = largest  # one part may be longer than the other ones, and some may be empty
        assert np.array_equal(sorted_words(words.copy()), np.sort(words))
        words = words >> np.uint64(n.bit_length()) << np.uint64(n.bit_length()) | np.arange(n, dtype=np.uint64)
        assert np.array_equal(sorted_words(words.copy(), n.bit_length()), np.sort(words))
