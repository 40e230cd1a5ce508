"""Compiling kernels to PTX with numba-cuda: for a GPU, and in tests on a machine without one.

Both packages that compile for CUDA ask the current device for its compute capability while they compile a kernel.
Without a GPU that question is answered by a stub; nothing is run.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from .. import device
from ..declaration import Declaration, rebuilt

_LOOPS = {
    "items": """
def {name}(count, {flat}):
    for item in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(item, {grouped})
""",
    "workers": """
def {name}(count, {flat}):
    for worker in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(worker, count, {grouped})
""",
    "single": """
def {name}({flat}):
    if cuda.grid(1) == 0:
        body({grouped})
""",
}
_LOOPS["edges"] = _LOOPS["items"]

# Where each package asks. numba-cuda-mlir asks a second time when it has typed a kernel, and remembers that answer.
_QUESTIONS = {
    "numba.cuda": ("numba.cuda.api.get_current_device", "numba.cuda.dispatcher.get_current_device"),
    "numba_cuda_mlir": (
        "numba_cuda_mlir.numba_cuda.api.get_current_device",
        "numba_cuda_mlir.numba_cuda.dispatcher.get_current_device",
    ),
}
_ANSWER_OF_MLIR = "numba_cuda_mlir.tools._cached_cc"


def compile_to_ptx(
    kernel: Declaration, arguments: tuple[Any, ...], compute_capability: tuple[int, int] = (9, 0)
) -> str:
    """Return the PTX of a kernel for the Numba types of its flattened arguments, without the count of items."""
    from numba import from_dtype

    package = device.cuda_package()
    if package is None:
        raise RuntimeError("compiling for CUDA needs the extra 'ptx': pip install 'stablegraph[ptx]'")
    leading = () if kernel.by == "single" else (from_dtype(np.dtype(np.int64)),)
    types = (*leading, *arguments)
    stub = SimpleNamespace(compute_capability=compute_capability)
    with contextlib.ExitStack() as pretended:
        for question in _QUESTIONS[package]:
            pretended.enter_context(mock.patch(question, lambda: stub, create=True))
        if package == "numba_cuda_mlir":
            types = tuple(map(_type_of_mlir, types))
            pretended.enter_context(mock.patch(_ANSWER_OF_MLIR, compute_capability))
        ptx, _ = device.cuda_module().compile_ptx(_loop(kernel), types, cc=compute_capability)
    return ptx.decode() if isinstance(ptx, bytes) else str(ptx)


def _loop(kernel: Declaration) -> Any:
    """The CUDA function that runs a kernel's body for all items, with groups unpacked into plain arguments."""
    cuda = device.cuda_module()
    flat: list[str] = []
    grouped: list[str] = []
    for name in kernel.parameters:
        group = kernel.groups.get(name)
        members = [name] if group is None else [f"{name}_{field}" for field in group._fields]
        flat += members
        grouped.append(name if group is None else f"{group.__name__}({', '.join(members)})")
    text = _LOOPS[kernel.by].format(name=kernel.__name__, flat=", ".join(flat), grouped=", ".join(grouped))
    body = cuda.jit(device=True)(rebuilt(kernel.function, lambda rule: rule.cuda))
    place = kernel.function.__code__  # messages name the kernel's file and line
    code = compile("\n" * (place.co_firstlineno - 1) + text.lstrip(), place.co_filename, "exec")
    space = {"__name__": kernel.function.__module__, "__builtins__": builtins, "body": body, "cuda": cuda}
    space |= {group.__name__: group for group in kernel.groups.values()}
    exec(code, space)
    return space[kernel.__name__]


def numba_type(kind: Any) -> Any:
    """Return the Numba type of an argument: of a dtype, or of (dtype, dimensions, whether it is contiguous)."""
    from numba import from_dtype, types

    if isinstance(kind, tuple):
        dtype, ndim, is_contiguous = kind
        return types.Array(from_dtype(dtype), ndim, "C" if is_contiguous else "A")
    return from_dtype(np.dtype(kind))


def _type_of_mlir(kind: Any) -> Any:
    """A Numba type as numba-cuda-mlir, which has type objects of its own, names it."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(kind, types.Array):
        array = importlib.import_module("numba_cuda_mlir.types").Array
        return array(_type_of_mlir(kind.dtype), kind.ndim, kind.layout, readonly=not kind.mutable)
    return importlib.import_module("numba_cuda_mlir.numba_cuda.np.numpy_support").from_dtype(as_dtype(kind))
