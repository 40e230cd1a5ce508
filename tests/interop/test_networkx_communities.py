"""Communities in the NetworkX backend."""

from functools import partial
from itertools import pairwise

import pytest

nx = pytest.importorskip("networkx")

from networkx.algorithms import community  # noqa: E402

import stablegraph as sg  # noqa: E402
from stablegraph.interop.networkx_backend import sets as backend  # noqa: E402

KARATE = nx.karate_club_graph()
BACKEND = {"backend": "stablegraph"}
METRIC = {} if nx.__version__.startswith(("3.5", "3.6")) else {"metric": "modularity"}


def test_louvain_and_leiden():
    for find in (community.louvain_communities, partial(community.leiden_communities, **METRIC)):
        result = find(KARATE, seed=3, **BACKEND)
        assert community.is_partition(KARATE, result)
        assert result == find(KARATE, seed=3, **BACKEND)
        assert community.modularity(KARATE, result) > 0.44
        assert all(nx.is_connected(KARATE.subgraph(part)) for part in result)
        assert len(find(KARATE, seed=3, max_level=1, **BACKEND)) > len(result)
        with pytest.raises(ValueError, match="max_level"):
            find(KARATE, max_level=0, **BACKEND)


def test_partitions():
    for find in (community.louvain_partitions, partial(community.leiden_partitions, **METRIC)):
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
    if nx.__version__.startswith(("3.5", "3.6")):
        with pytest.raises(ZeroDivisionError):
            community.modularity(nx.empty_graph(2), [{0}, {1}], **BACKEND)
    else:
        assert community.modularity(nx.empty_graph(2), [{0}, {1}], **BACKEND) == 0


def test_weights_and_names():
    G = nx.Graph()
    G.add_weighted_edges_from([("ann", "bob", 5), ("bob", "cy", 1), ("cy", "dan", 5)])
    assert community.louvain_communities(G, **BACKEND) == [{"ann", "bob"}, {"cy", "dan"}]
    assert community.louvain_communities(nx.empty_graph(0), **BACKEND) == []
    assert community.louvain_communities(nx.empty_graph(2), **BACKEND) == [{0}, {1}]
    graph = sg.as_graph(G)
    assert sg.communities(graph)[1].tolist() == [0, 0, 1, 1]


def test_parallel_edges_are_summed():
    single, parallel = nx.karate_club_graph(), nx.MultiGraph(KARATE)
    single.add_edge(0, 1, weight=13)
    parallel.add_edge(0, 1, weight=9)  # in addition to 4
    for find in (community.louvain_communities, partial(community.leiden_communities, **METRIC)):
        found = find(parallel, seed=3, **BACKEND)
        assert found == find(single, seed=3, **BACKEND)
    for weight in ("weight", None):
        expected = community.modularity(parallel, found, weight=weight)
        assert community.modularity(parallel, found, weight=weight, **BACKEND) == pytest.approx(expected, abs=1e-12)
    view = parallel.subgraph(range(9))
    assert community.is_partition(view, community.louvain_communities(view, **BACKEND))


def test_metrics_of_leiden():
    """NetworkX before 3.7 passes no metric; the functions of the backend accept one with any version."""
    graph = sg.as_graph(KARATE)
    converted = backend.BackendGraph(graph._replace(weights=None), range(len(graph)), _weights(graph))
    for metric, objective in (("cpm", sg.potts), ("modularity", sg.modularity)):
        found = backend.leiden_communities(converted, resolution=0.2, seed=3, metric=metric, theta=0.1)
        assert community.is_partition(KARATE, found)
        labels = [next(i for i, part in enumerate(found) if v in part) for v in KARATE]
        others = sg.communities(graph, objective=metric, resolution=0.2)[1]
        assert objective(graph, labels, resolution=0.2) > 0.97 * objective(graph, others, resolution=0.2)
    with pytest.raises(nx.NetworkXError, match="metric must be 'cpm' or 'modularity', got 'cmp'"):
        backend.leiden_communities(converted, metric="cmp")


def _weights(graph):
    from stablegraph.interop.networkx_backend.graph import Column

    return Column("weight", graph.weights)


def test_directed_graphs_are_not_supported():
    with pytest.raises(NotImplementedError):
        community.louvain_communities(nx.DiGraph([(0, 1)]), **BACKEND)


def test_unsupported_weights():
    G = nx.Graph()
    G.add_edge(0, 1, weight=-1)
    with pytest.raises(NotImplementedError) as caught:
        community.louvain_communities(G, **BACKEND)
    assert "negative" in str(caught.value.__cause__)
