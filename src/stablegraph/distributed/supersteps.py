"""Supersteps: rounds of one task a partition, which reads what its neighbors have said in the round before.

Result: the states of all partitions after each round; a function of the graph and the step functions alone.

Rule: ``(state, box, counts) = step(partition, state, {neighbor: its box}, *shared)``. In the code: `Supersteps.step`.

Idea: a step function is pure. It changes nothing that it is given, so Dask may run a task twice, and make a state again
from the boxes and the partition when the worker that held it is lost. A box is what a partition says to all of its
neighbors at once: one value for each boundary vertex that has changed, packed (boxes.py). So the network carries one
message for each pair of partitions that touch, and a vertex with neighbors in several others stands in it once. The
counts, some numbers, are all that comes to the client; they tell it when to stop.

When little is left, it is finished by one task that reads all boxes (`Supersteps.at_one`), with the algorithm of one
machine; that bounds the number of rounds. What "little" is, is in `little`.

Cost: three tasks a partition and round (the step, and two that take its box and its counts apart), which Dask is handed
all together, in two messages whatever the number of workers.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from itertools import cycle
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exports import in_units
from ..parallel import threads
from .alignment import aligned
from .on_disk import OnDisk, among, opened
from .on_gpu import carried_out, here
from .workers import gather, room_of, this_worker

if TYPE_CHECKING:
    from .graph import DistributedGraph

LITTLE = 1 << 16  # entries: so many are not worth a round
_PART = 4  # nor is such a part of what a partition has on average

_turn = threading.Lock()


class Step(NamedTuple):
    """What a step function returns."""

    state: Any
    box: Any  # for its neighbors
    counts: Any  # for the client: a few numbers


def size_of(box: Any) -> int:
    """The bytes of a box: an array, a packed message, or a tuple or dict of these."""
    if hasattr(box, "nbytes"):
        return int(box.nbytes)
    if isinstance(box, dict):
        return sum(map(size_of, box.values()))
    return sum(map(size_of, box)) if isinstance(box, (tuple, list)) else 0


@contextmanager
def its_turn() -> Any:
    """One partition at a time, on all threads of a worker: so work memory is that of one.

    These are as many as Dask's configuration says as ``stablegraph.threads``, or as Dask has itself. Those of Dask that
    wait for their turn have what their tasks read in memory, so a worker that is short of it has one, and this number.
    """
    import dask

    worker = this_worker()
    nthreads = None if worker is None else int(dask.config.get("stablegraph.threads", worker.state.nthreads))
    with _turn, threads(nthreads) if nthreads else nullcontext():
        yield


def run_step(function: Any, part: Any, before: Step | None, names: list[int], boxes: list[Any], *shared: Any) -> Step:
    """One task: a step function on what a partition and its neighbors have."""
    with its_turn(), opened((part, *shared)) as (part, *more):
        state = None if before is None else aligned(before.state)
        found, on_gpu = carried_out(function, part, state, dict(zip(names, aligned(boxes), strict=True)), *more)
        done = Step(*found)
    return done._replace(counts=(done.counts, size_of(done.box), on_gpu))


def run_alone(function: Any, *arguments: Any) -> Any:
    """One task that is no superstep."""
    with its_turn(), opened(arguments) as given:
        return function(*given)


def run_to_disk(function: Any, *arguments: Any) -> OnDisk:
    """The same, and what it makes is kept in a file."""
    with its_turn(), opened(arguments) as given:
        return OnDisk(function(*given), among(arguments))


def run_to_files(function: Any, *arguments: Any) -> list[OnDisk]:
    """The same, and each of several things that it makes is in a file of its own."""
    with its_turn(), opened(arguments) as given:
        return [OnDisk(one) for one in function(*given)]


def refuse(found: list[Any]) -> None:
    """ValueError by the first sentence among what tasks found; which one raises first on a cluster is chance."""
    sentence = next((one for one in found if isinstance(one, str)), None)
    if sentence is not None:
        raise ValueError(sentence)


class Supersteps:
    """The rounds of one computation on a graph."""

    def __init__(self, graph: DistributedGraph, name: str) -> None:
        self.graph, self.name = graph, name
        self._token, self._number = uuid.uuid4().hex[:12], 0
        self._steps: list[Any] = [None] * graph.num_partitions
        self._boxes: list[Any] = []
        self._sizes: list[int] = []  # of the boxes
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
        """One round; the counts of all partitions.

        `each` has a last argument for every partition. `left` makes of the counts what progress is shown by.
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
        """The boxes and the counts of this round."""
        count = len(self._steps)
        keys = [
            f"{self.name}-{what}-{self._token}-{self._number}-{k}" for what in ("box", "counts") for k in range(count)
        ]
        futures = self._map(getitem, (self._steps * 2, [1] * count + [2] * count), keys)
        return futures[:count], futures[count:]

    def _map(self, function: Callable[..., Any], columns: tuple[Any, ...], keys: list[str]) -> list[Any]:
        """One or more tasks for each partition, at its home; Dask is handed all in one message."""
        from dask import annotate

        places = {key: home["workers"] for key, home in zip(keys, cycle(self.graph.homes), strict=False) if home}
        where = annotate(workers=places.__getitem__, allow_other_workers=True) if places else nullcontext()
        with where:
            futures: list[Any] = self.graph.client.map(function, *columns, key=keys, pure=False)
        return futures

    def hush(self) -> None:
        """Nobody hears what was told last."""
        self._boxes = []

    def at_one(self, function: Callable[..., Any], *shared: Any) -> Any:
        """What one task makes of the boxes of all partitions: a future, to be shared with the next step."""
        self._number += 1
        future = self.graph.client.submit(
            run_alone, function, self._boxes, *shared, key=self._key(function, "all"), pure=False
        )
        (travels,) = gather(self.graph.client, self.graph.each_of([future], size_of))
        self.info["bytes"] += sum(self._sizes) + self.graph.num_partitions * travels
        self.hush()
        self._tell_progress(None)
        return future

    def check_one_place(self, needed: int, what: str) -> None:
        """Refuse what one task cannot hold."""
        room = room_of(self.graph.client)
        if room is not None and needed > room:
            raise MemoryError(
                f"one worker must hold {what} at last, which takes {in_units(needed)}, but a task may use "
                f"{in_units(room)}: start workers with more memory, or fewer partitions that see more each"
            )

    def answers(self, function: Callable[..., Any]) -> list[Any]:
        """A piece of the answer from each state: futures."""
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
        return function(part, here(step.state))


def as_it_is(part: Any, state: Any) -> Any:
    """For `Supersteps.answers`: the states are the pieces of the answer."""
    return state


def of_several(infos: list[dict[str, Any]]) -> dict[str, Any]:
    """What several runs that make one answer have done together; what was left in between is not told."""
    return {name: sum(info[name] for info in infos) for name in ("rounds", "bytes", "on_gpus")}


def little(graph: DistributedGraph) -> int:
    """So many entries are finished at one place."""
    return max(LITTLE, graph.num_entries // (_PART * graph.num_partitions)) if LITTLE else 0
