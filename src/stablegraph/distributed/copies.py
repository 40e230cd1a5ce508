"""Values copied from some of a partition's vertices, by all threads.

Compiled code copies words of 1, 4 and 8 bytes, whatever they stand for.
"""

from __future__ import annotations

from typing import Any

from ..parallel import kernel
from ..parallel.device import array_module, device_of


@kernel(types="T[] S[] S[]", S="uint32 uint8 uint64", T="int32 int64")
def _take(i, places, values, result):
    """One value."""
    result[i] = values[places[i]]


def as_words(array: Any) -> Any:
    """The array as words of its width."""
    return array.view(f"u{array.dtype.itemsize}")


def at(places: Any, values: Any) -> Any:
    """The values at some places."""
    result = array_module(device_of(values)).empty(places.size, values.dtype)
    _take(places.size, places, as_words(values), as_words(result))
    return result
