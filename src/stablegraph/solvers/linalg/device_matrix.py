"""A sparse matrix of blocks on a GPU: what `bsr_array` and `csr_array` are on a CPU, one class for both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..._core.csr.arrays import Pattern
from ..._core.runtime.arrays_cuda import converted
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
        """The same with values of another type."""
        return DeviceMatrix(self.indptr, self.indices, converted(self.data, dtype), self.shape, self.blocksize)

    def diagonal(self) -> Any:
        """The entries (i, i), 0 where there is none."""
        return diagonal_of(self)

    def toarray(self) -> Any:
        """The dense matrix."""
        return dense_form(self)

    def get(self) -> Any:
        """The same matrix in host memory, as SciPy's `csr_array` or `bsr_array`."""
        import scipy.sparse as sp

        arrays = (array if is_emulated() else array.get() for array in (self.data, self.indices, self.indptr))
        data, indices, indptr = arrays
        if self.format == "csr":
            return sp.csr_array((data, indices, indptr), shape=self.shape)
        return sp.bsr_array((data.reshape(-1, *self.blocksize), indices, indptr), shape=self.shape)


def matrix(pattern: Pattern, data: Any, height: int, width: int, columns: int) -> DeviceMatrix:
    """The matrix with these values: blocks of `height` rows and `width` columns, so many columns of nodes."""
    return DeviceMatrix(*pattern, data.reshape(-1), (pattern.rows * height, columns * width), (height, width))
