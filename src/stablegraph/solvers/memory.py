"""Arrays that may be larger than the memory: refused in words, before they are filled.

An operating system may promise more memory than there is, and end the process when it is used. So what is larger than
all memory of the machine is refused at once; what the system itself refuses (other limits may be lower) is said in the
same words.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np


def room_for_entries(entries: int, dtype: Any = np.float64) -> Any:
    """An empty array for so many entries of a coarser level; MemoryError says how many there are, and the cure."""
    size = entries * np.dtype(dtype).itemsize
    try:
        if size <= _memory():
            return np.empty(entries, dtype)
    except MemoryError:
        pass
    raise MemoryError(
        f"the memory is short: a product of {entries:,} entries, {size / 1e9:.3g} GB, is needed for a coarser level; "
        "damping=0 makes levels sparser, aggregate='mis2-basic' smaller, and max_levels= fewer"
    )


def _memory() -> float:
    """The bytes of the machine's memory, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return math.inf
