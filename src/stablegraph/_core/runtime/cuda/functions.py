"""NumPy's functions for arrays on a GPU, without CuPy's compilations; see elements.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from .. import device
from .array_class import Operations
from .elements import (
    CODES,
    calculate,
    choose,
    contiguous,
    domain,
    empty,
    extreme,
    is_number,
    of_gpu,
    operand,
    places_of,
    run,
    running_sums,
    total,
    zeros,
)

_HALF = 32  # bits of a key that are sorted at once, if all bits are too many
_WORD = 63  # bits of a key together with the position of its element


class Functions:
    """The module of arrays on a GPU; CuPy's functions for everything that it does not define."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(np, name, None)
        if isinstance(value, np.ufunc | type):
            return value  # they call the methods of their arrays
        value = getattr(device.cupy_module(), name)
        return _wrapped(value) if callable(value) else value

    empty, zeros = staticmethod(empty), staticmethod(zeros)

    @staticmethod
    def asarray(values: Any, dtype: Any = None) -> Any:
        array = values if isinstance(values, Operations) else of_gpu(device.cupy_module().asarray(values))
        return array if dtype is None else array.astype(dtype, copy=False)

    def array(self, values: Any, dtype: Any = None, copy: bool = True) -> Any:
        array = self.asarray(values)
        return array.astype(array.dtype if dtype is None else dtype, copy=copy)

    def ascontiguousarray(self, values: Any, dtype: Any = None) -> Any:
        return contiguous(self.asarray(values, dtype))

    @staticmethod
    def full(shape: Any, value: Any, dtype: Any = None) -> Any:
        array = empty(shape, np.asarray(value).dtype if dtype is None else dtype)
        array.fill(value)
        return array

    def ones(self, shape: Any, dtype: Any = float) -> Any:
        return self.full(shape, 1, dtype)

    @staticmethod
    def empty_like(array: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
        return empty(array.shape if shape is None else shape, array.dtype if dtype is None else dtype)

    @staticmethod
    def zeros_like(array: Any, dtype: Any = None, shape: Any = None) -> Any:
        return zeros(array.shape if shape is None else shape, array.dtype if dtype is None else dtype)

    def full_like(self, array: Any, value: Any, dtype: Any = None) -> Any:
        return self.full(array.shape, value, array.dtype if dtype is None else dtype)

    def ones_like(self, array: Any, dtype: Any = None) -> Any:
        return self.full_like(array, 1, dtype)

    @staticmethod
    def arange(start: int, stop: int | None = None, step: int = 1, dtype: Any = None) -> Any:
        first, end = (0, start) if stop is None else (start, stop)
        n = max(0, -(-(end - first) // step))
        array = empty(n, np.int64 if dtype is None else dtype)
        run("count_up", n, n, int(first), int(step), array, CODES[array.dtype])
        return array

    def eye(self, n: int, dtype: Any = float) -> Any:
        array = zeros((n, n), dtype)
        array.reshape(-1)[:: n + 1] = 1
        return array

    def tile(self, array: Any, times: int) -> Any:
        result = empty((int(times), array.size), array.dtype)
        result[...] = array
        return result.reshape(-1)

    def repeat(self, values: Any, times: Any) -> Any:
        if is_number(times):
            return self.asarray(values)[self.arange(values.size * times) // int(times)]
        ends = self.cumsum(times)
        rows = self.searchsorted(ends, self.arange(int(ends[-1]) if ends.size else 0), side="right")
        return self.asarray(values)[rows]

    def concatenate(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        parts = [self.asarray(array) for array in arrays]
        if axis or any(part.dtype not in CODES for part in parts):
            return of_gpu(device.cupy_module().concatenate(parts, axis))
        rows = sum(len(part) for part in parts)
        result = empty((rows, *parts[0].shape[1:]), np.result_type(*(part.dtype for part in parts)))
        start = 0
        for part in parts:
            result[start : start + len(part)] = part
            start += len(part)
        return result

    def append(self, array: Any, values: Any) -> Any:
        return self.concatenate([self.asarray(part).reshape(-1) for part in (array, values)])

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        parts = [self.asarray(array) for array in arrays]
        if axis == 0:
            return self.concatenate([part[None] for part in parts])
        result = empty((*parts[0].shape, len(parts)), np.result_type(*(part.dtype for part in parts)))
        for place, part in enumerate(parts):
            result[..., place] = part
        return result

    def where(self, condition: Any, *both: Any) -> Any:
        if not both:
            return self.nonzero(condition)
        result = choose(condition, *both)
        return of_gpu(device.cupy_module().where(condition, *both)) if result is NotImplemented else result

    @staticmethod
    def flatnonzero(values: Any) -> Any:
        return places_of(values)

    @staticmethod
    def nonzero(values: Any) -> tuple[Any, ...]:
        places, parts = places_of(values), []
        for size in values.shape[:0:-1]:
            parts.append(places % size)
            places = places // size
        return (places, *reversed(parts))

    def argwhere(self, values: Any) -> Any:
        return self.stack(self.nonzero(values), axis=1)

    def count_nonzero(self, values: Any) -> Any:
        return total(values, counted=True)

    def any(self, values: Any) -> Any:
        return total(values, counted=True) != 0

    def all(self, values: Any) -> Any:
        return total(values, counted=True) == int(values.size)

    def array_equal(self, first: Any, second: Any) -> Any:
        return bool(first.shape == second.shape and self.all(first == second))

    def linspace(self, start: float, stop: float, num: int) -> Any:
        return self.asarray(np.linspace(start, stop, num))

    def cumsum(self, values: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        values = self.asarray(values)
        if axis == 1 and values.ndim == 2:
            return self.stack([self.cumsum(row, dtype=dtype) for row in values])
        if values.dtype.kind not in "biu" or values.ndim != 1:
            return of_gpu(device.cupy_module().cumsum(values, axis=axis, dtype=dtype, out=out))
        wide = np.uint64 if values.dtype.kind == "u" else np.int64
        result = empty(values.size, wide if dtype is None else dtype) if out is None else out
        running_sums(values, result)
        return result

    def diff(self, values: Any, append: Any = None) -> Any:
        if append is not None:
            values = self.append(values, append)
        return values[1:] - values[:-1]

    def sort(self, values: Any) -> Any:
        result = values.copy()
        if result.ndim == 1:
            result.sort()
            return result
        return of_gpu(device.cupy_module().sort(values))

    def argsort(self, keys: Any, kind: str = "stable") -> Any:
        """Return the order that sorts keys; equal keys keep their order.

        CuPy contains a compiled function that sorts an array in place, so keys are sorted together with positions.
        """
        n, keys = int(keys.size), self.asarray(keys)
        if n < 2:
            return self.arange(n)
        if keys.dtype.kind == "f":
            numbers = empty(n, np.int64)
            run("order_numbers", n, n, contiguous(keys), CODES[keys.dtype], numbers)
            keys = numbers
        low, high = int(extreme(keys, smallest=True)), int(extreme(keys, smallest=False))
        position_bits = (n - 1).bit_length()
        if high - low >= 1 << (_WORD - position_bits):
            if keys.dtype == np.uint64:
                keys = (keys ^ (1 << _WORD)).view(np.int64)
            order = self.argsort(keys & (2**_HALF - 1))
            return order[self.argsort((keys >> _HALF)[order])]
        if keys.dtype == np.uint64:
            keys, low = keys - np.uint64(low), 0
        words = ((keys.astype(np.int64, copy=False) - low) << position_bits) | self.arange(n)
        words.sort()
        words &= (1 << position_bits) - 1
        return words

    def lexsort(self, keys: Any) -> Any:
        order = self.argsort(keys[0])
        for row in keys[1:]:
            order = order[self.argsort(row[order])]
        return order

    def searchsorted(self, ends: Any, values: Any, side: str = "left") -> Any:
        number = is_number(values)
        dtype = np.result_type(ends.dtype, type(values) if number else values.dtype)
        ends, shape = contiguous(ends), () if number else values.shape
        result = empty(shape, np.int64)
        n = math.prod(shape)
        run(f"search_{domain(dtype)}", n, n, int(ends.size), ends, CODES[ends.dtype], int(side == "right"),
            *operand(values, shape, dtype, domain(dtype)), result)  # fmt: skip
        return result

    def unique(
        self, values: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
    ) -> Any:
        flat, order = contiguous(self.asarray(values)).reshape(-1), values
        if not (return_index or return_inverse):
            ordered = self.sort(flat)
        else:
            order = self.argsort(flat)
            ordered = flat[order]
        is_first = self.ones(flat.size, bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        starts = places_of(is_first)
        results = [ordered[starts]]
        if return_index:
            results.append(order[starts])
        if return_inverse:
            inverse = empty(flat.size, np.int64)
            inverse[order] = self.cumsum(is_first) - 1
            results.append(inverse.reshape(values.shape))
        if return_counts:
            results.append(self.diff(starts, append=self.asarray([flat.size])))
        return results[0] if len(results) == 1 else tuple(results)

    def bincount(self, values: Any, minlength: int = 0) -> Any:
        n = int(values.size)
        counts = zeros(max(minlength, int(extreme(values, smallest=False)) + 1 if n else 0), np.int64)
        run("add_at", n, n, contiguous(values), CODES[values.dtype], 1, 0, -1, counts)
        return counts

    def isin(self, values: Any, wanted: Any) -> Any:
        ordered = self.sort(self.asarray(wanted))
        if not ordered.size:
            return zeros(values.shape, bool)
        places = self.searchsorted(ordered, values)
        return ordered[calculate(np.minimum, (places, int(ordered.size) - 1))] == values


def _wrapped(function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        return of_gpu(result) if isinstance(result, device.cupy_module().ndarray) else result

    return call


MODULE = Functions()
_METHODS = MappingProxyType({"max": False, "min": True, "argmax": False, "argmin": True})


def _extreme_method(name: str, smallest: bool, position: bool) -> Any:
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if arguments or options or self.dtype not in CODES or not self.size:
            return getattr(super(Operations, self), name)(*arguments, **options)
        return extreme(self, smallest=smallest, position=position)

    return method


def _method(name: str) -> Any:
    function = getattr(MODULE, name)

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        is_for_cupy = name in ("any", "all", "argsort", "nonzero") and (arguments or options.get("axis") is not None)
        if is_for_cupy or self.dtype not in CODES:
            return getattr(super(Operations, self), name)(*arguments, **options)
        return function(self, *arguments, **options)

    return method


for _name, _smallest in _METHODS.items():
    setattr(Operations, _name, _extreme_method(_name, _smallest, _name.startswith("arg")))
for _name in ("any", "all", "argsort", "cumsum", "nonzero", "searchsorted"):
    setattr(Operations, _name, _method(_name))
