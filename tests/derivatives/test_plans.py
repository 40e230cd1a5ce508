"""Plans: colors equal to first fit on sets, and every entry recovered exactly, in all modes."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.coloring import nets
from tests.support.cases import each
from tests.support.zoo import QUICK_ZOO

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
JACOBIANS, HESSIANS = ["column", "row", "both"], ["star", "acyclic"]


@st.composite
def matrices(draw):
    """Draw matrices of any shape, with entries anywhere, including stored zeros."""
    shape = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    places = st.tuples(*(st.integers(0, max(size - 1, 0)) for size in shape))
    entries = draw(st.lists(places, unique=True, max_size=40)) if 0 not in shape else []
    rows, columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    values = np.arange(rows.size) % 5 - 1.0
    return sp.coo_array((values, (rows, columns)), shape=shape)


def first_fit(matrix, mode, order):
    """Run serial first fit on the sets of rows in which each column has entries."""
    matrix = sp.coo_array(matrix)
    vertices, others = (matrix.col, matrix.row) if mode == "column" else (matrix.row, matrix.col)
    count = matrix.shape[1] if mode == "column" else matrix.shape[0]
    touched = [set(others[vertices == v].tolist()) for v in range(count)]
    visited = sorted(range(count), key=lambda v: (-len(touched[v]), v)) if order == "largest_first" else range(count)
    colors = {}
    for v in visited:
        taken = {colors[u] for u in colors if touched[u] & touched[v]}
        colors[v] = next(c for c in range(count) if c not in taken)
    return [colors[v] for v in range(count)]


def colors_of(matrix, mode, **options):
    plan = sg.jacobian_coloring(matrix, mode, **options)
    return plan.column_colors if mode == "column" else plan.row_colors


def assert_recovers(matrix, plan):
    assert sg.explain(sg.is_compression_plan, matrix, plan) is None
    recovered = plan.recover(plan.compress(matrix))
    assert (recovered.format, recovered.shape, recovered.nnz) == ("csr", matrix.shape, matrix.nnz)
    assert np.array_equal(recovered.toarray(), matrix.toarray())


@given(matrices(), st.sampled_from(["column", "row"]), st.sampled_from(["largest_first", "natural"]))
def test_any_matrix(matrix, mode, order):
    plan = sg.jacobian_coloring(matrix, mode, order=order)
    colors = plan.column_colors if mode == "column" else plan.row_colors
    assert colors.dtype == np.int32
    assert colors.tolist() == first_fit(matrix, mode, order)
    assert_recovers(matrix, plan)


@given(matrices(), st.sampled_from(["largest_first", "natural"]))
def test_any_matrix_by_columns_and_rows(matrix, order):
    plan = sg.jacobian_coloring(matrix, "both", order=order)
    assert_recovers(matrix, plan)
    if matrix.nnz:
        assert plan.num_colors <= min(sg.jacobian_coloring(matrix, mode, order=order).num_colors for mode in JACOBIANS)
    for colors, count in (
        (plan.column_colors, plan.num_column_colors),
        (plan.row_colors, plan.num_row_colors),
    ):
        assert sorted(set(colors.tolist()) - {-1}) == list(range(count))


@given(matrices(), st.sampled_from(HESSIANS), st.booleans())
def test_any_symmetric_matrix(matrix, mode, has_diagonal):
    n = min(matrix.shape)
    square = matrix.tocsr()[:n, :n]
    symmetric = square + square.T + (sp.diags_array(np.arange(1.0, n + 1)) if has_diagonal and n else 0 * square)
    pattern = sp.csr_array(symmetric)
    assert_recovers(pattern, sg.hessian_coloring(pattern, mode))


@each(name=QUICK_ZOO)
def test_matrices_of_the_zoo(name):
    matrix = sp.csr_array(QUICK_ZOO[name], copy=True)
    matrix.sum_duplicates()
    for mode in ("column", "row"):
        assert colors_of(matrix, mode).tolist() == first_fit(matrix, mode, "largest_first")
    plans = {mode: sg.jacobian_coloring(matrix, mode) for mode in JACOBIANS}
    plans |= {mode: sg.hessian_coloring(matrix, mode) for mode in HESSIANS}
    for plan in plans.values():
        assert sg.is_compression_plan(matrix, plan)
    with use_target("python"):
        for mode, plan in plans.items():
            other = (sg.jacobian_coloring if mode in JACOBIANS else sg.hessian_coloring)(matrix, mode)
            assert np.array_equal(other.places, plan.places)
    assert plans["acyclic"].num_colors <= max(plans["star"].num_colors, plans["acyclic"].num_colors)


def test_more_than_64_colors():
    matrix = sp.random_array((40, 300), density=0.5, rng=np.random.default_rng(3))
    colors = colors_of(matrix, "column")
    assert colors.max() > 128
    assert colors.tolist() == first_fit(matrix, "column", "largest_first")


@each(shape=[(300, 300), (120, 400), (400, 90)])
def test_dense_rows_and_columns_need_few_colors(shape):
    rng = np.random.default_rng(5)
    matrix = sp.random_array(shape, density=3 / shape[1], rng=rng).tolil()
    matrix[[0, 7]] = 1
    matrix[:, [3, 4, 50]] = 2
    matrix = matrix.tocsr()
    numbers = {}
    for mode in JACOBIANS:
        plan = sg.jacobian_coloring(matrix, mode)
        assert_recovers(matrix, plan)
        numbers[mode] = plan.num_colors
    assert numbers["both"] < 20 <= min(numbers["column"], numbers["row"])
    arrow = sp.eye_array(500).tolil()
    arrow[0] = arrow[:, 0] = 1
    arrow = arrow.tocsr()
    assert sg.jacobian_coloring(arrow, "both").num_colors == 3
    assert [sg.hessian_coloring(arrow, mode).num_colors for mode in HESSIANS] == [2, 2]


def test_long_trees_take_few_rounds():
    """The trees of a path are as high as the path is long; values are integers, so that sums are exact."""
    n = 1000
    side = np.arange(1.0, n)
    matrix = sp.diags_array([side, np.arange(n) + 7.0, side], offsets=[-1, 0, 1]).tocsr()
    plan = sg.hessian_coloring(matrix, "acyclic")
    assert (plan.num_colors, len(plan.rounds)) == (2, 9)
    assert_recovers(matrix, plan)


def test_work_comes_in_steps_that_can_be_interrupted(monkeypatch):
    matrix = gallery.laplacian((20, 30))
    whole = colors_of(matrix, "column")
    monkeypatch.setattr(nets, "ITEMS_PER_CALL", 100)
    assert np.array_equal(colors_of(matrix, "column"), whole)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_same(format):
    matrix = gallery.laplacian((6, 4)).tocsr()
    converted = matrix.asformat(format)
    for mode in (*JACOBIANS, *HESSIANS):
        color = sg.jacobian_coloring if mode in JACOBIANS else sg.hessian_coloring
        plans = [color(form, mode) for form in (matrix, converted, sp.coo_matrix(converted), matrix.toarray())]
        assert all(np.array_equal(plan.places, plans[0].places) for plan in plans)
    graph = sg.as_graph(matrix)
    assert np.array_equal(sg.hessian_coloring(graph).places, sg.hessian_coloring(matrix).places)


def test_patterns_are_neither_changed_nor_shared():
    matrix = gallery.laplacian((5, 5)).tocsr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    arrays = matrix.data, matrix.indices, matrix.indptr
    copies = [array.copy() for array in arrays]
    for mode in JACOBIANS:
        plan = sg.jacobian_coloring(matrix, mode)
        assert not np.shares_memory(plan.indices, matrix.indices)
    assert all(now is before for now, before in zip((matrix.data, matrix.indices, matrix.indptr), arrays, strict=True))
    assert all(np.array_equal(array, copy) for array, copy in zip(arrays, copies, strict=True))


def test_real_matrices_come_back(data_file):
    matrix = sg.read_graph(data_file("west0479.mtx.gz"), directed=True).to_scipy()
    for mode, longest in (("column", np.diff(matrix.indptr).max()), ("row", np.diff(matrix.tocsc().indptr).max())):
        plan = sg.jacobian_coloring(matrix, mode)
        assert longest <= plan.num_colors <= longest + 2
        assert_recovers(matrix, plan)
    assert_recovers(matrix, sg.jacobian_coloring(matrix, "both"))


@each(mode=[*JACOBIANS, *HESSIANS])
def test_plans_are_immutable_and_can_be_pickled(mode):
    matrix = gallery.laplacian((4, 5))
    plan = (sg.jacobian_coloring if mode in JACOBIANS else sg.hessian_coloring)(matrix, mode)
    copy = pickle.loads(pickle.dumps(plan))
    for one in (plan, copy):
        assert sg.is_compression_plan(matrix, one)
        with pytest.raises(FrozenInstanceError):
            one.mode = "row"
        for array in (one.indptr, one.indices, one.places, one.recover(one.compress(matrix)).indices):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5


def test_every_dtype():
    pattern = gallery.laplacian((8, 8)).tocsr()
    for mode in (*JACOBIANS, *HESSIANS):
        plan = (sg.jacobian_coloring if mode in JACOBIANS else sg.hessian_coloring)(pattern, mode)
        for factor in (2.0, 1j, np.float32(3)):
            matrix = pattern.astype(np.result_type(np.float32, factor)) * factor
            recovered = plan.recover(plan.compress(matrix))
            assert recovered.dtype == matrix.dtype
            assert (recovered != matrix).nnz == 0


def test_wrong_plans_are_found():
    """Each change of one color, one place or one pair of a round is refused."""
    rng = np.random.default_rng(2)
    pattern = gallery.laplacian((5, 4)).tocsr()
    for mode in (*JACOBIANS, *HESSIANS):
        plan = (sg.jacobian_coloring if mode in JACOBIANS else sg.hessian_coloring)(pattern, mode)
        for _ in range(10):
            state = dict(plan.__dict__)
            places = plan.places.copy()
            used = rng.integers(places.size) if plan.entries is None else rng.choice(plan.entries)
            places[used] = (places[used] + 1) % places.max()
            state["places"] = places
            changed = object.__new__(sg.CompressionPlan)
            changed.__setstate__(state)
            assert "is not recovered" in sg.explain(sg.is_compression_plan, pattern, changed)
    plan = sg.jacobian_coloring(pattern)
    assert "the plan is for (20, 20)" in sg.explain(sg.is_compression_plan, np.ones((2, 2)), plan)
    assert sg.explain(sg.is_compression_plan, sp.eye_array(20), plan) == (
        "entry (0, 1) of the plan is not in the pattern"
    )
    assert "is not in the pattern of the plan" in sg.explain(sg.is_compression_plan, np.ones((20, 20)), plan)
    with pytest.raises(TypeError, match="must be a CompressionPlan"):
        sg.is_compression_plan(pattern, [0, 1])


def test_errors_name_the_problem():
    matrix = sp.csr_array(np.array([[1, 0, 2], [0, 3, 0]]))
    plan = sg.jacobian_coloring(matrix)
    with pytest.raises(ValueError, match=r"compressed has shape \(2, 3\), expected \(2, 2\)"):
        plan.recover(np.ones((2, 3)))
    with pytest.raises(TypeError, match="compressed is a sparse matrix"):
        plan.recover(matrix)
    with pytest.raises(TypeError, match="must be a pair"):
        sg.jacobian_coloring(matrix, "both").recover(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"matrix has shape \(3, 2\), but the plan is for \(2, 3\)"):
        plan.compress(matrix.T)
    with pytest.raises(ValueError, match="the plan has 3 entries"):
        plan.matrix([1.0, 2.0])
    with pytest.raises(ValueError, match=r"mode must be one of column, row, both; got 'columns'"):
        sg.jacobian_coloring(matrix, "columns")
    with pytest.raises(ValueError, match="mode must be one of star, acyclic"):
        sg.hessian_coloring(matrix, "column")
    with pytest.raises(ValueError, match="order must be"):
        sg.jacobian_coloring(matrix, order="random")
    with pytest.raises(ValueError, match="must be square"):
        sg.hessian_coloring(matrix)
    with pytest.raises(ValueError, match=r"symmetric|directed|partner"):
        sg.hessian_coloring(np.triu(np.ones((3, 3))))
    with pytest.raises(ValueError, match="two dimensions"):
        sg.jacobian_coloring(np.ones(3))
    matrix.indices[0] = 7
    with pytest.raises(ValueError, match="indices"):
        sg.jacobian_coloring(matrix)
