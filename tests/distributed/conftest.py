"""Clusters for these tests, which are skipped if Dask is missing."""

import pytest

pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[dask]'")

import dask

from tests.killed_workers import cluster_of_processes
from tests.support.cases import Cases
from tests.support.serial_client import SerialClient


@pytest.fixture
def client():
    """Return a client that runs each task twice, immediately and in this process."""
    with dask.config.set(scheduler="sync"):
        yield SerialClient(twice=True)


@pytest.fixture
def quick_client():
    """Return a client that runs each task once, which takes a third of the time."""
    with dask.config.set(scheduler="sync"):
        yield SerialClient()


def _counts(*quick):
    slow = [count for count in (1, 2, 3, 7) if count not in quick]
    return [pytest.param(quick, id="few"), pytest.param(slow, id="more", marks=pytest.mark.slow)]


@pytest.fixture(params=_counts(3, 7))
def partitions(request):
    """Visit numbers of partitions: three and seven; one and two only if slow tests are requested."""
    return Cases(request.param)


@pytest.fixture(params=_counts(3))
def few_partitions(request):
    """Like `partitions` for expensive tests: three, and the other numbers if slow tests are requested."""
    return Cases(request.param)


@pytest.fixture(params=_counts(7))
def many_partitions(request):
    """Like `partitions` for expensive tests: seven, and the other numbers if slow tests are requested."""
    return Cases(request.param)


@pytest.fixture(params=["finished", "rounds"])
def little(request, monkeypatch):
    """One task finishes the remaining vertices; or rounds continue until no vertex remains."""
    from stablegraph.cluster import supersteps

    monkeypatch.setattr(supersteps, "MAX_ENTRIES_OF_ONE_TASK", 40 if request.param == "finished" else 0)
    return request.param


@pytest.fixture(scope="package")  # later tests would share their processor with its timers
def threads_cluster():
    """Return a Dask client whose two workers are threads of this process."""
    from distributed import Client

    with Client(
        processes=False, protocol="tcp", n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as client:
        yield client


@pytest.fixture(scope="module")
def _processes():
    with cluster_of_processes(2, set_as_default=False) as client:
        yield client


@pytest.fixture
def processes_cluster(_processes):
    """Return a Dask client with two worker processes, which may be killed: the cluster starts new ones."""
    _processes.wait_for_workers(2)
    with _processes.as_current():
        yield _processes


@pytest.fixture
def separate_cluster():
    """Return a Dask client with two worker processes for a test that leaves the cluster without them."""
    with cluster_of_processes(2) as client:
        yield client
