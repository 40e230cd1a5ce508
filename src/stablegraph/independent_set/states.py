"""States of vertices, which are frozen while a round reads them, and marks, which record the changes to be made.

A worker marks its own vertices and those of other workers in a *lane*, an array with one byte per vertex, so that it
only writes to its own memory (worklists.py explains why). After all workers have marked, each worker collects the marks
of its own vertices from all lanes. With more than eight workers, some share a lane; this is correct because they write
the same bytes.
"""

from __future__ import annotations

from typing import NamedTuple

from .._core.runtime import ArrayT, Bytes, rule

MAX_LANES = 8  # bounds the memory: one byte per vertex and lane
BEATEN = 1  # the mark of a vertex that is too near a winner


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
