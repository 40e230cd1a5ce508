"""Aggregates: three algorithms compared with sets and with the papers' numbers, on every schedule; strength; labels."""

import zlib
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import memory
from stablegraph._core import option_names as names
from stablegraph._core.runtime import use_target
from stablegraph.coarsening.strength import strong_connections
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import ZOO, graphs

ALGORITHMS = get_args(names.Aggregation)
TYPES = [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)]


def aggregates_of(graph, algorithm, **options):
    count, labels = sg.aggregate(graph, algorithm=algorithm, **options)
    assert labels.dtype == np.int32
    assert count == max(labels, default=-1) + 1
    return labels.tolist()


def checksum(graph, algorithm):
    count, labels = sg.aggregate(graph, algorithm=algorithm)
    return count, f"{zlib.crc32(labels.tobytes()):08x}"


@pytest.fixture(scope="module")
def larger():
    """Return a graph with hubs, with long rows next to many aggregates, and with isolated vertices."""
    rng = np.random.default_rng(5)
    u, v = (40_000 * rng.random((2, 90_000)) ** 2).astype(np.int64)
    moved = rng.permutation(50_000)
    return sg.from_edges(moved[u], moved[v], n=50_000, symmetrize=True)


# ------------------------------------------------------------------------------------------------------ right answers


@each(algorithm=ALGORITHMS)
def test_zoo(zoo_graph, algorithm):
    labels = aggregates_of(zoo_graph, algorithm)
    assert labels == naive.aggregates(zoo_graph, algorithm)
    assert sg.explain(sg.is_aggregation, zoo_graph, labels) is None


@pytest.mark.gpu
def test_the_same_answer_on_a_gpu(zoo_graph, larger):
    import cupy

    for graph in (zoo_graph, larger):
        for algorithm in ALGORITHMS:
            for priority in (None, "degree", np.arange(len(graph)) % 7):
                options = {"algorithm": algorithm, "priority": priority, "return_roots": True}
                count, labels, roots = sg.aggregate(graph.to("cuda"), **options)
                assert isinstance(labels, cupy.ndarray) and isinstance(roots, cupy.ndarray)
                expected, *on_cpu = sg.aggregate(graph, **options)
                assert count == expected
                assert [labels.get().tolist(), roots.get().tolist()] == [array.tolist() for array in on_cpu]


def priorities(n):
    """Return a name, and numbers: the last vertex first, with ties, and floats."""
    rng = np.random.default_rng(n)
    return ["degree", np.arange(n), rng.integers(-2, 2, n), rng.random(n).astype("f4")]


@each(algorithm=ALGORITHMS)
def test_priorities(zoo_graph, algorithm):
    for priority in priorities(len(zoo_graph)):
        labels = aggregates_of(zoo_graph, algorithm, priority=priority)
        assert labels == naive.aggregates(zoo_graph, algorithm, priority)
        assert sg.explain(sg.is_aggregation, zoo_graph, labels) is None
    assert aggregates_of(zoo_graph, algorithm) == aggregates_of(zoo_graph, algorithm, priority="random")


@given(graphs(), st.sampled_from(ALGORITHMS), st.data())
def test_any_numbers(thing, algorithm, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    numbers = data.draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n))
    labels = aggregates_of(thing, algorithm, priority=np.array(numbers, np.int64))
    assert labels == naive.aggregates(graph, algorithm, numbers)
    assert sg.explain(sg.is_aggregation, graph, labels, connected=algorithm != "kokkos") is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_orders_without_parallelism(algorithm):
    """One thread finishes both sets; distances in the second set are those among free vertices, or in the graph."""
    path = gallery.grid((400,))
    numbers = np.arange(400)
    labels = aggregates_of(path, algorithm, priority=numbers)
    assert labels == naive.aggregates(path, algorithm, numbers)


@each(algorithm=ALGORITHMS)
def test_roots(zoo_graph, algorithm):
    n = len(zoo_graph)
    for priority in ("random", "degree", np.arange(n) % 5):
        count, labels, roots = sg.aggregate(zoo_graph, algorithm=algorithm, priority=priority, return_roots=True)
        assert (labels.tolist(), roots.tolist()) == naive.aggregates_and_roots(zoo_graph, algorithm, priority)
        assert roots.dtype == np.int64 and np.array_equal(labels[roots], np.arange(count))
        assert sg.explain(sg.is_aggregation, zoo_graph, labels, roots=roots) is None


