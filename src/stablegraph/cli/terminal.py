"""How the command line speaks: one line for a failure, labelled lines or JSON for a result, progress on a terminal.

Results go to standard output; progress and errors go to standard error, progress only where that is a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from ..parallel.compiling import preparation_seconds

Facts = dict[str, Any]


class CommandLine(click.Group):
    """A group of commands that turns every failure into one line and an exit code."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        if sys.stdout is None:
            sys.exit(_fail("standard output is closed; send it to a file, or to /dev/null"))
        extra["standalone_mode"] = False
        try:
            code = super().main(*args, **extra)
            code = code if isinstance(code, int) else 0
        except click.ClickException as error:
            code = _fail(error.format_message())
        except click.Abort:
            code = _fail("interrupted", 130)
        sys.exit(_delivered(code))

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _one_line_for_a_failure():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line_for_a_failure():
            return super().invoke(ctx)


@contextlib.contextmanager
def _one_line_for_a_failure() -> Iterator[None]:
    try:
        yield
    except (click.ClickException, click.exceptions.Exit):
        raise
    except BaseException as error:
        expected = isinstance(error, (KeyboardInterrupt, BrokenPipeError))
        if os.environ.get("STABLEGRAPH_TRACEBACK") and not expected:
            raise
        raise click.exceptions.Exit(_report(error)) from None


def _delivered(code: int) -> int:
    """The exit code once standard output has been flushed: another one if results got lost there."""
    try:
        with blamed_on("-"):
            sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # or Python would fail at its end, when it flushes again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code if code > 1 else _report(error)
    return code


def _report(error: BaseException) -> int:
    """One line for a failure; returns the exit code."""
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return _fail("interrupted", 130)
    if isinstance(error, OSError):
        if error.errno == errno.EPIPE:
            return 141  # the reader has left: be quiet
        if error.strerror:
            named = "" if error.filename is None else f"{error.filename or repr('')}: "
            return _fail(f"{named}{error.strerror}")
        return _fail(str(error) or type(error).__name__)
    if isinstance(error, MemoryError):
        return _fail(f"not enough memory{f' ({error})' if str(error) else ''}")
    if isinstance(error, (ValueError, TypeError, RuntimeError, ModuleNotFoundError)):
        return _fail(_as_option(str(error)))
    if isinstance(error, Exception):
        return _fail(f"unexpected {type(error).__name__}: {error} (STABLEGRAPH_TRACEBACK=1 shows where)")
    raise error


def _as_option(message: str) -> str:
    """A cure that the library names as an argument, as the command line's option."""
    message = re.sub(r"symmetrize=['\"](\w+)['\"]", r"--merge \1", message)
    message = re.sub(r" \(or directed=True[^)]*\)", "", message)
    message = re.sub(r"symmetrize=True( to \w+)?", "--symmetrize", message)
    return message.replace("pass format=", "pass --to").replace("by format=", "by --from")


@contextlib.contextmanager
def blamed_on(file: str) -> Iterator[None]:
    """Let an error of the system name this file, and not the temporary one that is written first."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.errno == errno.EPIPE:
            raise
        raise OSError(error.errno, error.strerror, "standard output" if file == "-" else file) from None


def _fail(message: str, code: int = 2) -> int:
    if sys.stderr is not None:  # where it is closed, `print` would take standard output
        with contextlib.suppress(OSError):
            print("stablegraph: " + " ".join(message.split()), file=sys.stderr, flush=True)
    return code


class Clock:
    """Seconds by name, in the order in which they were measured; compiling is taken out of all of them."""

    def __init__(self, compile: float | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self.compile = preparation_seconds() if compile is None else compile

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start, prepared = time.perf_counter(), preparation_seconds()
        try:
            yield
        finally:
            compiling = preparation_seconds() - prepared
            self.compile += compiling
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start - compiling

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """All of this is compiling."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.compile += time.perf_counter() - start

    def facts(self) -> dict[str, float]:
        """All times, compiling (or loading compiled code) among them."""
        return {**self.seconds, "compile": self.compile}

    def __str__(self) -> str:
        return ", ".join(f"{name} {duration(seconds)}" for name, seconds in self.facts().items())


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
    """Standard output or standard error, with colours where it is a terminal."""
    return _PipedConsole(stderr=stderr, highlight=False, soft_wrap=True)


def show(as_json: bool, facts: Facts, lines: dict[str, str], *, title: str = "", stderr: bool = False) -> None:
    """Print a command's result: all facts as JSON, or labelled lines."""
    if as_json:
        print(json.dumps({name: plain(value) for name, value in facts.items()}, indent=2, allow_nan=False))
        return
    console = console_for(stderr)
    if title:
        console.print(Text(title, style="bold"))
    width = max(map(len, lines), default=0)
    for label, text in lines.items():
        style = {"yes": "green", "no": "red"}.get(text.split(":")[0], "")
        console.print(Text.assemble((f"  {label:<{width}}  ", "dim"), (text, style)))


def plain(value: Any) -> Any:
    """A value as JSON knows it; NaN becomes null."""
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return round(value, 9) if math.isfinite(value) else None
    return value


@contextlib.contextmanager
def working(text: str) -> Iterator[None]:
    """Something that moves on standard error while long work is done, if that is a terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(escape(text)):
        yield


@contextlib.contextmanager
def reading(name: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar for reading, or None where standard error is no terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"reading {escape(name)}", total=None)

        def progress(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield progress


@contextlib.contextmanager
def searching(rounds: int) -> Iterator[Callable[[int, int, int], None] | None]:
    """A progress bar for a search with a bound, or None where standard error is no terminal."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[sizes]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("reducing the graph", total=None, sizes="")

        def progress(done: int, size: int, bound: int) -> None:
            sizes = f"{size:,} of at most {bound:,}"
            bar.update(task, description="searching", completed=done, total=rounds, sizes=sizes)

        yield progress


def shown_name(file: str) -> str:
    """What to call an input in a message."""
    return "standard input" if file == "-" else file
