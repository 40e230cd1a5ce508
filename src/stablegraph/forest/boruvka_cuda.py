"""Minimum spanning forest by Borůvka's algorithm on a GPU: the driver of boruvka.cu; see forest_state.py for the rule.

Trees are first joined by light edges, up to a limit estimated from a sample. Then few heavy edges still connect two
trees. In most cases there are thus two lists of edges, and the host waits for the GPU four times.

Work memory: 1 bit and 1/8 byte per entry, 12 bytes per vertex (20 with 64-bit keys), and 32 bytes (48) for each edge
that fits into a list. The expected number is twice the number of trees or a 32nd of all edges, whichever is more, and
half of it is added. With 64-bit indices: 4 more bytes per vertex and 16 more per edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource, report
from .._core.runtime.arrays_cuda import add_up
from ..graph import Graph
from .forest_state import matrix_of
from .weights import Order, key_range

_BITS = ({"BITS": np.dtype(np.int32)}, {"BITS": np.dtype(np.int64)})
_SHARED = ("../_core/csr/rows.cuh", "keys.cuh", "trees.cuh")
SOURCE = CudaSource(__file__, "boruvka.cu", also=_SHARED, variants=_BITS)
ROUNDS = CudaSource(__file__, "boruvka_rounds.cu", also=_SHARED, block=1024, cooperative=True, variants=_BITS)

_SHORT, _HUB = 32, 8192  # as in _core/csr/rows.cuh
_COUNTERS = 16  # at least as many as in trees.cuh
_SAMPLES = 4096  # entries, to estimate the number of remaining edges and the limit of light ones
_LIGHT = 2  # light edges per tree
_SHARE = 32  # at least 1 / _SHARE of all edges is collected in a pass over the graph
_ROOM = 1024
_MAX_ENTRIES = 2**32  # that fit into a mark, next to a key of 32 bits
_TILE = 256


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """Return the forest."""
    return _Forest(graph, order).complete()


class _Forest:
    def __init__(self, graph: Graph, order: Order) -> None:
        xp, n, bits = graph.xp, graph.num_vertices, order.weights.bits
        self.graph, self.order = graph, order
        self.run, self.run_together = (source.for_graph(graph, BITS=bits.dtype) for source in (SOURCE, ROUNDS))
        lowest, highest = key_range(graph, order)
        self.is_wide = highest - lowest >= 2**32 or graph.num_entries > _MAX_ENTRIES
        flip, bias = int(order.weights.flip), int(order.weights.bias)
        self.weights = (bits, flip, bias, -(2**63) if self.is_wide else lowest)
        self.longest = graph._scanned().longest_row
        self.words = graph.num_entries // 32 + 1
        self.parent, self.chosen = xp.empty(n, graph.indices.dtype), xp.zeros(self.words, np.uint32)
        self.best, self.places = xp.empty(n, np.uint64), xp.empty(n, np.uint64) if self.is_wide else 0
        self.hubs = xp.empty(graph.num_entries // _HUB + 1, graph.indices.dtype)
        self.counters = xp.zeros(_COUNTERS, np.int64)
        self.samples = xp.empty((2, _SAMPLES), np.uint64)  # keys and entries
        self.trees = n

    def complete(self) -> Any:
        """Join trees until no edge remains between two of them, and return the forest."""
        self._join_vertices()
        limited = self.graph.num_entries > 0
        while limited:
            limit, expected = self._limit()
            if expected:
                self._join(limit, expected)
            limited = limit is not None
        return self._matrix()

    def _join_vertices(self) -> None:
        """Run the first step: each vertex chooses its lightest edge."""
        n, graph = self.graph.num_vertices, self.graph
        rows, results = (graph.indptr, graph.indices), (self.parent, self.chosen)
        work = (self.best, self.places, self.hubs, self.counters)
        self.run("choose_in_short_rows", n, n, *rows, *self.weights, *results, *work)
        if self.longest > _SHORT:
            self.run("choose_in_long_rows", n, n, *rows, *self.weights, *results)
        self.run("break_pairs", n, n, *rows, *results)

    def _limit(self) -> tuple[Any, int]:
        """Return the limit (key, entry) of the edges to list, or None for all; and the approximate number of edges."""
        graph, n, entries = self.graph, self.graph.num_vertices, self.graph.num_entries
        keys, places = self.samples
        self.run_together(
            "find_roots", n, n, _SAMPLES, entries, graph.indptr, graph.indices, *self.weights, self.parent, keys,
            places, self.counters, report.blank(),
        )  # fmt: skip
        self.trees, between, *_ = report.read()
        if self.trees == 1:
            return None, 0
        remaining, target = between * entries // _SAMPLES, max(_LIGHT * self.trees, entries // 2 // _SHARE)
        if remaining <= 2 * target:
            return None, remaining + 1
        limit = graph.xp.empty(2, np.uint64)
        self.run("pick", 32 * between, between, between * target // remaining, keys, places, limit)
        return limit, target

    def _join(self, limit: Any, expected: int) -> None:
        """Add the minimum spanning forest of the edges between trees up to a limit."""
        graph, xp, n = self.graph, self.graph.xp, self.graph.num_vertices
        length = expected + expected // 2 + _ROOM
        room = 0
        while length > room:
            room = length
            ends = xp.empty((4, room), graph.indices.dtype)
            marks = xp.empty((4 if self.is_wide else 2, room), np.uint64)
            rows = (n, graph.indptr, graph.indices, *self.weights, self.parent, 0 if limit is None else limit)
            arguments = (*rows, int(self.is_wide), ends, marks, room, self.counters)
            self.run("collect_short_rows", n, *arguments)
            if self.longest > _SHORT:
                self.run("collect_long_rows", n, *arguments)
            if self.longest > _HUB:
                self.run("collect_hubs", graph.num_entries, *arguments, self.hubs)
            trees = (self.parent, self.best, self.places, self.chosen)
            self.run_together("join", room, n, room, ends, marks, *trees, self.counters, report.blank())
            length, edges, *_ = report.read()
        self.trees -= edges

    def _matrix(self) -> Any:
        """Return the chosen edges as a matrix."""
        graph, xp, n, bits = self.graph, self.graph.xp, self.graph.num_vertices, self.order.weights.bits
        id_type, size = graph.indices.dtype, n - self.trees
        sums, ranks = xp.empty(-(-self.words // _TILE), np.int64), xp.empty(self.words, id_type)
        indptr, indices, forest_bits = xp.empty(n + 1, id_type), xp.empty(size, id_type), xp.empty(size, bits.dtype)
        self.run("count_tiles", 32 * sums.size, self.words, self.chosen, sums, ranks)
        add_up(sums)
        results = (ranks, indices, forest_bits)
        self.run("copy_chosen", self.words, self.words, self.chosen, sums, graph.indices, bits, *results)
        self.run("write_rows", n + 1, n, graph.indptr, self.chosen, ranks, indptr)
        return matrix_of(graph, self.order, indptr, indices, forest_bits)
