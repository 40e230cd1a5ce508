"""The lines that decide about communities, and the data that they read: a level, its communities, tables of links.

A vertex v of mass m(v) with links of total weight L to a community of mass M (without v) has there the *worth*

    L - (scale * m(v)) * M

For modularity, a mass is a weighted degree, and `scale` is the resolution divided by the sum of all masses. For the
constant Potts model, a mass is a number of vertices, and `scale` is the resolution in units of the fixed-point weights.
Moving a vertex changes the objective in proportion to the difference of two worths.

Links and masses are integers below 2**53, which float64 holds exactly. The expression has three operations in this
order; kernels are compiled without fused multiply-add, so every device computes the same bits. Multiplying all weights
by a power of two changes no comparison.

A vertex moves to the community of the largest worth, in sub-rounds and in a queue (`best_move`).

The links of a vertex to each community in its neighborhood are summed in a small table; each worker has one. If there
are few vertices, keys are places: ``sums[key]``. Otherwise a short row uses its table as a list that is searched from
the start, and a long row uses the first 2**k places as a hash table with linear probing, where 2**k is at least four
times the number of distinct keys. `slots` lists the used places in the order of the first occurrence of their keys. It
is used to read the sums, and to clear the table in as many steps as it has keys. Work memory: 16 bytes for each place.
Tables with keys as places have at most 2**18 places each and 2**21 together; a hash table has up to eight places for
each entry of the longest row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from .._core.runtime import (
    Int32s,
    Int64s,
    Offsets,
    Vertices,
    atomic_add,
    hash32,
    leading_zeros,
    num_threads,
    rule,
    worker_count,
)
from .._core.runtime.device import by_device, device_of
from .._core.runtime.partitioning import APART

Function = TypeVar("Function", bound=Callable[..., Any])

ALONE = 1 << 16  # vertices and entries that one thread handles although there are more threads
ALONE_ON_ONE = 1 << 24  # the same if there is only one thread: bounds the latency of Ctrl-C

TINY = 2.0**-40  # gains below this fraction of the compared terms do not count: far above the rounding error
THETA = 0.1  # refinement reduces the worth of each part by a random fraction up to this one
NEVER = 2**63 - 1  # after all turns
UNIT = 2.0**-32  # times a draw: below 1
_VERTEX_BITS = 36
_DROPPED_BITS = 5  # of a hash, so that it fits into a word with a vertex

_SHORT = 12  # entries of a row that is searched from the start
_MULTIPLIER = 0x9E3779B1
_LOW_32 = 0xFFFFFFFF
SHARES = 8  # per worker, so that long rows do not delay the other workers
_DIRECT = 1 << 18  # places in a table with keys as places: it fits in a cache
_ALL_DIRECT = 1 << 21  # places in all these tables


# ---- A level and its communities


class Level(NamedTuple):
    """A graph with integer weights: symmetric, without loops and repeated entries. Rows need not be sorted."""

    indptr: Offsets  # (n + 1,)
    indices: Vertices  # (entries,)
    weights: Int64s  # (entries,), positive; empty if all are 1
    mass: Int64s  # (n,): weighted degrees with loops, or numbers of vertices of the graph
    sizes: Int64s  # (n,): numbers of vertices of the graph; empty if communities may have any size

    @property
    def device(self) -> str:
        """The device on which the arrays are stored."""
        return device_of(self.mass)


class Communities(NamedTuple):
    """The community of each vertex. Its name is a vertex, not necessarily one of its own."""

    label: Int32s  # (n,)
    total: Int64s  # (n,): the mass of each community; 0 for a name that is not used
    used: Int64s  # (n,): the size of each community; empty if communities may have any size


class Terms(NamedTuple):
    """The numbers in the objective."""

    scale: float  # rules.py
    limit: int  # the maximum size of a community; 0: any size
    crowds: int  # whether the masses of vertices that move together can exceed what their links are worth


def by_level(cuda: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that combines a function of a level with its form for GPUs, as `by_device` does.

    Communities with a maximum size have only one form.
    """

    def combine(general: Function) -> Function:
        both = by_device(general, cuda)

        @wraps(general)
        def either(level: Level, *arguments: Any) -> Any:
            return (general if level.sizes.size else both)(level, *arguments)

        return cast(Function, either)

    return combine


