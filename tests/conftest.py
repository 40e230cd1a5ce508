"""Settings and fixtures of all tests: three threads even on two cores, the zoo, real data."""

import os
import signal
import sys

os.environ["STABLEGRAPH_MAX_THREADS"] = "3"  # otherwise tests with 3 threads could not run on 2 cores
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, whose children would ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import stablegraph as sg

from .support.zoo import FEW, ZOO

settings.register_profile(
    "stablegraph",
    deadline=None,  # the first example imports modules
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("stablegraph")


def pytest_collection_modifyitems(items):
    for_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if for_gpu:
        from stablegraph._core.runtime.gpu_code import cuda_available

        if not cuda_available():
            for item in for_gpu:
                item.add_marker(pytest.mark.skip(reason="no CUDA device, no CuPy, or no compiled GPU code"))


@pytest.fixture(autouse=True)
def _no_compiler(request, monkeypatch):
    """Only tests marked `jit` may compile kernels; all other tests use the library of compiled kernels."""
    if not request.node.get_closest_marker("jit"):
        for name in ("numba", "stablegraph._core.runtime.jit.backend"):
            monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture(params=ZOO, ids=lambda name: name.replace(" ", "-"))
def zoo_graph(request):
    """Return every graph of the zoo in turn, as a Graph."""
    return sg.as_graph(ZOO[request.param])


def _mostly_slow(name):
    return pytest.param(name, marks=() if name in FEW else pytest.mark.slow, id=name.replace(" ", "-"))


@pytest.fixture(params=map(_mostly_slow, ZOO))
def emulated_graph(request):
    """Return zoo graphs for emulated code, which is slow: a few of them, or all if slow tests are requested."""
    return sg.as_graph(ZOO[request.param])


@pytest.fixture(params=[1, 2, 3], ids=lambda n: f"{n}-threads")
def threads(request):
    """Run the test with 1, 2 and 3 threads."""
    before = sg.num_threads()
    sg.set_num_threads(request.param)
    yield request.param
    sg.set_num_threads(before)


@pytest.fixture(scope="session")
def data_file():
    """Return a function that maps the name of a real data file to its path, and skips the test without the data."""

    def find(name):
        folder = os.environ.get("STABLEGRAPH_DATA")
        if not folder:
            pytest.skip("STABLEGRAPH_DATA does not name the folder of real graphs")
        path = Path(folder) / name
        if not path.exists():
            pytest.skip(f"{name} is not in the folder STABLEGRAPH_DATA")
        return path

    return find
