"""Times of the parts of a command, with compiling apart."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from .terminal import duration, working


class Clock:
    """Seconds by name, in the order in which they were measured; compiling is taken out of all of them."""

    def __init__(self, compile: float | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self.compile = _preparation_seconds() if compile is None else compile

    @contextlib.contextmanager
    def __call__(self, name: str, doing: str | None = None) -> Iterator[None]:
        """Measure; on a terminal say meanwhile what is being done."""
        start, prepared = time.perf_counter(), _preparation_seconds()
        try:
            with contextlib.nullcontext() if doing is None else working(doing):
                yield
        finally:
            compiling = _preparation_seconds() - prepared
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


def _preparation_seconds() -> float:
    from ..parallel.compiling import preparation_seconds

    return preparation_seconds()
