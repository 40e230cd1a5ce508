"""Compilation of a kernel when it is called: for kernels outside the package, and for all with STABLEGRAPH_JIT=1.

It compiles the same module as the build, for the same level of processors, so results are identical to the last bit.
Launching is slower than from the library, and nothing is cached between processes.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from llvmlite import binding
from numba.core.compiler_lock import global_compiler_lock

from ..declaration import Declaration, constants_of, flattened, word_of
from .entry import module_with_entry, optimize

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
_lock = threading.Lock()
_engines: list[Any] = []  # kept alive because they own the machine code


def launcher(kernel: Declaration, constants: tuple[int, ...], pool: Any) -> Callable[..., Any]:
    """Return the function ``(threads, workers, *arguments)`` that compiles a kernel if necessary and runs it.

    `pool` is the library, whose threads run the workers, or None.
    """
    skipped = {
        position + offset
        for position, offset in _positions_of_constants(kernel)
        if constants  # otherwise they are arguments
    }
    entries: dict[tuple[str, ...], Any] = {}

    def launch(threads: int, workers: int, *arguments: Any) -> Any:
        flat = [value for i, value in enumerate(flattened(arguments)) if i not in skipped]
        if not all(map(_is_plain, flat)):
            return launch  # the caller converts the arrays
        types = tuple(map(word_of, flat))
        if types not in entries:
            with _lock:
                if types not in entries:
                    passed = types[1:] if kernel.by in ("items", "edges") else types
                    entries[types] = _compiled(kernel, passed, constants)
                    if kernel.declared is None and kernel.name.startswith("stablegraph."):
                        print(
                            f'{kernel.name} declares no types; it was called with "{" ".join(passed)}"', file=sys.stderr
                        )
        _run(pool, entries[types], _packed(workers, flat), workers, threads)
        return None

    return launch


def _is_plain(value: Any) -> bool:
    if not isinstance(value, np.ndarray):
        return True
    flags = value.flags
    return type(value) is np.ndarray and flags.c_contiguous and flags.aligned and value.dtype.isnative


def _positions_of_constants(kernel: Declaration) -> list[tuple[int, int]]:
    """Return the positions of the constants in the flattened arguments of a call, as pairs to be added."""
    position = 1 if kernel.by in ("items", "edges") else 0
    positions = []
    for name in kernel.parameters:
        fields = getattr(kernel.groups.get(name), "_fields", (name,))
        constants = constants_of(kernel.groups.get(name))
        positions += [(position, i) for i, field in enumerate(fields) if field in constants]
        position += len(fields)
    return positions


def _packed(workers: int, values: list[Any]) -> Any:
    """Return the words of a call; see entry.py."""
    words: list[int] = [workers]
    for value in values:
        if isinstance(value, np.ndarray):
            words += [value.ctypes.data, *value.shape]
        elif isinstance(value, (float, np.floating)):
            words.append(int(np.float64(value).view(np.int64)))
        else:
            words.append(int(value))
    return (ctypes.c_int64 * len(words))(*words)


def _run(pool: Any, entry: Any, words: Any, workers: int, threads: int) -> None:
    """Run all workers on the library's thread pool, or on Python threads if there is no library."""
    if pool is not None:
        pool.sg_run(entry, words, ctypes.c_int64(workers), ctypes.c_int64(threads))
    elif threads <= 1:
        for worker in range(workers):
            entry(worker, words)
    else:
        with ThreadPoolExecutor(threads) as executor:
            list(executor.map(lambda worker: entry(worker, words), range(workers)))


def _compiled(kernel: Declaration, types: tuple[str, ...], constants: tuple[int, ...]) -> Any:
    """Return the entry of a kernel as a C function."""
    with global_compiler_lock:
        symbol = f"entry{len(_engines)}"
        module = module_with_entry(kernel, types, constants, symbol)
        machine = _machine()
        optimize(module, machine)
        engine = binding.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        _engines.append(engine)
        return _ENTRY(engine.get_function_address(symbol))


def _machine() -> Any:
    from .targets import HOST, host_level

    if HOST is None:
        raise RuntimeError("kernels cannot be compiled for this system; see jit/targets.py")
    return HOST.machine(host_level(), jit=True)
