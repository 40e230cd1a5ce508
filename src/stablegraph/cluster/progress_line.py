"""A line on a terminal that shows the progress of a long call: its function, the current round or tasks, and the time.

Result: nothing before the call has lasted two seconds, nothing if standard error is not a terminal, and nothing if
Dask's configuration has ``stablegraph.progress: false``, or if `graph.progress` is a function. The line is erased at
the end of the call, also after an error or Ctrl-C.

Rule: one line for each thread, that of the outermost call. `gather` and the supersteps update it.

State: the line of the current call, in a thread-local variable.

Cost: some microseconds per round or half second.
"""

from __future__ import annotations

import functools
import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from .._core.texts import printable

Function = TypeVar("Function", bound=Callable[..., Any])

_PATIENCE = 2.0  # seconds before the line appears
_MIN_INTERVAL = 0.1  # seconds between two changes
_ERASE = "\r\x1b[K"
_current = threading.local()


class ProgressLine:
    """The line of one call."""

    def __init__(self, name: str) -> None:
        self._name, self._began = name, time.monotonic()
        self._next = self._began + _PATIENCE
        self._is_drawn = False

    def show(self, text: str) -> None:
        """Draw the line with this text, unless it is too early."""
        now = time.monotonic()
        if now >= self._next:
            self._next, self._is_drawn = now + _MIN_INTERVAL, True
            line = printable(f"{self._name}: {text}, {now - self._began:.0f} s")
            self._write(_ERASE + line[: shutil.get_terminal_size().columns - 1])

    def erase(self) -> None:
        """Remove the line from the terminal."""
        if self._is_drawn:
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def shows_progress(function: Function) -> Function:
    """Make a function show its progress on a terminal if it takes long."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if current_line() is not None or _has_function(*arguments[:1]) or not _is_requested():
            return function(*arguments, **options)
        line = _current.line = ProgressLine(function.__name__)
        try:
            return function(*arguments, **options)
        finally:
            _current.line = None
            line.erase()

    return cast(Function, call)


def current_line() -> ProgressLine | None:
    """Return the line of the current call, or None if it shows no progress."""
    return getattr(_current, "line", None)


def _has_function(graph: Any = None) -> bool:
    """Return whether a graph has a function to which it reports progress."""
    return getattr(graph, "progress", None) is not None


def _is_requested() -> bool:
    import dask

    return bool(dask.config.get("stablegraph.progress", True)) and sys.stderr is not None and sys.stderr.isatty()
