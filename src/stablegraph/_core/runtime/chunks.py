"""Division of long single-threaded work into steps, so that Ctrl-C is handled between two kernel calls."""

from __future__ import annotations

from collections.abc import Iterator

_STEP = 1 << 22


def chunked(count: int, size: int = _STEP) -> Iterator[tuple[int, int]]:
    """Yield the ranges (start, end) of `size` items, the last one possibly shorter, that cover 0 .. count - 1."""
    for first in range(0, count, size):
        yield first, min(first + size, count)
