"""Giving way: what a thread does that waits for another one."""

from __future__ import annotations

import os
from typing import Any

from .kernel import Rule


def _give_way():  # type: ignore[no-untyped-def]
    pass


def _cpu_give_way() -> Any:
    from numba.core import types

    # The C library's, or on Windows the system's, is in every process.
    return types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.intc())


# Lets another thread have the processor, if one is ready to run; else it takes some tenths of a microsecond, in which
# the one that is waited for can get ahead. Other targets ignore it: nothing there waits for a thread of another block.
give_way = Rule(_give_way, cpu=_cpu_give_way)
