"""One pass over a graph's entries that verifies the assumptions of the kernels and collects properties of the graph.

Result: broken rows and indices out of range are always detected. An unsymmetric pattern is missed only with a
probability of about 2**-58.

Idea: searching for the partner of every entry costs 4 to 53 sweeps over the edges. Instead let ``a`` and ``b`` be two
hashes of a vertex and P the pattern, and compare the sums over all entries

    forward = sum of a(u) b(v) = a' P b        backward = sum of b(u) a(v) = a' P' b        (modulo 2**63)

They are equal if P is symmetric, including loops and repeated entries. Otherwise a' (P - P') b is a bilinear form in
pseudo-random words, which vanishes only by chance (Freivalds' test). Both hashes of ``u`` are factored out of the loop
over a row, so that an entry costs two multiplications and a dozen simple operations, without a branch.

Different sums do not prove that the pattern is unsymmetric: (0, 1) may be stored twice and (1, 0) once. Only in this
case `first_without_partner` searches. ``forward`` is also the fingerprint by which `Graph.check` detects that arrays
were changed.

Hashes are masked to 63 bits, so that they fit in signed integers.

Cost: 1.5 to 4 sweeps over the entries.

Degrees, the numbers of distinct neighbors without loops, are computed in another pass, when they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..runtime import (
    CudaSource,
    Offsets,
    Rows,
    array_module,
    by_device,
    device_of,
    edge_chunk_bounds,
    edge_split,
    kernel,
    lower_bound,
    rule,
    worker_count,
    wrapping_add,
    wrapping_multiply,
)
from ..runtime.arithmetic import MASK_63
from ..runtime.array_types import Int64s, Int64Table
from .build import build_rows

_FIRST = 0x1E37_79B9_7F4A_7C15
_OFFSET = 0x2545_F491_4F6C_DD1D
_SECOND = 0x3F58_476D_1CE4_E5B8

_LONGEST, _BACKWARD = 6, 8  # columns of the workers' results: the only maximum, and the last column
_WIDTH = 16  # of a worker's results: two cache lines, to avoid false sharing

SOURCE = CudaSource(__file__, "cuda/facts.cu", also=("cuda/rows.cuh", "cuda/hashes.cuh"))
_SHORT, _HUB = 32, 8192  # entries, as in rows.cuh
_NUMBERS, _LISTED = 11, 13  # on a GPU: the number of results that the host reads, and of all results


class Scan(NamedTuple):
    """The result of one pass over the entries. Sums are over all rows."""

    broken_rows: int  # rows whose begin and end are not in order or not inside the entries
    outside: bool  # whether an index is not a vertex
    descents: int  # entries smaller than the preceding entry of their row
    repeats: int  # entries equal to the preceding entry: all duplicates, if there are no descents
    loops: int
    loop_rows: int  # rows with at least one loop
    longest_row: int
    forward: int
    backward: int
    begin: int  # the first and the last element of indptr
    end: int

    def facts(self) -> dict[str, Any]:
        """Return the known facts, by the names of `Graph.facts`; facts that need more work are missing."""
        known = {"sorted": self.descents == 0, "loops": self.loops, "longest_row": self.longest_row}
        if self.forward == self.backward:
            known["symmetric"] = True
        elif self.descents == 0 and self.repeats == 0:
            known["symmetric"] = False
        if self.descents == 0:
            known["duplicates"] = self.repeats
        return known

    def simple_degree_offset(self, n: int, duplicates: int | None = None) -> int | None:
        """Return the offset as in `Graph`; `duplicates` is the number of duplicates, if the caller knows it."""
        if self.longest_row == 0:
            return 0
        if (self.repeats if self.descents == 0 else duplicates) != 0:
            return None
        if self.loops == 0:
            return 0
        return 1 if self.loops == n else None


@rule
def first_hash(v):
    """Return the hash a(v)."""
    # Without the offset, vertex 0 would hash to 0 (its entries would not count), and some hashes to twice another hash.
    x = wrapping_multiply(v + _OFFSET, _FIRST)
    return x ^ (x >> 32)


@rule
def second_hash(first):
    """Return the hash b(v), given a(v)."""
    x = wrapping_multiply(first, first ^ _SECOND)
    return x ^ (x >> 29)


@kernel(by="workers")
def scan_rows(worker, workers, n: int, entries: int, rows: Rows, results: Int64Table):
    """Check and count the entries of this worker's rows, and add up both products of hashes over them."""
    # In a broken indptr the search may return any row, but chunks that begin at 0 and end at n cover every row.
    start = edge_split(rows.indptr, n, worker, workers) if worker > 0 else 0
    end = edge_split(rows.indptr, n, worker + 1, workers)
    broken = 0
    outside = 0
    descents = 0
    repeats = 0
    loops = 0
    loop_rows = 0
    longest = 0
    forward = 0
    backward = 0
    for u in range(start, end):
        row_start = rows.indptr[u]
        row_end = rows.indptr[u + 1]
        if row_start < 0 or row_end < row_start or row_end > entries:
            broken += 1
            continue
        if row_start == row_end:
            continue  # a large, nearly empty graph has many such rows; hashing their vertices would dominate the time
        longest = max(longest, row_end - row_start)

        # Compare each entry with the preceding one, and add up the hashes.
        sum_first = 0
        sum_second = 0
        row_loops = 0
        previous = -1
        for e in range(row_start, row_end):
            v = rows.indices[e]
            outside |= v | (n - 1 - v)  # negative when v < 0 or v >= n
            first = first_hash(v)
            sum_first = wrapping_add(sum_first, first)
            sum_second = wrapping_add(sum_second, second_hash(first))
            descents += previous > v
            repeats += previous == v
            row_loops += u == v
            previous = v

        # Multiply the sums of the row by the hashes of its vertex.
        loops += row_loops
        loop_rows += row_loops > 0
        first = first_hash(u)
        forward = wrapping_add(forward, wrapping_multiply(first, sum_second))
        backward = wrapping_add(backward, wrapping_multiply(second_hash(first), sum_first))
    results[worker, 0] = broken
    results[worker, 1] = outside < 0
    results[worker, 2] = descents
    results[worker, 3] = repeats
    results[worker, 4] = loops
    results[worker, 5] = loop_rows
    results[worker, 6] = longest
    results[worker, 7] = forward
    results[worker, 8] = backward


