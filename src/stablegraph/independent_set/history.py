"""A record of how a set was found: undecided vertices after each round, entries read, and seconds by phase."""

from __future__ import annotations

import time
from typing import Any

from ..graph import Graph

_STALLED = 16  # a round that decides less than 1 / _STALLED of its vertices is the last one


def has_stalled(undecided: list[int]) -> bool:
    """Return whether the last round decided few vertices; the first number is that of all vertices."""
    return len(undecided) > 2 and (undecided[-2] - undecided[-1]) * _STALLED < undecided[-2]


class History:
    """Statistics that a driver records; entries that take time to count are only counted if `counted`."""

    def __init__(self, counted: bool = False) -> None:
        self.counted = counted
        self.undecided: list[int] = []  # the number of vertices, at the beginning and after each round
        self.entries: int | None = None
        self.more: dict[str, Any] = {}  # statistics specific to the algorithm
        self._seconds: dict[str, float] = {}
        self._phase, self._since = "", 0.0

    def count(self, entries: int) -> None:
        """Add to the number of entries read."""
        self.entries = (self.entries or 0) + entries

    def count_rows(self, graph: Graph, vertices: Any) -> None:
        """Add the numbers of entries in the rows of some vertices (a mask, or ids)."""
        self.count(int((graph.indptr[1:][vertices] - graph.indptr[:-1][vertices]).sum()))

    def enter(self, phase: str) -> None:
        """End the current phase, and begin (or resume) another one; time in the phase "" is not reported."""
        now = time.perf_counter()
        if self._phase:
            self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def info(self) -> dict[str, Any]:
        """End the current phase, and return all statistics in the form for the user."""
        self.enter("")
        edges = {} if self.entries is None else {"edges": self.entries}
        rounds = len(self.undecided) - 1
        return {"rounds": rounds, "undecided": self.undecided, **edges, **self.more, "seconds": self._seconds}
