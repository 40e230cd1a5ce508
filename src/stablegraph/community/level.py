"""One level of the hierarchy, and the communities of its vertices: the arrays that all steps share."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.runtime import num_threads, rule

ALONE = 1 << 16  # vertices and entries that one thread handles although there are more threads
ALONE_ON_ONE = 1 << 24  # the same if there is only one thread: bounds the latency of Ctrl-C


class Level(NamedTuple):
    """A graph with integer weights: symmetric, without loops and repeated entries. Rows need not be sorted."""

    indptr: Any  # (n + 1,)
    indices: Any  # (entries,)
    weights: Any  # (entries,) int64, positive; empty if all are 1
    mass: Any  # (n,) int64: weighted degrees with loops, or numbers of vertices of the graph
    sizes: Any  # (n,) int64: numbers of vertices of the graph; empty if communities may have any size


class Communities(NamedTuple):
    """The community of each vertex. Its name is a vertex, not necessarily one of its own."""

    label: Any  # (n,) int32
    total: Any  # (n,) int64: the mass of each community; 0 for a name that is not used
    used: Any  # (n,) int64: the size of each community; empty if communities may have any size


class Terms(NamedTuple):
    """The numbers in the objective."""

    scale: float  # rules.py
    limit: int  # the maximum size of a community; 0: any size
    crowds: int  # whether the masses of vertices that move together can exceed what their links are worth


@rule
def weight_of(e, weights):
    """Return the weight of entry e."""
    return weights[e] if weights.size else 1


def for_one_thread(level: Level, count: int) -> bool:
    """Return whether one thread handles this many vertices of a level in one call: the same result, in less time."""
    n = int(level.mass.size)
    work = count * (n + int(level.indices.size)) // max(n, 1)
    return work < (ALONE if num_threads() > 1 else ALONE_ON_ONE)
