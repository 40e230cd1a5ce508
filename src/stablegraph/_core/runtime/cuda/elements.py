"""CuPy arrays whose operations are kernels of this package, so that nothing is compiled in the first call of a process.

Code for NumPy and CuPy arrays gets the module of its arrays from `array_module`. On a GPU this is not CuPy but
`functions_cuda.Functions`: its arrays belong to a subclass of CuPy's class, and their operators, methods and NumPy's
functions on them run the kernels of elements.cu, with NumPy's rules for types. CuPy does everything without a kernel
(other types, other arguments), and views of memory. `device.plain` turns the arrays of an answer
into CuPy's own.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np

from .. import device
from .source import CudaSource

SOURCE = CudaSource(__file__, "elements.cu", also=("running_sums.cuh",))

# The numbers of types and operations in elements.cu.
_NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64"
CODES = {np.dtype(name): code for code, name in enumerate(_NAMES.split())}
_BINARY = "add subtract multiply divide floor_divide remainder minimum maximum bitwise_and bitwise_or bitwise_xor"
_BINARY += " left_shift right_shift equal not_equal less less_equal greater greater_equal logical_and logical_or"
_BINARY += " ldexp copysign"
_UNARY = "negative absolute invert logical_not sqrt rint floor isnan isfinite"
OPERATIONS = {getattr(np, name): code for code, name in enumerate(f"{_BINARY} {_UNARY}".split())}
_WHOLE_ONLY = {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift, np.invert}
_TRUTHS = {np.logical_and, np.logical_or, np.logical_not}
_REAL_ONLY = {np.divide, np.ldexp, np.copysign, np.sqrt, np.rint, np.floor}
OPERATORS: list[Any] = []  # the class of operators and methods; array_class.py sets it
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)  # made once: a union of types takes a microsecond
_BOOL = np.dtype(bool)
_WIDE = {"f8": np.dtype(np.float64), "u8": np.dtype(np.uint64), "i8": np.dtype(np.int64)}
_SHARE, _MAX_SHARES, _MAX_DIMENSIONS = 1024, 8192, 3


def array_class() -> Any:
    """Return the class of arrays; CuPy is imported at the first call."""
    return _subclass(device.cupy_module().ndarray)


@cache
def _subclass(ndarray: Any) -> Any:
    # Libraries recognize arrays of CuPy by the module of their class.
    return type("GpuArray", (*OPERATORS, ndarray), {"__slots__": (), "__module__": ndarray.__module__})


def of_gpu(array: Any) -> Any:
    """Return a CuPy array as an array of this module, with the same memory."""
    kind = array_class()
    return array if isinstance(array, kind) else array.view(kind)


def empty(shape: Any, dtype: Any = float) -> Any:
    """Return a new array."""
    return array_class()(shape, dtype)


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Return a new array of zeros."""
    array = empty(shape, dtype)
    super(OPERATORS[0], array).fill(0)
    return array


def run(name: str, threads: int, *arguments: Any) -> None:
    """Launch a kernel; arrays are passed by their addresses."""
    SOURCE.compiled()(name, threads, *arguments)


def domain(dtype: Any) -> str:
    """Return the suffix of the kernels that calculate with a type."""
    return "f8" if dtype.kind == "f" else "u8" if dtype == np.uint64 else "i8"


def is_number(value: Any) -> bool:
    """Return whether a value is a number of Python or NumPy, which is passed to a kernel by its bits."""
    return isinstance(value, _NUMBERS)


def bits(value: Any, dtype: Any, kind: str) -> int:
    """Return a number, converted to a type, as the bits of the type in which kernels of this kind calculate."""
    if kind == "i8" and type(value) is int and dtype.kind == "i" and -(1 << 7) <= value < 1 << 7:
        return value  # has these bits in all types of integers
    return int(np.asarray(np.asarray(value, dtype), _WIDE[kind]).view(np.int64))


def contiguous(array: Any) -> Any:
    """Return the array, or a copy in C order if its elements are not one after another."""
    if array.flags.c_contiguous:
        return array
    result = empty(array.shape, array.dtype)
    return result if copy_into(result, array) else of_gpu(device.cupy_module().ascontiguousarray(array))


def operand(value: Any, shape: tuple[int, ...], dtype: Any, kind: str) -> tuple[Any, int, int]:
    """Return what a kernel gets for an argument: address or bits, type, and step."""
    if is_number(value):
        return bits(value, dtype, kind), 0, -1
    if value.size == 1:
        return value, CODES[value.dtype], 0
    if value.shape != shape:
        value = device.cupy_module().broadcast_to(value, shape)
    return contiguous(value), CODES[value.dtype], 1


