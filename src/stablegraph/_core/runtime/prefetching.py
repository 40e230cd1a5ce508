"""Prefetching: requesting a cache line before a kernel reads it."""

from __future__ import annotations

from .declaration import Rule


def _prefetch(array, index):
    pass


# Starts loading the cache line of ``array[index]`` (for a matrix: of a row) without waiting. Any index is allowed, also
# past the end. Other targets ignore it; a GPU hides the latency by running other threads.
prefetch = Rule(_prefetch)
