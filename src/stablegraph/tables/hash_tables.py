"""Hash tables of a worker in a part of an array: rules that several kernels share."""

from __future__ import annotations

from .._core.runtime import rule


@rule
def clear_table(slots, first, entries):
    """Clear a table that begins at slot `first`; return its size, a power of two of at least twice the entries."""
    size = 2
    while size < 2 * entries:
        size *= 2
    for slot in range(first, first + size):
        slots[slot] = -1
    return size
