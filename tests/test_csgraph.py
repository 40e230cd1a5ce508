"""SciPy's names: the same signatures, and the same answers where only one is right."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs

from stablegraph import csgraph as ours
from tests.support.zoo import ZOO

FORMATS = [sp.csr_array, sp.csr_matrix, sp.coo_array, sp.csc_matrix, lambda m: m.toarray()]


def random_matrix(seed, n=40):
    rng = np.random.default_rng(seed)
    return sp.csr_array(sp.random_array((n, n), density=1.5 / n, rng=rng) * 100)


@pytest.mark.parametrize("name", ours.__all__)
def test_signatures(name):
    told = getattr(theirs, name).__doc__.strip().partition("\n\n")[0]  # SciPy's are compiled: the docstring tells
    parameters = ", ".join(
        str(parameter.replace(annotation=inspect.Parameter.empty))
        for parameter in inspect.signature(getattr(ours, name)).parameters.values()
    )
    assert " ".join(told.split()) == f"{name}({parameters})"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(4))
def test_answers(form, seed):
    matrix = form(random_matrix(seed))
    for options in ({}, {"connection": "strong"}, {"directed": False}):
        count, labels = ours.connected_components(matrix, **options)
        expected, other = theirs.connected_components(matrix, **options)
        assert count == expected == ours.connected_components(matrix, **options, return_labels=False)
        assert len({*zip(labels.tolist(), other.tolist(), strict=True)}) == count and labels.dtype == other.dtype
    tree, expected = ours.minimum_spanning_tree(matrix), theirs.minimum_spanning_tree(matrix)
    assert type(tree) is type(expected) and tree.dtype == expected.dtype
    assert tree.nnz == expected.nnz and np.isclose(tree.sum(), expected.sum())
    for directed in (True, False):
        nodes, before = ours.breadth_first_order(matrix, 3, directed)
        expected, other = theirs.breadth_first_order(matrix, 3, directed)
        assert nodes.dtype == expected.dtype and before.dtype == other.dtype
        assert np.array_equal(np.sort(nodes), np.sort(expected)) and nodes[0] == 3
        assert np.array_equal(before == -9999, other == -9999)
        place = {v: i for i, v in enumerate(nodes.tolist())}
        assert all(place[before[v]] < place[v] for v in nodes[1:].tolist())
        assert np.array_equal(nodes, ours.breadth_first_order(matrix, 3, directed, return_predecessors=False))


def test_dense_matrices_have_three_ways_to_say_no_edge():
    dense = np.array([[0, np.inf, 1], [np.nan, 0, 0], [0, 0, 0]])
    assert ours.connected_components(dense)[0] == theirs.connected_components(dense)[0] == 2


def test_where_scipy_is_not_right():
    zero = sp.csr_array((np.array([0.0, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    assert ours.minimum_spanning_tree(zero).nnz == 2  # an explicit zero is an edge
    large = sp.csr_array((np.array([2**62 + 1, 2**62, 2**62 + 2]), ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    tree = ours.minimum_spanning_tree(large)
    assert tree.data.tolist() == [2**62 + 1, 2**62] and tree.dtype == np.int64
    with pytest.raises(ValueError, match="7"):
        ours.breadth_first_order(zero, 7)
    with pytest.raises(ValueError, match="one of weak, strong; got 'loose'"):
        ours.connected_components(zero, connection="loose")


@pytest.mark.parametrize("name", ["empty", "one vertex", "int64 indices", "duplicates", "full diagonal"])
def test_the_zoo(name):
    matrix = ZOO[name]
    assert ours.connected_components(matrix)[0] == (theirs.connected_components(matrix)[0] if matrix.shape[0] else 0)
    ours.minimum_spanning_tree(matrix)
