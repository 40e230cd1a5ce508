"""Large independent sets: exact rules, matching, bounds, and their combination."""

import zlib
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from scipy.sparse.csgraph import maximum_bipartite_matching

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import Rows
from stablegraph._core.runtime.device import use_target
from stablegraph.independent_set.large import flow, kernelization, windows
from stablegraph.independent_set.large.kernelization import Kernelization
from stablegraph.independent_set.large.reducing_peeling import ShrinkingGraph
from stablegraph.independent_set.large.upper_bound import independence_bound
from stablegraph.traversal.bipartition import two_sides
from stablegraph.verify import explain, is_independent_set, is_maximal_independent_set
from tests.support import naive
from tests.support.cases import Cases, each
from tests.support.zoo import graphs, symmetric_csr


def simple_rows(n, edges):
    """Return (indptr, indices) of a graph without loops and repeated entries."""
    edges = {(min(u, v), max(u, v)) for u, v in edges if u != v}
    matrix = symmetric_csr(n, sorted(edges))
    return matrix.indptr, matrix.indices


def sparse_graph(n, edges, seed):
    rng = np.random.default_rng(seed)
    return simple_rows(n, rng.integers(0, n, (edges, 2)).tolist())


def in_nearby_numbers(indptr, indices):
    """Return the renumbered graph, with sorted rows."""
    rows = Rows(indptr, indices)
    return windows.renumbered(rows, windows.nearby_order(rows))


def adjacency(indptr, indices):
    return [set(indices[indptr[v] : indptr[v + 1]].tolist()) for v in range(indptr.size - 1)]


def independence_number(indptr, indices):
    rows = adjacency(indptr, indices)
    key = tuple(map(frozenset, rows))
    if key not in _known_numbers:
        _known_numbers[key] = naive.independence_number(rows)
    return _known_numbers[key]


_known_numbers = {}  # computed once for all tests


def assert_independent(indptr, indices, mask):
    assert not any(mask[v] and mask[u] for v in range(indptr.size - 1) for u in indices[indptr[v] : indptr[v + 1]])


# Sparse enough that every rule applies, small enough for an exact oracle.
SMALL = [
    (n, int(n * density), seed) for n in (9, 14, 22, 30) for density in (1.0, 1.3, 1.7, 2.2, 3.0) for seed in range(8)
]


@pytest.fixture
def small():
    return Cases({str(case): sparse_graph(*case) for case in SMALL})


# ------------------------------------------------------------------------------------------------------- exact rules


def test_rules_for_few_neighbors_lose_nothing(small):
    indptr, indices = small
    remaining = ShrinkingGraph(indptr, indices)
    remaining.reduce()
    unvisited = remaining.remaining
    inner = remaining.extract(unvisited)
    exact = naive.maximum_independent_set(adjacency(*inner))
    assert remaining.settled + exact.sum() == independence_number(indptr, indices)
    remaining.decide(unvisited, exact)
    mask = remaining.result()
    assert_independent(indptr, indices, mask)
    assert mask.sum() == independence_number(indptr, indices)


@each(window=[None, 8])
def test_kernels_lose_nothing(small, window, monkeypatch):
    """Test the whole graph, and windows for any reach of the rows."""
    indptr, indices = small
    if window:
        monkeypatch.setattr(windows, "WINDOW", window)
        monkeypatch.setattr(windows, "_REACHES", 0)
        indptr, indices = in_nearby_numbers(indptr, indices)
    kernel = Kernelization(Rows(indptr, indices))
    exact = naive.maximum_independent_set(adjacency(kernel.indptr, kernel.indices))
    mask = kernel.lift(exact)
    assert_independent(indptr, indices, mask)
    assert mask.sum() == kernel.offset + exact.sum() == independence_number(indptr, indices)


