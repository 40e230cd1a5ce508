"""A partition: the rows of a range of vertices, as a graph of its own.

Result: a `Partition` for each range, a function of only the graph and the ranges.

Rule: the vertices of a partition are those of its range, which it *owns*, and their neighbors outside the range, its
*ghosts*. Both are numbered together in ascending order of their ids. Local numbers therefore ascend with ids, and ties
are settled without reading ids.

State: the local graph is a `Graph` in which ghosts have empty rows, so every kernel of the library runs on it. For a
directed graph, a partition has the arcs that leave its range and, as a second graph, those that enter it. Neighbors on
either side are ghosts, so the neighbor relation between partitions does not depend on directions. The *boundary* is the
list of owned vertices that are ghosts in other partitions. A partition sends the same message about its boundary, in
ascending order, to all of its neighbors. For each neighboring partition it knows the places of its own ghosts in that
partition's boundary.

Cost: that of numbering its columns, when it is built: 5 bytes for each vertex of the whole graph (9 from 2**31 on), a
mark and the number of a marked vertex. Or 40 bytes for each column, if this is less: then the columns are sorted, which
takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from dask.sizeof import sizeof

from .._core.csr.arrays import INT32_MAX, index_type
from .._core.csr.build import build_rows
from .._core.csr.facts import first_hash, second_hash
from .._core.csr.merge import merge_duplicates
from .._core.option_names import Merge
from .._core.runtime import (
    Bools,
    Int32s,
    Rows,
    Vertices,
    array_module,
    chunk_bounds,
    device_of,
    edge_chunk_bounds,
    kernel,
    lower_bound,
    worker_count,
    wrapping_add,
    wrapping_multiply,
)
from .._core.runtime.array_types import Array, ArrayS, Int64Table, Integers
from .._core.runtime.primitives import compact
from ..graph import Graph

# Gathering by all threads


@kernel(S="uint32 uint8 uint64")
def _gather(i, places: Integers, values: ArrayS, result: ArrayS):
    """Copy one value."""
    result[i] = values[places[i]]


def as_words(array: Any) -> Any:
    """View the array as unsigned integers of its item size."""
    return array.view(f"u{array.dtype.itemsize}")


def take(places: Any, values: Any) -> Any:
    """Gather the values at some places."""
    result = array_module(device_of(values)).empty(places.size, values.dtype)
    _gather(places.size, places, as_words(values), as_words(result))
    return result


# Local numbers of the owned vertices and the vertices of the columns, in ascending order of ids

_SORTING = 40  # bytes a column


@kernel
def _mark(e, columns: Vertices, marks: Bools):
    """Mark the vertex of a column."""
    marks[columns[e]] = True


@kernel
def _number(i, ids: Int32s, numbers: Int32s):
    """Write the number of the i-th marked vertex."""
    numbers[ids[i]] = i


@kernel(by="workers")
def _find(worker, workers, ids: Int32s, among: Int32s, places: Int32s):
    """Find the place of each id of this worker's chunk in `among`, which contains all of them; both ascend."""
    start, end = chunk_bounds(ids.size, worker, workers)
    place = 0
    if start < end:
        place = lower_bound(among, 0, among.size, ids[start])
    for i in range(start, end):
        while place < among.size - 1 and among[place] < ids[i]:
            place += 1
        places[i] = place


@kernel(by="edges", V="int32", O="int32")
def _mark_adjacent_row(u, rows: Rows, first: int, stop: int, is_adjacent: Bools):
    """Mark a row with a column outside of a range."""
    outside = is_adjacent[u]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        outside |= (v < first) | (v >= stop)
    is_adjacent[u] = outside


def numbering_bytes(n: int, columns: int) -> int:
    """Return the bytes that numbering takes: marks for all vertices of the graph, or sorting the columns."""
    return min(_bytes_by_marks(n), _SORTING * columns)


def _bytes_by_marks(n: int) -> int:
    return n * (1 + np.dtype(index_type(n)).itemsize)


