"""Sums of the weights that join a vertex to each community in its neighborhood: a small table for each worker.

If there are few vertices, keys are places: ``sums[key]``. Otherwise a short row uses its table as a list that is
searched from the start, and a long row uses the first 2**k places as a hash table with linear probing, where 2**k is at
least four times the number of distinct keys. `slots` lists the used places in the order of the first occurrence of
their keys. It is used to read the sums, and to clear the table in as many steps as it has keys.

Work memory: 16 bytes for each place. With keys as places all tables have at most 2**18 places; a
hash table has up to eight places for each entry of the longest row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, leading_zeros, rule, worker_count
from .._core.runtime.device import array_module

_SHORT = 12  # entries of a row that is searched from the start
_MULTIPLIER = 0x9E3779B1
_LOW_32 = 0xFFFFFFFF
_SHARES = 4  # per thread, so that long rows do not delay the other threads
_DIRECT = 1 << 18  # places in all tables with keys as places: they fit in a cache
_MAX_PLACES = 4  # per entry of the graph, in all tables on a GPU


class Tables(NamedTuple):
    """The tables of all workers."""

    keys: Int32s  # (workers * places,): a community, or -1; empty if keys are places
    sums: Int64s  # (workers * places,); 0 in unused places if keys are places
    slots: Int32s  # (workers * places,): the used places, relative to the start of the worker's table
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
        if before == 0:
            tables.slots[base + count] = key
            return count + 1
        return count
    place = 0
    if mask == 0:
        while place < count and keys[base + place] != key:
            place += 1
    else:
        mixed = int(key) * _MULTIPLIER & _LOW_32
        place = (mixed ^ (mixed >> 15)) & mask
        while keys[base + place] >= 0 and keys[base + place] != key:
            place = (place + 1) & mask
    if keys[base + place] == key:
        sums[base + place] += weight
        return count
    keys[base + place] = key
    sums[base + place] = weight
    tables.slots[base + count] = place
    return count + 1


@rule
def key_at(place, tables, base):
    """Return the key in a used place."""
    return int(place if tables.direct else tables.keys[base + place])


@rule
def clear(place, tables, base):
    """Clear a place."""
    if tables.direct:
        tables.sums[base + place] = 0
    else:
        tables.keys[base + place] = -1


def make_tables(device: str, work: int, longest: int, keys: int) -> tuple[int, Tables]:
    """Return a number of workers and their tables for rows of at most `longest` entries with keys below `keys`."""
    xp = array_module(device)
    workers = worker_count(device, work)
    if device == "cpu":
        workers = workers * _SHARES if workers > 1 else 1
    direct = int(device == "cpu" and keys * workers <= _DIRECT)
    places = keys if direct else 1 << (max(4 * min(longest, keys), _SHORT + 1) - 1).bit_length()
    if device != "cpu":
        workers = max(1, min(workers, _MAX_PLACES * work // places))
    size = workers * places
    listed = xp.empty(0, np.int32) if direct else xp.full(size, -1, np.int32)
    return workers, Tables(listed, xp.zeros(size, np.int64), xp.empty(size, np.int32), places, direct)
