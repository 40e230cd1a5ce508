"""Prefetching: asking for a cache line before it is needed."""

from __future__ import annotations

from .declaration import Rule


def _prefetch(array, index):  # type: ignore[no-untyped-def]
    pass


# Starts loading the line where ``array[index]`` begins (of a matrix: a row), and waits for nothing; any index will do,
# also one past the end. Other targets ignore it: a GPU hides the latency with other threads.
prefetch = Rule(_prefetch)
