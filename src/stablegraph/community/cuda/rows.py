"""Lists of rows by their lengths, tables for long rows, and passes over all rows of a level, on a GPU.

The driver of rows.cu, and of coarse_level.cu, which computes the next level (../coarse_level.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.build import rows_of as numbers_of_rows
from ..._core.runtime import Array, Int64s
from ..._core.runtime.cuda.arrays import count_up, filled, largest, offsets
from ..._core.runtime.cuda.arrays import differences as lengths_of
from ..._core.runtime.cuda.source import BLOCK, CudaSource, lanes_for
from ..._core.runtime.device import array_module, device_of
from ...components.cuda.union import number_components
from ..coarse_level import sums_by_part
from ..rules import Level, Workspace

TIERS = 4  # of rows by length, as in links.cuh
SHARED = ("../../_core/runtime/cuda/teams.cuh", "links.cuh")
_TINY_ROW, _WARP = 8, 32  # lanes
_SLOTS, _WARP_SLOTS, _MEDIUM_ROW = 2048, 256, 128
_MAX_PLACES = 1  # of the tables in global memory, per entry of a level


_WIDE = {"OFFSET": np.dtype(np.int64)}  # of coarser levels, also of graphs with narrow offsets


def macros() -> dict[str, int]:
    """Return the limits in links.cuh."""
    return {"SLOTS": _SLOTS, "WARP_SLOTS": _WARP_SLOTS, "MEDIUM_ROW": _MEDIUM_ROW}


def source(name: str, *also: str) -> CudaSource:
    """Return a source of this folder that uses links.cuh."""
    return CudaSource(__file__, name, also=(*SHARED, *also), variants=(macros(), macros() | _WIDE))


def program(of: CudaSource, indptr: Any, indices: Any) -> Any:
    """Return the program of a source for the types of a level's rows."""
    return of.compiled(VERTEX=indices.dtype, OFFSET=indptr.dtype, **macros())


SOURCE = source("rows.cu", "../../_core/runtime/cuda/union_find.cuh")
COARSE = source("coarse_level.cu")


class Tiers(NamedTuple):
    """A class of listed vertices: a range of the list, divided by the lengths of rows."""

    vertices: Int64s  # (listed,): the list
    bounds: tuple[int, ...]  # the start of each tier, and the end

    @property
    def first(self) -> int:
        """The position of the first vertex."""
        return self.bounds[0]

    @property
    def end(self) -> int:
        """The position after the last vertex."""
        return self.bounds[-1]

    @property
    def threads(self) -> int:
        """The number of threads for all rows, each tier with its own team."""
        first, short, _, long, end = self.bounds
        return max(_TINY_ROW * (short - first), _WARP * (long - short), BLOCK * (end - long))

    @property
    def head(self) -> tuple[Any, ...]:
        """The first arguments of kernels that call `each_row`."""
        first, short, _, long, end = self.bounds
        return self.vertices, first, short, long, end

    def each(self) -> Iterator[tuple[str, int, tuple[Any, ...]]]:
        """Yield the name, the number of threads, and the list of each tier that is not empty."""
        for name, team, first, end in zip(
            ("tiny", "short", "medium", "long"), (_TINY_ROW, _WARP, _WARP, BLOCK), self.bounds, self.bounds[1:],
            strict=False,
        ):  # fmt: skip
            if first < end:
                yield name, team * (end - first), (self.vertices, first, end)


class Counts(NamedTuple):
    """What `count_rows` found."""

    rows: int
    accepted: int
    by_tier: list[int]  # of each class and tier
    array: Int64s  # the same on the GPU


class Far(NamedTuple):
    """Tables in global memory for rows with many keys, one for each block."""

    kinds: int  # maximum number of different keys
    keys: int | Array
    sums: int | Array
    places: int  # of a table
    blocks: int

    def limited(self, name: str, threads: int) -> tuple[int, tuple[Any, ...]]:
        """Return the number of threads for a tier of rows, and the last arguments of its kernel."""
        if name != "long":
            return threads, ()
        return min(threads, BLOCK * self.blocks), (self.kinds, self.keys, self.sums, self.places)


def bits_of(number: float) -> int:
    """Return the bits of a float64 as an argument of a kernel."""
    return int(np.float64(number).view(np.int64))


def weights_of(level: Level) -> Any:
    """Return the weights as an argument of a kernel."""
    return level.weights if level.weights.size else 0


def rows_of(level: Level) -> tuple[Any, Any, Any]:
    """Return the arrays of the rows as arguments of a kernel."""
    return level.indptr, level.indices, weights_of(level)


