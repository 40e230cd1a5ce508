"""Weights of repeated entries: a GPU combines them as NumPy does; sums are exact or rejected."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.csr.merge import COMBINE, combined_in_turn
from tests.support.cases import each


@each(how=COMBINE, dtype=["bool", "int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_small_groups_are_combined_as_numpy_does_it(dtype, how):
    rng = np.random.default_rng(8)
    lengths = rng.integers(1, 9, 500)
    first = np.cumsum(lengths) - lengths
    numbers = rng.normal(size=lengths.sum()) * 10.0 ** rng.integers(-8, 8, lengths.sum())
    if np.dtype(dtype).kind == "f":
        numbers[rng.integers(0, numbers.size, 400)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], 400)
        weights = numbers.astype(dtype)
    else:
        weights = (np.abs(numbers) * 2**32).astype(np.uint64).astype(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = COMBINE[how].reduceat(weights, first).astype(dtype)
        result = combined_in_turn(np, weights, first, lengths, how)
    np.testing.assert_array_equal(result, expected)
    if np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


DOORS = {  # each makes a graph in which the weights of one edge, (0, 1), are summed
    "from_edges": lambda weights: sg.from_edges(
        [0, 1] * (weights.size // 2), [1, 0] * (weights.size // 2), weights, symmetrize="sum"
    ),
    "as_graph of arrays": lambda weights: sg.as_graph(
        ([0, weights.size, weights.size], [1] * weights.size, weights), symmetrize="sum"
    ),
    "as_graph of a Graph": lambda weights: sg.as_graph(
        sg.from_edges([0] * weights.size, [1] * weights.size, weights, directed=True, drop_duplicates=False),
        symmetrize="sum",
    ),
    "coarse_graph": lambda weights: sg.coarse_graph(
        sg.from_edges(np.arange(weights.size), np.full(weights.size, weights.size), weights, symmetrize="max"),
        np.repeat([0, 1], [weights.size, 1]),
    ),
}
INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def ends_of(dtype):
    """Return the smallest and the largest number of an integer type."""
    return (False, True) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)


@each(door=DOORS, dtype=INTEGERS)
def test_sums_of_integers_have_64_bits(dtype, door):
    kind = np.uint64 if dtype == "uint64" else np.int64
    for number in ends_of(dtype):
        for count in (2, 4, 10):
            numbers = [number // 16 if dtype in ("int64", "uint64") else number] * count
            graph = DOORS[door](np.array(numbers, dtype))
            assert graph.weights.dtype == kind
            assert graph.weights.tolist() == [sum(numbers)] * 2
    assert DOORS[door](np.ones(2, dtype)).weights.tolist() == [2, 2]


@each(symmetrize=["sum", "min"], dtype=[*INTEGERS, "float16", "float32", "complex64"])
def test_the_type_of_sums_does_not_depend_on_the_weights(dtype, symmetrize):
    kind = np.dtype(np.uint64 if dtype == "uint64" else np.int64 if dtype in INTEGERS else dtype)
    if symmetrize != "sum":
        kind = np.dtype(dtype)
    empty, zero = np.zeros(0, dtype), np.zeros(1, dtype)
    graphs = [
        sg.from_edges([], [], empty, symmetrize=symmetrize),
        sg.from_edges([], [], empty, 3, symmetrize=symmetrize),
        sg.from_edges([0], [1], zero, symmetrize=symmetrize),
        sg.from_edges([0], [0], zero, symmetrize=symmetrize),
        sg.as_graph(([0, 1, 2], [1, 0], np.zeros(2, dtype)), symmetrize=symmetrize),
        sg.as_graph(sg.as_graph(([0, 1, 2], [1, 0], np.zeros(2, dtype))), symmetrize=symmetrize),
        sg.as_graph(sg.as_graph(([0], [], empty)), symmetrize=symmetrize),
    ]
    assert [graph.weights.dtype for graph in graphs] == [kind] * len(graphs)


@each(labels=[[], [0, 1]], dtype=[*INTEGERS, "float16", "float32", "complex64"])
def test_the_type_of_the_weights_of_a_coarse_graph(dtype, labels):
    kind = np.uint64 if dtype == "uint64" else np.int64 if dtype in INTEGERS else dtype
    graph = sg.from_edges(labels, labels[::-1], np.zeros(len(labels), dtype), symmetrize="max")
    assert sg.coarse_graph(graph, np.array(labels, np.int64)).weights.dtype == kind


@each(door=DOORS)
@pytest.mark.parametrize(
    ("numbers", "dtype", "total"),
    [
        ([2**63 - 1, 1], "int64", 2**63),
        ([-(2**63), -1], "int64", -(2**63) - 1),
        ([2**62] * 4, "int64", 2**64),  # wraps to 0
        ([2**63, 2**63], "uint64", 2**64),
        ([2**64 - 1] * 2, "uint64", 2**65 - 2),
    ],
)
def test_sums_that_do_not_fit_are_refused(numbers, dtype, total, door):
    words = (
        rf"the weights of entry \(0, 1\).* sum to {total}, which does not fit {dtype}; convert the weights to float64"
    )
    with pytest.raises(ValueError, match=words):
        DOORS[door](np.array(numbers, dtype))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("numbers", [[2**63 - 1, -1], [2**63 - 1, 1, -1, 0], [-(2**63), 2**63 - 1], [2**62, 2**62 - 1]])
def test_sums_that_fit_may_pass_the_limit_on_the_way(numbers, door):
    assert DOORS[door](np.array(numbers)).weights.tolist() == [sum(numbers)] * 2


def test_large_numbers_of_different_edges_are_not_summed():
    graph = sg.from_edges([0, 1, 2, 2], [1, 2, 3, 3], np.array([2**63 - 1, 2**63 - 2, 1, 2]), symmetrize="sum")
    assert graph.weights.tolist() == [2**63 - 1, 2**63 - 1, 2**63 - 2, 2**63 - 2, 3, 3]


def test_the_first_sum_that_does_not_fit_is_named_by_the_names_of_its_ends():
    names = ["Ann", "Bob", "Bob", "Cy", "Dan"], ["Bob", "Cy", "Cy", "Dan", "Cy"]
    with pytest.raises(ValueError, match=r"the weights of entry \('Cy', 'Dan'\) sum to 18446744073709551614, which"):
        sg.from_edges(*names, np.array([7, 1, 1, 2**63 - 1, 2**63 - 1]), symmetrize="sum")


def test_loops_are_counted_once_in_sums():
    graph = sg.from_edges([0, 0, 0], [0, 0, 1], np.array([100, 100, 100], np.int8), symmetrize="sum")
    assert graph.to_scipy().toarray().tolist() == [[200, 100], [100, 0]]
    with pytest.raises(ValueError, match=r"the weights of entry \(0, 0\) sum to 9223372036854775808, which"):
        sg.from_edges([0, 0], [0, 0], np.array([2**63 - 1, 1]), symmetrize="sum")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("dtype", "cure"),
    [
        ("float16", "convert the weights to float64"),
        ("float32", "convert the weights to float64"),
        ("float64", "scale the weights down"),
        ("complex64", "convert the weights to complex128"),
    ],
)
def test_floats_whose_sum_is_infinite_are_refused(dtype, cure, door):
    largest = np.finfo(dtype).max
    for numbers in ([largest] * 2, [-largest] * 4, [largest] * 6 + [-largest] * (2 if dtype == "float16" else 6)):
        with pytest.raises(ValueError, match=rf"entry \(0, 1\).* overflows {dtype}; {cure}"):
            DOORS[door](np.array(numbers, dtype))
    assert DOORS[door](np.array([largest, -largest], dtype)).weights.tolist() == [0, 0]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_infinities_that_are_given_are_summed(dtype, door):
    largest = np.finfo(dtype).max
    assert DOORS[door](np.array([np.inf, largest, largest, 1], dtype)).weights.tolist() == [np.inf] * 2
    assert np.isnan(DOORS[door](np.array([np.inf, -np.inf], dtype)).weights).all()


@each(how=["min", "max"], dtype=[*INTEGERS, "float16", "float32", "float64"])
def test_the_least_and_the_largest_weight_keep_their_type(dtype, how):
    low, high = ends_of(dtype) if dtype in INTEGERS else (np.finfo(dtype).min, np.finfo(dtype).max)
    graph = sg.from_edges([0, 1], [1, 0], np.array([low, high], dtype), symmetrize=how)
    assert graph.weights.dtype == dtype
    assert graph.weights.tolist() == [low if how == "min" else high] * 2


@pytest.mark.parametrize(
    ("dtype", "weight", "cure"),
    [
        (np.int8, 100, "convert it to int64 before"),
        (np.uint8, 200, "convert it to int64 before"),
        (np.int64, 2**62, "convert it to float64 before"),
        (np.uint64, 2**63, "convert it to float64 before"),
        (np.float32, 3e38, "convert it to float64 before"),
        (np.complex64, 3e38, "convert it to complex128 before"),
        (np.float64, 1e308, "scale its entries down"),
    ],
)
def test_repeated_entries_of_a_matrix_that_scipy_would_wrap_are_refused(dtype, weight, cure):
    """SciPy sums the repeated entries of a COO matrix in the matrix's own dtype when it converts it."""
    ends = [0, 0, 1, 1], [1, 1, 0, 0]
    matrix = sp.coo_array((np.full(4, weight, dtype), ends), shape=(2, 2))
    message = rf"the sum of the matrix's repeated entries \(0, 1\) does not fit {np.dtype(dtype)}; {cure}"
    with pytest.raises(ValueError, match=message):
        sg.as_graph(matrix)
    assert sg.as_graph(matrix, weights=False).num_edges == 1
    small = sp.coo_array((np.array([3, 4, 4, 3], dtype), ends), shape=(2, 2))
    assert sg.as_graph(small).weights.tolist() == [7, 7]


def test_infinite_entries_of_a_matrix_may_repeat():
    matrix = sp.coo_array((np.full(4, np.inf), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    assert np.isinf(sg.as_graph(matrix).weights).all()


def test_an_infinite_entry_does_not_hide_another_sum():
    matrix = sp.coo_array((np.array([1e308, 1e308, np.inf]), ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    with pytest.raises(ValueError, match=r"repeated entries \(0, 1\) does not fit float64; scale its entries down"):
        sg.as_graph(matrix, directed=True)
    assert matrix.data.tolist() == [1e308, 1e308, np.inf]
