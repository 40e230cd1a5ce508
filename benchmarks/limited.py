"""Calls in a separate process, which is ended when a call takes too long or too much memory.

Much compiled code cannot be interrupted from within its process, and a process that the system kills for its memory
cannot report anything.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import stablegraph as sg

NOT_TIMED = 60.0  # default limit in seconds for the untimed parts: to prepare a call, or to judge its answer
Timed = Generator[None, None, Any]  # the code between its two yields is timed, its return value is the answer


class NotEnded(Exception):
    """A call without an answer: the limit that it reached. If only its judge did, `taken` is the time of the call."""

    taken: float | None = None


class Limited:
    """A process that makes calls, one after another; it is replaced after each call that had to be ended.

    `peak` is the maximum memory in bytes that the process had used by the end of the last call, including mapped files.
    """

    def __init__(self, calls: Callable[..., Timed], memory: int, threads: int, *, not_timed: float = NOT_TIMED) -> None:
        self.calls, self.memory, self.threads, self.not_timed = calls, memory, threads, not_timed
        self.peak: int | None = None
        self._process: Any = None
        self._line: Any = None

    def __call__(self, *arguments: Any, seconds: float) -> tuple[float, Any]:
        """Return the time between the two yields of ``calls(*arguments)``, at most `seconds`, and its return value."""
        if self._process is None:
            self._start()
        self._line.send(arguments)
        taken = self.peak = None
        try:
            self._receive(self.not_timed, "its preparation")
            taken, self.peak = self._receive(seconds, "the call")
            return taken, self._receive(self.not_timed, "its judge")
        except NotEnded as ended:
            ended.taken = taken
            self.end()
            raise

    def _receive(self, seconds: float, what: str) -> Any:
        if not self._line.poll(seconds):
            raise NotEnded(f"{what} took more than {seconds:g} s")
        try:
            message = self._line.recv()
        except EOFError:
            raise NotEnded(f"the process ended during {what}") from None
        if isinstance(message, MemoryError):
            raise NotEnded(f"{what} took more than {self.memory / 2**30:.1f} GiB")
        if isinstance(message, RuntimeError):
            raise message
        return message

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self.calls, self.memory, self.threads), daemon=True)
        self._process.start()
        other.close()

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._line.close()
            self._process = None


def peak_of_this_process() -> int | None:
    """Return the maximum memory of this process in bytes, or None where the system does not report it.

    The value of `getrusage` could be that of the parent process, since it is inherited when a program is started.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


def _serve(line: Connection, calls: Callable[..., Timed], memory: int, threads: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    sg.set_num_threads(threads)
    while True:
        try:
            arguments = line.recv()
        except EOFError:
            return
        try:
            timed = calls(*arguments)
            next(timed)
            line.send(None)
            start = time.perf_counter()
            next(timed)
            taken = time.perf_counter() - start
            line.send((taken, peak_of_this_process()))
            try:
                next(timed)
            except StopIteration as stop:
                line.send(stop.value)
        except MemoryError:
            line.send(MemoryError())
        except Exception as error:  # for the caller; not every exception can be pickled
            line.send(RuntimeError(f"{type(error).__name__}: {error}"))