@pytest.mark.slow
def test_roots_begin_with_the_set_in_this_order(larger, threads):
    numbers = np.random.default_rng(2).random(len(larger))
    for algorithm in ALGORITHMS:
        for priority in ("random", "degree", numbers):
            first = np.flatnonzero(sg.maximal_independent_set(larger, distance=2, priority=priority))
            _, labels, roots = sg.aggregate(larger, algorithm=algorithm, priority=priority, return_roots=True)
            assert np.array_equal(roots[: first.size], first)
            assert (roots.size == first.size) == (algorithm == "mis2_basic")
            assert sg.is_aggregation(larger, labels, roots=roots)


def test_roots_of_a_strength_and_of_no_vertices():
    matrix = anisotropic(9)
    _, labels, roots = sg.aggregate(matrix, strength=0.25, return_roots=True)
    assert sg.is_aggregation(strong_connections(sg.as_graph(matrix), 0.25), labels, roots=roots)
    empty = sg.as_graph(sp.csr_array((0, 0)))
    count, labels, roots = sg.aggregate(empty, return_roots=True)
    assert (count, labels.shape, roots.shape, roots.dtype) == (0, (0,), (0,), np.int64)
    assert sg.is_aggregation(empty, labels, roots=roots)
    with pytest.raises(TypeError, match="return_roots must be True or False"):
        sg.aggregate(matrix, return_roots="yes")


def test_priorities_for_any_threads_and_dtypes(larger, threads):
    numbers = np.random.default_rng(2).integers(0, 1000, len(larger))
    for algorithm in ALGORITHMS:
        for priority, expected in (("degree", _BY_DEGREE), (numbers, _BY_NUMBERS)):
            sums = set()
            for types in TYPES[::2]:
                count, labels = sg.aggregate(larger._with_dtypes(*types), algorithm=algorithm, priority=priority)
                sums.add((count, f"{zlib.crc32(labels.tobytes()):08x}"))
            assert sums == {expected[algorithm]}


_BY_DEGREE = {"mis2": (21061, "2f7d47e2"), "mis2_basic": (19995, "f704d4d4"), "kokkos": (20796, "6b62936b")}
_BY_NUMBERS = {"mis2": (19458, "cda16b95"), "mis2_basic": (18352, "be39cc98"), "kokkos": (19138, "cc6a97b8")}


def test_priorities_by_name_and_with_a_strength():
    graph = sg.from_edges(["c", "a", "b"], ["a", "b", "d"], [1.0, 2.0, 3.0], symmetrize=True)
    by_name = {"a": 5, "b": 1, "c": 2, "d": 9}
    numbers = [by_name[name] for name in graph.nodes]
    for options in ({}, {"strength": 0}, {"strength": graph.to_scipy()}):
        count, labels = sg.aggregate(graph, priority=by_name, **options)
        assert (count, labels.tolist()) == (sg.aggregate(graph, priority=numbers, **options)[0], labels.tolist())
        assert labels.tolist() == naive.aggregates(graph, "mis2", numbers)


@pytest.mark.parametrize(
    ("priority", "message"),
    [
        ("degre", "did you mean 'degree'"),
        ("ecl", "priority must be one of random, degree, or an array of numbers at distance 2"),
        ("ratio", "pass weights="),
        ([1.0, np.nan, 3], "priority is NaN at vertex 1"),
        ([1.0, 2], r"priority must have one number for each of the 3 vertices, got shape \(2,\)"),
        (["a", "b", "c"], "priority must be"),
        (np.zeros(3, complex), "priority must be"),
        ({0: 1, 1: 2}, "priority has no value for vertex 2"),
    ],
)
def test_wrong_priorities(priority, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sg.aggregate(gallery.grid((3,)), priority=priority)


@given(graphs(), st.sampled_from(ALGORITHMS))
def test_any_graph(thing, algorithm):
    graph = sg.as_graph(thing)
    labels = aggregates_of(thing, algorithm)
    assert labels == naive.aggregates(graph, algorithm)
    assert sg.explain(sg.is_aggregation, graph, labels, connected=algorithm != "kokkos") is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(3))
