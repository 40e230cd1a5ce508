"""Every kernel of the package is CUDA code: compiled to PTX for sm_90, which needs no GPU.

The argument types are those with which the kernel was compiled for the CPU: by `warmup`, and by `rare_calls` for what
only errors, odd inputs and unused steps reach. A new kernel is found by itself, since it stands in the registry as soon
as its module is imported, and must then be reached by one of the two.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph
from stablegraph.parallel import Kernel, device
from stablegraph.parallel.primitives import compact, exclusive_scan, histogram, partition, reduce, sort_by_key


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


def rare_calls(folder: Path) -> None:
    """What `warmup` leaves out: nobody waits for these."""
    with pytest.raises(ValueError, match="no partner"):
        stablegraph.as_graph(sp.csr_array(np.array([[0, 1], [0, 0]])))
    doubled = np.array([0, 2, 4], np.int32), np.array([1, 1, 0, 0], np.int32)
    stablegraph.as_graph(doubled).degrees()
    stablegraph.as_graph(doubled).subgraph([True, False])
    for included in ([0], [1]):
        stablegraph.maximal_independent_set(stablegraph.gallery.grid((5, 5)), include=included)

    values, mask = np.arange(10_000), np.arange(10_000) % 3 == 0
    exclusive_scan(values)
    compact(mask)
    partition(values, mask)
    for how in ("sum", "min", "max"):
        reduce(values.astype(np.float64), how)
        reduce(values, how)
    histogram(values, 10_000)
    sort_by_key(values)

    text = folder / "edges.txt"
    text.write_text("0 1 0.12345678901234567890123456789\n1 2 0.5\n")
    stablegraph.read_graph(text, symmetrize=True)
    text.write_text("0 1 1\n1 2\n")
    with pytest.raises(ValueError, match="line 2"):
        stablegraph.read_graph(text, symmetrize=True)


@pytest.fixture(scope="module", autouse=True)
def _everything_compiled_for_the_cpu(tmp_path_factory):
    stablegraph.warmup()
    rare_calls(tmp_path_factory.mktemp("rare"))


def test_there_are_kernels():
    assert KERNELS


@each_kernel
def test_every_kernel_is_reached(compiled):
    assert compiled.compiled_signatures(), f"neither warmup() nor rare_calls() reaches {compiled}"


@pytest.mark.skipif(device.cuda_package() is None, reason="no CUDA compiler for Python; install the extra 'ptx'")
@each_kernel
def test_every_kernel_compiles_for_cuda(compiled):
    for signature in compiled.compiled_signatures():
        ptx = compiled.compile_for_cuda(signature)
        assert ".entry" in ptx
        assert ".target sm_90" in ptx
