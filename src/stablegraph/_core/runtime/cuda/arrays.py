"""Operations on whole arrays on a GPU; arrays.cu contains the kernels, arrays.py the definitions.

CuPy handles the rare types without a kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import array_module, of_package, place_of
from .source import CudaSource, report

SOURCE = CudaSource(__file__, "arrays.cu", also=("running_sums.cuh",))

_WITH_LARGEST = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)
_SHARE, _MAX_SHARES = 1024, 8192  # the minimum number of elements for a warp that searches positions


def _name(dtype: Any) -> str:
    """Return the type as in the names of kernels."""
    return f"{'f' if dtype.kind == 'f' else 'i'}{dtype.itemsize}"


def _run(name: str, array: Any, *arguments: Any) -> None:
    size = int(array.size)
    SOURCE.compiled()(name, size, size, *arguments)


def filled(n: int, value: int, dtype: Any, xp: Any) -> Any:
    """Return an array that contains the same integer n times."""
    array = xp.empty(n, dtype)
    _run(f"fill_{_name(array.dtype)}", array, value, array)
    return array


def count_up(like: Any, n: int, dtype: Any) -> Any:
    """Return the integers 0 .. n - 1."""
    array = np.empty_like(of_package(like), dtype, shape=n)
    _run(f"count_up_{_name(array.dtype)}", array, array)
    return array


def stacked_identities(like: Any, n: int, width: int) -> Any:
    """Return n rows of identity matrices of float64, of `width` rows each, one below the other."""
    array = np.empty_like(of_package(like), shape=(n, width))
    SOURCE.compiled()("stack_identities", int(array.size), n, width, array)
    return array


def copied(array: Any) -> Any:
    """Return a copy in C order. A contiguous array is copied as memory, which CuPy's `copy` does not do."""
    if not array.flags.c_contiguous:
        return array.copy()
    copy = np.empty_like(of_package(array), order="C")
    copy.ravel()[...] = array.ravel()  # CuPy copies memory only between arrays with equal strides
    return copy


def converted(array: Any, dtype: Any) -> Any:
    """Return the array with another type."""
    dtype = np.dtype(dtype)
    names = _name(array.dtype), _name(dtype)
    is_signed = array.dtype.kind == dtype.kind and dtype.kind in "if"
    if array.dtype == dtype or not (is_signed and array.flags.c_contiguous and set(names) in _CONVERTED):
        return array.astype(dtype, copy=False)
    result = np.empty_like(of_package(array), dtype)
    _run(f"convert_{'_'.join(names)}", array, array, result)
    return result


_CONVERTED = ({"i4", "i8"}, {"f4", "f8"})


def differences(ends: Any, less: int = 0) -> Any:
    """Return each element minus the preceding one and `less`."""
    result = np.empty_like(of_package(ends[1:]))
    _run(f"subtract_neighbors_{_name(ends.dtype)}", result, less, ends, result)
    return result


def offsets(counts: Any) -> Any:
    """Return the sums of all earlier elements, and the total, as int64."""
    if counts.dtype not in (np.int32, np.int64):
        counts = counts.astype(np.int64)
    n, name, run = int(counts.size), _name(counts.dtype), SOURCE.compiled()
    shares = _share_count(n)
    result = np.empty_like(of_package(counts), np.int64, shape=n + 1)
    sums = result  # not read if there is one share
    if shares > 1:
        sums = np.empty_like(of_package(result), shape=shares)
        run(f"sum_shares_{name}", 32 * shares, n, shares, counts, sums)
        run("add_up_sums", 32, shares, sums)
    run(f"write_offsets_{name}", 32 * shares, n, shares, counts, sums, result)
    return result


def _share_count(n: int) -> int:
    """Return the number of shares for n elements, each of which a warp works on."""
    return max(1, min(_MAX_SHARES, n // _SHARE))


def equals(array: Any, value: int) -> Any:
    """Return a mask of the positions at which an array of integers has a value."""
    mask = np.empty_like(of_package(array), bool)
    _run(f"compare_{_name(array.dtype)}", array, array, value, mask)
    return mask


def contains(array: Any, value: int) -> bool:
    """Return whether an array of integers contains a value."""
    _run(f"find_{_name(array.dtype)}", array, array, value, report.blank())
    return report.read()[0] != 0


def positions(array: Any, value: int) -> Any:
    """Return the positions at which an array of integers has a value, ascending, as int64."""
    n, name, run = int(array.size), _name(array.dtype), SOURCE.compiled()
    shares = _share_count(n)
    sums = np.empty_like(of_package(array), np.int64, shape=shares)
    run(f"count_places_{name}", 32 * shares, n, shares, array, value, sums)
    run("add_up_sums", 32, shares, sums)
    places = np.empty_like(of_package(sums), shape=int(sums[-1]))
    run(f"write_places_{name}", 32 * shares, n, shares, array, value, sums, places)
    return places


def largest(array: Any, of_none: int) -> int:
    """Return the largest of some integers."""
    if array.dtype not in _WITH_LARGEST or not array.size or not array.flags.c_contiguous:
        return int(array.max()) if array.size else of_none
    result, is_signed = array_module(place_of(array)).zeros(1, np.uint64), array.dtype.kind == "i"
    _run(f"largest_{_name(array.dtype) if is_signed else 'u8'}", array, array, result)
    return int(result[0]) - (int(is_signed) << 63)


def largest_sizes(arrays: list[Any]) -> list[float]:
    """Return the largest absolute value of each array of float64: 0 for an empty array, NaN if there is one."""
    result = array_module(place_of(arrays[0])).zeros(len(arrays), np.uint64)
    for place, array in enumerate(arrays):
        _run("largest_f8", array, array, result[place:])
    sizes: list[float] = result.view(np.float64).tolist()
    return sizes


def largest_size(array: Any) -> float:
    """Return the largest absolute value of an array of float64."""
    return largest_sizes([array])[0]


def equal_integers(first: Any, second: Any) -> bool:
    """Return whether two arrays of integers are equal."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return bool(array_module(place_of(first)).array_equal(first, second))
    _run(f"differ_{_name(first.dtype)}", first, first, second, report.blank())
    return not report.read()[0]


def column_of(matrix: Any, j: int) -> Any:
    """Return a copy of a column of float64."""
    n, columns = matrix.shape
    column = np.empty_like(of_package(matrix), shape=n)
    SOURCE.compiled()("copy_column", n, n, columns, j, matrix, 1, 0, column)
    return column


def set_column(matrix: Any, j: int, column: Any) -> None:
    """Set a column of float64."""
    n, columns = matrix.shape
    SOURCE.compiled()("copy_column", n, n, 1, 0, column, columns, j, matrix)


def all_finite(array: Any) -> bool:
    """Return whether an array of float64 contains neither infinite numbers nor NaN."""
    _run("find_infinite", array, array, report.blank())
    return not report.read()[0]
