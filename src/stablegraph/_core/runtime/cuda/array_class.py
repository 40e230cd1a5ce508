"""The operators and methods of CuPy arrays whose operations compile nothing; elements.py has the explanation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import device
from .elements import (
    CODES,
    OPERATORS,
    calculate,
    choose,
    contiguous,
    copy_into,
    empty,
    gathered,
    is_number,
    of_gpu,
    operand,
    places_of,
    run,
    scatter,
    total,
    zeros,
)

_MAX_SUMS = 16  # rows or columns that are summed one after another
_PLAIN, _LISTS = (slice, int), (list, np.ndarray)  # indices without arrays, and lists of indices in host memory


def _ufunc_method(ufunc: Any, name: str, *, reflected: bool = False, in_place: bool = False) -> Any:
    def method(self: Any, *others: Any) -> Any:
        inputs = (*others, self) if reflected else (self, *others)
        result = calculate(ufunc, inputs, self if in_place else None)
        return getattr(super(Operations, self), name)(*others) if result is NotImplemented else result

    return method


class Operations:
    """Operators and methods of arrays; mixed into a subclass of CuPy's class."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def as_plain_array(self: Any) -> Any:
        """Return this array as one of CuPy's own class."""
        return self.view(device.cupy_module().ndarray)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        target = out[0] if isinstance(out, tuple) else out
        if method == "__call__" and not options:
            result = calculate(ufunc, inputs, target)
            if result is not NotImplemented:
                return result
        if method == "at" and ufunc is np.add and inputs[0].dtype == np.int64:
            place = contiguous(inputs[1])
            n = int(place.size)
            run(
                "add_at",
                n,
                n,
                place,
                CODES[place.dtype],
                *operand(inputs[2], place.shape, np.dtype(np.int64), "i8"),
                self,
            )
            return None
        bare = tuple(map(device.plain, inputs))
        result = getattr(getattr(device.cupy_module(), ufunc.__name__), method)(*bare, **options)
        if target is not None:
            target[...] = result
            return target
        return of_gpu(result) if hasattr(result, "__cuda_array_interface__") else result

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        module = device.array_module("cuda")
        if function.__name__ in vars(type(module)):
            return getattr(module, function.__name__)(*arguments, **options)
        return super().__array_function__(function, types, arguments, options)  # type: ignore[misc]

    def __getitem__(self: Any, place: Any) -> Any:
        if type(place) in _PLAIN or not _has_arrays(place):
            return super().__getitem__(place)  # type: ignore[misc]
        places = row_places(self, place)
        if places is None:
            return super().__getitem__(place)  # type: ignore[misc]
        return gathered(*places)

    def __setitem__(self: Any, place: Any, value: Any) -> None:
        if not (is_number(value) or isinstance(value, device.cupy_module().ndarray)):
            value = device.array_module("cuda").asarray(value)
        if not _has_arrays(place):
            target = super().__getitem__(place)  # type: ignore[misc]
            if not copy_into(target, value):
                super().__setitem__(place, value)  # type: ignore[misc]
            return
        is_mask = getattr(place, "dtype", np.dtype(int)).kind == "b" and place.shape == self.shape
        if is_mask and self.dtype in CODES and (is_number(value) or value.size == 1):
            choose(place, value, self, self if self.flags.c_contiguous else None, self)
            return
        places = row_places(self, place) if self.flags.c_contiguous else None
        if places is None or not (is_number(value) or value.dtype in CODES or value.dtype == self.dtype):
            super().__setitem__(place, value)  # type: ignore[misc]
        else:
            scatter(*places, value)

    def __bool__(self: Any) -> bool:
        return bool(self.get()) if self.size == 1 else bool(np.empty(self.size))  # NumPy's error

    # The parameters are those of CuPy, whose own functions call these methods.

    def astype(
        self: Any, dtype: Any, order: str = "K", casting: Any = None, subok: Any = None, copy: bool = True
    ) -> Any:
        dtype = np.dtype(dtype)
        if self.dtype == dtype and not copy:
            return self
        if order == "C" or (order == "K" and (self.flags.c_contiguous or not self.flags.f_contiguous)):
            result = empty(self.shape, dtype)
            if copy_into(result, self):
                return result
        return super().astype(dtype, order, casting, subok, copy)  # type: ignore[misc]

    def copy(self: Any, order: str = "C") -> Any:
        if order not in ("C", "K") or not self.flags.c_contiguous:
            result = empty(self.shape, self.dtype)
            return result if order == "C" and copy_into(result, self) else super().copy(order)  # type: ignore[misc]
        result = empty(self.shape, self.dtype)
        result[...] = self
        return result

    def fill(self: Any, value: Any) -> None:
        if (is_number(value) and value == 0 and self.flags.c_contiguous) or not copy_into(self, value):
            super().fill(value)  # type: ignore[misc]

    def flatten(self: Any, order: str = "C") -> Any:
        return self.copy().reshape(-1) if order == "C" else super().flatten(order)  # type: ignore[misc]

    def ravel(self: Any, order: str = "C") -> Any:
        return contiguous(self).reshape(-1) if order == "C" else super().ravel(order)  # type: ignore[misc]

    def get(self: Any, *arguments: Any, **options: Any) -> Any:
        return super(Operations, contiguous(self)).get(*arguments, **options)  # type: ignore[misc]

    def tolist(self: Any) -> Any:
        return self.get().tolist()

    def reshape(self: Any, *shape: Any, **options: Any) -> Any:
        array = self if self.flags.c_contiguous or options else contiguous(self)
        return super(Operations, array).reshape(*shape, **options)  # type: ignore[misc]

    def sum(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        if out is not None or keepdims:
            return super().sum(axis, dtype, out, keepdims)  # type: ignore[misc]
        if axis in (None, 0) and self.ndim < 2 and self.dtype.kind in "biu":
            result = total(self)
            return result if dtype is None else result.astype(dtype, copy=False)
        rows = self.T if axis == 0 and self.ndim == 2 else self
        if axis in (0, 1) and self.ndim == 2 and len(rows) <= _MAX_SUMS and self.dtype.kind in "biu" and dtype is None:
            sums = zeros(len(rows), np.uint64 if self.dtype.kind == "u" else np.int64)
            for place in range(len(rows)):
                total(rows[place], result=sums[place])
            return sums
        if axis is None and self.dtype.kind == "f" and dtype is None:
            from ..primitives import reduce

            return reduce(contiguous(self).ravel(), "sum")
        return super().sum(axis, dtype)  # type: ignore[misc]

    def mean(self: Any, *arguments: Any, **options: Any) -> Any:
        if arguments or options or not self.size or self.dtype not in CODES:
            return super().mean(*arguments, **options)  # type: ignore[misc]
        return self.sum() / self.size

    def clip(self: Any, low: Any = None, high: Any = None, out: Any = None) -> Any:
        if out is not None:
            return super().clip(low, high, out)  # type: ignore[misc]
        result = self if low is None else np.maximum(self, low)
        return result if high is None else np.minimum(result, high)

    def __pow__(self: Any, exponent: Any) -> Any:
        return self * self if is_number(exponent) and exponent == 2 else super().__pow__(exponent)  # type: ignore[misc]

    def take(self: Any, places: Any, axis: Any = None, out: Any = None) -> Any:
        if axis not in (None, 0) or out is not None:
            return super().take(places, axis, out)  # type: ignore[misc]
        return (self.reshape(-1) if axis is None else self)[places]


def _has_arrays(place: Any) -> bool:
    """Return whether an index contains arrays or lists."""
    if type(place) in _PLAIN:
        return False
    parts, arrays = place if isinstance(place, tuple) else (place,), (*_LISTS, device.cupy_module().ndarray)
    return any(isinstance(part, arrays) for part in parts)


def row_places(array: Any, place: Any) -> tuple[Any, Any] | None:
    """Return an array and the places of rows in it which an index means; None if it means something else."""
    xp = device.array_module("cuda")
    if isinstance(place, tuple):
        if len(place) != 2 or array.ndim != 2 or not all(_has_arrays(part) or is_number(part) for part in place):
            return None
        rows, columns = (part if is_number(part) else xp.asarray(part) for part in place)
        return array.reshape(-1), rows * array.shape[1] + columns
    place = xp.asarray(place)
    if place.dtype == bool and 0 < place.ndim <= array.ndim and place.shape == array.shape[: place.ndim]:
        return array.reshape(-1, *array.shape[place.ndim :]), places_of(place.ravel())
    if not place.size:
        place = place.astype(np.int64)
    return (array, place) if place.dtype.kind in "iu" and array.ndim else None


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "lshift": np.left_shift,
    "rshift": np.right_shift,
}  # fmt: skip
_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
OPERATORS.append(Operations)
_all: dict[str, Any] = {**_COMPARISONS, "neg": np.negative, "abs": np.absolute, "invert": np.invert}
_ufunc: Any
for _name, _ufunc in _OPERATORS.items():
    setattr(Operations, f"__{_name}__", _ufunc_method(_ufunc, f"__{_name}__"))
    setattr(Operations, f"__r{_name}__", _ufunc_method(_ufunc, f"__r{_name}__", reflected=True))
    setattr(Operations, f"__i{_name}__", _ufunc_method(_ufunc, f"__i{_name}__", in_place=True))
for _name, _ufunc in _all.items():
    setattr(Operations, f"__{_name}__", _ufunc_method(_ufunc, f"__{_name}__"))
