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

Small levels are processed by one thread, all other top-down levels by all threads, with many levels per call. A call
ends after a few tenths of a second, so that a search can be interrupted.

State: see top_down.py.

Cost: top-down reads each entry once; bottom-up reads a few entries of each vertex. Work memory: 4 bytes and two bits
per vertex (8 bytes with 64-bit ids).

Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Rows, kernel, worker_count
from ..graph import Graph
from .bottom_up import InwardRows, Level, level_bottom_up, list_level, mark_reached
from .top_down import (
    CLAIMS,
    DONE,
    END,
    ENTRIES,
    FIELDS,
    HEAD,
    LEVEL,
    ONE_PIECE,
    SEEN,
    SPENT,
    TAIL,
    Limits,
    Tree,
    levels_alone,
    levels_together,
)

_ALPHA, _BETA = 15, 18  # as in the GAP Benchmark Suite (the paper has 14 and 24)
_MAX_ALONE = 4096  # entries in the rows of a frontier; below this, a second thread does not pay off
_BUDGET = 1 << 25  # entries per call: bounds the latency of Ctrl-C
_CHUNK = 4096  # vertices that a worker appends to the queue at once, see top_down.py


@kernel
def _mark_all(v, tree: Tree):
    """Write n, which means "not reached yet"."""
    tree.distance[v] = tree.distance.size
    tree.parent[v] = tree.distance.size


@kernel
def _mark_unreached(v, tree: Tree):
    """Replace n by -1."""
    if tree.distance[v] == tree.distance.size:
        tree.distance[v] = -1
        tree.parent[v] = -1


class _BreadthFirstSearch:
    """A search that proceeds level by level; see top_down.py for the state."""

    def __init__(self, graph: Graph, sources: Any, last_level: int) -> None:
        n, id_type = graph.num_vertices, index_type(graph.num_vertices)
        self.graph, self.rows = graph, Rows(graph.indptr, graph.indices)
        self.inward = graph if graph.facts.get("symmetric") else graph._known_transpose
        self.tree = Tree(np.empty(n, id_type), np.empty(n, id_type))
        _mark_all(n, self.tree)
        self.tree.distance[sources], self.tree.parent[sources] = 0, sources
        self.workers = worker_count("cpu", n + graph.num_entries)
        alone = _MAX_ALONE if self.workers > 1 else graph.num_entries
        self.limits = Limits(min(last_level, n), alone, 0 if self.inward is None else _ALPHA, _BUDGET)
        self.chunks: Any = np.empty(self.workers * _CHUNK, id_type)
        self.queue: Any = np.empty(n, id_type)
        self.progress: Any = np.zeros(FIELDS, np.int64)
        self.queue[: sources.size] = sources
        entries = int((graph.indptr[sources + 1] - graph.indptr[sources]).sum(dtype=np.int64))
        self._start_from(sources.size, 0, entries, 0)
        self.found = sources.size  # vertices in earlier frontiers, and in the one at the beginning of the queue

    def _start_from(self, size: int, level: int, entries: int, seen: int) -> None:
        """Set the frontier, the first `size` vertices of the queue; the rows seen before have `seen` entries."""
        self.progress[[HEAD, TAIL, LEVEL, ENTRIES, SEEN]] = 0, size, level, entries, seen
        self.first = size

    def run(self) -> Tree:
        """Process all levels."""
        rows, queue, tree, limits, progress = self.rows, self.queue, self.tree, self.limits, self.progress
        while True:
            state = progress.tolist()
            tail, level, entries, seen = state[TAIL], state[LEVEL], state[ENTRIES], state[SEEN]
            if state[HEAD] == tail or level == limits.last_level:
                break
            if self.inward is not None and entries * limits.ratio > rows.indices.size - seen:
                self._run_bottom_up(self.inward, tail - state[HEAD], level, seen)
            elif entries <= limits.alone:
                levels_alone(rows, limits, progress, queue, tree)
            else:
                # Begin with one piece, which is empty: the worker that claims it begins the level.
                progress[[END, SPENT, DONE, CLAIMS]] = state[HEAD], 0, 0, ONE_PIECE
                levels_together(self.workers, rows, limits, self.chunks, progress, queue, tree)
        if self.found + tail - self.first < queue.size:
            _mark_unreached(queue.size, tree)
        return tree

    def _run_bottom_up(self, inward: Graph, size: int, level: int, seen: int) -> None:
        """Process bottom-up levels from a frontier of `size` vertices, while frontiers grow or are large."""
        n, last_level = self.queue.size, self.limits.last_level
        self.found += int(self.progress[TAIL]) - self.first
        reached, reached_now = np.empty((n + 7) // 8, np.uint8), np.empty((n + 7) // 8, np.uint8)
        mark_reached(reached.size, self.tree.distance, reached)
        counts, rows = np.empty(self.workers, np.int64), InwardRows(inward.indptr, inward.indices, inward.is_sorted)
        before = 0
        while size > 0 and level < last_level and (size >= before or size * _BETA > n):
            level += 1
            level_bottom_up(self.workers, rows, level, reached, reached_now, self.tree, counts)
            reached, reached_now = reached_now, reached
            before, size = size, int(counts.sum())
            self.found += size
        entries = np.zeros(self.workers, np.int64)
        if size > 0 and level < last_level:
            last = Level(reached_now, reached)
            list_level(self.workers, rows, self.rows.indptr, last, counts.cumsum(), entries, self.queue)
        self._start_from(size, level, int(entries.sum()), seen)


def search(graph: Graph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents; both are -1 for all other vertices.

    `sources` are distinct vertices in ascending order. The graph and the sources are in host memory.
    """
    distance, parent = _BreadthFirstSearch(graph, sources, last_level).run()
    return distance, parent
