"""Bridges in the NetworkX backend."""

import pytest

nx = pytest.importorskip("networkx")

import stablegraph as sg  # noqa: E402
from tests.support.cases import each  # noqa: E402
from tests.support.zoo import ZOO  # noqa: E402

BACKEND = {"backend": "stablegraph"}


@each(name=ZOO)
def test_bridges_are_those_of_networkx(name):
    G = nx.relabel_nodes(sg.as_graph(ZOO[name]).simple().to_networkx(), lambda v: f"node {-v}")
    expected, place = list(nx.bridges(G)), {v: i for i, v in enumerate(G)}
    found = list(nx.bridges(G, **BACKEND))
    assert set(found) == set(expected)
    assert found == sorted(found, key=lambda edge: (place[edge[0]], place[edge[1]]))
    assert nx.has_bridges(G, **BACKEND) == bool(expected)


def test_unsupported_graphs():
    for call in (nx.bridges, nx.has_bridges):
        with pytest.raises(NotImplementedError):
            call(nx.Graph([(0, 0), (0, 1)]), **BACKEND)
        with pytest.raises(NotImplementedError):
            call(nx.Graph([(0, 1)]), root=0, **BACKEND)
        with pytest.raises(NotImplementedError):
            call(nx.MultiGraph([(0, 1), (0, 1)]), **BACKEND)
        with pytest.raises(nx.NetworkXNotImplemented):
            call(nx.DiGraph([(0, 1)]), **BACKEND)
