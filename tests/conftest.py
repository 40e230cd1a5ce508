"""Settings and fixtures of all tests: three threads even on two cores, the zoo, real data."""

import gc
import inspect
import os
import signal
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its idle threads would wait in loops; read when NumPy is imported
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "false")  # a hundred samples per second
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # tests compare arrays of JAX with NumPy's; it would also fill a GPU
os.environ["STABLEGRAPH_MAX_THREADS"] = "3"  # otherwise tests with 3 threads could not run on 2 cores
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, whose children would ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)

from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import stablegraph as sg

from .support.cases import Cases, run_cases
from .support.zoo import HARD, QUICK_ZOO, SMALL, ZOO

settings.register_profile(
    "stablegraph",
    deadline=None,  # the first example imports modules
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("stablegraph")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Let no garbage collection visit modules and tests, which stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(50_000)  # by default, collections take 3 % of the time


@pytest.fixture(scope="module", autouse=True)
def _no_collection_of_imported_modules():
    """Let no garbage collection visit the objects that earlier test modules left, mostly modules that they imported.

    A collection of all generations takes 0.1 s otherwise, and long tests run many of them.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items):
    for_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if for_gpu:
        from stablegraph._core.runtime.cuda.gpu_code import cuda_available

        if not cuda_available():
            for item in for_gpu:
                item.add_marker(pytest.mark.skip(reason="no CUDA device, no CuPy, or no compiled GPU code"))


@pytest.fixture(autouse=True)
def _no_compiler(request, monkeypatch):
    """Only tests marked `jit` may compile kernels; all other tests use the library of compiled kernels."""
    if not request.node.get_closest_marker("jit"):
        for name in ("numba", "stablegraph._core.runtime.jit.backend"):
            monkeypatch.setitem(sys.modules, name, None)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Loop over the cases of a test inside its item; see tests/support/cases.py."""
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names if name in pyfuncitem.funcargs}
    return run_cases(pyfuncitem.obj, arguments) or None


def _graphs(graphs):
    return Cases({name: sg.as_graph(graph) for name, graph in graphs.items()})


@pytest.fixture(
    params=[
        pytest.param(QUICK_ZOO, id="small"),
        pytest.param({name: ZOO[name] for name in SMALL}, id="rest", marks=pytest.mark.slow),
    ]
)
def zoo_graph(request):
    """Visit every graph of the zoo in turn, as a Graph; a few of them are smaller, except in slow tests."""
    return _graphs(request.param)


@pytest.fixture(
    params=[
        pytest.param({name: ZOO[name] for name in HARD}, id="few"),
        pytest.param({name: ZOO[name] for name in ZOO if name not in HARD}, id="rest", marks=pytest.mark.slow),
    ]
)
def hard_graph(request):
    """Visit the zoo graphs with all typical difficulties, for expensive tests; the other ones in slow tests."""
    return _graphs(request.param)


@contextmanager
def _thread_count(count):
    before = sg.num_threads()
    sg.set_num_threads(count)
    try:
        yield
    finally:
        sg.set_num_threads(before)


@pytest.fixture
def threads():
    """Run the test with 1, 2 and 3 threads in turn."""
    return Cases([1, 2, 3], use=_thread_count)


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
