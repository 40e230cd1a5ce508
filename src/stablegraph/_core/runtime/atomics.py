"""Atomic operations on array elements, with the same names on every target.

Each operation acts on ``array[index]`` and returns the previous value. Relaxed ordering is sufficient in the whole
library: states change in one direction only (monotone states), so an atomic operation protects only its own element and
never publishes another one. The exception is a kernel whose workers share several steps in one launch: `fence` before
an atomic write and after an atomic read of it publishes all earlier writes.

On the CPU they are LLVM's ``atomicrmw``, ``cmpxchg`` and ``fence`` (jit/intrinsics.py), on CUDA ``cuda.atomic.*``. The
`python` target runs the plain functions below; it has one thread, so they are exact.
"""

from __future__ import annotations

from functools import partial

from .declaration import Rule


def _cuda_operation(name, values="value"):
    """Return a device function for one operation, which the compiler resolves only if the code names it literally."""
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


def _cuda_fence():
    from .device import cuda_module

    cuda = cuda_module()
    return cuda.jit(device=True)(lambda: cuda.threadfence())


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


def _plain_fence():
    pass


def _atomic(name, plain, cuda):
    plain.__name__ = plain.__qualname__ = name
    return Rule(plain, cuda=cuda)


atomic_min = _atomic("atomic_min", _plain(min), partial(_cuda_operation, "min"))
atomic_max = _atomic("atomic_max", _plain(max), partial(_cuda_operation, "max"))
atomic_add = _atomic("atomic_add", _plain(int.__add__), partial(_cuda_operation, "add"))
atomic_and = _atomic("atomic_and", _plain(int.__and__), partial(_cuda_operation, "and_"))
atomic_or = _atomic("atomic_or", _plain(int.__or__), partial(_cuda_operation, "or_"))
atomic_compare_and_swap = _atomic(
    "atomic_compare_and_swap", _plain_compare_and_swap, partial(_cuda_operation, "cas", "expected, value")
)
atomic_load = _atomic("atomic_load", _plain_load, _cuda_load)
atomic_store = _atomic("atomic_store", _plain_store, _cuda_store)
fence = _atomic("fence", _plain_fence, _cuda_fence)
