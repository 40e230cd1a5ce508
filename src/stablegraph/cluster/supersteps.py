"""Supersteps: rounds of one task per partition, in which each task reads its neighbors' messages of the previous round.

Result: the states of all partitions after each round, a function of only the graph and the step functions.

Rule: ``(state, message, counts) = step(partition, state, {neighbor: its message}, *shared)``. In the code:
`Supersteps.step`.

Idea: a step function is pure. It modifies none of its arguments, so Dask may run a task twice, and can recompute a
state from the messages and the partition if the worker that held it is lost. A partition sends one message to all of
its neighbors: one value for each boundary vertex that has changed, packed (messages.py). The network therefore carries
one message for each ordered pair of neighboring partitions. A vertex with neighbors in several partitions is only once
in the message. The client receives only the counts, a few numbers from which it decides when to stop.

When little work remains, one task reads the messages of all partitions (`Supersteps.run_on_one_worker`) and finishes it
with the algorithm of one machine. This bounds the number of rounds. `max_entries_of_one_task` defines the threshold.
The messages then have the form `Residual`.

Cost: three tasks per partition and round: the step, and two that extract its message and its counts. Dask receives all
of them in two messages, whatever the number of workers.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from itertools import cycle
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Array
from .._core.texts import in_units
from .gpu_execution import execute_step, to_host
from .graph import DistributedGraph
from .on_disk import aligned, loaded_arguments
from .partition import Partition
from .progress_line import current_line
from .tasks import exclusive_on_worker, run_alone, submit_in_one_message
from .workers import gather, room_of

# One task finishes a computation when the remaining entries are at most this number, or at most 1 / _PART of the
# average number of entries of a partition. With 0, which tests set, rounds continue to the end.
MAX_ENTRIES_OF_ONE_TASK = 1 << 16
_PART = 4


class Step(NamedTuple):
    """The result of a step function."""

    state: Any
    message: Any  # to the neighboring partitions
    counts: Any  # for the client: a few numbers


def size_of(message: Any) -> int:
    """Return the number of bytes of a message: an array, packed changes, or a tuple or dict of these."""
    if hasattr(message, "nbytes"):
        return int(message.nbytes)
    if isinstance(message, dict):
        return sum(map(size_of, message.values()))
    return sum(map(size_of, message)) if isinstance(message, (tuple, list)) else 0


def run_step(
    function: Any, part: Any, before: Step | None, names: list[int], messages: list[Any], *shared: Any
) -> Step:
    """Apply a step function to the state of a partition and the messages of its neighbors, as one task."""
    with exclusive_on_worker(), loaded_arguments((part, *shared)) as (part, *arguments):
        state = None if before is None else aligned(before.state)
        inbox = dict(zip(names, aligned(messages), strict=True))
        result, on_gpu = execute_step(function, part, state, inbox, *arguments)
        step = Step(*result)
    return step._replace(counts=(step.counts, size_of(step.message), on_gpu))


class Supersteps:
    """The rounds of one computation on a graph."""

    def __init__(self, graph: DistributedGraph, name: str) -> None:
        self.graph, self.name = graph, name
        self._token, self._number = uuid.uuid4().hex[:12], 0
        self._steps: list[Any] = [None] * graph.num_partitions
        self._messages: list[Any] = []
        self._sizes: list[int] = []  # of the messages, in bytes
        self.info: dict[str, Any] = {"rounds": 0, "bytes": 0, "left": [], "on_gpus": 0}

    def _keys(self, name: str) -> list[str]:
        """Return the keys of tasks for all partitions."""
        return [f"{self.name}-{name}-{self._token}-{self._number}-{k}" for k in range(self.graph.num_partitions)]

    def step(
        self,
        function: Callable[..., Any],
        *shared: Any,
        each: list[Any] | None = None,
        left: Callable[[Any], int] | None = None,
    ) -> list[Any]:
        """Run one round, and return the counts of all partitions.

        `each` has a last argument for every partition. `left` computes from the counts the number of unfinished
        vertices or edges, which is reported as progress.
        """
        parts = self.graph.parts
        self._number += 1
        neighbors = self.graph.neighbors if self._messages else [[] for _ in parts]
        inboxes = [[self._messages[q] for q in near] for near in neighbors]
        constants = ([value] * len(parts) for value in shared)
        columns: tuple[Any, ...] = [function] * len(parts), parts, self._steps, neighbors, inboxes, *constants
        self._steps = self._map(
            run_step, (*columns, each) if each is not None else columns, self._keys(_name(function))
        )
        fields = [1] * len(parts) + [2] * len(parts)
        futures = self._map(getitem, (self._steps * 2, fields), self._keys("message") + self._keys("counts"))
        self._messages = futures[: len(parts)]
        counts = gather(self.graph.client, futures[len(parts) :])
        self.info["bytes"] += sum(self._sizes[q] for near in neighbors for q in near)
        result, self._sizes = [count for count, _, _ in counts], [size for _, size, _ in counts]
        self.info["on_gpus"] += sum(on_gpu for _, _, on_gpu in counts)
        self._report_progress(None if left is None else left(result))
        return result

    def _map(self, function: Callable[..., Any], columns: tuple[Any, ...], keys: list[str]) -> list[Any]:
        """Submit one or more tasks for each partition, on its preferred worker, to Dask in one message."""
        return submit_in_one_message(self.graph.client, function, columns, keys, cycle(self.graph.placements))

    def run_on_one_worker(self, function: Callable[..., Any], *shared: Any) -> Any:
        """Run a function on the messages of all partitions, as one task.

        Return the future of its result, which the caller shares with the next step.
        """
        self._number += 1
        key = f"{self.name}-{_name(function)}-{self._token}-{self._number}-all"
        future = self.graph.client.submit(run_alone, function, self._messages, *shared, key=key, pure=False)
        (size,) = gather(self.graph.client, self.graph.map_futures([future], size_of))
        self.info["bytes"] += sum(self._sizes) + self.graph.num_partitions * size
        self._messages = []
        self._report_progress(None)
        return future

    def compute_on_one_worker(self, function: Callable[..., Any], *shared: Any) -> Any:
        """Like `run_on_one_worker`, but return the result itself, which must be small."""
        return gather(self.graph.client, [self.run_on_one_worker(function, *shared)])[0]

    def check_memory_of_one_worker(self, needed: int, what: str) -> None:
        """Raise MemoryError if data of this size does not fit into one task."""
        room = room_of(self.graph.client)
        if room is not None and needed > room:
            raise MemoryError(
                f"one worker must hold {what} at last, which takes {in_units(needed)}, but a task may use "
                f"{in_units(room)}: start workers with more memory, or fewer partitions that see more each"
            )

    def answers(self, function: Callable[..., Any]) -> list[Any]:
        """Compute a piece of the result from each state, and return futures."""
        self._number += 1
        parts = self.graph.parts
        return self._map(_answer, ([function] * len(parts), parts, self._steps), self._keys(_name(function)))

    def _report_progress(self, remaining: int | None) -> None:
        self.info["rounds"] += 1
        if remaining is not None:
            self.info["left"].append(remaining)
        if self.graph.progress is not None:
            self.graph.progress(self.name, self.info["rounds"], remaining)
        elif (line := current_line()) is not None:
            line.show(f"round {self.info['rounds']}" + ("" if remaining is None else f", {remaining:,} left"))


def _name(function: Callable[..., Any]) -> str:
    return function.__name__.strip("_")


def _answer(function: Any, part: Any, step: Step) -> Any:
    with loaded_arguments((part,)) as (part,):
        return function(part, to_host(step.state))


def identity(part: Any, state: Any) -> Any:
    """Return the state, for `Supersteps.answers` if the states are the pieces of the result."""
    return state


def merge_stats(infos: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge the statistics of several runs that make one result, without the numbers of unfinished vertices."""
    return {name: sum(info[name] for info in infos) for name in ("rounds", "bytes", "on_gpus")}


def max_entries_of_one_task(graph: DistributedGraph) -> int:
    """Return the maximal number of entries that one task finishes."""
    if MAX_ENTRIES_OF_ONE_TASK == 0:
        return 0
    return max(MAX_ENTRIES_OF_ONE_TASK, graph.num_entries // (_PART * graph.num_partitions))


class Residual(NamedTuple):
    """The remaining vertices of a partition, by ids, and their entries to vertices that may also remain."""

    ids: Array
    keys: Array  # of their order
    tails: Array
    heads: Array


def residual_of(part: Partition, vertices: Any, keys: Any, tails: Any, heads: Any) -> Residual:
    """Make a `Residual` from local numbers."""
    return Residual(part.ids[vertices], keys, part.ids[tails], part.ids[heads])


def renumber_residual(residuals: Sequence[Residual]) -> tuple[Any, Any, Any, Any]:
    """Return the ids of all remaining vertices, ascending, their keys, and the entries between them by position."""
    ids, keys, tails, heads = (np.concatenate(column) for column in zip(*residuals, strict=True))
    places = np.searchsorted(ids, heads)
    remain = places < ids.size
    remain[remain] = ids[places[remain]] == heads[remain]
    return ids, keys, np.searchsorted(ids, tails[remain]), places[remain]
