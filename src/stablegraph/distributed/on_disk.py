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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dask.sizeof import sizeof

from .workers import this_worker

_ALIGNED = 64  # bytes: where arrays begin
_WEIGHT = 1024  # bytes in memory, as far as Dask is told


class OnDisk:
    """A value that can be pickled, with its arrays in a file; `value` has them read-only."""

    def __init__(self, value: Any) -> None:
        buffers: list[Any] = []
        head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        arrays = [buffer.raw() for buffer in buffers]
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
        whole = memoryview(self._mapped)
        views = [whole[place : place + array.nbytes] for place, array in zip(places, arrays, strict=True)]
        self.value = pickle.loads(head, buffers=views)  # noqa: S301 -- what was pickled above

    def __reduce__(self) -> Any:
        return OnDisk, (self.value,)

    def let_go(self) -> None:
        """The pages that were read are no longer this process's, where the system can do that."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


sizeof.register(OnDisk, lambda kept: _WEIGHT)  # for Dask's memory manager


def _folder() -> str | None:
    """Where Dask's worker keeps its files; the system's folder elsewhere."""
    worker = this_worker()
    return None if worker is None else str(worker.local_directory)


@contextmanager
def opened(arguments: tuple[Any, ...]) -> Iterator[list[Any]]:
    """The arguments of a task, those on disk as what they are."""
    on_disk = [one for one in arguments if isinstance(one, OnDisk)]
    try:
        yield [one.value if isinstance(one, OnDisk) else one for one in arguments]
    finally:
        for one in on_disk:
            one.let_go()
        if on_disk:
            _remind(this_worker())


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
