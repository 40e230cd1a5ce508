"""Degrees: the number of distinct neighbors of each vertex, without loops."""

from __future__ import annotations

from typing import Any

from ..runtime import kernel
from ..runtime.device import array_module, device_of
from ..runtime.structs import Rows
from .arrays import read_only
from .build import build_rows


@kernel(by="edges", types="O[] V[] O[]")
def count_neighbors(u, rows: Rows, degrees):
    """Count the distinct neighbors of u, without u itself; rows must be sorted."""
    degree = 0
    previous = -1
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        degree += v != previous and v != u
        previous = v
    degrees[u] = degree


def degrees_of_sorted(indptr: Any, indices: Any, device: str) -> Any:
    """Return the degrees, given sorted rows."""
    n = int(indptr.size) - 1
    degrees = array_module(device).empty(n, dtype=indptr.dtype)
    count_neighbors(n, Rows(indptr, indices), degrees)
    return degrees


def degrees_of_unsorted(indptr: Any, indices: Any, rows: Any) -> tuple[Any, int]:
    """Return the degrees, and the number of repeated entries; `rows` is the row of every entry.

    The rows are sorted in work memory.
    """
    n = int(indptr.size) - 1
    simple = build_rows(rows, indices, n)
    degrees = degrees_of_sorted(read_only(simple.indptr), read_only(simple.indices), device_of(indices))
    repeats = int(indices.size) - int(simple.indices.size)
    return degrees.astype(indptr.dtype, copy=False), repeats
