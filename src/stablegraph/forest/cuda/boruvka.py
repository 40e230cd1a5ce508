"""Minimum spanning forest by Borůvka's algorithm on a GPU: the driver of boruvka.cu; see forest_state.py for the rule.

Trees are first joined by light edges, up to a limit estimated from a sample. Then few heavy edges still connect two
trees. In most cases there are thus two lists of edges, and the host waits for the GPU four times; on small graphs there
is one list, and two waits.

Work memory: 1 bit and 1/8 byte per entry, 12 bytes per vertex (20 with 64-bit keys), and 32 bytes (48) for each edge
that fits into a list. The expected number is twice the number of trees or a 32nd of all edges, whichever is more, and
half of it is added. With 64-bit indices: 4 more bytes per vertex and 16 more per edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import WorkMemory, barrier_words
from ..._core.runtime.cuda.source import Report
from ...graph import Graph
from ..forest_state import matrix_of
from ..weights import Order, key_range

_BITS = ({"BITS": np.dtype(np.int32)}, {"BITS": np.dtype(np.int64)})
_SHARED = ("../../_core/csr/cuda/rows.cuh", "keys.cuh", "trees.cuh")
SOURCE = CudaSource(
    __file__,
    "boruvka.cu",
    also=("../../_core/runtime/cuda/shares.cuh", *_SHARED),
    block=512,
    cooperative=True,
    variants=_BITS,
)
ROUNDS = CudaSource(__file__, "boruvka_rounds.cu", also=_SHARED, block=1024, cooperative=True, variants=_BITS)

_SHORT, _HUB = 32, 8192  # as in _core/csr/cuda/rows.cuh
_COUNTERS = 14  # as in trees.cuh
_SAMPLES = 4096  # entries, to estimate the number of remaining edges and the limit of light ones
_LIGHT = 2  # light edges per tree
_SHARE = 32  # at least 1 / _SHARE of all edges is collected in a pass over the graph
_ROOM = 1024
_MAX_ENTRIES = 2**32  # that fit into a mark, next to a key of 32 bits
_WORDS = 1024  # of marks of chosen entries, per share that a block copies
_MAX_SHARES = 1024  # each adds up the counts of all shares before it


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """Return the forest."""
    forest = Forest(graph, order)
    for _ in forest.steps():
        pass
    return matrix_of(graph, order, *forest.rows())


class Forest:
    """The state of boruvka.cu.

    `graph` may be the rows of one of several GPUs. Then the forest is that of its upper entries, and `told` are the
    numbers that its kernels report.
    """

    def __init__(self, graph: Graph, order: Order, told: Report = report, *, is_part: bool = False) -> None:
        n, entries, bits = graph.num_vertices, graph.num_entries, order.weights.bits
        self.graph, self.order, self.id_size = graph, order, graph.indices.dtype.itemsize
        self.run, self.run_rounds = (source.for_graph(graph, BITS=bits.dtype) for source in (SOURCE, ROUNDS))
        lowest, highest = key_range(graph, order)
        self.is_wide = highest - lowest >= 2**32 or entries > _MAX_ENTRIES
        flip, bias = int(order.weights.flip), int(order.weights.bias)
        self.arrays = (graph.indptr, graph.indices, bits, flip, bias, -(2**63) if self.is_wide else lowest)
        self.longest, self.words = graph._scanned().longest_row, entries // 32 + 1
        self.work = WorkMemory(
            parent=self.id_size * n,
            chosen=4 * self.words,
            best=8 * n,
            places=8 * n * self.is_wide,
            hubs=self.id_size * (entries // _HUB + 1),
            keys=8 * _SAMPLES,
            sampled=8 * _SAMPLES,
            limit=16,
            counters=8 * _COUNTERS,
        )
        self.places = self.work.places if self.is_wide else 0
        self.trees, self.told = n, told
        self.has_long = -1 if is_part else int(self.longest > _SHORT)  # links from rows need the rows of both ends

    def steps(self) -> Iterator[None]:
        """Join trees until no edge remains between two of them; yield before the host waits for the GPU."""
        n, entries, work = self.graph.num_vertices, self.graph.num_entries, self.work
        samples = (_SAMPLES if entries else 0, work.keys, work.sampled, work.counters)
        self.run(
            "join_vertices", max(n, samples[0]), n, entries, self.has_long, *self.arrays, work.parent, work.chosen,
            work.best, self.places, work.hubs, *samples, barrier_words(), self.told.blank(),
        )  # fmt: skip
        yield
        while True:
            self.trees, between, *_ = self.told.read()
            limit, expected = self._limit(between)
            if expected:
                yield from self._join(limit, expected)
            if not limit:
                return
            self.run(
                "find_roots", max(n, _SAMPLES), n, entries, *self.arrays, work.parent, *samples, barrier_words(),
                self.told.blank(),
            )  # fmt: skip
            yield

    def _limit(self, between: int) -> tuple[int, int]:
        """Return the address of the limit of the edges to list, or 0 for all; and the approximate number of edges.

        `between` is the number of sampled upper entries between trees.
        """
        entries = self.graph.num_entries
        if self.trees <= 1 or entries == 0:
            return 0, 0
        remaining, target = between * entries // _SAMPLES, max(_LIGHT * self.trees, entries // 2 // _SHARE)
        if remaining <= 2 * target:
            return 0, remaining + 1
        rank = between * target // remaining
        self.run("pick", 32 * between, between, rank, self.work.keys, self.work.sampled, self.work.limit)
        return self.work.limit, target

    def _join(self, limit: int, expected: int) -> Iterator[None]:
        """Add the minimum spanning forest of the edges between trees up to a limit."""
        graph, work, n, is_wide = self.graph, self.work, self.graph.num_vertices, int(self.is_wide)
        length = expected + expected // 2 + _ROOM
        room = 0
        while length > room:
            room = length
            lists = WorkMemory(ends=4 * self.id_size * room, marks=8 * (4 if is_wide else 2) * room)
            self.run(
                "collect", graph.num_entries if self.longest > _HUB else n, n, *self.arrays, work.parent, limit,
                is_wide, self.longest, work.hubs, lists.ends, lists.marks, room, work.counters,
            )  # fmt: skip
            self.run_rounds(
                "join", room, n, room, lists.ends, lists.marks, work.parent, work.best, self.places, work.chosen,
                work.counters, barrier_words(), self.told.blank(),
            )  # fmt: skip
            yield
            length, edges, *_ = self.told.read()
        self.trees -= edges

    def rows(self) -> tuple[Any, Any, Any]:
        """Return the rows of the chosen upper entries, and the bits of their weights."""
        graph, xp, n, bits = self.graph, self.graph.xp, self.graph.num_vertices, self.order.weights.bits
        id_type, size, shares = graph.indices.dtype, n - self.trees, min(_MAX_SHARES, -(-self.words // _WORDS))
        work = WorkMemory(counts=8 * shares, ranks=self.id_size * self.words)
        indptr, indices, forest_bits = xp.empty(n + 1, id_type), xp.empty(size, id_type), xp.empty(size, bits.dtype)
        self.run(
            "write_forest", max(n + 1, self.words), n, self.words, shares, graph.indptr, graph.indices, bits,
            self.work.chosen, work.counts, work.ranks, indptr, indices, forest_bits, barrier_words(),
        )  # fmt: skip
        return indptr, indices, forest_bits
