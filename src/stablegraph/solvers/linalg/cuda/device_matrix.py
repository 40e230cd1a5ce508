"""Block matrices on a GPU, in one class for both formats of block_csr.py, and their products (spgemm.cu)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...._core.csr.arrays import Pattern, alike
from ...._core.csr.cuda.build import row_of_entries
from ...._core.csr.cuda.patterns import product_pattern
from ...._core.memory import allocate_or_raise
from ...._core.runtime.cuda.arrays import converted
from ...._core.runtime.cuda.source import CudaSource, lanes_for
from ...._core.runtime.device import array_module, is_emulated, place_of
from .dense import dense_form, diagonal_of


@dataclass(frozen=True)
class DeviceMatrix:
    """A matrix in rows of blocks: ascending block columns `indices`, and blocks `data`, each stored row by row.

    Attributes
    ----------
    indptr : integer array (rows of blocks + 1,)
    indices : int32 array (blocks,)
    data : float array (blocks * height * width,)
    shape : tuple of two ints
        The numbers of unknowns.
    blocksize : tuple of two ints
        Height and width.
    """

    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, int]
    blocksize: tuple[int, int] = (1, 1)
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # derived data, computed once
    device = "cuda"

    @property
    def nnz(self) -> int:
        """The number of stored values."""
        return int(self.data.size)

    @property
    def format(self) -> str:
        """The name of the format in SciPy."""
        return "csr" if self.blocksize == (1, 1) else "bsr"

    @property
    def xp(self) -> Any:
        """The array module: CuPy, or NumPy in tests."""
        return array_module(place_of(self.data))

    def __reduce__(self) -> Any:  # for copies and pickles, without derived data
        return DeviceMatrix, (self.indptr, self.indices, self.data, self.shape, self.blocksize)

    def astype(self, dtype: Any) -> DeviceMatrix:
        """Return the matrix with values of another type."""
        return DeviceMatrix(self.indptr, self.indices, converted(self.data, dtype), self.shape, self.blocksize)

    def diagonal(self) -> Any:
        """Return the entries (i, i), with 0 for missing entries."""
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
    """Return the matrix with these values, in blocks of `height` x `width`, with `columns` columns of blocks."""
    return DeviceMatrix(*pattern, data.reshape(-1), (pattern.rows * height, columns * width), (height, width))


_MAX_STEPS = 1 << 22  # maximum number of steps of a row's lanes; a block of threads computes rows with more
_LANES = (4, 8, 16, 32)
_MAX_LONG = 256  # rows of hubs at once
_FEW_ROWS = 1 << 16  # rows; fewer do not keep a GPU busy if a few lanes compute a row
_ROOM = 8  # entries of a product's row without blocks in shared memory, per lane


def row_numbers(pattern: Pattern) -> Any:
    """Return the row of each entry."""
    return row_of_entries(pattern.indptr, int(pattern.indices.size), pattern.indices.dtype)


# Unknowns per node and near-nullspace vectors for which the archive of GPU code has the solvers' sources: scalars,
# elasticity with translations, and with rotations, in two and three dimensions. CuPy compiles the sources for other
# sizes on first use.
SIZES = (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3), (3, 6)
HEIGHTS = sorted({size for sizes in SIZES for size in sizes})  # of blocks on any level


def _product_macros(height: int, middle: int, width: int, lanes: int) -> dict[str, Any]:
    sizes = {"HEIGHT": height, "MIDDLE": middle, "WIDTH": width}
    return {**sizes, "TEAM": lanes, "ROOM": _ROOM, "MAX_STEPS": _MAX_STEPS}


PRODUCTS = CudaSource(
    __file__,
    "spgemm.cu",
    also=("../../../_core/runtime/cuda/teams.cuh",),
    variants=(*(_product_macros(*sizes, 32) for b, k in SIZES for sizes in {(b, b, k), (k, b, k), (k, k, k)}),),
)


def product_values(left: DeviceMatrix, right: DeviceMatrix, pattern: Pattern, *, purpose: str) -> Any:
    """Return the values of a product in its pattern. The rows of the pattern must ascend, like those of `right`.

    If they do not fit in memory, raise a MemoryError that states the purpose.
    """
    (height, middle), width, xp = left.blocksize, right.blocksize[1], left.xp
    rows, n = alike(left, right, pattern), pattern.rows
    data = allocate_or_raise(int(pattern.indices.size) * height * width, np.float64, purpose, xp)
    wanted, met = pattern.indices.size / max(n, 1), right.indices.size / max(right.indptr.size - 1, 1)
    has_blocks = height * middle * width > 1
    in_shared = not has_blocks and 2 * wanted <= _ROOM * _LANES[-1]
    lanes = lanes_for(max(met / 1.5, 2 * wanted / _ROOM) if in_shared else wanted, _LANES)
    run = PRODUCTS.compiled(
        VERTEX=left.indices.dtype,
        OFFSET=rows[0].indptr.dtype,
        **_product_macros(height, middle, width, 32 if in_shared or has_blocks else lanes),
    )
    longs, count = xp.empty(n, left.indices.dtype), xp.zeros(1, np.int64)
    arguments = *rows[0], left.data, *rows[1], right.data, *rows[2], data
    if in_shared:
        run(f"add_rows_{lanes}", n * lanes, n, *arguments, longs, count)
    elif has_blocks or n <= _FEW_ROWS:
        blocks = int(pattern.indices.size)
        name = "multiply_blocks" if has_blocks else "multiply_few"
        run(name, 32 * blocks, blocks, row_numbers(pattern), *arguments, longs, count)
    else:
        run("multiply_short", n * lanes, n, *arguments, longs, count)
    run("multiply_long", min(n, _MAX_LONG) * PRODUCTS.block, longs, count, *arguments)
    return data


def product(
    left: DeviceMatrix, right: DeviceMatrix, *, diagonal: bool = False, ordered: bool = True, purpose: str
) -> tuple[Pattern, Any]:
    """Return the pattern of a product, whose rows are always ascending, and its values in this pattern."""
    first, second = Pattern(left.indptr, left.indices), Pattern(right.indptr, right.indices)
    pattern = product_pattern(first, second, right.shape[1] // right.blocksize[1], diagonal=diagonal, purpose=purpose)
    return pattern, product_values(left, right, pattern, purpose=purpose)
