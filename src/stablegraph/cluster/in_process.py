"""A client without a cluster, for tests and debuggers: each task runs immediately, in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dask.delayed import Delayed, delayed


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
