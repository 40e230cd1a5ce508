"""Tasks: functions that run on workers, one at a time on each, with arguments and results that may be in files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from .._core.runtime import threads
from .on_disk import OnDisk, on_disk_among, opened
from .workers import this_worker

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
    with exclusive_on_worker(), opened(arguments) as values:
        return function(*values)


def run_to_disk(function: Any, *arguments: Any) -> OnDisk:
    """Like `run_alone`, and store the result in a file."""
    with exclusive_on_worker(), opened(arguments) as values:
        return OnDisk(function(*values), on_disk_among(arguments))


def run_to_files(function: Any, *arguments: Any) -> list[OnDisk]:
    """Like `run_alone`, for a function with several results; store each in a file of its own."""
    with exclusive_on_worker(), opened(arguments) as values:
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
    rows = list(zip(*columns, strict=True))
    places = [None] * len(rows) if placements is None else placements
    return [
        submit(client, function, *row, *shared, placement=place, run=run)
        for row, place in zip(rows, places, strict=True)
    ]


def raise_first_message(results: list[Any]) -> None:
    """Raise ValueError with the first error message among the results of tasks.

    Tasks return error messages instead of raising them, because the order in which tasks fail on a cluster varies.
    """
    message = next((result for result in results if isinstance(result, str)), None)
    if message is not None:
        raise ValueError(message)
