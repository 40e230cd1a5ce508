"""Direction-optimizing breadth-first search: top-down from small frontiers, bottom-up from large ones.

Result: distances, and as the parent of each vertex the smallest neighbor that is one step closer to the sources. Both
depend only on the graph and the sources.

Rule: distance(v) = 1 + the smallest distance of a vertex with an arc to v, 0 for a source, and

    parent(v) = the smallest u with an arc (u, v) and distance(u) = distance(v) - 1

The oracle is `breadth_first` in tests/support/naive.py. In the code: top_down.py and bottom_up.py; `_Search.run`
chooses between them.

Idea: the direction is chosen by counting entries. The search goes bottom-up when the frontier's rows have more than
1/15 of the entries in unseen rows, and top-down again when the frontier shrinks and has at most 1/18 of the vertices.
Bottom-up levels read incoming arcs. If the pattern is symmetric, these are the graph's own rows. Otherwise bottom-up
levels are used only if the transpose is already known, because computing it takes longer than a search.

Small levels are processed by one thread, with many levels per call. A call ends after a few tenths of a second, so that
a search can be interrupted.

State: see top_down.py.

Cost: top-down reads each entry once; bottom-up reads a few entries of each vertex. Work memory: 4 bytes and two bits
per vertex (8 bytes with 64-bit ids), and after bottom-up levels a mask and a frontier, which is small at that time.

Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Rows, kernel, worker_count
from .._core.runtime.primitives import compact
from ..graph import Graph
from .bottom_up import InwardRows, level_bottom_up, mark_reached
from .top_down import Tree, level_top_down, levels_alone

_ALPHA, _BETA = 15, 18  # as in the GAP Benchmark Suite (the paper has 14 and 24)
_MAX_ALONE = 4096  # entries in the rows of a frontier; below this, a second thread does not pay off
_BUDGET = 1 << 25  # entries per call of a single thread: bounds the latency of Ctrl-C
_CHUNK = 4096  # vertices that a worker appends to the queue at once, see top_down.py


@kernel(types="int32[] int32[]")
def _mark_unreached(v, tree: Tree):
    """Replace n, which means "not reached yet", by -1."""
    if tree.distance[v] == tree.distance.size:
        tree.distance[v] = -1
        tree.parent[v] = -1


class _BreadthFirstSearch:
    """A search that proceeds level by level; see top_down.py for the state."""

    def __init__(self, graph: Graph, sources: Any, last_level: int) -> None:
        xp, n = graph.xp, graph.num_vertices
        self.last_level = min(last_level, n)
        on_cpu, id_type = graph.device == "cpu", index_type(n)
        self.graph, self.rows = graph, Rows(graph.indptr, graph.indices)
        self.inward = graph if graph.facts.get("symmetric") else graph._known_transpose
        self.tree = Tree(xp.full(n, n, id_type), xp.full(n, n, id_type))
        self.tree.distance[sources], self.tree.parent[sources] = 0, sources
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.most_alone = (_MAX_ALONE if self.workers > 1 else graph.num_entries) if on_cpu else -1
        self.chunks = xp.empty(self.workers * (_CHUNK if on_cpu else 1), id_type)
        self.queue = xp.empty(n, id_type)
        self._start_from(sources, 0, 0)

    def _start_from(self, frontier: Any, level: int, seen: int) -> None:
        """Set the frontier; the rows seen before it have `seen` entries in total."""
        self.queue[: frontier.size] = frontier
        indptr = self.rows.indptr
        entries = int((indptr[frontier + 1] - indptr[frontier]).sum(dtype="int64"))
        self.progress = self._numbers(0, frontier.size, level, entries, seen)

    def _numbers(self, *numbers: int) -> Any:
        return self.graph.xp.asarray(numbers, np.int64)

    def run(self) -> Tree:
        """Process all levels."""
        rows, queue, tree, ratio = self.rows, self.queue, self.tree, 0 if self.inward is None else _ALPHA
        while True:
            head, tail, level, entries, seen = self.progress.tolist()
            if head == tail or level == self.last_level:
                break
            if self.inward is not None and entries * ratio > rows.indices.size - seen:
                self._run_bottom_up(self.inward, tail - head, level, seen)
            elif entries <= self.most_alone:
                levels_alone(rows, self.last_level, self.most_alone, ratio, _BUDGET, self.progress, queue, tree)
            else:
                self.progress = self._numbers(tail, tail, level + 1, 0, seen + entries)
                level_top_down(self.workers, rows, queue[head:tail], self.chunks, self.progress, queue, tree)
        _mark_unreached(tree.distance.size, tree)
        return tree

    def _run_bottom_up(self, inward: Graph, size: int, level: int, seen: int) -> None:
        """Process bottom-up levels from a frontier of `size` vertices, while frontiers grow or are large."""
        xp, n = self.graph.xp, self.queue.size
        reached, reached_now = xp.empty((n + 7) // 8, np.uint8), xp.empty((n + 7) // 8, np.uint8)
        mark_reached(reached.size, self.tree.distance, reached)
        counts, rows = xp.empty(self.workers, np.int64), InwardRows(inward.indptr, inward.indices, inward.is_sorted)
        before = 0
        while size > 0 and level < self.last_level and (size >= before or size * _BETA > n):
            level += 1
            level_bottom_up(self.workers, rows, level, reached, reached_now, self.tree, counts)
            reached, reached_now = reached_now, reached
            before, size = size, int(counts.sum())
        frontier = compact(self.tree.distance == level) if size else self.queue[:0]
        self._start_from(frontier, level, seen)


def search(graph: Graph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents; both are -1 for all other vertices.

    `sources` are distinct vertices in ascending order, in host memory or on the device of the graph.
    """
    distance, parent = _BreadthFirstSearch(graph, graph.xp.asarray(sources), last_level).run()
    return distance, parent