def for_one_thread(level: Level, count: int) -> bool:
    """Return whether one thread handles this many vertices of a level in one call: the same result, in less time."""
    n = int(level.mass.size)
    work = count * (n + int(level.indices.size)) // max(n, 1)
    return work < (ALONE if num_threads() > 1 else ALONE_ON_ONE)


# ---- Tables of links


@rule
def weight_of(e, weights):
    """Return the weight of entry e."""
    return weights[e] if weights.size else 1


class Tables(NamedTuple):
    """The tables of all workers. Unused places are 0 in `sums` if keys are places, otherwise in `keys`."""

    keys: Int32s  # (workers * places,): a community plus 1; empty if keys are places
    sums: Int64s  # (workers * places,)
    slots: Int32s  # (workers * places,): the used places, relative to the start of the worker's table
    taken: Int64s  # (workers * APART,): the number of shares of each worker that have been taken
    places: int  # per worker
    direct: int  # whether keys are places


@rule
def mask_of(length, tables):
    """Return how to use the table for a row: -1 with keys as places, 0 as a list, else the number of places - 1."""
    if tables.direct:
        return -1
    if length <= _SHORT:
        return 0
    return min(tables.places, 1 << (66 - leading_zeros(length - 1))) - 1


@rule
def add_link(key, weight, count, mask, tables, base):
    """Add a positive weight to the sum of a key; return the number of distinct keys, which was `count` before."""
    keys, sums = tables.keys, tables.sums
    if mask < 0:
        before = sums[base + key]
        sums[base + key] = before + weight
        tables.slots[base + count] = key  # of the next new key, if this one is not new: a branch would be slower
        return count + (before == 0)
    place = 0
    if mask == 0:
        while place < count and keys[base + place] != key + 1:
            place += 1
    else:
        mixed = int(key) * _MULTIPLIER & _LOW_32
        place = (mixed ^ (mixed >> 15)) & mask
        while keys[base + place] != 0 and keys[base + place] != key + 1:
            place = (place + 1) & mask
    if keys[base + place] == key + 1:
        sums[base + place] += weight
        return count
    keys[base + place] = key + 1
    sums[base + place] = weight
    tables.slots[base + count] = place
    return count + 1


@rule
def key_at(place, tables, base):
    """Return the key in a used place."""
    return int(place if tables.direct else tables.keys[base + place] - 1)


@rule
def clear(place, tables, base):
    """Clear a place."""
    if tables.direct:
        tables.sums[base + place] = 0
    else:
        tables.keys[base + place] = 0


@rule
def next_share(worker, workers, tables):
    """Take a share of the work of a kernel; there are `SHARES` for each worker, from 0 on. Without one, return the end.

    A worker takes its own ones first: they are the same vertices in every pass, whose data may be in its cache.
    """
    for k in range(workers):
        owner = (worker + k) % workers
        if tables.taken[owner * APART] < SHARES:
            share = atomic_add(tables.taken, owner * APART, 1)
            if share < SHARES:
                return owner * SHARES + share
    return workers * SHARES


def ready(tables: Tables) -> Tables:
    """Return the tables for a kernel of which no share has been taken."""
    tables.taken[:] = 0
    return tables


class Workspace:
    """Arrays on a CPU that all levels of a call use: memory that was never used costs a page fault per 4 KiB."""

    def __init__(self) -> None:
        no_sums, no_slots = np.empty(0, np.int64), np.empty(0, np.int32)
        self._tables = [Tables(no_slots, no_sums, no_slots, no_sums, 0, 0)] * 2
        self._arrays = [(no_slots, no_sums)] * 2

    def tables(self, work: int, longest: int, keys: int) -> tuple[int, Tables]:
        """Return a number of workers and their empty tables for rows of at most `longest` entries, keys below `keys`.

        Who uses a table leaves it empty.
        """
        workers = worker_count("cpu", work)
        direct = int(keys <= _DIRECT and keys * workers <= _ALL_DIRECT)
        places = keys if direct else 1 << (max(4 * min(longest, keys), _SHORT + 1) - 1).bit_length()
        size = workers * places
        if self._tables[direct].sums.size < size:  # zeros are not touched before they are used
            listed, slots = np.zeros(0 if direct else size, np.int32), np.empty(size, np.int32)
            self._tables[direct] = Tables(
                listed, np.zeros(size, np.int64), slots, np.empty(0, np.int64), places, direct
            )
        return workers, self._tables[direct]._replace(places=places, taken=np.empty(workers * APART, np.int64))

    def loose_rows(self, entries: int) -> tuple[Any, Any]:
        """Return arrays for the indices and weights of a level with gaps between its rows, with any contents."""
        return self._rows(0, entries)

    def packed_rows(self, entries: int) -> tuple[Any, Any]:
        """Return arrays for the indices and weights of a level, which may be those of the level before."""
        return self._rows(1, entries)

    def _rows(self, which: int, entries: int) -> tuple[Any, Any]:
        if self._arrays[which][0].size < entries:
            self._arrays[which] = np.empty(entries, np.int32), np.empty(entries, np.int64)
        indices, weights = self._arrays[which]
        return indices[:entries], weights[:entries]


