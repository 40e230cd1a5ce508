"""Compiling kernels to PTX on a machine without a GPU, so that no CUDA kernel rots unseen.

Both compilers ask the current device for its compute capability while they type a kernel. Without a GPU that question
is answered by a stub; nothing is ever run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np

from . import device


class _StubDevice:
    def __init__(self, compute_capability: tuple[int, int]) -> None:
        self.compute_capability = compute_capability


@contextlib.contextmanager
def _pretend_device(package: str, compute_capability: tuple[int, int]) -> Iterator[None]:
    def stub() -> _StubDevice:
        return _StubDevice(compute_capability)

    root = "numba_cuda_mlir.numba_cuda" if package == "numba_cuda_mlir" else "numba.cuda"
    with mock.patch(f"{root}.api.get_current_device", stub, create=True), contextlib.ExitStack() as more:
        if package != "numba_cuda_mlir":
            more.enter_context(mock.patch(f"{root}.dispatcher.get_current_device", stub, create=True))
        yield


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
    with _pretend_device(package, compute_capability):
        ptx, _ = cuda.compile_ptx(function, types, cc=compute_capability)
    return str(ptx)
