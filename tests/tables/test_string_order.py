"""Sorting of texts by their bytes, and searching for equal ones, compared with Python's own sorting."""

import numpy as np

from stablegraph.tables.numbering import Texts, number_texts, sort_texts
from tests.support.cases import each

_RNG = np.random.default_rng(0)
_WORDS = {
    "short": [bytes(_RNG.integers(97, 100, k % 9).astype(np.uint8)) for k in range(300)],
    "any bytes": [bytes(_RNG.integers(0, 256, k % 40).astype(np.uint8)) for k in range(300)],
    "equal beginnings": [b"prefix-%d-" % (k % 3) * (1 + k % 4) + b"%07d" % (k * 37 % 211) for k in range(400)],
    "long equal beginnings": [b"x" * 80 + b"%d" % (k * 37 % 211) for k in range(300)],
    "zeros at the end": [b"abc" + bytes(k % 30) for k in range(90)],
    "one": [b"same"] * 9,
    "none": [],
}


def _texts(words):
    offsets = np.cumsum([0, *map(len, words)])
    return Texts(np.frombuffer(b"".join(words), np.uint8), offsets)


@each(name=list(_WORDS))
def test_texts_are_sorted(name):
    distinct = list(dict.fromkeys(_WORDS[name]))
    chosen = np.arange(len(distinct), dtype=np.int32)[::-1].copy()
    order = sort_texts(_texts(distinct), chosen, lambda some: _sorted_by_python(distinct, some))
    assert [distinct[k] for k in chosen[order]] == sorted(distinct)


@each(name=list(_WORDS), threads=[1, 3])
def test_texts_are_numbered(name, threads):
    import stablegraph as sg

    words = _WORDS[name]
    with sg.threads(threads):
        numbers, places = number_texts(_texts(words), lambda some: _sorted_by_python(words, some))
    assert [words[k] for k in places] == sorted(set(words))
    assert [sorted(set(words))[k] for k in numbers] == words


def test_few_texts_are_left_to_the_caller():
    """Only texts that are equal in 56 bytes are sorted by the caller's function."""
    words = [b"a" * 56 + b"2", b"b", b"a" * 56 + b"1", b"a" * 55 + b"c"]
    received = []

    def ascending(some):
        received.extend(some.tolist())
        return _sorted_by_python(words, some)

    order = sort_texts(_texts(words), np.arange(4, dtype=np.int32), ascending)
    assert order.tolist() == [2, 0, 3, 1] and sorted(received) == [0, 2]


def _sorted_by_python(words, some):
    return np.array(sorted(range(len(some)), key=lambda k: words[some[k]]), np.int64)
