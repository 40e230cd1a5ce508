"""What an algorithm records while it finds a set: what is left after each round, entries read, and seconds by phase."""

from __future__ import annotations

import time
from typing import Any


class History:
    """How a set was found, as its driver records it; entries that cost time to count are counted if `counted`."""

    def __init__(self, counted: bool = False) -> None:
        self.counted = counted
        self.undecided: list[int] = []  # how many vertices are, at the beginning and after each round
        self.entries: int | None = None
        self.more: dict[str, Any] = {}  # what this algorithm alone records
        self._seconds: dict[str, float] = {}
        self._phase, self._since = "", 0.0

    def count(self, entries: int) -> None:
        """So many more entries were read."""
        self.entries = (self.entries or 0) + entries

    def enter(self, phase: str) -> None:
        """End the phase that runs, and begin (or go on with) another one; the empty one is not reported."""
        now = time.perf_counter()
        if self._phase:
            self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def info(self) -> dict[str, Any]:
        """Everything, as it is returned to the user; the phase that runs ends here."""
        self.enter("")
        edges = {} if self.entries is None else {"edges": self.entries}
        rounds = len(self.undecided) - 1
        return {"rounds": rounds, "undecided": self.undecided, **edges, **self.more, "seconds": self._seconds}
