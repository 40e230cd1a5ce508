"""Measurement of the times of parts of a command."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from .terminal import duration, working


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
