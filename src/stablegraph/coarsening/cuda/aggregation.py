"""Aggregation around distance-2 independent sets on a GPU: the driver of aggregation.cu; see aggregation.py.

The numbers of roots, free vertices and movers stay on the device. In addition to the transfers of the two sets, only
the numbers of aggregates of both phases are transferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.arrays import equals, filled
from ...graph import Graph
from ...independent_set.cuda.two import set_among
from ...independent_set.greedy.order import Choice
from ..aggregation import _SMALLEST, _TRACKED, FREE, Answer, second_set

_LONG_ROW = 2048  # entries; a warp reads the row of a root up to this length
_MAX_KINDS = 32  # different labels in a row that a warp counts: at most one per lane
_SLOTS = 2048  # of the hash table of a block
_MAX_SHARES = 1024  # maximum number of shares in which roots are numbered
_SHARE = 256  # minimum number of vertices in a share

FindSet = Callable[..., Any]  # `set_among` of one GPU or of several


def _constants(label: Any) -> dict[str, Any]:
    return {
        "LABEL": np.dtype(label),
        "LONG_ROW": _LONG_ROW,
        "MAX_KINDS": _MAX_KINDS,
        "SLOTS": _SLOTS,
        "SMALLEST": _SMALLEST,
        "TRACKED": _TRACKED,
    }


SOURCE = CudaSource(
    __file__,
    "aggregation.cu",
    also=("../../_core/runtime/cuda/teams.cuh",),
    variants=(_constants(np.int32), _constants(np.int64)),
)


class Phases:
    """The state of aggregation.cu, and its kernels."""

    def __init__(self, graph: Graph) -> None:
        xp, n = graph.xp, graph.num_vertices
        self._graph, self._threads, self._rows = graph, max(n, 1), (n, graph.indptr, graph.indices)
        self._program = SOURCE.for_graph(graph, **_constants(index_type(n)))
        self.labels = filled(n, FREE, index_type(n), xp)
        self.sizes, self.after = xp.empty_like(self.labels), xp.empty_like(self.labels)
        # The numbers of aggregates after phase 1 and phase 2, of movers, of remaining vertices, and of tasks.
        self._numbers = numbers = xp.zeros(5, np.int64)
        self._roots: list[Any] = []
        self._first, self._total, movers_length, self._remaining_length, self._tasks_length = (
            numbers[i : i + 1] for i in range(5)
        )
        self.movers: tuple[Any, Any, Any] = 0, 0, movers_length  # vertices, their targets, and how many they are

    def make_aggregates(self, members: Any, moves: bool = False) -> None:
        """Number the members of the first set, or of the second one, and gather their free neighbors."""
        graph, n = self._graph, self._graph.num_vertices
        first, total = (self._first, self._total) if self._roots else (0, self._first)
        xp, shares = graph.xp, min(_MAX_SHARES, 1 + n // _SHARE)
        counts, roots = xp.empty(shares, np.int64), xp.empty(n, graph.indices.dtype)
        self._roots.append(roots)
        self._program("count_members", self._threads, n, members, shares, counts)
        self._program("number_members", self._threads, n, members, shares, counts, first, total, roots)
        if moves:
            self.movers = xp.empty(n, graph.indices.dtype), xp.empty_like(self.labels), self.movers[-1]
        self._program(
            "gather", self._threads, first, total, roots, graph.indptr, graph.indices, self.labels, self.sizes,
            *self.movers,
        )  # fmt: skip

    def drop_small(self, members: Any) -> Any:
        """Remove the members whose aggregates would be too small, and return the remaining ones."""
        self._program("keep_large", self._threads, *self._rows, self.labels, members)
        return members

    def join_first(self) -> None:
        """Let the free vertices join the aggregate of their first neighbor."""
        self._program("join_first", self._threads, *self._rows, self.labels, self.after)

    def join_most_linked(self, moves: bool) -> None:
        """Let the free vertices join the aggregate with most of their neighbors; other vertices move."""
        graph, n = self._graph, self._graph.num_vertices
        xp, id_type = graph.xp, graph.indices.dtype
        remaining = xp.empty(n, id_type)
        # Rows with many labels are tasks. A row longer than half a table is divided into tasks of half a table.
        room = 0 if moves else n + graph.indices.size // (_SLOTS // 2)
        tasks = *xp.empty((2, room), id_type), self._tasks_length
        rows = (graph.indptr, graph.indices, self.labels, self.sizes)
        run, threads = self._program, self._threads
        run("list_left", threads, n, self.labels, self.after, remaining, self._remaining_length)
        run("join_most_linked", threads, remaining, self._remaining_length, int(moves), *rows, self.after, *tasks)
        if moves:
            run("move", threads, *self.movers, self._first, self._roots[-1], *rows, self.after)
        else:
            worths, bests = xp.empty(room, np.int64), xp.empty(room, self.labels.dtype)
            run("count_parts", threads, *tasks, *rows, worths, bests)
            run("choose_part", threads, *tasks, graph.indptr, worths, bests, self.after)

    def answer(self) -> Answer:
        """Transfer the numbers of aggregates; return the answer."""
        ends = self._numbers[: len(self._roots)].tolist()
        sizes = np.diff(ends, prepend=0).tolist()
        return ends[-1], self.after, [roots[:size] for roots, size in zip(self._roots, sizes, strict=True)]


def around_one_set(
    graph: Graph, *, priority: Choice = "random", phases_of: Callable[[Any], Any] = Phases, find: FindSet = set_among
) -> Answer:
    """Run phase 1; each remaining vertex joins the aggregate of its first neighbor."""
    phases = phases_of(graph)
    phases.make_aggregates(find(graph, priority=priority))
    phases.join_first()
    answer: Answer = phases.answer()
    return answer


def around_two_sets(
    graph: Graph,
    *,
    induced: bool,
    moves: bool,
    priority: Choice = "random",
    phases_of: Callable[[Any], Any] = Phases,
    find: FindSet = set_among,
    find_second: Callable[..., Any] = second_set,
) -> Answer:
    """Run all phases, with distances among free vertices only (`induced`), and with Kokkos Kernels' `moves`."""
    phases = phases_of(graph)
    phases.make_aggregates(find(graph, priority=priority))
    candidates = find_second(find, graph, equals(phases.labels, FREE), induced, priority)
    phases.make_aggregates(phases.drop_small(candidates), moves)
    phases.join_most_linked(moves)
    answer: Answer = phases.answer()
    return answer
