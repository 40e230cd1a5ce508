"""Values whose arrays are in memory-mapped files on their worker: written once, and read as they are needed.

Dask pickles a spilled value again each time that memory runs short, and reads it back as a whole. A round reads all
partitions one after another. If they do not fit into memory, each of them would be written and read in every round,
although none of them changes. In a file they are written once, a task reads only the pages that it touches, and the
operating system caches as many of them as memory allows.

Rule: in Dask's accounting such a value takes almost no memory. The pages of its file are a task's own memory while it
runs, and are released at its end. If a value is sent to another worker, that worker writes a file of its own. Files
have no names, so they vanish with their values and when the process ends, even if it crashes.
"""

from __future__ import annotations

import dataclasses
import mmap
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from dask.sizeof import sizeof

from ..graph import Graph
from .workers import this_worker

_ALIGNED = 64  # bytes, the alignment of arrays
WEIGHT = 1024  # bytes in memory, as reported to Dask


class OnDisk:
    """A picklable value with its arrays in a file; `value` has them read-only.

    Arrays of it that are already in the files of the `neighbors` are not written again.
    """

    def __init__(self, value: Any, neighbors: Iterable[OnDisk] = ()) -> None:
        buffers: list[Any] = []
        head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
        files = [file for one in neighbors for file in one._files]
        is_stored = [any(file.has(array) for file in files) for array in arrays]
        new = _File([array for array, stored in zip(arrays, is_stored, strict=True) if not stored])
        used = [file for file in files if any(file.has(array) for array in arrays)]
        self._files: list[_File] = [new, *used]
        self.nbytes = new.nbytes
        written = iter(new.arrays)
        views = [array if stored else next(written) for array, stored in zip(arrays, is_stored, strict=True)]
        self.value = pickle.loads(head, buffers=views)  # noqa: S301 -- it was pickled above

    def __reduce__(self) -> Any:
        return OnDisk, (self.value,)

    def release_pages(self) -> None:
        """Release the pages that this process has read, if the system supports it."""
        for file in self._files:
            file.release_pages()


class _File:
    """A memory-mapped file without a name; `arrays` are read-only."""

    def __init__(self, arrays: list[Any]) -> None:
        places, end = [], 0
        for array in arrays:
            places.append(end)
            end += -(-array.nbytes // _ALIGNED) * _ALIGNED
        self.nbytes = end
        with tempfile.TemporaryFile(dir=_folder()) as file:
            for place, array in zip(places, arrays, strict=True):
                file.seek(place)
                file.write(array)
            file.truncate(max(end, 1))
            file.flush()
            self._mapped = mmap.mmap(file.fileno(), max(end, 1), access=mmap.ACCESS_READ)
        whole = np.frombuffer(self._mapped, np.uint8)
        self._address = whole.ctypes.data
        self.arrays = [whole[place : place + array.nbytes] for place, array in zip(places, arrays, strict=True)]

    def has(self, array: Any) -> bool:
        """Return whether an array is in this file."""
        return bool(array.nbytes and 0 <= array.ctypes.data - self._address < self.nbytes)

    def release_pages(self) -> None:
        """Release the pages that were read."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


sizeof.register(OnDisk, lambda value: WEIGHT)  # for Dask's memory manager


def _folder() -> str | None:
    """Return the folder in which Dask's worker keeps its files; None, for the system's folder, outside a worker."""
    worker = this_worker()
    return None if worker is None else str(worker.local_directory)


def on_disk_among(arguments: tuple[Any, ...]) -> list[OnDisk]:
    """Return the arguments of a task that are on disk, also those in lists."""
    values = [value for argument in arguments for value in (argument if isinstance(argument, list) else [argument])]
    return [value for value in values if isinstance(value, OnDisk)]


@contextmanager
def loaded_arguments(arguments: tuple[Any, ...]) -> Iterator[list[Any]]:
    """Replace the arguments that are on disk by their values for the duration of a task."""
    on_disk = on_disk_among(arguments)
    try:
        yield [list(map(_value_of, one)) if isinstance(one, list) else _value_of(one) for one in arguments]
    finally:
        for one in on_disk:
            one.release_pages()
        if on_disk:
            _mark_as_used(this_worker())


def _value_of(argument: Any) -> Any:
    return argument.value if isinstance(argument, OnDisk) else aligned(argument)


def _mark_as_used(worker: Any) -> None:
    """Mark all on-disk values of a worker as recently used.

    Dask spills the least recently used values first. Spilling a value that takes no memory would free none, and would
    write and read a second file.
    """
    recent = getattr(getattr(worker, "data", None), "fast", None)
    if recent is not None:
        for key, _ in on_disk_of(worker):
            with suppress(KeyError):  # if it was removed in the meantime
                recent[key]


def on_disk_of(worker: Any) -> list[tuple[Any, OnDisk]]:
    """Return the on-disk values of a worker, with Dask's keys."""
    fast = getattr(worker.data, "fast", worker.data)
    return [(key, value) for key, value in list(getattr(fast, "d", fast).items()) if isinstance(value, OnDisk)]


# The arrays in nested values


def map_arrays(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to the items of nested tuples, lists, dictionaries and dataclasses; a Graph is one item.

    Return the same object if the function returns all items unchanged.
    """
    if value is None or isinstance(value, (np.ndarray, int)):  # most items; other tests take longer
        return function(value)
    if isinstance(value, (tuple, list)):
        items = list(value)
    elif isinstance(value, dict):
        items = list(value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, (Graph, type)):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        items = [getattr(value, name) for name in names]
    else:
        return function(value)
    results = [map_arrays(function, item) for item in items]
    if all(result is item for result, item in zip(results, items, strict=True)):
        return value
    if isinstance(value, dict):
        return dict(zip(value, results, strict=True))
    if isinstance(value, (tuple, list)):
        return type(value)(*results) if hasattr(value, "_fields") else type(value)(results)
    return dataclasses.replace(value, **dict(zip(names, results, strict=True)))


def aligned(value: Any) -> Any:
    """Return a value whose arrays are aligned, as kernels require; unaligned ones are copied.

    Dask may store an array of a message at any address. Graphs align their arrays when they are unpickled.
    """
    return map_arrays(_aligned_array, value)


def _aligned_array(item: Any) -> Any:
    return item.copy() if isinstance(item, np.ndarray) and not item.flags.aligned else item
