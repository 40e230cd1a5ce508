"""Sums that identify hubs on a GPU; hubs.cu contains the kernels, hubs.py the definition."""

from __future__ import annotations

from typing import Any

from .._core.runtime import CudaSource, array_module, place_of
from .linalg.vectors_cuda import Sums

SOURCE = CudaSource(__file__, "hubs.cu", also=("linalg/sums.cuh",))


def total_products(products: Any) -> float:
    """Return the sum of int64 numbers, in double precision."""
    return _added("add_products", products)[0]


def joined_rows(lengths: Any) -> tuple[int, int]:
    """Return the number of entries in rows with more than one entry, and the number of such rows."""
    entries, rows = _added("add_joined", lengths, OFFSET=lengths.dtype)
    return int(entries), int(rows)


def _added(name: str, numbers: Any, **macros: Any) -> list[float]:
    xp = array_module(place_of(numbers))
    sums, result = Sums(int(numbers.size), xp), xp.zeros(2)
    SOURCE.compiled(**macros)(name, sums.threads, *sums.arguments, numbers, result)
    found: list[float] = result.tolist()
    return found
