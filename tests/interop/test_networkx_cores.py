"""Core numbers and k-cores in the NetworkX backend."""

import pytest

nx = pytest.importorskip("networkx")

import stablegraph as sg  # noqa: E402
from tests.support.cases import each  # noqa: E402
from tests.support.zoo import ZOO  # noqa: E402

BACKEND = {"backend": "stablegraph"}


@each(name=ZOO)
def test_cores_are_those_of_networkx(name):
    G = nx.relabel_nodes(sg.as_graph(ZOO[name]).simple().to_networkx(), lambda v: f"node {-v}")
    nx.set_edge_attributes(G, 3, "meters")
    nx.set_node_attributes(G, "green", "color")
    numbers = nx.core_number(G)
    assert nx.core_number(G, **BACKEND) == numbers
    for k in (None, 0, 1, 2, 5):
        if numbers or k is not None:
            expected = nx.k_core(G, k)
            found = nx.k_core(G, k, **BACKEND)
            assert nx.utils.graphs_equal(found, expected) and list(found) == list(expected)
            assert nx.utils.graphs_equal(nx.k_core(G, k, core_number=numbers, **BACKEND), expected)


def test_unsupported_graphs():
    loop = nx.Graph([(0, 0), (0, 1)])
    for call in (nx.core_number, nx.k_core):
        with pytest.raises(nx.NetworkXNotImplemented, match="loops"):
            call(loop, **BACKEND)
        with pytest.raises(nx.NetworkXNotImplemented):
            call(nx.MultiGraph([(0, 1)]), **BACKEND)
        with pytest.raises(NotImplementedError):
            call(nx.DiGraph([(0, 1)]), **BACKEND)
