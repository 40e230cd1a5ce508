"""Local search: sets stay independent and become maximal and larger, for all graphs, threads, schedules and dtypes."""

import zlib

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.large import windows
from stablegraph.independent_set.large.local_search import LocalSearch
from tests.support.zoo import ZOO, graphs


def simple(graph):
    """Return the graph without loops and duplicates, with sorted rows, as the search requires."""
    graph = sg.as_graph(graph)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    return sg.from_edges(rows, graph.indices, n=graph.num_vertices, symmetrize=True, drop_loops=True)


def search(graph, mask, rounds, seed=0):
    result = LocalSearch(graph, mask, rounds=rounds, seed=seed)
    for _ in range(rounds):
        before = result.total
        result.step()
        assert result.total >= before
    assert result.best.dtype == bool and np.count_nonzero(result.best) == result.total
    assert sg.explain(sg.is_maximal_independent_set, graph, result.best) is None
    return result


def maximum(graph):
    clique, _ = nx.max_weight_clique(nx.complement(graph.to_networkx()), weight=None)
    return len(clique)


@pytest.fixture(scope="module")
def planar():
    return simple(gallery.delaunay(4000, seed=1))


def test_zoo(zoo_graph):
    graph = simple(zoo_graph)
    nothing = np.zeros(graph.num_vertices, np.uint8)
    mask = sg.maximal_independent_set(graph, priority="random")
    assert search(graph, nothing, 1).total > 0 or graph.num_vertices == 0
    assert search(graph, mask, 3).total >= mask.sum()


@given(graphs(max_vertices=14))
def test_small_graphs_are_solved(thing):
    graph = simple(thing)
    assert search(graph, np.zeros(graph.num_vertices, bool), 10).total == maximum(graph)


@pytest.fixture
def small_windows(monkeypatch):
    """Make windows so small that even small graphs have several, with borders that no search crosses."""
    monkeypatch.setattr(windows, "WINDOW", 16)
    monkeypatch.setattr(windows, "_REACHES", 3)


@pytest.mark.parametrize("n", [300, 301])
def test_a_path_in_windows_is_solved(n, small_windows):
    path = gallery.grid((n,))
    start = np.zeros(n, bool)
    start[::3] = True
    result = search(path, start, 30)
    assert result._plan._cut.size == 1 and result._plan.pieces.lengths[0] < n // 8
    assert result.total == (n + 1) // 2


def test_swaps_beat_the_greedy_set(planar):
    """On larger triangulations the greedy set by degree is 12 % too small."""
    start = sg.maximal_independent_set(planar)
    result = search(planar, start, 30)
    assert not result._plan._cut.size
    assert result.total > 1.06 * start.sum()


def test_one_answer(threads, small_windows):
    """The answer is the same for every number of threads and dtype of the graph; it differs for another seed."""
    graph = gallery.grid((500, 8), 9)
    start = sg.maximal_independent_set(graph)
    result = search(graph, start, 5)
    assert result._plan._cut.size == 1 and result._plan.pieces.lengths[0] * 16 < graph.num_vertices
    assert (result.total, zlib.crc32(result.best.tobytes())) == (996, 3368240600)
    wide = graph._with_dtypes(np.int64, np.int64)
    assert search(wide, start.astype(np.uint8), 5).best.tolist() == result.best.tolist()
    assert search(graph, start, 5, seed=1).best.tolist() != result.best.tolist()


@pytest.fixture(scope="module")
def components():
    """Return planar graphs of different sizes and a long grid, with interleaved vertices."""
    sizes = (900, 2500, 40, 5, 1200)
    parts = [gallery.delaunay(size, seed=size).to_scipy() for size in sizes]
    whole = sp.block_diag([*parts, gallery.grid((500, 8), 9).to_scipy()], "csr")
    turns = np.argsort(np.concatenate([np.arange(size) / size for size in (*sizes, 4000)]), kind="stable")
    return simple(sg.as_graph(whole[turns][:, turns]))


def test_components_are_searched_side_by_side(threads, small_windows, components):
    """The answer is the same for any number of threads and workers, with components in and outside of windows."""
    start = sg.maximal_independent_set(components)
    result = search(components, start, 4)
    assert result._plan._whole.size >= 4 and result._plan._cut.size >= 1
    assert (result.total, zlib.crc32(result.best.tobytes())) == (2457, 4152804314)
    with use_target("cpu", workers=16):
        assert search(components, start, 4).best.tolist() == result.best.tolist()


def test_the_best_set_of_each_component(planar):
    """A component's set does not depend on the other components if their vertices come after its first one."""
    n = planar.num_vertices
    alone = search(planar, np.zeros(n, bool), 3).best
    two = sg.as_graph(sp.block_diag([planar.to_scipy(), gallery.delaunay(700, seed=3).to_scipy()], "csr"))
    assert search(simple(two), np.zeros(n + 700, bool), 3).best[:n].tolist() == alone.tolist()


@pytest.mark.parametrize("name", ["empty", "isolated at both ends", "skewed", "cycle"])
def test_in_plain_python(name, small_windows):
    """On this target windows are handled in a shuffled order."""
    graph = simple(ZOO[name])
    start = sg.maximal_independent_set(graph, priority="random")
    compiled = search(graph, start, 2)
    with use_target("python", seed=len(name)):
        assert search(graph, start, 2).best.tolist() == compiled.best.tolist()


def test_the_best_so_far_may_be_had_at_any_time(planar):
    """A step does not change masks that were returned, and further steps after the planned ones are possible."""
    result = LocalSearch(planar, np.zeros(planar.num_vertices, bool), rounds=2)
    masks = [result.best]
    for _ in range(4):
        result.step()
        masks.append(result.best)
    sizes = [int(mask.sum()) for mask in masks]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] == result.total
    for mask in masks:
        assert sg.explain(sg.is_maximal_independent_set, planar, mask) is None


def test_a_real_graph(data_file):
    """The set is within half a percent of KaMIS's set after a minute, without reductions."""
    graph = simple(sg.read_graph(data_file("delaunay_n16.mtx.gz")))
    assert search(graph, sg.maximal_independent_set(graph), 40).total > 0.995 * 20_686


# -------------------------------------------------------------------------------------------------------------- CUDA
