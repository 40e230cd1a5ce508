"""Block matrices on a GPU: one class for both formats of block_csr.py, and products of them (spgemm.cu)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern, alike
from ..._core.csr.build_cuda import row_of_entries
from ..._core.memory import allocate_or_raise
from ..._core.runtime.arrays_cuda import converted
from ..._core.runtime.cuda_source import CudaSource, lanes_for
from ..._core.runtime.device import array_module, is_emulated, place_of
from .dense_cuda import dense_form, diagonal_of


@dataclass(frozen=True)
class DeviceMatrix:
    """Rows of blocks: `indices` are columns of blocks, ascending in each row; `data` are the blocks, row by row.

    Attributes
    ----------
    indptr : integer array (rows of blocks + 1,)
    indices : int32 array (blocks,)
    data : float array (blocks * height * width,)
    shape : tuple of two ints
        In unknowns.
    blocksize : tuple of two ints
        Height and width.
    """

    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, int]
    blocksize: tuple[int, int] = (1, 1)
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what is made of it once
    device = "cuda"

    @property
    def nnz(self) -> int:
        """How many values are stored."""
        return int(self.data.size)

    @property
    def format(self) -> str:
        """As SciPy calls it."""
        return "csr" if self.blocksize == (1, 1) else "bsr"

    @property
    def xp(self) -> Any:
        """The module of its arrays."""
        return array_module(place_of(self.data))

    def __reduce__(self) -> Any:  # for copies and pickles, without what is kept
        return DeviceMatrix, (self.indptr, self.indices, self.data, self.shape, self.blocksize)

    def astype(self, dtype: Any) -> DeviceMatrix:
        """Return the matrix with values of another type."""
        return DeviceMatrix(self.indptr, self.indices, converted(self.data, dtype), self.shape, self.blocksize)

    def diagonal(self) -> Any:
        """Return the entries (i, i), 0 if there is none."""
        return diagonal_of(self)

    def toarray(self) -> Any:
        """Return the dense matrix."""
        return dense_form(self)

    def get(self) -> Any:
        """Return the matrix in host memory, as a SciPy `csr_array` or `bsr_array`."""
        import scipy.sparse as sp

        arrays = (array if is_emulated() else array.get() for array in (self.data, self.indices, self.indptr))
        data, indices, indptr = arrays
        if self.format == "csr":
            return sp.csr_array((data, indices, indptr), shape=self.shape)
        return sp.bsr_array((data.reshape(-1, *self.blocksize), indices, indptr), shape=self.shape)


def matrix(pattern: Pattern, data: Any, height: int, width: int, columns: int) -> DeviceMatrix:
    """Return the matrix with these values: blocks of `height` rows and `width` columns, `columns` blocks wide."""
    return DeviceMatrix(*pattern, data.reshape(-1), (pattern.rows * height, columns * width), (height, width))


_MAX_STEPS = 1 << 22  # of a row's lanes, before a block of threads does it
_LANES = (4, 8, 16, 32)
_MAX_LONG = 256  # rows of hubs at once
_FEW_ROWS = 1 << 16  # which do not keep a GPU busy with a row for some lanes
_ROOM = 8  # entries of a product's row without blocks, for each lane, that are kept in shared memory


def row_numbers(pattern: Pattern) -> Any:
    """Return the row of each entry."""
    return row_of_entries(pattern.indptr, int(pattern.indices.size), pattern.indices.dtype)


def _macros(height: int, middle: int, width: int, lanes: int) -> dict[str, Any]:
    sizes = {"HEIGHT": height, "MIDDLE": middle, "WIDTH": width}
    return {**sizes, "TEAM": lanes, "ROOM": _ROOM, "MAX_STEPS": _MAX_STEPS}


PRODUCTS = CudaSource(
    __file__,
    "spgemm.cu",
    also=("../../_core/runtime/teams.cuh",),
    variants=(
        _macros(1, 1, 1, 32),
        _macros(3, 3, 6, 32),
        _macros(6, 3, 6, 32),
    ),
)


def product_values(left: DeviceMatrix, right: DeviceMatrix, pattern: Pattern, *, purpose: str) -> Any:
    """Return the values of a product in its pattern, whose rows ascend as those of `right` do.

    If they do not fit in memory, raise a MemoryError that states the purpose.
    """
    (height, middle), width, xp = left.blocksize, right.blocksize[1], left.xp
    rows, n = alike(left, right, pattern), pattern.rows
    data = allocate_or_raise(int(pattern.indices.size) * height * width, np.float64, purpose, xp)
    wanted, met = pattern.indices.size * width / max(n, 1), right.indices.size / max(right.indptr.size - 1, 1)
    in_shared = height * middle * width == 1 and 2 * wanted <= _ROOM * _LANES[-1]
    lanes = lanes_for(max(met / 1.5, 2 * wanted / _ROOM) if in_shared else wanted, _LANES)
    run = PRODUCTS.compiled(
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
        run("multiply_few", 32 * blocks * width, blocks, row_numbers(pattern), *arguments, longs, count)
    else:
        run("multiply_short", n * lanes, n, *arguments, longs, count)
    run("multiply_long", min(n, _MAX_LONG) * PRODUCTS.block, longs, count, *arguments)
    return data
