"""Communities by the GPU sources: emulated, and on a GPU; equal to those of the CPU."""

import contextlib

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.community.cuda import moving as moving_cuda
from stablegraph.community.cuda import rows as rows_cuda
from stablegraph.community.hierarchy import (
    Options,
    communities_of,
    make_problem,
    move_in_turn,
    refined_parts,
    tables_of,
)
from stablegraph.community.rules import Workspace
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler
from tests.support.zoo import preferential

OPTIONS = {
    "leiden": {},
    "louvain": {"algorithm": "louvain", "seed": 3},
    "cpm": {"objective": "cpm", "resolution": 0.05},
    "until stable": {"iterations": None, "resolution": 2.0},
    "cpm until stable": {"objective": "cpm", "resolution": 0.1, "iterations": None, "algorithm": "louvain"},
    "max_size": {"max_size": 5, "iterations": 2},
    "fixed and min_size": {"min_size": 4},
}
each_option = pytest.mark.parametrize("name", OPTIONS)
WITH_WEIGHTS_ONLY = {"until stable", "cpm until stable", "max_size"}  # other options of the same objectives run without


@pytest.fixture(params=["as on a GPU", "small"])
def limits(request, monkeypatch):
    """Use the real sizes of tables, or tables so small that long rows need those in global memory."""
    if request.param == "small":
        for name, value in {"_SLOTS": 128, "_WARP_SLOTS": 128, "_MEDIUM_ROW": 40, "_MAX_PLACES": 8}.items():
            monkeypatch.setattr(rows_cuda, name, value)


def weighted(graph, seed=0):
    """Return the graph with weights of a few sizes, some of them 0."""
    u, v = graph._rows(), graph.indices
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v)
    return sg.as_graph((graph.indptr, graph.indices, (low * 7919 + high * 104729 + seed) % 5 * 0.37))


def with_hubs(n, hubs, seed=0):
    """Return a random graph in which some vertices have many neighbors."""
    rng = np.random.default_rng(seed)
    u, v = np.r_[rng.integers(0, n, n), rng.integers(0, hubs, n)], rng.integers(0, n, 2 * n)
    return sg.from_edges(u, v, n=n, symmetrize=True, drop_loops=True)


def options_of(name, graph):
    n = graph.num_vertices
    start = {"start": np.arange(n) % 7 * 3, "fixed": np.arange(0, n, 5)} if name == "fixed and min_size" else {}
    return OPTIONS[name] | start


def same(graph, found, options):
    """Compare all results for a graph on the CPU with those of a GPU form."""
    count, labels, info = sg.communities(graph, return_info=True, **options)
    count_there, labels_there, info_there = found
    assert count_there == count and labels_there.dtype == labels.dtype
    np.testing.assert_array_equal(labels_there, labels)
    levels, levels_there = info.pop("levels"), info_there.pop("levels")
    assert info_there == info
    assert [level.tolist() for level in levels_there] == [level.tolist() for level in levels]


def same_by_both(graph, name, schedule=0):
    options = options_of(name, graph)
    with emulated_cuda(schedule):
        found = sg.communities(graph, return_info=True, **options)
    same(graph, found, options)


@needs_a_compiler
@each_option
def test_the_same_communities(hard_graph, name):
    same_by_both(weighted(hard_graph), name)
    if name not in WITH_WEIGHTS_ONLY:
        same_by_both(hard_graph, name)


@needs_a_compiler
@each_option
def test_hubs(name, limits):
    graph = with_hubs(160, 3)
    same_by_both(graph, name)
    same_by_both(weighted(graph), name, 1)


