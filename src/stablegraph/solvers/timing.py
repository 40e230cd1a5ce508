"""Seconds by phase: what a setup tells about itself. Compiling is taken out: it is needed once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from ..parallel.compiling import preparation_seconds


@contextlib.contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Add the seconds of a block to those of a phase."""
    start, prepared = time.perf_counter(), preparation_seconds()
    yield
    passed = time.perf_counter() - start - (preparation_seconds() - prepared)
    seconds[phase] = seconds.get(phase, 0.0) + passed
