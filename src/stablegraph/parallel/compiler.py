"""Numba's compiler, cut down to what kernels need.

Nothing differs from ``numba.njit`` in what a function computes, but four things in how it is compiled; together they
halve the time:

* **Indices are not negative.** Python counts negative indices from the end, so every access of compiled code would
  compare its index with zero first. Kernels have none: a pass after type inference makes the indices of arrays
  unsigned, which drops the comparison.
* **Each kernel is optimized once.** Numba optimizes every function and makes machine code of it, although what a kernel
  calls is used as a part of that kernel only. Here rules and bodies stay as they were generated, until the kernel that
  they are linked into is optimized as a whole.
* **Fewer passes.** Kernels hold no closures, no array expressions, no Python objects, and nothing whose references are
  counted; the passes for those are left out.
* **Flags are hashed once.** Numba looks up each operation under the flags of the current compilation, and hashes some
  forty of them each time.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

# Kernels allocate nothing, so Numba need not count references to arrays (atomically, at each call of a rule). Wrappers
# for callers in C are of no use to anybody here, and those for Python only where Python calls.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def compiled(function: Any) -> Any:
    """A Numba dispatcher for a function that Python calls."""
    from numba import njit

    return njit(pipeline_class=_pipelines().whole, forceinline=True, **_OPTIONS)(function)


def compiled_part(function: Any, *, inline: bool = True) -> Any:
    """A Numba dispatcher for a function that only compiled code calls."""
    from numba import njit

    return njit(pipeline_class=_pipelines().part, forceinline=inline, no_cpython_wrapper=True, **_OPTIONS)(function)


@cache
def _pipelines() -> Any:
    """Numba's name for all that a function goes through: for a `whole` kernel, and for a `part` of one."""
    from numba.core import codegen, compiler, typed_passes, untyped_passes
    from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass

    from .compile_log import logged  # imports logging, as Numba does, but the package does not

    flags = _flags()

    @register_pass(mutates_CFG=False, analysis_only=True)
    class PlainIndices(AnalysisPass):  # type: ignore[misc]
        _name = "plain_indices"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            state.calltypes = {
                statement: _with_plain_index(statement, signature) for statement, signature in state.calltypes.items()
            }
            return True

    def pipeline(library: type) -> type:
        @register_pass(mutates_CFG=False, analysis_only=True)
        class OwnLibrary(AnalysisPass):  # type: ignore[misc]
            _name = f"own_library_{library.__name__.lower()}"

            def __init__(self) -> None:
                super().__init__()

            def run_pass(self, state: Any) -> bool:
                state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()
                return True

        class Pipeline(compiler.CompilerBase):  # type: ignore[misc]
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                self.state.flags = flags(self.state.flags)

            def define_pipelines(self) -> list[Any]:
                manager = PassManager("kernel")
                for step in (
                    untyped_passes.TranslateByteCode,
                    untyped_passes.FixupArgs,
                    untyped_passes.IRProcessing,
                    untyped_passes.RewriteSemanticConstants,
                    untyped_passes.DeadBranchPrune,  # where an argument is None
                    untyped_passes.ReconstructSSA,
                    typed_passes.NopythonTypeInference,
                    typed_passes.PreLowerStripPhis,
                    PlainIndices,
                    typed_passes.IRLegalization,
                    OwnLibrary,
                    typed_passes.NativeLowering,
                    typed_passes.NoPythonBackend,
                ):
                    manager.add_pass(step, step._name)
                manager.finalize()
                return [manager]

        return Pipeline

    class Logged(pipeline(codegen.JITCodeLibrary)):  # type: ignore[misc]
        def compile_extra(self, function: Any) -> Any:
            with logged(function, self.state.args):
                return super().compile_extra(function)

    return SimpleNamespace(whole=Logged, part=pipeline(_library_of_parts()))


def _with_plain_index(statement: Any, signature: Any) -> Any:
    """The signature of an access to an array with an unsigned index; of anything else, as it is."""
    from numba.core import ir, types

    if not (isinstance(statement, ir.SetItem) or getattr(statement, "op", None) == "getitem"):
        return signature
    array, index, *value = signature.args
    if not isinstance(array, types.Array):
        return signature
    if isinstance(index, types.BaseTuple):
        index = types.Tuple.from_types([types.uintp if isinstance(part, types.Integer) else part for part in index])
    elif isinstance(index, types.Integer):
        index = types.uintp
    return signature.replace(args=(array, index, *value))


@cache
def _library_of_parts() -> Any:
    """What holds the code of a function that is only used in others: it stays as it was generated."""
    from numba.core import codegen

    class Part(codegen.JITCodeLibrary):  # type: ignore[misc]
        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0  # there is no machine code of its own

        @property
        def codegen(self) -> Any:
            return SimpleNamespace(set_env=lambda name, environment: None)  # nor anything that would read it

    return Part


@cache
def _flags() -> type:
    from numba.core.compiler import Flags

    class Settled(Flags):  # type: ignore[misc]
        """Flags that do not change any more."""

        __slots__ = ("_settled",)

        def values(self) -> Any:
            if not hasattr(self, "_settled"):
                self._settled = super().values()
            return self._settled

        def __hash__(self) -> int:
            return 0  # Numba's is of the names, and the same for all as well

        __eq__ = Flags.__eq__

    class Changeable(Flags):  # type: ignore[misc]
        def copy(self) -> Any:
            return Settled(self)

    return Changeable
