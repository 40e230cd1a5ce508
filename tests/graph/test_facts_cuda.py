"""The single pass over a graph's entries by the GPU source, emulated: the same results as on the CPU."""

from itertools import pairwise

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.csr.facts import scan_facts

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


def same_facts(indptr, indices, seeds=2):
    expected = scan_facts(indptr, indices, "cpu")
    for seed in range(seeds):
        with emulated_cuda(seed):
            assert scan_facts(indptr, indices, "cpu") == expected
    return expected


def test_the_same_facts(hard_graph):
    same_facts(hard_graph.indptr, hard_graph.indices)


@pytest.mark.parametrize("types", [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)])
def test_loops_duplicates_descents_and_hubs(types):
    """Rows of all classes, sorted or not, with loops and repeated entries; not symmetric."""
    rng = np.random.default_rng(3)
    lengths = np.concatenate([rng.integers(0, 40, 300), [8192, 8193, 20000, 9000, 12345, 0, 33, 32, 500]])
    rng.shuffle(lengths)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    n = lengths.size
    for columns in (n, 3 * n // 2, 2):
        indices = rng.integers(0, columns, indptr[-1]) % n
        result = same_facts(indptr.astype(types[0]), indices.astype(types[1]))
        assert result.loops and result.repeats and result.longest_row == 20000
        for start, end in pairwise(indptr):
            indices[start:end].sort()
        assert same_facts(indptr.astype(types[0]), indices.astype(types[1])).descents == 0


def test_broken_arrays_are_found():
    good = sg.from_edges(np.arange(99), np.arange(1, 100), symmetrize=True)
    for place, value in ((3, 10**6), (3, -5), (50, 0), (0, 1), (-1, 10), (-1, 10**6)):
        indptr = good.indptr.copy()
        indptr[place] = value
        with emulated_cuda(1):
            result = scan_facts(indptr, good.indices, "cpu")
        assert result.broken_rows or (result.begin, result.end) != (0, good.num_entries)
    for value in (-1, 100, 2**31 - 1, -(2**31)):
        indices = good.indices.copy()
        indices[7] = value
        assert same_facts(good.indptr, indices).outside


def test_as_graph_refuses_the_same():
    """Errors of CSR arrays are those of the CPU; 64-bit arrays are narrowed as on the CPU."""
    good = sg.from_edges(np.arange(99), np.arange(1, 100), symmetrize=True)

    def message(indptr, indices):
        try:
            graph = sg.as_graph((indptr, indices))
        except ValueError as error:
            return str(error)
        return graph.indptr.dtype, graph.indices.dtype, graph._scanned()

    changes = [(0, 0, 0), (0, 0, 1), (0, -1, 5), (0, 3, 10**6), (0, 9, 0), (1, 7, 100), (1, 9, -1), (1, 9, 50)]
    for dtypes in ((np.int32, np.int32), (np.int64, np.int32), (np.int32, np.int64), (np.int64, np.int64)):
        for which, place, value in changes:
            arrays = [good.indptr.astype(dtypes[0]), good.indices.astype(dtypes[1])]
            arrays[which][place] = value
            expected = message(*arrays)
            with emulated_cuda(2):
                assert message(*arrays) == expected
