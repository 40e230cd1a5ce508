"""Scatter sorted by the partitions that own their ends.

Result: for each partition the entries of its rows, in the order of the edges.

Rule: as in csr/build.py, an edge (u, v) is the entry (u, v) and, if it is mirrored and no loop, (v, u) right after it.

Idea: ranges of partitions begin at buckets of 2**shift vertices, so a table of buckets gives the owner of each vertex.
Each worker counts the entries of its chunk of the edges for each partition. A prefix sum over these counts gives each
worker its places in each partition. Then the workers write the entries. The order is therefore that of the edges for
any number of threads.

Cost: the edges are read twice, the entries are written once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.build import Scatter, count_entries
from .._core.runtime import Int32s, Int64s, Int64Table, UInt16s, chunk_bounds, kernel, rule, worker_count
from .._core.runtime.primitives import places_of
from .on_disk import OnDisk


class Owners(NamedTuple):
    """The partition that owns each vertex, stored per bucket of vertices."""

    shift: int  # a bucket has 2**shift vertices
    of_bucket: UInt16s


class _Entries(NamedTuple):
    rows: Int32s
    columns: Int32s
    positions: Int64s  # the edges that they come from; empty if these are not needed


@kernel(by="workers", I="int32")
def _count_owned(worker, workers, edges: Scatter, owners: Owners, counts: Int64Table):
    """Count the entries of this worker's chunk of the edges for each partition."""
    for k in range(counts.shape[1]):
        counts[worker, k] = 0
    start, end = chunk_bounds(edges.u.size, worker, workers)
    for e in range(start, end):
        u = edges.u[e]
        v = edges.v[e]
        if u != v or not edges.drop_loops:
            counts[worker, owners.of_bucket[u >> owners.shift]] += 1
        if edges.mirror and u != v:
            counts[worker, owners.of_bucket[v >> owners.shift]] += 1


@rule
def _write_entry(worker, row, column, e, owners, places, entries):
    """Write an entry of the edge e to the worker's next place in the partition that owns its row."""
    k = owners.of_bucket[row >> owners.shift]
    place = places[worker, k]
    places[worker, k] = place + 1
    entries.rows[place] = row
    entries.columns[place] = column
    if entries.positions.size:
        entries.positions[place] = e


@kernel(by="workers", I="int32")
def _write_owned(worker, workers, edges: Scatter, owners: Owners, places: Int64Table, entries: _Entries):
    """Write each entry of this worker's chunk to its next place in the partition that owns the row."""
    start, end = chunk_bounds(edges.u.size, worker, workers)
    for e in range(start, end):
        u = edges.u[e]
        v = edges.v[e]
        if u != v or not edges.drop_loops:
            _write_entry(worker, u, v, e, owners, places, entries)
        if edges.mirror and u != v:
            _write_entry(worker, v, u, e, owners, places, entries)


def _split_by_owner(edges: Scatter, weights: Any | None, owners: Owners, partitions: int) -> list[tuple[Any, Any, Any]]:
    """Return the entries of each partition: (rows, columns, weights or None)."""
    workers = worker_count("cpu", int(edges.u.size))
    counts: Any = np.empty((workers, partitions), np.int64)
    _count_owned(workers, edges, owners, counts)
    splits = np.cumsum(counts.sum(axis=0))
    rows: Any = np.empty(int(splits[-1]), edges.u.dtype)
    positions: Any = np.empty(0 if weights is None else rows.size, np.int64)
    entries = _Entries(rows, np.empty_like(rows), positions)
    _write_owned(workers, edges, owners, places_of(counts), entries)
    parts = [np.split(array, splits[:-1]) for array in (entries.rows, entries.columns)]
    pieces = [None] * partitions if weights is None else np.split(weights[positions], splits[:-1])
    return list(zip(*parts, pieces, strict=True))


def count_entries_of(block: Any, n: int, shift: int, buckets: int, mirror: bool) -> Any:
    """Count the entries of each bucket of vertices."""
    u, v = _ends(block, n)
    workers = worker_count("cpu", int(u.size))
    counts, loops = np.empty((workers, buckets), np.int64), np.empty(workers, np.int64)
    count_entries(workers, Scatter(u, v, mirror, False), shift, counts, loops)
    return counts.sum(axis=0)


def _ends(block: Any, n: int) -> tuple[Any, Any]:
    """Return the ends of edges between n vertices, in the type of indices."""
    u, v, _ = block
    return u.astype(index_type(n), copy=False), v.astype(index_type(n), copy=False)


def even_ranges(entries: Any, shift: int, n: int, count: int) -> tuple[Any, Owners, list[int]]:
    """Split the vertices into ranges of whole buckets with even sums of vertices and entries.

    Return the bounds, the owners, and the number of entries of each range.
    """
    firsts = np.minimum(np.arange(entries.size + 1, dtype=np.int64) << shift, n)
    starts = np.concatenate([[0], np.cumsum(entries)])
    work = starts + firsts
    ends = np.searchsorted(work, work[-1] * np.arange(1, count) // count)
    places = np.concatenate([[0], ends, [entries.size]])
    owners = Owners(shift, np.repeat(np.arange(count, dtype=np.uint16), np.diff(places)))
    return firsts[places], owners, np.diff(starts[places]).tolist()


def route_edges(block: Any, bounds: Any, owners: Owners, mirror: bool, drop_loops: bool, directed: bool) -> list[Any]:
    """Sort the edges of a block by owner: for each partition a tuple of one side, or of arcs out and arcs in."""
    u, v, _ = block
    sides, n, count = [block, (v, u, None)] if directed else [block], int(bounds[-1]), bounds.size - 1
    sorted_sides = (
        _split_by_owner(Scatter(*_ends(side, n), mirror, drop_loops), side[2], owners, count) for side in sides
    )
    return list(zip(*sorted_sides, strict=True))


def piece_of(parts: list[Any], k: int) -> Any:
    """Return the entries of a block for a partition: a file, or copies, because views would keep the whole block."""
    return parts[k] if isinstance(parts[k], OnDisk) else _copied(parts[k])


def _copied(piece: Any) -> Any:
    return tuple(map(_copied, piece)) if isinstance(piece, tuple) else None if piece is None else piece.copy()
