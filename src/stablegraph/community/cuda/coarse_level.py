"""The next level of the hierarchy on a GPU: the driver of coarse_level.cu; see coarse_level.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import offsets
from ..._core.runtime.cuda.source import lanes_for
from ..._core.runtime.device import array_module, device_of
from ..coarse_level import lengths_of_parts, sums_by_part
from ..level import Level
from .rows import SOURCE as ROWS
from .rows import all_rows, far_tables, program, rows_of, source

SOURCE = source("coarse_level.cu")


def coarse_level(level: Level, parts: int, part: Any) -> Level:
    """Build the level whose vertices are the parts; `part` has their numbers."""
    xp, n, entries = array_module(device_of(part)), int(part.size), int(level.indices.size)
    run = program(SOURCE, level.indptr, level.indices)
    sizes, lengths = lengths_of_parts(level, parts, part)
    starts, room = offsets(sizes), offsets(lengths)
    members = xp.empty(n, np.int64)
    run("list_members", n, n, part, starts, xp.zeros(parts, np.int32), members)
    new_indices, new_weights = xp.empty(entries, part.dtype), xp.empty(entries, np.int64)
    far = far_tables(room, entries, parts)
    tiers = all_rows(program(ROWS, room, level.indices), room)
    for name, threads, listed in tiers.each():
        threads = threads if name in ("medium", "long") else 32 * (listed[2] - listed[1])
        threads, last = far.limited(name, threads)
        run(
            "sum_long" if name == "long" else "sum_short", threads, *listed, lanes_for(entries / n), starts, members,
            *rows_of(level), part, room, new_indices, new_weights, lengths, *last,
        )  # fmt: skip
    indptr = offsets(lengths)
    total = int(indptr[-1])
    indices, weights = xp.empty(total, part.dtype), xp.empty(total, np.int64)
    run("copy_rows", tiers.threads, *tiers.head, room, indptr, new_indices, new_weights, indices, weights)
    return Level(indptr, indices, weights, sums_by_part(level.mass, part, parts), level.sizes)
