"""Breadth-first search, direction-optimising: outward from small frontiers, inward once a frontier is large.

Result: distances, and as the parent of each vertex the smallest of the vertices one step nearer to the sources.

Idea: see top_down.py and bottom_up.py. The direction is chosen by counting: inward when the frontier's rows have more
than 1/15 of the entries in rows not yet seen, outward again when the frontier shrinks and has no more than 1/18 of the
vertices. Inward levels read rows of those who have an arc *to* a vertex. Where the pattern is symmetric these are the
graph's own; else they are used if the transpose is known already, because to make it takes longer than a search.

Small levels are left to one thread, in one call for many levels. A call is over after some tenths of a second, so that
a search can be interrupted.

Cost: outward one look at each entry; inward a few at each vertex. Work memory: 4 bytes and two bits a vertex (8 bytes
if ids take 64 bits), and between inward and outward levels a mask and a frontier that is small by then.

Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..construction import index_type
from ..graph import Graph
from ..parallel import at, kernel, worker_count
from ..parallel.device import array_module
from ..parallel.primitives import compact
from .bottom_up import level_inward, mark_reached
from .top_down import level_shared, levels_alone

_ALPHA, _BETA = 15, 18
_MOST_ALONE = 4096  # entries in rows of a frontier that is not worth a second thread
_BUDGET = 1 << 25  # entries in one call for a single thread
_CHUNK = 4096  # vertices that a worker hands in at once, see top_down.py


@kernel
def _mark_unreached(v, distance, parent):
    """-1 for n, which stood for "nothing known yet"."""
    if distance[at(v)] == distance.size:
        distance[at(v)] = -1
        parent[at(v)] = -1


class _Search:
    """A search in the making; see top_down.py for the state."""

    def __init__(self, graph: Graph, sources: Any) -> None:
        xp, n = array_module(graph.device), graph.num_vertices
        on_cpu, id_type = graph.device == "cpu", index_type(n)
        self.graph = graph
        self.inward = graph if graph.facts.get("symmetric") else graph._transpose
        self.distance, self.parent = xp.full(n, n, id_type), xp.full(n, n, id_type)
        self.distance[sources], self.parent[sources] = 0, sources
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.most_alone = (_MOST_ALONE if self.workers > 1 else graph.num_entries) if on_cpu else -1
        self.chunk = _CHUNK if on_cpu else 1
        self.chunks = xp.empty(self.workers * self.chunk, id_type)
        self.queue = xp.empty(n, id_type)
        self._begin_with(sources, 0, 0)

    def _begin_with(self, frontier: Any, level: int, seen: int) -> None:
        self.queue[: frontier.size] = frontier
        indptr = self.graph.indptr
        entries = int((indptr[frontier + 1] - indptr[frontier]).sum(dtype="int64"))
        self.progress = self._numbers(0, frontier.size, level, entries, seen)

    def _numbers(self, *numbers: int) -> Any:
        return array_module(self.graph.device).asarray(numbers, np.int64)

    def run(self) -> tuple[Any, Any]:
        graph, share = self.graph, 0 if self.inward is None else _ALPHA
        while True:
            head, tail, level, entries, seen = self.progress.tolist()
            if head == tail:
                break
            if entries * share > graph.num_entries - seen:
                self._run_inward(tail - head, level, seen)
                continue
            rows, results = (graph.indptr, graph.indices), (self.queue, self.distance, self.parent)
            if entries <= self.most_alone:
                levels_alone(*rows, self.most_alone, share, _BUDGET, self.progress, *results)
            else:
                self.progress = self._numbers(tail, tail, level + 1, 0, seen + entries)
                frontier, room = (head, tail, level + 1), (self.chunk, self.chunks)
                level_shared(self.workers, *frontier, *room, *rows, self.progress, *results)
        _mark_unreached(self.distance.size, self.distance, self.parent)
        return self.distance, self.parent

    def _run_inward(self, size: int, level: int, seen: int) -> None:
        """Levels inward from a frontier of so many vertices, as long as frontiers grow or are large."""
        xp, n, inward = array_module(self.graph.device), self.distance.size, self.inward
        assert inward is not None
        rows = inward.indptr, inward.indices, inward.is_sorted
        reached, reached_now = xp.empty((n + 7) // 8, np.uint8), xp.empty((n + 7) // 8, np.uint8)
        mark_reached(reached.size, self.distance, reached)
        counts = xp.empty(self.workers, np.int64)
        before = 0
        while size > 0 and (size >= before or size * _BETA > n):
            level += 1
            level_inward(self.workers, *rows, level, reached, reached_now, self.distance, self.parent, counts)
            reached, reached_now = reached_now, reached
            before, size = size, int(counts.sum())
        frontier = compact(self.distance == level) if size else self.queue[:0]
        self._begin_with(frontier, level, seen)


def search(graph: Graph, sources: Any) -> tuple[Any, Any]:
    """Distances and parents; -1 for both where no way leads. `sources` are distinct vertices, where the graph lives."""
    return _Search(graph, sources).run()