def test_kernels_from_windows(threads, monkeypatch):
    """The kernel is the same for any number of threads and any order of windows."""
    monkeypatch.setattr(windows, "WINDOW", 64)
    monkeypatch.setattr(windows, "_REACHES", 1)
    rng, n = np.random.default_rng(0), 1000
    u = rng.integers(0, n, 2600)
    v = np.minimum(u + rng.integers(1, 16, u.size), n - 1)
    indptr, indices = simple_rows(n, zip(u.tolist(), v.tolist(), strict=True))
    assert windows.window_length(indptr, indices) == 64

    def search():
        kernel = Kernelization(Rows(indptr, indices))
        return np.concatenate([kernel.vertices, kernel.indices, kernel._log.ravel(), kernel._rows.indices])

    expected = search()
    assert zlib.crc32(expected.astype(np.int64)) == 1704956023
    if threads == 1:
        monkeypatch.setattr(kernelization, "_VERTICES_PER_CALL", 50)  # a few vertices of each window at a time
        for seed in range(3):
            with use_target("python", seed=seed):
                assert (search() == expected).all()


def test_peeling_proves_a_bound(small):
    indptr, indices = small
    remaining = ShrinkingGraph(indptr, indices)
    remaining.peel()
    mask = remaining.result()
    assert_independent(indptr, indices, mask)
    assert mask.sum() <= independence_number(indptr, indices) <= mask.sum() + remaining.peeled


@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("ends", ["adjacent", "apart", "one"])
def test_each_rule_for_paths(length, ends):
    # a path between two vertices of a 4-clique, or of two 4-cliques, or from a clique vertex back to itself
    clique = [(u, v) for u in range(4) for v in range(u)]
    other = [(u + 4, v + 4) for u, v in clique]
    right = {"adjacent": 1, "apart": 4, "one": 0}[ends]
    path = [0, *range(8, 8 + length), right]
    indptr, indices = simple_rows(8 + length, [*clique, *other, *pairwise(path)])
    remaining = ShrinkingGraph(indptr, indices)
    remaining.reduce()
    unvisited = remaining.remaining
    remaining.decide(unvisited, naive.maximum_independent_set(adjacency(*remaining.extract(unvisited))))
    mask = remaining.result()
    assert_independent(indptr, indices, mask)
    assert mask.sum() == independence_number(indptr, indices)


