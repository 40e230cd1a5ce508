"""Progress bars for ``progress=True``, in a terminal and in a notebook.

`reported` converts the argument `progress` of a public function to the function that its algorithm calls. A function
passed by the user is called directly; True creates a Rich progress bar. The algorithm handles both in the same way.


Seconds of each phase of a setup.
"""

from __future__ import annotations

import contextlib
import reprlib
import time
from collections.abc import Callable, Iterator
from typing import Any

Moves = Callable[..., dict[str, Any]]  # maps the reported numbers to the changes of the bar


@contextlib.contextmanager
def reported(progress: Any, moves: Moves, of: str) -> Iterator[Callable[..., Any] | None]:
    """Provide the function that an algorithm calls to report its progress, or None if no report was requested.

    `moves` converts the reported numbers to the fields of the bar that change (completed, total, text). `of` describes
    these numbers in the error message for an invalid `progress`.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with bar(*_columns(), text="") as move:
            yield lambda *numbers: move(**moves(*numbers))
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress must be True or a function of ({of}), got {reprlib.repr(progress)}")


def _columns() -> tuple[Any, ...]:
    try:
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        raise ModuleNotFoundError(
            'progress=True draws with Rich: pip install "stablegraph[cli]", or pass a function', name="rich"
        ) from None
    return BarColumn(), TextColumn("{task.fields[text]}", markup=False), TimeElapsedColumn()


@contextlib.contextmanager
def bar(*columns: Any, console: Any = None, transient: bool = False, **fields: Any) -> Iterator[Callable[..., None]]:
    """Show a Rich progress bar with these columns; provide the function that updates it."""
    from rich.progress import Progress

    with Progress(*columns, console=console, transient=transient) as progress:
        task = progress.add_task("", total=None, **fields)

        def move(**changes: Any) -> None:
            progress.update(task, **changes)

        yield move


@contextlib.contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Add the seconds of a block to those of a phase."""
    start = time.perf_counter()
    yield
    seconds[phase] = seconds.get(phase, 0.0) + time.perf_counter() - start
