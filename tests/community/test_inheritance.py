"""Inherited numbers of communities: equal to plain Python, on every schedule; properties, and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from tests.support import naive_communities as naive

LABELS = st.lists(st.tuples(st.integers(-3, 5), st.integers(-2, 9)), max_size=30)


@given(LABELS, st.integers(0, 30), st.sampled_from([1, 1, 2**40]))
def test_like_plain_python(pairs, added, factor):
    new = [a * factor for a, _ in pairs]
    old = [b * factor for _, b in pairs][: len(pairs) - added]
    result = sg.inherit_labels(np.array(new, np.int64), np.array(old, np.int64))
    assert result.tolist() == naive.inherit_labels(new, old)
    assert result.dtype == (np.int64 if factor > 1 and max([0, *result.tolist()]) > 2**31 else np.int32)
    groups = {(a, b) for a, b in zip(new, result.tolist(), strict=True)}
    assert len(groups) == len({a for a, _ in groups}) == len({b for _, b in groups})  # the same partition


def test_the_same_communities_keep_their_numbers():
    rng = np.random.default_rng(1)
    old = rng.integers(0, 300, 5000)
    assert np.array_equal(sg.inherit_labels(rng.permutation(300)[old] - 40, old), old)
    new = rng.integers(0, 200, 6000)
    expected = naive.inherit_labels(new.tolist(), old.tolist())
    for target in ({"target": "cpu", "workers": 16}, {"target": "python", "seed": 3}):
        with use_target(**target):
            assert sg.inherit_labels(new, old).tolist() == expected


def test_ties_go_to_the_smallest_numbers():
    assert sg.inherit_labels([5, 5, 4, 4], [1, 2, 1, 2]).tolist() == [2, 2, 1, 1]
    assert sg.inherit_labels([3, 3], [9, 8]).tolist() == [8, 8]
    assert sg.inherit_labels([0, 1, 2], [-1, -5]).tolist() == [0, 1, 2]
    assert sg.inherit_labels([], []).tolist() == []


def test_large_numbers():
    new, old = np.array([0, 1]), np.array([2**31 - 1, 4])
    assert sg.inherit_labels(new, old).dtype == np.int32
    assert sg.inherit_labels([0, 1, 2], old).tolist() == [2**31 - 1, 4, 2**31]
    assert sg.inherit_labels([0], [2**63 - 1]).tolist() == [2**63 - 1]
    assert sg.inherit_labels(np.array([0], np.uint8), np.array([7], np.uint64)).tolist() == [7]


@pytest.mark.parametrize(
    ("new", "old", "error", "message"),
    [
        ([0], [0, 1], ValueError, "old has 2 labels, but new has only 1"),
        ([[0]], [0], ValueError, r"new must have one number for each vertex, got shape \(1, 1\)"),
        ([0.5], [0], TypeError, "new must be integers, got float64"),
        ([0], [np.nan], TypeError, "old must be integers"),
        ([0], np.array([2**63], np.uint64), ValueError, r"old must be below 2\*\*63"),
        ([0, 1], [2**63 - 1], ValueError, "leaves no room for new numbers"),
    ],
)
def test_errors(new, old, error, message):
    with pytest.raises(error, match=message):
        sg.inherit_labels(new, old)


def test_arrays_of_the_caller_are_not_changed():
    new, old = np.arange(8)[::2] % 3, np.array([1, 1, 0])
    for array in (new, old):
        array.flags.writeable = False
    before = new.copy()
    assert sg.inherit_labels(new, old).tolist() == naive.inherit_labels(before.tolist(), old.tolist())
