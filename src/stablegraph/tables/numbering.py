"""Ids of any type become numbers 0 .. n - 1, in ascending order of id.

Ascending, not in the order of the rows: then a graph, and every answer, depends on the edges alone, whatever order an
engine gives its rows in. Only the distinct ids are sorted. Texts ascend by code points, as Python sorts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..parallel import kernel
from ..parallel.primitives import compact
from .equal import Texts, first_equals

__all__ = ["number_integers", "number_texts"]

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
    ids: Any
    if least >= 0 and most < max(_FEW, 8 * u.size):
        present = np.zeros(most + 1, bool)
        present[u] = True
        present[v] = True
        ids = np.flatnonzero(present)
        if ids.size != most + 1:
            rank = np.cumsum(present) - 1
            u, v = rank[u], rank[v]
        return u, v, ids.size, None if ids.size == most + 1 else ids
    both = np.concatenate([u, v])
    as_texts = Texts(both.view(np.uint8), np.arange(0, 8 * both.size + 8, 8))
    numbers, places = number_texts(as_texts, lambda where: np.argsort(both[where], kind="stable"))
    return numbers[: u.size], numbers[u.size :], places.size, both[places]
