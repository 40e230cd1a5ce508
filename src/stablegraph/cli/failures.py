"""Errors and warnings of the command line: one line on standard error each, and an exit code for errors.

With ``--json`` an error is also a JSON object on standard output, with the keys error and exit_code. Messages of the
library name its arguments; `names_options` replaces them by the options of the command.

SIGTERM (for example at the time limit of a batch system) and SIGHUP (the terminal closed) would end Python at once, and
partially written files would remain next to their targets. `exits_by_signals` lets them raise exceptions, like Ctrl-C,
so that all context managers clean up.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NoReturn

import click

from .._core.environment import check_environment
from .._core.texts import printable
from .messages import as_options
from .options import NamedCommands, about_unknown_option

IMPOSSIBLE, NOT_FOUND = 3, 4  # exit codes: proved that there is no answer; none found within the limits
_wants_json: ContextVar[bool] = ContextVar("wants_json", default=False)  # whether the command line has --json
_ENDING_SIGNALS = ("SIGTERM", "SIGHUP")  # Windows does not have both


class Ended(BaseException):
    """The exception for a signal that ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.code = 128 + number  # the convention of shells


@contextlib.contextmanager
def exits_by_signals() -> Iterator[None]:
    """Let signals that would end the process raise `Ended`; ignored signals and those with a handler are unchanged."""
    handled = []
    if threading.current_thread() is threading.main_thread():  # only the main thread can set handlers
        numbers = [getattr(signal, name) for name in _ENDING_SIGNALS if hasattr(signal, name)]
        handled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: Any) -> None:
    raise Ended(number)


class CommandLine(NamedCommands):
    """A group of commands that reports every error as one line and an exit code, and every warning as one line."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> NoReturn:
        _wants_json.set("--json" in (sys.argv[1:] if args is None else args))
        if sys.stdout is None:
            sys.exit(_fail("standard output is closed; send it to a file, or to /dev/null"))
        extra["standalone_mode"] = False
        try:
            with exits_by_signals(), _warnings_in_one_line():
                code = super().main(args, *more, **extra)
            code = code if isinstance(code, int) else 0
        except click.NoSuchOption as error:
            code = _fail(about_unknown_option(error))
        except click.ClickException as error:
            code = _fail(error.format_message())
        except click.Abort:
            code = _fail("interrupted", 130)
        except Ended as error:
            code = _report(error)
        sys.exit(_flush(code))

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _failures_in_one_line():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _failures_in_one_line():
            check_environment()
            return super().invoke(ctx)


@contextlib.contextmanager
def _failures_in_one_line() -> Iterator[None]:
    try:
        yield
    except (click.ClickException, click.exceptions.Exit):
        raise
    except BaseException as error:
        expected = isinstance(error, (KeyboardInterrupt, Ended, BrokenPipeError))
        if os.environ.get("STABLEGRAPH_TRACEBACK", "").strip() == "1" and not expected:
            raise
        raise click.exceptions.Exit(_report(error)) from None


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, DeprecationWarning):  # these are for developers
            ctx = click.get_current_context(silent=True)
            text = as_options(str(message), ctx.command) if ctx else str(message)
            _print_line(printable(" ".join(f"warning: {text}".split())))  # without the location in the library

    before = warnings.showwarning
    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def _flush(code: int) -> int:
    """Flush standard output; return the exit code, or that of an error if results were lost."""
    try:
        with blamed_on("-"):
            sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):  # otherwise Python fails at exit, when it flushes again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code if code > 1 else _report(error)
    return code


def _report(error: BaseException) -> int:
    """Print one line for an error; return the exit code."""
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return _fail("interrupted", 130)
    if isinstance(error, Ended):
        return _fail(str(error), error.code)
    if isinstance(error, OSError):
        if error.errno == errno.EPIPE:
            return 141  # the reader has closed the pipe: print nothing
        if error.strerror:
            named = "" if error.filename is None else f"{error.filename or repr('')}: "
            return _fail(f"{named}{error.strerror}")
        return _fail(str(error) or type(error).__name__)
    if isinstance(error, MemoryError):
        return _fail(f"not enough memory{f' ({error})' if str(error) else ''}")
    if isinstance(error, (ValueError, TypeError, RuntimeError, ImportError)):
        return _fail(str(error), _code_of(error))
    if isinstance(error, Exception):
        return _fail(f"unexpected {type(error).__name__}: {error} (STABLEGRAPH_TRACEBACK=1 shows where)")
    raise error


@contextlib.contextmanager
def blamed_on(file: str) -> Iterator[None]:
    """Let an error of the system name this file instead of the temporary file that is written first."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.errno == errno.EPIPE:
            raise
        raise OSError(error.errno, error.strerror, "standard output" if file == "-" else file) from None


def _code_of(error: Exception) -> int:
    """Return the exit code of an error of the library."""
    from ..coloring.constraints import ColoringNotFound, ImpossibleColoring

    codes: dict[type, int] = {ImpossibleColoring: IMPOSSIBLE, ColoringNotFound: NOT_FOUND}
    return codes.get(type(error), 2)


def _fail(message: str, code: int = 2) -> int:
    line = printable(" ".join(message.split()))
    if _wants_json.get() and sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            print(json.dumps({"error": line, "exit_code": code}, indent=2))
    _print_line(line)
    return code


def _print_line(line: str) -> None:
    if sys.stderr is not None:  # if it is closed, `print` would use standard output
        with contextlib.suppress(OSError):
            print(f"stablegraph: {line}", file=sys.stderr, flush=True)
