"""Prefetching: asking for a cache line before it is needed."""

from __future__ import annotations

from typing import Any

from .kernel import Rule


def _prefetch(array, index):  # type: ignore[no-untyped-def]
    pass


def _cpu_prefetch() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    from .atomics import element_pointer

    @intrinsic
    def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer = element_pointer(context, builder, signature.args[0], *arguments)
            flag = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
            instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            for_reading, keep_in_all_caches, data = flag(0), flag(3), flag(1)
            address = builder.bitcast(pointer, cgutils.voidptr_t)
            builder.call(instruction, [address, for_reading, keep_in_all_caches, data])
            return context.get_dummy_value()

        return types.none(array, types.intp), generate

    return prefetch


# Starts loading the line where ``array[index]`` begins (of a matrix: a row), and waits for nothing; any index will do,
# also one past the end. Other targets ignore it: a GPU hides the latency with other threads.
prefetch = Rule(_prefetch, cpu=_cpu_prefetch)
