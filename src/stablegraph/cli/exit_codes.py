"""Termination by signals: SIGTERM (for example at the time limit of a batch system) and SIGHUP (the terminal closed).

By default they end Python at once, and partially written files remain next to their targets. `told_by_signals` lets
them raise exceptions, like Ctrl-C, so that all context managers clean up.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

_NAMES = ("SIGTERM", "SIGHUP")  # Windows does not have both


class Ended(BaseException):
    """The exception for a signal that ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.code = 128 + number  # the convention of shells


@contextlib.contextmanager
def exits_by_signals() -> Iterator[None]:
    """Let signals that would end the process raise `Ended`; ignored signals and those with a handler are unchanged."""
    heard = []
    if threading.current_thread() is threading.main_thread():  # only the main thread can set handlers
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        heard = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in heard:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: Any) -> None:
    raise Ended(number)
