"""Gathering of values from local vertices, by all threads."""

from __future__ import annotations

from typing import Any

from .._core.runtime import kernel
from .._core.runtime.device import array_module, device_of


@kernel(types="T[] S[] S[]", S="uint32 uint8 uint64", T="int32 int64")
def _take(i, places, values, result):
    """Copy one value."""
    result[i] = values[places[i]]


def as_words(array: Any) -> Any:
    """View the array as unsigned integers of its item size."""
    return array.view(f"u{array.dtype.itemsize}")


def take(places: Any, values: Any) -> Any:
    """Gather the values at some places."""
    result = array_module(device_of(values)).empty(places.size, values.dtype)
    _take(places.size, places, as_words(values), as_words(result))
    return result
