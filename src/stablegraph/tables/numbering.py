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

__all__ = ["least_and_largest", "number_integers", "number_texts"]

_FEW = 1 << 24  # a mark for each number up to here costs next to nothing


@kernel(types="int32[] int32[] int32[]")
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
    least, most = least_and_largest(u, v)
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
    ids = (keys.view(">u8")[:, 0] ^ _sign_bit(u)).astype(u.dtype)
    return numbers[: u.size], numbers[u.size :], ids.size, ids


def least_and_largest(*columns: np.ndarray) -> tuple[int, int]:
    """The least and the largest integer of all columns; 0 and -1 if there are none."""
    filled = [column for column in columns if column.size]
    least = min((int(column.min()) for column in filled), default=0)
    return least, max((int(column.max()) for column in filled), default=-1)


def _keys_of_integers(*columns: np.ndarray) -> Iterator[np.ndarray]:
    """Keys that ascend as the integers do."""
    for column in columns:
        for start in range(0, column.size, PIECE):
            piece = column[start : start + PIECE].view(np.uint64)
            words = np.zeros((piece.size, 2), ">u8")
            words[:, 0] = piece ^ _sign_bit(column)
            yield words.view(np.uint8)


def _sign_bit(column: np.ndarray) -> np.uint64:
    """The bit that is flipped for negative integers to come first; none if there are no negative ones."""
    return np.uint64(1 << 63 if column.dtype.kind == "i" else 0)
