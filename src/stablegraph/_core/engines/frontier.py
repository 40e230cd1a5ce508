"""The engine for searches: vertices that have been found wait in a frontier until they are visited.

Result: that of visiting all vertices which can be found from the given ones, once or, if the problem finds them again,
several times.

Rule: the problem's. It visits a vertex, decides which of its neighbors are found, and hands these
over. In the code: `append` and `follow`, in which it is plugged in.

`in_queue` declares a rule for one thread: vertices are visited in the order in which they were found, as in a
breadth-first search. When the queue is empty, the next root that has not been found begins a search. The rule appends
vertices to the queue and returns its new end; if it returns the place where the current search began, this search ends.

`without_levels` declares a rule for all threads, if the order does not matter. Idea: every worker takes a range of a
list. A vertex that it finds it puts onto its own short stack and visits it next, so a path of a million vertices does
not need a million launches. Vertices that do not fit onto the stack, or that remain when the budget of a call is spent,
form the next list for all workers. Workers do not wait for one another: a call also terminates if the workers run one
after another. If the rule finds a vertex by an atomic operation, each vertex is in a list at most once.

A visit needs three dependent reads: of the offsets of a row, of the row, and of the state of a head. Therefore the
queue prefetches rows, and a worker's vertices wait in a short queue while their rows are loaded and then the states of
their heads.

`claim_piece` and `finish_piece` divide the phases of a search among the workers of a single launch, where a launch per
phase would take longer than the phase (traversal/breadth_first.py, traversal/shortest_paths.py).

Searches in levels on all threads (traversal/breadth_first.py, components/forward_backward.py) have loops of their own,
because the work per vertex differs: smallest parents by atomic minima, or marks without atomic operations.

State: the problem's, one array or one group of arrays.

Cost: that of the rule. Work memory: one id per vertex in a queue; without levels two, of which only the parts for the
longest lists are used.

Source of continuing a search beyond one level within a step: L. Wang, X. Dong, Y. Gu, Y. Sun, "Parallel Strong
Connectivity Based on Faster Reachability", SIGMOD 2023, which calls it vertical granularity control.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..runtime import (
    Kernel,
    Rows,
    Rule,
    annotations_of,
    chunk_bounds,
    kernel,
    plugged,
    prefetch,
    rule,
    worker_count,
    yield_thread,
)
from ..runtime.array_types import Int64s, Vertices
from ..runtime.atomics import atomic_add, atomic_load, fence

State = Any  # the annotation of `state` in the problem's rule

# ---- In the order of a queue, on one thread

_BUDGET = 1 << 24  # vertices and entries per call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 8  # vertices of the queue
_ROOT, _FIRST, _HEAD, _TAIL = range(4)  # the fields of `progress`


class Found(NamedTuple):
    """The found vertices in their order, and the state of the search."""

    vertices: Vertices  # (n,): those of the current search start at `first`, and those before `head` have been visited
    progress: Int64s  # (4,)


@rule
def make_root(v, state):
    """Find a root, unless it has been found; return whether a search begins at it."""
    return False


@rule
def append(v, first, tail, rows, queue, state):
    """Visit v, and append new vertices to the queue, which ends at `tail`; return its end, or `first` to give up."""
    return tail


def _visit_queue(budget: int, count: int, roots: Vertices, rows: Rows, queue: Found, state: State):
    """Visit vertices until the queue is empty after `count` roots, or the budget is spent; no list means all by id."""
    vertices, progress = queue.vertices, queue.progress
    root, first, head, tail = progress[_ROOT], progress[_FIRST], progress[_HEAD], progress[_TAIL]
    while budget > 0 and (head < tail or root < count):
        while head == tail and root < count:
            v = roots[root] if roots.size > 0 else root
            root += 1
            if make_root(v, state):
                vertices[tail] = v
                first = tail
                tail += 1
        while head < tail and budget > 0:
            v = vertices[head]
            head += 1
            prefetch(rows.indices, rows.indptr[vertices[min(head + _PREFETCH_DISTANCE, tail - 1)]])
            budget -= 1 + rows.indptr[v + 1] - rows.indptr[v]
            tail = append(v, first, tail, rows, vertices, state)
            head = min(head, tail)
    progress[_ROOT], progress[_FIRST], progress[_HEAD], progress[_TAIL] = root, first, head, tail


class InQueue:
    """A rule that one thread applies to vertices in the order in which they are found."""

    def __init__(self, function: Callable[..., Any], make_root: Rule, **variables: Any) -> None:
        body = _plugged(_visit_queue, function, append=Rule(function), make_root=make_root)
        self._visit = kernel(by="single", **variables)(body)
        self.__doc__ = function.__doc__

    def __call__(self, rows: Rows, roots: Any | None, state: Any, queue: Found | None = None) -> Any:
        """Search from all roots, a list or None for all vertices by id; return the found vertices in their order.

        A `queue` continues a search that `step` has begun.
        """
        queue = new_queue(rows) if queue is None else queue
        while not self.step(_BUDGET, rows, roots, state, queue):
            pass
        return queue.vertices[: queue.progress[_TAIL]]

    def step(self, budget: int, rows: Rows, roots: Any | None, state: Any, queue: Found) -> bool:
        """Visit about `budget` vertices and entries; return whether the search is complete."""
        count, listed = (rows.indptr.size - 1, rows.indices[:0]) if roots is None else (roots.size, roots)
        self._visit(budget, count, listed, rows, queue, state)
        return bool(queue.progress[_ROOT] == count and queue.progress[_HEAD] == queue.progress[_TAIL])


def new_queue(rows: Rows, found: Any = ()) -> Found:
    """Return the queue of a search that has not begun, or that begins at the `found` vertices."""
    queue = Found(np.empty(rows.indptr.size - 1, rows.indices.dtype), np.zeros(4, np.int64))
    queue.vertices[: len(found)], queue.progress[_TAIL] = found, len(found)
    return queue


def in_queue(*, make_root: Rule = make_root, **variables: Any) -> Callable[[Callable[..., Any]], InQueue]:
    """Declare a rule ``(v, first, tail, rows, queue, state)`` that one thread applies, and one that begins a search."""
    return lambda function: InQueue(function, make_root, **variables)


def _plugged(body: Callable[..., Any], function: Callable[..., Any], **rules: Rule) -> Any:
    """Return the body of a kernel with the rules of a problem."""
    name = f"{function.__module__}.{function.__name__}"
    return plugged(body, name, State=annotations_of(function)["state"], **rules)


# ---- In phases, on all threads, in one call

CLAIMS, DONE = 0, 16  # the fields of `numbers`: the pieces of the phase and the claimed ones; the finished ones
_BITS = 30  # of each of the two numbers in CLAIMS; that of claimed pieces may be too large
ONE_PIECE = 1 << _BITS
STOPPED = 1 << 2 * _BITS
_POLLS = 4096  # of a word, before a waiting worker offers its processor to other threads: about 10 microseconds


@rule
def claim_piece(numbers):
    """Wait for a piece of a phase; return ONE_PIECE times the number of pieces + the claimed one, or STOPPED or more.

    A worker waits only for pieces that other workers have claimed, so one worker after another can also run the kernel:
    the first one processes all phases.
    """
    polls, word = 0, atomic_load(numbers, CLAIMS)
    while word < STOPPED:
        if word % ONE_PIECE < word // ONE_PIECE:
            word = atomic_add(numbers, CLAIMS, 1)
            if word >= STOPPED or word % ONE_PIECE < word // ONE_PIECE:
                break
        polls += 1
        if polls % _POLLS == 0:
            yield_thread()
        word = atomic_load(numbers, CLAIMS)
    fence()
    return word


@rule
def finish_piece(pieces, numbers):
    """Record that a piece is finished; return whether it was the last one: then this worker begins the next phase."""
    fence()
    is_last = atomic_add(numbers, DONE, 1) + 1 == pieces
    fence()
    return is_last


# ---- In any order, on all threads

_ROOM = 64  # vertices on a worker's stack
_DELAY = 8  # vertices of a worker that wait for their rows
_STRIDE = _ROOM + 2 * _DELAY  # a worker's stack, its waiting vertices, and a gap
_PREFETCHED_HEADS = 16  # heads of a row whose states are prefetched
_WORKER_BUDGET = 1 << 14  # vertices and entries of a worker per call: few, so that idle workers soon get a share
_SHORT_BUDGET = 1 << 10  # the same for an empty list, and _PER_VERTEX more for each listed vertex: the first calls make
_PER_VERTEX = 64  # lists that are long enough for all workers
_CUDA_BUDGET = 1 << 10  # of a worker on a GPU


class Worklists(NamedTuple):
    """The vertices to visit in one call, and the storage for found vertices."""

    current: Vertices  # the list that is divided among all workers
    stacks: Vertices  # (workers * _STRIDE,): the stacks and the waiting vertices of the workers
    following: Vertices  # the list for the next call
    totals: Int64s  # (2,): the length of the following list, and the number of processed vertices and entries
    budget: int  # vertices and entries that a worker may process in this call


@rule
def follow(v, depth, bottom, lists, rows, state):
    """Visit v, and `push` new vertices onto the worker's stack, which has `depth` vertices; return the new depth."""
    return depth


