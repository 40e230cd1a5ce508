"""Every kernel of the package is CUDA code: compiled to PTX for sm_90, which needs no GPU.

The argument types are those with which `warmup` compiled the kernel for the CPU. So `warmup` must reach every kernel,
and a new kernel is found by itself: it stands in the registry as soon as its module is imported.
"""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import stablegraph
from stablegraph.parallel import Kernel, device


def kernels_of_the_package() -> list[Kernel]:
    for module in pkgutil.walk_packages(stablegraph.__path__, "stablegraph."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:  # an extra that is not installed; never one of our own
                if (error.name or "").partition(".")[0] == "stablegraph":
                    raise
    return [k for k in Kernel.registry if k.function.__module__.partition(".")[0] == "stablegraph"]


KERNELS = kernels_of_the_package()
each_kernel = pytest.mark.parametrize("compiled", [pytest.param(k, id=repr(k)) for k in KERNELS])


@pytest.fixture(scope="module", autouse=True)
def _everything_compiled_for_the_cpu():
    stablegraph.warmup()


def test_there_are_kernels():
    assert KERNELS


@each_kernel
def test_warmup_reaches_every_kernel(compiled):
    assert compiled.compiled_signatures(), f"warmup() does not call {compiled}"


@pytest.mark.skipif(device.cuda_package() is None, reason="no CUDA compiler for Python; install the extra 'ptx'")
@each_kernel
def test_every_kernel_compiles_for_cuda(compiled):
    for signature in compiled.compiled_signatures():
        ptx = compiled.compile_for_cuda(signature)
        assert ".entry" in ptx
        assert ".target sm_90" in ptx
