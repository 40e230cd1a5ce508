"""Checks of arguments that several functions have: arrays, vertices, and seeds.

An array that a caller hands in must come through whole: what NumPy would drop without a word is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .parallel import hash_seed
from .parallel.device import array_module


def unmasked(values: Any, name: str) -> Any:
    """The same, if it is no masked array with something masked; `name` is the argument's."""
    if np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(
            f"{name} is a masked array without a value at [{place}]: leave such places out, or fill them with "
            ".filled(value)"
        )
    return values


def one_array(values: Any, name: str) -> Any:
    """The same, if it is not the whole result of a function that returns several, and nothing is masked."""
    if isinstance(values, tuple):
        arrays = [place for place, part in enumerate(values) if getattr(part, "ndim", 0)]
        if arrays:
            which = f", the {('first', 'second')[arrays[0]]} of them" if len(arrays) == 1 and arrays[0] < 2 else ""
            raise TypeError(f"{name} is a tuple of {len(values)} results: pass one array alone{which}")
    return unmasked(values, name)


def host_array(values: Any, name: str) -> np.ndarray:
    """A NumPy array, from anything that is an array or makes one, on a GPU or not."""
    values = one_array(values, name)
    if hasattr(values, "__cuda_array_interface__"):
        values = array_module("cuda").asarray(values).get()
    return np.asarray(values)


def distinct_vertices(vertices: Any, name: str, n: int) -> np.ndarray:
    """Vertices out of n in the order given, as int64 in host memory, from a bool mask or from their numbers."""
    array = host_array(vertices, name)
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"{name} is a mask of shape {array.shape}, but there are {n} vertices: pass shape ({n},)")
        return np.flatnonzero(array)
    if array.dtype.kind in "USO" and array.size:
        raise TypeError(
            f"{name} must be numbers of vertices or a mask of bool, got {array.dtype}: the number of a vertex with a "
            "name is list(graph.nodes).index(name)"
        )
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise TypeError(
            f"{name} must be numbers of vertices or a mask of bool, got {array.dtype} of shape {array.shape}"
        )
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise ValueError(f"{name} names vertex {array[outside.argmax()]}, but there are {n} vertices, numbered from 0")
    array = array.astype(np.int64, copy=False)
    numbers = np.arange(array.size)
    last_place = np.empty(n, np.int64)
    last_place[array] = numbers
    again = last_place[array] != numbers
    if again.any():
        v = array[again.argmax()]
        raise ValueError(
            f"{name} names vertex {v} {np.count_nonzero(array == v)} times; an array of integers is read as vertices: "
            "turn a mask of zeros and ones into booleans with .astype(bool)"
        )
    return array


def hashed_seed(seed: Any) -> int:
    """The hash of a seed, an integer: what algorithms add to ids and rounds."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be an integer, got {seed!r}")
    return hash_seed(int(seed))
