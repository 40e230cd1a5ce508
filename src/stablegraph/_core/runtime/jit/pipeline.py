"""Numba's compiler, reduced to the features of kernels: from a Python function and types to LLVM's intermediate code.

A function computes the same as with ``numba.njit``. Its compilation differs in four points, which halve the time:

* **Indices are not negative.** Python counts negative indices from the end, so compiled code would compare every index
  with zero first. Kernels have no negative indices: a pass after type inference makes array indices unsigned, which
  removes the comparison.
* **Each kernel is optimized once.** Numba optimizes every function and generates machine code for it, although rules
  and bodies are only used as parts of a kernel. In this pipeline functions remain unoptimized until the kernel that
  they are linked into is optimized as a whole.
* **Fewer passes.** Kernels have no closures, array expressions, Python objects or reference counts, so the passes for
  these are omitted.
* **Flags are hashed once.** Numba looks up each operation under the flags of the current compilation, and hashes about
  40 flags each time.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from numba import njit
from numba.core import codegen, compiler, ir, typed_passes, types, untyped_passes
from numba.core.compiler import Flags
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass


def compiled_part(function: Any, *, inline: bool = True) -> Any:
    """Return a Numba dispatcher for a function that is only called from compiled code."""
    return njit(
        pipeline_class=_Pipeline,
        forceinline=inline,
        nogil=True,
        error_model="numpy",
        _nrt=False,  # kernels allocate nothing, so calls of rules need not count references to arrays
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The generated code of one function, neither optimized nor translated to machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # it has no machine code

    @property
    def codegen(self) -> Any:
        return SimpleNamespace(set_env=lambda name, environment: None)  # no code reads the environment


class _Settled(Flags):  # type: ignore[misc]
    """Flags that no longer change, with cached values."""

    __slots__ = ("_settled",)

    def values(self) -> Any:
        if not hasattr(self, "_settled"):
            self._settled = super().values()
        return self._settled

    def __hash__(self) -> int:
        return 0  # Numba hashes the names, which are the same for all flags

    __eq__ = Flags.__eq__


class _Changeable(Flags):  # type: ignore[misc]
    def copy(self) -> Any:
        return _Settled(self)


@register_pass(mutates_CFG=False, analysis_only=True)
class _PlainIndices(AnalysisPass):  # type: ignore[misc]
    _name = "plain_indices"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.calltypes = {
            statement: _with_plain_index(statement, signature) for statement, signature in state.calltypes.items()
        }
        return True


def _with_plain_index(statement: Any, signature: Any) -> Any:
    """Return the signature of an array access with an unsigned index; return any other signature unchanged."""
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


@register_pass(mutates_CFG=False, analysis_only=True)
class _OwnLibrary(AnalysisPass):  # type: ignore[misc]
    _name = "own_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return True


class _Pipeline(compiler.CompilerBase):  # type: ignore[misc]
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags = _Changeable(self.state.flags)

    def define_pipelines(self) -> list[Any]:
        manager = PassManager("kernel")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.RewriteSemanticConstants,
            untyped_passes.DeadBranchPrune,  # for arguments that are None
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            _PlainIndices,
            typed_passes.IRLegalization,
            _OwnLibrary,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(step, step._name)
        manager.finalize()
        return [manager]
