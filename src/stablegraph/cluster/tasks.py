"""Tasks: functions that run on workers, one at a time on each, with arguments and results that may be in files."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from operator import getitem
from typing import Any, TypeVar

from .._core.runtime import threads
from .on_disk import OnDisk, loaded_arguments, on_disk_among
from .workers import this_worker

Result = TypeVar("Result")

_exclusive = threading.Lock()


@contextmanager
def exclusive_on_worker() -> Any:
    """Run one partition at a time, on all threads of a worker, so that work memory is that of one partition.

    The number of threads is ``stablegraph.threads`` in Dask's configuration, or by default the number of Dask threads
    of the worker. A Dask thread that waits keeps the inputs of its task in memory. A worker with little memory should
    therefore have one Dask thread, and set this option.
    """
    import dask

    worker = this_worker()
    nthreads = None if worker is None else int(dask.config.get("stablegraph.threads", worker.state.nthreads))
    with _exclusive, threads(nthreads) if nthreads else nullcontext():
        yield


def run_alone(function: Any, *arguments: Any) -> Any:
    """Run a function as one task that is not a superstep."""
    with exclusive_on_worker(), loaded_arguments(arguments) as values:
        return function(*values)


def run_to_disk(function: Any, *arguments: Any) -> OnDisk:
    """Like `run_alone`, and store the result in a file."""
    with exclusive_on_worker(), loaded_arguments(arguments) as values:
        return OnDisk(function(*values), on_disk_among(arguments))


def run_to_files(function: Any, *arguments: Any) -> list[OnDisk]:
    """Like `run_alone`, for a function with several results; store each in a file of its own."""
    with exclusive_on_worker(), loaded_arguments(arguments) as values:
        return [OnDisk(result) for result in function(*values)]


def submit(
    client: Any,
    function: Callable[..., Any],
    *arguments: Any,
    placement: dict[str, Any] | None = None,
    run: Callable[..., Any] = run_alone,
) -> Any:
    """Run a function as one task, on its preferred worker if a `placement` is passed; return a future."""
    return client.submit(run, function, *arguments, pure=False, **(placement or {}))


def submit_each(
    client: Any,
    function: Callable[..., Any],
    columns: Sequence[Iterable[Any]],
    *shared: Any,
    placements: Iterable[dict[str, Any] | None] | None = None,
    run: Callable[..., Any] = run_alone,
) -> list[Any]:
    """Run a function as one task for each row of some columns; return futures.

    The arguments are those of the row, and then the shared ones.
    """
    lists = [list(column) for column in columns]
    count = len(lists[0])
    constants = ([value] * count for value in shared)
    return submit_in_one_message(
        client, run, [[function] * count, *lists, *constants], _keys(function, count), placements
    )


def submit_in_one_message(
    client: Any,
    function: Callable[..., Any],
    columns: Sequence[list[Any]],
    keys: list[str],
    placements: Iterable[dict[str, Any] | None] | None = None,
) -> list[Any]:
    """Send a task for each row of some columns to Dask in one message; return futures with these keys."""
    from dask import annotate

    if not keys:
        return []
    places = {key: place["workers"] for key, place in zip(keys, placements or [], strict=False) if place}
    with annotate(workers=places.__getitem__, allow_other_workers=True) if places else nullcontext():
        futures: list[Any] = client.map(function, *columns, key=keys, pure=False)
    return futures


def _keys(function: Callable[..., Any], count: int) -> list[str]:
    """Return new keys, which begin with the name of the function, as Dask's dashboard shows it."""
    from dask.utils import funcname

    token = uuid.uuid4().hex
    return [f"{funcname(function).strip('_')}-{token}-{k}" for k in range(count)]


def items_by_place(
    client: Any,
    lists: list[Any],
    length: int,
    pick: Callable[[Any, int], Any] = getitem,
    placements: list[dict[str, Any]] | None = None,
) -> list[list[Any]]:
    """Return for each k the futures of the k-th elements of some lists, which are futures; `pick` returns an element.

    So a task that needs one element of each list does not receive whole lists. `placements` are those of the lists.
    """
    columns = [lists * length, [k for k in range(length) for _ in lists]]
    keys = _keys(pick, length * len(lists))
    futures = submit_in_one_message(client, pick, columns, keys, placements and placements * length)
    return [futures[k * len(lists) : (k + 1) * len(lists)] for k in range(length)]


def first_of(results: Iterable[Result | None]) -> Result | None:
    """Return the first result that is not None, or None."""
    return next((result for result in results if result is not None), None)


def raise_first_message(results: list[Any]) -> None:
    """Raise ValueError with the first error message among the results of tasks.

    Tasks return error messages instead of raising them, because the order in which tasks fail on a cluster varies.
    """
    message = next((result for result in results if isinstance(result, str)), None)
    if message is not None:
        raise ValueError(message)
