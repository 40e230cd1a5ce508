"""Messages between partitions: the packed values of the boundary vertices that have changed, and their exchange.

Idea: a message has values of only the changed vertices. It identifies them by their places in
the boundary, or by one bit for each vertex of the boundary, whichever is shorter. The receiver knows the places of its
ghosts in the boundary. To find the value of a ghost, it counts the set bits before that of the ghost: the counts before
each word of 32 bits are computed once for all ghosts, and the bits inside a word are counted with one instruction. So
no receiver expands the whole boundary of a neighbor. The more partitions there are, the smaller is the part of it that
a receiver needs.

Cost: for a receiver, one or two reads for each ghost, by all threads, and one bit for each vertex of the boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import ArrayT, Bools, Int32s, Int64s, UInt32s, array_module, count_ones, device_of, kernel
from .._core.runtime.primitives import compact, exclusive_scan
from .partition import Partition, as_words, take
from .supersteps import Supersteps
from .tasks import first_of

_WORD = 32  # bits: a sum of them stays a signed number in compiled code


class Changes(NamedTuple):
    """Values of the changed vertices of a boundary: those at `places`, or those whose bits are set in `marks`."""

    size: int  # of the boundary
    places: Any  # ascending
    marks: Any  # bytes, the lowest bit first
    values: Any  # of the changed vertices, in the order of the boundary; bits if `packed`
    packed: bool

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return sum(array.nbytes for array in (self.places, self.marks, self.values) if array is not None)


class _Marks(NamedTuple):
    """The mark bits of a boundary, in words."""

    words: UInt32s
    before: Int64s  # the number of bits set in earlier words


@kernel(T="uint32 uint8 uint64")
def _write_marked(i, places: Int32s, marks: _Marks, values: ArrayT, target: ArrayT):
    """Write the value of the i-th ghost, if the message has one."""
    place = int(places[i])
    word = int(marks.words[place >> 5])
    bit = place & 31
    if (word >> bit) & 1:
        target[i] = values[marks.before[place >> 5] + count_ones(word & ((1 << bit) - 1))]


@kernel
def _count_marks(i, words: UInt32s, counts: Int64s):
    """Count the bits that are set in a word."""
    counts[i] = count_ones(int(words[i]))


@kernel
def _read_marks(i, places: Int32s, words: UInt32s, marked: Bools):
    """Read whether the bit of the i-th ghost is set."""
    place = int(places[i])
    marked[i] = (int(words[place >> 5]) >> (place & 31)) & 1


def pack_changes(changed: Any, values: Any) -> Changes:
    """Pack the values of a boundary at which the mask `changed` is set."""
    places = compact(changed)
    values = take(places, values)
    packed = values.dtype == bool
    if packed:
        values = np.packbits(values)
    if 4 * places.size < changed.size // 8:
        kind = np.uint32 if changed.size < 2**32 else np.uint64
        return Changes(changed.size, places.astype(kind), None, values, packed)
    return Changes(changed.size, None, np.packbits(changed, bitorder="little"), values, packed)


def pack_boundary_updates(part: Partition, changed: Any, values: Any) -> Changes:
    """Pack the changed values of a partition's boundary; both arguments are arrays for all of its vertices."""
    return pack_changes(take(part.boundary, changed), take(part.boundary, values))


def write_changes(message: Changes, places: Any, target: Any, form: Callable[[Any], Any] | None = None) -> None:
    """Write the values of a message at some places of the boundary into `target`.

    The places ascend. `form` converts the values to the representation of `target`; by default they are written
    unchanged.
    """
    marks = None if message.places is not None else _marks_of(message)
    count = message.places.size if marks is None else int(marks.before[-1])
    values = np.unpackbits(message.values)[:count].view(bool) if message.packed else message.values
    values = (values if form is None else form(values)).astype(target.dtype, copy=False)
    if marks is None:
        result, which = common_places(places, message.places)
        target[result] = values[which]
    else:
        _write_marked(places.size, places, marks, as_words(values), as_words(target))


def words_of(message: Changes) -> Any:
    """Return the marks of a message, in words of 32 bits."""
    words = array_module(device_of(message.marks)).zeros(-(-message.size // _WORD), np.uint32)
    words.view(np.uint8)[: message.marks.size] = message.marks
    return words


def _marks_of(message: Changes) -> _Marks:
    words = words_of(message)
    counts = array_module(device_of(words)).empty(words.size, np.int64)
    _count_marks(words.size, words, counts)
    return _Marks(words, exclusive_scan(counts))


def common_places(array: Any, other: Any) -> tuple[Any, Any]:
    """Find the common elements of two ascending lists: their positions in `array` and in `other`, which is short."""
    if not array.size:
        return array[:0], array[:0]
    where = np.minimum(np.searchsorted(array, other.astype(array.dtype, copy=False)), array.size - 1)
    which = np.flatnonzero(array[where] == other)
    return where[which], which


def has_update(message: Changes, places: Any) -> Any:
    """Return a mask of the places of the boundary, which ascend, for which a message has values."""
    marked = array_module(device_of(places)).zeros(places.size, bool)
    if message.places is not None:
        marked[common_places(places, message.places)[0]] = True
    else:
        _read_marks(places.size, places, words_of(message), marked)
    return marked


def apply_ghost_updates(
    part: Partition, inbox: dict[int, Changes], target: Any, form: Callable[[Any], Any] | None = None
) -> None:
    """Write the values of ghosts from the neighbors' messages into `target`; for `form` see `write_changes`."""
    for q, message in inbox.items():
        first, stop, places = part.sources[q]
        write_changes(message, places, target[first:stop], form)


def updated_ghosts(part: Partition, inbox: dict[int, Changes]) -> Any:
    """Return the local numbers of the ghosts for which the neighbors' messages have values."""
    ghosts = [part.xp.empty(0, np.int64)]
    for q, message in inbox.items():
        first, _, places = part.sources[q]
        updated = (
            common_places(places, message.places)[0]
            if message.places is not None
            else compact(has_update(message, places))
        )
        ghosts.append(first + updated)
    return np.concatenate(ghosts)


def scatter_values(run: Supersteps, values: Any, name: str) -> None:
    """Run a round in which each partition receives the values of its own vertices, and sends those of its boundary."""
    v = first_of(run.step(_send_boundary_values, each=run.graph.split(values, name)))
    if v is not None:
        raise ValueError(f"{name} is NaN at vertex {v}, which has no place in an order")


def _send_boundary_values(part: Partition, state: Any, inbox: Any, values: Any) -> Any:
    values = np.asarray(values)
    local_values = part.with_owned(values, 0)
    nan_vertex = None
    if values.dtype.kind == "f" and np.isnan(values).any():
        nan_vertex = part.start + int(np.isnan(values).argmax())
    return local_values, pack_boundary_updates(part, np.ones(part.size, bool), local_values), nan_vertex


def messages_named(inbox: dict[int, Any], name: str) -> dict[int, Any]:
    """Return the neighbors' messages with this name."""
    return {q: message[name] for q, message in inbox.items() if name in message}


def with_ghost_fields(part: Partition, state: Any, inbox: Any, *names: str) -> Any:
    """Return a NamedTuple with copies of these fields, in which messages of the same names replace values of ghosts."""
    return state._replace(
        **{name: with_ghost_values(part, getattr(state, name), messages_named(inbox, name)) for name in names}
    )


def with_ghost_values(part: Partition, values: Any, inbox: Any) -> Any:
    """Return a copy of the values in which the messages of the owners replace the values of ghosts."""
    values = values.copy()
    apply_ghost_updates(part, inbox, values)
    return values
