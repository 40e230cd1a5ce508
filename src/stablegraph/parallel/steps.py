"""Long work of one thread in steps: between two kernel calls Ctrl-C is heard."""

from __future__ import annotations

from collections.abc import Iterator

_STEP = 1 << 22


def in_steps(count: int, size: int = _STEP) -> Iterator[tuple[int, int]]:
    """The ranges (first, beyond) of `size` items, the last one shorter, that make up 0 .. count - 1."""
    for first in range(0, count, size):
        yield first, min(first + size, count)
