"""Breadth-first search, direction-optimising: outward from small frontiers, inward to what is left from large ones.

Result: distances, and as the parent of each vertex the smallest vertex one step nearer to the sources.

Idea: see top_down.py and bottom_up.py. The direction is chosen by counting: inward when the frontier's rows have more
than 1/15 of the entries that no frontier had yet, outward again when the frontier shrinks and has less than 1/18 of the
vertices. Inward levels read rows of the other direction: in a directed graph those of the transpose, where it is known
already; to make it would take longer than a search.

Cost: at most one look at each entry outward; where frontiers grow large, a small part of them. One thread does small
levels, as many as there are in one call. Work memory: 4 bytes a vertex for the queue, and two bits (8 if ids take 64
bits).

Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..construction import index_type
from ..graph import Graph
from ..parallel import worker_count
from ..parallel.device import array_module
from ..parallel.primitives import compact
from .bottom_up import level_inward, mark_reached
from .top_down import ENTRIES, HEAD, LEVEL, SEEN, TAIL, level_shared, levels_alone

_INWARD = 15  # alpha
_OUTWARD = 18  # beta
_MOST_ALONE = 4096  # entries of a level that are not worth a second thread
_BUDGET = 1 << 25  # entries in one call on one thread: some tenths of a second
_CHUNK = 64  # vertices handed in at once


class Search:
    """A search in progress."""

    def __init__(self, graph: Graph, sources: Any) -> None:
        xp, n = array_module(graph.device), graph.num_vertices
        self.graph = graph
        self.workers = worker_count(graph.device, n + graph.num_entries)
        id_type = index_type(n)
        self.distance, self.parent = xp.full(n, n, id_type), xp.full(n, n, id_type)
        self.distance[sources], self.parent[sources] = 0, sources
        self.queue = xp.empty(n, id_type)
        self.progress = xp.zeros(5, np.int64)
        self._begin_with(sources)
        # Rows of those who have an arc to a vertex, or None
        self.inward = graph if not graph.directed else graph._transpose

    def _begin_with(self, frontier: Any) -> None:
        """Make some vertices the frontier."""
        self.queue[: frontier.size] = frontier
        indptr = self.graph.indptr
        self.progress[HEAD], self.progress[TAIL] = 0, frontier.size
        self.progress[ENTRIES] = (indptr[frontier + 1] - indptr[frontier]).sum(dtype="int64")

    def run(self) -> None:
        graph, unreached = self.graph, self.graph.num_vertices
        share = 0 if self.inward is None else _INWARD
        alone = _MOST_ALONE if graph.device == "cpu" else -1
        alone = graph.num_entries if self.workers == 1 and graph.device == "cpu" else alone
        chunk = _CHUNK if graph.device == "cpu" else 1
        chunks = array_module(graph.device).empty(self.workers * chunk, self.queue.dtype)
        while True:
            head, tail, level, entries, seen = self.progress.tolist()
            if head == tail:
                break
            if entries * share > graph.num_entries - seen:
                self._inward_levels(tail - head, level)
            elif entries <= alone:
                levels_alone(
                    graph.indptr,
                    graph.indices,
                    alone,
                    share,
                    _BUDGET,
                    self.progress,
                    self.queue,
                    self.distance,
                    self.parent,
                )
            else:
                self.progress[:] = self.progress.dtype.type(0)
                self.progress[HEAD], self.progress[TAIL], self.progress[LEVEL] = tail, tail, level + 1
                self.progress[SEEN] = seen + entries
                level_shared(
                    self.workers,
                    head,
                    tail,
                    level + 1,
                    chunk,
                    chunks,
                    graph.indptr,
                    graph.indices,
                    self.progress,
                    self.queue,
                    self.distance,
                    self.parent,
                )

    def _inward_levels(self, size: int, level: int) -> None:
        """Levels inward from a frontier of so many vertices, as long as they grow or are large."""
        rows, n, xp = self.inward, self.graph.num_vertices, array_module(self.graph.device)
        assert rows is not None
        reached, reached_now = (xp.empty((n + 7) // 8, np.uint8) for _ in range(2))
        mark_reached(reached.size, self.distance, reached)
        counts = xp.empty(self.workers, np.int64)
        before = 0
        while size >= before or size * _OUTWARD > n:
            level += 1
            level_inward(
                self.workers,
                rows.indptr,
                rows.indices,
                rows.is_sorted,
                level,
                reached,
                reached_now,
                self.distance,
                self.parent,
                counts,
            )
            reached, reached_now = reached_now, reached
            before, size = size, int(counts.sum())
            if size == 0:
                break
        self.progress[LEVEL] = level
        self._begin_with(compact(self.distance == level) if size else self.queue[:0])
