"""The decisions that a partition can make without further messages: vertices that wait for neighbors along their rows.

Result: the states of a partition's own vertices once each unfinished one waits for a ghost, or for a vertex that does.
They are a function of the partition and of the known states of its ghosts, not of the schedule.

Rule: a vertex waits for its neighbors that are before it in the order and not done. In the code: `first_ahead`;
`_decide` of independent_set.py and `_color` of coloring.py compute the new state of a vertex that need not wait.

Idea: each vertex scans its row and stops at the first neighbor for which it must wait. It continues from this entry
when that neighbor is done. If the neighbor is a ghost or is set aside, the vertex is set aside, too, until the next
messages arrive. So all vertices are soon settled or set aside. Each worker processes a list of its own vertices, in
alternating directions because orders often follow the ids, and writes only about its own vertices. If a pass settles
few vertices, one worker processes the remaining ones in the order, which settles or sets aside all of them.

State: a number for each vertex. While the vertex is not done, its number is larger the earlier it is in the order; when
it is done, its number is smaller than all of these. The numbers are bytes (order.py) between 0 for out and 255 for in,
or bytes shifted above all colors.

Cost: colorings read each entry once. Sets look beyond ghosts for a member, so they read the entries of the remaining
vertices once per superstep. Each waiting vertex reads one number per pass. Work memory: 9 bytes for each own vertex (13
if a partition has more than 2**31 entries).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import edge_splits, kernel, rule, worker_count
from .._core.runtime.structs import Rows
from ..independent_set.worklists import LINE, Worklists, listed
from .gpu_execution import original_of, to_host
from .order import Order, in_order, is_before
from .partition import Partition

_STALLED = 16  # a pass that settles less than 1 / _STALLED of its vertices is the last parallel one
_ANY = 1 << 62  # no limit on the number of workers


class Waits(NamedTuple):
    """The entry of its row at which each own vertex waits."""

    places: Any  # (owned,): the entry; ~entry if the vertex is set aside; the end of the row if it is settled
    passed: Any  # (owned,): whether the scan has passed a far neighbor
    first: Any  # the local number of the first own vertex
    stop: Any  # one more than that of the last
    upwards: Any  # whether lists are processed in ascending order


Attempt = Callable[[Partition, int, Worklists, Waits, Order, Any], None]  # workers; vertices' states


@rule
def first_ahead(v, e, end, rows, order, state):
    """Return the first entry of v's row from e on whose vertex is before v and not done, or `end`."""
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
    """Return whether u cannot be done in this superstep: a ghost, or a vertex that is set aside."""
    return u < waits.first or u >= waits.stop or waits.places[u - waits.first] < 0


@kernel(by="workers", types="int64[] V[] int64[] int32[] bool[] int int bool int32[] int32[]")
def _keep(worker, workers, lists: Worklists, waits: Waits, rows: Rows):
    """Pack the vertices of the list that wait for neighbors of their partition."""
    start, end = listed(worker, lists)
    k = start
    for i in range(start, end):
        v = lists.undecided[i]
        place = waits.places[v - waits.first]
        lists.undecided[k] = v
        k += int((place >= 0) & (place < rows.indptr[v + 1]))
    lists.counts[worker * LINE] = k - start


def remaining_vertices(part: Partition, undone: Any) -> tuple[Any, tuple[int, int]]:
    """Return the own vertices at which the mask `undone` is set, their number, and the number of their entries."""
    left = part.own(undone)
    lengths = part.graph.indptr[left + 1] - part.graph.indptr[left]
    return left, (int(left.size), int(lengths.sum()))


def row_starts(part: Partition) -> Any:
    """Return the entries at which own vertices wait before they have read any."""
    return part.graph.indptr[part.owned].copy()


def settle(
    attempt: Attempt, part: Partition, left: Any, places: Any, order: Order, state: Any, most: int = _ANY
) -> Any:
    """Call `attempt` on the own vertices in `left` until no more can be settled; return the entries at which they wait.

    `places` are the entries after the last superstep, and are not changed. At most `most` workers run.
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
    """Divide the remaining vertices among workers: on a CPU with even numbers of entries, on a GPU of vertices."""
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
    """Process the remaining vertices with one worker in the order, which settles or sets aside all of them."""
    counts = np.zeros(LINE, np.int64)
    counts[0] = rest.size
    attempt(part, 1, Worklists(np.array([0, rest.size]), in_order(order, rest), counts), waits, order, state)


def _by_one_at_home(attempt: Attempt, part: Partition, rest: Any, waits: Waits, order: Order, state: Any) -> None:
    """Do the same as `_by_one` on the CPU, where one thread is fast, for arrays that are on a GPU."""
    home, rest, waits_there, state_there = original_of(part), to_host(rest), to_host(waits), to_host(state)
    order = order._replace(degrees=home.degrees, ids=home.ids, values=to_host(order.values))
    _by_one(attempt, home, rest, waits_there, order, state_there)
    waits.places[:], state[:] = part.xp.asarray(waits_there.places), part.xp.asarray(state_there)
