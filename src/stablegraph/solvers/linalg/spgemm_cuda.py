"""Products of sparse matrices on a GPU; spgemm.cu says how, spgemm.py what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern, alike
from ..._core.csr.build_cuda import row_of_entries
from ..._core.memory import allocate_or_raise
from ..._core.runtime.cuda_source import CudaSource
from ..._core.runtime.lanes import lanes_for
from .device_matrix import DeviceMatrix
from .spgemm import _COARSER_LEVEL

_MAX_STEPS = 1 << 22  # of a row's lanes, before a block of threads does it
_LANES = (4, 8, 16, 32)
_MAX_LONG = 256  # rows of hubs at once
_FEW_ROWS = 1 << 16  # which do not keep a GPU busy with a row for some lanes
_ROOM = 8  # entries of a product's row without blocks, for each lane, that are kept in shared memory


def rows_of(pattern: Pattern) -> Any:
    """The row of each entry."""
    return row_of_entries(pattern.indptr, int(pattern.indices.size), pattern.indices.dtype)


def _macros(height: int, middle: int, width: int, lanes: int) -> dict[str, Any]:
    sizes = {"HEIGHT": height, "MIDDLE": middle, "WIDTH": width}
    return {**sizes, "TEAM": lanes, "ROOM": _ROOM, "MAX_STEPS": _MAX_STEPS}


SOURCE = CudaSource(
    __file__,
    "spgemm.cu",
    also=("../../_core/runtime/teams.cuh",),
    variants=(
        _macros(1, 1, 1, 32),
        _macros(3, 3, 6, 32),
        _macros(6, 3, 6, 32),
    ),
)


def product_values(left: DeviceMatrix, right: DeviceMatrix, pattern: Pattern) -> Any:
    """The values of a product in its pattern, whose rows ascend as those of `right` do."""
    (height, middle), width, xp = left.blocksize, right.blocksize[1], left.xp
    rows, n = alike(left, right, pattern), pattern.rows
    data = allocate_or_raise(int(pattern.indices.size) * height * width, np.float64, _COARSER_LEVEL, xp)
    wanted, met = pattern.indices.size * width / max(n, 1), right.indices.size / max(right.indptr.size - 1, 1)
    in_shared = height * middle * width == 1 and 2 * wanted <= _ROOM * _LANES[-1]
    lanes = lanes_for(max(met / 1.5, 2 * wanted / _ROOM) if in_shared else wanted, _LANES)
    run = SOURCE.compiled(
        VERTEX=left.indices.dtype,
        OFFSET=rows[0].indptr.dtype,
        **_macros(height, middle, width, 32 if in_shared else lanes),
    )
    longs, count = xp.empty(n, left.indices.dtype), xp.zeros(1, np.int64)
    arguments = *rows[0], left.data, *rows[1], right.data, *rows[2], data
    if in_shared:
        run(f"add_rows_{lanes}", n * lanes, n, *arguments, longs, count)
    elif n <= _FEW_ROWS:
        blocks = int(pattern.indices.size)
        run("multiply_few", 32 * blocks * width, blocks, rows_of(pattern), *arguments, longs, count)
    else:
        run("multiply_short", n * lanes, n, *arguments, longs, count)
    run("multiply_long", min(n, _MAX_LONG) * SOURCE.block, longs, count, *arguments)
    return data
