"""The hint of `solve` that rows look like blocks, against groups of rows by definition."""

from itertools import groupby
from math import gcd

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph.solvers.inputs import apparent_block_size
from tests.support.cases import each


def by_definition(A):
    columns = [tuple(A.indices[start:end]) for start, end in zip(A.indptr, A.indptr[1:], strict=False)]
    size = gcd(*(len(list(group)) for _, group in groupby(columns)))
    return size if size <= 6 else 1


def rows_of(pattern):
    """Return a pattern with a full diagonal in CSR form, with sorted rows."""
    A = sp.csr_array(pattern + sp.eye_array(pattern.shape[0]) != 0)
    A.sort_indices()
    return A


def expanded(pattern, sizes):
    """Return the pattern in which vertex v is replaced by sizes[v] unknowns, all of them joined."""
    return rows_of(pattern.tocsr()[np.repeat(np.arange(len(sizes)), sizes)][:, np.repeat(np.arange(len(sizes)), sizes)])


@each(sizes=[[1] * 9, [2] * 9, [3] * 9, [6] * 9, [7] * 9, [12] * 9, [3, 6, 3, 9, 3, 3, 6, 3, 3], [2, 3] * 4 + [2]])
def test_nodes_of_equal_and_of_different_sizes(sizes):
    grid = rows_of(gallery.laplacian((3, 3)))
    A = expanded(grid, sizes)
    divisor = gcd(*sizes)
    assert apparent_block_size(A) == by_definition(A) == (divisor if divisor <= 6 else 1)
    split = A.tolil()
    split[0, A.shape[0] - 1] = split[A.shape[0] - 1, 0] = True  # one row of a node has one more entry
    split = rows_of(split.tocsr())
    assert apparent_block_size(split) == by_definition(split)


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32))
def test_random_patterns(n, size, seed):
    random = sp.random_array((n, n), density=0.3, rng=np.random.default_rng(seed))
    A = expanded(rows_of(random + random.T), [size] * n)
    assert apparent_block_size(A) == by_definition(A)


def test_matrices_without_nodes(zoo_graph):
    A = rows_of(sp.csr_array(zoo_graph.to_scipy(), dtype=float))
    if A.shape[0]:
        assert apparent_block_size(A) == by_definition(A)


def test_scalar_matrices_get_no_hint():
    for A in (
        gallery.laplacian((30, 20)),
        gallery.laplacian((8, 7, 6)),
        gallery.laplacian((20, 20), stencil=9),
        sp.diags_array([np.ones(11), np.ones(12), np.ones(11)], offsets=[-1, 0, 1]),
        sp.eye_array(12),
        np.ones((12, 12)),
        np.eye(12) + np.roll(np.eye(12), 1, axis=0) + np.roll(np.eye(12), -1, axis=0),
    ):
        assert apparent_block_size(rows_of(sp.csr_array(A))) == 1


@pytest.mark.parametrize("name", ["bcsstk13", "bcsstk16", "bcsstk18", "pyamg-airfoil", "commanche_dual", "494_bus"])
def test_real_matrices_get_no_hint(data_file, name):
    """In none of them, all nodes have the same number of unknowns without exceptions."""
    A = rows_of(sp.csr_array(sg.read_graph(data_file(f"{name}.mtx.gz")).to_scipy(), dtype=float))
    assert apparent_block_size(A) == by_definition(A) == 1


def test_the_reason_names_the_arguments():
    A, modes = gallery.elasticity_3d((6, 5, 4))
    b, hint = np.ones(A.shape[0]), "; rows look like blocks of 3: pass B= or block_size=3"
    for method in ("multigrid", "diagonal"):
        assert sg.solve(A, b, method=method, return_info=True)[1]["reason"] == f"requested{hint}"
        assert sg.solve(A.tocsr(), b, method=method, return_info=True)[1]["reason"] == f"requested{hint}"
    for options in ({"B": modes}, {"block_size": 3}):
        assert sg.solve(A, b, method="multigrid", return_info=True, **options)[1]["reason"] == "requested"
    assert "look like" not in sg.solve(A, b, method="direct", return_info=True)[1]["reason"]
    assert sg.solve(gallery.laplacian((9, 9)), np.ones(81), method="multigrid", return_info=True)[1]["reason"] == (
        "requested"
    )
