"""Breadth-first levels, bottom-up: every unreached vertex searches its row for a reached vertex.

Result: the next level, with the smallest parents, independent of the schedule.

Rule: v is new  <=>  it is not reached and a vertex with an arc to it is; the smallest such vertex is its parent. In the
code: `_smallest_reached`.

Idea: when the frontier is large, most entries of its rows lead to reached vertices. An unreached vertex, however, soon
finds a neighbor in the frontier and can stop its search. In an ascending row the first one found is also the smallest,
and so the parent.

State: `reached`, a bit for each vertex, as it was before the level. A reached vertex with an unreached neighbor must be
in the frontier, because otherwise the neighbor would have been reached earlier. No list of the frontier is needed;
after the last level, `list_level` writes one.

Cost: a few entries of each unreached vertex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.runtime import Bytes, Int32s, Offsets, Vertices, edge_chunk_bounds, kernel, rule
from .top_down import Tree

_ALL = 255


class InwardRows(NamedTuple):
    """The rows of incoming arcs of each vertex."""

    indptr: Offsets
    indices: Vertices
    ascending: bool  # whether each row is sorted


class Level(NamedTuple):
    """Which vertices are reached, a bit for each, before a level and after it."""

    before: Bytes  # uint8 (ceil(n / 8),)
    after: Bytes


@kernel(each=8)
def mark_reached(group, distance: Int32s, reached: Bytes):
    """Compute the bits of eight vertices; positions after the last vertex count as reached."""
    n = distance.size
    bits = 0
    for i in range(8):
        v = 8 * group + i
        bits |= int(v >= n or distance[v] < n) << i
    reached[group] = bits


@rule
def _smallest_reached(v, rows, reached, no_vertex):
    """Return the smallest reached vertex in a row, or `no_vertex`."""
    smallest = no_vertex
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if (np.int64(reached[u >> 3]) >> (u & 7)) & 1:
            smallest = min(smallest, u)
            if rows.ascending:
                break
    return smallest


@rule
def _groups_of(worker, workers, rows):
    """Return a worker's range of groups of eight vertices."""
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, worker, workers)
    return (start + 7) >> 3, (end + 7) >> 3


@kernel(by="workers", types="int uint8[] uint8[] int64[]")
def level_bottom_up(worker, workers, rows: InwardRows, level, reached, reached_now, tree: Tree, counts):
    """Find the vertices at distance `level`, each from its own row; count the vertices that each worker found."""
    n = tree.distance.size
    start, end = _groups_of(worker, workers, rows)
    count = 0
    for group in range(start, end):
        bits = np.int64(reached[group])
        if bits != _ALL:
            for i in range(8):
                v = 8 * group + i
                if not (bits >> i) & 1:
                    u = _smallest_reached(v, rows, reached, n)
                    if u < n:
                        tree.distance[v] = level
                        tree.parent[v] = u
                        bits |= 1 << i
                        count += 1
        reached_now[group] = bits
    counts[worker] = count


@kernel(by="workers", types="O[] int64[] int64[] int32[]")
def list_level(worker, workers, rows: InwardRows, indptr, level: Level, ends, entries, queue):
    """Write a worker's vertices of the last level to the queue, and count the entries of their rows.

    `ends` are the positions after each worker's vertices.
    """
    start, end = _groups_of(worker, workers, rows)
    place, total = ends[worker], 0
    for group in range(start, end):
        bits = np.int64(level.before[group]) ^ np.int64(level.after[group])
        for i in range(8):
            if (bits >> i) & 1:
                v = 8 * group + i
                place -= 1
                queue[place] = v
                total += indptr[v + 1] - indptr[v]
    entries[worker] = total
