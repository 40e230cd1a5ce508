"""Workers: the placement of pieces and tasks, and the memory and disk that they use on each worker.

The client receives results by `gather`, which raises an error if the cluster has no worker for a long time.

All workers may die at the same moment. The tasks of a graph in partitions prefer the worker that holds the partition,
and any other worker may run them (``allow_other_workers=True``). Dask applies the second part only when a task becomes
ready. A task that becomes ready while no worker is running waits for its preferred address, and a worker that dies
returns under a new address. Therefore a plugin of the scheduler removes the preferred addresses of a task for which
the scheduler finds no worker, and which any worker may run. Dask then gives it to the next worker that joins. The
plugin acts at this event only, so it costs nothing otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import wait
from functools import partial
from typing import Any

from dask.delayed import Delayed, delayed
from distributed import SchedulerPlugin, get_worker

from .._core.texts import counted
from .._core.validation import integer
from .progress_line import ProgressLine, current_line

# Without a cluster


class InProcess:
    """The subset of the methods of Dask's client that graphs in partitions use.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.distributed.grid((4, 4), 2, client=InProcess())
    >>> sg.maximal_independent_set(graph).sum().compute(scheduler="sync")
    np.int64(6)
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def submit(
        self, function: Callable[..., Any], *arguments: Any, key: str | None = None, pure: Any = None, **where: Any
    ) -> Any:
        """Run a task, and return its value as a delayed object; options of placement are ignored."""
        key = key or f"task-{len(self._values)}"
        self._values[key] = value = self._run(key, function, self._values_of(arguments))
        return delayed(value, name=key, traverse=False)

    def _run(self, key: str, function: Callable[..., Any], arguments: Any) -> Any:
        return function(*arguments)

    def map(
        self, function: Callable[..., Any], *columns: Any, key: list[str], pure: Any = None, **where: Any
    ) -> list[Any]:
        """Run a task for each row of some columns."""
        rows = zip(*columns, strict=True)
        return [self.submit(function, *row, key=name) for name, row in zip(key, rows, strict=True)]

    def _values_of(self, argument: Any) -> Any:
        if isinstance(argument, Delayed):
            return self._values[argument.key]
        if type(argument) in (list, tuple):
            return type(argument)(map(self._values_of, argument))
        return argument

    def gather(self, futures: list[Any]) -> list[Any]:
        """Return the values of delayed objects."""
        values: list[Any] = self._values_of(futures)
        return values

    def compute(self, lazy: list[Any]) -> list[Any]:
        """Compute values with Dask's synchronous scheduler."""
        return [self.submit(partial(one.compute, scheduler="sync")) for one in lazy]

    def scheduler_info(self) -> dict[str, Any]:
        """Report that there are no workers, and so no memory limits."""
        return {"workers": {}}


_PER_WORKER = 2  # partitions, by default
_MIN_ROOM = 0.05  # of a worker's memory, whatever its target is
_MAX_REQUESTS = 10  # for the list of workers
_MAX_HELD = 0.5  # of the memory in which Dask holds values; larger partitions are kept on disk
_QUIET = 2.0  # seconds without a result, after which `gather` asks for the number of workers
_REDRAWN = 0.5  # seconds between changes of the line that shows progress
_TIMEOUT = "5 minutes"  # without any worker, unless Dask's configuration has stablegraph.no-workers-timeout


def workers_of(client: Any) -> dict[str, Any]:
    """Return the scheduler's information about its workers, by their addresses.

    In another thread, Dask's client regularly requests only the number of workers, and `scheduler_info` may return that
    answer. So the request is repeated until the answer lists all workers.
    """
    for _ in range(_MAX_REQUESTS):
        reply: dict[str, Any] = client.scheduler_info()
        if len(reply["workers"]) >= reply.get("n_workers", 0):
            break
    workers: dict[str, Any] = reply["workers"]
    return workers