def test_long_paths_and_hubs_do_not_take_quadratic_time():
    n = 300_000
    ids = np.random.default_rng(0).permutation(n)
    path = sg.from_edges(ids[:-1], ids[1:], symmetrize=True)
    leaves = np.arange(2, n)
    between_hubs = sg.from_edges(np.r_[0 * leaves, 0 * leaves + 1], np.r_[leaves, leaves], symmetrize=True)
    for graph, size in ((path, n // 2), (between_hubs, n - 2)):
        assert sg.large_independent_set(graph, rounds=0).size == size


def test_stamps_counted_anew(monkeypatch, small):
    expected = Kernelization(Rows(*small))
    monkeypatch.setattr(kernelization, "_MAX_SEARCHES", 3)
    monkeypatch.setattr(kernelization, "_VERTICES_PER_CALL", 2)
    kernel = Kernelization(Rows(*small))
    assert (kernel.indptr == expected.indptr).all() and (kernel.indices == expected.indices).all()


def test_rules_in_plain_python():
    indptr, indices = sparse_graph(30, 45, 1)
    with use_target("python", seed=5):
        remaining = ShrinkingGraph(indptr, indices)
        remaining.peel()
        peeled = remaining.result()
        kernel = Kernelization(Rows(indptr, indices))
        bound = independence_bound(indptr, indices)
    remaining = ShrinkingGraph(indptr, indices)
    remaining.peel()
    assert (peeled == remaining.result()).all()
    assert (kernel.indices == Kernelization(Rows(indptr, indices)).indices).all()
    assert bound == independence_bound(indptr, indices)


# --------------------------------------------------------------------------------------------------- matching, bounds


@pytest.mark.parametrize("seed", range(12))
def test_matchings_are_maximum_and_their_sets_too(seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 40, 2)
    block = sp.random_array((rows, columns), density=0.1, rng=rng).tocsr()
    n = int(rows + columns)
    ends = block.tocoo()
    indptr, indices = simple_rows(n, zip(ends.row.tolist(), (ends.col + rows).tolist(), strict=True))
    remaining = np.arange(rows, dtype=indices.dtype)
    partner_of_left, partner_of_right = flow.maximum_matching(indptr, indices, remaining)
    size = (maximum_bipartite_matching(block) >= 0).sum()
    matched = np.flatnonzero(partner_of_left >= 0)
    assert matched.size == size and (partner_of_right[partner_of_left[matched]] == matched).all()
    sides = two_sides(Rows(indptr, indices))
    assert set(sides.tolist()) <= {1, 2}
    mask = flow.maximum_independent_set(indptr, indices, sides)
    assert_independent(indptr, indices, mask)
    assert mask.sum() == n - size


def test_no_set_exceeds_the_bound(small):
    assert independence_bound(*small) >= independence_number(*small)


@given(graphs(max_vertices=14))
def test_result_against_the_exact_oracle(given_graph):
    graph = sg.as_graph(given_graph)
    exact = naive.independence_number(naive.simple_adjacency(graph))
    for rounds in (0, 3):
        result = sg.large_independent_set(graph, rounds=rounds)
        assert explain(is_maximal_independent_set, graph, result.mask) is None
        assert result.size == result.mask.sum() <= exact <= result.upper_bound
        assert result.optimal == (result.size == result.upper_bound)


# ---------------------------------------------------------------------------------------------- complete searches


def test_known_sizes(zoo_graph):
    result = sg.large_independent_set(zoo_graph, rounds=20)
    assert result.optimal and is_maximal_independent_set(zoo_graph, result.mask)
    if zoo_graph.num_vertices <= 60:
        assert result.size == naive.independence_number(naive.simple_adjacency(zoo_graph))


@pytest.mark.parametrize("shape, best", [((30, 41), 615), ((9, 8, 7), 252)])
def test_lattices_are_solved(shape, best):
    result = sg.large_independent_set(gallery.grid(shape), rounds=0)
    assert result.size == best and result.optimal


def test_trees_are_solved():
    rng = np.random.default_rng(1)
    parents = (rng.random(3000) * np.arange(1, 3001)).astype(int)
    tree = sg.from_edges(np.arange(1, 3001), parents, symmetrize=True)
    assert sg.large_independent_set(tree, rounds=0).optimal


def test_more_rounds_and_other_seeds():
    graph = gallery.delaunay(4000, seed=1)
    sizes = [sg.large_independent_set(graph, rounds=rounds).size for rounds in (0, 1, 30)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[2]
    a, b = (sg.large_independent_set(graph, rounds=5, seed=seed) for seed in (0, 1))
    assert (a.mask != b.mask).any()


def test_same_set_on_any_number_of_threads(threads):
    graph = gallery.delaunay(40_000, seed=3)
    assert zlib.crc32(sg.large_independent_set(graph, rounds=3).mask) == 3218546833


@pytest.mark.slow
def test_index_types_do_not_matter():
    graph = gallery.delaunay(2000, seed=2)
    masks = [
        sg.large_independent_set(graph._with_dtypes(*types), rounds=3).mask
        for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64))
    ]
    assert (masks[0] == masks[1]).all() and (masks[0] == masks[2]).all()


def test_included_vertices_are_in():
    graph = gallery.uniform_random(500, seed=4)
    chosen = np.flatnonzero(sg.maximal_independent_set(graph, priority="high_degree"))[:40]
    for rounds in (0, 2):
        result = sg.large_independent_set(graph, rounds=rounds, include=chosen)
        assert result.mask[chosen].all() and is_maximal_independent_set(graph, result.mask)
        assert result.upper_bound < sg.large_independent_set(graph, rounds=rounds).upper_bound


def test_progress_is_told_and_can_stop():
    graph = gallery.delaunay(3000, seed=5)
    calls = []

    def stop_after_three(*report):
        calls.append(report)
        return len(calls) < 3

    result = sg.large_independent_set(graph, rounds=50, progress=stop_after_three)
    assert [done for done, _, _ in calls] == [1, 2, 3] and result.rounds == 3
    assert calls[-1][1:] == (result.size, result.upper_bound)


def test_ctrl_c_ends_the_search_with_the_best_set():
    def press(done, size, bound):
        raise KeyboardInterrupt

    graph = gallery.delaunay(3000, seed=5)
    with pytest.raises(KeyboardInterrupt) as caught:
        sg.large_independent_set(graph, rounds=50, progress=press)
    result = caught.value.best
    assert result.rounds == 1 and is_maximal_independent_set(graph, result.mask)
    assert np.array_equal(result, sg.large_independent_set(graph, rounds=50, progress=lambda *_: False))


def test_numpy_and_this_package_take_a_result_as_its_mask():
    graph = gallery.delaunay(300, seed=5)
    best = sg.large_independent_set(graph, rounds=2)
    assert np.asarray(best) is best.mask and np.flatnonzero(best).size == np.sum(best) == len(best) == best.size
    assert np.asarray(best, np.int8).dtype == np.int8 and np.arange(300)[best].tolist() == np.flatnonzero(best).tolist()
    copied = np.array(best)
    copied[:] = False
    assert np.count_nonzero(best) == best.size
    assert is_independent_set(graph, best) and sg.explain(sg.is_maximal_independent_set, graph, best) is None
    assert not is_maximal_independent_set(graph, ~np.asarray(best))
    assert graph.subgraph(best) == graph.subgraph(best.mask)
    assert np.array_equal(sg.maximal_independent_set(graph, include=best), best)
    assert not (sg.maximal_independent_set(graph, exclude=best) & best).any()
    assert sg.reachable(graph, best).all()
    assert sg.is_bfs_tree(graph, best, *sg.breadth_first_search(graph, best))


def test_a_mask_on_a_gpu_is_not_copied_without_being_asked():
    class OnGpu:
        __cuda_array_interface__ = "where it is"

        def __array__(self, dtype=None, copy=None):
            raise TypeError("Implicit conversion to a NumPy array is not allowed")  # like CuPy's arrays

    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(sg.IndependentSet(OnGpu(), 0, 0, 0))
    assert sg.IndependentSet(OnGpu(), 0, 0, 0).__cuda_array_interface__ == "where it is"
    assert not hasattr(sg.IndependentSet(np.zeros(1, bool), 0, 1, 0), "__cuda_array_interface__")


def test_a_result_is_not_iterable_for_two_things_could_be_meant():
    best = sg.large_independent_set(gallery.grid((3, 3)))
    with pytest.raises(TypeError, match=r"numpy.flatnonzero\(result\), or result.mask$"):
        list(best)
    with pytest.raises(TypeError):
        4 in best  # noqa: B015


def test_bad_options():
    graph = gallery.grid((3, 3))
    with pytest.raises(ValueError, match="rounds must be at least 0, got -1"):
        sg.large_independent_set(graph, rounds=-1)
    with pytest.raises(TypeError, match="rounds must be an integer"):
        sg.large_independent_set(graph, rounds=1.5)
    with pytest.raises(TypeError, match="seed must be an integer"):
        sg.large_independent_set(graph, seed="a")
    with pytest.raises(TypeError, match=r"progress must be True or a function of .rounds done, size"):
        sg.large_independent_set(graph, progress=1)
    with pytest.raises(TypeError, match=r"got array\(.{,30}\)$"):  # in one line
        sg.large_independent_set(graph, progress=np.zeros(3000))
    with pytest.raises(ValueError, match="vertices 0 and 1 are in include, but are adjacent"):
        sg.large_independent_set(graph, include=[0, 1])


@pytest.mark.parametrize("name, best", [("ca-CondMat", 8883), ("PGPgiantcompo", 6338), ("email-Enron", 22255)])
def test_real_graphs_that_are_solved(data_file, name, best):
    graph = sg.read_graph(data_file(f"{name}.mtx.gz"), symmetrize="min")
    result = sg.large_independent_set(graph, rounds=1)
    assert result.size == best and result.optimal
    assert is_independent_set(graph, result.mask)


def test_the_order_of_entries_in_rows_does_not_matter():
    """The path 2 - 0 - 1 - 3 has two largest sets; the choice must not depend on the storage of rows."""
    indptr = [0, 2, 4, 5, 6]
    sorted_rows = sg.large_independent_set((indptr, [1, 2, 0, 3, 0, 1])).mask
    reversed_rows = sg.large_independent_set((indptr, [2, 1, 3, 0, 0, 1])).mask
    assert sorted_rows.tolist() == reversed_rows.tolist()
