"""from_edges: kinds of edges, rejections, weights, and rows compared with brute force."""

import io
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.csr.build import build_rows
from stablegraph._core.runtime import use_target
from tests.graph.matrices import dense, edge_lists, shuffled_rows, stored


@pytest.mark.parametrize("kind", [list, np.int8, np.int32, np.int64, np.uint32, np.uint64, ">i4"])
def test_kinds_of_ids(kind):
    u, v = ([0, 1, 2], [1, 2, 0]) if kind is list else (np.array([0, 1, 2], kind), np.array([1, 2, 0], kind))
    graph = sg.from_edges(u, v, symmetrize=True)
    assert graph.num_edges == 3
    assert graph == sg.from_edges([0, 1, 2], np.array([1, 2, 0], np.int32), symmetrize=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1]), "equal lengths, got 2 and 1"),
        (([-1], [2]), r"edge 0 \(-1, 2\): -1 is not one of the 3 vertices; ids start at 0"),
        (([0], [0], None, 0), r"edge 0 \(0, 0\): 0 is not one of the 0 vertices; pass a larger n"),
        (([0, -3], [1, 1]), r"edge 1 \(-3, 1\): -3 is not one of the 2 vertices; ids start at 0"),
        (([0, 1, 0], [1, 0, 5], None, 5), r"edge 2 \(0, 5\): 5 is not one of the 5 vertices; pass a larger n"),
        (([0, 2**40], [1, 1], None, 5), r"edge 1 \(1099511627776, 1\)"),
        (([0, 2**40], [1, 1]), "number the ids"),
        (([0.0, np.nan], [1, 1]), "u must be whole numbers, but position 1 holds nan"),
        (([0, 1], [1, 1.5]), "v must be whole numbers, but position 1 holds 1.5"),
        (([0.0, 1.0], [1, 1]), "u must be integers, got float64"),
        ((["a"], [1]), "u holds names, but v holds numbers"),
        (([1], np.array(["b"])), "v holds names, but u holds numbers"),
        ((["a", "b"], ["b"]), "equal lengths, got 2 and 1"),
        ((["a"], []), "equal lengths, got 1 and 0"),
        (([], ["a"]), "equal lengths, got 0 and 1"),
        ((["a", None], ["b", "c"]), r"edge 1 \(None, c\) has an end without a name"),
        ((np.array(["a", np.nan], object), ["b", "c"]), r"edge 1 \(nan, c\) has an end without a name"),
        ((np.array([["a"]]), np.array([["b"]])), r"u must be one-dimensional, got shape \(1, 1\)"),
        ((["a"], ["b"], None, 3), "3 vertices, but nodes has 2 names"),
        (([True], [False]), "u must be integers, got bool"),
        (([[0, 1]], [[1, 0]]), r"u must be one-dimensional, got shape \(1, 2\)"),
        (([0, 1], [1, 0], [1.0]), "one weight for each of the 2 edges"),
        (([0], [1], None, -1), "n must be the number of vertices"),
        (([0], [1], None, 2.0), "n must be the number of vertices"),
        (([0, 1], [1, 2]), r"entry \(0, 1\) has no partner \(1, 0\); pass symmetrize=True"),
        (([0, 1, 1], [1, 0, 0], [1.0, 1.0, 2.0]), r"weights of entry \(1, 0\) differ: 1.0 and 2.0"),
    ],
)
def test_from_edges_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        sg.from_edges(*arguments)


def test_wrong_number_of_names():
    with pytest.raises(ValueError, match="3 vertices, but nodes has 2 names"):
        sg.from_edges([0], [1], n=3, nodes=["a", "b"], symmetrize=True)


