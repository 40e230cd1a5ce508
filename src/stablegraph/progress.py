"""Progress bars, where they are asked for with ``progress=True``: in a terminal, and in a notebook.

`reported` makes of the argument `progress` of a public function what its algorithm calls: a function of the caller's
stays as it is, True becomes a bar of Rich's. The algorithm never learns which.
"""

from __future__ import annotations

import contextlib
import reprlib
from collections.abc import Callable, Iterator
from typing import Any

Moves = Callable[..., dict[str, Any]]  # of what an algorithm reports: how a bar changes


@contextlib.contextmanager
def reported(progress: Any, moves: Moves, of: str) -> Iterator[Callable[..., Any] | None]:
    """The function that is told how far something is, or None where nobody asks.

    `moves` gives for the reported numbers the fields of the bar that change (completed, total, text); `of` says what
    those numbers are, for the message about a wrong `progress`.
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
    """A bar of Rich's with these columns, as the function that moves it."""
    from rich.progress import Progress

    with Progress(*columns, console=console, transient=transient) as progress:
        task = progress.add_task("", total=None, **fields)

        def move(**changes: Any) -> None:
            progress.update(task, **changes)

        yield move
