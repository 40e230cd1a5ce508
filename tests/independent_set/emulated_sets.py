"""Common checks of the set algorithms whose GPU sources are emulated."""

import numpy as np

import stablegraph as sg
from stablegraph import gallery

from ..support.emulated_cuda import emulated_cuda
from ..support.zoo import preferential

WIDE_TYPES = [(np.int32, np.int64), (np.int64, np.int64)]  # of indices, and of indptr


def same_sets(graph, seeds=1, **options):
    """Check that the set equals that of the CPU, in `seeds` schedules."""
    expected = sg.maximal_independent_set(graph, **options)
    for seed in range(seeds):
        with emulated_cuda(seed):
            result = sg.maximal_independent_set(graph, **options)
        assert result.dtype == bool
        np.testing.assert_array_equal(result, expected)


def same_under_conditions(graph, **options):
    """Check with one vertex that must be in the set, and many that must not."""
    n = graph.num_vertices
    included = [v for v in (n // 3,) if n]
    same_sets(graph, include=included, exclude=[v for v in range(1, n, 3) if v not in included], **options)


def same_for_types(types, **options):
    """Check with wider indices than the graph needs."""
    narrow = sg.from_edges(*np.array(preferential(300, 3)).T, n=310, symmetrize=True)
    same_sets(sg.as_graph((narrow.indptr.astype(types[1]), narrow.indices.astype(types[0]))), **options)


def same_when_counted(**options):
    """Check that the reported counts of rounds are equal, too."""
    graph = gallery.grid((5, 6))
    expected = sg.maximal_independent_set(graph, return_info=True, **options)
    with emulated_cuda():
        result = sg.maximal_independent_set(graph, return_info=True, **options)
    np.testing.assert_array_equal(result[0], expected[0])
    assert result[1]["undecided"] == expected[1]["undecided"]
