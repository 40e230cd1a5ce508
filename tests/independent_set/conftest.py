"""Fixtures of the tests of independent sets."""

import pytest

import stablegraph as sg
from stablegraph._core.engines import order as order_engine
from stablegraph.independent_set.greedy import priority as priority_file
from tests.support.zoo import preferential, symmetric_csr


@pytest.fixture(params=["rounds", "as it comes"])
def rounds(request, monkeypatch):
    """Small graphs are finished serially; "rounds" forces parallel rounds."""
    if request.param == "rounds":
        monkeypatch.setattr(priority_file, "_SERIAL_BELOW_VERTICES", 0)
        monkeypatch.setattr(order_engine, "MIN_WORKERS", 0)


@pytest.fixture(scope="session")
def larger():
    """Return a graph with thousands of vertices, including hubs, so that all threads work at the same time."""
    return sg.as_graph(symmetric_csr(6000, preferential(6000, 5, seed=3)))
