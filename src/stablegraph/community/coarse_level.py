"""The next level of the hierarchy: a vertex for each part, and between two parts the sum of the weights of all links.

Result: a level without loops; a function of the level and its parts. (The order of entries in a row depends on the
number of threads; no later step depends on it.)

Rule: weight(p, q) = sum of the weights of all entries from p to q. In the code: `sum_rows`.

Idea: the vertices are sorted by part, and divided into shares of equally many vertices and entries. A worker sums the
links of a part to all others in a table, as in local moving, and writes them to a range that has room for all entries
of its vertices. If several shares have vertices of a part, its pieces are then summed in the same way. At the end, the
rows are moved together, to where those of the level before were.

Cost: one look at each entry, and a copy of the coarse ones. Work memory: 12 bytes per entry, 40 per vertex, and the
tables of rules.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, Offsets, atomic_add, atomic_min, edge_chunk_bounds, kernel, rule
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import exclusive_scan, sort_by_key
from .rules import SHARES, Level, Tables, Workspace, add_link, clear, key_at, mask_of, next_share, ready, weight_of


class Members(NamedTuple):
    """The vertices of a level in the order of their parts."""

    vertices: Int64s  # (n,)
    ends: Int64s  # (n + 1,): the number of entries of all earlier vertices in this order
    starts: Int64s  # (parts + 1,): the position of the first vertex of each part


class Sums(NamedTuple):
    """Rows of the coarse level, each in the range of all entries of its vertices."""

    lengths: Int64s  # (parts,)
    pieces: Int64s  # (shares,): for the part that began in an earlier share, the length of what this share adds to it
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


@kernel(each=4)
def sum_by_part(v, part: Int32s, values: Int64s, sums: Int64s):
    """Add the value of a vertex to its part."""
    atomic_add(sums, part[v], values[v])


@kernel(each=4)
def place_member(i, indptr: Offsets, part: Int32s, vertices: Int64s, starts: Int64s, lengths: Int32s):
    """Store the length of the i-th row in the order of parts, and where a part starts."""
    v = vertices[i]
    lengths[i] = indptr[v + 1] - indptr[v]
    if i == 0 or part[vertices[i - 1]] != part[v]:
        starts[part[v]] = i


@rule
def write_row(first, count, tables, base, sums):
    """Write the sums in a table as entries from `first` on, and clear the table."""
    for i in range(count):
        place = tables.slots[base + i]
        sums.indices[first + i] = key_at(place, tables, base)
        sums.weights[first + i] = tables.sums[base + place]
        clear(place, tables, base)


@kernel(by="workers")
def sum_rows(worker, workers, level: Level, part: Int32s, members: Members, tables: Tables, sums: Sums):
    """Sum the links of the parts in shares of the vertices; a part may begin in one share and end in another one."""
    vertices, shares, base = members.vertices, sums.pieces.size, worker * tables.places
    share = next_share(worker, workers, tables)
    while share < shares:
        sums.pieces[share] = 0
        i, end = edge_chunk_bounds(members.ends, vertices.size, share, shares)
        while i < end:
            p = part[vertices[i]]
            last = min(members.starts[p + 1], end)
            first = members.ends[i]
            mask = mask_of(min(members.ends[last] - first, sums.lengths.size), tables)
            count, begins = 0, i == members.starts[p]
            while i < last:
                v = vertices[i]
                for e in range(level.indptr[v], level.indptr[v + 1]):
                    q = part[level.indices[e]]
                    if q != p:
                        count = add_link(q, weight_of(e, level.weights), count, mask, tables, base)
                i += 1
            write_row(first, count, tables, base, sums)
            if begins:
                sums.lengths[p] = count
            else:
                sums.pieces[share] = count
        share = next_share(worker, workers, tables)


@rule
def add_entries(first, length, count, mask, tables, base, sums):
    """Add entries of rows that have been written to a table; return the number of distinct keys."""
    for e in range(first, first + length):
        count = add_link(sums.indices[e], sums.weights[e], count, mask, tables, base)
    return count


@kernel(by="workers")
def join_pieces(worker, workers, part: Int32s, members: Members, tables: Tables, sums: Sums):
    """Sum the pieces of each part that several shares have summed, when the second one of them is taken."""
    n, shares, base = members.vertices.size, sums.pieces.size, worker * tables.places
    share = next_share(worker, workers, tables)
    while share < shares:
        start, _ = edge_chunk_bounds(members.ends, n, share, shares)
        before, _ = edge_chunk_bounds(members.ends, n, max(share - 1, 0), shares)
        if start < n:
            p = part[members.vertices[start]]
            if before <= members.starts[p] < start:
                first, until = members.ends[members.starts[p]], members.starts[p + 1]
                mask = mask_of(min(members.ends[until] - first, sums.lengths.size), tables)
                count = add_entries(first, sums.lengths[p], 0, mask, tables, base, sums)
                piece = share
                while start < until:
                    count = add_entries(members.ends[start], sums.pieces[piece], count, mask, tables, base, sums)
                    piece += 1
                    start = n
                    if piece < shares:
                        start, _ = edge_chunk_bounds(members.ends, n, piece, shares)
                write_row(first, count, tables, base, sums)
                sums.lengths[p] = count
        share = next_share(worker, workers, tables)


@kernel(by="edges")
def copy_row(p, indptr: Int64s, members: Members, sums: Sums, indices: Int32s, weights: Int64s):
    """Copy a row to its final place."""
    shift = members.ends[members.starts[p]] - indptr[p]
    for e in range(indptr[p], indptr[p + 1]):
        indices[e] = sums.indices[e + shift]
        weights[e] = sums.weights[e + shift]


@kernel(each=4)
def find_first_part(v, label: Int32s, part: Int32s, first: Int32s):
    """Lower the first part of the community of v."""
    if part[v] < first[label[v]]:
        atomic_min(first, label[v], part[v])


@kernel(each=4)
def label_part(v, label: Int32s, part: Int32s, first: Int32s, result: Int32s):
    """Store the community of the part of v; all vertices of the part store the same."""
    result[part[v]] = first[label[v]]


def sums_by_part(values: Any, part: Any, parts: int) -> Any:
    """Return the sum of the values of each part."""
    sums = array_module(device_of(part)).zeros(parts, values.dtype)
    sum_by_part(int(part.size), part, values, sums)
    return sums


def in_order_of_parts(level: Level, parts: int, part: Any) -> Members:
    """Return the vertices in the order of their parts."""
    n, vertices = int(part.size), sort_by_key(part)
    starts, lengths = np.full(parts + 1, n), np.empty(n, np.int32)
    place_member(n, level.indptr, part, vertices, starts, lengths)
    return Members(vertices, exclusive_scan(lengths), starts)


def coarse_level(level: Level, parts: int, part: Any, space: Workspace) -> Level:
    """Build the level whose vertices are the parts; `part` has their numbers. Its arrays may be those of `level`."""
    n, entries = int(part.size), int(level.indices.size)
    members = in_order_of_parts(level, parts, part)
    longest = int(np.diff(members.ends[members.starts]).max())
    workers, tables = space.tables(n + entries, longest, parts)
    shares = workers * SHARES if workers > 1 else 1
    sums = Sums(np.empty(parts, np.int64), np.empty(shares, np.int64), *space.loose_rows(entries))
    sum_rows(workers, level, part, members, ready(tables), sums)
    if shares > 1:
        join_pieces(workers, part, members, ready(tables), sums)
    indptr = exclusive_scan(sums.lengths)
    indices, weights = space.packed_rows(int(indptr[-1]))
    copy_row(parts, indptr, members, sums, indices, weights)
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