@rule
def prefetch_head(e, u, state):
    """Prefetch the states of entry e and of its head u, for a vertex that will be visited."""


@rule(inline=False)
def _hand_over(start, end, vertices, following, totals):
    """Append ``vertices[start:end]`` to the following list."""
    place = int(atomic_add(totals, 0, end - start))
    for i in range(start, end):
        following[place + i - start] = vertices[i]


@rule
def push(v, depth, bottom, lists):
    """Push v onto the worker's stack, which begins at `bottom` and has `depth` vertices; return the new depth."""
    if depth == _ROOM:
        depth = _ROOM // 2
        _hand_over(bottom + depth, bottom + _ROOM, lists.stacks, lists.following, lists.totals)
    lists.stacks[bottom + depth] = v
    return depth + 1


def _visit_lists(worker, workers, lists: Worklists, rows: Rows, state: State):
    """Visit the vertices of a worker's range and those that they find, and list the remaining ones."""
    indptr, indices, stacks = rows.indptr, rows.indices, lists.stacks
    i, end = chunk_bounds(lists.current.size, worker, workers)
    bottom, depth, budget = worker * _STRIDE, 0, lists.budget
    queue, step, waiting, n = bottom + _ROOM, 0, 0, indptr.size - 1
    for place in range(queue, queue + _DELAY):
        stacks[place] = n  # no vertex
    while waiting > 0 or (budget > 0 and (depth > 0 or i < end)):
        # The vertex that has waited longest leaves the queue; one from the stack or the range enters it.
        place = queue + step % _DELAY
        v = stacks[place]
        stacks[place] = n
        if budget > 0 and (depth > 0 or i < end):
            if depth > 0:
                depth -= 1
                entering = stacks[bottom + depth]
            else:
                entering = lists.current[i]
                i += 1
            prefetch(indices, indptr[entering])
            stacks[place] = entering
            waiting += 1
        halfway = stacks[queue + (step + _DELAY // 2) % _DELAY]
        if halfway < n:
            for e in range(indptr[halfway], min(indptr[halfway + 1], indptr[halfway] + _PREFETCHED_HEADS)):
                prefetch_head(e, indices[e], state)
        step += 1
        if v < n:
            waiting -= 1
            budget -= 1 + indptr[v + 1] - indptr[v]
            depth = follow(v, depth, bottom, lists, rows, state)
    _hand_over(bottom, bottom + depth, stacks, lists.following, lists.totals)
    _hand_over(i, end, lists.current, lists.following, lists.totals)
    atomic_add(lists.totals, 1, lists.budget - budget)


def without_levels(*, prefetch_head: Rule = prefetch_head, **variables: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a rule ``(v, depth, bottom, lists, rows, state)`` that workers apply in any order; see `Frontier`."""

    def declared(function: Callable[..., Any]) -> Kernel:
        body = _plugged(_visit_lists, function, follow=Rule(function), prefetch_head=prefetch_head)
        result: Kernel = kernel(by="workers", **variables)(body)
        return result

    return declared


class Frontier:
    """The worklists of one graph, and repeated calls until they are empty.

    `current` has room for a list of all vertices.
    """

    def __init__(self, graph: Any) -> None:
        xp, n = graph.xp, graph.num_vertices
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self._budget = _WORKER_BUDGET if graph.device == "cpu" else _CUDA_BUDGET
        self.current, self._following = (xp.empty(n, graph.indices.dtype) for _ in range(2))
        self._stacks = xp.empty(self.workers * _STRIDE, graph.indices.dtype)
        self._totals = xp.zeros(2, np.int64)

    def exhaust(self, rule: Kernel, vertices: Any, rows: Rows, state: Any) -> None:
        """Visit the given vertices and all that are found."""
        count = int(vertices.size)
        self.current[:count] = vertices
        while count:
            count, _ = self.step(rule, count, rows, state)

    def step(self, rule: Kernel, count: int, rows: Rows, state: Any) -> tuple[int, int]:
        """Visit the first `count` vertices of `current` and those that they find, until the budget is spent.

        Return the number of vertices to visit next, which are the first ones of `current`, and the number of processed
        vertices and entries.
        """
        self._totals[:] = 0
        budget = min(self._budget, _SHORT_BUDGET + _PER_VERTEX * count)
        lists = Worklists(self.current[:count], self._stacks, self._following, self._totals, budget)
        rule(min(self.workers, count), lists, rows, state)
        self.current, self._following = self._following, self.current
        return int(self._totals[0]), int(self._totals[1])
