"""Workers: where pieces are made, what a task may use there, what is kept there, and which one a task runs on."""

from __future__ import annotations

from typing import Any

_LEAST_ROOM = 0.05  # of a worker's memory, whatever its target is
_TRIES = 10
_KEPT = 0.5  # of what Dask holds in memory: partitions that take more go to disk


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
