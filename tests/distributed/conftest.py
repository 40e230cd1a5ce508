"""Clusters for these tests, which are skipped if Dask is missing."""

import pytest

pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[dask]'")

from ..support.serial_client import SerialClient


@pytest.fixture
def client():
    """Return a client that runs each task twice, immediately and in this process."""
    return SerialClient(twice=True)


def _counts(*quick):
    return [
        pytest.param(count, marks=() if count in quick else pytest.mark.slow, id=f"{count}-partitions")
        for count in (1, 2, 3, 7)
    ]


@pytest.fixture(params=_counts(3, 7))
def partitions(request):
    """Return the number of partitions; one and two only if slow tests are requested."""
    return request.param


@pytest.fixture(params=_counts(3))
def few_partitions(request):
    """Like `partitions` for expensive tests: three, and the other numbers if slow tests are requested."""
    return request.param


@pytest.fixture(params=["finished", "rounds"])
def little(request, monkeypatch):
    """One task finishes the remaining vertices; or rounds continue until no vertex remains."""
    from stablegraph.distributed import supersteps

    monkeypatch.setattr(supersteps, "LITTLE", 40 if request.param == "finished" else 0)


@pytest.fixture(scope="session")
def threads_cluster():
    """Return a Dask client whose two workers are threads of this process."""
    from distributed import Client

    with Client(
        processes=False, protocol="tcp", n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as client:
        yield client


@pytest.fixture
def processes_cluster():
    """Return a Dask client with two worker processes, one of which may be killed."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        yield client