def test_any_schedule(algorithm, seed):
    graph = sg.as_graph(ZOO[("skewed", "grid", "partial diagonal")[seed]])
    with use_target("python", seed=seed, workers=1 + 3 * seed):
        assert aggregates_of(graph, algorithm) == naive.aggregates(graph, algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_long_rows(algorithm):
    """Most vertices have more adjacent aggregates than Kokkos Kernels compares, and the order in the rows decides."""
    graph = gallery.uniform_random(1500, 9, seed=2)
    assert aggregates_of(graph, algorithm) == naive.aggregates(graph, algorithm)
    hubs = sg.as_graph(ZOO["unsorted rows"])
    assert aggregates_of(hubs, algorithm) == aggregates_of(ZOO["skewed"], algorithm)


def test_the_same_for_any_threads_and_dtypes(larger, threads):
    expected = {"mis2": (19810, "a689911f"), "mis2_basic": (18687, "874e5ef0"), "kokkos": (19517, "e8938e00")}
    for algorithm in ALGORITHMS:
        assert {checksum(larger._with_dtypes(*types), algorithm) for types in TYPES} == {expected[algorithm]}


@pytest.mark.parametrize(
    ("algorithm", "side", "expected"),
    [
        ("mis2_basic", 20, (769, "82c44c40")),
        ("mis2", 20, (1206, "c8dfe94a")),
        ("kokkos", 20, (1168, "6c378cff")),
        ("mis2_basic", 50, (11469, "1fc86eb7")),
        pytest.param("mis2", 50, (18520, "cf9618d3"), marks=pytest.mark.slow),
        pytest.param("kokkos", 50, (17859, "19412cfa"), marks=pytest.mark.slow),
        pytest.param("mis2_basic", 100, (90041, "a841cbee"), marks=pytest.mark.slow),
        pytest.param("mis2", 100, (147596, "6b95cd26"), marks=pytest.mark.slow),
        pytest.param("kokkos", 100, (142014, "b1342033"), marks=pytest.mark.slow),
    ],
)
def test_the_papers_numbers(algorithm, side, expected):
    graph = gallery.grid((side, side, side))
    assert checksum(graph, algorithm) == expected
    if side == 50:
        labels = sg.aggregate(graph, algorithm=algorithm)[1]
        assert sg.is_aggregation(graph, labels)
        assert sg.is_aggregation(graph, labels, connected=True) == (algorithm != "kokkos")


def test_a_matrix_is_its_graph():
    graph, matrix = gallery.grid((30, 40)), gallery.laplacian((30, 40))
    for algorithm in ALGORITHMS:
        assert aggregates_of(matrix, algorithm) == aggregates_of(graph, algorithm)


@pytest.mark.slow
def test_a_hub_beside_a_hundred_thousand_aggregates():
    """A remaining vertex may have very many adjacent aggregates; the time must still be linear."""
    legs = np.arange(100_000)
    graph = sg.from_edges(np.r_[0 * legs, 1 + legs], np.r_[1 + legs, 100_001 + legs], symmetrize=True)
    for algorithm in ALGORITHMS:
        labels = sg.aggregate(graph, algorithm=algorithm)[1]
        assert sg.is_aggregation(graph, labels)


@pytest.mark.parametrize("name", ["airfoil1.mtx.gz", "ca-AstroPh.mtx.gz", "bcsstk18.mtx.gz"])
def test_real_graphs(data_file, name):
    graph = sg.read_graph(data_file(name))
    for algorithm in ALGORITHMS:
        labels = sg.aggregate(graph, algorithm=algorithm)[1]
        assert sg.explain(sg.is_aggregation, graph, labels, connected=algorithm != "kokkos") is None


# ----------------------------------------------------------------------------------------------------------- strength


def anisotropic(side):
    across = sp.diags_array([-0.01, 2.02, -0.01], offsets=[-1, 0, 1], shape=(side, side))
    along = sp.diags_array([-1.0, 0.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    one = sp.eye_array(side)
    return sp.csr_array(sp.kron(one, across) + sp.kron(along, one))


def test_strength_keeps_to_the_strong_direction():
    side = 30
    matrix = anisotropic(side)
    columns = np.arange(side * side) % side
    for algorithm in ALGORITHMS:
        labels = np.array(aggregates_of(matrix, algorithm, strength=0.25))
        assert all(np.ptp(columns[labels == label]) == 0 for label in range(labels.max() + 1))
    lines = sg.from_edges(np.arange(side * (side - 1)), np.arange(side, side * side), symmetrize=True)
    assert (
        aggregates_of(matrix, "mis2", strength=lines)
        == aggregates_of(lines, "mis2")
        == aggregates_of(matrix, "mis2", strength=0.25)
    )
    assert aggregates_of(matrix, "mis2", strength=0) == aggregates_of(matrix, "mis2")


@given(st.integers(0, 2**32), st.sampled_from([0, 0.1, 0.25, 0.5, 0.99]), st.sampled_from([float, int, complex, "f4"]))
def test_strong_connections(seed, theta, kind):
    rng = np.random.default_rng(seed)
    dense = np.rint(8 * rng.standard_normal((9, 9))) * (rng.random((9, 9)) < 0.6)
    dense = (dense * (rng.random((9, 9)) < 0.8)).astype(kind)
    pattern = (dense != 0) | (dense != 0).T
    matrix = sp.csr_array((dense[pattern], np.nonzero(pattern)), shape=(9, 9))
    size = np.abs(dense).astype(float)
    strong = pattern & (size**2 >= theta**2 * np.multiply.outer(size.diagonal(), size.diagonal()))
    strong |= strong.T
    np.fill_diagonal(strong, False)
    graph = strong_connections(matrix, theta)
    assert np.array_equal(graph.to_scipy().toarray() != 0, strong)
    assert not graph.directed and graph.weights is None


def test_entries_that_are_stored_twice_are_added_up():
    twice = sp.csr_array((3, 3))
    twice.indptr, twice.indices = np.array([0, 3, 6, 7]), np.array([0, 1, 1, 0, 0, 1, 2])
    twice.data = np.array([4.0, -1, -1, -1, -1, 4, 1])
    assert strong_connections(twice, 0.5).num_edges == 1
    assert strong_connections(twice, 0.51).num_edges == 0


@each(theta=[0.25, 0.9, 1e-200, 5e-324])
def test_strong_connections_of_numbers_of_any_size(theta):
    rng = np.random.default_rng(3)
    for sizes in ([0, 5e-324, 1e-310, 1e-200, 1, 1e200, 1e308], [1e-170, 2e-170, 3e-170], 10.0 ** np.arange(-323, 308)):
        for _ in range(20):
            matrix = np.triu(rng.choice(sizes, (4, 4)) * rng.choice([-1, 1], (4, 4)))
            matrix += np.triu(matrix, 1).T
            graph = strong_connections(matrix, theta)
            exact = [[Fraction(value) for value in row] for row in matrix.tolist()]

            def is_strong(i, j, exact=exact):
                return exact[i][j] and exact[i][j] ** 2 >= Fraction(theta) ** 2 * abs(exact[i][i] * exact[j][j])

            strong = [(i, j) for i in range(4) for j in range(4) if i != j and is_strong(i, j)]
            assert list(zip(graph._rows(), graph.indices, strict=True)) == strong


def test_strength_refuses_sums_that_are_not_finite():
    entries = ([0, 0, 1, 1, 0], [1, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="a sum of repeated entries is larger than the largest float64"):
        strong_connections(sg.from_edges(*entries, np.full(5, 1e308), directed=True, drop_duplicates=False), 0.5)
    with pytest.raises(ValueError, match="the absolute value of an entry is larger"):
        strong_connections(np.full((2, 2), 1.5e308 + 1.5e308j), 0.5)


@pytest.mark.parametrize(
    ("strength", "error", "words"),
    [
        (1, ValueError, "at least 0 and below 1, got 1"),
        (-0.1, ValueError, "at least 0 and below 1"),
        (float("nan"), ValueError, "at least 0 and below 1"),
        (True, TypeError, "strength must be a number, got True"),
        ("strong", TypeError, "cannot make a graph of str"),
        (gallery.grid((3, 3)), ValueError, "strength is a graph of 9 vertices, but the graph has 16"),
    ],
)
def test_wrong_strengths(strength, error, words):
    with pytest.raises(error, match=words):
        sg.aggregate(gallery.laplacian((4, 4)), strength=strength)


def test_strength_needs_numbers():
    with pytest.raises(ValueError, match="this graph has no weights; pass the matrix"):
        sg.aggregate(gallery.grid((4, 4)), strength=0.25)
    matrix = gallery.laplacian((4, 4))
    matrix.data[matrix.indptr[5] + 1] = np.nan
    with pytest.raises(ValueError, match=rf"entry \(5, {matrix.indices[matrix.indptr[5] + 1]}\) is NaN"):
        sg.aggregate(matrix, strength=0.25)


# --------------------------------------------------------------------------------------- operator, coarse graph, errors


@given(graphs(), st.integers(0, 99))
def test_operator_and_coarse_graph(thing, seed):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    labels = np.unique(np.random.default_rng(seed).integers(0, 1 + n // 2, n), return_inverse=True)[1]
    operator = sg.aggregation_operator(labels)
    count = int(labels.max(initial=-1)) + 1
    assert operator.shape == (n, count)
    assert (operator.toarray() == (labels[:, None] == np.arange(count))).all()
    weights = np.arange(1, graph.num_entries + 1)
    weighted = sg.as_graph((graph.indptr, graph.indices, weights))
    coarse, heavy = sg.coarse_graph(graph.simple(), labels), sg.coarse_graph(weighted, labels)
    product = (operator.T @ weighted.to_scipy() @ operator).toarray()
    np.fill_diagonal(product, 0)
    assert np.array_equal(heavy.to_scipy().toarray(), product)
    assert np.array_equal(coarse.to_scipy().toarray() != 0, product != 0)
    for one in (coarse, heavy):
        assert one.is_sorted and not one.has_loops and not one.has_duplicates


@given(graphs(), st.integers(0, 99))
def test_edges_between_aggregates_are_counted_and_those_inside_are_loops(thing, seed):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    labels = np.unique(np.random.default_rng(seed).integers(0, 1 + n // 2, n), return_inverse=True)[1]
    operator = sg.aggregation_operator(labels)
    pattern = sg.as_graph(graph, weights=False).to_scipy().toarray() != 0
    once = np.triu(pattern).astype(int)  # each edge, and each loop, once
    product = operator.T @ once @ operator
    expected = np.triu(product + product.T, 1)
    expected = expected + expected.T + np.diag(np.diag(product))
    counted = sg.coarse_graph(graph, labels, count=True, loops=True)
    assert np.array_equal(counted.to_scipy().toarray(), expected)
    assert counted.weights.sum() == product.sum() + np.triu(expected, 1).sum()  # no edge is lost
    without = sg.coarse_graph(graph, labels, count=True)
    assert not without.has_loops and np.array_equal(without.to_scipy().toarray(), expected - np.diag(np.diag(expected)))
    bare = sg.coarse_graph(sg.as_graph(graph, weights=False), labels, loops=True)
    assert bare.weights is None and np.array_equal(bare.to_scipy().toarray() != 0, expected != 0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64])
def test_strengths_of_repeated_entries_do_not_wrap_around(dtype):
    """Each entry of a path is stored four times: 4 * 64 does not fit into 8 bits."""
    ends = np.array([[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2]]).repeat(4, 0)
    diagonal = np.arange(4)
    order = np.lexsort((np.append(ends[:, 1], diagonal), rows := np.append(ends[:, 0], diagonal)))
    indices, data = np.append(ends[:, 1], diagonal)[order], np.append(np.full(24, 64), np.full(4, 2))[order]
    indptr = np.append(0, np.bincount(rows).cumsum())
    A = sp.csr_array((data.astype(dtype), indices, indptr), shape=(4, 4))
    assert sg.aggregate(A, strength=0.25)[0] == 1


def test_both_directions_of_a_coarse_edge_have_equal_weights():
    """Sums of floats depend on their order, which differs between (a, b) and (b, a)."""
    n, random = 200, np.random.default_rng(0)
    u, v = np.triu_indices(n, 1)
    graph = sg.from_edges(u, v, random.random(u.size), n, symmetrize=True)
    coarse = sg.coarse_graph(graph, np.arange(n) % 7).to_scipy()
    assert np.array_equal(coarse.toarray(), coarse.toarray().T)
    assert sg.minimum_spanning_forest(coarse).nnz == 6


def test_modularity_of_a_coarse_graph_is_that_of_the_graph():
    nx = pytest.importorskip("networkx", reason="communities are NetworkX's here")
    people = nx.les_miserables_graph()
    for weights in (True, False):
        graph = sg.as_graph(people, weights=weights)
        labels = sg.aggregate(graph)[1]
        coarse = sg.coarse_graph(graph, labels, count=not weights, loops=True).to_networkx()
        communities = nx.community.louvain_communities(coarse, seed=1)
        of_people = [{graph.nodes[v] for v in np.flatnonzero(np.isin(labels, list(part)))} for part in communities]
        result = nx.community.modularity(coarse, communities)
        assert result == pytest.approx(nx.community.modularity(people, of_people, weight="weight" if weights else None))


def test_small_numbers_do_not_overflow():
    weights = np.full(400, 100, np.int8)
    graph = sg.from_edges(np.repeat(0, 200), np.arange(200, 400), weights[:200], symmetrize=True)
    coarse = sg.coarse_graph(graph, np.arange(400) // 200)
    assert coarse.weights.tolist() == [20_000, 20_000]


def test_too_little_memory_is_said_before_any_is_taken(monkeypatch):
    graph = gallery.grid((40, 40))
    labels = np.arange(1600) // 4
    forms = [
        (graph, {}),
        (graph, {"count": True, "loops": True}),
        (graph._replace(weights=np.ones(graph.num_entries, np.int8)), {}),
        (graph._replace(weights=np.ones(graph.num_entries)), {}),
    ]
    for weighted, options in forms:
        assert weighted.is_sorted  # cached before
        monkeypatch.setattr(memory, "free_memory", lambda: 30_000.0)
        with pytest.raises(
            MemoryError, match=r"^not enough memory: the graph of aggregates needs .* GB, but 3e-05 GB are"
        ):
            sg.coarse_graph(weighted, labels, **options)
        monkeypatch.setattr(memory, "free_memory", lambda: 600_000.0)
        assert sg.coarse_graph(weighted, labels, **options).num_vertices == 400


def test_the_memory_for_the_entries_between_aggregates_is_asked_for(monkeypatch):
    clique = sg.as_graph(np.ones((100, 100)) - np.eye(100), weights=False)
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000.0)
    with pytest.raises(
        MemoryError, match=r"^the memory is short: 9,900 entries, .* for the graph of aggregates; fewer"
    ):
        sg.coarse_graph(clique, np.arange(100))
    monkeypatch.setattr(memory, "free_memory", lambda: 13 * 9900.0)  # enough for its first part
    with pytest.raises(MemoryError, match=r"needs 0\.000594 GB, but 0\.000129 GB are free"):
        sg.coarse_graph(clique._replace(weights=np.ones(9900)), np.arange(100))


@pytest.mark.parametrize("make", [sg.aggregation_operator, lambda labels: sg.coarse_graph(gallery.grid((4,)), labels)])
@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        ([0, 1, -1, 0], ValueError, "vertex 2 is in no aggregate, but has label -1"),
        ([0, 2, 2, 0], ValueError, "no vertex has label 1: labels must be numbered without gaps"),
        ([0, 1, 9, 0], ValueError, "vertex 2 has label 9, but 4 vertices have at most 4 aggregates"),
        ([[0, 0, 0, 0]], ValueError, r"labels must be one.* got shape \(1, 4\)"),
        ([0.0, 1.0, 0.0, 1.0], TypeError, "labels must be integers, got float64"),
    ],
)
def test_wrong_labels(make, labels, error, words):
    with pytest.raises(error, match=words):
        make(labels)


def test_wrong_graphs_and_methods():
    with pytest.raises(ValueError, match=r"labels must be one number for each of the 4 vertices, got shape \(2,\)"):
        sg.coarse_graph(gallery.grid((4,)), [0, 1])
    with pytest.raises(ValueError, match="algorithm must be one of mis2, mis2_basic, kokkos; got 'standard'"):
        sg.aggregate(gallery.grid((4,)), algorithm="standard")
    with pytest.raises(ValueError, match=r"entry \(0, 1\) has no partner"):
        sg.aggregate(sp.csr_array(np.triu(np.ones((3, 3)))))


# ----------------------------------------------------------------------------------------------------------- verifier


def test_the_sentence_names_the_vertices():
    path = gallery.grid((6,))
    for labels, connected, sentence in (
        ([0, 0, 0, 1, 1, 1], True, None),
        ([0, 1, 0, 1, 1, 1], False, None),
        ([0, 1, 0, 1, 1, 1], True, "vertices 0 and 2 are both in aggregate 0, but no path inside it joins them"),
        (
            [0, 1, 1, 0, 1, 1],
            False,
            "vertices 0 and 3 are both in aggregate 0, but no steps of two edges inside it lead from one to the other",
        ),
        ([0, 0, 0, 1, 1, -1], False, "vertex 5 is in no aggregate, but has label -1: labels are numbers from 0 on"),
        ([0, 0, 5, 3, 3, 3], False, "no vertex has label 1, but vertex 3 has label 3: labels must have no gaps"),
    ):
        assert sg.explain(sg.is_aggregation, path, labels, connected=connected) == sentence
    with pytest.raises(ValueError, match=r"labels has shape \(2,\), but the graph has 6 vertices"):
        sg.is_aggregation(path, [0, 1])
    for roots, sentence in (
        ([1, 4], None),
        ([2, 3], None),
        ([4, 1], "vertex 4 is the root of aggregate 0, but is in aggregate 1"),
        ([1, 1], "vertex 1 is the root of aggregate 1, but is in aggregate 0"),
    ):
        assert sg.explain(sg.is_aggregation, path, [0, 0, 0, 1, 1, 1], roots=roots) == sentence
    far = "vertex 3 is more than two steps away from vertex 0, the root of aggregate 0"
    assert sg.explain(sg.is_aggregation, path, [0, 0, 0, 0, 1, 1], roots=[0, 5]) == far
    assert sg.is_aggregation(path, [0, 1, 0, 1, 2, 2], roots=[2, 1, 5])  # steps may pass through other aggregates
    with pytest.raises(ValueError, match=r"roots has shape \(1,\), but the labels have 2 aggregates: expected \(2,\)"):
        sg.is_aggregation(path, [0, 0, 0, 1, 1, 1], roots=[1])
    with pytest.raises(ValueError, match="roots must be vertex numbers from 0 to 5, got 1 to 6"):
        sg.is_aggregation(path, [0, 0, 0, 1, 1, 1], roots=[1, 6])
    with pytest.raises(TypeError, match="roots must be integers, got dtype float64"):
        sg.is_aggregation(path, [0, 0, 0, 1, 1, 1], roots=[1.0, 4.0])


@given(graphs(max_vertices=8), st.integers(0, 10**6))
def test_verifier_on_any_labels(thing, seed):
    graph = sg.as_graph(thing)
    n, neighbors = graph.num_vertices, naive.simple_adjacency(graph)
    labels = np.random.default_rng(seed).integers(0, max(n - 2, 1), n)
    near = [around | {w for u in around for w in neighbors[u]} for around in neighbors]
    complete = sorted(set(labels.tolist())) == list(range(int(labels.max(initial=-1)) + 1))
    for connected, steps in ((True, neighbors), (False, near)):
        among = [{u for u in steps[v] if labels[u] == labels[v]} for v in range(n)]
        right = complete and len(naive.components(among)) == len(set(labels.tolist()))
        assert sg.is_aggregation(graph, labels, connected=connected) == right
    if not complete:
        return
    roots = np.random.default_rng(seed).integers(0, max(n, 1), int(labels.max(initial=-1)) + 1)
    if seed % 2:  # right or nearly right: a vertex of each aggregate
        roots = np.unique(labels, return_index=True)[1]
    by_definition = all(labels[root] == label for label, root in enumerate(roots))
    by_definition &= all(roots[labels[v]] in near[v] | {v} for v in range(n))
    right &= by_definition  # the last one: steps of at most two edges
    assert sg.is_aggregation(graph, labels, roots=roots) == right
