"""Compiling kernels to PTX on a machine without a GPU, so that no CUDA kernel rots unseen.

Both compilers ask the current device for its compute capability while they compile a kernel. Without a GPU that
question is answered by a stub; nothing is ever run.
"""

from __future__ import annotations

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from . import device

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
    function: Any, leading: tuple[Any, ...], arguments: tuple[Any, ...], compute_capability: tuple[int, int]
) -> str:
    """PTX of a kernel's CUDA driver for Numba argument types; `leading` are NumPy types of the driver's own."""
    from numba import from_dtype

    package = device.cuda_package()
    if package is None:
        raise RuntimeError("compiling for CUDA needs the extra 'ptx': pip install 'stablegraph[ptx]'")
    types = tuple(from_dtype(np.dtype(kind)) for kind in leading) + tuple(arguments)
    cuda = device.cuda_module()
    stub = SimpleNamespace(compute_capability=compute_capability)
    with contextlib.ExitStack() as pretended:
        for question in _QUESTIONS[package]:
            pretended.enter_context(mock.patch(question, lambda: stub, create=True))
        if package == "numba_cuda_mlir":
            types = tuple(map(_type_of_mlir, types))
            pretended.enter_context(mock.patch(_ANSWER_OF_MLIR, compute_capability))
        ptx, _ = cuda.compile_ptx(function, types, cc=compute_capability)
    return ptx.decode() if isinstance(ptx, bytes) else str(ptx)


def _type_of_mlir(kind: Any) -> Any:
    """A Numba type as numba-cuda-mlir, which has type objects of its own, names it."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(kind, types.Array):
        array = importlib.import_module("numba_cuda_mlir.types").Array
        return array(_type_of_mlir(kind.dtype), kind.ndim, kind.layout, readonly=not kind.mutable)
    return importlib.import_module("numba_cuda_mlir.numba_cuda.np.numpy_support").from_dtype(as_dtype(kind))