def count_rows(run: Any, indptr: Any, mask: Any, salt: int, classes: int, listed: int = 0, accepted: Any = 0) -> Counts:
    """Count the rows of each class and tier, of vertices whose mask is 1, and how many of a list were accepted."""
    n = int(indptr.size) - 1
    counts = _xp(indptr).zeros(classes * TIERS + 1, np.int64)
    run("count_rows", max(n, 1), n, mask, salt, classes, indptr, listed, accepted, counts)
    *by_tier, moved = counts.tolist()
    return Counts(sum(by_tier), moved, by_tier, counts)


def list_rows(run: Any, indptr: Any, mask: Any, salt: int, classes: int, counts: Counts) -> list[Tiers]:
    """List the rows that were counted; return their classes."""
    n, xp = int(indptr.size) - 1, _xp(indptr)
    vertices, written = xp.empty(counts.rows, np.int64), xp.zeros(classes * TIERS, np.int64)
    run("list_rows", max(n, 1), n, mask, salt, classes, indptr, counts.array, written, vertices)
    starts = [0, *np.cumsum(counts.by_tier).tolist()]
    return [Tiers(vertices, tuple(starts[k * TIERS : (k + 1) * TIERS + 1])) for k in range(classes)]


def all_rows(run: Any, indptr: Any) -> Tiers:
    """List all rows."""
    (tiers,) = list_rows(run, indptr, 0, 0, 1, count_rows(run, indptr, 0, 0, 1))
    return tiers


def far_tables(indptr: Any, entries: int, kinds: int) -> Far:
    """Return tables for rows with many of `kinds` different keys; with one place if shared memory is sufficient."""
    longest = largest(lengths_of(indptr), 0)
    keys = min(longest, kinds)
    if keys <= _SLOTS - _SLOTS // 4 - BLOCK:
        return Far(kinds, 0, 0, 0, 1 << 20)
    places = 1 << (2 * keys - 1).bit_length()
    blocks = max(1, _MAX_PLACES * entries // places)
    xp = _xp(indptr)
    sums = xp.zeros(blocks * places, np.int64)
    return Far(kinds, filled(blocks * places, -1, np.int32, xp), sums, places, blocks)


def _xp(array: Any) -> Any:
    return array_module(device_of(array))


def tables_of(level: Level, space: Workspace) -> Far:
    """Return the tables for the rows of a level; the workspace is that of CPUs."""
    return far_tables(level.indptr, int(level.indices.size), int(level.mass.size))


def strengths_of(level: Level, label: Any = 0) -> Any:
    """Return the sum of the weights of each row, with loops twice; with labels, only of links inside communities."""
    run, sums = program(SOURCE, level.indptr, level.indices), np.empty_like(level.mass)
    tiers = all_rows(run, level.indptr)
    run("sum_rows", tiers.threads, *tiers.head, *rows_of(level), label, sums)
    return sums


def links_between(level: Level, label: Any) -> int:
    """Return the sum of the weights of the entries between communities."""
    run, total = program(SOURCE, level.indptr, level.indices), _xp(label).zeros(1, np.int64)
    tiers = all_rows(run, level.indptr)
    run("sum_between", tiers.threads, *tiers.head, *rows_of(level), label, total)
    return int(total[0])


def only_links(level: Level) -> Level:
    """Return the level without loops and entries of weight 0."""
    weights = level.weights
    kept = level.indices != numbers_of_rows(level.indptr, int(level.indices.size), level.indices.dtype)
    if weights.size:
        kept &= weights > 0
    indptr = offsets(kept.view(np.uint8))[level.indptr].astype(level.indptr.dtype)
    return level._replace(
        indptr=indptr, indices=level.indices[kept], weights=weights[kept] if weights.size else weights
    )


def united_inside(level: Level, label: Any) -> Any:
    """Return trees that unite each vertex with its neighbors in the same community."""
    run, parent = program(SOURCE, level.indptr, level.indices), count_up(label, int(label.size), label.dtype)
    tiers = all_rows(run, level.indptr)
    run("unite_inside", tiers.threads, *tiers.head, level.indptr, level.indices, label, parent)
    return parent


def number_trees(parent: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree. Flattens the trees."""
    return number_components(parent, np.empty_like(parent))


def coarse_level(level: Level, parts: int, part: Any, space: Workspace) -> Level:
    """Build the level whose vertices are the parts; `part` has their numbers."""
    xp, n, entries = array_module(device_of(part)), int(part.size), int(level.indices.size)
    run = program(COARSE, level.indptr, level.indices)
    each = filled(n, 1, np.int64, xp), lengths_of(level.indptr).astype(np.int64)
    sizes, lengths = (sums_by_part(values, part, parts) for values in each)
    starts, room = offsets(sizes), offsets(lengths)
    members = xp.empty(n, np.int64)
    run("list_members", n, n, part, starts, xp.zeros(parts, np.int32), members)
    new_indices, new_weights = xp.empty(entries, part.dtype), xp.empty(entries, np.int64)
    far = far_tables(room, entries, parts)
    tiers = all_rows(program(SOURCE, room, level.indices), room)
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
