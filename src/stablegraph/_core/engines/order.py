"""The engine for vertices that are decided in a fixed order. A problem is one rule.

Result: that of the serial algorithm, which applies the rule to one vertex after another, on any number of threads.

Rule: the problem's. It is called as ``rule(worker, v, rows, state)`` and returns whether v is decided. In the code:
`decide`, in which it is plugged in.

`in_turn` declares a rule for one thread. All vertices before v are decided when v's turn comes, so the value that the
rule returns does not matter, and the rule may also write the states of other vertices.

`in_pieces` declares a rule for several threads. Idea: threads take pieces of consecutive positions in the order, one
after another, and decide the vertices of a piece in turn. Only some thousand vertices are in progress at any time, so a
vertex rarely needs one that is not decided. If it does, the rule waits, or returns False: the vertex is postponed to
the end of its piece, when the other pieces that were in progress are mostly finished. There is no deadlock, because the
thread with the first unfinished piece never waits for another thread. The rule writes the state of v only, once, and
a state that was read too early may only delay it.

If vertices need vertices shortly before them, as in a grid that is numbered in order, threads would mostly wait. This
is detected from a sample: a second rule, `waits`, returns whether a vertex probably has to wait. Then, and with few
threads, the caller uses a rule for one thread.

In a list, the rows are scattered in memory, and the engine prefetches them, two cache lines each.

State: the problem's, one array or one group of arrays.

Cost: that of the rule, for each vertex once; in pieces more often for the few vertices that wait. Work memory: 8 bytes
per piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..runtime import (
    Bools,
    Int64s,
    Rows,
    Rule,
    Vertices,
    annotations_of,
    atomic_add,
    chunked,
    kernel,
    plugged,
    prefetch,
    rule,
    worker_count,
    yield_thread,
)
from ..runtime.partitioning import CACHE_LINE, ENTRIES_PER_CALL, PREFETCH_DISTANCE

MIN_WORKERS = 3  # for fewer workers, waiting costs more than it gains
_LIST_PREFETCH_DISTANCE = 64  # vertices
_NEXT_LINE = CACHE_LINE // 4 - 1  # entries of 4 bytes after which the next cache line has begun
_MIN_PIECE = 64  # vertices: the number of one-byte states in a cache line
_MIN_PIECES = 32  # per worker, so that at most a small part of the vertices is in progress
_SAMPLE = 512  # vertices
_MAX_WAITING = 0.25  # fraction of the sample
_STRIDE = 0x9E3779B1  # between sampled positions: large and odd, to avoid patterns in the order

# ---- What a problem plugs in

State = Any  # the annotations of `state`, and of `rows`, in the problem's rule


@rule
def decide(worker, v, rows, state):
    """Decide v, and return whether it is decided; `worker` has its own work memory in some states."""
    return True


@rule
def waits(v, window, rows, state):
    """Return whether v is likely to wait for one of the `window` vertices before it, which are in progress."""
    return False


# ---- Orders: a list, or all vertices by id


@rule
def vertex_at(i, vertices):
    """Return the vertex at a position of a list."""
    return vertices[i]


@rule
def vertex_by_id(i, vertices):
    """Return the vertex at a position by id; it replaces `vertex_at`."""
    return i


@rule
def prefetch_row(v, rows):
    """Prefetch the row of a vertex."""
    row = rows.indptr[v]
    prefetch(rows.indices, row)
    prefetch(rows.indices, row + _NEXT_LINE)


@rule
def prefetch_row_by_id(v, rows):
    """Prefetch the first entries of a row; the other ones are next to them, or the processor prefetches them."""
    prefetch(rows.indices, rows.indptr[v])


@rule
def prefetch_start(v, rows):
    """Prefetch the place where the row of a vertex starts."""
    prefetch(rows.indptr, v)


@rule
def prefetch_nothing(v, rows):
    """Replace the two rules above for items without rows."""


# ---- One thread


def _decide_listed(start: int, end: int, vertices: Vertices, rows: Rows, state: State):
    """Decide the vertices at positions `start` to `end`, in their order."""
    last = vertices.size - 1
    for i in range(start, end):
        prefetch_start(vertices[min(i + 2 * _LIST_PREFETCH_DISTANCE, last)], rows)
        prefetch_row(vertices[min(i + _LIST_PREFETCH_DISTANCE, last)], rows)
        decide(0, vertices[i], rows, state)


def _decide_by_id(start: int, end: int, distance: int, rows: Rows, state: State):
    """Decide the vertices `start` to `end` by id, and prefetch rows at a distance, which may be 0."""
    for v in range(start, end):
        if distance:
            prefetch(rows.indices, rows.indptr[min(v + distance, end)])
        decide(0, v, rows, state)


class InTurn:
    """A rule that one thread applies to vertices in their order."""

    def __init__(self, function: Callable[..., Any], by_id: bool, accesses: int) -> None:
        name, values = _plugs(function)
        if values["Rows"] is not Rows:
            values |= {"prefetch_start": prefetch_nothing, "prefetch_row": prefetch_nothing}
        self._listed = kernel(by="single")(plugged(_decide_listed, name, **values))
        self._by_id: Any = None
        if by_id:
            self._by_id = kernel(by="single")(plugged(_decide_by_id, f"{name}_by_id", **values))
        self._name, self._accesses = name, accesses
        self.__doc__ = function.__doc__

    def __call__(self, rows: Any, vertices: Any | None, state: Any, *, distance: int = 0) -> None:
        """Decide the vertices in the given order; None means all vertices by id, with a prefetch distance."""
        step = _vertices_per_call(rows, self._accesses)
        if vertices is None:
            if self._by_id is None:
                raise TypeError(f"{self._name} is declared for a list of vertices, but got none")
            for start, end in chunked(rows.indptr.size - 1, step):
                self._by_id(start, end, distance, rows, state)
        else:
            for start, end in chunked(vertices.size, step):
                self._listed(start, end, vertices, rows, state)


def in_turn(*, by_id: bool = False, accesses: int = 1) -> Callable[[Callable[..., Any]], InTurn]:
    """Declare a rule that decides vertices on one thread.

    `by_id` is whether the rule is also compiled for all vertices by id, and `accesses` an estimate of the accesses to
    memory for each entry and vertex.
    """
    return lambda function: InTurn(function, by_id, accesses)


def _plugs(function: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a rule with its module, and the globals of the body: the rule, the types of rows and state."""
    kinds = tuple(annotations_of(function).values())
    if len(kinds) != 2 or function.__code__.co_argcount != 4:
        raise TypeError(
            f"the rule {function.__qualname__} must have four parameters, of which two have types: rows, state"
        )
    rows, state = kinds
    values = {"decide": Rule(function), "Rows": rows, "State": state}
    return f"{function.__module__}.{function.__name__}", values


