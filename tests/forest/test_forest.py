"""Spanning forests: every algorithm returns the forest of the oracle, on all schedules; rejections by verifiers."""

import pickle
import re
import zlib
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names
from stablegraph._core.runtime import use_target
from stablegraph.forest import boruvka, forest_state, kruskal
from stablegraph.forest.weights import order_of
from stablegraph.study import awerbuch_shiloach
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import QUICK_ZOO, csr, graphs

ALGORITHMS = get_args(names.ForestAlgorithm)[1:]
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)

INTEGERS = tuple(np.dtype(kind + size) for kind in "iu" for size in "1248")
DTYPES = (*INTEGERS, np.dtype(bool), np.dtype("f4"), np.dtype("f8"))


def edges_of(forest):
    """Return (u, v, weight) of every stored entry, row by row."""
    return list(zip(*(ends.tolist() for ends in forest.tocoo().coords), forest.data.tolist(), strict=True))


def crc(forest):
    """Return a CRC of the contents of a forest, independent of index types."""
    ends = [array.astype(np.int64) for array in (forest.indptr, forest.indices)]
    return zlib.crc32(b"".join(array.tobytes() for array in (*ends, forest.data)))


def with_weights(graph, draw, dtype=None):
    """Return the graph with weights `draw(size)`, equal in both directions of an edge; repeated entries differ."""
    graph = sg.as_graph(graph)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    u, v = np.minimum(rows, graph.indices), np.maximum(rows, graph.indices)
    order = np.lexsort((rows, v, u))
    _, firsts, edge = np.unique(np.stack([u, v])[:, order], axis=1, return_index=True, return_inverse=True)
    among = np.arange(u.size) - firsts[edge]
    count = np.diff(np.append(firsts, u.size))[edge]
    loop = (u == v)[order]
    copy = np.where(loop, among, among % np.maximum(count // 2, 1))  # the i-th entry (u, v) and the i-th (v, u)
    weights = np.empty(u.size, dtype or draw(1).dtype)
    weights[order] = draw(u.size)[firsts[edge] + copy]
    return sg.as_graph((graph.indptr, graph.indices, weights))


def numbers(dtype, seed=0):
    """Return a generator of weights: many equal ones, the extremes, zeros of both signs and infinities."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return lambda size: rng.random(size) < 0.5
    if dtype.kind == "f":
        special = [0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal]
        return lambda size: np.where(
            rng.random(size) < 0.5, rng.choice(special, size), rng.standard_normal(size)
        ).astype(dtype)
    limits = np.iinfo(dtype)
    few = np.array([limits.min, limits.max, 0, 1, 2], dtype)
    return lambda size: np.where(
        rng.random(size) < 0.5, rng.choice(few, size), rng.integers(limits.min, limits.max, size, dtype, endpoint=True)
    )


# The forest


@each(name=QUICK_ZOO, dtype=DTYPES)
def test_zoo_with_every_type_of_weights(name, dtype):
    graph = with_weights(QUICK_ZOO[name], numbers(dtype))
    for maximum in (False, True):
        expected, verified = naive.minimum_spanning_forest(graph, maximum), set()
        for algorithm in ALGORITHMS:
            forest = sg.minimum_spanning_forest(graph, algorithm=algorithm, maximum=maximum)
            assert isinstance(forest, sp.csr_array)
            assert forest.dtype == dtype
            assert edges_of(forest) == expected
            stored = tuple(part.tobytes() for part in (forest.indptr, forest.indices, forest.data))
            if stored not in verified:
                assert sg.explain(sg.is_minimum_spanning_forest, graph, forest, maximum) is None
                verified.add(stored)


@st.composite
def weighted_graphs(draw):
    dtype = draw(st.sampled_from(DTYPES))
    few = draw(st.booleans())
    numbers = {"i": st.integers(-2, 2), "u": st.integers(0, 2), "b": st.booleans(), "f": st.sampled_from([-0.0, 0, 1])}
    if not few and dtype.kind in "iu":
        numbers[dtype.kind] = st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if not few and dtype.kind == "f":
        numbers["f"] = st.floats(allow_nan=False, width=8 * dtype.itemsize)
    element = numbers[dtype.kind]
    return with_weights(
        draw(graphs()),
        lambda size: np.array(draw(st.lists(element, min_size=size, max_size=size)), dtype),
        dtype,
    )


@given(weighted_graphs(), st.booleans(), st.sampled_from(ALGORITHMS))
def test_random_graphs(graph, maximum, algorithm):
    forest = sg.minimum_spanning_forest(graph, algorithm=algorithm, maximum=maximum)
    assert edges_of(forest) == naive.minimum_spanning_forest(graph, maximum)
    assert sg.is_minimum_spanning_forest(graph, forest, maximum)


@given(weighted_graphs(), st.sampled_from(ALGORITHMS), st.integers(0, 99), st.integers(1, 5))
def test_shuffled_schedules(graph, algorithm, seed, workers):
    with use_target("python", seed=seed, workers=workers):
        forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
    assert edges_of(forest) == naive.minimum_spanning_forest(graph)


@each(few=[True, False])
def test_many_workers_join_trees_in_rounds(few, monkeypatch):
    u, v, weights = *np.random.default_rng(0).integers(0, 300, (2, 2000)), np.arange(2000) % 7
    graph, launched = sg.from_edges(u, v, weights, symmetrize="min"), []
    join = boruvka.join_in_rounds
    monkeypatch.setattr(boruvka, "join_in_rounds", lambda *arguments: (launched.append(True), join(*arguments)))
    with use_target("cpu", workers=boruvka.MIN_BORUVKA_WORKERS - few):
        forest = sg.minimum_spanning_forest(graph)
    assert bool(launched) != few and crc(forest) == crc(sg.minimum_spanning_forest(graph, algorithm="filter_kruskal"))


@pytest.mark.parametrize("dtype", ["i4", "f8"])
@pytest.mark.parametrize("algorithm", ["auto", "boruvka"])
@pytest.mark.parametrize("workers", [7, 16, 500])
def test_more_workers_than_threads(workers, algorithm, dtype):
    graph = with_weights(gallery.uniform_random(6000, 6), numbers(np.dtype(dtype)))
    with use_target("cpu", workers=workers):
        forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
    assert edges_of(forest) == edges_of(sg.minimum_spanning_forest(graph, algorithm="filter_kruskal"))


@pytest.mark.parametrize("dtype", ["i4", "f8"])
@each_algorithm
def test_few_edges_at_a_time(algorithm, dtype, monkeypatch):
    monkeypatch.setattr(forest_state, "_LIGHT", 0.1)
    monkeypatch.setattr(forest_state, "_SHARE", 0.02)
    monkeypatch.setattr(forest_state, "_ROOM", 1)
    monkeypatch.setattr(forest_state, "_SLACK", 0.5)
    monkeypatch.setattr(kruskal, "ITEMS_PER_CALL", 5)
    graph = with_weights(gallery.uniform_random(500, 9), numbers(np.dtype(dtype)))
    forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
    assert edges_of(forest) == naive.minimum_spanning_forest(graph)


@pytest.mark.parametrize("weights", [False, True])
def test_workers_do_not_write_to_the_same_cache_lines(weights, monkeypatch):
    """Full parts write to their last slot repeatedly, next to the first slot of another worker's part."""
    shared, full = [], []

    def recorded(collect):
        def run(*arguments):
            parts = arguments[-1]
            for array in (parts.ends, parts.entries):
                array.fill(-1)
            collect(*arguments)
            full.append((parts.counts >= np.diff(parts.starts) - forest_state._GAP).any())
            for array in (parts.ends, parts.entries):
                slots = np.flatnonzero(array != -1)
                lines = (array.ctypes.data + slots * array.itemsize) // 128
                owners = np.searchsorted(parts.starts, slots, side="right")
                shared.append((np.diff(lines) == 0) & (np.diff(owners) > 0))

        return run

    monkeypatch.setattr(forest_state, "collect", recorded(forest_state.collect))
    monkeypatch.setattr(forest_state, "_ROOM", 1)
    monkeypatch.setattr(forest_state, "_SLACK", 0.5)
    graph = gallery.uniform_random(6000, 6)
    if weights:
        graph = with_weights(graph, numbers(np.dtype("f8")))
    with use_target("cpu", workers=4):
        sg.minimum_spanning_forest(graph, algorithm="filter_kruskal")
    assert any(full)
    assert not np.concatenate(shared).any()


def test_unweighted_graphs_have_ones(zoo_graph):
    graph = sg.as_graph(zoo_graph, weights=False)
    for algorithm in ALGORITHMS:
        forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
        assert edges_of(forest) == naive.minimum_spanning_forest(graph)
        assert sg.total_weight(forest) == graph.num_vertices - naive.connected_components(graph)[0]


LARGE = {
    "float64": lambda: with_weights(gallery.uniform_random(30_000, 6), np.random.default_rng(1).random),
    "int8": lambda: with_weights(gallery.uniform_random(3000, 24), lambda size: np.arange(size, dtype=np.int8)),
}


@pytest.mark.parametrize("name", LARGE)
def test_same_forest_on_any_number_of_threads(name, threads):
    graph = LARGE[name]()
    matrix = graph.to_scipy()
    expected = {"float64": 2256094964, "int8": 2232595634}[name]
    for algorithm in ALGORITHMS:
        assert crc(sg.minimum_spanning_forest(graph, algorithm=algorithm)) == expected
        assert crc(sg.minimum_spanning_forest(matrix, algorithm=algorithm)) == expected


@pytest.mark.parametrize(
    "algorithm",
    ["filter_kruskal", *(pytest.param(name, marks=pytest.mark.slow) for name in ("boruvka", "awerbuch_shiloach"))],
)
def test_index_types_do_not_matter(algorithm):
    graph = LARGE["float64"]()
    expected = crc(sg.minimum_spanning_forest(graph))
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        assert crc(sg.minimum_spanning_forest(graph._with_dtypes(*types), algorithm=algorithm)) == expected


# Weights


def test_half_precision_becomes_single():
    graph = with_weights(gallery.grid((5, 5)), np.random.default_rng(0).random, "f2")
    forest = sg.minimum_spanning_forest(graph)
    assert forest.dtype == np.float32
    assert edges_of(forest) == naive.minimum_spanning_forest(graph)


def test_symmetrize_says_what_to_do_with_two_weights():
    one_way = sp.csr_array(np.array([[0, 5, 1], [2, 0, 0], [0, 4, 0]]))
    assert edges_of(sg.minimum_spanning_forest(one_way, symmetrize="min")) == [(0, 1, 2), (0, 2, 1)]
    assert edges_of(sg.minimum_spanning_forest(one_way, symmetrize="max")) == [(0, 2, 1), (1, 2, 4)]
    with pytest.raises(ValueError, match=re.escape("(0, 1) differ: 5 and 2")):
        sg.minimum_spanning_forest(one_way, symmetrize=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_two_weights_of_an_edge_are_refused(dtype):
    graph = with_weights(gallery.grid((30, 30)), lambda size: np.ones(size, dtype))
    weights = graph.weights.copy()
    e = int(graph.indptr[400])
    u = int(graph.indices[e])
    weights[e] = 0
    message = f"entry ({u}, 400) has weight {weights[-1]}, but (400, {u}) has {weights[e]}; pass as_graph(graph, "
    for one in (csr(weights, graph.indices, graph.indptr), reverse(graph, weights)):
        with pytest.raises(ValueError, match=re.escape(message)):
            sg.minimum_spanning_forest(one)


def reverse(graph, weights):
    """Return a matrix with rows stored in reverse order."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    places = graph.indptr[rows] + graph.indptr[rows + 1] - 1 - np.arange(rows.size)
    return csr(weights[places], graph.indices[places], graph.indptr)


def test_opposite_numbers_differ():
    for one, other in ((2.0, -2.0), (5, -6), (np.inf, -np.inf), (2**62, -(2**62))):
        with pytest.raises(ValueError, match="has weight"):
            sg.minimum_spanning_forest(sp.csr_array(np.array([[0, one], [other, 0]])))


def test_zeros_of_both_signs_are_equal():
    forest = sg.minimum_spanning_forest(csr(np.array([0.0, -0.0]), np.array([1, 0]), np.array([0, 1, 2])))
    assert edges_of(forest) == [(0, 1, 0.0)]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("sign", [1, -1])
def test_nan_is_refused_with_its_place(dtype, sign):
    graph = gallery.grid((30, 30))
    weights = np.ones(graph.num_entries, dtype)
    e = int(graph.indptr[400])
    weights[e] = np.copysign(np.nan, sign)
    for one in (csr(weights, graph.indices, graph.indptr), reverse(graph, weights)):
        with pytest.raises(ValueError, match=re.escape(f"the weight of entry (400, {graph.indices[e]}) is NaN")):
            sg.minimum_spanning_forest(one)


def test_bad_arguments():
    graph = gallery.grid((3, 3))
    with pytest.raises(ValueError, match="algorithm must be one of auto, boruvka, filter_kruskal, awerbuch_shiloach"):
        sg.minimum_spanning_forest(graph, algorithm="prim")
    with pytest.raises(TypeError, match="maximum must be True or False"):
        sg.minimum_spanning_forest(graph, maximum=1)
    with pytest.raises(ValueError, match="has no partner"):
        sg.minimum_spanning_forest(sp.csr_array(np.array([[0, 1], [0, 0]])))
    with pytest.raises(ValueError, match="real numbers of at most 64 bits, got complex128"):
        sg.minimum_spanning_forest(graph.to_scipy().astype(complex))


@each(kind=["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_total_weight_of_every_format(kind):
    for matrix in (sp.csr_array(np.arange(12).reshape(3, 4)), sp.csr_array(np.array([[1 + 2j, 0], [3, 1j]]))):
        assert sg.total_weight(matrix.asformat(kind)) == matrix.sum()


@each(forest=[gallery.grid((2, 2)), np.eye(2), None])
def test_total_weight_of_anything_else(forest):
    with pytest.raises(TypeError, match="forest must be"):
        sg.total_weight(forest)


def test_total_weights_are_exact():
    largest = np.iinfo(np.uint64).max
    for weights in (np.full(70, -(2**63)), np.full(70, largest), np.full(70, 127, np.int8), np.ones(70, bool)):
        path = sg.from_edges(np.arange(70), np.arange(1, 71), weights, symmetrize=True)
        assert sg.total_weight(sg.minimum_spanning_forest(path)) == sum(weights.tolist())
    assert sg.total_weight(sp.csr_array(np.array([[1e300, 1e300], [0.5, 0]]))) == 2e300
    for weights, total in (
        ([1e308, 1e308, -1e308], 1e308),
        ([np.inf, -1e308, -1e308], np.inf),
        ([5e-324] * 3, 1.5e-323),
    ):
        assert sg.total_weight(sp.coo_array((np.array(weights), [range(len(weights))] * 2))) == total
    with pytest.raises(ValueError, match="larger than the largest float64"):
        sg.total_weight(sp.csr_array(np.full((2, 2), 1e308)))
    assert isinstance(sg.total_weight(sp.csr_array((3, 3), dtype=np.float32)), float)


# Shapes and real graphs


def backbone(n, legs):
    """Return the edges of a tree on n vertices: a path, with a path of `legs` vertices attached to each vertex."""
    spine = np.arange(0, n, legs + 1)
    u = np.arange(1, n)
    v = np.where(u % (legs + 1) == 0, u - legs - 1, u - 1)
    assert np.array_equal(np.union1d(u[u % (legs + 1) == 0], [0]), spine)
    return u, v


DEEP = 200_000  # vertices
TREES = {
    "path": backbone(DEEP, 0),
    "star": (np.arange(1, DEEP), np.zeros(DEEP - 1, np.int64)),
    "comb": backbone(DEEP, 999),
    "caterpillar": (np.arange(1, DEEP), np.maximum(np.arange(1, DEEP) // 10 - (np.arange(1, DEEP) < 10), 0)),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("weights", ["rising", "equal", "random"])
def test_deep_trees(name, weights):
    u, v = TREES[name]
    drawn = {
        "rising": np.arange(u.size, dtype=np.int32),
        "equal": np.zeros(u.size, np.int8),
        "random": np.random.default_rng(0).random(u.size),
    }[weights]
    graph = sg.from_edges(u, v, drawn, DEEP, symmetrize=True)
    expected = sp.csr_array((drawn, (np.minimum(u, v), np.maximum(u, v))), shape=(DEEP, DEEP))
    for algorithm in ALGORITHMS:
        forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
        assert np.array_equal(forest.indptr, expected.indptr)
        assert np.array_equal(forest.indices, expected.indices)
        assert np.array_equal(forest.data, expected.data)


@each(n=[300, 3000, 40_000], shape=["path", "grid", "star", "random"], weights=["equal", "rising", "random"])
def test_awerbuch_and_shiloach_end_in_logarithmic_rounds(n, shape, weights):
    graph = {
        "path": lambda: gallery.grid((n,)),
        "grid": lambda: gallery.grid((n // 20, 20)),
        "star": lambda: sg.from_edges(np.full(n - 1, n // 2), np.delete(np.arange(n), n // 2), symmetrize=True),
        "random": lambda: gallery.uniform_random(n, 4),
    }[shape]()
    rng = np.random.default_rng(n)
    graph = with_weights(graph, {"equal": np.ones, "rising": np.arange, "random": rng.random}[weights])
    forest, rounds = awerbuch_shiloach.minimum_spanning_forest(graph, order_of(graph, maximum=False))
    assert crc(forest) == crc(sg.minimum_spanning_forest(graph))
    assert rounds <= 2 * np.log2(n)


@pytest.mark.parametrize(
    "name",
    ["USA-road-d.NY.gr.gz", "PGPgiantcompo.mtx.gz", "airfoil1.mtx.gz", "494_bus.mtx.gz", "as-caida20071105.mtx.gz"],
)
def test_real_graphs_have_the_weight_that_scipy_finds(data_file, name):
    graph = sg.read_graph(data_file(name), symmetrize="min")
    if graph.weights is None:
        graph = with_weights(graph, np.random.default_rng(0).random)
    matrix = graph.to_scipy()
    matrix.data = matrix.data - matrix.data.min() + 1.0  # SciPy interprets stored zeros as missing edges
    graph = sg.as_graph(matrix)
    expected = minimum_spanning_tree(matrix)
    forests = [sg.minimum_spanning_forest(graph, algorithm=algorithm) for algorithm in ALGORITHMS]
    assert len(set(map(crc, forests))) == 1
    assert forests[0].nnz == expected.nnz
    assert sg.total_weight(forests[0]) == pytest.approx(expected.sum(), rel=1e-12)
    assert sg.is_minimum_spanning_forest(graph, forests[0])


# The verifiers


@given(weighted_graphs(), st.randoms(use_true_random=False))
def test_verifiers_refuse_one_change(graph, random):
    forest = sg.minimum_spanning_forest(graph).tolil()
    entries = list(zip(*(ends.tolist() for ends in forest.tocoo().coords), strict=True))
    assert sg.is_spanning_forest(graph, sg.minimum_spanning_forest(graph).T)
    n = graph.num_vertices
    if entries:
        u, v = random.choice(entries)
        kept = [e for e in entries if e != (u, v)]
        remaining = sp.csr_array((np.ones(len(kept)), tuple(np.array(kept, int).reshape(-1, 2).T)), shape=(n, n))
        assert not sg.is_spanning_forest(graph, remaining)
    edges = {(u, v) for u, around in enumerate(naive.simple_adjacency(graph)) for v in around if u < v}
    for extra in sorted(edges - set(entries))[:1]:
        more = np.array([*entries, extra], int)
        assert not sg.is_spanning_forest(graph, sp.csr_array((np.ones(len(more)), tuple(more.T)), shape=(n, n)))


@given(weighted_graphs(), weighted_graphs())
def test_another_forest_is_minimum_if_it_weighs_the_same(graph, other):
    """Exchange one edge of the minimum forest in all ways; compare the verifier with the oracle's weights."""
    weights = {(u, v): w for u, v, w in naive.minimum_spanning_forest(graph)}
    best = sorted(weights.values())
    n = graph.num_vertices
    for u, around in enumerate(naive.simple_adjacency(graph)):
        for v in {v for v in around if v > u and (u, v) not in weights}:
            row = slice(int(graph.indptr[u]), int(graph.indptr[u + 1]))
            weight = graph.weights[row][graph.indices[row] == v].min()
            for dropped in weights:
                edges = {edge: w for edge, w in weights.items() if edge != dropped} | {(u, v): weight.item()}
                ends = np.array(list(edges)).T
                forest = sp.csr_array((np.array(list(edges.values()), graph.weights.dtype), tuple(ends)), shape=(n, n))
                if sg.is_spanning_forest(graph, forest):
                    assert sg.is_minimum_spanning_forest(graph, forest) == (sorted(edges.values()) == best)


def matrix_of(n, *edges):
    u, v, weights = zip(*edges, strict=True)
    return sp.csr_array((np.array(weights), (np.array(u), np.array(v))), shape=(n, n))


def test_verifiers_name_the_culprit():
    graph = sg.from_edges([0, 1, 2, 3, 0, 5], [1, 2, 3, 0, 2, 6], [1, 2, 3, 4, 5, 6], 7, symmetrize=True)
    right = [(0, 1, 1), (1, 2, 2), (2, 3, 3), (6, 5, 6)]
    cases = {
        "edge (0, 1) is in the forest more than once": [*right, (1, 0, 1)],
        "the forest has a loop at vertex 4": [*right, (4, 4, 0)],
        "edge (1, 3) is in the forest, but not in the graph": [*right[:2], (1, 3, 3), right[3]],
        "closes a cycle in the forest": [*right, (0, 3, 4)],
        "vertices 5 and 6 are adjacent, but not connected in the forest": right[:3],
    }
    for sentence, edges in cases.items():
        for predicate in (sg.is_spanning_forest, sg.is_minimum_spanning_forest):
            assert sentence in sg.explain(predicate, graph, matrix_of(7, *edges))
    tailed = sg.from_edges([0, 1, 2, 1], [1, 2, 3, 3], symmetrize=True)  # the edge of vertex 0 is on no cycle
    sentence = sg.explain(sg.is_spanning_forest, tailed, matrix_of(4, (0, 1, 1), (1, 2, 1), (2, 3, 1), (1, 3, 1)))
    assert sentence == "edge (2, 3) closes a cycle in the forest"
    assert sg.explain(sg.is_minimum_spanning_forest, graph, matrix_of(7, *right)) is None
    wrong = matrix_of(7, *right[:3], (5, 6, 7))
    assert sg.is_spanning_forest(graph, wrong)
    sentence = sg.explain(sg.is_minimum_spanning_forest, graph, wrong)
    assert sentence == "edge (5, 6) has weight 7 in the forest, but 6 in the graph"
    heavy = matrix_of(7, right[0], right[1], (0, 3, 4), right[3])
    assert sg.explain(sg.is_minimum_spanning_forest, graph, heavy) == (
        "edge (2, 3) has weight 3 and is not in the forest, "
        "but edge (0, 3) of weight 4 is, on the path between its ends"
    )
    assert not sg.is_minimum_spanning_forest(graph, matrix_of(7, *right), maximum=True)


def test_verifiers_refuse_what_is_no_forest():
    graph = gallery.grid((3, 3))
    with pytest.raises(TypeError, match="must be a sparse array, got ndarray"):
        sg.is_spanning_forest(graph, np.zeros((9, 9)))
    with pytest.raises(ValueError, match=re.escape("has shape (8, 8), but the graph has 9 vertices")):
        sg.is_spanning_forest(graph, sp.csr_array((8, 8)))


# A forest as a graph


def _named_tree():
    graph = sg.from_edges(["c", "a", "b", "c"], ["a", "b", "c", "d"], [3, 1, 2, 7], symmetrize=True)
    return graph, sg.minimum_spanning_forest(graph)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_as_graph_takes_a_forest_of_its_own(algorithm):
    graph = sg.as_graph(gallery.uniform_random(200, 6))
    forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
    edges = sg.as_graph(forest)
    assert type(forest) is sp.csr_array
    assert not edges.directed
    assert edges.num_edges == forest.nnz
    assert (edges.to_scipy() != forest + forest.T).nnz == 0
    assert sg.connected_components(forest)[0] == sg.connected_components(graph)[0]
    assert edges == sg.as_graph(forest, symmetrize=True)
    assert sg.as_graph(forest, directed=True).num_entries == forest.nnz
    distances, _ = sg.breadth_first_search(forest, 199)  # the edges, not arcs from smaller to larger vertices
    assert np.array_equal(distances, sg.breadth_first_search(edges, 199)[0])


def test_as_graph_takes_a_forest_after_pickling_and_with_its_weights():
    _, forest = _named_tree()
    again = pickle.loads(pickle.dumps(forest))
    assert sg.as_graph(again) == sg.as_graph(forest)
    assert sorted(sg.as_graph(forest).weights.tolist()) == [1, 1, 2, 2, 7, 7]
    assert sg.as_graph(forest, weights=False).weights is None
    assert sg.as_graph(sg.minimum_spanning_forest(sg.from_edges([], [], n=3))).num_vertices == 3


@pytest.mark.parametrize(
    "changed",
    [
        lambda forest: forest[:3, :3],
        lambda forest: forest * 2,
        lambda forest: forest.copy(),
        lambda forest: forest.T,
        lambda forest: sp.csr_array((forest.data, forest.indices, forest.indptr), shape=forest.shape),
    ],
)
def test_as_graph_refuses_a_triangular_matrix_that_is_no_returned_forest(changed):
    _, forest = _named_tree()
    with pytest.raises(ValueError, match=r"has no partner .* pass symmetrize=True to as_graph"):
        sg.as_graph(changed(forest))


def test_as_graph_adds_nothing_to_a_symmetric_sum_of_forests_or_to_a_forest_changed_in_place():
    _, forest = _named_tree()
    assert sg.as_graph(forest + forest.T).num_entries == 2 * forest.nnz
    forest.indices[-1] = 0  # no longer above the diagonal
    with pytest.raises(ValueError, match="has no partner"):
        sg.as_graph(forest)
