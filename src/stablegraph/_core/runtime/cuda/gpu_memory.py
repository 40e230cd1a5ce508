"""Memory for calls on a GPU: one block for all work arrays of a call, and the words of barriers.

An allocation takes the host about as long as a launch. A call therefore allocates one block for its work arrays, and
passes addresses to its kernels; only results are arrays of their own.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .. import device

_ALIGNMENT = 256  # bytes
_BARRIER = 2  # words; see common.cuh


class WorkMemory:
    """One block of GPU memory for work arrays, whose contents are undefined.

    ``WorkMemory(parent=4 * n, state=16)`` takes sizes in bytes. Its attributes `parent` and `state` are addresses,
    which kernels take like arrays. The block must exist until the last kernel has been launched: CuPy gives memory
    that has been freed only to later work on the same stream.
    """

    def __init__(self, **sizes: int) -> None:
        total = sum(sizes.values()) + _ALIGNMENT * len(sizes)
        if device.is_emulated():
            self._block: Any = np.empty(total, np.uint8)
            place = self._block.ctypes.data
        else:
            self._block = device.cupy_module().cuda.alloc(total)
            place = self._block.ptr
        parts = self.__dict__
        for name, size in sizes.items():
            parts[name] = place
            place += size + -size % _ALIGNMENT

    def __getattr__(self, name: str) -> int:
        raise AttributeError(f"the work memory has no part {name!r}")


class _Barriers(threading.local):
    """The words of barriers of a Python thread, by device and stream: kernels on one stream run one after another."""

    def __init__(self) -> None:
        self.words: dict[tuple[int, int], Any] = {}


_barriers = _Barriers()


def barrier_words() -> Any:
    """Return the words that `grid_barrier` needs, as an argument for one cooperative kernel.

    They are zeroed once, because every barrier prepares them for the next one.
    """
    if device.is_emulated():
        return np.zeros(_BARRIER, np.uint32)
    cupy = device.cupy_module()
    key = device.current_gpu(), cupy.cuda.get_current_stream().ptr
    words = _barriers.words.get(key)
    if words is None:
        words = _barriers.words[key] = cupy.zeros(_BARRIER, np.uint32)
    return words
