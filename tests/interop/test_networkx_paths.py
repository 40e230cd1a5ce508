"""Shortest paths, reachable nodes and forests in the NetworkX backend: NetworkX's lengths, paths of these lengths."""

from itertools import pairwise
from random import Random

import pytest

from tests.support.cases import each

nx = pytest.importorskip("networkx")


@pytest.fixture(autouse=True)
def without_warnings(monkeypatch):
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})


def made(seed, kind=nx.Graph, weights=(0, 1, 2, 0.5, 7)):
    """Return a random graph with names, loops, and edges with or without weights."""
    random = Random(seed)
    graph = kind()
    n = random.randint(1, 12)
    graph.add_nodes_from(f"n{v}" for v in range(n))
    for _ in range(random.randint(0, 2 * n)):
        u, v = (f"n{random.randrange(n)}" for _ in range(2))
        graph.add_edge(u, v, **({"weight": random.choice(weights)} if random.random() < 0.8 else {}))
    return graph


def outcome(call, backend):
    try:
        return call(backend)
    except Exception as error:
        return type(error), str(error)


def same(function, *arguments, **options):
    """Return the answer of the backend, which equals that of NetworkX; errors are answers."""
    call = lambda backend: function(*arguments, backend=backend, **options)  # noqa: E731
    answer = outcome(call, "stablegraph")
    assert answer == outcome(call, None)
    return answer


def length_of(graph, path, weight):
    return sum(graph[u][v].get(weight, 1) for u, v in pairwise(path))


@each(seed=range(25), kind=[nx.Graph, nx.DiGraph])
def test_lengths_are_those_of_networkx_and_paths_have_them(seed, kind):
    graph = made(seed, kind)
    random = Random(seed)
    nodes = [*graph, "no node"]
    source, target = random.choice(nodes), random.choice(nodes)
    for weight in ("weight", None, "no attribute"):
        options = {"weight": weight}
        for cutoff in (None, 0, 1.5, 3, -1):
            lengths = same(nx.single_source_dijkstra_path_length, graph, source, cutoff=cutoff, **options)
            paths = outcome(
                lambda backend, options={**options, "cutoff": cutoff}: nx.single_source_dijkstra(
                    graph, source, backend=backend, **options
                ),
                "stablegraph",
            )
            if isinstance(lengths, dict):
                assert list(lengths) == list(paths[1]) and lengths == paths[0]
                assert list(lengths.values()) == sorted(lengths.values())
                for end, path in paths[1].items():
                    assert path[0] == source and path[-1] == end
                    assert length_of(graph, path, weight) == lengths[end]
        same(nx.shortest_path_length, graph, source, **options)
        if weight is None:
            continue
        length = same(nx.shortest_path_length, graph, source, target, **options)
        call = lambda backend, o=options: nx.dijkstra_path(graph, source, target, backend=backend, **o)  # noqa: E731
        path = outcome(call, "stablegraph")
        if isinstance(path, tuple):
            assert path == outcome(call, None)
        else:
            assert path[0] == source and path[-1] == target and length_of(graph, path, weight) == length
        paths = outcome(lambda b, o=options: nx.shortest_path(graph, source, backend=b, **o), "stablegraph")
        if isinstance(paths, dict):
            assert paths == nx.single_source_dijkstra_path(graph, source, **options, backend="stablegraph")
        same(nx.dijkstra_path_length, graph, source, target, **options)


@each(seed=range(25), kind=[nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_reachable_nodes(seed, kind):
    graph = made(seed, kind)
    for source in (Random(seed).choice([*graph]), "no node"):
        for function in (nx.descendants, nx.ancestors):
            same(function, graph, source)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: nx.single_source_dijkstra(made(0), "n0", weight=lambda u, v, d: 1, backend=b), "got a function"),
        (lambda b: nx.shortest_path(made(0), weight="weight", backend=b), "between all pairs"),
        (lambda b: nx.shortest_path_length(made(0), "n0", "n0", backend=b), "target is supported only with weight"),
        (lambda b: nx.shortest_path(made(0), "n0", weight="weight", method="bellman-ford", backend=b), "'dijkstra'"),
        (lambda b: nx.dijkstra_path(made(0, nx.MultiGraph), "n0", "n0", backend=b), "parallel edges"),
        (lambda b: nx.shortest_path(made(0), "n0", backend=b), "weight is required"),
    ],
)
def test_unsupported_arguments_are_named(call, words):
    with pytest.raises(NotImplementedError) as caught:
        call("stablegraph")
    assert words in str(caught.value.__cause__ or caught.value)


def test_negative_weights_are_refused():
    graph = nx.Graph([(0, 1, {"weight": -1})])
    with pytest.raises(ValueError, match="at least 0; pass weight=None"):
        nx.dijkstra_path(graph, 0, 1, backend="stablegraph")


def test_a_long_path():
    graph = nx.path_graph(3000)
    assert nx.single_source_dijkstra(graph, 0, 2999, backend="stablegraph") == (2999, list(range(3000)))
    assert len(nx.single_source_dijkstra_path(graph, 0, backend="stablegraph")[2999]) == 3000
