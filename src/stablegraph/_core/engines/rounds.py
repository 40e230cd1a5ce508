"""The engine for rounds over the undecided vertices: lists, marks, the passes of a round, and the end of the rounds.

Result: that of the problem. In each round, the states before it determine the states after it, so the lists, their
order and the number of workers do not matter.

Rule: the problem's. A round has two passes over the undecided vertices. *Find* reads the states, which do not change
meanwhile, and records the changes. *Settle* changes the state of each vertex, and drops decided vertices from
the lists. `visits` declares a pass as a rule, which is called as ``rule(v, rows, state)`` for each vertex and returns
whether v remains on the list, and a number (of entries that were read, or 0) to be added up. In the code: `visit`.

A pass of *find* with several phases on chunks of vertices, which prefetch for each other (greedy/priority.py,
distance/two.py), is a kernel by workers that reads its list with `listed`.

Idea: a write to a cache line that another core holds costs 100 to 170 ns, as much as several reads from memory.
Therefore each worker only writes to its own memory. It has a list of its own vertices, packed to the beginning of its
share of one array. It marks its own vertices and those of other workers in a *lane*, an array with one byte per vertex.
After all workers have marked, each worker collects the marks of its own vertices from all lanes. With more than eight
workers, some share a lane; this is correct because they write the same bytes.

`run_rounds` runs rounds until no vertex is undecided, or until one thread is faster: few vertices remain, or a round
decides few of them. Python runs between the passes, so Ctrl-C takes effect. `Rounds.gather` collects the remaining
vertices for one worker.

State: the problem's, one array or one group of arrays. With `States`, one array and its marks.

Cost: per round two launches, and the problem's reads for each undecided vertex. Work memory: one number per vertex, and
with marks 1 byte per vertex for each worker, up to eight.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..runtime import (
    ArrayT,
    Bytes,
    Int64s,
    Rows,
    Rule,
    Vertices,
    annotations_of,
    chunk_bounds,
    edge_splits,
    kernel,
    plugged,
    rule,
    worker_count,
)
from ..runtime.partitioning import CACHE_LINE

LINE = CACHE_LINE // 8  # int64 per cache line; counters of different workers are this far apart to avoid false sharing
WAITING = 1  # the place of a worker's second count, after the length of its list
PREFETCH_DISTANCE = 64  # vertices of a list
MAX_LANES = 8  # bounds the memory: one byte per vertex and lane
BEATEN = 1  # the mark of a vertex that is too near a winner
STALLED = 16  # a round that decides less than 1 / STALLED of its vertices is the last one, unless a problem differs
# Vertices per chunk: small enough that their rows are still in the cache in the next phase of a round. Measured on a
# grid, a random graph and RMAT (G2, R4, RM): 256 to 4096 differ by less than 6 %; 16,384 takes 12 to 20 % longer.
_CHUNK = 1024
_LONG_ROW, _SHARES = 1024, 2  # a row of more entries delays its thread; then the lists are more, and shorter
_CUDA_CHUNK = 16  # small, because a GPU has many workers and each allocates a chunk

# ---- Lists


class Worklists(NamedTuple):
    """The undecided vertices, with a separate share of the array for each worker."""

    bounds: Int64s  # (workers + 1,): the start of each worker's share
    undecided: Vertices  # (n,): each worker's list is at the beginning of its share
    counts: Int64s  # (2 * workers * LINE,): at w * LINE the length of worker w's list, and then the number of
    # vertices that are undecided but not on it; at (workers + w) * LINE the sum of the numbers that rules return


@rule
def listed(worker, lists):
    """Return the range of a worker's list of undecided vertices."""
    start = lists.bounds[worker]
    return start, start + lists.counts[worker * LINE]


def workers_for(graph: Any) -> int:
    """Return the number of workers for a pass over all vertices and entries."""
    return worker_count(graph.device, graph.num_vertices + graph.num_entries)


def _balanced_workers(graph: Any) -> int:
    """Return `workers_for`, or more of them if long rows delay some, and more lists need no more lanes."""
    workers = workers_for(graph)
    has_hubs = workers >= MAX_LANES and graph.device == "cpu" and graph._scanned().longest_row > _LONG_ROW
    return workers * _SHARES if has_hubs else workers


# ---- States and marks


