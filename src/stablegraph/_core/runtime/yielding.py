"""Yielding the processor while a thread waits for another one, inside kernels."""

from __future__ import annotations

from .declaration import Rule


def _yield_thread():
    pass


# Lets another thread run on the processor, if one is ready. Otherwise it takes a few tenths of a microsecond, in which
# the awaited thread can make progress. Other targets ignore it, since their threads do not wait for each other.
yield_thread = Rule(_yield_thread)
