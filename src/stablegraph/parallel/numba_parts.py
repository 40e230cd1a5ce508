"""What this layer takes from Numba beyond its public interface, and what for: the reason for Numba's upper bound.

Public are `numba`, `numba.types` and `numba.extending`. A test keeps the list whole and asks whether the installed
Numba has all of it; `stablegraph doctor` asks, too. When Numba has a new version: raise the bound in pyproject.toml,
run that test, then all others. Beyond names this layer relies on how some of them behave, which the other tests see:

* a dispatcher keeps its cache in ``_cache``, its compiled signatures in ``overloads``, and compiles in
  ``get_call_template`` (cache.py, kernel.py, pool.py);
* the thread pool exports the C function ``numba_parallel_for``, with the arguments that pool.py writes down;
* a cache's key and data may be stored under any name (cache.py); the flags of a compilation are not changed once its
  passes run (compiler.py).
"""

from __future__ import annotations

import importlib

PRIVATE = {
    "numba.core.caching.Cache": "compiled code is kept in a folder, and under names, of our own (cache.py)",
    "numba.core.caching.CompileResultCacheImpl": "the same",
    "numba.core.caching.IndexDataCacheFile": "the same",
    "numba.core.caching._CacheLocator": "the same",
    "numba.core.cgutils.alloca_once_value": "code around a kernel that calls its workers (pool.py)",
    "numba.core.cgutils.for_range": "the same",
    "numba.core.cgutils.get_item_pointer": "atomic operations on elements of arrays (atomics.py)",
    "numba.core.cgutils.get_null_value": "code around a kernel that calls its workers (pool.py)",
    "numba.core.cgutils.get_or_insert_function": "calls of C functions and of LLVM's own (pool.py, prefetching.py)",
    "numba.core.cgutils.unpack_tuple": "code around a kernel that calls its workers (pool.py)",
    "numba.core.cgutils.voidptr_t": "calls of C functions and of LLVM's own (pool.py, prefetching.py)",
    "numba.core.codegen.JITCodeLibrary": "parts of kernels are not compiled on their own (compiler.py)",
    "numba.core.compiler.CompilerBase": "a short list of compiler passes, in half the time (compiler.py)",
    "numba.core.compiler.Flags.__eq__": "flags that are compared once, not at each call (compiler.py)",
    "numba.core.compiler_machinery.AnalysisPass": "passes of our own (compiler.py)",
    "numba.core.compiler_machinery.PassManager": "the list of passes (compiler.py)",
    "numba.core.compiler_machinery.register_pass": "passes of our own (compiler.py)",
    "numba.core.event.Listener": "how long compiling takes (compiling.py)",
    "numba.core.event.register": "the same",
    "numba.core.ir.SetItem": "indices that are known not to be negative (compiler.py)",
    "numba.core.typed_passes.IRLegalization": "the list of passes (compiler.py)",
    "numba.core.typed_passes.NativeLowering": "the same",
    "numba.core.typed_passes.NoPythonBackend": "the same",
    "numba.core.typed_passes.NopythonTypeInference": "the same",
    "numba.core.typed_passes.PreLowerStripPhis": "the same",
    "numba.core.types": "Numba's types, where `numba.types` would load more (arithmetic.py and others)",
    "numba.core.untyped_passes.DeadBranchPrune": "the list of passes (compiler.py)",
    "numba.core.untyped_passes.FixupArgs": "the same",
    "numba.core.untyped_passes.IRProcessing": "the same",
    "numba.core.untyped_passes.ReconstructSSA": "the same",
    "numba.core.untyped_passes.RewriteSemanticConstants": "the same",
    "numba.core.untyped_passes.TranslateByteCode": "the same",
    "numba.cpython.unsafe.numbers.leading_zeros": "bits of a word (arithmetic.py)",
    "numba.np.arrayobj.make_array": "atomic operations on elements of arrays (atomics.py)",
    "numba.np.numpy_support.as_dtype": "types for the compiler of CUDA (ptx.py)",
    "numba.np.ufunc.parallel": "whether Numba's threads run, and how many there are (pool.py, thread_count.py)",
    "numba.np.ufunc.parallel._launch_threads": "starting them (pool.py)",
}
PRIVATE_OF_CUDA = {  # of numba-cuda, which is a package of its own
    "numba.cuda.api.get_current_device": "compiling for CUDA without a GPU (ptx.py)",
    "numba.cuda.dispatcher.get_current_device": "the same",
}


def missing() -> list[str]:
    """Those of the names that the installed Numba does not have."""
    return [name for name in PRIVATE if not _is_there(name)]


def _is_there(name: str) -> bool:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):  # the longest module in it, then attributes
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[end:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False