class States(NamedTuple):
    """The states that a round reads and the marks that it writes."""

    current: ArrayT  # (n,): the state of each vertex, not changed while vertices are marked
    marks: Bytes  # (lanes * n,): bytes, one lane after another; 0 for an unmarked vertex


@rule
def four_states(e, last, indices, state):
    """Return the states of the neighbors at e .. e + 3; positions after `last` repeat the neighbor at `last`."""
    a = state[indices[min(e, last)]]
    b = state[indices[min(e + 1, last)]]
    c = state[indices[min(e + 2, last)]]
    d = state[indices[min(e + 3, last)]]
    return a, b, c, d


@rule
def mark_neighbors(v, lane, rows, marks):
    """Mark v's neighbors (and v, if it has a loop), four at a time; the last neighbor is repeated to fill the four."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    last = end - 1
    while e < end:
        for i in range(4):
            marks[lane + rows.indices[min(e + i, last)]] = BEATEN
        e += 4


@kernel(by="workers")
def clear_marks(worker, workers, marks: Bytes):
    """Clear a worker's share of the marks."""
    start, end = chunk_bounds(marks.size, worker, workers)
    for i in range(start, end):
        marks[i] = 0


@rule
def lanes_in(states):
    """Return the number of lanes."""
    return states.marks.size // states.current.size


@rule
def lane_of(worker, states):
    """Return the first position of the lane in which a worker marks vertices."""
    return worker % lanes_in(states) * states.current.size


@rule
def marks_of(v, lanes, states):
    """Return the bitwise or of a vertex's marks in all lanes."""
    marked = states.marks[v]
    for lane in range(1, lanes):
        marked |= states.marks[lane * states.current.size + v]
    return marked


# ---- Passes

First = Any  # the annotations of `rows`, and of `state`, in the problem's rule
State = Any


@rule
def visit(v, rows, state):
    """Process v; return whether it remains on the list, and a number to add up."""
    return True, 0


@rule
def fetch(v, rows, state):
    """Prefetch what the visit of v reads; a problem may replace it."""


@rule
def vertex_at(i, lists):
    """Return the vertex at a position of the lists."""
    return lists.undecided[i]


@rule
def _share(worker, lists):
    """Return a worker's share of all vertices; it replaces `listed` before there are lists."""
    return lists.bounds[worker], lists.bounds[worker + 1]


@rule
def _vertex_itself(i, lists):
    """Return the vertex with a number; it replaces `vertex_at` before there are lists."""
    return i


def _visit_vertices(worker, workers, lists: Worklists, rows: First, state: State):
    """Visit a worker's vertices, and pack the remaining ones to the beginning of its list."""
    start, end = listed(worker, lists)
    k, total = start, 0
    for i in range(start, end):
        v = vertex_at(i, lists)
        fetch(vertex_at(min(i + PREFETCH_DISTANCE, end - 1), lists), rows, state)
        remains, number = visit(v, rows, state)
        lists.undecided[k] = v
        k += int(remains)
        total += number
    lists.counts[worker * LINE] = k - start
    lists.counts[(workers + worker) * LINE] += total