# ---- Rules


@rule
def worth(links, rate, mass):
    """Return the worth of a community for a vertex; `rate` is ``scale * float(mass of the vertex)``."""
    return float(links) - rate * float(mass)


@rule
def is_gain(gain, links, rate, masses):
    """Return whether a difference of two worths is above the rounding error; `links` and `masses` are their sums."""
    return gain > TINY * (float(links) + rate * float(masses))


@rule
def draw(x, salt):
    """Return 32 random bits for a vertex or community and a salt, which is a hash."""
    return hash32(hash32(x) ^ salt)


@rule
def turn(v, salt):
    """Return a distinct word for each vertex: the random order in which vertices join parts."""
    return ((draw(v, salt) >> _DROPPED_BITS) << _VERTEX_BITS) | v


@rule
def varied(value, part, v, salt):
    """Return the worth of a part for v in refinement, reduced by a random fraction for each pair."""
    return value * (1.0 - THETA * (float(draw(part, salt ^ hash32(v))) * UNIT))


@rule
def best_move(v, level, communities, terms, tables, base):
    """Return the community that v should move to, the gain, and the slack of that choice.

    If no move is a gain, they are its own community and 0. The *slack* is the worth of the chosen community minus the
    largest worth of all others; that of a community without links to v is at most 0.
    """
    label, total, used, weights = communities.label, communities.total, communities.used, level.weights
    first, end = level.indptr[v], level.indptr[v + 1]
    mask = mask_of(end - first, tables)
    count = 0
    if weights.size:
        for e in range(first, end):
            count = add_link(label[level.indices[e]], weights[e], count, mask, tables, base)
    else:
        for e in range(first, end):
            count = add_link(label[level.indices[e]], 1, count, mask, tables, base)
    own = label[v]
    own_links = 0
    for i in range(count):
        place = tables.slots[base + i]
        if key_at(place, tables, base) == own:
            own_links = tables.sums[base + place]
    tie = hash32(v) & 1 if terms.crowds else 0  # two orders of equal communities: with one, many vertices meet in one
    rate = terms.scale * float(level.mass[v])
    own_mass = total[own] - level.mass[v]
    stay = worth(own_links, rate, own_mass)
    best, best_worth, best_links, best_mass = own, stay, 0, 0
    second = 0.0
    for i in range(count):
        place = tables.slots[base + i]
        c = key_at(place, tables, base)
        links = tables.sums[base + place]
        clear(place, tables, base)
        if c != own and (terms.limit == 0 or used[c] + level.sizes[v] <= terms.limit):
            value = worth(links, rate, total[c])
            if value > best_worth or (value == best_worth and best != own and draw(c, tie) < draw(best, tie)):
                second = max(second, best_worth)
                best, best_worth, best_links, best_mass = c, value, links, total[c]
            else:
                second = max(second, value)
    if best_worth < 0.0 and total[v] == 0:  # a singleton, under a name that no other vertex can take now
        best, best_worth, best_links, best_mass = v, 0.0, 0, 0
    gain, slack = best_worth - stay, max(best_worth - second, 0.0)
    if best == own:
        return int(own), 0.0, slack
    if not is_gain(gain, own_links + best_links, rate, own_mass + best_mass):
        return int(own), 0.0, 0.0
    return int(best), gain, slack


def salt_of(seed: int, level: int, step: int) -> int:
    """Return the salt of one step on one level; `seed` is the hash of the seed plus the number of the iteration."""
    mixed: int = hash32(hash32(hash32(seed & 0xFFFFFFFF) + level) + step + 0x9E3779B9)
    return mixed
