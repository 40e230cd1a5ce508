"""The next level of the hierarchy: a vertex for each part, and between two parts the sum of the weights of all links.

Result: a level without loops; a function of the level and its parts. (The order of entries in a row follows the
vertices of the part; no later step depends on it.)

Rule: weight(p, q) = sum of the weights of all entries from p to q. In the code: `sum_rows`.

Idea: the vertices are sorted by part. A worker sums the links of a part to all others in a table, as in local moving,
and writes them to a range that has room for all entries of its vertices. The rows are then moved together.

Cost: one look at each entry, and a copy of the coarse ones. Work memory: 12 bytes per entry (16 with 64-bit ids), 16
per vertex, and the tables of rules.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, Offsets, atomic_add, atomic_min, edge_chunk_bounds, kernel
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import exclusive_scan, sort_by_key
from .rules import SHARES, Level, Tables, Workspace, add_link, clear, key_at, mask_of, next_share, ready, weight_of


class Members(NamedTuple):
    """The vertices of each part."""

    starts: Int64s  # (parts + 1,)
    vertices: Int64s  # (n,)


class Sums(NamedTuple):
    """Rows of the coarse level, each in the range of all entries of its vertices."""

    starts: Int64s  # (parts + 1,): the ranges
    lengths: Int64s  # (parts,)
    indices: Int32s  # (entries,)
    weights: Int64s  # (entries,)


@kernel(by="edges")
def sum_weights(v, level: Level, label: Int32s, sums: Int64s):
    """Sum the weights of the entries of v; a loop counts twice. With labels, sum only links inside its community."""
    total = 0
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u, weight = level.indices[e], weight_of(e, level.weights)
        if label.size:
            total += weight if label[u] == label[v] else 0
        else:
            total += 2 * weight if u == v else weight
    sums[v] = total


@kernel
def sum_lengths(v, indptr: Offsets, part: Int32s, sizes: Int64s, lengths: Int64s):
    """Add a vertex and the length of its row to its part."""
    atomic_add(sizes, part[v], 1)
    atomic_add(lengths, part[v], indptr[v + 1] - indptr[v])


@kernel
def sum_by_part(v, part: Int32s, values: Int64s, sums: Int64s):
    """Add the value of a vertex to its part."""
    atomic_add(sums, part[v], values[v])


@kernel(by="workers")
def sum_rows(worker, workers, level: Level, part: Int32s, members: Members, tables: Tables, sums: Sums):
    """Sum the links of each part."""
    parts = sums.lengths.size
    base = worker * tables.places
    share = next_share(tables)
    while share < workers * SHARES:
        start, end = edge_chunk_bounds(sums.starts, parts, share, workers * SHARES)
        for p in range(start, end):
            first = sums.starts[p]
            mask = mask_of(min(sums.starts[p + 1] - first, parts), tables)
            count = 0
            for i in range(members.starts[p], members.starts[p + 1]):
                v = members.vertices[i]
                for e in range(level.indptr[v], level.indptr[v + 1]):
                    q = part[level.indices[e]]
                    if q != p:
                        count = add_link(q, weight_of(e, level.weights), count, mask, tables, base)
            for i in range(count):
                place = tables.slots[base + i]
                sums.indices[first + i] = key_at(place, tables, base)
                sums.weights[first + i] = tables.sums[base + place]
                clear(place, tables, base)
            sums.lengths[p] = count
        share = next_share(tables)


@kernel
def copy_row(p, sums: Sums, indptr: Int64s, indices: Int32s, weights: Int64s):
    """Copy a row to its final place."""
    shift = sums.starts[p] - indptr[p]
    for e in range(indptr[p], indptr[p + 1]):
        indices[e] = sums.indices[e + shift]
        weights[e] = sums.weights[e + shift]


@kernel
def find_first_part(v, label: Int32s, part: Int32s, first: Int32s):
    """Lower the first part of the community of v."""
    if part[v] < first[label[v]]:
        atomic_min(first, label[v], part[v])


@kernel
def label_part(v, label: Int32s, part: Int32s, first: Int32s, result: Int32s):
    """Store the community of the part of v; all vertices of the part store the same."""
    result[part[v]] = first[label[v]]


def sums_by_part(values: Any, part: Any, parts: int) -> Any:
    """Return the sum of the values of each part."""
    sums = array_module(device_of(part)).zeros(parts, values.dtype)
    sum_by_part(int(part.size), part, values, sums)
    return sums


def lengths_of_parts(level: Level, parts: int, part: Any) -> tuple[Any, Any]:
    """Return the number of vertices and the number of entries of each part."""
    xp = array_module(device_of(part))
    sizes, lengths = xp.zeros(parts, "int64"), xp.zeros(parts, "int64")
    sum_lengths(int(part.size), level.indptr, part, sizes, lengths)
    return sizes, lengths


def coarse_level(level: Level, parts: int, part: Any, space: Workspace) -> Level:
    """Build the level whose vertices are the parts; `part` has their numbers."""
    n, entries = int(part.size), int(level.indices.size)
    sizes, lengths = lengths_of_parts(level, parts, part)
    members = Members(exclusive_scan(sizes), sort_by_key(part))
    starts = exclusive_scan(lengths)
    workers, tables = space.tables(n + entries, int(lengths.max()), parts)
    sums = Sums(starts, lengths, *space.rows(entries))
    sum_rows(workers, level, part, members, ready(tables), sums)
    indptr = exclusive_scan(lengths)
    total = int(indptr[-1])
    indices, weights = np.empty(total, np.int32), np.empty(total, np.int64)
    copy_row(parts, sums, indptr, indices, weights)
    mass = sums_by_part(level.mass, part, parts)
    return Level(
        indptr, indices, weights, mass, sums_by_part(level.sizes, part, parts) if level.sizes.size else level.sizes
    )


def coarse_labels(label: Any, parts: int, part: Any) -> Any:
    """Return the community of each part, named by its first part."""
    xp, n = array_module(device_of(part)), int(part.size)
    first, result = xp.full(n, n, part.dtype), xp.empty(parts, part.dtype)
    find_first_part(n, label, part, first)
    label_part(n, label, part, first, result)
    return result
