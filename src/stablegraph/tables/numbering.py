"""Ids of any type become numbers 0 .. n - 1, in ascending order of id.

Ascending, not in the order of the rows: then a graph, and every answer, depends on the edges alone, whatever order an
engine gives its rows in. Only the distinct ids are sorted. Texts ascend by code points, as Python sorts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..parallel import kernel
from ..parallel.primitives import compact
from .equal import Texts, first_equals
from .short import PIECE, number_short

__all__ = ["number_integers", "number_texts"]

_SIGN = np.uint64(1 << 63)
_FEW = 1 << 24  # a mark for each number up to here costs next to nothing


@kernel
def write_rank(i, firsts, ranks, numbers):
    """The rank of the first text that equals text i."""
    numbers[i] = ranks[firsts[i]]


def number_texts(texts: Texts, ascending: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A number for each text, by rank among the distinct ones; and for each distinct one, ascending, where it stands.

    `ascending` returns the order that sorts the texts at some positions.
    """
    firsts = first_equals(texts)
    distinct = compact(firsts == np.arange(firsts.size, dtype=firsts.dtype))
    distinct = distinct[ascending(distinct)]
    ranks = np.empty_like(firsts)
    ranks[distinct] = np.arange(distinct.size, dtype=firsts.dtype)
    numbers = np.empty_like(firsts)
    write_rank(firsts.size, firsts, ranks, numbers)
    return numbers, distinct


def number_integers(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """The ends by number, how many ids there are, and the ids; None where they are just 0 .. n - 1."""
    least = min(int(u.min(initial=0)), int(v.min(initial=0)))
    most = max(int(u.max(initial=-1)), int(v.max(initial=-1)))
    ids: np.ndarray
    if least >= 0 and most < max(_FEW, 8 * u.size):
        present = np.zeros(most + 1, bool)
        present[u] = True
        present[v] = True
        ids = np.flatnonzero(present)
        if ids.size != most + 1:
            rank = np.cumsum(present) - 1
            u, v = rank[u], rank[v]
        return u, v, ids.size, None if ids.size == most + 1 else ids
    numbers, keys = number_short(u.size + v.size, lambda: _keys_of_integers(u, v))
    ids = (keys.view(">u8")[:, 0] ^ _SIGN).astype(np.int64)
    return numbers[: u.size], numbers[u.size :], ids.size, ids


def _keys_of_integers(*columns: np.ndarray) -> Iterator[np.ndarray]:
    """Keys that ascend as integers with a sign do."""
    for column in columns:
        for start in range(0, column.size, PIECE):
            piece = column[start : start + PIECE].view(np.uint64)
            words = np.zeros((piece.size, 2), ">u8")
            words[:, 0] = piece ^ _SIGN
            yield words.view(np.uint8)
