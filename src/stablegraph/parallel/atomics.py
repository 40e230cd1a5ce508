"""Atomic operations on array elements: one name, every target.

Each operation acts on ``array[index]`` and returns the value that stood there before. Relaxed ordering is enough
everywhere in this library: states only ever move one way (DESIGN: monotone states), so an atomic is needed for the
element itself and never to publish another one.

Numba has no atomics for CPU arrays; a few lines around LLVM's ``atomicrmw`` and ``cmpxchg`` give them. On CUDA they are
``cuda.atomic.*``. The plain functions below are what the `python` target runs; it has one thread, so they are exact.
"""

from __future__ import annotations

from functools import partial

from .kernel import Rule


def element_pointer(context, builder, array_type, array, index):
    from numba.core import cgutils, types
    from numba.np import arrayobj

    view = arrayobj.make_array(array_type)(context, builder, array)
    zero = context.get_constant(types.intp, 0)
    place = [context.cast(builder, index, types.intp, types.intp)] + [zero] * (array_type.ndim - 1)
    return cgutils.get_item_pointer(context, builder, array_type, view, place, wraparound=False)


def _cpu_read_modify_write(operation):
    """An intrinsic for one ``atomicrmw`` operation; min and max differ between signed and unsigned integers."""
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def read_modify_write(typing_context, array, index, value):
        element = array.dtype
        if not isinstance(element, types.Integer) or not array.mutable:
            return None
        llvm_name = "u" + operation if operation in ("min", "max") and not element.signed else operation

        def generate(context, builder, signature, arguments):
            pointer = element_pointer(context, builder, signature.args[0], *arguments[:2])
            return builder.atomic_rmw(llvm_name, pointer, arguments[2], "monotonic")

        return element(array, types.intp, element), generate

    return read_modify_write


def _cpu_compare_and_swap():
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def compare_and_swap(typing_context, array, index, expected, value):
        element = array.dtype
        if not isinstance(element, types.Integer) or not array.mutable:
            return None

        def generate(context, builder, signature, arguments):
            pointer = element_pointer(context, builder, signature.args[0], *arguments[:2])
            result = builder.cmpxchg(pointer, arguments[2], arguments[3], "monotonic", "monotonic")
            return builder.extract_value(result, 0)

        return element(array, types.intp, element, element), generate

    return compare_and_swap


def _cpu_load():
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def load(typing_context, array, index):
        element = array.dtype
        if not isinstance(element, types.Integer):
            return None

        def generate(context, builder, signature, arguments):
            pointer = element_pointer(context, builder, signature.args[0], *arguments)
            return builder.load_atomic(pointer, "monotonic", element.bitwidth // 8)

        return element(array, types.intp), generate

    return load


def _cpu_store():
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def store(typing_context, array, index, value):
        element = array.dtype
        if not isinstance(element, types.Integer) or not array.mutable:
            return None

        def generate(context, builder, signature, arguments):
            pointer = element_pointer(context, builder, signature.args[0], *arguments[:2])
            builder.store_atomic(arguments[2], pointer, "monotonic", element.bitwidth // 8)
            return context.get_dummy_value()

        return types.none(array, types.intp, element), generate

    return store


def _cuda_operation(name, values="value"):
    """A device function around one operation, which the compiler knows only where it stands in the code itself."""
    from .device import cuda_module

    cuda = cuda_module()
    typed = ", ".join(f"array.dtype.type({value})" for value in values.split(", "))  # not every compiler converts them
    return cuda.jit(device=True)(
        eval(f"lambda array, i, {values}: cuda.atomic.{name}(array, i, {typed})", {"cuda": cuda})
    )


def _cuda_load():
    from .device import cuda_module

    cuda = cuda_module()

    @cuda.jit(device=True)
    def load(array, index):
        return cuda.atomic.add(array, index, 0)

    return load


def _cuda_store():
    from .device import cuda_module

    cuda = cuda_module()

    @cuda.jit(device=True)
    def store(array, index, value):
        cuda.atomic.exch(array, index, value)

    return store


def _plain(combine):
    def read_modify_write(array, index, value):
        before = array[index]
        array[index] = combine(int(before), int(value))
        return before

    return read_modify_write


def _plain_compare_and_swap(array, index, expected, value):
    before = array[index]
    if before == expected:
        array[index] = value
    return before


def _plain_load(array, index):
    return array[index]


def _plain_store(array, index, value):
    array[index] = value


def _atomic(name, plain, cpu, cuda):
    plain.__name__ = plain.__qualname__ = name
    return Rule(plain, cpu=cpu, cuda=cuda)


atomic_min = _atomic("atomic_min", _plain(min), partial(_cpu_read_modify_write, "min"), partial(_cuda_operation, "min"))
atomic_max = _atomic("atomic_max", _plain(max), partial(_cpu_read_modify_write, "max"), partial(_cuda_operation, "max"))
atomic_add = _atomic(
    "atomic_add", _plain(int.__add__), partial(_cpu_read_modify_write, "add"), partial(_cuda_operation, "add")
)
atomic_and = _atomic(
    "atomic_and", _plain(int.__and__), partial(_cpu_read_modify_write, "and"), partial(_cuda_operation, "and_")
)
atomic_or = _atomic(
    "atomic_or", _plain(int.__or__), partial(_cpu_read_modify_write, "or"), partial(_cuda_operation, "or_")
)
atomic_compare_and_swap = _atomic(
    "atomic_compare_and_swap",
    _plain_compare_and_swap,
    _cpu_compare_and_swap,
    partial(_cuda_operation, "cas", "expected, value"),
)
atomic_load = _atomic("atomic_load", _plain_load, _cpu_load, _cuda_load)
atomic_store = _atomic("atomic_store", _plain_store, _cpu_store, _cuda_store)
