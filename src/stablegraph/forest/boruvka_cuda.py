"""Minimum spanning forest by Borůvka's algorithm on a GPU: the driver of boruvka.cu; see forest_state.py for the rule.

A round takes three launches (four if keys need a second pass) and one transfer of the number of remaining edges. Trees
are first joined by light edges, up to a limit estimated from a sample. Then few heavy edges still connect two trees.

Work memory: 1 bit per entry, 12 bytes per vertex (20 with 64-bit keys), and 40 bytes (60) for each edge that is
expected in a list. The expected number is twice the number of trees or a 32nd of all edges, whichever is more. With
64-bit indices: 4 more bytes per vertex and 16 more per listed edge.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import CudaSource
from .._core.runtime.arrays_cuda import add_up
from ..graph import Graph
from .forest_state import matrix_of
from .weights import Order, key_range

SOURCE = CudaSource(
    __file__,
    "boruvka.cu",
    also=("../_core/csr/rows.cuh", "keys.cuh"),
    variants=({"BITS": np.dtype(np.int32)}, {"BITS": np.dtype(np.int64)}),
)

_SHORT, _HUB = 32, 8192  # as in _core/csr/rows.cuh
_CLIMB_BITS = 6  # a pass of `compress` shortens a path by a factor of 2**6
_BETWEEN, _LENGTH, _DEEP = 1, 2, 3  # counters, as in boruvka.cu
_COUNTERS = 24
_SAMPLES = 4096  # entries, to estimate the number of remaining edges and the limit of light ones
_LIGHT = 2  # light edges per tree
_SHARE = 32  # at least 1 / _SHARE of all edges is collected in a pass over the graph
_ROOM = 1024
_MAX_ENTRIES = 2**32  # that fit into a mark, next to a key of 32 bits
_TILE = 256


class _List(NamedTuple):
    """Edges between trees: roots of both ends, and marks (key << 32 | entry; or keys, with separate entries)."""

    us: Any
    vs: Any
    marks: Any
    entries: Any  # or 0, a null pointer


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """Return the forest."""
    return _Forest(graph, order).complete()


class _Forest:
    def __init__(self, graph: Graph, order: Order) -> None:
        xp, n, bits = graph.xp, graph.num_vertices, order.weights.bits
        self.graph, self.order = graph, order
        self.run = SOURCE.for_graph(graph, BITS=bits.dtype)
        lowest, highest = key_range(graph, order)
        self.is_wide = highest - lowest >= 2**32 or graph.num_entries > _MAX_ENTRIES
        flip, bias = int(order.weights.flip), int(order.weights.bias)
        self.weights = (bits, flip, bias, -(2**63) if self.is_wide else lowest)
        self.longest = graph._scanned().longest_row
        self.words = graph.num_entries // 32 + 1
        self.parent, self.chosen = xp.empty(n, graph.indices.dtype), xp.zeros(self.words, np.uint32)
        self.best, self.places = xp.empty(n, np.uint64), xp.empty(n, np.uint64) if self.is_wide else 0
        self.hubs = xp.empty(graph.num_entries // _HUB + 1, graph.indices.dtype)
        self.hub_count = xp.zeros(1, np.int64)

    def complete(self) -> Any:
        """Join trees until no edge remains between two of them, and return the forest."""
        self._join_vertices()
        limited = self.graph.num_entries > 0
        while limited:
            counters = self._compress()
            limit, expected = self._limit(counters)
            if expected:
                self._join(*self._collect(limit, expected, counters), counters)
            limited = limit is not None
        return self._matrix()

    def _join_vertices(self) -> None:
        """Run the first step: each vertex chooses its lightest edge."""
        n, graph = self.graph.num_vertices, self.graph
        rows, results = (graph.indptr, graph.indices), (self.parent, self.chosen)
        hubs = (self.best, self.places, self.hubs, self.hub_count)
        self.run("choose_in_short_rows", n, n, *rows, *self.weights, *results, *hubs)
        if self.longest > _SHORT:
            self.run("choose_in_long_rows", n, n, *rows, *self.weights, *results)
        self.run("break_pairs", n, n, *rows, *results)

    def _compress(self) -> Any:
        """Link all vertices to their roots; return counters, which include the number of trees."""
        n, counters = self.graph.num_vertices, self.graph.xp.zeros(_COUNTERS, np.int64)
        for number in range(-(-n.bit_length() // _CLIMB_BITS)):
            self.run("compress", n, n, self.parent, number, counters)
        return counters

    def _limit(self, counters: Any) -> tuple[Any, int]:
        """Return the limit (key, entry) of the edges to list, or None for all; and the approximate number of edges."""
        graph, xp = self.graph, self.graph.xp
        n, entries = graph.num_vertices, graph.num_entries
        keys, places = xp.empty(_SAMPLES, np.uint64), xp.empty(_SAMPLES, np.int64)
        self.run(
            "sample", _SAMPLES, _SAMPLES, n, entries, graph.indptr, graph.indices, *self.weights, self.parent, keys,
            places, counters,
        )  # fmt: skip
        trees, between = counters[: _BETWEEN + 1].tolist()
        if trees == 1:
            return None, 0
        remaining, target = between * entries // _SAMPLES, max(_LIGHT * trees, entries // 2 // _SHARE)
        if remaining <= 2 * target:
            return None, remaining + 1
        limit = xp.empty(2, np.uint64)
        self.run("pick", between, between, between * target // remaining, keys, places, limit)
        return limit, target

    def _collect(self, limit: Any, expected: int, counters: Any) -> tuple[_List, int]:
        """Return the edges between trees up to a limit, and their number."""
        graph, n = self.graph, self.graph.num_vertices
        room = expected + expected // 2 + _ROOM
        while True:
            edges = self._list(room)
            rows = (n, graph.indptr, graph.indices, *self.weights, self.parent, 0 if limit is None else limit)
            arguments = (*rows, *edges, room, counters)
            self.run("collect_short_rows", n, *arguments)
            if self.longest > _SHORT:
                self.run("collect_long_rows", n, *arguments)
            if self.longest > _HUB:
                self.run("collect_hubs", graph.num_entries, *arguments, self.hubs, self.hub_count)
            size = int(counters[_LENGTH])
            if size <= room:
                return edges, size
            room = size
            counters[_LENGTH] = 0

    def _list(self, room: int) -> _List:
        xp, id_type = self.graph.xp, self.graph.indices.dtype
        entries = xp.empty(room, np.uint64) if self.is_wide else 0
        return _List(xp.empty(room, id_type), xp.empty(room, id_type), xp.empty(room, np.uint64), entries)

    def _join(self, edges: _List, size: int, counters: Any) -> None:
        """Add the minimum spanning forest of the listed edges between trees."""
        spare = self._list(size)
        while size:
            us, vs, marks, entries = edges
            self.run("offer", size, size, us, vs, marks, self.best, counters)
            if self.is_wide:
                self.run("offer_entries", size, size, us, vs, marks, entries, self.best, self.places)
                compared, winners, entry_bits = entries, self.places, 2**63 - 1
            else:
                compared, winners, entry_bits = marks, self.best, 2**32 - 1
            self.run("hook", size, size, us, vs, compared, winners, entry_bits, self.parent, self.chosen)
            while True:
                self.run("relabel", size, size, *edges, self.parent, self.best, self.places, *spare, counters)
                size, is_deep = counters[_LENGTH : _DEEP + 1].tolist()
                edges, spare = spare, edges
                if not is_deep:
                    break
                counters = self._compress()

    def _matrix(self) -> Any:
        """Return the chosen edges as a matrix."""
        graph, xp, n, bits = self.graph, self.graph.xp, self.graph.num_vertices, self.order.weights.bits
        id_type = graph.indices.dtype
        sums = xp.empty(-(-self.words // _TILE), np.int64)
        self.run("count_tiles", 32 * sums.size, self.words, self.chosen, sums)
        add_up(sums)
        size = int(sums[-1])
        ranks, indptr = xp.empty(self.words, id_type), xp.empty(n + 1, id_type)
        indices, forest_bits = xp.empty(size, id_type), xp.empty(size, bits.dtype)
        results = (ranks, indices, forest_bits)
        self.run("copy_chosen", 32 * sums.size, self.words, self.chosen, sums, graph.indices, bits, *results)
        self.run("write_rows", n + 1, n, graph.indptr, self.chosen, ranks, indptr)
        return matrix_of(graph, self.order, indptr, indices, forest_bits)