def number_vertices(columns: Any, start: int, stop: int, n: int) -> tuple[Any, Any]:
    """Return the ids of a range and of all columns, ascending, and the number of each column among them."""
    if numbering_bytes(n, columns.size) < _bytes_by_marks(n):
        every, places = np.unique(
            np.concatenate([columns, np.arange(start, stop, dtype=columns.dtype)]), return_inverse=True
        )
        return every.astype(index_type(n), copy=False), places[: columns.size].astype(index_type(every.size))
    marks = np.zeros(n, bool)
    _mark(columns.size, columns, marks)
    marks[start:stop] = True
    ids: Any = compact(marks).astype(index_type(n), copy=False)
    numbers: Any = np.empty(n, index_type(n))
    _number(ids.size, ids, numbers)
    return ids, take(columns, numbers).astype(index_type(ids.size), copy=False)


def places_among(ids: Any, among: Any) -> Any:
    """Return the places of ids in `among`, which contains all of them; both ascend."""
    places: Any = np.empty(ids.size, index_type(among.size))
    _find(worker_count("cpu", int(ids.size + among.size)), ids, among, places)
    return places


def adjacent_vertices(sides: list[Rows], owned: slice) -> Any:
    """Return the vertices with a column that is not owned, in the rows of any side."""
    is_adjacent = np.zeros(sides[0].indptr.size - 1, bool)
    for rows in sides:
        _mark_adjacent_row(is_adjacent.size, rows, owned.start, owned.stop, is_adjacent)
    return compact(is_adjacent)


def local_bounds(ids: Any, bounds: Any) -> list[int]:
    """Return the places of the first ids that are not below the bounds; ids ascend."""
    places = np.searchsorted(ids, np.asarray(bounds, ids.dtype))  # of another dtype, they would cause a copy of ids
    return [int(place) for place in places]


def owners_of(ids: Any, bounds: Any) -> list[int]:
    """Return the partitions that own at least one of these ids, which ascend."""
    return [k for k, (first, end) in enumerate(pairwise(local_bounds(ids, bounds))) if first < end]


_WIDTH = 8  # of a worker's results: a cache line


class Source(NamedTuple):
    """The ghosts that another partition owns."""

    first: int  # the local number of the first of these ghosts
    stop: int  # one more than that of the last
    places: Array  # their places in the boundary of their owner


@dataclass(frozen=True)
class Partition:
    """The rows of the vertices `start` to `stop` - 1."""

    number: int
    start: int
    stop: int
    num_vertices: int  # of the whole graph
    ids: Any  # int64 or int32 (k,): the id of each vertex, ascending
    first: int  # the local number of `start`
    graph: Graph  # of the k vertices; ghosts have no entries
    boundary: Any  # the local numbers of owned vertices that are ghosts in other partitions
    degrees: Any  # (k,): distinct neighbors in the whole graph
    sources: dict[int, Source]  # by the numbers of neighboring partitions
    incoming: Graph | None = None  # of a directed graph: the transposed rows of its owned vertices, without weights

    @property
    def owned(self) -> slice:
        """The local numbers of owned vertices."""
        return slice(self.first, self.first + self.stop - self.start)

    @property
    def reversed_graph(self) -> Graph:
        """The graph of the entries that lead to owned vertices, reversed."""
        return self.graph if self.incoming is None else self.incoming

    @property
    def reversed_rows(self) -> Rows:
        """The entries of `reversed_graph`, for kernels."""
        return Rows(self.reversed_graph.indptr, self.reversed_graph.indices)

    @property
    def pattern(self) -> Graph:
        """The graph without directions and weights."""
        if self.incoming is None:
            return self.graph
        tails = np.concatenate([self.graph._rows(), self.incoming._rows()])
        heads = np.concatenate([self.graph.indices, self.incoming.indices])
        rows = build_rows(tails, heads, self.size, drop_duplicates=True)
        return Graph._trusted(rows.indptr, rows.indices, directed=True)

    @property
    def xp(self) -> Any:
        """NumPy, or CuPy if its arrays are on a GPU."""
        return self.graph.xp

    @property
    def rows(self) -> Rows:
        """The entries, for kernels."""
        return Rows(self.graph.indptr, self.graph.indices)

    @property
    def owned_rows(self) -> Rows:
        """The rows of only the owned vertices, from the first one on."""
        return self.owned_sides[0]

    @property
    def owned_sides(self) -> list[Rows]:
        """The rows of owned vertices; for a directed graph, also those of the arcs that lead to them."""
        sides = [self.graph] if self.incoming is None else [self.graph, self.incoming]
        owned = slice(self.owned.start, self.owned.stop + 1)
        return [Rows(side.indptr[owned], side.indices) for side in sides]

    @property
    def size(self) -> int:
        """The number of local vertices, including ghosts."""
        return int(self.ids.size)

    def ghosts(self) -> Any:
        """Return a mask of the local vertices that other partitions own."""
        mask = self.xp.ones(self.size, bool)
        mask[self.owned] = False
        return mask

    def with_owned(self, values: Any, fill: Any) -> Any:
        """Extend an array for owned vertices to all local vertices, with `fill` for ghosts."""
        result = self.xp.full(self.size, fill, values.dtype)
        result[self.owned] = values
        return result

    def owned_vertices(self, mask: Any) -> Any:
        """Return the local numbers of the owned vertices at which a mask of these is set."""
        return (compact(mask) + self.first).astype(self.graph.indices.dtype)

    def local(self, ids: Any) -> Any:
        """Return the local numbers of vertices; the partition must have all of them."""
        return np.searchsorted(self.ids, ids.astype(self.ids.dtype, copy=False))

    @property
    def nbytes(self) -> int:
        """The number of bytes of all arrays of the partition."""
        graphs = [self.graph] if self.incoming is None else [self.graph, self.incoming]
        arrays = [self.ids, self.boundary, self.degrees, *(source.places for source in self.sources.values())]
        return sum(map(_bytes_of, graphs)) + sum(int(array.nbytes) for array in arrays)


