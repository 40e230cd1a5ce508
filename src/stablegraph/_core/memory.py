"""The free memory of the system. It is checked before large allocations, since some systems grant more than they have.

Linux grants memory that it does not have, and kills the process when that memory is written to, without a MemoryError.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

_SYSTEM = Path("/proc/meminfo")
_CONTAINER = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def free_memory() -> float:
    """Return the bytes that are free or can be reclaimed; infinity if the system does not report them."""
    found = [float("inf")]
    with contextlib.suppress(OSError):
        kibibytes = dict(re.findall(r"^(\w+): +(\d+) kB", _SYSTEM.read_text(), re.MULTILINE))
        if "MemAvailable" in kibibytes:
            found.append(1024.0 * (int(kibibytes["MemAvailable"]) + int(kibibytes.get("SwapFree", 0))))
    for limit in _CONTAINER:
        with contextlib.suppress(OSError, ValueError):  # "max" is not a number
            found.append(float(int(limit.read_text())))
    if len(found) == 1:
        with contextlib.suppress(AttributeError, OSError, ValueError):
            found.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    return min(found)


def check_memory(size: int, purpose: str) -> None:
    """Raise MemoryError if fewer than `size` bytes are free in host memory; the purpose is part of the message."""
    free = free_memory()
    if size > free:
        raise MemoryError(f"not enough memory: {purpose} needs {size / 1e9:.3g} GB, but {free / 1e9:.3g} GB are free")


def allocate_or_raise(entries: int, dtype: Any, purpose: str, xp: Any = np) -> Any:
    """Return an empty NumPy or CuPy array; raise a MemoryError that states the size and the purpose if it does not fit.

    In host memory the error is raised before the memory is exhausted.
    """
    size = entries * np.dtype(dtype).itemsize
    try:
        if xp is not np or size <= free_memory():
            return xp.empty(entries, dtype)
    except MemoryError:
        pass
    where = "" if xp is np else " of the GPU"
    raise MemoryError(f"the memory{where} is short: {entries:,} entries, {size / 1e9:.3g} GB, are needed for {purpose}")