@needs_a_compiler
@pytest.mark.parametrize("window", [2, 20, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("objective", ["modularity", "cpm"])
def test_one_after_another(window, objective, monkeypatch):
    """All vertices move in the queue, from different communities, although many are looked at together."""
    monkeypatch.setattr(moving_cuda, "_WINDOW", window)
    for graph in (gallery.grid((9, 10)), weighted(with_hubs(90, 2)), gallery.kronecker(7, 3)):
        n = graph.num_vertices
        options = Options(refined_parts, objective, 1.0 if objective == "modularity" else 0.2, 1, 0, 0)
        problem = make_problem(graph, np.empty(0, np.int64), options)
        for number, start in enumerate((np.arange(n), np.arange(n) % 5, np.arange(n)[::-1])):
            queue_moves = []
            for schedule in (None, number):
                groups = communities_of(problem.base.level, start.astype(np.int32))
                active = np.ones(n, np.uint8)
                active[::11] = 2
                with contextlib.nullcontext() if schedule is None else emulated_cuda(schedule):
                    arguments = (active, problem.terms, tables_of(problem.base.level, Workspace()), 5)
                    moves = move_in_turn(problem.base.level, groups, *arguments)
                queue_moves.append((moves, groups.label.tolist(), groups.total.tolist(), active.tolist()))
            assert queue_moves[0][0] > n // 9
            assert queue_moves[1] == queue_moves[0]


@needs_a_compiler
def test_many_communities_around_a_hub(limits):
    """In the first sweep, all neighbors of a hub are communities; later, parts with long rows are summed."""
    star = sg.from_edges(np.zeros(700, int), np.arange(1, 701), symmetrize=True)
    ring = sg.from_edges(np.r_[np.zeros(600, int), 1:601], np.r_[1:601, 2:601, 1], symmetrize=True)
    for graph in (star, ring, weighted(ring)):
        same_by_both(graph, "leiden")


@needs_a_compiler
def test_index_types():
    graph = gallery.kronecker(7, 4, seed=1)
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        same_by_both(graph._with_dtypes(*types), "leiden")


@needs_a_compiler
def test_objectives():
    graph = gallery.kronecker(8, 4, seed=1)
    for weights in (graph, weighted(graph), weighted(graph)._replace(weights=weighted(graph).weights * np.pi)):
        labels = np.arange(graph.num_vertices) % 9
        expected = sg.modularity(weights, labels), sg.potts(weights, labels, resolution=0.1)
        with emulated_cuda():
            assert (sg.modularity(weights, labels), sg.potts(weights, labels, resolution=0.1)) == expected


# ------------------------------------------------------------------------------------------------------------ on a GPU


def on_host(found):
    count, labels, info = found
    return count, labels.get(), info | {"levels": [level.get() for level in info["levels"]]}


@pytest.mark.gpu
@each_option
def test_zoo_on_a_gpu(zoo_graph, name):
    for graph in (zoo_graph, weighted(zoo_graph)):
        options = options_of(name, graph)
        same(graph, on_host(sg.communities(graph.to("cuda"), return_info=True, **options)), options)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "make",
    [
        lambda: gallery.grid((200, 201)),
        lambda: gallery.kronecker(13, 16),
        lambda: sg.from_edges(*np.array(preferential(20_000, 6)).T, symmetrize=True),
        lambda: with_hubs(30_000, 4),
        lambda: sg.from_edges(np.zeros(50_000, int), np.arange(1, 50_001), symmetrize=True),
    ],
)
@each_option
def test_larger_graphs_on_a_gpu(make, name):
    for graph in (make(), weighted(make())):
        options = options_of(name, graph)
        same(graph, on_host(sg.communities(graph.to("cuda"), return_info=True, **options)), options)


@pytest.mark.gpu
def test_objectives_and_options_in_gpu_memory():
    import cupy

    graph = weighted(gallery.kronecker(10, 8))
    there, labels = graph.to("cuda"), cupy.arange(graph.num_vertices) % 9
    for found in (labels, labels.get(), labels.get().tolist()):
        assert sg.modularity(there, found) == sg.modularity(graph, labels.get())
        assert sg.potts(there, found, resolution=0.1) == sg.potts(graph, labels.get(), resolution=0.1)
    assert sg.modularity(graph, labels) == sg.modularity(graph, labels.get())
    fixed = cupy.arange(0, graph.num_vertices, 5)
    expected = sg.communities(graph, start=labels.get(), fixed=fixed.get())
    found = sg.communities(there, start=labels, fixed=fixed)
    assert isinstance(found[1], cupy.ndarray)
    np.testing.assert_array_equal(found[1].get(), expected[1])
    with pytest.raises(TypeError, match="must be integers"):
        sg.modularity(there, labels * 0.5)
    with pytest.raises(ValueError, match="must be one number for each"):
        sg.modularity(there, labels[:-1])
    wrong = weighted(gallery.kronecker(10, 8)).weights.copy()
    wrong[3] = -1.0
    with pytest.raises(ValueError, match="weight of entry"):
        sg.communities(graph._replace(weights=wrong).to("cuda"))
