"""Running workers on Numba's threads.

Numba starts and keeps the threads (OpenMP, TBB, or its own work queue) and exports one C function that calls a task
with ranges of worker numbers from all of them, ``numba_parallel_for``. `run_workers` calls it directly, from compiled
code. Numba's own way there, ``prange``, compiles every kernel several times over: this way the first call of
`maximal_independent_set` takes 2.3 seconds and not 5.3, and the same compiled code also serves one thread.

Two things are taken care of here alone. The work queue aborts the process when two Python threads launch at once,
so launches take turns there. And after a fork GNU OpenMP would make Numba abort the child, so the child of a process
that had started Numba's threads goes on with one thread: same code, same answers.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from functools import cache
from typing import Any

from .thread_count import num_threads

_turns = threading.Lock()
_no_turns = contextlib.nullcontext()
_forked = False


def usable_threads(workers: int) -> int:
    """How many threads a launch of so many workers may use."""
    return 1 if _forked else min(num_threads(), workers)


def launch_turn(threads: int) -> Any:
    """The context in which compiled code may start that many threads."""
    return _turns if threads > 1 and threading_layer() == "workqueue" else _no_turns


def threading_layer() -> str | None:
    """Numba's threading layer, or None before anything has run in parallel."""
    pool = sys.modules.get("numba.np.ufunc.parallel")
    if pool is None or not pool._is_initialized:
        return None
    return str(pool.threading_layer())


def start_threads() -> None:
    """Make Numba start its threads and export its C functions, once.

    GNU OpenMP reads its environment then. Its threads wait for one another by spinning for a millisecond or so before
    they sleep; on a machine with other work that takes away the very processor that they wait for. Unless the user has
    settled how to wait, they sleep after some tens of microseconds: conjugate gradients for 36,000 unknowns take 6 ms
    either way on an idle machine, but 20 to 30 instead of 170 ms beside eight busy processes.
    """
    from numba.np.ufunc.parallel import _launch_threads

    if any(name in os.environ for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")):
        _launch_threads()
        return
    os.environ["GOMP_SPINCOUNT"] = "5000"
    try:
        _launch_threads()
    finally:
        del os.environ["GOMP_SPINCOUNT"]  # nobody else's processes are meant


def _after_fork_in_child() -> None:
    global _forked, _turns
    _turns = threading.Lock()
    _forked = _forked or threading_layer() is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


@cache
def run_workers() -> Any:
    """The compiled function ``(threads, workers, task, arguments)``: ``task(w, *arguments)`` for w = 0 .. workers - 1.

    `task` is a compiled function, `arguments` a tuple. It returns when all workers have. With one thread they run one
    after another, and Numba's threads are not touched.
    """
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def run(typing_context, threads, workers, task, arguments):  # type: ignore[no-untyped-def]
        task_types = (types.intp, *arguments.types)
        task.dispatcher.get_call_template(task_types, {})
        compiled = task.dispatcher.overloads[task_types]

        def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
            number = context.get_value_type(types.intp)
            byte_pointer = cgutils.voidptr_t
            threads, workers, _, packed = values
            passed = cgutils.alloca_once_value(builder, packed)

            # What a thread does with its range of workers, in the form that the C function calls:
            # void (char **first, intp *count, intp *steps, void *data); `first` stands for the first worker's number.
            context.active_code_library.add_linking_library(compiled.library)
            form = ir.FunctionType(ir.VoidType(), [byte_pointer.as_pointer(), *[number.as_pointer()] * 2, byte_pointer])
            share = ir.Function(builder.module, form, f"{compiled.fndesc.mangled_name}.share")
            share.linkage = "internal"
            inner = ir.IRBuilder(share.append_basic_block())
            body = context.declare_function(builder.module, compiled.fndesc)
            data = inner.load(inner.bitcast(share.args[3], packed.type.as_pointer()))
            own = cgutils.unpack_tuple(inner, data)
            first = inner.ptrtoint(inner.load(share.args[0]), number)
            with cgutils.for_range(inner, inner.load(share.args[1]), intp=number) as loop:
                worker = inner.add(first, loop.index)
                context.call_conv.call_function(inner, body, types.none, task_types, [worker, *own])
            inner.ret_void()

            first = cgutils.alloca_once_value(builder, cgutils.get_null_value(byte_pointer))
            count = cgutils.alloca_once_value(builder, workers)
            step = cgutils.alloca_once_value(builder, number(1))
            common = [first, count, step, builder.bitcast(passed, byte_pointer)]
            with builder.if_else(builder.icmp_signed(">", threads, number(1))) as (several, alone):
                with several:
                    kind = ir.FunctionType(ir.VoidType(), [byte_pointer] * 5 + [number] * 3)
                    parallel_for = cgutils.get_or_insert_function(builder.module, kind, "numba_parallel_for")
                    pointers = [builder.bitcast(p, byte_pointer) for p in (share, *common)]
                    builder.call(parallel_for, [*pointers, number(0), number(1), threads])
                with alone:
                    builder.call(share, common)
            return context.get_dummy_value()

        return types.none(types.intp, types.intp, task, arguments), generate

    return run
