"""The decisions that a partition can make without further messages: vertices that wait for neighbors along their rows.

Result: the states of a partition's owned vertices once each unfinished one waits for a ghost, or for a vertex that
does. They are a function of the partition and of the known states of its ghosts, not of the schedule.

Rule: a vertex waits for its neighbors that are before it in the order and not done. In the code: `first_ahead`;
`_decide` of cluster/problems/sets.py and `_color` of cluster/problems/coloring.py compute the new state of a vertex
that need not wait.

The steps around these decisions are the same for all problems in an order: `InPartitions`, the engine, whose subclasses
in sets.py and coloring.py have the rule and the states. The kernels of both rules are loops of four lines around
`first_ahead`; one body into which rules are plugged would take more lines.

Terms: a vertex is *done*, or *settled*, if its state is final. It is *set aside* if it must wait for the next messages.
A neighbor is *far* if it cannot be done in this superstep, because it is a ghost or is set aside.

Idea: each vertex scans its row and stops at the first neighbor for which it must wait. It continues from this entry
when that neighbor is done. If the neighbor is far, the vertex is set aside, too. So all vertices are soon settled or
set aside. Each worker processes a list of its owned vertices, in alternating directions because orders often follow the
ids, and writes only the data of its owned vertices. If an ascending pass settles or sets aside few vertices, one worker
processes the remaining ones in the order, which settles or sets aside all of them.

State: a number for each vertex. While the vertex is not done, its number is larger the earlier it is in the order. When
it is done, its number is smaller than all of these, except for members of a set: scans stop at them, too. For sets the
numbers are bytes (`bytes_of`), between 0 for out and 255 for in. For colorings they are bytes shifted above
all colors.

Cost: colorings read each entry once. Sets look beyond ghosts for a member, so they read the entries of the remaining
vertices once per superstep. Each waiting vertex reads one number per pass. Work memory: 9 bytes for each owned vertex
(13 if a partition has more than 2**31 entries).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._core.engines.rounds import LINE, Worklists, listed
from ..._core.runtime import (
    Array,
    Bools,
    Bytes,
    Int32s,
    Int64s,
    Integers,
    Rows,
    array_module,
    device_of,
    edge_splits,
    kernel,
    lower_bound,
    rule,
    worker_count,
)
from ..._core.runtime.primitives import sort_by_key
from ...independent_set.greedy.order import OUT, monotone_bits
from ...independent_set.rules import BY_HASH, BY_SMALLER_ID, VALUES, LocalOrder, is_before, key_of, tie_of
from ..gpu_execution import device_agnostic, original_of, to_host
from ..messages import common_places, pack_changes, with_ghost_values
from ..partition import Partition, entries_of, take
from ..supersteps import Supersteps, identity, max_entries_of_one_task, residual_of

# Orders

_LOWEST, _HIGHEST = 1, 253  # bytes
_SAMPLE = 4096  # vertices
_MANY = 1 << 14  # keys; a larger range is searched instead of looked up in a table
_UNIT = 1 << 16  # of a byte: the resolution of the sample's distribution


class Ranking(NamedTuple):
    """An order of the vertices of the whole graph."""

    by: int
    ties: int
    seed: int = 0  # the hash of the user's seed
    average: float = 0.0  # degree, for the bytes of ECL-MIS


class _Steps(NamedTuple):
    """The distribution of the keys in a sample, as steps of bytes."""

    keys: Int64s  # ascending
    starts: Int64s  # one more than keys: the byte, in units, at which each key begins
    scale: int  # 2**32 / k
    below: Int64s  # for each number between the extreme keys, the number of smaller keys; empty if too many


@kernel
def _draw(i, vertices: Integers, order: LocalOrder, keys: Int64s, ties: Int64s):
    """Compute the key and the tie of a vertex."""
    keys[i] = key_of(vertices[i], order)
    ties[i] = tie_of(vertices[i], order)


@kernel
def _write_byte(v, order: LocalOrder, steps: _Steps, bytes_: Bytes):
    """Compute the byte of the vertex's place in the order."""
    key, k = key_of(v, order), steps.keys.size
    if steps.below.size == 0:
        k = lower_bound(steps.keys, 0, k, key)
    elif key <= steps.keys[k - 1]:
        k = steps.below[max(key, steps.keys[0]) - steps.keys[0]]
    place = steps.starts[k] << 32
    if k < steps.keys.size and steps.keys[k] == key:
        tie = tie_of(v, order)
        if order.ties != BY_HASH:
            tie = tie * steps.scale + ((1 << 32) - 1 if order.ties == BY_SMALLER_ID else 0)
        place += (steps.starts[k + 1] - steps.starts[k]) * tie
    bytes_[v] = _LOWEST + place // (_UNIT << 32)


