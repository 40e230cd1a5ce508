"""Clusters for these tests; all are skipped where Dask is missing."""

import pytest

pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[dask]'")

from ..support.serial_client import SerialClient


@pytest.fixture
def client():
    """A client that runs each task twice, at once, in this process."""
    return SerialClient(twice=True)


def _counts(*quick):
    return [
        pytest.param(count, marks=() if count in quick else pytest.mark.slow, id=f"{count}-partitions")
        for count in (1, 2, 3, 7)
    ]


@pytest.fixture(params=_counts(3, 7))
def partitions(request):
    """Into how many partitions graphs are split; one and two if slow tests are asked for."""
    return request.param


@pytest.fixture(params=_counts(3))
def few_partitions(request):
    """The same where much is called: three, and the other numbers if slow tests are asked for."""
    return request.param


@pytest.fixture(params=["finished", "rounds"])
def little(request, monkeypatch):
    """What is left is finished by one task; or there are rounds until nothing is left."""
    from stablegraph.distributed import supersteps

    monkeypatch.setattr(supersteps, "LITTLE", 40 if request.param == "finished" else 0)


@pytest.fixture(scope="session")
def threads_cluster():
    """A client of Dask's, whose two workers are threads of this process."""
    from distributed import Client

    with Client(
        processes=False, protocol="tcp", n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as client:
        yield client


@pytest.fixture
def processes_cluster():
    """A client of Dask's with two worker processes, one of which may be killed."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        yield client
