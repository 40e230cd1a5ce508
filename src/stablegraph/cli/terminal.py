"""Output of the command line: labeled lines or JSON for a result, and progress on a terminal.

Results go to standard output; progress and errors go to standard error. Progress is shown only on a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from .._core.progress import bar
from .._core.texts import printable

Facts = dict[str, Any]
_SMALL = 1e-3  # smaller numbers keep six digits


def duration(seconds: float) -> str:
    """Return a time with three digits: 870 us, 12.3 ms, 4.56 s, 2.5 min."""
    if seconds < 0.000_999_5:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 0.999_5:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 99.95:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min"


def byte_size(count: int) -> str:
    """Return an amount of memory with three digits: 870 bytes, 12.3 kB, 4.56 MB."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


class _PipedConsole(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))  # Rich would exit with 1, "check failed"


def console_for(stderr: bool = False) -> Console:
    """Return a console for standard output or standard error, with colors on a terminal."""
    return _PipedConsole(stderr=stderr, highlight=False, soft_wrap=True)


def print_json(facts: Facts) -> None:
    """Print the facts as a JSON object."""
    print(json.dumps(_plain(facts), indent=2, allow_nan=False))


def print_lines(lines: dict[str, str], title: str = "", stderr: bool = False) -> None:
    """Print labeled lines below a title."""
    console = console_for(stderr)
    if title:
        console.print(Text(printable(title), style="bold"))
    width = max(map(len, lines), default=0)
    for label, text in lines.items():
        style = {"yes": "green", "no": "red"}.get(text.split(":")[0], "")
        console.print(Text.assemble((f"  {label:<{width}}  ", "dim"), (printable(text), style)))


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]], left: int = 0) -> Any:
    """Return a table; columns of headings with ">" are aligned on the right. `left` is their left padding."""
    from rich.table import Table

    result = Table(box=None, padding=(0, 2, 0, left), header_style="dim", show_edge=False)
    for heading in headings:
        result.add_column(heading.lstrip(">"), justify="right" if heading.startswith(">") else "left", no_wrap=True)
    for row in rows:
        result.add_row(*row)
    return result


def _plain(value: Any) -> Any:
    """Convert a value to types that JSON supports; NaN becomes null."""
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item"):  # a NumPy number
        value = value.item()
    if isinstance(value, float):
        rounded = round(value, 9) if abs(value) >= _SMALL else float(f"{value:.6g}")  # small ones are residuals
        return rounded if math.isfinite(value) else None
    return value


class Clock:
    """Seconds by name, in the order in which they were measured."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str, doing: str | None = None) -> Iterator[None]:
        """Measure a block, and show `doing` on a terminal during it."""
        start = time.perf_counter()
        try:
            with contextlib.nullcontext() if doing is None else working(doing):
                yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def __str__(self) -> str:
        return ", ".join(f"{name} {duration(seconds)}" for name, seconds in self.seconds.items())


class Activity:
    """The text of a line that is redrawn repeatedly; it may be changed at any time."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich__(self) -> Text:
        return Text(printable(self.text))


_shown: list[Activity] = []


@contextlib.contextmanager
def working(text: str) -> Iterator[Activity]:
    """Show a text with a spinner on standard error during long work, if that is a terminal; provide the text.

    Inside such a block, only its text is changed.
    """
    if _shown:
        _shown[0].text = text
        yield _shown[0]
        return
    activity, console = Activity(text), console_for(stderr=True)
    _shown.append(activity)
    try:
        with console.status(activity) if console.is_terminal else contextlib.nullcontext():
            yield activity
    finally:
        _shown.clear()


@contextlib.contextmanager
def _bar(activity: str, amount: str, **fields: Any) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar; provide the function that moves it, or None if standard error is not a terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    label = TextColumn("{task.fields[activity]}", markup=False)
    amounts = {"bytes": DownloadColumn(), "sizes": TextColumn("{task.fields[sizes]}")}
    columns = (SpinnerColumn(), label, BarColumn(), amounts[amount], TimeElapsedColumn())
    with bar(*columns, console=console, transient=True, activity=activity, **fields) as move:
        yield move


@contextlib.contextmanager
def reading(name: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a progress bar for reading; provide its function, or None if standard error is not a terminal."""
    with _bar(f"reading {name}", "bytes") as move:
        yield move and (lambda done, total: move(completed=done, total=total))


@contextlib.contextmanager
def searching(rounds: int) -> Iterator[Callable[[int, int, int], None] | None]:
    """Show a progress bar for a search with a bound; provide its function, or None if not on a terminal."""
    with _bar("reducing the graph", "sizes", sizes="") as move:

        def progress(done: int, size: int, bound: int) -> None:
            assert move is not None
            move(completed=done, total=rounds, activity="searching", sizes=f"{size:,} of at most {bound:,}")

        yield progress if move else None


def shown_name(file: str) -> str:
    """Return the name of an input for a message, a page or a picture."""
    return "standard input" if file == "-" else printable(file)
