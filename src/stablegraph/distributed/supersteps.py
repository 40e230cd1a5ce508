"""Supersteps: rounds of one task per partition, in which each task reads its neighbors' messages of the previous round.

Result: the states of all partitions after each round, a function of only the graph and the step functions.

Rule: ``(state, box, counts) = step(partition, state, {neighbor: its box}, *shared)``. In the code: `Supersteps.step`.

Idea: a step function is pure. It modifies none of its arguments, so Dask may run a task twice, and can recompute a
state from the messages and the partition if the worker that held it is lost. A partition sends one message, called
`box` in the code, to all of its neighbors: one value for each boundary vertex that has changed, packed (messages.py).
The network therefore carries one message for each ordered pair of neighboring partitions. A vertex with neighbors in
several partitions is only once in the message. The client receives only the counts, a few numbers from which it decides
when to stop.

When little work remains, one task reads the messages of all partitions (`Supersteps.run_on_one_worker`) and finishes it
with the algorithm of one machine. This bounds the number of rounds. The function `little` defines the threshold.

Cost: three tasks per partition and round: the step, and two that extract its message and its counts. Dask receives all
of them in two messages, whatever the number of workers.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from itertools import cycle
from operator import getitem
from typing import Any, NamedTuple

from .._core.representation import in_units
from .._core.runtime import threads
from .alignment import aligned
from .gpu_execution import execute_step, to_host
from .on_disk import OnDisk, among, opened
from .workers import gather, room_of, this_worker

LITTLE = 1 << 16  # entries; up to this number are not worth a round
_PART = 4  # nor is up to 1 / _PART of the average number of entries of a partition

_turn = threading.Lock()


class Step(NamedTuple):
    """The result of a step function."""

    state: Any
    box: Any  # the message to the neighboring partitions
    counts: Any  # for the client: a few numbers


def size_of(box: Any) -> int:
    """Return the number of bytes of a message: an array, packed changes, or a tuple or dict of these."""
    if hasattr(box, "nbytes"):
        return int(box.nbytes)
    if isinstance(box, dict):
        return sum(map(size_of, box.values()))
    return sum(map(size_of, box)) if isinstance(box, (tuple, list)) else 0


@contextmanager
def exclusive_on_worker() -> Any:
    """Run one partition at a time, on all threads of a worker, so that work memory is that of one partition.

    The number of threads is ``stablegraph.threads`` in Dask's configuration, or by default the number of Dask threads
    of the worker. A Dask thread that waits for its turn keeps the inputs of its task in memory. A worker with little
    memory should therefore have one Dask thread, and set this option.
    """
    import dask

    worker = this_worker()
    nthreads = None if worker is None else int(dask.config.get("stablegraph.threads", worker.state.nthreads))
    with _turn, threads(nthreads) if nthreads else nullcontext():
        yield


def run_step(function: Any, part: Any, before: Step | None, names: list[int], boxes: list[Any], *shared: Any) -> Step:
    """Apply a step function to the state of a partition and the messages of its neighbors, as one task."""
    with exclusive_on_worker(), opened((part, *shared)) as (part, *more):
        state = None if before is None else aligned(before.state)
        found, on_gpu = execute_step(function, part, state, dict(zip(names, aligned(boxes), strict=True)), *more)
        done = Step(*found)
    return done._replace(counts=(done.counts, size_of(done.box), on_gpu))


def run_alone(function: Any, *arguments: Any) -> Any:
    """Run a function as one task that is not a superstep."""
    with exclusive_on_worker(), opened(arguments) as given:
        return function(*given)


def run_to_disk(function: Any, *arguments: Any) -> OnDisk:
    """Like `run_alone`, and keep the result in a file."""
    with exclusive_on_worker(), opened(arguments) as given:
        return OnDisk(function(*given), among(arguments))


def run_to_files(function: Any, *arguments: Any) -> list[OnDisk]:
    """Like `run_alone`, for a function with several results; keep each in a file of its own."""
    with exclusive_on_worker(), opened(arguments) as given:
        return [OnDisk(one) for one in function(*given)]


def refuse(found: list[Any]) -> None:
    """Raise ValueError with the first error message among the results of tasks.

    Tasks return error messages instead of raising them, because the order in which tasks fail on a cluster varies.
    """
    sentence = next((one for one in found if isinstance(one, str)), None)
    if sentence is not None:
        raise ValueError(sentence)


class Supersteps:
    """The rounds of one computation on a `DistributedGraph`, whose module imports this one."""

    def __init__(self, graph: Any, name: str) -> None:
        self.graph, self.name = graph, name
        self._token, self._number = uuid.uuid4().hex[:12], 0
        self._steps: list[Any] = [None] * graph.num_partitions
        self._boxes: list[Any] = []
        self._sizes: list[int] = []  # of the messages, in bytes
        self.info: dict[str, Any] = {"rounds": 0, "bytes": 0, "left": [], "on_gpus": 0}

    def _key(self, function: Any, k: int | str) -> str:
        return f"{self.name}-{function.__name__.strip('_')}-{self._token}-{self._number}-{k}"

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
        client, parts = self.graph.client, self.graph.parts
        self._number += 1
        neighbors = self.graph.neighbors
        inboxes = [[self._boxes[q] for q in near] if self._boxes else [] for near in neighbors]
        names = neighbors if self._boxes else [[] for _ in neighbors]
        last = [] if each is None else [each]
        constants = ([value] * len(parts) for value in shared)
        columns = [function] * len(parts), parts, self._steps, names, inboxes, *constants, *last
        self._steps = self._map(run_step, columns, [self._key(function, k) for k in range(len(parts))])
        self._boxes, counts = self._take_apart()
        counts = gather(client, counts)
        self.info["bytes"] += sum(self._sizes[q] for near in names for q in near)
        result, self._sizes = [count for count, _, _ in counts], [size for _, size, _ in counts]
        self.info["on_gpus"] += sum(on_gpu for _, _, on_gpu in counts)
        self._tell_progress(None if left is None else left(result))
        return result

    def _take_apart(self) -> tuple[list[Any], list[Any]]:
        """Return futures of the messages and of the counts of this round."""
        count = len(self._steps)
        keys = [
            f"{self.name}-{what}-{self._token}-{self._number}-{k}" for what in ("box", "counts") for k in range(count)
        ]
        futures = self._map(getitem, (self._steps * 2, [1] * count + [2] * count), keys)
        return futures[:count], futures[count:]

    def _map(self, function: Callable[..., Any], columns: tuple[Any, ...], keys: list[str]) -> list[Any]:
        """Submit one or more tasks for each partition, on its preferred worker, to Dask in one message."""
        from dask import annotate

        places = {key: home["workers"] for key, home in zip(keys, cycle(self.graph.homes), strict=False) if home}
        where = annotate(workers=places.__getitem__, allow_other_workers=True) if places else nullcontext()
        with where:
            futures: list[Any] = self.graph.client.map(function, *columns, key=keys, pure=False)
        return futures

    def clear_messages(self) -> None:
        """Discard the messages of the last round."""
        self._boxes = []

    def run_on_one_worker(self, function: Callable[..., Any], *shared: Any) -> Any:
        """Run a function on the messages of all partitions, as one task.

        Return the future of its result, which the caller shares with the next step.
        """
        self._number += 1
        future = self.graph.client.submit(
            run_alone, function, self._boxes, *shared, key=self._key(function, "all"), pure=False
        )
        (travels,) = gather(self.graph.client, self.graph.each_of([future], size_of))
        self.info["bytes"] += sum(self._sizes) + self.graph.num_partitions * travels
        self.clear_messages()
        self._tell_progress(None)
        return future

    def check_one_place(self, needed: int, what: str) -> None:
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
        keys, parts = [self._key(function, k) for k in range(self.graph.num_partitions)], self.graph.parts
        return self._map(_answer, ([function] * len(parts), parts, self._steps), keys)

    def _tell_progress(self, left: int | None) -> None:
        self.info["rounds"] += 1
        if left is not None:
            self.info["left"].append(left)
        if self.graph.progress is not None:
            self.graph.progress(self.name, self.info["rounds"], left)


def _answer(function: Any, part: Any, step: Step) -> Any:
    with opened((part,)) as (part,):
        return function(part, to_host(step.state))


def identity(part: Any, state: Any) -> Any:
    """Return the state, for `Supersteps.answers` if the states are the pieces of the result."""
    return state


def merge_stats(infos: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge the statistics of several runs that make one result, without the numbers of unfinished vertices."""
    return {name: sum(info[name] for info in infos) for name in ("rounds", "bytes", "on_gpus")}


def little(graph: Any) -> int:
    """Return the maximal number of entries that one task finishes."""
    return max(LITTLE, graph.num_entries // (_PART * graph.num_partitions)) if LITTLE else 0