def placements(client: Any, count: int) -> list[dict[str, Any]]:
    """Return the preferred worker of each of `count` pieces, as options of a task; all workers get equally many.

    Without this placement Dask makes a piece where its edges are, and one worker may get all pieces. Other workers may
    run the task if the preferred one is lost.
    """
    addresses = sorted(workers_of(client))
    if not addresses:
        return [{}] * count
    return [{"workers": [addresses[k * len(addresses) // count]], "allow_other_workers": True} for k in range(count)]


class DropPreferredWorkers(SchedulerPlugin):  # type: ignore[misc]
    """Remove the preferred addresses of tasks that no worker can take."""

    idempotent = True
    name = "stablegraph-drop-preferred-workers"

    async def start(self, scheduler: Any) -> None:
        """Keep the scheduler, whose tasks `transition` changes."""
        self._tasks = scheduler.tasks

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Act on a task that becomes ready and finds no worker."""
        if finish == "no-worker" and (task := self._tasks[key]).loose_restrictions:
            task.worker_restrictions = None


def survive_lost_workers(client: Any) -> None:
    """Prepare the scheduler for the death of all workers at once."""
    if not isinstance(client, InProcess):
        client.register_plugin(DropPreferredWorkers())


def client_of(client: Any | None) -> Any:
    """Return the given client, or the one that was created last; its scheduler survives the loss of all workers."""
    if client is None:
        from distributed import default_client

        try:
            client = default_client()
        except ValueError:
            raise ValueError(
                "there is no cluster: make a client first, distributed.Client(dashboard_address='127.0.0.1:0') for "
                "processes on this machine, or distributed.Client(address)"
            ) from None
    survive_lost_workers(client)
    return client


def partition_count(client: Any, partitions: int | None) -> int:
    """Return the number of partitions."""
    if partitions is None:
        return max(1, _PER_WORKER * len(workers_of(client)))
    return integer(partitions, "partitions", minimum=1)


def gather(client: Any, futures: list[Any]) -> list[Any]:
    """Return the values of futures, or raise TimeoutError if the cluster has no worker for too long.

    Workers are counted only after some seconds without a result, so a cluster that answers is never asked.
    """
    if isinstance(client, InProcess):
        return client.gather(futures)
    values = asyncio.run_coroutine_threadsafe(client.gather(futures, asynchronous=True), client.loop.asyncio_loop)
    limit, since, line = _no_workers_timeout(), None, current_line()
    pause = _QUIET if limit is None else min(_QUIET, limit)
    try:
        while not _is_done(values, pause, line, futures):
            now = time.monotonic()
            since = None if workers_of(client) else now if since is None else since
            if limit is not None and since is not None and now - since >= limit:
                raise TimeoutError(
                    f"the Dask cluster has had no worker for {limit:g} s; start workers and call the function again, "
                    "or set stablegraph.no-workers-timeout in Dask's configuration to wait longer"
                )
        gathered: list[Any] = values.result()
    finally:
        values.cancel()  # after an error or Ctrl-C; finished results are not affected
    return gathered


def _is_done(values: Any, pause: float, line: ProgressLine | None, futures: list[Any]) -> bool:
    """Wait for values, at most for a pause; return whether they are present. Meanwhile, show the number of tasks."""
    end = time.monotonic() + pause
    while not wait([values], min(pause, _REDRAWN) if line else pause).done:
        if line is not None:
            done = sum(future.done() for future in futures)
            line.show(f"{str(futures[0].key).partition('-')[0]}, {done} of {counted(len(futures), 'task', 'tasks')}")
        if time.monotonic() >= end:
            return False
    return True


def _no_workers_timeout() -> float | None:
    """Return the timeout in seconds; None means that there is none."""
    import dask
    from dask.utils import parse_timedelta

    limit = dask.config.get("stablegraph.no-workers-timeout", _TIMEOUT)
    return None if limit is None else float(parse_timedelta(limit))


def this_worker() -> Any:
    """Return the Dask worker that runs this task, or None."""
    try:
        return get_worker()
    except ValueError:
        return None


def room_of(client: Any) -> int | None:
    """Return the number of bytes that a task may use on each worker, or None if there is no limit.

    Dask spills the values that it manages only above its target, and kills a worker that uses almost all of its memory.
    The memory between these two thresholds is available to the running task.
    """
    limit = _limit_of(workers_of(client))
    target, end = _memory_fractions()
    return None if limit is None else int(limit * max((end or 1.0) - (target or 0.0), _MIN_ROOM))


def do_not_fit(client: Any, nbytes: list[int]) -> bool:
    """Return whether pieces of these sizes, spread over the workers, fill their memory so that Dask would spill."""
    workers, count = workers_of(client), len(nbytes)
    limit, (target, _) = _limit_of(workers), _memory_fractions()
    if limit is None or not target:
        return False
    held = [0] * len(workers)
    for k, size in enumerate(nbytes):
        held[k * len(workers) // count] += size
    return bool(max(held) > _MAX_HELD * target * limit)


def _limit_of(workers: dict[str, Any]) -> int | None:
    limits = [worker["memory_limit"] for worker in workers.values()]
    return min((limit for limit in limits if limit), default=None)


def _memory_fractions() -> tuple[Any, Any]:
    """Return the fractions of a worker's memory above which Dask spills, and at which it kills the worker."""
    import dask

    return tuple(dask.config.get(f"distributed.worker.memory.{name}", None) for name in ("target", "terminate"))
