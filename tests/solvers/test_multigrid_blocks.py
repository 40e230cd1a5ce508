"""Multigrid for block matrices: equal to the computation entry by entry; rejections; arrays that are not copied."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.csr import patterns
from stablegraph._core.csr.patterns import transposed_with_origins
from stablegraph._core.runtime import kernel, use_target
from stablegraph._core.runtime.arithmetic import add_scaled
from stablegraph.solvers.api import smoother_maker
from stablegraph.solvers.checked_matrix import asymmetry, checked_matrix
from stablegraph.solvers.hierarchy import Level
from stablegraph.solvers.linalg import block_csr, vectors
from stablegraph.solvers.linalg.block_csr import (
    in_blocks,
    node_pattern,
    product_pattern,
    product_values,
    transposed_values,
)
from stablegraph.solvers.linalg.spectral import inverse_diagonal, spectral_radius
from stablegraph.solvers.linalg.vectors import accurate_residual
from tests.support.cases import each

SMOOTHERS = ["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"]


def noise(*shape):
    return np.random.default_rng(7).uniform(-1, 1, shape)


def random_blocks(nodes, columns, height, width, seed=0):
    """Return a BSR matrix with random blocks in a random pattern; some of its rows are empty."""
    rng = np.random.default_rng(seed)
    pattern = sp.csr_array(sp.random_array((nodes, columns), density=0.1, rng=rng))
    pattern.sort_indices()
    data = rng.uniform(-1, 1, (pattern.nnz, height, width))
    shape = nodes * height, columns * width
    matrix = sp.bsr_array((data, pattern.indices.astype(np.int32), pattern.indptr.astype(np.int32)), shape=shape)
    return matrix


@pytest.fixture(scope="module")
def elastic():
    return gallery.elasticity_3d((8, 7, 6))


@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 3), (3, 6), (6, 3), (2, 5)])
def test_products_with_vectors_have_the_bits_of_csr(height, width):
    A = random_blocks(60, 50, height, width)
    entries = A.tocsr()
    x, b = noise(A.shape[1]), noise(A.shape[0])
    for product in (vectors.multiply, vectors.add_product):
        results = [b.copy(), b.copy()]
        for matrix, result in zip((A, entries), results, strict=True):
            product(matrix, x, result)
        assert np.array_equal(*results)
    for residual in (vectors.residual, accurate_residual):
        results = [np.empty_like(b), np.empty_like(b)]
        for matrix, result in zip((A, entries), results, strict=True):
            residual(matrix, x, b, result)
        assert np.array_equal(*results)
        np.testing.assert_allclose(results[0], b - entries @ x, atol=1e-12)


@pytest.mark.parametrize(("height", "width", "columns"), [(3, 3, 6), (6, 3, 6), (2, 3, 1), (1, 2, 5)])
def test_products_of_matrices_are_those_of_scipy(height, width, columns):
    A, B = random_blocks(40, 50, height, width), random_blocks(50, 30, width, columns, seed=1)
    pattern = product_pattern(node_pattern(A, height), node_pattern(B, width), 30)
    data = product_values(A, B, pattern)
    blocks = block_csr.matrix(pattern, data, height, columns, 30)
    np.testing.assert_allclose(blocks.toarray(), A.toarray() @ B.toarray(), atol=1e-13)
    for ordered in (False, True):
        rows, values = block_csr.product(A, B, ordered=ordered)
        assert np.array_equal(block_csr.matrix(rows, values, height, columns, 30).toarray(), blocks.toarray())
        assert not ordered or np.array_equal(rows.indices, pattern.indices)


@each(way=[("python", 0), ("python", 3), (1, 64), (2, 64)], room=[1, 7, 200], ordered=[False, True])
def test_products_do_not_depend_on_buffers(way, room, ordered, monkeypatch):
    """Plain Python, which checks indices, sorts rows in both ways; compiled kernels run with one and two workers."""
    threads, short = way
    A, B = random_blocks(30, 25, 1, 1, seed=2), random_blocks(25, 30, 1, 1, seed=3)
    A = A.toarray()
    A[0], A[1] = 0, 1  # a row with only its diagonal entry, and one that is full
    A, B = sp.csr_array(A), sp.csr_array(B)
    A.indptr, A.indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    expected = A @ B
    monkeypatch.setattr(patterns, "_ROOM", room)
    monkeypatch.setitem(patterns.is_short.python.__globals__, "_SHORT", short)  # which a form keeps
    with use_target("python") if threads == "python" else use_target("cpu", workers=threads):
        rows, values = block_csr.product(A, B, diagonal=True, ordered=ordered)
        pattern = product_pattern(node_pattern(A, 1), node_pattern(B, 1), 30, diagonal=True)
    assert np.array_equal(block_csr.matrix(rows, values, 1, 1, 30).toarray(), expected.toarray())
    assert np.array_equal(np.sort(rows.indices[: rows.indptr[1]]), pattern.indices[: rows.indptr[1]])
    assert all(np.all(np.diff(pattern.indices[start:end]) > 0) for start, end in pairwise(pattern.indptr))


def test_transposes_are_transposes():
    A = random_blocks(40, 50, 2, 3)
    pattern, origins = transposed_with_origins(node_pattern(A, 2), 50)
    data = transposed_values(pattern, origins, A.data, 3, 2).reshape(-1, 3, 2)
    turned = sp.bsr_array((data, pattern.indices, pattern.indptr), shape=(150, 80))
    assert np.array_equal(turned.toarray(), A.toarray().T)


def test_blocks_hold_the_entries(elastic):
    A, _ = elastic
    blocks = in_blocks(A, 3)
    assert blocks.format == "bsr" and blocks.blocksize == (3, 3)
    assert (blocks != A).nnz == 0
    rough = A.copy()
    rough.data[np.random.default_rng(0).random(A.nnz) < 0.3] = 0
    rough.eliminate_zeros()
    assert (in_blocks(rough, 3) != rough).nnz == 0


def test_hollow_blocks_stay_entries():
    A = sp.csr_array(sp.kron(gallery.laplacian((9, 9)), sp.eye_array(4)))
    assert in_blocks(A, 4) is A
    b = noise(A.shape[0])
    solver = sg.smoothed_aggregation(A, block_size=4, coarse_size=40)
    assert [level.A.format for level in solver.levels[:2]] == ["csr", "bsr"]
    x = solver.solve(b)
    assert np.linalg.norm(b - A @ x) <= 1e-8 * np.linalg.norm(b)
    assert solver.levels[0].labels.size == 81


@pytest.mark.parametrize("strength", [None, 0.1])
def test_hierarchies_have_the_bits_of_those_entry_by_entry(elastic, strength, monkeypatch):
    A, modes = elastic
    options = {"strength": strength, "coarse_size": 50}
    expected = sg.smoothed_aggregation(A, modes, **options)
    monkeypatch.setattr("stablegraph.solvers.linalg.block_csr._WORTH_BLOCKS", 2)
    result = sg.smoothed_aggregation(A, modes, **options)
    assert (expected.levels[0].A.format, result.levels[0].A.format) == ("bsr", "csr")
    for ours, theirs in zip(expected.levels, result.levels, strict=True):
        assert ours.rho == theirs.rho
        assert np.array_equal(ours.A.toarray(), theirs.A.toarray())
    b = noise(A.shape[0])
    assert np.array_equal(expected.solve(b), result.solve(b))


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_smoothers_do_the_same_as_entry_by_entry(elastic, smoother):
    A, _ = elastic
    blocks = in_blocks(A, 3)
    inverse, bound = inverse_diagonal(A)
    rho = spectral_radius(A, inverse, bound)
    labels = np.arange(A.shape[0] // 3, dtype=np.int32) // 5
    x, b = noise(2, A.shape[0])
    results = []
    for matrix in (A, blocks):
        result = smoother_maker(smoother)(Level(matrix, None, inverse, rho, labels=labels))
        answer = x.copy()
        result.before(answer, b, zero=False)
        result.after(answer, b)
        result = result.renewed(Level(matrix, None, inverse, rho, labels=labels))
        result.before(answer, b, zero=False)
        results.append(answer)
    np.testing.assert_allclose(*results, atol=1e-12)


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_same_bits_for_any_number_of_threads(elastic, smoother):
    A, modes = elastic
    b = noise(A.shape[0])

    def solve():
        return sg.smoothed_aggregation(A, modes, smoother=smoother, coarse_size=50).solve(b).tobytes()

    result = {solve()}
    before = sg.num_threads()
    for threads in (1, 3):
        sg.set_num_threads(threads)
        result.add(solve())
    sg.set_num_threads(before)
    with use_target("cpu", workers=7):
        result.add(solve())
    assert len(result) == 1


def test_blocks_without_a_compiler():
    A, modes = gallery.elasticity_3d((3, 2, 2))
    b = noise(A.shape[0])
    for smoother in SMOOTHERS:
        compiled = sg.smoothed_aggregation(A, modes, smoother=smoother, coarse_size=5).solve(b)
        with use_target("python", workers=3):
            plain = sg.smoothed_aggregation(A, modes, smoother=smoother, coarse_size=5).solve(b)
        assert np.array_equal(compiled, plain)


def test_any_form_of_blocks(elastic):
    A, modes = elastic
    b = noise(A.shape[0])
    blocks = A.tobsr((3, 3))
    expected = sg.smoothed_aggregation(blocks, modes)
    assert np.shares_memory(expected.levels[0].A.data, blocks.data)
    order = np.concatenate([np.arange(end - 1, start - 1, -1) for start, end in pairwise(blocks.indptr)])
    unsorted = sp.bsr_array((blocks.data[order], blocks.indices[order], blocks.indptr), shape=A.shape)
    wide = sp.bsr_array(A.shape, blocksize=(3, 3))
    wide.data, wide.indices, wide.indptr = blocks.data, blocks.indices.astype(np.int64), blocks.indptr.astype(np.int64)
    turned = sp.bsr_array(A.shape, blocksize=(3, 3))
    turned.data, turned.indices, turned.indptr = np.asfortranarray(blocks.data), blocks.indices, blocks.indptr
    before = unsorted.data.copy()
    for form in (A, unsorted, wide, turned, sp.bsr_matrix(blocks), A.tobsr((1, 1)), A.toarray()):
        result = sg.smoothed_aggregation(form, modes, block_size=3)
        assert np.array_equal(result.solve(b), expected.solve(b))
    assert np.array_equal(unsorted.data, before)


def broken(A, change):
    blocks = A.tobsr((3, 3))
    change(blocks)
    return blocks


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda A: A.data.__setitem__((7, 1, 2), np.nan), r"A\[1, \d+\] is nan"),
        (lambda A: A.data.__setitem__((0, 1, 1), 0), r"A\[1, 1\], on the diagonal, is zero"),
        (lambda A: A.indices.__setitem__(3, 999), "row 0 of A is broken"),
        (lambda A: A.data.__setitem__((1, 0, 2), 7.0), r"A\[0, 5\] is 7.0, but A\[5, 0\] is "),
    ],
)
def test_faulty_blocks_are_named(elastic, change, message):
    A, modes = elastic
    with pytest.raises(ValueError, match=message):
        sg.smoothed_aggregation(broken(A, change), modes, coarse_size=50).solve(noise(A.shape[0]))


def test_a_block_without_a_partner_is_named():
    upper = sp.triu(sp.kron(gallery.laplacian((6,)), np.ones((2, 2))) + sp.eye_array(12), 0, format="csr").tobsr((2, 2))
    missing, unequal = asymmetry(checked_matrix(upper, 2)[0], np.ones(12), None)
    assert missing == "A[0, 2] has no partner A[2, 0]"
    assert unequal.startswith("A is not symmetric: A[0, 1] is 2.0, but A[1, 0] is 0.0")


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_new_values_in_blocks(elastic, smoother):
    A, modes = elastic
    other, b = sp.csr_array(A + 0.1 * sp.diags_array(A.diagonal())), noise(A.shape[0])
    solver = sg.smoothed_aggregation(A, modes, smoother=smoother, coarse_size=50)
    solver.update(other)
    assert np.array_equal(
        solver.solve(b), sg.smoothed_aggregation(other, modes, smoother=smoother, coarse_size=50).solve(b)
    )
    with pytest.raises(ValueError, match="another pattern"):
        solver.update(sp.eye_array(A.shape[0]))


@kernel
def add_slices(i, values, added):
    add_scaled(values, 20 * i, 0.5, added, i, 11)
    add_scaled(values, 20 * i + 11, 3.0, added, i, 6)
    add_scaled(values, 20 * i + 17, -1.0, added, i, 3)


@pytest.mark.jit
def test_short_vectors_are_added():
    values, added = noise(200), noise(30)
    expected = values.copy()
    for i in range(10):
        for start, length, factor in ((0, 11, 0.5), (11, 6, 3.0), (17, 3, -1.0)):
            expected[20 * i + start : 20 * i + start + length] += factor * added[i : i + length]
    with use_target("python"):
        add_slices(10, plain := values.copy(), added)
    add_slices(10, values, added)
    assert np.array_equal(values, expected) and np.array_equal(plain, expected)