def copy_into(target: Any, source: Any) -> bool:
    """Copy a number, or an array that can be broadcast, to an array; return False if no kernel does it."""
    if target.size == 0:
        return True
    number = is_number(source)
    if target.dtype not in CODES or not (number or source.dtype in CODES) or target.ndim > _MAX_DIMENSIONS:
        return False
    if not number and source.shape != target.shape:
        source = device.cupy_module().broadcast_to(source, target.shape)
    shape, to_steps = _three(target)
    first: Any = source
    if number:
        kind = domain(target.dtype)
        first, type_of_first, step, from_steps = bits(source, target.dtype, kind), 0, -1, [0, 0, 0]
    else:
        kind = "f8" if "f" in (target.dtype.kind, source.dtype.kind) else "i8"
        if kind == "f8" and target.dtype.kind == source.dtype.kind == "u":
            kind = "u8"
        type_of_first, step, from_steps = CODES[source.dtype], 1, _three(source)[1]
        first = source.data.ptr
    n = int(target.size)
    run(f"copy_{kind}", n, n, shape[1], shape[2], first, type_of_first, step, *from_steps, target.data.ptr,
        CODES[target.dtype], *to_steps)  # fmt: skip
    return True


def _three(array: Any) -> tuple[list[int], list[int]]:
    """Return the shape and the steps from element to element, in three dimensions."""
    missing = _MAX_DIMENSIONS - array.ndim
    steps = [step // array.dtype.itemsize for step in array.strides]
    return [1] * missing + [int(size) for size in array.shape], [0] * missing + steps


@lru_cache(512)
def _loop(ufunc: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the types in which NumPy calculates, and that of the result; None if no kernel does it."""
    if ufunc not in OPERATIONS:
        return None
    try:
        types = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        return None
    if ufunc in _TRUTHS:  # NumPy converts different types to bool; here they are compared with zero
        is_real = any(kind is float or getattr(kind, "kind", "") == "f" for kind in kinds)
        types = (*(np.dtype(np.float64 if is_real else np.int64),) * len(kinds), np.dtype(bool))
    in_kernel = all(dtype in CODES for dtype in types)
    in_kernel &= not (types[-1].kind == "b" and set(types[:-1]) == {np.dtype(np.int64), np.dtype(np.uint64)})
    is_real = types[0].kind == "f"
    if not in_kernel or (is_real and ufunc in _WHOLE_ONLY | {np.floor_divide, np.remainder}):
        return None
    return None if not is_real and ufunc in _REAL_ONLY else types


def _kind(value: Any) -> Any:
    """Return the type of an argument for NumPy's rules."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return _BOOL if isinstance(value, bool) else type(value)
    return dtype


def shape_of(*values: Any) -> tuple[int, ...]:
    """Return the common shape of arrays and numbers."""
    shapes = {() if is_number(value) else value.shape for value in values}
    return shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)


def calculate(ufunc: Any, inputs: tuple[Any, ...], out: Any = None) -> Any:
    """Return the result of a NumPy function on each element; NotImplemented if no kernel computes it."""
    array = device.cupy_module().ndarray
    inputs = tuple(value.item() if type(value) is np.ndarray and not value.ndim else value for value in inputs)
    if not all(is_number(value) or isinstance(value, array) for value in inputs):
        return NotImplemented
    types = _loop(ufunc, tuple(map(_kind, inputs)))
    if types is None or (out is not None and out.dtype not in CODES):
        return NotImplemented
    shape = shape_of(*inputs)
    direct = out is not None and out.flags.c_contiguous and out.shape == shape
    result = out if direct else empty(shape, types[-1])
    n = int(result.size)
    if n:
        wanted = np.logical_not if ufunc is np.invert and types[0].kind == "b" else ufunc
        if types[-1].kind == "b" and domain(types[0]) == "i8":
            types = (np.dtype(np.int64),) * len(types)  # a number to compare with may need more bits
        kind = domain(types[0])
        operands = [operand(value, shape, dtype, kind) for value, dtype in zip(inputs, types, strict=False)]
        operands += [(0, 0, -1)] * (2 - len(operands))
        run(f"calculate_{kind}", n, OPERATIONS[wanted], n, *operands[0], *operands[1], result,
            CODES[result.dtype])  # fmt: skip
    if out is None or direct:
        return result
    out[...] = result
    return out


def places_of(values: Any) -> Any:
    """Return the positions of the elements that are not zero, as int64."""
    values, n = contiguous(values), int(values.size)
    shares = max(1, min(_MAX_SHARES, n // _SHARE))
    sums = empty(shares, np.int64)
    run("sum_shares", 32 * shares, n, shares, values, CODES[values.dtype], 1, sums)
    run("add_up_sums", 32, shares, sums)
    places = empty(int(sums[-1]), np.int64)
    run("write_sums", 32 * shares, n, shares, values, CODES[values.dtype], 1, sums, places, CODES[places.dtype])
    return places


def running_sums(values: Any, result: Any) -> None:
    """Write the sum of integers up to each element."""
    values, n = contiguous(values), int(values.size)
    shares = max(1, min(_MAX_SHARES, n // _SHARE))
    sums = empty(shares, np.int64)
    run("sum_shares", 32 * shares, n, shares, values, CODES[values.dtype], 0, sums)
    run("add_up_sums", 32, shares, sums)
    run("write_sums", 32 * shares, n, shares, values, CODES[values.dtype], 0, sums, result, CODES[result.dtype])


def total(values: Any, *, counted: bool = False, result: Any = None) -> Any:
    """Return the sum of integers, or the number of elements that are not zero, as an array without dimensions."""
    if result is None:
        result = zeros((), np.uint64 if values.dtype.kind == "u" and not counted else np.int64)
    n = int(values.size)
    step = values.strides[0] // values.dtype.itemsize if values.ndim == 1 else 1
    values = values if values.ndim == 1 else contiguous(values)
    run("sum_elements", n, n, values.data.ptr, CODES[values.dtype], step, int(counted), result)
    return result


def extreme(values: Any, *, smallest: bool, position: bool = False) -> Any:
    """Return the largest or smallest element, or its first position, as an array without dimensions."""
    values, n, kind = contiguous(values), int(values.size), domain(values.dtype)
    code, word, reverse = CODES[values.dtype], zeros(1, np.uint64), int(smallest)
    run(f"extreme_{kind}", n, n, values, code, reverse, word)
    if not position:
        result = empty((), values.dtype)
        run(f"write_extreme_{kind}", 1, reverse, word, result, code)
        return result
    place = zeros((), np.int64)
    run(f"first_extreme_{kind}", n, n, values, code, reverse, word, place)
    return n - place


def gathered(values: Any, places: Any) -> Any:
    """Return rows of an array at places, each of which is a row number; negative ones count from the end."""
    values, places = contiguous(values), contiguous(places)
    result = empty((*places.shape, *values.shape[1:]), values.dtype)
    if result.size:
        size, width = _moved(values.dtype, values.shape[1:])
        n = int(places.size)
        run(f"gather_{size}", n * width, n, width, values.shape[0], values, places, CODES[places.dtype], result)
    return result


def scatter(target: Any, places: Any, values: Any) -> None:
    """Set rows of a contiguous array at places."""
    n, shape = int(places.size), (*places.shape, *target.shape[1:])
    if not n or not math.prod(shape):
        return
    if is_number(values) or values.dtype != target.dtype or (values.size != 1 and values.shape != shape):
        converted = empty(() if is_number(values) or values.size == 1 else shape, target.dtype)
        copy_into(converted, values.reshape(()) if getattr(values, "size", 0) == 1 else values)
        values = converted
    size, width = _moved(target.dtype, target.shape[1:])
    step = int(values.size != 1 or math.prod(shape) == 1)
    run(f"scatter_{size}", n * width, n, width, target.shape[0], contiguous(values), step, contiguous(places),
        CODES[places.dtype], target)  # fmt: skip


def _moved(dtype: Any, row: tuple[int, ...]) -> tuple[int, int]:
    """Return the size of the elements that a kernel moves, and their number in a row."""
    size = min(dtype.itemsize, 8)
    return size, math.prod(row) * dtype.itemsize // size


def choose(condition: Any, first: Any, second: Any, result: Any = None, target: Any = None) -> Any:
    """Return the elements of one array or the other; NotImplemented if no kernel does it."""
    both = (first, second)
    dtype = target.dtype if target is not None else np.result_type(*(b if is_number(b) else b.dtype for b in both))
    if dtype not in CODES or not all(is_number(b) or b.dtype in CODES for b in both):
        return NotImplemented
    shape = shape_of(condition, *both)
    result, n = empty(shape, dtype) if result is None else result, math.prod(shape)
    kind = domain(dtype)
    operands = [
        operand(condition, shape, np.dtype(bool), "i8"),
        *(operand(value, shape, dtype, kind) for value in both),
    ]
    if n:
        run(f"choose_{kind}", n, n, *operands[0], *operands[1], *operands[2], result, CODES[dtype])
    if target is not None and result is not target:
        target[...] = result
    return result
