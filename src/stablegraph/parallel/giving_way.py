"""Giving way: what a thread does that waits for another one."""

from __future__ import annotations

from .declaration import Rule


def _give_way():  # type: ignore[no-untyped-def]
    pass


# Lets another thread have the processor, if one is ready to run; else it takes some tenths of a microsecond, in which
# the one that is waited for can get ahead. Other targets ignore it: nothing there waits for a thread of another block.
give_way = Rule(_give_way)
