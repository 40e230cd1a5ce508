"""How the command line speaks: labeled lines or JSON for a result, and what is being done on a terminal.

Results go to standard output; progress and errors go to standard error, progress only where that is a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from ..printable import printable
from ..progress import bar

Facts = dict[str, Any]


def duration(seconds: float) -> str:
    """A time with three digits: 870 us, 12.3 ms, 4.56 s, 2.5 min."""
    if seconds < 0.000_999_5:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 0.999_5:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 99.95:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min"


def byte_size(count: int) -> str:
    """An amount of memory with three digits: 870 bytes, 12.3 kB, 4.56 MB."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


class _PipedConsole(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))  # Rich's own exits with 1, "found wrong"


def console_for(stderr: bool = False) -> Console:
    """Standard output or standard error, with colors where it is a terminal."""
    return _PipedConsole(stderr=stderr, highlight=False, soft_wrap=True)


def show(as_json: bool, facts: Facts, lines: dict[str, str], *, title: str = "", stderr: bool = False) -> None:
    """Print a command's result: all facts as JSON, or labeled lines."""
    if as_json:
        print(json.dumps({name: plain(value) for name, value in facts.items()}, indent=2, allow_nan=False))
        return
    console = console_for(stderr)
    if title:
        console.print(Text(printable(title), style="bold"))
    width = max(map(len, lines), default=0)
    for label, text in lines.items():
        style = {"yes": "green", "no": "red"}.get(text.split(":")[0], "")
        console.print(Text.assemble((f"  {label:<{width}}  ", "dim"), (printable(text), style)))


def plain(value: Any) -> Any:
    """A value as JSON knows it; NaN becomes null."""
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if hasattr(value, "item"):  # a number of NumPy's
        value = value.item()
    if isinstance(value, float):
        return round(value, 9) if math.isfinite(value) else None
    return value


class Activity:
    """The text of a line that is drawn again and again; it may be changed meanwhile."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return printable(self.text)

    def __rich__(self) -> Text:
        return Text(str(self))


@contextlib.contextmanager
def working(text: str) -> Iterator[None]:
    """Something that moves on standard error while long work is done, if that is a terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Activity(text)):
        yield


@contextlib.contextmanager
def _bar(*columns: Any, **fields: Any) -> Iterator[Callable[..., None] | None]:
    """A progress bar, as the function that moves it, or None where standard error is no terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    activity = TextColumn("{task.fields[activity]}", markup=False)
    columns = (SpinnerColumn(), activity, BarColumn(), *columns, TimeElapsedColumn())
    with bar(*columns, console=console, transient=True, **fields) as move:
        yield move


@contextlib.contextmanager
def reading(name: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar for reading, or None where standard error is no terminal."""
    with _bar(DownloadColumn(), activity=f"reading {name}") as move:
        yield move and (lambda done, total: move(completed=done, total=total))


@contextlib.contextmanager
def searching(rounds: int) -> Iterator[Callable[[int, int, int], None] | None]:
    """A progress bar for a search with a bound, or None where standard error is no terminal."""
    activity = Activity("reducing the graph")
    with _bar(TextColumn("{task.fields[sizes]}"), activity=activity, sizes="") as move:

        def progress(done: int, size: int, bound: int) -> None:
            assert move is not None
            activity.text = "searching"
            move(completed=done, total=rounds, sizes=f"{size:,} of at most {bound:,}")

        yield progress if move else None


def shown_name(file: str) -> str:
    """Return what to call an input in a message, on a page or in a picture."""
    return "standard input" if file == "-" else printable(file)
