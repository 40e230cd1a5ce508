"""A partition: the rows of a range of vertices, as a graph of its own.

Result: a `Partition` for each range, a function of the graph and the ranges alone.

Rule: the vertices of a partition are those of its range, which it *owns*, and their neighbors elsewhere, its *ghosts*.
Both are numbered together in ascending order of their ids, so that what comes first by local number comes first by id,
and ties are settled without looking at ids.

State: the local graph is a `Graph` in which ghosts have empty rows, so every kernel of the library runs on it. Of a
directed graph a partition has the arcs that leave its range and, as a second graph, those that enter it; neighbors on
either side are ghosts, so that who is a neighbor does not depend on directions. The *boundary* are the owned vertices
that are ghosts elsewhere; what a partition tells others is about its boundary, in ascending order, once for all. For
each neighboring partition it knows where its own ghosts stand in that boundary.

Cost: that of numbering its columns, while it is made (numbering.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from dask.sizeof import sizeof

from ..csr.arrays import INT32_MAX
from ..csr.build import build_rows
from ..csr.facts import first_hash, second_hash
from ..csr.merge import merge_duplicates
from ..graph import Graph
from ..parallel import edge_share, kernel, worker_count, wrapping_add, wrapping_multiply
from ..parallel.groups import Rows
from ..parallel.primitives import compact
from .copies import at
from .numbering import beside_others, local_bounds, numbered, places_among

_WIDTH = 8  # of a worker's results: a cache line


class Source(NamedTuple):
    """The ghosts that another partition owns."""

    first: int  # the local numbers of these ghosts: from here
    beyond: int  # to here
    places: Any  # where they stand in the boundary of their owner


@dataclass(frozen=True)
class Partition:
    """The rows of the vertices `start` to `stop` - 1."""

    number: int
    start: int
    stop: int
    num_vertices: int  # of the whole graph
    ids: Any  # int64 or int32 (k,): the id of each vertex here, ascending
    first: int  # the local number of `start`
    graph: Graph  # of the k vertices; ghosts have no entries
    boundary: Any  # the local numbers of owned vertices that others have as ghosts
    degrees: Any  # (k,): distinct neighbors in the whole graph
    sources: dict[int, Source]  # by the numbers of neighboring partitions
    incoming: Graph | None = None  # of a directed graph: the rows turned round, of its own vertices, without weights

    @property
    def owned(self) -> slice:
        """The local numbers of owned vertices."""
        return slice(self.first, self.first + self.stop - self.start)

    @property
    def into(self) -> Graph:
        """From where entries lead to its own vertices."""
        return self.graph if self.incoming is None else self.incoming

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
    def own_rows(self) -> Rows:
        """The rows of owned vertices alone, from the first one on."""
        return self.own_sides[0]

    @property
    def own_sides(self) -> list[Rows]:
        """The rows of owned vertices; of a directed graph, also those of the arcs that lead to them."""
        sides = [self.graph] if self.incoming is None else [self.graph, self.incoming]
        own = slice(self.owned.start, self.owned.stop + 1)
        return [Rows(side.indptr[own], side.indices) for side in sides]

    @property
    def size(self) -> int:
        """How many vertices are here, ghosts among them."""
        return int(self.ids.size)

    def ghosts(self) -> Any:
        """A mask of the vertices here that others own."""
        mask = self.xp.ones(self.size, bool)
        mask[self.owned] = False
        return mask

    def with_owned(self, values: Any, fill: Any) -> Any:
        """An array for all vertices here from one for those owned; `fill` for ghosts."""
        result = self.xp.full(self.size, fill, values.dtype)
        result[self.owned] = values
        return result

    def own(self, mask: Any) -> Any:
        """The local numbers of those owned vertices at which a mask of these holds."""
        return (compact(mask) + self.first).astype(self.graph.indices.dtype)

    def local(self, ids: Any) -> Any:
        """The local numbers of vertices that are here."""
        return np.searchsorted(self.ids, ids.astype(self.ids.dtype, copy=False))

    @property
    def nbytes(self) -> int:
        """What the partition takes."""
        graphs = [self.graph] if self.incoming is None else [self.graph, self.incoming]
        arrays = [self.ids, self.boundary, self.degrees, *(source.places for source in self.sources.values())]
        return sum(map(_bytes_of, graphs)) + sum(int(array.nbytes) for array in arrays)


def _bytes_of(graph: Graph) -> int:
    return sum(int(array.nbytes) for array in (graph.indptr, graph.indices, graph.weights) if array is not None)


sizeof.register(Partition, lambda part: part.nbytes)  # for Dask's memory manager
sizeof.register(Graph, _bytes_of)


def of_rows(number: int, bounds: Any, indptr: Any, columns: Any, weights: Any | None = None) -> Partition:
    """The rows of one range, whose columns are ids of the whole graph; not yet linked to others."""
    start, stop = int(bounds[number]), int(bounds[number + 1])
    ids, columns = numbered(columns, start, stop, int(bounds[-1]))
    (first,), entries = local_bounds(ids, [start]), int(columns.size)
    rows = np.empty(ids.size + 1, np.int32 if entries <= INT32_MAX else np.int64)
    rows[: first + 1], rows[first + stop - start :] = 0, entries
    rows[first : first + stop - start + 1] = indptr
    graph = Graph._trusted(rows, columns, weights, directed=True)
    if not graph.is_sorted:
        graph = _sorted(graph._rows(), columns, weights, ids.size, False)
    return _unlinked(number, bounds, ids, graph)


def of_entries(
    number: int, bounds: Any, entries: tuple[Any, Any, Any], symmetrize: bool | str, drop_duplicates: bool
) -> Partition:
    """The same of (rows, columns, weights or None), in the order in which equal entries are to be combined."""
    rows, columns, weights = entries
    start, stop = int(bounds[number]), int(bounds[number + 1])
    ids, columns = numbered(columns, start, stop, int(bounds[-1]))
    return _unlinked(number, bounds, ids, _built(rows, columns, weights, ids, start, symmetrize, drop_duplicates))


def of_arcs(
    number: int, bounds: Any, out: tuple[Any, Any, Any], into: tuple[Any, Any, Any], drop_duplicates: bool
) -> Partition:
    """The same of a directed graph: (tails, heads, weights) of the arcs from its range, (heads, tails, None) to it."""
    start, stop = int(bounds[number]), int(bounds[number + 1])
    ids, columns = numbered(np.concatenate([out[1], into[1]]), start, stop, int(bounds[-1]))
    heads, tails = columns[: out[1].size], columns[out[1].size :]
    graph = _built(out[0], heads, out[2], ids, start, False, drop_duplicates, directed=True)
    incoming = _built(into[0], tails, None, ids, start, False, drop_duplicates)
    return _unlinked(number, bounds, ids, graph, incoming)


def _built(
    rows: Any,
    columns: Any,
    weights: Any,
    ids: Any,
    start: int,
    symmetrize: bool | str,
    drop_duplicates: bool,
    directed: bool = False,
) -> Graph:
    """The local graph of entries with the ids of rows and the numbers of columns."""
    (first,) = local_bounds(ids, [start])
    rows = (rows - (start - first)).astype(columns.dtype, copy=False)
    graph = _sorted(rows, columns, weights, ids.size, drop_duplicates and weights is None)
    if drop_duplicates and weights is not None:
        merged = merge_duplicates(graph.indptr, graph.indices, graph.weights, symmetrize, directed, ids)
        graph = Graph._trusted(*merged, directed=True)
    return graph


def _sorted(rows: Any, columns: Any, weights: Any | None, size: int, drop_duplicates: bool) -> Graph:
    built = build_rows(rows, columns, size, drop_duplicates=drop_duplicates, positions=weights is not None)
    weights = None if weights is None else weights[built.positions]
    return Graph._trusted(built.indptr, built.indices, weights, directed=True)


def _unlinked(number: int, bounds: Any, ids: Any, graph: Graph, incoming: Graph | None = None) -> Partition:
    start, stop = int(bounds[number]), int(bounds[number + 1])
    (first,) = local_bounds(ids, [start])
    owned = slice(first, first + stop - start)
    # Who has a ghost as a neighbor, is a ghost there: in and out of partitions, or as the pattern is symmetric.
    sides = [graph] if incoming is None else [graph, incoming]
    boundary = beside_others([Rows(side.indptr, side.indices) for side in sides], owned)
    boundary = boundary.astype(graph.indices.dtype, copy=False)
    n = int(bounds[-1])
    return Partition(number, start, stop, n, ids, first, graph, boundary, graph.degrees, {}, incoming)


def introduction(part: Partition) -> tuple[Any, Any]:
    """What neighbors must know of a partition: the ids of its boundary, and their degrees."""
    return at(part.boundary, part.ids), at(part.boundary, part.degrees)


def link(part: Partition, bounds: Any, introductions: dict[int, tuple[Any, Any]]) -> Partition:
    """The partition with the degrees of its ghosts, and their places in the boundaries of their owners."""
    degrees, sources = part.degrees.copy(), {}
    for q, (boundary, its_degrees) in introductions.items():
        first, beyond = local_bounds(part.ids, bounds[q : q + 2])
        places = places_among(part.ids[first:beyond], boundary)
        sources[q] = Source(first, beyond, places)
        degrees[first:beyond] = at(places, its_degrees)
    return replace(part, degrees=degrees, sources=sources)


@kernel(by="workers", types="int32[] int32[] int32[] int64[,]")
def _hash_directions(worker, workers, rows: Rows, ids, results):
    """The two sums of csr/facts.py over a worker's share of the rows, by the ids of the whole graph."""
    start, end = edge_share(rows.indptr, rows.indptr.size - 1, worker, workers)
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
    """A number that adds up to 0 modulo 2**63 over all partitions, if the pattern of the graph is symmetric."""
    results = np.zeros((worker_count("cpu", part.graph.num_entries), _WIDTH), np.int64)
    _hash_directions(results.shape[0], part.rows, part.ids, results)
    forward, backward = results[:, :2].sum(axis=0).tolist()
    return int((forward - backward) % 2**63)
