"""Degrees: the number of distinct neighbors of each vertex, without loops."""

from __future__ import annotations

from typing import Any

from ..runtime import Offsets, Rows, array_module, device_of, kernel
from .build import build_rows


@kernel(by="edges")
def count_neighbors(u, rows: Rows, degrees: Offsets):
    """Count the distinct neighbors of u, without u itself; rows must be sorted."""
    degree = 0
    previous = -1
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        degree += v != previous and v != u
        previous = v
    degrees[u] = degree


def distinct_degrees(indptr: Any, indices: Any, rows: Any = None) -> tuple[Any, int]:
    """Return the degrees, and the number of repeated entries, which is only counted if the rows are not sorted.

    Then `rows` is the row of every entry, and the rows are sorted in work memory.
    """
    n = int(indptr.size) - 1
    in_order: Any = Rows(indptr, indices) if rows is None else build_rows(rows, indices, n)
    degrees = array_module(device_of(indices)).empty(n, dtype=indptr.dtype)
    sorted_rows = Rows(in_order.indptr.astype(indptr.dtype, copy=False), in_order.indices)
    count_neighbors(n, sorted_rows, degrees)
    return degrees, int(indices.size) - int(in_order.indices.size)