def count_facts(indptr: Any, indices: Any, device: str) -> list[int]:
    """Return the numbers of a `Scan`, in the order of its members."""
    xp, workers = array_module(device), worker_count(device, int(indices.size))
    results = xp.zeros((workers, _WIDTH), dtype="int64")
    scan_rows(workers, indptr.size - 1, indices.size, Rows(indptr, indices), results)
    totals = results.sum(axis=0)  # 64-bit sums wrap around, like those of the workers
    totals[_LONGEST] = results[:, _LONGEST].max()
    return [*totals[: _BACKWARD + 1].tolist(), int(indptr[0]), int(indptr[-1])]


def _count_facts_on_gpu(indptr: Any, indices: Any, device: str) -> list[int]:
    """Compute the same on a GPU, in up to three launches."""
    xp, n, entries = array_module(device), int(indptr.size) - 1, int(indices.size)
    run = SOURCE.compiled(VERTEX=indices.dtype, OFFSET=indptr.dtype)
    room, hub_room = entries // _SHORT + 1, entries // _HUB + 1
    long_rows, hubs = xp.empty(room, indices.dtype), xp.empty(hub_room, indices.dtype)
    hub_has_loop, results = xp.empty(hub_room, np.uint32), xp.zeros(_LISTED, np.int64)
    run(
        "scan_short_rows", n, n, entries, indptr, indices, long_rows, hubs, hub_has_loop, room, hub_room, results
    )  # fmt: skip
    if entries > _SHORT:
        run("scan_long_rows", entries, n, indptr, indices, long_rows, room, results)
    if entries > _HUB:
        run("scan_hubs", entries, n, indptr, indices, hubs, hub_has_loop, hub_room, results)
    numbers: list[int] = results[:_NUMBERS].tolist()
    return numbers


_count_facts = by_device(count_facts, _count_facts_on_gpu)


def scan_facts(indptr: Any, indices: Any, device: str) -> Scan:
    """Run the pass without refusing anything. Work memory on a CPU: 128 bytes per worker."""
    numbers = _count_facts(indptr, indices, device)
    broken, outside, descents, repeats, loops, loop_rows, longest, forward, backward, begin, end = numbers
    sums = forward & MASK_63, backward & MASK_63
    return Scan(broken, outside > 0, descents, repeats, loops, loop_rows, longest, *sums, begin, end)


def total_scan(parts: Sequence[Scan]) -> Scan:
    """Return the scan of a graph, given those of its parts, which have all vertices and different rows."""
    total = Scan(*(sum(numbers) for numbers in zip(*parts, strict=True)))
    return total._replace(
        outside=any(part.outside for part in parts),
        longest_row=max(part.longest_row for part in parts),
        forward=total.forward & MASK_63,
        backward=total.backward & MASK_63,
    )


@kernel(by="workers")
def search_partners(worker, workers, n: int, rows: Rows, culprits: Int64s):
    """Find the first entry of each worker's rows that has no partner, or -1; rows must be sorted."""
    culprits[worker] = -1
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.indices[e]
            place = lower_bound(rows.indices, rows.indptr[v], rows.indptr[v + 1], u)
            if place == rows.indptr[v + 1] or rows.indices[place] != u:
                culprits[worker] = e
                return


def first_without_partner(indptr: Any, indices: Any, rows: Any = None) -> tuple[int, int] | None:
    """Return the lexicographically first entry (u, v) for which (v, u) is not stored; None if all have partners.

    If the rows are not sorted, pass the row of every entry as `rows`.
    """
    if rows is not None:
        in_order = build_rows(rows, indices, int(indptr.size) - 1)
        indptr, indices = in_order.indptr, in_order.indices
    device = device_of(indices)
    xp, workers = array_module(device), worker_count(device, int(indices.size))
    culprits = xp.empty(workers, np.int64)
    search_partners(workers, indptr.size - 1, Rows(indptr, indices), culprits)
    hits = culprits[culprits >= 0]
    if hits.size == 0:
        return None
    entry = int(hits.min())
    return int(xp.searchsorted(indptr, xp.asarray(entry), side="right")) - 1, int(indices[entry])


@kernel(by="edges")
def count_neighbors(u, rows: Rows, degrees: Offsets):
    """Count the distinct neighbors of u, without u itself; rows must be sorted."""
    degree = 0
    previous = -1
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        degree += v != previous and v != u
        previous = v
    degrees[u] = degree


def distinct_degrees(indptr: Any, indices: Any, rows: Any = None) -> tuple[Any, int]:
    """Return the degrees, and the number of repeated entries, which is only counted if the rows are not sorted.

    Then `rows` is the row of every entry, and the rows are sorted in work memory.
    """
    n = int(indptr.size) - 1
    in_order: Any = Rows(indptr, indices) if rows is None else build_rows(rows, indices, n)
    degrees = array_module(device_of(indices)).empty(n, dtype=indptr.dtype)
    sorted_rows = Rows(in_order.indptr.astype(indptr.dtype, copy=False), in_order.indices)
    count_neighbors(n, sorted_rows, degrees)
    return degrees, int(indices.size) - int(in_order.indices.size)
