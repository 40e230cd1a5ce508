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
is: bytes (order.py), between 0 for out and 255 for in, or, above all colors, what stands for these.

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
from .on_gpu import here, original_of
from .order import Order, in_order, is_before
from .partition import Partition

_STALLED = 16  # a pass that settles less than this part of its vertices is the last one before that in order
_ANY = 1 << 62  # number of workers


class Waits(NamedTuple):
    """Where in its row each own vertex waits."""

    places: Any  # (owned,): the entry; ~entry if it is laid aside; the end of the row if it is settled
    passed: Any  # (owned,): whether one that is far was passed by on the way there
    first: Any  # own vertices are those from here
    stop: Any  # up to here
    upwards: Any  # whether lists are gone through so


Attempt = Callable[[Partition, int, Worklists, Waits, Order, Any], None]  # workers; vertices' states


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


@kernel(by="workers", types="int64[] V[] int64[] int32[] bool[] int int bool int32[] int32[]")
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
    attempt: Attempt, part: Partition, left: Any, places: Any, order: Order, state: Any, most: int = _ANY
) -> Any:
    """Call `attempt` on the own vertices that are left, until it can do no more; their places.

    `places` are those after the last superstep, and are not changed. There are at most so many workers.
    """
    xp, owned = part.xp, part.owned
    places = xp.maximum(places, ~places)
    waits = Waits(places, xp.zeros(places.size, bool), owned.start, owned.stop, True)
    lists, before = _lists(part, left, most), left.size
    waiting = before
    while waiting and (waits.upwards or (before - waiting) * _STALLED >= before):
        attempt(part, lists.bounds.size - 1, lists, waits, order, state)
        _keep(lists.bounds.size - 1, lists, waits, part.rows)
        before, waiting = waiting, int(lists.counts.sum())
        waits = waits._replace(upwards=not waits.upwards)
    if waiting:
        at_left = places[left - part.first]
        rest = left[(at_left >= 0) & (at_left < part.graph.indptr[left + 1])]
        by_one = _by_one if part.graph.device == "cpu" else _by_one_at_home
        by_one(attempt, part, rest, waits._replace(upwards=True), order, state)
    return places


def _lists(part: Partition, left: Any, most: int) -> Worklists:
    """Shares of what is left, for each worker: even ones in entries, too, unless the workers are many."""
    device, indptr, xp = part.graph.device, part.graph.indptr, part.xp
    if device == "cpu":
        entries = part.graph.num_entries * left.size // max(1, part.stop - part.start)
        workers = min(worker_count(device, left.size + entries), most)
        bounds = np.searchsorted(left, edge_splits(indptr, workers))
    else:
        workers = min(worker_count(device, left.size), most)
        bounds = xp.arange(workers + 1) * left.size // workers
    lists = Worklists(bounds, left.copy(), xp.zeros(workers * LINE, np.int64))
    lists.counts[::LINE] = xp.diff(bounds)
    return lists


def _by_one(attempt: Attempt, part: Partition, rest: Any, waits: Waits, order: Order, state: Any) -> None:
    """One worker goes through the rest in order, which settles all of it."""
    counts = np.zeros(LINE, np.int64)
    counts[0] = rest.size
    attempt(part, 1, Worklists(np.array([0, rest.size]), in_order(order, rest), counts), waits, order, state)


def _by_one_at_home(attempt: Attempt, part: Partition, rest: Any, waits: Waits, order: Order, state: Any) -> None:
    """The same where a thread is fast, for arrays that are on a GPU."""
    home, rest, waits_there, state_there = original_of(part), here(rest), here(waits), here(state)
    order = order._replace(degrees=home.degrees, ids=home.ids, values=here(order.values))
    _by_one(attempt, home, rest, waits_there, order, state_there)
    waits.places[:], state[:] = part.xp.asarray(waits_there.places), part.xp.asarray(state_there)
