"""`check=True`: complete patterns pass, and rows with missing entries are named; an oracle computes dense products."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph.derivatives import checking
from tests.support.cases import each

SHAPE = 6, 5
POINTS = SHAPE[0] * SHAPE[1]
LAPLACIAN = sp.csr_array(gallery.laplacian(SHAPE))
SMOOTH = {
    "linear": lambda x: LAPLACIAN @ x,
    "flat": lambda x: x**2,
    "exponential": lambda x: LAPLACIAN @ x - np.exp(x) / 20,
    "steep": lambda x: LAPLACIAN @ x + np.exp(100 * np.tanh(x)),
    "with a kink at zero": lambda x: LAPLACIAN @ x + np.abs(x),
    "offset": lambda x: 1e6 + LAPLACIAN @ x,
    "rows of all sizes": lambda x: np.logspace(-12, 12, POINTS) * (LAPLACIAN @ x),
    "complex": lambda x: (1 + 2j) * (LAPLACIAN @ x),
    "only for positive numbers": lambda x: np.log(np.abs(x) + 1e-3) + LAPLACIAN @ x,
}
PLACES = {
    "zero": np.zeros(POINTS),
    "one": np.ones(POINTS),
    "random": np.random.default_rng(0).normal(size=POINTS),
    "of all sizes": np.random.default_rng(1).normal(size=POINTS) * np.logspace(-4, 0, POINTS),
}


def without(pattern, *entries):
    pattern = sp.lil_array(pattern)
    for i, j in entries:
        pattern[i, j] = 0
    return sp.csr_array(pattern)


def named(error):
    return [int(i) for i in re.search(r"wrong in (?:row|column)s? ([\d, ]+)", str(error.value))[1].split(",")]


@each(function=list(SMOOTH), place=list(PLACES), plan=["column", "star", "acyclic"])
def test_complete_patterns_pass(function, place, plan):
    if function == "rows of all sizes" and plan != "column":  # not symmetric
        return
    pattern = sg.jacobian_coloring(LAPLACIAN) if plan == "column" else sg.hessian_coloring(LAPLACIAN, plan)
    fun, x = SMOOTH[function], PLACES[place]
    checked = sg.sparse_jacobian(fun, pattern, check=True).values(x)
    assert np.array_equal(checked, sg.sparse_jacobian(fun, pattern).values(x), equal_nan=True)


@each(function=["linear", "exponential", "offset", "rows of all sizes", "complex"], place=list(PLACES))
def test_rows_with_missing_entries_are_named(function, place):
    pattern = without(LAPLACIAN, (3, 4), (12, 7), (12, 12), (29, 28))
    with pytest.raises(ValueError, match=r"the pattern lacks entries \(or fun is not smooth\)") as error:
        sg.sparse_jacobian(SMOOTH[function], pattern, check=True)(PLACES[place])
    assert named(error) == [3, 12, 29]


def test_each_single_entry_is_missed():
    """Each entry of a matrix in turn; the oracle of the message is the dense product."""
    x, complete = PLACES["random"], sg.sparse_jacobian(SMOOTH["linear"], LAPLACIAN)
    assert complete.plan.num_colors < POINTS
    direction = checking.along_by_differences(SMOOTH["linear"], complete.plan, x).direction
    expected = LAPLACIAN.toarray() @ direction
    for i, j in zip(*LAPLACIAN.nonzero(), strict=True):
        with pytest.raises(ValueError, match=rf"wrong in row {i};") as error:
            sg.sparse_jacobian(SMOOTH["linear"], without(LAPLACIAN, (i, j)), check=True)(x)
        assert float(re.search(r"derivative in this direction (\S+);", str(error.value))[1]) == pytest.approx(
            expected[i], rel=1e-5
        )


def test_many_rows_are_counted():
    with pytest.raises(
        ValueError, match=r"rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 20 more; in row 0 it is 0, the"
    ) as error:
        sg.sparse_jacobian(lambda x: x, np.zeros((POINTS, POINTS)), check=True)(np.ones(POINTS))
    assert "0.818481" in str(error.value)  # 0.5 + default_rng(0).random() / 2


def test_a_hessian_of_a_gradient_without_a_pair():
    pattern = without(LAPLACIAN, (5, 6), (6, 5))
    for mode in ("star", "acyclic"):
        with pytest.raises(ValueError, match="the pattern lacks entries") as error:
            sg.sparse_jacobian(SMOOTH["linear"], sg.hessian_coloring(pattern, mode), check=True)(PLACES["random"])
        assert {5, 6} <= set(named(error)) or "more" in str(error.value)


def test_the_check_costs_three_evaluations_and_is_repeated():
    places = []
    jacobian = sg.sparse_jacobian(lambda x: places.append(x) or x * x[0], np.eye(2), check=True)
    jacobian(np.zeros(2))  # the missing derivative is 0 at this place
    assert len(places) == 1 + jacobian.plan.num_colors + 3
    with pytest.raises(ValueError, match="wrong in row 1;"):
        jacobian(np.array([1.0, 2.0]))


def test_an_argument_at_another_position_and_rectangular_matrices():
    matrix = sp.csr_array(np.array([[1.0, 2, 0], [0, 0, 3]]))

    def fun(t, x, scale=1.0):
        return scale * t * (matrix @ x)

    assert sg.sparse_jacobian(fun, matrix, argument=1, check=True)(2.0, np.ones(3), scale=3.0).nnz == 3
    with pytest.raises(ValueError, match="wrong in row 0;"):
        sg.sparse_jacobian(fun, without(matrix, (0, 1)), argument=1, check=True)(2.0, np.ones(3), scale=3.0)
    assert sg.sparse_jacobian(lambda x: np.zeros(3), np.zeros((3, 0)), check=True)([]).shape == (3, 0)
    assert sg.sparse_jacobian(lambda x: x[:0], np.zeros((0, 2)), check=True)([1, 2]).shape == (0, 2)


@np.errstate(all="ignore")
def test_derivatives_that_are_not_finite_are_named_by_row():
    """By an error with `check`, otherwise by a warning; the values are unchanged."""
    left = np.eye(4) + np.roll(np.eye(4), 1, axis=0)
    step = "where fun(x) is finite, but not after a step of the difference"
    for fun, x, words in (
        (lambda x: np.log(x), [-1, 1, 2, -5], "rows 0, 3: entry (0, 0) is nan at x[0] = -1.0, where fun(x) is nan in"),
        (lambda x: np.sqrt(1 - x), [0.5, 0, 1, 0.5], f"row 2: entry (2, 2) is nan at x[2] = 1.0, {step}; if fun is"),
        (
            lambda x: np.where(x > 2, np.inf, x),
            [2, 0, 1, 3 / 2],
            f"row 0: entry (0, 0) is inf at x[0] = 2.0, {step}; if",
        ),
    ):
        x = np.array(x, float)
        with pytest.raises(ValueError, match=re.escape(f"the derivative is not finite in {words}")):
            sg.sparse_jacobian(lambda x, f=fun: f(x) + np.roll(x, 1), left, check=True)(x)
        with pytest.warns(RuntimeWarning, match=re.escape(f"the derivative is not finite in {words}")) as caught:
            values = sg.sparse_jacobian(lambda x, f=fun: f(x) + np.roll(x, 1), left)(x)
        assert caught[0].filename == __file__ and len(caught) == 1
        assert not np.isfinite(values.data).all() and np.isfinite(values.data).sum() >= 4
    for mode in ("star", "acyclic"):
        plan = sg.hessian_coloring(LAPLACIAN, mode)
        x = np.where(np.arange(POINTS) == 7, -1.0, 1.0)
        with pytest.warns(RuntimeWarning, match=r"not finite in rows? .*where fun\(x\) is nan in row"):
            sg.sparse_jacobian(lambda x: LAPLACIAN @ np.log(x), plan)(x)


@np.errstate(all="ignore")
def test_many_rows_and_large_sums_of_finite_entries():
    with pytest.raises(ValueError, match=r"rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 20 more: entry \(0, 0\)"):
        sg.sparse_jacobian(lambda x: x / 0, np.eye(POINTS), check=True)(np.ones(POINTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the sum of the entries is infinite, but no entry is
        values = sg.sparse_jacobian(lambda x: 1.5e308 * x, np.eye(2)).values(np.zeros(2))
    assert values.tolist() == [1.5e308, 1.5e308]


@np.errstate(all="ignore")
def test_rows_that_the_check_cannot_compare_are_named():
    near = np.array([0.0, 1 - 1e-6])  # the steps of the check are longer than those of the derivative
    with pytest.raises(ValueError, match=r"check=True cannot check row 1: .* is nan in row 1; if fun is undefined out"):
        sg.sparse_jacobian(lambda x: np.sqrt(1 - x), np.eye(2), check=True)(near)


def test_the_option_is_a_boolean():
    for function in (sg.sparse_jacobian, sg.sparse_hessian):
        with pytest.raises(TypeError, match="check must be True or False, got 'yes'"):
            function(np.sin, np.eye(2), check="yes")
