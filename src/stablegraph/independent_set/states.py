"""States of vertices, which a round does not change while it reads them, and marks, which say what is to change.

Each worker marks vertices, also those of others, in a *lane*, an array of bytes for all vertices: it writes to memory
of its own (worklists.py says why). When all have marked, each worker collects the marks of all lanes for its own
vertices. Above eight workers some share a lane, which is as right: they write the same bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..parallel import rule

MOST_LANES = 8  # bounds the memory: a byte a vertex and lane
BESIDE = 1  # the mark of a vertex that is too near a winner


class States(NamedTuple):
    """What a round reads and what it finds out."""

    now: Any  # (n,): the state of each vertex, not changed while vertices are marked
    marks: Any  # (lanes * n,): bytes, one lane after another; 0 for a vertex that is not marked


@rule
def four_states(e, last, indices, state):
    """The states of the neighbors at e .. e + 3, where those after `last` stand for the one at `last`."""
    a = state[indices[min(e, last)]]
    b = state[indices[min(e + 1, last)]]
    c = state[indices[min(e + 2, last)]]
    d = state[indices[min(e + 3, last)]]
    return a, b, c, d


@rule
def mark_neighbors(v, lane, rows, marks):
    """Mark v's neighbors (and v, if it has a loop), four at a time, a short row's last one repeatedly."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    last = end - 1
    while e < end:
        for i in range(4):
            marks[lane + rows.indices[min(e + i, last)]] = BESIDE
        e += 4


@rule
def lanes_in(states):
    """How many lanes there are."""
    return states.marks.size // states.now.size


@rule
def lane_of(worker, states):
    """Where the lane begins in which a worker marks vertices."""
    return worker % lanes_in(states) * states.now.size


@rule
def marks_of(v, lanes, states):
    """The marks of a vertex in all lanes, together."""
    marked = states.marks[v]
    for lane in range(1, lanes):
        marked |= states.marks[lane * states.now.size + v]
    return marked
