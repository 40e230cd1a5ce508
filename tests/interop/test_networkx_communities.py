"""Communities in the NetworkX backend."""

from itertools import pairwise

import pytest

nx = pytest.importorskip("networkx")

from networkx.algorithms import community  # noqa: E402

import stablegraph as sg  # noqa: E402

KARATE = nx.karate_club_graph()
BACKEND = {"backend": "stablegraph"}


def test_louvain_and_leiden():
    for find in (community.louvain_communities, community.leiden_communities):
        result = find(KARATE, seed=3, **BACKEND)
        assert community.is_partition(KARATE, result)
        assert result == find(KARATE, seed=3, **BACKEND)
        assert community.modularity(KARATE, result) > 0.44
        assert all(nx.is_connected(KARATE.subgraph(part)) for part in result)
        assert len(find(KARATE, seed=3, max_level=1, **BACKEND)) > len(result)
        with pytest.raises(ValueError, match="max_level"):
            find(KARATE, max_level=0, **BACKEND)


def test_partitions():
    for find in (community.louvain_partitions, community.leiden_partitions):
        levels = list(find(KARATE, weight=None, seed=1, **BACKEND))
        sizes = [len(level) for level in levels]
        assert sizes == sorted(sizes, reverse=True)
        for finer, coarser in pairwise(levels):
            assert all(any(part <= whole for whole in coarser) for part in finer)
    values = [community.modularity(KARATE, level) for level in community.louvain_partitions(KARATE, seed=2, **BACKEND)]
    assert values == sorted(values)
    assert len(list(community.louvain_partitions(KARATE, threshold=1.0, seed=2, **BACKEND))) == 1


def test_modularity():
    G = nx.Graph([("a", "b", {"weight": 0.5}), ("b", "c"), ("c", "d", {"weight": 3}), ("d", "d")])
    for parts in ([{"a", "b"}, {"c", "d"}], [{"a"}, {"b"}, {"c"}, {"d"}], [["a", "b", "c", "d"]]):
        for options in ({}, {"weight": None}, {"resolution": 0.3}):
            expected = community.modularity(G, parts, **options)
            assert community.modularity(G, parts, **options, **BACKEND) == pytest.approx(expected, abs=1e-12)
    for parts in ([{"a", "b"}], [{"a", "b", "c"}, {"c", "d"}], [{"a", "b", "c", "x"}]):
        with pytest.raises(nx.NetworkXError):
            community.modularity(G, parts, **BACKEND)
    with pytest.raises(ZeroDivisionError):
        community.modularity(nx.empty_graph(2), [{0}, {1}], **BACKEND)


def test_weights_and_names():
    G = nx.Graph()
    G.add_weighted_edges_from([("ann", "bob", 5), ("bob", "cy", 1), ("cy", "dan", 5)])
    assert community.leiden_communities(G, **BACKEND) == [{"ann", "bob"}, {"cy", "dan"}]
    assert community.louvain_communities(nx.empty_graph(0), **BACKEND) == []
    assert community.louvain_communities(nx.empty_graph(2), **BACKEND) == [{0}, {1}]
    graph = sg.as_graph(G)
    assert sg.communities(graph)[1].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("G", [nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1)])])
def test_unsupported_graphs(G):
    with pytest.raises(NotImplementedError):
        community.louvain_communities(G, **BACKEND)


def test_unsupported_weights():
    G = nx.Graph()
    G.add_edge(0, 1, weight=-1)
    with pytest.raises(NotImplementedError) as caught:
        community.louvain_communities(G, **BACKEND)
    assert "negative" in str(caught.value.__cause__)
