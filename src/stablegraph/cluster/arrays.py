"""Arrays of a partition: gathering by all threads, and conversion of the arrays in nested values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.runtime import ArrayS, Integers, array_module, device_of, kernel
from ..graph import Graph


@kernel(S="uint32 uint8 uint64")
def _gather(i, places: Integers, values: ArrayS, result: ArrayS):
    """Copy one value."""
    result[i] = values[places[i]]


def as_words(array: Any) -> Any:
    """View the array as unsigned integers of its item size."""
    return array.view(f"u{array.dtype.itemsize}")


def take(places: Any, values: Any) -> Any:
    """Gather the values at some places."""
    result = array_module(device_of(values)).empty(places.size, values.dtype)
    _gather(places.size, places, as_words(values), as_words(result))
    return result


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
