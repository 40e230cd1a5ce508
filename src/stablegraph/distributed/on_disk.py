"""Values whose arrays stand in files that their worker has mapped: written once, read as they are needed.

What Dask spills it pickles again each time that memory is short, and reads back as a whole. A round reads all
partitions one after another, so where they do not fit, each of them would be written and read in every round, although
none of them changes. In a file they are written once, a task reads the pages that it touches, and those that the
system has memory for stay there.

Rule: for Dask such a value takes next to nothing; the pages of its file are a task's own memory while it runs, and are
let go at its end. A copy that is sent to another worker is a file there. Files have no names, so they vanish with the
values, and with the process, however it ends.
"""

from __future__ import annotations

import mmap
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from dask.sizeof import sizeof

from .alignment import aligned
from .workers import this_worker

_ALIGNED = 64  # bytes: where arrays begin
WEIGHT = 1024  # bytes in memory, as far as Dask is told


class OnDisk:
    """A value that can be pickled, with its arrays in a file; `value` has them read-only.

    Arrays of it that stand in the files of others, `beside`, are not written again.
    """

    def __init__(self, value: Any, beside: Iterable[OnDisk] = ()) -> None:
        buffers: list[Any] = []
        head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
        files = [file for one in beside for file in one._files]
        there = [next((file for file in files if file.has(array)), None) for array in arrays]
        own = _File([array for array, file in zip(arrays, there, strict=True) if file is None])
        self._files: list[_File] = [own, *(file for file in files if file in there)]
        self.nbytes = own.nbytes
        written = iter(own.arrays)
        views = [next(written) if file is None else array for array, file in zip(arrays, there, strict=True)]
        self.value = pickle.loads(head, buffers=views)  # noqa: S301 -- what was pickled above

    def __reduce__(self) -> Any:
        return OnDisk, (self.value,)

    def let_go(self) -> None:
        """The pages that were read are no longer this process's, where the system can do that."""
        for file in self._files:
            file.let_go()


class _File:
    """A file without a name, which is mapped; `arrays` are read-only."""

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
        """Whether an array stands here."""
        return bool(array.nbytes and 0 <= array.ctypes.data - self._address < self.nbytes)

    def let_go(self) -> None:
        """Give back the pages that were read."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


sizeof.register(OnDisk, lambda kept: WEIGHT)  # for Dask's memory manager


def _folder() -> str | None:
    """Where Dask's worker keeps its files; the system's folder elsewhere."""
    worker = this_worker()
    return None if worker is None else str(worker.local_directory)


def among(arguments: tuple[Any, ...]) -> list[OnDisk]:
    """Those arguments of a task that are on disk, also in lists."""
    every = [one for argument in arguments for one in (argument if isinstance(argument, list) else [argument])]
    return [one for one in every if isinstance(one, OnDisk)]


@contextmanager
def opened(arguments: tuple[Any, ...]) -> Iterator[list[Any]]:
    """The arguments of a task, those on disk as what they are."""
    on_disk = among(arguments)
    try:
        yield [list(map(_value_of, one)) if isinstance(one, list) else _value_of(one) for one in arguments]
    finally:
        for one in on_disk:
            one.let_go()
        if on_disk:
            _remind(this_worker())


def _value_of(argument: Any) -> Any:
    return argument.value if isinstance(argument, OnDisk) else aligned(argument)


def _remind(worker: Any) -> None:
    """Make a worker take what is on disk for used.

    What was not used for the longest time is what Dask spills first. To spill what takes no memory frees none, and
    would write and read a second file.
    """
    recent = getattr(getattr(worker, "data", None), "fast", None)
    if recent is not None:
        for key, _ in on_disk_of(worker):
            with suppress(KeyError):  # which is given up meanwhile
                recent[key]


def on_disk_of(worker: Any) -> list[tuple[Any, OnDisk]]:
    """What a worker has on disk, by Dask's keys."""
    fast = getattr(worker.data, "fast", worker.data)
    return [(key, value) for key, value in list(getattr(fast, "d", fast).items()) if isinstance(value, OnDisk)]
