"""Being told to end by the system: SIGTERM (a batch system's time is over) and SIGHUP (the terminal has gone).

By themselves they end Python at once, and what a command has begun to write stays beside its target. Here they are
exceptions, as Ctrl-C is one, so that everything is tidied up on the way out.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

_NAMES = ("SIGTERM", "SIGHUP")  # Windows has not both


class Ended(BaseException):
    """The process was told to end, by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.code = 128 + number  # as shells have it


@contextlib.contextmanager
def told_by_signals() -> Iterator[None]:
    """Let signals that would end the process raise `Ended`; those that someone ignores or hears stay as they are."""
    heard = []
    if threading.current_thread() is threading.main_thread():  # others cannot hear any
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