def _bytes_of(graph: Graph) -> int:
    return sum(int(array.nbytes) for array in (graph.indptr, graph.indices, graph.weights) if array is not None)


sizeof.register(Partition, lambda part: part.nbytes)  # for Dask's memory manager
sizeof.register(Graph, _bytes_of)


def of_rows(number: int, bounds: Any, indptr: Any, columns: Any, weights: Any | None = None) -> Partition:
    """Build the partition of one range from rows whose columns are ids of the whole graph; it is not yet linked."""
    start, stop = int(bounds[number]), int(bounds[number + 1])
    ids, columns = number_vertices(columns, start, stop, int(bounds[-1]))
    (first,), entries = local_bounds(ids, [start]), int(columns.size)
    rows = np.empty(ids.size + 1, np.int32 if entries <= INT32_MAX else np.int64)
    rows[: first + 1], rows[first + stop - start :] = 0, entries
    rows[first : first + stop - start + 1] = indptr
    graph = Graph._trusted(rows, columns, weights, directed=True)
    if not graph.is_sorted:
        graph = _sorted(graph._rows(), columns, weights, ids.size, False)
    return _unlinked(number, bounds, ids, graph)


def of_entries(
    number: int, bounds: Any, sides: list[tuple[Any, Any, Any]], symmetrize: bool | Merge, drop_duplicates: bool
) -> Partition:
    """Make a partition from entries: rows, columns and weights or None; of a directed graph, of arcs out and arcs in.

    Entries are in the order of the edges.
    """
    start, stop = int(bounds[number]), int(bounds[number + 1])
    columns = [columns for _, columns, _ in sides]
    ids, every = number_vertices(
        columns[0] if len(sides) == 1 else np.concatenate(columns), start, stop, int(bounds[-1])
    )
    (first,), graphs = local_bounds(ids, [start]), []
    for (rows, _, weights), numbers in zip(sides, np.split(every, np.cumsum([c.size for c in columns])), strict=False):
        rows = (rows - (start - first)).astype(numbers.dtype, copy=False)
        graph = _sorted(rows, numbers, weights, ids.size, drop_duplicates and weights is None)
        if drop_duplicates and weights is not None:
            merged = merge_duplicates(graph.indptr, graph.indices, graph.weights, symmetrize, len(sides) > 1, ids)
            graph = Graph._trusted(*merged, directed=True)
        graphs.append(graph)
    return _unlinked(number, bounds, ids, *graphs)


def _sorted(rows: Any, columns: Any, weights: Any | None, size: int, drop_duplicates: bool) -> Graph:
    built = build_rows(rows, columns, size, drop_duplicates=drop_duplicates, positions=weights is not None)
    weights = None if weights is None else weights[built.positions]
    return Graph._trusted(built.indptr, built.indices, weights, directed=True)


