"""Colorings by the GPU sources, emulated: equal to those of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.coloring.cuda import at_two as at_two_cuda
from stablegraph.coloring.cuda import jones_plassmann as jones_plassmann_cuda
from tests.support.cases import each
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
RARE = ("largest_log_first", "natural", "random", "smallest_last", "smallest_last_in_rounds")
SLOW_ORDERS = [pytest.param(order, marks=pytest.mark.slow) for order in RARE]


def same(graph, seeds=(0, 1), threads=None, **options):
    expected = sg.vertex_coloring(graph, **options)
    for seed in seeds:
        with emulated_cuda(seed, threads):
            result = sg.vertex_coloring(graph, **options)
        assert result.dtype == np.int32
        np.testing.assert_array_equal(result, expected)


def test_constraints_are_computed_on_the_host():
    graph = random_graph(60, 200, 3)
    for options in ({"capacity": 8}, {"colors": 12, "allowed": {0: [3]}}, {"fixed": {1: 4}, "reduce": "quick"}):
        same(graph, seeds=(0,), **options)


def random_graph(n, edges, seed, hubs=0):
    """Return a graph of random edges, with `hubs` vertices that are adjacent to a third of all vertices."""
    rng = np.random.default_rng(seed)
    sources = np.concatenate([rng.integers(0, n, edges), rng.integers(0, max(hubs, 1), hubs * n // 3)])
    return sg.from_edges(sources, rng.integers(0, n, sources.size), n=n, symmetrize=True)


@each(ties=["id", "hash"])
@pytest.mark.parametrize("order", ["largest_first", *SLOW_ORDERS])
def test_the_same_colors(hard_graph, order, ties):
    same(hard_graph, order=order, ties=ties, reduce="none", seed=3)


@pytest.mark.parametrize("ties", ["id", "hash"])
@pytest.mark.parametrize("order", ["largest_first", "numbers", *SLOW_ORDERS])
@pytest.mark.parametrize(("n", "edges", "hubs"), [(60, 1500, 0), (300, 6000, 2), (4000, 5000, 2)])
def test_long_rows(n, edges, hubs, order, ties):
    graph = random_graph(n, edges, 5, hubs)
    if order == "numbers":
        order = np.random.default_rng(1).integers(-3, 3, n) / 2
    same(graph, (0,), order=order, ties=ties, reduce="none", seed=3)


@pytest.mark.parametrize("order", ["largest_first", "natural"])
def test_fixed_colors(order):
    graph = random_graph(200, 3000, 7, hubs=1)
    fixed = np.full(200, -1)
    members = np.flatnonzero(sg.maximal_independent_set(graph))
    fixed[members] = np.where(members % 2, 7, 10**9)
    same(graph, order=order, fixed=fixed)


@pytest.mark.parametrize("types", ["mixed", "wide"])
def test_wide_indices(types):
    graph = random_graph(120, 2000, 9, hubs=1)
    ids = np.int32 if types == "mixed" else np.int64
    wide = sg.as_graph((graph.indptr.astype(np.int64), graph.indices.astype(ids)))
    same(wide, ties="hash", reduce="none")


@pytest.mark.parametrize("n", [0, 1, 5])
def test_without_edges(n):
    same(sg.from_edges([], [], n=n), reduce="none")


def test_launches_end_before_all_have_a_color(monkeypatch):
    monkeypatch.setattr(jones_plassmann_cuda, "TURNS", 2)
    path = np.arange(300)
    same(sg.from_edges(path[:-1], path[1:], symmetrize=True), order=-path, reduce="none")
    same(random_graph(100, 3000, 8), ties="hash", reduce="none")


@pytest.mark.parametrize("turns", [1, 4096])
@pytest.mark.parametrize("hubs", [0, 2])
def test_many_vertices_are_listed(hubs, turns, monkeypatch):
    monkeypatch.setattr(jones_plassmann_cuda, "_MAX_IN_PLACE", 100)
    monkeypatch.setattr(jones_plassmann_cuda, "TURNS", turns)
    same(random_graph(2000, 9000, 4, hubs), ties="hash", reduce="none")
    same(sg.gallery.grid((30, 30)), order="random", reduce="none")


def test_more_vertices_than_the_bits_of_a_thread():
    same(sg.gallery.grid((90, 90)), ties="hash", reduce="none")


@each(order=["largest_first", "natural", "random", "smallest_last"])
def test_the_same_colors_at_distance_two(hard_graph, order):
    same(hard_graph, order=order, distance=2, reduce="none", seed=3)


def test_fixed_colors_at_distance_two():
    graph = random_graph(200, 300, 7)
    fixed = np.full(200, -1)
    fixed[np.flatnonzero(sg.maximal_independent_set(graph, distance=2))] = 10**9
    fixed[np.argmax(fixed)] = 3
    same(graph, distance=2, fixed=fixed)


@each(ties=["id", "hash"], seconds=[0, 1e9])  # 0: the CPU continues after one launch; 1e9: the GPU ends it
def test_launches_end_before_all_have_a_color_at_distance_two(ties, seconds, monkeypatch):
    monkeypatch.setattr(at_two_cuda, "_TURNS", 2)
    monkeypatch.setattr(at_two_cuda, "_MAX_SECONDS", seconds)
    same(sg.gallery.grid((20, 20)), distance=2, ties=ties, reduce="none")


@pytest.mark.parametrize("edges", [900, 1200, 1800])
def test_more_than_64_colors_at_distance_two(edges):
    same(random_graph(200, edges, 2), distance=2, reduce="none")


@pytest.fixture(params=[1024, 40])
def batch(request, monkeypatch):
    """Set the number of vertices of a batch in which nets store colors."""
    monkeypatch.setattr(at_two_cuda, "_BATCH", request.param)


@pytest.fixture(autouse=True)
def no_copies_to_the_cpu(monkeypatch):
    """Color sparse graphs by nets as well."""
    monkeypatch.setattr(at_two_cuda, "_SPARSE", 0)


def test_the_cpu_colors_sparse_graphs_with_hubs(monkeypatch):
    monkeypatch.setattr(at_two_cuda, "_SPARSE", 12)
    monkeypatch.setattr(at_two_cuda, "NETS", None)  # no kernel runs
    graph = random_graph(1500, 2000, 5, hubs=2)
    same(graph, (0,), distance=2, reduce="none")
    same(graph, (0,), distance=2, fixed=np.where(np.arange(1500) % 300 == 0, np.arange(1500), -1))


@pytest.mark.parametrize("ties", ["id", "hash"])
@pytest.mark.parametrize("order", ["largest_first", "numbers", *SLOW_ORDERS])
@pytest.mark.parametrize(("n", "edges", "hubs"), [(300, 6000, 2), (1500, 2000, 2)])
def test_hubs_at_distance_two(n, edges, hubs, order, ties, batch):
    graph = random_graph(n, edges, 5, hubs)
    if order == "numbers":
        order = np.random.default_rng(1).integers(-3, 3, n) / 2
    same(graph, (0,), distance=2, order=order, ties=ties, reduce="none", seed=3)


@pytest.mark.parametrize("types", ["mixed", "wide"])
def test_hubs_with_wide_indices_at_distance_two(types, batch):
    graph = random_graph(500, 2000, 9, hubs=1)
    ids = np.int32 if types == "mixed" else np.int64
    wide = sg.as_graph((graph.indptr.astype(np.int64), graph.indices.astype(ids)))
    same(wide, distance=2, reduce="none")


def test_few_colors_are_left_in_each_window():
    n = 4000
    star = sg.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n), n=n, symmetrize=True)
    fixed = np.arange(n)
    fixed[::3] = -1
    same(star, (0,), distance=2, fixed=fixed)
    fixed[fixed >= 0] += 10**9
    same(star, (0,), distance=2, fixed=fixed)


def test_windows_without_a_color():
    twigs = np.arange(1, 51)
    tree = sg.from_edges(
        np.concatenate([np.zeros(50, np.int64), np.repeat(twigs, 60)]), np.arange(1, 3051), symmetrize=True
    )
    fixed = np.concatenate([np.full(51, -1), np.arange(3000)])
    same(tree, distance=2, fixed=fixed)
    fixed[51:1000] += 5000
    same(tree, distance=2, fixed=fixed)


def test_loops_and_repeated_entries_at_distance_two(batch):
    ends = np.random.default_rng(4).integers(0, 200, (2, 3000))
    graph = sg.from_edges(*ends, n=200, symmetrize=True, drop_duplicates=False)
    same(graph, distance=2, reduce="none")


def test_graphs_too_large_for_words_of_places(monkeypatch):
    monkeypatch.setattr(at_two_cuda, "_MAX_VERTICES", 100)
    same(random_graph(200, 3000, 6), (0,), distance=2, reduce="none")
