"""Steps on the GPU of a worker that has one.

A worker has a GPU if CUDA_VISIBLE_DEVICES names one, as dask-cuda sets it for each of its workers, and CuPy finds it.

Rule: a step that is `anywhere` gives the same bits wherever its arrays are, so which workers have GPUs changes the time
alone. A step that finds too little memory on a GPU, or says that it is `ForThreads`, is taken by threads.

Idea: a partition is copied once, and its copy stays while the GPU has room. The state of a partition stays there from
step to step. Boxes are host memory: who reads them may have no GPU. For Dask a state on a GPU takes next to nothing; if
it must be sent or spilled, it is what it would be without a GPU.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from dask.sizeof import sizeof

from ..csr.arrays import on_host
from ..graph import Graph
from ..parallel.device import cuda_available, cupy_module
from .on_disk import WEIGHT
from .partition import Partition

_KEPT = 0.5  # of a GPU's memory: for partitions
_TRIES = 2  # of a step that finds too little memory; for the second one copies of partitions are let go
_NO_DEVICES = ("", "-1", "NoDevFiles")


class OnGpu:
    """A value whose arrays are CuPy's; elsewhere it is the value with NumPy's."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return _itself, (here(self.value),)


sizeof.register(OnGpu, lambda kept: WEIGHT)  # for Dask's memory manager


def _itself(value: Any) -> Any:
    return value


class ForThreads(Exception):
    """What a step raises that a GPU should not take."""


def anywhere(step: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a step function whose code runs where its arrays are."""
    step.is_anywhere = True  # type: ignore[attr-defined]
    return step


def carried_out(function: Callable[..., Any], part: Any, state: Any, *others: Any) -> tuple[Any, bool]:
    """What a step function returns, with its state where it was made; and whether that is a GPU."""
    if getattr(function, "is_anywhere", False) and has_gpu():
        for _ in range(_TRIES):
            try:
                return _on_gpu(function, part, state, others), True
            except ForThreads:
                break
            except Exception as error:
                if not _is_of_memory(error):
                    raise
            _copies.forget()
    return function(part, here(state), *others), False


def _on_gpu(function: Callable[..., Any], part: Any, state: Any, others: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    state_there, box, counts = function(there(part), there(state), *map(there, others))
    return OnGpu(state_there), here(box), here(counts)


def _is_of_memory(error: Exception) -> bool:
    """Whether a GPU had too little of it: CuPy's own are errors of memory, those of the driver are named so."""
    return isinstance(error, MemoryError) or "OUT_OF_MEMORY" in str(error)


@cache
def has_gpu() -> bool:
    """Whether this process is a worker with a GPU of its own."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "") not in _NO_DEVICES and cuda_available()


def there(value: Any) -> Any:
    """The value with its arrays on the GPU; copies of partitions and graphs are kept."""
    if isinstance(value, OnGpu):
        return value.value
    return _copies.of(value) if isinstance(value, Partition | Graph) else moved(value, "cuda")


def here(value: Any) -> Any:
    """The value with its arrays in host memory."""
    return moved(value.value if isinstance(value, OnGpu) else value, "cpu")


def original_of(part: Partition) -> Partition:
    """The partition of which this is the copy."""
    original: Partition = _copies.original(part) or moved(part, "cpu")
    return original


def moved(value: Any, device: str) -> Any:
    """The value with its arrays on "cpu" or "cuda"."""
    if isinstance(value, Graph):
        return value.to(device)
    if isinstance(value, np.ndarray):
        return value if device == "cpu" else cupy_module().asarray(value)
    if isinstance(value, dict):
        return {key: moved(one, device) for key, one in value.items()}
    if isinstance(value, list | tuple):
        items = [moved(one, device) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: moved(getattr(value, field.name), device) for field in fields(value)})
    return on_host(value) if device == "cpu" else value


class _Copies:
    """Copies on the GPU, of which those that were not used for the longest time go when there is no room.

    A value may vanish at any moment and in any thread, also while this one goes through the copies. So its end is
    noted, and its copy is let go by the next call.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any, int]] = {}  # original, copy, bytes; the last one used is the last
        self._ended: deque[int] = deque()
        self._lock = threading.Lock()

    def of(self, value: Any) -> Any:
        """The copy of a value."""
        name = id(value)
        with self._lock:
            self._let_go()
            known = self._kept.pop(name, None)
            if known is None:
                size = int(sizeof(value))
                self._make_room(size)
                original = weakref.ref(value, lambda _: self._ended.append(name))
                known = original, moved(value, "cuda"), size
            self._kept[name] = known
            return known[1]

    def _let_go(self) -> None:
        """The copies of what has ended."""
        while self._ended:
            self._kept.pop(self._ended.popleft(), None)

    def _make_room(self, size: int) -> None:
        room = _KEPT * cupy_module().cuda.runtime.memGetInfo()[1] - size
        held = sum(kept for _, _, kept in self._kept.values())
        while self._kept and held > room:
            held -= self._kept.pop(next(iter(self._kept)))[2]

    def original(self, copy: Any) -> Any:
        """Of what this is the copy; None if that is not known any more."""
        with self._lock:
            return next((original() for original, its_copy, _ in self._kept.values() if its_copy is copy), None)

    def forget(self) -> None:
        """Let all copies go."""
        with self._lock:
            self._kept.clear()
        cupy_module().get_default_memory_pool().free_all_blocks()


_copies = _Copies()
