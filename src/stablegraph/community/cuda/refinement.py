"""Refinement (Leiden) on a GPU: the driver of refinement.cu; see refinement.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import count_up, filled
from ..._core.runtime.device import array_module, device_of
from ..classes import Span, number_of_classes
from ..refinement import CLASSES, STEP_OF_SALT, Choices, PartSums, forget, join_parts
from ..rules import NEVER, Level, salt_of
from .rows import SOURCE as ROWS
from .rows import Far, bits_of, count_rows, list_rows, program, rows_of, source, strengths_of

SOURCE = source("refinement.cu")


def refine(level: Level, label: Any, total: Any, scale: float, tables: Far, seed: int, depth: int) -> Any:
    """Return the part of each vertex, named by one of its vertices; `seed` and `depth` are those of `salt_of`."""
    xp, n, rows = array_module(device_of(label)), int(label.size), rows_of(level)
    inner, own = strengths_of(level, label), count_up(label, n, label.dtype)
    parts = PartSums(own.copy(), filled(n, 1, np.int32, xp), level.mass.copy(), inner.copy())
    choices = Choices(
        filled(n, -1, np.int32, xp), xp.empty(n, np.int64), filled(n, NEVER, np.int64, xp), xp.zeros(n, np.int32),
        xp.zeros(n, bool),
    )  # fmt: skip
    mask: Any = 0
    run, listing = (program(of, level.indptr, level.indices) for of in (SOURCE, ROWS))
    for attempt, most in enumerate(CLASSES):
        salt = salt_of(seed, depth, STEP_OF_SALT + attempt)
        if attempt:
            mask = ((parts.size == 1) & (parts.part == own)).view(np.uint8)
        classes = number_of_classes(n, most)  # the second round has one class
        counts = count_rows(listing, level.indptr, mask, salt, classes)
        for tiers in list_rows(listing, level.indptr, mask, salt, classes, counts):
            span, size = Span(tiers.vertices, tiers.first, tiers.end, salt), tiers.end - tiers.first
            for name, threads, listed in tiers.each():
                threads, last = tables.limited(name, threads)
                run(
                    f"choose_{name}", threads, *listed, *rows, level.mass, label, total, inner, *parts, *choices[:3],
                    bits_of(scale), salt, *last,
                )  # fmt: skip
            join_parts(size, parts, choices, level.mass, span)
            run(
                "recut", tiers.threads, *tiers.head, *rows, inner, parts.part, choices.target, choices.links,
                choices.joined, choices.accepted, parts.cut,
            )  # fmt: skip
            forget(size, choices, span)
    return parts.part
