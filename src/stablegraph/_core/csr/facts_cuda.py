"""One pass over a graph's entries on a GPU, in up to three launches of facts.cu; facts.py documents the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import CudaSource, array_module

SOURCE = CudaSource(__file__, "facts.cu", also=("rows.cuh", "hashes.cuh"))

_SHORT, _HUB = 32, 8192  # as in rows.cuh
_NUMBERS, _LISTED = 11, 13  # the number of results that the host reads, and of all results


def count_facts(indptr: Any, indices: Any, device: str) -> list[int]:
    """Return the numbers of a `Scan`, in the order of its members."""
    xp, n, entries = array_module(device), int(indptr.size) - 1, int(indices.size)
    run = SOURCE.compiled(VERTEX=indices.dtype, OFFSET=indptr.dtype)
    room, hub_room = entries // _SHORT + 1, entries // _HUB + 1
    long_rows, hubs = xp.empty(room, indices.dtype), xp.empty(hub_room, indices.dtype)
    hub_has_loop, results = xp.empty(hub_room, np.uint32), xp.zeros(_LISTED, np.int64)
    run(
        "scan_short_rows", n, n, entries, indptr, indices, long_rows, hubs, hub_has_loop, room, hub_room, results
    )  # fmt: skip
    if entries > _SHORT:
        run("scan_long_rows", entries, n, indptr, indices, long_rows, room, results)
    if entries > _HUB:
        run("scan_hubs", entries, n, indptr, indices, hubs, hub_has_loop, hub_room, results)
    numbers: list[int] = results[:_NUMBERS].tolist()
    return numbers
