"""What a partition can decide alone: vertices that wait for others along their rows.

Result: the states of a partition's own vertices when all of them wait for ghosts, or for one that does; a function of
the partition and of what is known of its ghosts, not of the schedule.

Rule: a vertex waits for its neighbors that are before it in the order and not done. In the code: `first_ahead`, and
`_decide` of independent_set.py and `_color` of coloring.py, which say what becomes of it.

Idea: each vertex reads its row and stops at the first neighbor for which it must wait; from there it goes on when that
one is done. If it is a ghost, or one that is laid aside, the vertex is laid aside, too, until others have told more. So
all vertices are soon settled or laid aside. Each worker goes through a list of its own, up and down in turn, as orders
often follow the ids, and writes about its own vertices alone. If a pass ends few waits, one worker goes through the
rest in order, which ends them all.

State: a number for each vertex that ascends with the order while it is not done, and is smaller than all these when it
is: bytes (order.py), between 0 for out and 255 for in, or, above all colors, the same bytes.

Cost: colorings read each entry once; sets, which look behind ghosts for a member, once in each superstep for what is
left. Each vertex that waits looks at one number in each pass. Work memory: 9 bytes for each own vertex (13 where a
partition has more than 2**31 entries).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..independent_set.worklists import LINE, Worklists, listed
from ..parallel import edge_splits, kernel, rule, worker_count
from ..parallel.groups import Rows
from .order import Order, in_order, is_before
from .partition import Partition

_STALLED = 16  # a pass that settles less than this part of its vertices is the last one before that in order


class Waits(NamedTuple):
    """Where in its row each own vertex waits."""

    places: Any  # (owned,): the entry; ~entry if it is laid aside; the end of the row if it is settled
    passed: Any  # (owned,): whether one that is far was passed by on the way there
    first: Any  # own vertices are those from here
    stop: Any  # up to here
    upwards: Any  # whether lists are gone through so


@rule
def first_ahead(v, e, end, rows, order, state):
    """The first entry of v's row from e on whose vertex is before v and not done, or `end`."""
    own = state[v]
    while e < end:
        u = rows.indices[e]
        other = state[u]
        if other >= own and (other > own or (u != v and is_before(u, v, order))):
            break
        e += 1
    return e


@rule
def is_far(u, waits):
    """Whether it will not be done in this superstep: a ghost, or laid aside."""
    return u < waits.first or u >= waits.stop or waits.places[u - waits.first] < 0


@kernel(by="workers")
def _keep(worker, workers, lists: Worklists, waits: Waits, rows: Rows):
    """Pack the vertices that wait for others of their partition."""
    start, end = listed(worker, lists)
    k = start
    for i in range(start, end):
        v = lists.undecided[i]
        place = waits.places[v - waits.first]
        lists.undecided[k] = v
        k += int((place >= 0) & (place < rows.indptr[v + 1]))
    lists.counts[worker * LINE] = k - start


def left_over(part: Partition, undone: Any) -> tuple[Any, tuple[int, int]]:
    """The own vertices where a mask of these says that they are not done; how many, and how many entries they have."""
    left = part.own(undone)
    lengths = part.graph.indptr[left + 1] - part.graph.indptr[left]
    return left, (int(left.size), int(lengths.sum()))


def row_starts(part: Partition) -> Any:
    """Places for own vertices that have read nothing yet."""
    return part.graph.indptr[part.owned].copy()


def settle(
    attempt: Callable[[int, Worklists, Waits], None], part: Partition, left: Any, places: Any, order: Order
) -> Any:
    """Call `attempt(workers, lists, waits)` on the own vertices that are left, until it can do no more; their places.

    `places` are those after the last superstep, and are not changed.
    """
    owned, entries = part.owned, part.graph.num_entries
    places, passed = np.where(places < 0, ~places, places), np.zeros(places.size, bool)
    workers = worker_count("cpu", left.size + entries * left.size // max(1, owned.stop - owned.start))
    bounds = np.searchsorted(left, edge_splits(part.graph.indptr, workers))
    lists = Worklists(bounds, left.copy(), np.zeros(workers * LINE, np.int64))
    lists.counts[::LINE] = np.diff(bounds)
    before, waiting, upwards = left.size, left.size, True
    while waiting and (upwards or (before - waiting) * _STALLED >= before):
        waits = Waits(places, passed, owned.start, owned.stop, upwards)
        attempt(workers, lists, waits)
        _keep(workers, lists, waits, part.rows)
        before, waiting, upwards = waiting, int(lists.counts.sum()), not upwards
    if waiting:
        starts = zip(bounds[:-1].tolist(), lists.counts[::LINE].tolist(), strict=True)
        rest = np.concatenate([lists.undecided[start : start + count] for start, count in starts])
        counts = np.zeros(LINE, np.int64)
        counts[0] = waiting
        alone = Worklists(np.array([0, waiting]), in_order(order, rest), counts)
        attempt(1, alone, Waits(places, passed, owned.start, owned.stop, True))
    return places
