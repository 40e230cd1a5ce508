"""Workers: where pieces are made, what a task may use there, what is kept there, and which one a task runs on."""

from __future__ import annotations

from typing import Any

_LEAST_ROOM = 0.05  # of a worker's memory, whatever its target is
_KEPT = 0.5  # of what Dask holds in memory: partitions that take more go to disk


def homes(client: Any, count: int) -> list[dict[str, Any]]:
    """Where each of so many pieces is to be made, as options of a task: all workers get as many.

    Without this, pieces are made where their edges are, and one worker may get them all. Others help if one is lost.
    """
    addresses = sorted(client.scheduler_info()["workers"])
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
    limit = _limit_of(client)
    target, end = _shares()
    return None if limit is None else int(limit * max((end or 1.0) - (target or 0.0), _LEAST_ROOM))


def do_not_fit(client: Any, nbytes: list[int]) -> bool:
    """Whether pieces of such sizes, spread over the workers, fill what these hold in memory, so that Dask spills."""
    limit, count = _limit_of(client), len(nbytes)
    target, _ = _shares()
    if limit is None or not target:
        return False
    workers = len(client.scheduler_info()["workers"])
    held = [0] * workers
    for k, size in enumerate(nbytes):
        held[k * workers // count] += size
    return bool(max(held) > _KEPT * target * limit)


def _limit_of(client: Any) -> int | None:
    limits = [worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()]
    return min((limit for limit in limits if limit), default=None)


def _shares() -> tuple[Any, Any]:
    """Of a worker's memory: what Dask holds there, and at which it ends the worker."""
    import dask

    return tuple(dask.config.get(f"distributed.worker.memory.{name}", None) for name in ("target", "terminate"))
