"""The order by id on several threads, which wait for each other when necessary.

Result: the lexicographically first set, the same as that of serial.py.

Rule: v is in  <=>  no smaller neighbor is in. The oracle is `greedy_independent_set` in tests/support/naive.py. In the
code: `decide_by_id`.

Idea: threads take pieces of consecutive vertices (_core/engines/order.py). A vertex with a neighbor in the set is out,
whatever its other neighbors are; otherwise it needs the states of all its smaller neighbors, and waits if one of them
is not known.

Each state is written by one thread only. The serial algorithm, in contrast, writes the states of neighbors. It reads
only the rows of members and needs about half the time of this one on a single thread. If threads would mostly wait, it
visits all vertices (serial.py).

State: see rounds.py; every undecided vertex has the byte `UNDECIDED`. States change only once, so a stale read costs
time, but never changes the answer.

Cost: an access to the row of each undecided vertex, up to its first neighbor in the set or (in an ascending row) to its
last smaller neighbor. Work memory: the states, 1 byte per vertex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._core.engines.order import in_pieces
from ..._core.runtime import Bytes, Rows, rule
from .order import IN, OUT

UNDECIDED = np.uint8(1)
_MAX_PIECE = 256  # vertices
_DECIDED = 4  # neighbors; of this number of decided ones, one is likely in


class States(NamedTuple):
    """The states, and whether rows are in ascending order."""

    ascending: bool
    states: Bytes


@rule
def _waits(v, window, rows, state):
    """Return whether v is likely to wait.

    It has a neighbor shortly before it, and few neighbors before these vertices, which are decided, and of which one
    may be in.
    """
    in_progress = decided = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        in_progress += int(v - 2 * window < u < v)
        decided += int(u <= v - 2 * window)
    return (in_progress > 0) & (decided < _DECIDED)


@in_pieces(waits=_waits, by_id=True, piece=_MAX_PIECE, slowdown=2)
def decide_by_id(worker, v, rows: Rows, state: States):
    """Put v out if a neighbor is in, and in if all smaller neighbors are out; otherwise v waits."""
    ascending, states = state
    largest, waiting = OUT, False
    if states[v] == UNDECIDED:
        e, end, u = rows.indptr[v], rows.indptr[v + 1], 0
        while (e < end) & (largest != IN) & ((u < v) | (not ascending)):
            for i in range(4):  # without branches, which would be mispredicted
                u = rows.indices[min(e + i, end - 1)]
                byte = int(states[u])
                largest = max(largest, byte)
                waiting |= (byte == UNDECIDED) & (u < v)
            e += 4
        states[v] = OUT if largest == IN else UNDECIDED if waiting else IN
    return (largest == IN) | (not waiting)