def visits(*, everywhere: bool = False, fetch: Rule = fetch, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a rule as the kernel of a pass over the lists, or `everywhere`, before there are lists.

    It is called with the number of workers, the lists, and the values of the rule's `rows` and `state`. The options are
    those of `kernel`.
    """

    def declared(function: Callable[..., Any]) -> Any:
        first, state = annotations_of(function).values()
        values = {"visit": Rule(function), "fetch": fetch, "First": first, "State": state}
        if everywhere:
            values |= {"listed": _share, "vertex_at": _vertex_itself}
        body = plugged(_visit_vertices, f"{function.__module__}.{function.__name__}", **values)
        return kernel(by="workers", **options)(body)

    return declared


# ---- Rounds


class Rounds:
    """The lists of undecided vertices, and with `state_type` states with marks; none is initialized.

    `undecided` has the number of undecided vertices, at the beginning and after each round.
    """

    def __init__(
        self, graph: Any, state_type: Any = None, *, workers: int | None = None, spare: int = 0, id_type: Any = None
    ) -> None:
        """Allocate the arrays, and `spare` more arrays for lists, (spare, n).

        They are one block. C libraries keep a single block for the next call, but return several blocks to the system,
        and the page faults for new memory take as long as a round.
        """
        n, xp, id_type = graph.num_vertices, graph.xp, id_type or graph.indices.dtype
        self.graph, self.rows, self.undecided = graph, Rows(graph.indptr, graph.indices), [n]
        self.workers = workers = _balanced_workers(graph) if workers is None else workers
        if state_type is None:
            vertices = xp.empty((1 + spare, n), id_type)
        else:
            ids, states = (1 + spare) * n * id_type.itemsize, n * np.dtype(state_type).itemsize
            block = xp.empty(ids + states + min(workers, MAX_LANES) * n, np.uint8)
            vertices = block[:ids].view(id_type).reshape(1 + spare, n)
            self.states = States(block[ids : ids + states].view(state_type), block[ids + states :])
        counts = xp.zeros(2 * workers * LINE, np.int64)
        self.lists, self.spare = Worklists(edge_splits(graph.indptr, workers), vertices[0], counts), vertices[1:]

    def count(self) -> int:
        """Return the number of undecided vertices, on the lists and waiting."""
        return int(self.lists.counts[: self.workers * LINE].sum())

    def counted(self) -> int:
        """Return the sum of the numbers that rules have returned."""
        return int(self.lists.counts[self.workers * LINE :].sum())

    def list_all(self) -> None:
        """List all vertices."""
        n, id_type = self.lists.undecided.size, self.lists.undecided.dtype
        self.lists.undecided[:] = self.graph.xp.arange(n, dtype=id_type)
        self.lists.counts[: self.workers * LINE : LINE] = self.graph.xp.diff(self.lists.bounds)

    def chunk_size(self) -> int:
        """Return how many vertices a worker processes before it begins the next phase of a round."""
        return _CHUNK if self.graph.device == "cpu" else _CUDA_CHUNK

    def remaining(self) -> Any:
        """Return the vertices on all lists, by id."""
        starts, lengths = self.lists.bounds[:-1].tolist(), self.lists.counts[: self.workers * LINE : LINE].tolist()
        parts = zip(starts, lengths, strict=True)
        return self.graph.xp.concatenate([self.lists.undecided[start : start + length] for start, length in parts])

    def gather(self) -> None:
        """Put all vertices on one list, for one worker."""
        vertices = self.remaining()
        counts = np.zeros(2 * LINE, np.int64)
        counts[0] = vertices.size
        self.lists, self.workers = Worklists(np.array([0, vertices.size]), vertices, counts), 1


def run_rounds(
    undecided: list[int],
    run_round: Callable[[], int],
    few: int = 0,
    is_last: Callable[[list[int]], bool] = lambda undecided: False,
) -> None:
    """Run rounds until at most `few` vertices are undecided, or `is_last` is true of `undecided`.

    `run_round` returns the number of vertices that are still undecided, which is appended to the list.
    """
    while undecided[-1] > few and not is_last(undecided):
        undecided.append(run_round())


def has_stalled(undecided: list[int], part: int = 0, skipped: int = 1) -> bool:
    """Return whether the last round decided less than 1 / `part` of its vertices; the first rounds are `skipped`."""
    return len(undecided) > 1 + skipped and (undecided[-2] - undecided[-1]) * (part or STALLED) < undecided[-2]


class History:
    """Statistics that a driver records; entries that take time to count are only counted if `counted`."""

    def __init__(self, counted: bool = False) -> None:
        self.counted = counted
        self.undecided: list[int] = []  # the number of vertices, at the beginning and after each round
        self.entries: int | None = None
        self.more: dict[str, Any] = {}  # statistics specific to the algorithm
        self._seconds: dict[str, float] = {}
        self._phase, self._since = "", 0.0

    def count(self, entries: int) -> None:
        """Add to the number of entries read."""
        self.entries = (self.entries or 0) + entries

    def count_rows(self, graph: Any, vertices: Any) -> None:
        """Add the numbers of entries in the rows of some vertices (a mask, or ids)."""
        self.count(int((graph.indptr[1:][vertices] - graph.indptr[:-1][vertices]).sum()))

    def enter(self, phase: str) -> None:
        """End the current phase, and begin (or resume) another one; time in the phase "" is not reported."""
        now = time.perf_counter()
        if self._phase:
            self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def info(self) -> dict[str, Any]:
        """End the current phase, and return all statistics in the form for the user."""
        self.enter("")
        edges = {} if self.entries is None else {"edges": self.entries}
        rounds = len(self.undecided) - 1
        return {"rounds": rounds, "undecided": self.undecided, **edges, **self.more, "seconds": self._seconds}