def _vertices_per_call(rows: Any, accesses: int = 1) -> int:
    """Return how many vertices a kernel call decides."""
    n, entries = (rows.indptr.size - 1, rows.indices.size) if isinstance(rows, Rows) else (1, 0)
    return max(1, ENTRIES_PER_CALL * n // max(1, accesses * (n + entries)))


# ---- Several threads


class Queue(NamedTuple):
    """An order in pieces."""

    vertices: Vertices  # in their order; not read if all vertices are decided by id
    starts: Int64s  # (pieces + 1,): the first position of each piece, and the number of positions
    next: Int64s  # (1,): the first piece that no worker has taken
    end: int  # the number of pieces up to which this call takes pieces


def _decide_pieces(worker, workers, queue: Queue, rows: Rows, state: State):
    """Take pieces from the queue, and decide their vertices in turn."""
    vertices = queue.vertices
    piece = atomic_add(queue.next, 0, 1)
    while piece < queue.end:
        start, end = queue.starts[piece], queue.starts[piece + 1]
        for i in range(start, min(start + PREFETCH_DISTANCE, end)):
            prefetch_row(vertex_at(i, vertices), rows)
        postponed = 0
        for i in range(start, end):
            prefetch_row(vertex_at(min(i + PREFETCH_DISTANCE, end - 1), vertices), rows)
            postponed += int(not decide(worker, vertex_at(i, vertices), rows, state))
        if postponed:
            for i in range(start, end):
                while not decide(worker, vertex_at(i, vertices), rows, state):
                    yield_thread()
        piece = atomic_add(queue.next, 0, 1)


def _sample_waits(k, size: int, window: int, vertices: Vertices, rows: Rows, state: State, result: Bools):
    """Determine whether a vertex of the sample is likely to wait."""
    result[k] = waits(vertex_at(k * _STRIDE % size, vertices), window, rows, state)


class InPieces:
    """A rule that threads apply to vertices in their order, and a rule that returns whether a vertex is likely to wait.

    A piece has at most `piece` vertices, and about `entries` entries if all its rows are as long as the first one.
    """

    def __init__(
        self, function: Callable[..., Any], waits: Rule, by_id: bool, slowdown: int, piece: int, entries: int | None
    ) -> None:
        name, values = _plugs(function)
        if by_id:
            values |= {"vertex_at": vertex_by_id, "prefetch_row": prefetch_row_by_id}
        self._pieces = kernel(by="workers")(plugged(_decide_pieces, f"{name}_in_pieces", **values))
        self._sample = kernel(plugged(_sample_waits, f"{name}_waits", waits=waits, **values))
        self._slowdown, self._piece, self._entries = slowdown, piece, entries
        self._name, self._is_by_id = name, by_id
        self.__doc__ = function.__doc__

    def workers(self, rows: Rows) -> int:
        """Return the number of workers for all vertices, or 0 if one thread is probably faster.

        It is 0 for fewer than `MIN_WORKERS` * slowdown workers, also in `use_target`.
        """
        workers = worker_count("cpu", rows.indptr.size - 1 + rows.indices.size)
        return workers if workers >= MIN_WORKERS * self._slowdown else 0

    def __call__(self, rows: Rows, vertices: Any | None, state: Any, workers: int) -> bool:
        """Decide the vertices in the given order, or by id if it is None; return whether they were decided.

        They are not if threads would mostly wait.
        """
        if (vertices is None) != self._is_by_id:
            mismatch = "all vertices by id, but got a list" if self._is_by_id else "a list of vertices, but got none"
            raise TypeError(f"{self._name} is declared for {mismatch}")
        order = rows.indices[:0] if vertices is None else vertices
        size = rows.indptr.size - 1 if vertices is None else vertices.size
        piece = max(_MIN_PIECE, min(size // (_MIN_PIECES * workers), self._piece) // _MIN_PIECE * _MIN_PIECE)
        sample = np.empty(min(size, _SAMPLE), bool)
        self._sample(sample.size, size, workers * piece, order, rows, state, sample)
        if np.count_nonzero(sample) > _MAX_WAITING * sample.size:
            return False
        starts = _piece_starts(rows, vertices, size, piece, self._entries)
        step = max(1, _vertices_per_call(rows) * starts.size // max(1, size))
        for first, last in chunked(starts.size - 1, step):
            self._pieces(workers, Queue(order, starts, np.array([first]), last), rows, state)
        return True


def _piece_starts(rows: Rows, vertices: Any | None, size: int, piece: int, entries: int | None) -> Any:
    """Return the first position of each piece, and the number of positions."""
    starts = np.arange(0, size, piece)
    if entries is not None:  # divide the pieces whose first row is long
        first = starts if vertices is None else vertices[starts]
        lengths = np.minimum(1 + entries // (1 + rows.indptr[first + 1] - rows.indptr[first]), piece)
        counts = -(-np.minimum(piece, size - starts) // lengths)
        ends = np.cumsum(counts)
        within = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
        starts = np.repeat(starts, counts) + within * np.repeat(lengths, counts)
    return np.append(starts, size)


def in_pieces(
    *, waits: Rule = waits, by_id: bool = False, slowdown: int = 1, piece: int = _MIN_PIECE, entries: int | None = None
) -> Callable[[Callable[..., Any]], InPieces]:
    """Declare a rule that decides vertices on threads.

    With `by_id`, the order is that of the ids, and calls pass None; otherwise they pass a list of vertices. (For
    `in_turn`, `by_id` adds the form for None.) `slowdown` is how many times as long as the rule for one thread this one
    takes on a single thread.
    """
    return lambda function: InPieces(function, waits, by_id, slowdown, piece, entries)
