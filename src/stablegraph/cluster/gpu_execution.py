"""Steps on the GPU of a worker.

A worker has a GPU if CUDA_VISIBLE_DEVICES names one, as dask-cuda sets it for each of its workers, and CuPy finds it.

Rule: a step that is marked with `device_agnostic` gives the same bits on CPUs and GPUs, so GPUs change only the time.
If a step runs out of GPU memory or raises `NeedsThreads`, threads run it.

Idea: a partition is copied to the GPU once, and its copy stays there while there is room. The state of a partition
stays on the GPU from step to step. Messages are in host memory, because their receivers may have no GPU. In Dask's
accounting a state on a GPU takes almost no memory; if Dask sends or spills it, it is converted to the form that it has
on workers without a GPU.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from dask.sizeof import sizeof

from .._core.csr.arrays import on_host
from .._core.runtime.cuda.gpu_code import cuda_available
from .._core.runtime.device import cupy_module
from ..graph import Graph
from .on_disk import WEIGHT, map_arrays
from .partition import Partition

_MAX_COPIES = 0.5  # of a GPU's memory, for copies of partitions
_TRIES = 2  # of a step that runs out of memory; the second follows after all copies of partitions are freed
_OUT_OF_MEMORY = "OUT_OF_MEMORY", "cudaErrorMemoryAllocation"
_NO_DEVICES = ("", "-1", "NoDevFiles")


class OnGpu:
    """A value with CuPy arrays; pickling converts it to the value with NumPy arrays."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return _identity, (to_host(self.value),)


sizeof.register(OnGpu, lambda value: WEIGHT)  # for Dask's memory manager


def _identity(value: Any) -> Any:
    return value


class NeedsThreads(Exception):
    """Raised by a step that should run on threads instead of a GPU."""


def device_agnostic(step: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a step function whose code runs on the device of its arrays."""
    step.is_device_agnostic = True  # type: ignore[attr-defined]
    return step


def execute_step(function: Callable[..., Any], part: Any, state: Any, *others: Any) -> tuple[Any, bool]:
    """Run a step function, on the GPU if possible; return its results, and whether it ran on the GPU.

    The state stays on the device on which it was computed.
    """
    if getattr(function, "is_device_agnostic", False) and has_gpu():
        for _ in range(_TRIES):
            try:
                return _on_gpu(function, part, state, others), True
            except NeedsThreads:
                break
            except Exception as error:
                if not _is_out_of_memory(error):
                    raise
            _copies.clear()
    return function(part, to_host(state), *others), False


def _on_gpu(function: Callable[..., Any], part: Any, state: Any, others: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    state, message, counts = function(to_device(part), to_device(state), *map(to_device, others))
    return OnGpu(state), to_host(message), to_host(counts)


def _is_out_of_memory(error: Exception) -> bool:
    """Return whether an error means that GPU memory ran out.

    CuPy raises subclasses of MemoryError; the errors of the driver and of CUDA's runtime have it in their names.
    """
    return isinstance(error, MemoryError) or any(name in str(error) for name in _OUT_OF_MEMORY)


@cache
def has_gpu() -> bool:
    """Return whether this process is a worker with a GPU of its own."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "") not in _NO_DEVICES and cuda_available()


def to_device(value: Any) -> Any:
    """Return the value with its arrays on the GPU; copies of partitions and graphs are cached."""
    if isinstance(value, OnGpu):
        return value.value
    return _copies.of(value) if isinstance(value, Partition | Graph) else moved(value, "cuda")


def to_host(value: Any) -> Any:
    """Return the value with its arrays in host memory."""
    return moved(value.value if isinstance(value, OnGpu) else value, "cpu")


def original_of(part: Partition) -> Partition:
    """Return the original, in host memory, of a partition on the GPU."""
    original: Partition = _copies.original(part) or moved(part, "cpu")
    return original


def moved(value: Any, device: str) -> Any:
    """Return the value with its arrays on "cpu" or "cuda"."""
    return map_arrays(partial(_moved_item, device), value)


def _moved_item(device: str, item: Any) -> Any:
    if isinstance(item, Graph):
        return item.to(device)
    if device == "cpu":
        return item if isinstance(item, np.ndarray) else on_host(item)
    return cupy_module().asarray(item) if isinstance(item, np.ndarray) else item


class _Copies:
    """Cached copies on the GPU; the least recently used ones are freed when there is no room.

    An original may be garbage-collected at any moment and in any thread, also while a method iterates over the copies.
    The callback therefore only records this, and the next call frees the copy.
    """

    def __init__(self) -> None:
        self._copies: dict[int, tuple[Any, Any, int]] = {}  # original, copy, bytes; the most recently used is last
        self._unused: deque[int] = deque()
        self._lock = threading.Lock()

    def of(self, value: Any) -> Any:
        """Return the copy of a value, and make it if there is none."""
        name = id(value)
        with self._lock:
            self._free_unused()
            known = self._copies.pop(name, None)
            if known is None:
                size = int(sizeof(value))
                self._make_room(size)
                original = weakref.ref(value, lambda _: self._unused.append(name))
                known = original, moved(value, "cuda"), size
            self._copies[name] = known
            return known[1]

    def _free_unused(self) -> None:
        """Free the copies whose originals were garbage-collected."""
        while self._unused:
            self._copies.pop(self._unused.popleft(), None)

    def _make_room(self, size: int) -> None:
        room = _MAX_COPIES * cupy_module().cuda.runtime.memGetInfo()[1] - size
        held = sum(nbytes for _, _, nbytes in self._copies.values())
        while self._copies and held > room:
            held -= self._copies.pop(next(iter(self._copies)))[2]

    def original(self, copy: Any) -> Any:
        """Return the original of a copy, or None if it is no longer known."""
        with self._lock:
            return next((original() for original, cached, _ in self._copies.values() if cached is copy), None)

    def clear(self) -> None:
        """Free all copies."""
        with self._lock:
            self._copies.clear()
        cupy_module().get_default_memory_pool().free_all_blocks()


_copies = _Copies()