def _unlinked(number: int, bounds: Any, ids: Any, graph: Graph, incoming: Graph | None = None) -> Partition:
    start, stop = int(bounds[number]), int(bounds[number + 1])
    (first,) = local_bounds(ids, [start])
    owned = slice(first, first + stop - start)
    # An owned vertex next to a ghost is a ghost in the owner's partition: the pattern of both sides is symmetric.
    sides = [graph] if incoming is None else [graph, incoming]
    boundary = adjacent_vertices([Rows(side.indptr, side.indices) for side in sides], owned)
    boundary = boundary.astype(graph.indices.dtype, copy=False)
    n = int(bounds[-1])
    return Partition(number, start, stop, n, ids, first, graph, boundary, graph.degrees, {}, incoming)


def introduction(part: Partition) -> tuple[Any, Any]:
    """Return the data that neighbors need about a partition: the ids of its boundary, and their degrees."""
    return take(part.boundary, part.ids), take(part.boundary, part.degrees)


def link(part: Partition, bounds: Any, introductions: dict[int, tuple[Any, Any]]) -> Partition:
    """Add the degrees of the ghosts, and their places in the boundaries of their owners, to a partition."""
    degrees, sources = part.degrees.copy(), {}
    for q, (boundary, boundary_degrees) in introductions.items():
        first, end = local_bounds(part.ids, bounds[q : q + 2])
        places = places_among(part.ids[first:end], boundary)
        sources[q] = Source(first, end, places)
        degrees[first:end] = take(places, boundary_degrees)
    return replace(part, degrees=degrees, sources=sources)


@kernel(by="workers", V="int32", O="int32")
def _hash_directions(worker, workers, rows: Rows, ids: Int32s, results: Int64Table):
    """Compute the two sums of _core/csr/facts.py over a worker's chunk of the rows, by the ids of the whole graph."""
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, worker, workers)
    forward = 0
    backward = 0
    for u in range(start, end):
        firsts = 0
        seconds = 0
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            first = first_hash(ids[rows.indices[e]])
            firsts = wrapping_add(firsts, first)
            seconds = wrapping_add(seconds, second_hash(first))
        first = first_hash(ids[u])
        forward = wrapping_add(forward, wrapping_multiply(first, seconds))
        backward = wrapping_add(backward, wrapping_multiply(second_hash(first), firsts))
    results[worker, 0] = forward
    results[worker, 1] = backward


def sum_directions(part: Partition) -> int:
    """Return a number that adds up to 0 modulo 2**63 over all partitions if the pattern of the graph is symmetric."""
    results = np.zeros((worker_count("cpu", part.graph.num_entries), _WIDTH), np.int64)
    _hash_directions(results.shape[0], part.rows, part.ids, results)
    forward, backward = results[:, :2].sum(axis=0).tolist()
    return int((forward - backward) % 2**63)


def owned_mask(part: Partition, vertices: Any) -> Any:
    """Return a mask of the owned vertices; `vertices` is such a mask, numbers of vertices, or None for no vertex."""
    mask = np.zeros(part.stop - part.start, bool)
    if vertices is not None:
        mask[vertices if vertices.dtype == bool else vertices - part.start] = True
    return mask


def entries_in_columns(part: Partition, ends: Any, graph: Graph | None = None) -> tuple[Any, Any, Any]:
    """Return the entries of a partition, or of another graph of its vertices, whose columns are in a range, by ids."""
    graph = part.graph if graph is None else graph
    rows, columns = part.ids[graph._rows()].astype(np.int64), part.ids[graph.indices].astype(np.int64)
    inside = (columns >= ends[0]) & (columns < ends[1])
    return rows[inside], columns[inside], None if graph.weights is None else graph.weights[inside]


def entries_of(part: Partition, vertices: Any) -> tuple[Any, Any]:
    """Return the entries in the rows of some vertices, without loops, by local numbers."""
    indptr, indices = part.rows
    lengths = indptr[vertices + 1] - indptr[vertices]
    ends = np.cumsum(lengths)
    places = np.repeat(indptr[vertices] - ends + lengths, lengths) + np.arange(int(lengths.sum()))
    tails, heads = np.repeat(vertices, lengths), indices[places]
    differ = tails != heads
    return tails[differ], heads[differ]