def order_of(part: Partition, ranking: Ranking, values: Any = None) -> LocalOrder:
    """Return the order of a partition's vertices; an order by values needs `values` from `comparable`."""
    return LocalOrder(*ranking, part.degrees, part.ids, part.xp.empty(0, np.int64) if values is None else values)


def comparable(values: Any) -> Any:
    """Convert numbers of any real dtype to integers in the same order."""
    return (monotone_bits(values) ^ np.uint64(1 << 63)).view(np.int64)


def bytes_of(order: LocalOrder) -> Any:
    """Return a byte for each vertex, from 1 to 253: the larger, the earlier."""
    xp, size = array_module(device_of(order.ids)), order.ids.size
    sample = xp.arange(0, size, max(1, size // _SAMPLE), dtype=order.ids.dtype)
    keys, counts = np.unique(_keys_and_ties(order, sample)[0], return_counts=True)
    ends = np.cumsum(counts) * ((_HIGHEST - _LOWEST) * _UNIT) // max(sample.size, 1)
    bytes_ = xp.empty(size, np.uint8)
    starts = xp.concatenate([xp.zeros(1, ends.dtype), ends])
    every = int(keys[-1]) - int(keys[0]) + 1 if size else 0
    below = np.searchsorted(keys, keys[:1] + xp.arange(every if every <= _MANY else 0))
    _write_byte(size, order, _Steps(keys, starts, 2**32 // max(size, 1), below), bytes_)
    return bytes_


def _keys_and_ties(order: LocalOrder, vertices: Any) -> tuple[Any, Any]:
    keys, ties = array_module(device_of(vertices)).empty((2, vertices.size), np.int64)
    _draw(vertices.size, vertices, order, keys, ties)
    return keys, ties


def local_keys(order: LocalOrder, vertices: Any) -> Any:
    """Return the keys of some vertices."""
    return _keys_and_ties(order, vertices)[0]


def all_in_order(ranking: Ranking, ids: Any, keys: Any) -> Any:
    """Return the positions in `ids`, which ascend, sorted by the keys from the owners of the vertices."""
    order = LocalOrder(VALUES, ranking.ties, ranking.seed, 0.0, np.empty(0, np.int32), ids, keys)
    return sorted_vertices(order, np.arange(ids.size))


def sorted_vertices(order: LocalOrder, vertices: Any) -> Any:
    """Sort vertices, which are in ascending order, so that each comes after those before it in the order."""
    ranking = np.arange(vertices.size)[::-1]
    for column in reversed(_keys_and_ties(order, vertices)):  # the tie before the key, because each sort is stable
        if column.size and column.min() < column.max():
            ranking = ranking[sort_by_key(_falling(column)[ranking])]
    return vertices[ranking]


def _falling(numbers: Any) -> Any:
    """Map integers to non-negative ones in reversed order."""
    highest, lowest = int(numbers.max()), int(numbers.min())
    if highest - lowest >= 2**63:
        return np.unique(-1 - numbers, return_inverse=True)[1]  # -1 - x has no overflow
    return highest - numbers


_STALLED = 16  # an ascending pass that settles or sets aside less than 1 / _STALLED of its vertices is the last
# The types of worklists, waits, rows and the order; partitions have 32-bit numbers.
TYPES = "int64[] V[] int64[] int32[] bool[] int int bool int32[] int32[] int int int float int32[] int32[] int64[]"
_ANY = 1 << 62  # no limit on the number of workers


class Waits(NamedTuple):
    """The entry of its row at which each owned vertex waits."""

    places: Int32s  # (owned,): the entry; ~entry if the vertex is set aside; the end of the row if it is settled
    passed: Bools  # (owned,): whether the scan has passed a far neighbor
    first: int  # the local number of the first owned vertex
    stop: int  # one more than that of the last
    upwards: bool  # whether lists are processed in ascending order


Decide = Callable[[Partition, int, Worklists, Waits, LocalOrder, Any], None]  # workers; vertices' states


@rule
def first_ahead(v, e, end, rows, order, state):
    """Return the first entry of v's row from e on whose vertex is a member, or before v and not done; or `end`."""
    byte = state[v]
    while e < end:
        u = rows.indices[e]
        other = state[u]
        if other >= byte and (other > byte or (u != v and is_before(u, v, order))):
            break
        e += 1
    return e


@rule
def is_far(u, waits):
    """Return whether u cannot be done in this superstep: a ghost, or a vertex that is set aside."""
    return u < waits.first or u >= waits.stop or waits.places[u - waits.first] < 0


@kernel(by="workers", types="int64[] V[] int64[] int32[] bool[] int int bool int32[] int32[]")
def _pack_waiting(worker, workers, lists: Worklists, waits: Waits, rows: Rows):
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
    """Return the owned vertices at which the mask `undone` is set, their number, and the number of their entries."""
    remaining = part.owned_vertices(undone)
    lengths = part.graph.indptr[remaining + 1] - part.graph.indptr[remaining]
    return remaining, (int(remaining.size), int(lengths.sum()))


def row_starts(part: Partition) -> Any:
    """Return the entries at which owned vertices wait before they have read any."""
    return part.graph.indptr[part.owned].copy()


def settle(
    decide: Decide, part: Partition, remaining: Any, places: Any, order: LocalOrder, state: Any, max_workers: int
) -> Any:
    """Call `decide` on the remaining vertices until no more can be settled; return the entries at which they wait.

    `places` are the entries after the last superstep, and are not changed.
    """
    stored, places = places, ~places
    part.xp.maximum(places, stored, out=places)  # no vertex is set aside any more: messages have arrived
    waits = Waits(places, part.xp.zeros(places.size, bool), part.owned.start, part.owned.stop, True)
    lists, before = _lists(part, remaining, max_workers), remaining.size
    workers, waiting = lists.bounds.size - 1, before
    # An ascending pass always runs, a descending one only if the pass before it has settled or set aside many vertices.
    while waiting and (waits.upwards or (before - waiting) * _STALLED >= before):
        decide(part, workers, lists, waits, order, state)
        _pack_waiting(workers, lists, waits, part.rows)
        before, waiting = waiting, int(lists.counts.sum())
        waits = waits._replace(upwards=not waits.upwards)
    if waiting:
        place = places[remaining - part.first]
        vertices = remaining[(place >= 0) & (place < part.graph.indptr[remaining + 1])]
        finish = _settle_on_one_thread if part.graph.device == "cpu" else _settle_on_host
        finish(decide, part, vertices, waits._replace(upwards=True), order, state)
    return places


def _lists(part: Partition, remaining: Any, max_workers: int) -> Worklists:
    """Divide the remaining vertices among workers: on a CPU with even numbers of entries, on a GPU of vertices."""
    device, indptr, xp = part.graph.device, part.graph.indptr, part.xp
    if device == "cpu":
        entries = part.graph.num_entries * remaining.size // max(1, part.stop - part.start)
        workers = min(worker_count(device, remaining.size + entries), max_workers)
        bounds = np.searchsorted(remaining, edge_splits(indptr, workers))
    else:
        workers = min(worker_count(device, remaining.size), max_workers)
        bounds = xp.arange(workers + 1) * remaining.size // workers
    lists = Worklists(bounds, remaining.copy(), xp.zeros(workers * LINE, np.int64))
    lists.counts[::LINE] = xp.diff(bounds)
    return lists


def _settle_on_one_thread(
    decide: Decide, part: Partition, vertices: Any, waits: Waits, order: LocalOrder, state: Any
) -> None:
    """Process vertices with one worker in the order, which settles or sets aside all of them."""
    counts = np.zeros(LINE, np.int64)
    counts[0] = vertices.size
    lists = Worklists(np.array([0, vertices.size]), sorted_vertices(order, vertices), counts)
    decide(part, 1, lists, waits, order, state)


def _settle_on_host(
    decide: Decide, part: Partition, vertices: Any, waits: Waits, order: LocalOrder, state: Any
) -> None:
    """Do the same as `_settle_on_one_thread` on the CPU, where one thread is fast, for arrays that are on a GPU."""
    original, host_waits, host_state = original_of(part), to_host(waits), to_host(state)
    order = order._replace(degrees=original.degrees, ids=original.ids, values=to_host(order.values))
    _settle_on_one_thread(decide, original, to_host(vertices), host_waits, order, host_state)
    waits.places[:], state[:] = part.xp.asarray(host_waits.places), part.xp.asarray(host_state)


# ---- The steps


class Progress(NamedTuple):
    """The state of a partition between two steps."""

    states: Array  # of all vertices, including ghosts
    remaining: Array  # the owned vertices that are not done, ascending
    places: Array  # the entries at which owned vertices wait
    values: Int64s | None  # the user's order as integers, or None


class InPartitions:
    """A problem whose vertices are decided in an order. Subclasses have its rule; arrays are on the partition's device.

    The steps belong to this class: `begin`, several times `advance`, and if vertices remain then, `send_remaining`,
    `finish` on one worker and `apply`.
    """

    first_states: Callable[..., Any]  # (part, bytes of the order): the states before the first step
    received: Callable[..., Any]  # (part, states, inbox): a copy, updated with the messages about ghosts
    decide: Callable[..., None]  # (whether this is the first step, and the arguments of `Decide`)
    is_done: Callable[[Any], Any]  # (states): the mask of the final ones
    answers: Callable[[Any], Any]  # (states): the answers, which are also the values in messages
    facts_around: Callable[..., tuple[Any, ...]]  # (part, states, tails, heads): more messages for `finish`
    finish: Callable[..., tuple[Any, Any]]  # (messages, ranking): ids of remaining vertices, ascending, and answers

    def run(self, run: Supersteps, ranking: Ranking, each: list[Any] | None = None) -> list[Any]:
        """Run rounds until no vertex remains, or one task finishes; return futures of the pieces of the result."""
        counts = run.step(self.begin, ranking, each=each, left=_unfinished)
        while _unfinished(counts) and sum(entries for _, entries in counts) > max_entries_of_one_task(run.graph):
            counts = run.step(self.advance, ranking, left=_unfinished)
        if not _unfinished(counts):
            return run.answers(self.result)
        run.step(self.send_remaining, ranking)
        run.step(self.apply, run.run_on_one_worker(self.finish, ranking))
        return run.answers(identity)

    @device_agnostic
    def begin(self, part: Partition, state: Any, inbox: Any, ranking: Ranking, allowed: Any | None = None) -> Any:
        """Run the first step, for the allowed vertices; the other ones are out, as vertices of a set are.

        In an order by numbers, `state` and `inbox` are the results of `scatter_values`.
        """
        values = comparable(with_ghost_values(part, state, inbox)) if ranking.by == VALUES else None
        states = self.first_states(part, bytes_of(order_of(part, ranking, values)))
        undecided, before = part.xp.ones(part.stop - part.start, bool), take(part.boundary, states)
        if allowed is not None:
            undecided = part.xp.asarray(allowed)
            states[part.owned][~undecided] = OUT
        progress = Progress(states, part.owned_vertices(undecided), row_starts(part), values)
        return self._settle(part, progress, ranking, before, is_first=True)

    @device_agnostic
    def advance(self, part: Partition, progress: Progress, inbox: Any, ranking: Ranking) -> Any:
        """Run a later step: read the states of ghosts from the messages, and decide the vertices that are now ready."""
        states = self.received(part, progress.states, inbox)
        before = take(part.boundary, states)
        return self._settle(part, progress._replace(states=states), ranking, before, is_first=False)

    def _settle(self, part: Partition, progress: Progress, ranking: Ranking, before: Any, *, is_first: bool) -> Any:
        """Decide all vertices that need not wait, and pack the new states of the boundary.

        The states in `progress` are a copy that belongs to this step. `before` has the last known ones of the boundary.
        """
        states, order = progress.states, order_of(part, ranking, progress.values)
        decide, workers = partial(self.decide, is_first), self.max_workers(part)
        places = settle(decide, part, progress.remaining, progress.places, order, states, workers)
        remaining, counts = remaining_vertices(part, ~self.is_done(states[part.owned]))
        after = take(part.boundary, states)
        message = pack_changes(after != before, self.answers(after))
        return progress._replace(remaining=remaining, places=places), message, counts

    def send_remaining(self, part: Partition, progress: Progress, inbox: Any, ranking: Ranking) -> Any:
        """Send the remaining vertices, and the facts about their neighbors, to the task that finishes."""
        states = self.received(part, progress.states, inbox)
        tails, heads = entries_of(part, progress.remaining)
        facts = self.facts_around(part, states, tails, heads)
        remaining = progress.remaining[~self.is_done(states[progress.remaining])]
        undone = ~(self.is_done(states[tails]) | self.is_done(states[heads]))
        keys = local_keys(order_of(part, ranking, progress.values), remaining)
        residual = residual_of(part, remaining, keys, tails[undone], heads[undone])
        return progress._replace(states=states, remaining=remaining), (residual, *facts), None

    def apply(self, part: Partition, progress: Progress, inbox: Any, finished: tuple[Any, Any]) -> Any:
        """Return the answers of the owned vertices, completed by the result of `finish`."""
        ids, answers = finished
        result = self.result(part, progress)
        chosen, places = common_places(ids, part.ids[progress.remaining])
        result[progress.remaining[places] - part.first] = answers[chosen]
        return result, None, None

    def result(self, part: Partition, progress: Progress) -> Any:
        """Return the answers of the owned vertices."""
        return self.answers(progress.states[part.owned])

    def max_workers(self, part: Partition) -> int:
        """Return the maximal number of workers; by default there is no limit."""
        return _ANY


def _unfinished(counts: list[Any]) -> int:
    return sum(vertices for vertices, _ in counts)
