"""Every kernel of the package is CUDA code: compiled to PTX for sm_90, which needs no GPU.

The argument types are those of the calls in `support/every_call.py`, which must reach every kernel. A new kernel is
found without further registration, because the registry lists it as soon as its module is imported.
"""

from __future__ import annotations

import dis
import importlib
import itertools
import pkgutil

import numpy as np
import pytest
from numba import types

import stablegraph
from stablegraph.parallel import Kernel, device
from stablegraph.parallel.fingerprint import fingerprint
from stablegraph.parallel.primitives import compact, exclusive_scan, histogram, partition, reduce, sort_by_key

from .support.every_call import NARROW, WIDE, make_every_call


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


def call_the_primitives() -> None:
    """Call the shared steps in the forms that no public function uses."""
    values, mask = np.arange(10_000), np.arange(10_000) % 3 == 0
    exclusive_scan(values)
    compact(mask)
    partition(values, mask)
    for how in ("sum", "min", "max"):
        reduce(values.astype(np.float64), how)
        reduce(values, how)
    histogram(values, 10_000)
    sort_by_key(values)


@pytest.fixture(scope="module")
def narrow():
    """Call all kernels on the CPU with the types of usual graphs."""
    make_every_call(NARROW)
    call_the_primitives()


@pytest.fixture(scope="module")
def wide(narrow):
    """Also call them with the types of graphs with 2**31 or more entries or vertices."""
    make_every_call(WIDE)


with_a_cuda_compiler = pytest.mark.skipif(
    device.cuda_package() is None, reason="no CUDA compiler for Python; install the extra 'ptx'"
)


def check_cuda_code(compiled: Kernel) -> None:
    for signature in compiled.compiled_signatures():
        ptx = compiled.compile_for_cuda(signature)
        assert ".entry" in ptx
        assert ".target sm_90" in ptx


def test_kernels_have_fingerprints_of_their_own():
    assert len({fingerprint(k.function) for k in KERNELS}) == len(KERNELS) > 100


@each_kernel
def test_every_kernel_is_reached(narrow, compiled):
    signatures = compiled.compiled_signatures()
    assert signatures, f"nothing calls {compiled}: add a call to tests/support/every_call.py"
    for kind in itertools.chain.from_iterable(signatures):
        assert not isinstance(kind, types.BaseTuple), f"{compiled} gets a group: annotate its parameter"


@each_kernel
def test_kernels_return_nothing(compiled):
    values = [i.argval for i in dis.get_instructions(compiled.function) if i.opname == "RETURN_CONST"]
    before = itertools.pairwise(dis.get_instructions(compiled.function))
    values += [a.argval if a.opname == "LOAD_CONST" else a for a, b in before if b.opname == "RETURN_VALUE"]
    assert values and not any(values), "what a kernel returns is lost: write it into an array"


@with_a_cuda_compiler
@each_kernel
def test_every_kernel_compiles_for_cuda(narrow, compiled):
    check_cuda_code(compiled)


@pytest.mark.slow
@with_a_cuda_compiler
@each_kernel
def test_every_kernel_compiles_for_cuda_for_wide_graphs(wide, compiled):
    check_cuda_code(compiled)