IDS, NAMES = [3, 30], ["Ann, B", "Cy"]
UNEQUAL = sg.from_edges([0, 1], [1, 0], [2.0, 3.0], nodes=NAMES)
REPEATED = sg.from_edges([0, 0, 1], [1, 1, 0], [1.0, 2.0, 5.0], nodes=IDS, drop_duplicates=False)
NOT_A_NUMBER = sg.from_edges([0, 1], [1, 0], [np.nan, np.nan], nodes=IDS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sg.from_edges([0], [1], nodes=NAMES), "entry ('Ann, B', 'Cy') has no partner ('Cy', 'Ann, B')"),
        (lambda: sg.from_edges([0, 0], [1, 1], [1, 2], nodes=IDS, directed=True), "entry (3, 30) differ: 1 and 2"),
        (lambda: sg.as_graph(UNEQUAL, symmetrize=True), "entry ('Ann, B', 'Cy') differ: 2.0 and 3.0"),
        (
            lambda: sg.read_graph(io.BytesIO(b"# Directed graph\n3 30\n5 7\n7 5"), directed=False),
            "entry (3, 30) has no partner (30, 3)",
        ),
        (lambda: sg.read_graph(io.BytesIO(b"3 30 1\n30 3 2\n"), symmetrize=True), "entry (3, 30) differ: 1 and 2"),
        (lambda: sg.minimum_spanning_forest(UNEQUAL), "('Ann, B', 'Cy') has weight 2.0, but ('Cy', 'Ann, B') has 3.0"),
        (lambda: sg.minimum_spanning_forest(REPEATED), "entry (3, 30) has weight 1.0, but (30, 3) has 5.0"),
        (lambda: sg.minimum_spanning_forest(NOT_A_NUMBER), "entry (3, 30) is NaN"),
        (lambda: sg.aggregate(NOT_A_NUMBER, strength=0.1), "entry (3, 30) is NaN"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_by_the_names_of_its_ends(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_weights_of_duplicates():
    u, v, w = [0, 1, 0, 2], [1, 0, 1, 2], [3, 1, 2, 5]
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 3 and 1; .*pass no weights$"):
        sg.from_edges(u, v, w, symmetrize=True)
    for how, expected in (("min", 1), ("max", 3), ("sum", 6)):
        graph = sg.from_edges(u, v, w, symmetrize=how)
        assert graph.to_scipy().toarray().tolist() == [[0, expected, 0], [expected, 0, 0], [0, 0, 5]]
    equal = sg.from_edges([0, 1, 0], [1, 0, 1], [3.0, 3.0, 3.0], symmetrize=True)
    assert equal.weights.tolist() == [3.0, 3.0]
    nan = sg.from_edges([0, 1], [1, 0], [np.nan, np.nan], symmetrize=True)
    assert np.isnan(nan.weights).all()
    kept = sg.from_edges(u, v, w, symmetrize=True, drop_duplicates=False)
    assert kept.weights.tolist() == [3, 1, 2, 3, 1, 2, 5]


def test_facts_say_what_was_changed():
    graph = sg.from_edges([0, 0, 1, 2, 2], [1, 1, 0, 2, 2], symmetrize=True)
    assert (graph.facts["symmetrized"], graph.facts["loops_dropped"], graph.facts["duplicates_dropped"]) == (True, 0, 5)
    graph = sg.from_edges([0, 0, 1, 2, 2], [1, 1, 0, 2, 2], symmetrize=True, drop_loops=True, drop_duplicates=False)
    assert (graph.facts["loops_dropped"], graph.facts["duplicates_dropped"], graph.num_entries) == (2, 0, 6)


def test_few_edges_among_many_vertices():
    n = 300_000
    u, v, w = np.array([0, n - 1, 150_000, 0, 5]), np.array([n - 1, 0, 7, 5, 0]), np.array([1.0, 1.0, 2.0, 3.0, 3.0])
    graph = sg.from_edges(u, v, w, n, symmetrize=True)
    expected = sp.csr_array((np.append(w, 2.0), (np.append(u, 7), np.append(v, 150_000))), (n, n))
    assert (graph.to_scipy() != expected).nnz == 0
    assert (graph.num_edges, graph.is_symmetric, int(graph.degrees.max())) == (3, True, 2)


def test_cure_for_repeated_arcs_whose_weights_differ_is_one_that_works():
    arcs = [0, 0, 1], [1, 1, 0], [1.0, 2.0, 3.0]
    with pytest.raises(
        ValueError, match=r"weights of entry \(0, 1\) differ: 1.0 and 2.0; pass drop_duplicates=False"
    ) as no:
        sg.from_edges(*arcs, directed=True)
    assert "symmetrize" not in str(no.value)
    assert sg.from_edges(*arcs, directed=True, drop_duplicates=False).weights.tolist() == [1.0, 2.0, 3.0]


def test_symmetrize_a_matrix():
    matrix = np.array([[1, 2, 0], [5, 0, 0], [7, 0, 0]])
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 2 and 5"):
        sg.as_graph(matrix, symmetrize=True)
    assert sg.as_graph(matrix, symmetrize="sum").to_scipy().toarray().tolist() == [[1, 7, 7], [7, 0, 0], [7, 0, 0]]
    assert sg.as_graph(matrix, symmetrize="min").to_scipy().toarray().tolist() == [[1, 2, 7], [2, 0, 0], [7, 0, 0]]
    assert sg.as_graph(matrix, symmetrize=True, weights=False).num_edges == 2


def brute_force(u, v, n, mirror, drop_loops, drop_duplicates):
    """Build rows by sorting tuples; the third element is the edge."""
    entries = [(a, b, e) for e, (a, b) in enumerate(zip(u, v, strict=True)) if a != b or not drop_loops]
    if mirror:
        entries += [(b, a, e) for a, b, e in entries if a != b]
    entries.sort()
    if drop_duplicates:
        entries = [x for i, x in enumerate(entries) if i == 0 or x[:2] != entries[i - 1][:2]]
    counts = np.bincount([a for a, _, _ in entries], minlength=n) if entries else np.zeros(n, int)
    return [0, *np.cumsum(counts).tolist()], [b for _, b, _ in entries], [e for _, _, e in entries]


@given(edge_lists(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([np.int32, np.int64]))
@example((1, np.zeros((3, 2), np.int64)), True, False, True, np.int32)
@pytest.mark.parametrize("per_bucket", [1 << 15, 4])
def test_rows_are_those_of_brute_force(per_bucket, data, mirror, drop_loops, drop_duplicates, dtype):
    n, edges = data
    u, v = edges.T.astype(dtype).copy()
    expected = brute_force(u.tolist(), v.tolist(), n, mirror, drop_loops, drop_duplicates)
    options = {"mirror": mirror, "drop_loops": drop_loops, "drop_duplicates": drop_duplicates, "positions": True}
    for target, workers in (("cpu", 1), ("cpu", 7), ("python", 5)):
        with pytest.MonkeyPatch.context() as patch, use_target(target, workers=workers):
            patch.setattr("stablegraph._core.csr.build._ENTRIES_PER_BUCKET", per_bucket)
            patch.setattr("stablegraph._core.csr.build._DIGIT", 3 if per_bucket == 4 else 12)
            rows = build_rows(u, v, n, **options)
        assert (rows.indptr.tolist(), rows.indices.tolist(), rows.positions.tolist()) == expected


@given(edge_lists(), st.integers(0, 2**32 - 1))
def test_as_graph_agrees_with_scipy(data, seed):
    n, edges = data
    matrix = sp.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    pattern = matrix.toarray() > 0
    rows = build_rows(edges[:, 0].copy(), edges[:, 1].copy(), n, drop_duplicates=False)
    unsorted = shuffled_rows(stored(rows.indptr, rows.indices), seed)
    for target in ("cpu", "python"):
        with use_target(target, workers=3):
            for graph in (
                sg.as_graph(unsorted, directed=True),
                sg.as_graph(matrix, directed=True),
                sg.as_graph(unsorted, directed=True)._with_dtypes(np.int64, np.int64),
            ):
                apart = pattern & ~np.eye(n, dtype=bool)
                assert np.array_equal(dense(graph), pattern)
                assert graph.is_symmetric == np.array_equal(pattern, pattern.T)
                assert graph.degrees.tolist() == apart.sum(axis=1).tolist()
                assert graph.num_edges == apart.sum()
            graph = sg.as_graph(unsorted, symmetrize=True, weights=False)
            assert np.array_equal(dense(graph), pattern | pattern.T)
            assert graph.num_edges == np.triu(pattern | pattern.T, 1).sum()


@pytest.mark.parametrize(("scale", "digit"), [(11, 12), (15, 12), (15, 5)])
def test_many_buckets_and_long_columns(scale, digit, threads, monkeypatch):
    """Test more than one bucket, and one to three digits per column, on one to three threads."""
    monkeypatch.setattr("stablegraph._core.csr.build._DIGIT", digit)
    n, m = 2**scale - 3, 150_000
    random = np.random.default_rng(scale)
    u, v = (np.minimum(random.integers(0, n, m), random.integers(0, n, m)) for _ in range(2))
    w = random.random(m)
    graph = sg.from_edges(u, v, w, n, symmetrize="sum")
    matrix = sp.coo_array((w, (u, v)), shape=(n, n)).tocsr()
    both = sp.csr_array(matrix + matrix.T - sp.diags_array(matrix.diagonal()))
    both.sort_indices()
    pattern = sp.csr_array((matrix != 0) + (matrix.T != 0))
    pattern.sort_indices()
    assert np.array_equal(graph.indptr, pattern.indptr)
    assert np.array_equal(graph.indices, pattern.indices)
    assert graph.weights.sum() == pytest.approx(both.data.sum())
    with use_target("cpu", workers=1):
        assert graph == sg.from_edges(u, v, w, n, symmetrize="sum")


def test_forced_64_bit_indices():
    graph = sg.from_edges([0, 1, 5], [5, 0, 1], symmetrize=True)._with_dtypes(np.int64, np.int64)
    assert graph.indices.dtype == np.int64
    assert sg.as_graph(graph) is graph
    assert sg.as_graph(graph, symmetrize=True) is graph
    assert graph.subgraph([0, 5]).indices.dtype == np.int64
    assert graph.degrees.dtype == np.int64
    graph.check()


@pytest.mark.parametrize("symmetrize", [False, True])
def test_simple_graphs_have_no_loops_duplicates_and_weights(symmetrize):
    u, v = np.array([2, 0, 0, 1, 0, 2]), np.array([1, 1, 0, 0, 1, 2])
    messy = sg.from_edges(u, v, np.ones(6), drop_duplicates=False, directed=not symmetrize, symmetrize=symmetrize)
    simple = messy.simple()
    matrix = messy.to_scipy().toarray() != 0
    np.fill_diagonal(matrix, False)
    assert (simple.to_scipy().toarray() == matrix).all()
    assert simple.num_entries == matrix.sum()
    assert simple.weights is None and simple.directed == messy.directed
    assert simple.simple() is simple


def test_one_array_of_ends_is_refused_with_its_cure():
    ends = np.array([[0, 1], [1, 2]])
    with pytest.raises(TypeError, match=r"v is missing; .*from_edges\(\*edge_index\).*as_graph\(edges\)"):
        sg.from_edges(ends)
    assert sg.from_edges(*ends, symmetrize=True).num_edges == 2
