"""Compiled forms of the rules that cannot be compiled from Python code: atomics, prefetching, vectors, bits.

`FORMS` has a Numba function for each of them; every other rule is compiled from its own Python code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.cpython.unsafe.numbers import leading_zeros as count_leading_zeros
from numba.extending import intrinsic
from numba.np import arrayobj

from .. import arithmetic, atomics
from ..declaration import Rule

# A function of the C library, or of the system on Windows, which is loaded in every process.
_YIELD = "SwitchToThread" if os.name == "nt" else "sched_yield"


def _element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = arrayobj.make_array(array_type)(context, builder, array)
    zero = context.get_constant(types.intp, 0)
    place = [context.cast(builder, index, types.intp, types.intp)] + [zero] * (array_type.ndim - 1)
    return cgutils.get_item_pointer(context, builder, array_type, view, place, wraparound=False)


def _read_modify_write(operation: str) -> Any:
    """Return one ``atomicrmw`` operation; min and max differ between signed and unsigned integers."""

    @intrinsic
    def read_modify_write(typing_context, array, index, value):
        element = array.dtype
        if not isinstance(element, types.Integer):
            return None
        llvm_name = "u" + operation if operation in ("min", "max") and not element.signed else operation

        def generate(context, builder, signature, arguments):
            pointer = _element_pointer(context, builder, signature.args[0], *arguments[:2])
            return builder.atomic_rmw(llvm_name, pointer, arguments[2], "monotonic")

        return element(array, types.intp, element), generate

    return read_modify_write


@intrinsic
def _compare_and_swap(typing_context, array, index, expected, value):
    element = array.dtype
    if not isinstance(element, types.Integer):
        return None

    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], *arguments[:2])
        result = builder.cmpxchg(pointer, arguments[2], arguments[3], "monotonic", "monotonic")
        return builder.extract_value(result, 0)

    return element(array, types.intp, element, element), generate


@intrinsic
def _load(typing_context, array, index):
    element = array.dtype
    if not isinstance(element, types.Integer):
        return None

    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(pointer, "monotonic", element.bitwidth // 8)

    return element(array, types.intp), generate


@intrinsic
def _store(typing_context, array, index, value):
    element = array.dtype
    if not isinstance(element, types.Integer):
        return None

    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], pointer, "monotonic", element.bitwidth // 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, element), generate


@intrinsic
def _fence(typing_context):
    def generate(context, builder, signature, arguments):
        builder.fence("acq_rel")
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic
def _prefetch(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        pointer = _element_pointer(context, builder, signature.args[0], *arguments)
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for_reading, keep_in_all_caches, data = flag(0), flag(3), flag(1)
        address = builder.bitcast(pointer, cgutils.voidptr_t)
        builder.call(instruction, [address, for_reading, keep_in_all_caches, data])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


def _add_lanes(lanes: int, plain: Callable[..., None]) -> Any:
    """Return a vector multiply-add for `lanes` values of float64, and the plain loop for other types."""

    @intrinsic
    def add(typing_context, target, to, factor, source, start):
        def generate(context, builder, signature, arguments):
            kinds = signature.args
            if kinds[0].dtype != types.float64:
                return context.compile_internal(builder, plain, signature, arguments)
            vector, lane = ir.VectorType(ir.DoubleType(), lanes), ir.IntType(32)
            first_of_target = _element_pointer(context, builder, kinds[0], *arguments[:2])
            first_of_source = _element_pointer(context, builder, kinds[3], *arguments[3:])
            place = builder.bitcast(first_of_target, vector.as_pointer())
            added = builder.load(builder.bitcast(first_of_source, vector.as_pointer()), align=8)
            factors = ir.Constant(vector, ir.Undefined)
            for number in range(lanes):
                factors = builder.insert_element(factors, arguments[2], lane(number))
            total = builder.fadd(builder.load(place, align=8), builder.fmul(factors, added))
            builder.store(total, place, align=8)
            return context.get_dummy_value()

        return types.none(target, types.intp, target.dtype, source, types.intp), generate

    return add


FORMS: dict[Rule, Any] = {
    arithmetic.wrapping_add: njit(arithmetic.unsigned_add),
    arithmetic.wrapping_multiply: njit(arithmetic.unsigned_multiply),
    arithmetic.leading_zeros: njit(lambda x: np.int64(count_leading_zeros(np.uint64(x)))),
    atomics.atomic_add: _read_modify_write("add"),
    atomics.atomic_and: _read_modify_write("and"),
    atomics.atomic_compare_and_swap: _compare_and_swap,
    atomics.atomic_load: _load,
    atomics.atomic_max: _read_modify_write("max"),
    atomics.atomic_min: _read_modify_write("min"),
    atomics.atomic_or: _read_modify_write("or"),
    atomics.atomic_store: _store,
    atomics.fence: _fence,
    arithmetic.yield_thread: types.ExternalFunction(_YIELD, types.intc()),
    arithmetic.prefetch: _prefetch,
    arithmetic.add_four: _add_lanes(4, arithmetic.add_four.function),
    arithmetic.add_two: _add_lanes(2, arithmetic.add_two.function),
}
