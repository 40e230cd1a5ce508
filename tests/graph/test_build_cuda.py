"""Rows from edges by the GPU source, emulated: equal to those of the CPU."""

import numpy as np
import pytest
import scipy.sparse

import stablegraph as sg
from stablegraph._core.csr.build import build_rows, extent, rows_of, sort_into_rows

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
SETTINGS = [
    {"mirror": mirror, "drop_loops": drop_loops, "drop_duplicates": drop_duplicates, "positions": positions}
    for mirror in (False, True)
    for drop_loops in (False, True)
    for drop_duplicates in (False, True)
    for positions in (False, True)
]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n, edges", [(1, 0), (1, 5), (7, 40), (300, 20000), (100_000, 3000), (40, 8192)])
def test_the_same_rows(n, edges, dtype):
    u, v = np.random.default_rng(n).integers(0, n, (2, edges)).astype(dtype)
    for options in SETTINGS:
        expected = sort_into_rows(u, v, n, **options)
        with emulated_cuda(1):
            result = build_rows(u, v, n, **options)
            assert extent(u, v) == (0, int(max(u.max(), v.max())) if edges else -1)
            rows = rows_of(result.indptr, result.indices.size, result.indices.dtype)
        for name in ("indptr", "indices", "positions"):
            if getattr(expected, name) is not None:
                assert getattr(result, name).dtype == getattr(expected, name).dtype
            np.testing.assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=str(options))
        assert (result.loops, result.scattered) == (expected.loops, expected.scattered)
        np.testing.assert_array_equal(rows, rows_of(expected.indptr, rows.size, rows.dtype))


def test_large_ids():
    """Test words of 63 and 64 bits."""
    for n in (2**31 + 5, 2**32 - 1):
        words = np.array([[0, n - 1], [n - 1, n - 1], [n - 1, 3], [3, n - 1], [3, n - 1]], np.int64)
        with emulated_cuda(1):
            assert extent(*words.T.copy()) == (0, n - 1)


def test_graphs_from_edges(hard_graph):
    u, v = np.repeat(np.arange(hard_graph.num_vertices), np.diff(hard_graph.indptr)), hard_graph.indices
    weights = np.minimum(u, v) + 3 * np.maximum(u, v)
    for options in ({}, {"drop_loops": True}, {"symmetrize": True}, {"symmetrize": "sum", "weights": weights}):
        options = {"n": hard_graph.num_vertices} | options
        expected = sg.from_edges(u, v, **options)
        with emulated_cuda(1):
            result = sg.from_edges(u, v, **options)
        assert result == expected and result.facts == expected.facts


def test_negative_and_missing_vertices():
    with emulated_cuda(1):
        assert extent(np.array([3, -7]), np.array([-2, 5])) == (-7, 5)
        with pytest.raises(ValueError, match=r"edge 1 \(-1, 2\): -1 is not one of the 4 vertices; ids start at 0"):
            sg.from_edges([3, -1], [1, 2])


def test_what_can_be_done_with_a_graph():
    """Test transposes, degrees, subgraphs, simple and symmetrized graphs, with unsorted rows."""
    rng = np.random.default_rng(2)
    matrix = scipy.sparse.random_array((60, 60), density=0.2, rng=rng, format="csr")
    matrix.indices[: matrix.indptr[9]] = rng.integers(0, 60, matrix.indptr[9])
    rows = (matrix.indptr, matrix.indices, matrix.data)

    def results():
        graph = sg.as_graph(rows, directed=True)
        some = np.arange(59, 10, -3)
        return [
            graph.transpose(),
            graph.subgraph(some),
            graph.simple(),
            sg.as_graph(rows, symmetrize="sum"),
            sg.as_graph(rows[:2], symmetrize=True),
            graph.degrees,
            graph.has_duplicates,
            graph.is_symmetric,
        ]

    expected = results()
    with emulated_cuda(4):
        result = results()
    for one, other in zip(result, expected, strict=True):
        assert (one == other).all() if isinstance(one, np.ndarray) else one == other
