"""How long this process has been getting its kernels ready: importing Numba, compiling, loading compiled code.

A time that contains this is not the time of an algorithm: reports subtract it. Numba emits events when its compiler
lock is acquired and released, and loading from the cache happens in between as well.
"""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import Any


def preparation_seconds() -> float:
    """Seconds spent so far, counted from the first time that this is asked."""
    return float(_meter().seconds)


@cache
def _meter() -> Any:
    start = time.perf_counter()
    new = "numba" not in sys.modules
    from numba.core import event

    class Meter(event.Listener):  # type: ignore[misc]
        def __init__(self, seconds: float) -> None:
            self.seconds = seconds
            self.depth = 0
            self.since = 0.0

        def on_start(self, announced: Any) -> None:
            if self.depth == 0:
                self.since = time.perf_counter()
            self.depth += 1

        def on_end(self, announced: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.seconds += time.perf_counter() - self.since

    meter = Meter(time.perf_counter() - start if new else 0.0)
    event.register("numba:compiler_lock", meter)
    return meter
