"""Workers: the placement of pieces and tasks, and the memory and disk that they use on each worker.

Results come to the client by `gather`, which stops with an error if the cluster has no worker for a long time.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import wait
from typing import Any

from .in_process import InProcess

_LEAST_ROOM = 0.05  # of a worker's memory, whatever its target is
_TRIES = 10
_KEPT = 0.5  # of what Dask holds in memory: partitions that take more go to disk
_QUIET = 2.0  # seconds without a result, after which `gather` asks for the number of workers
_TIMEOUT = "5 minutes"  # without any worker, unless Dask's configuration has stablegraph.no-workers-timeout


def workers_of(client: Any) -> dict[str, Any]:
    """What the scheduler tells of its workers, by their addresses.

    A client asks for their number alone now and then, in another thread, and may hand out that answer here.
    """
    for _ in range(_TRIES):
        told: dict[str, Any] = client.scheduler_info()
        if len(told["workers"]) >= told.get("n_workers", 0):
            break
    workers: dict[str, Any] = told["workers"]
    return workers


def homes(client: Any, count: int) -> list[dict[str, Any]]:
    """Where each of so many pieces is to be made, as options of a task: all workers get as many.

    Without this, pieces are made where their edges are, and one worker may get them all. Others help if one is lost.
    """
    addresses = sorted(workers_of(client))
    if not addresses:
        return [{}] * count
    return [{"workers": [addresses[k * len(addresses) // count]], "allow_other_workers": True} for k in range(count)]


def survive_lost_workers(client: Any) -> None:
    """Prepare the scheduler for the death of all workers at once; see lost_workers.py."""
    if not isinstance(client, InProcess):
        from .lost_workers import DropPreferredWorkers

        client.register_plugin(DropPreferredWorkers())


def gather(client: Any, futures: list[Any]) -> list[Any]:
    """Return the values of futures, or raise TimeoutError if the cluster has no worker for too long.

    Workers are counted only after some seconds without a result, so a cluster that answers is never asked.
    """
    if isinstance(client, InProcess):
        return client.gather(futures)
    values = asyncio.run_coroutine_threadsafe(client.gather(futures, asynchronous=True), client.loop.asyncio_loop)
    limit, since = _no_workers_timeout(), None
    try:
        while not wait([values], _QUIET if limit is None else min(_QUIET, limit)).done:
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


def _no_workers_timeout() -> float | None:
    """Seconds; None means without end."""
    import dask
    from dask.utils import parse_timedelta

    limit = dask.config.get("stablegraph.no-workers-timeout", _TIMEOUT)
    return None if limit is None else float(parse_timedelta(limit))


def this_worker() -> Any:
    """The worker of Dask's that this runs on, or None."""
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None


def room_of(client: Any) -> int | None:
    """The bytes that a task may use on each worker; None where nobody says so.

    Dask spills what it manages only from its target on, and ends a worker that takes almost all of its memory: what is
    in between is for the task that runs.
    """
    limit = _limit_of(workers_of(client))
    target, end = _shares()
    return None if limit is None else int(limit * max((end or 1.0) - (target or 0.0), _LEAST_ROOM))


def do_not_fit(client: Any, nbytes: list[int]) -> bool:
    """Whether pieces of such sizes, spread over the workers, fill what these hold in memory, so that Dask spills."""
    workers, count = workers_of(client), len(nbytes)
    limit, (target, _) = _limit_of(workers), _shares()
    if limit is None or not target:
        return False
    held = [0] * len(workers)
    for k, size in enumerate(nbytes):
        held[k * len(workers) // count] += size
    return bool(max(held) > _KEPT * target * limit)


def _limit_of(workers: dict[str, Any]) -> int | None:
    limits = [worker["memory_limit"] for worker in workers.values()]
    return min((limit for limit in limits if limit), default=None)


def _shares() -> tuple[Any, Any]:
    """Of a worker's memory: what Dask holds there, and at which it ends the worker."""
    import dask

    return tuple(dask.config.get(f"distributed.worker.memory.{name}", None) for name in ("target", "terminate"))
