"""The forest of a graph without weights: that of Kruskal's algorithm, on all schedules."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.forest import kruskal, unweighted
from stablegraph.forest.weights import checked, order_of
from tests.support.zoo import ZOO


def assert_same_forest(graph):
    """Compare both forests, and their types, for 32-bit and 64-bit indices."""
    for dtype in (np.int32, np.int64):
        narrow = checked(sg.as_graph(graph), maximum=False)
        wide = narrow._replace(indptr=narrow.indptr.astype(dtype), indices=narrow.indices.astype(dtype), weights=None)
        expected = kruskal.minimum_spanning_forest(wide, order_of(wide, maximum=False))
        result = unweighted.spanning_forest(wide)
        for name in ("indptr", "indices", "data"):
            array, other = getattr(result, name), getattr(expected, name)
            assert array.dtype == other.dtype and np.array_equal(array, other), (name, dtype)


def test_zoo():
    for seed, graph in enumerate(ZOO.values()):
        for threads in (1, 2, 3):
            with sg.threads(threads):
                assert_same_forest(graph)
        with use_target("python", seed=seed):
            assert_same_forest(graph)


def test_random_graphs():
    rng = np.random.default_rng(5)
    for _ in range(100):
        n = int(rng.integers(1, 80))
        ends = rng.integers(0, n, (2, int(rng.integers(0, 3 * n))))
        assert_same_forest(sg.from_edges(*ends, n=n, symmetrize=True))


def test_edges_in_any_order():
    """Unite edges in a random order: the times of the links are those of the edges that Kruskal's algorithm chooses."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        n = int(rng.integers(2, 40))
        graph = sg.from_edges(*rng.integers(0, n, (2, 2 * n)), n=n, symmetrize=True, drop_loops=True)
        trees = unweighted.Trees(np.arange(n), np.empty(n, np.int64), n.bit_length())
        never = unweighted.never(trees)
        trees.links[:] = [unweighted.link_at(never, v, trees) for v in range(n)]
        ends = np.stack([np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices])
        for e in rng.permutation(np.flatnonzero(ends[0] < ends[1])).tolist():
            unweighted.unite(*ends[:, e].tolist(), e, trees)
        times = np.sort(unweighted.time_of(trees.links, trees))
        forest = kruskal.minimum_spanning_forest(graph, order_of(graph, maximum=False)).tocoo()
        chosen = ends[:, times[times < never]]
        assert np.array_equal(chosen, [forest.row, forest.col])


@pytest.mark.parametrize(
    "graph", [sg.gallery.grid((150, 150)), sg.gallery.uniform_random(20_000, 2), sg.gallery.rmat(12, 8)], ids=str
)
def test_several_threads_and_a_skipped_tree(graph, monkeypatch):
    trees, large_tree = [], unweighted._large_tree
    monkeypatch.setattr(unweighted, "_large_tree", lambda parent: trees.append(large_tree(parent)) or trees[-1])
    for threads in (1, 2, 3):
        with sg.threads(threads):
            assert_same_forest(graph)
    assert trees[-1] < graph.num_vertices


def test_long_paths():
    """Let two workers link the vertices of paths to their roots at the same time."""
    n = 1 << 17
    ids = np.arange(n)
    for vertices in (ids, np.concatenate([ids[::2], ids[1::2]]), np.argsort(ids % 3, kind="stable")):
        graph = sg.from_edges(vertices[:-1], vertices[1:], n=n, symmetrize=True)
        order = order_of(graph, maximum=False)
        expected = kruskal.minimum_spanning_forest(graph, order)
        with sg.threads(2):
            for _ in range(5):
                assert np.array_equal(unweighted.spanning_forest(graph).indices, expected.indices)


@pytest.mark.parametrize(("parts", "step"), [(0.01, 1 << 26), (0.5, 100), (100, 7)])
def test_parts_of_the_rows(parts, step, monkeypatch):
    monkeypatch.setattr(unweighted, "_FIRST_ROWS", parts)
    monkeypatch.setattr(unweighted, "ENTRIES_PER_CALL", step)
    graph = sg.gallery.uniform_random(500, 3)
    for threads in (1, 3):
        with sg.threads(threads):
            assert_same_forest(graph)
    with use_target("python", seed=3):
        assert_same_forest(graph)


def test_the_default_without_weights(monkeypatch):
    calls = []
    monkeypatch.setattr(unweighted, "spanning_forest", lambda graph: calls.append(graph))
    graph = sg.gallery.grid((3, 3))
    sg.minimum_spanning_forest(graph)
    assert len(calls) == 1
    sg.minimum_spanning_forest(graph, algorithm="filter_kruskal")
    sg.minimum_spanning_forest(sg.as_graph((graph.indptr, graph.indices, np.ones(graph.num_entries))))
    assert len(calls) == 1
