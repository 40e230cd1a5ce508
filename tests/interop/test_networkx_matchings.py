"""Matchings and bipartite graphs in the NetworkX backend."""

import pytest

nx = pytest.importorskip("networkx")

import stablegraph as sg  # noqa: E402
from tests.support.cases import each  # noqa: E402
from tests.support.zoo import ZOO  # noqa: E402

BACKEND = {"backend": "stablegraph"}


@each(name=ZOO)
def test_maximal_matchings(name):
    G = nx.relabel_nodes(sg.as_graph(ZOO[name]).to_networkx(), lambda v: f"node {-v}")
    found = nx.maximal_matching(G, **BACKEND)
    assert nx.is_maximal_matching(G, found)
    assert found <= set(G.edges)
    assert nx.is_bipartite(G, **BACKEND) == nx.is_bipartite(G)


def test_unsupported_graphs():
    for G in (nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1)])):
        with pytest.raises(nx.NetworkXNotImplemented):
            nx.maximal_matching(G, **BACKEND)
    with pytest.raises(NotImplementedError):
        nx.is_bipartite(nx.DiGraph([(0, 1)]), **BACKEND)
    assert nx.is_bipartite(nx.MultiGraph([(0, 1), (0, 1)]), **BACKEND)
