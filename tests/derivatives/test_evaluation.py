"""Jacobians by differences, for functions of NumPy and in the solvers of SciPy."""

import contextlib
import inspect
import operator
import warnings

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.linalg

import stablegraph as sg
from stablegraph import gallery

SHAPE = 12, 11
POINTS = SHAPE[0] * SHAPE[1]
LAPLACIAN = gallery.laplacian(SHAPE)


def reaction(u, source=5.0):
    return LAPLACIAN @ u - source / 100 * np.exp(u)


def exact(u, source=5.0):
    return LAPLACIAN - sp.diags_array(source / 100 * np.exp(u))


def test_one_evaluation_per_color():
    places = []
    jacobian = sg.sparse_jacobian(lambda u, **options: places.append(u) or reaction(u, **options), LAPLACIAN)
    u = np.random.default_rng(0).normal(scale=3, size=POINTS)
    u[:2] = 0.0, -0.0
    for options in ({}, {"source": 2.0}):
        places.clear()
        result = jacobian(u, **options)
        assert len(places) == 1 + jacobian.plan.num_colors
        assert all(np.array_equal(place != u, place - u != 0) for place in places)
        assert abs(result - exact(u, **options)).max() < 1e-6
        assert (result.format, result.dtype, result.nnz) == ("csr", np.float64, LAPLACIAN.nnz)
        assert np.array_equal(jacobian.values(u, **options), result.data)
    assert not np.shares_memory(places[0], u)
    assert repr(jacobian) == f"<SparseDerivative: {jacobian.plan!r}>"


@pytest.mark.parametrize("mode", ["star", "acyclic"])
def test_a_hessian_from_a_gradient(mode):
    plan = sg.hessian_coloring(LAPLACIAN, mode)
    assert plan.num_colors < sg.jacobian_coloring(LAPLACIAN).num_colors
    hessian = sg.sparse_jacobian(reaction, plan)
    u = np.random.default_rng(0).normal(scale=2, size=POINTS)
    assert abs(hessian(u) - exact(u)).max() < 1e-5


def test_steps_within_bounds_are_those_of_scipy():
    """The oracle is SciPy's dense difference: the same places, also on a bound, and with bounds nearer than a step."""
    rng, size = np.random.default_rng(0), 40
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    x = rng.choice([0.0, 1.0, -2.5, 300.0], size)
    lower[::2], upper[::3] = x[::2] - rng.choice([0.0, 1e-9, 3e-9, 1], 20), x[::3] + rng.choice([1e-9, 2e-9, 1], 14)

    def places_of(differentiate):
        places = []
        result = differentiate(lambda x: places.append(x.copy()) or np.cumsum(x**2))
        return result, places

    matrix = np.ones((size, size))
    result, places = places_of(lambda fun: sg.sparse_jacobian(fun, matrix, bounds=(lower, upper))(x))
    expected, those = places_of(
        lambda fun: scipy.optimize._numdiff.approx_derivative(fun, x, method="2-point", bounds=(lower, upper))
    )
    assert np.array_equal(result.toarray(), expected)
    assert np.array_equal(np.unique(places, axis=0), np.unique(np.clip(those, lower, upper), axis=0))
    assert len(places) == 1 + size
    free = places_of(lambda fun: sg.sparse_jacobian(fun, matrix)(x))[1]
    assert any((place < lower).any() or (place > upper).any() for place in free)
    for bounds in ((-np.inf, np.inf), scipy.optimize.Bounds(-1e9, 1e9)):
        assert np.array_equal(free, places_of(lambda fun, b=bounds: sg.sparse_jacobian(fun, matrix, bounds=b)(x))[1])


def test_the_check_stays_within_bounds():
    places = []

    def fun(x):
        places.append(x)
        return x**2 + x

    for x in (np.zeros(3), np.ones(3), np.array([0, 0.5, 1 - 1e-7]), np.array([1e-9, 0.2, 1])):
        sg.sparse_jacobian(fun, np.eye(3), check=True, bounds=(0, [1, 1, 1]))(x)
        with pytest.raises(ValueError, match=r"wrong in rows 1, 2; in row 1"):
            sg.sparse_jacobian(fun, np.eye(3)[[0, 0, 0]], check=True, bounds=(0, [1, 1, 1]))(x)
    assert all(((place >= 0) & (place <= 1)).all() for place in places)


def test_a_bounded_fit_converges_as_with_a_sparsity():
    def fun(x):
        if (x > 1).any() or (x < -5).any():
            raise ArithmeticError("outside of the bounds")
        return np.sqrt(1 - x) + np.concatenate([x[1:], [0]]) / 10 - 0.05

    pattern = sp.diags_array([np.ones(30), np.ones(29)], offsets=[0, 1])
    for start in (0.5, 1.0):
        fits = [
            scipy.optimize.least_squares(fun, np.full(30, start), bounds=(-5, 1), **options)
            for options in ({"jac": sg.sparse_jacobian(fun, pattern, bounds=(-5, 1))}, {"jac_sparsity": pattern})
        ]
        assert fits[0].success
        assert np.allclose(fits[0].x, fits[1].x, rtol=1e-6)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0,), r"bounds must be a pair \(lower, upper\), got \(0,\)"),
        (np.zeros((2, 3)), "bounds must be a pair"),
        ((0, [1, 2]), r"each of the bounds must be a number or have one for each of the 3 columns, got shape \(2,\)"),
        ((0, "x"), "each of the bounds must be a number"),
        (([0, 1, 0], 1), r"bounds of x\[1\] are 1.0 and 1.0: the lower one must be below the upper one"),
        ((np.nan, 1), r"bounds of x\[0\] are nan and 1.0"),
        ((0, 4), r"x\[2\] = 5.0 is outside of its bounds, 0.0 to 4.0"),
    ],
)
def test_wrong_bounds(bounds, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sg.sparse_jacobian(np.sin, np.eye(3), bounds=bounds)(np.array([1.0, 2, 5]))


def test_bounds_without_effect():
    for plan, library, which in (
        (np.eye(3), "jax", "the library 'jax'"),
        (np.eye(3), "torch", "the library 'torch'"),
        (sg.hessian_coloring(np.eye(3)), None, "a plan with the mode 'star'"),
        (sg.jacobian_coloring(np.eye(3), "row"), None, "a plan with the mode 'row'"),
    ):
        with pytest.raises(ValueError, match=f"it has no effect on {which}"):
            sg.sparse_jacobian(np.sin, plan, library=library, bounds=(0, 1))


def test_solvers_of_scipy():
    jacobian = sg.sparse_jacobian(reaction, LAPLACIAN)
    result = scipy.optimize.least_squares(reaction, np.zeros(POINTS), jacobian, kwargs={"source": 3.0})
    assert np.abs(reaction(result.x, 3.0)).max() < 1e-6

    def slope(t, u):
        return -reaction(u, 1.0)

    jacobian = sg.sparse_jacobian(slope, LAPLACIAN, argument=1)
    whole = scipy.integrate.solve_ivp(slope, (0, 200), np.zeros(POINTS), method="BDF", jac=jacobian)
    assert whole.success
    assert np.abs(slope(200, whole.y[:, -1])).max() < 1e-5


SIDE = 20
CHAIN = sp.csr_array(gallery.laplacian(SIDE))
PLAN = sg.hessian_coloring(CHAIN)


def cubic(x):
    return CHAIN @ x + x**3 - 1


def energy(x):
    return x @ (CHAIN @ x) / 2 + (x**4).sum() / 4 - x.sum()


def integrated(integrator):
    def run(jac):
        solver = scipy.integrate.ode(lambda t, x: -cubic(x), lambda t, x: -jac(x)).set_integrator(integrator)
        return solver.set_initial_value(np.zeros(SIDE), 0).integrate(100).real

    return run


def stepped(integrator):
    def run(jac):
        solver = integrator(lambda t, x: -cubic(x), 0, np.zeros(SIDE), 100, jac=lambda t, x: -jac(x))
        while solver.status == "running":
            solver.step()
        return solver.y

    return run


def constrained(method, constraint):
    def run(jac):
        constraints = [constraint(jac)]
        return scipy.optimize.minimize(energy, np.ones(SIDE), jac=cubic, constraints=constraints, method=method).x

    return run


def users_of_jacobians():
    """Yield name, call and result for each solver of SciPy that takes a Jacobian or Hessian matrix."""
    start, optimize, integrate = np.zeros(SIDE), scipy.optimize, scipy.integrate
    for method in ("hybr", "lm"):  # all other methods ignore jac=, and say so
        yield f"root {method}", lambda jac, m=method: optimize.root(cubic, start, jac=jac, method=m).x
    yield "fsolve", lambda jac: optimize.fsolve(cubic, start, fprime=jac)
    yield "leastsq", lambda jac: optimize.leastsq(cubic, start, Dfun=jac)[0]
    for method in ("trf", "dogbox", "lm"):
        yield f"least_squares {method}", lambda jac, m=method: optimize.least_squares(cubic, start, jac, method=m).x
    yield (
        "curve_fit",
        lambda jac: optimize.curve_fit(
            lambda t, *x: cubic(np.array(x)), np.arange(SIDE), start, start, jac=lambda t, *x: jac(np.array(x))
        )[0],
    )
    for method in ("Newton-CG", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"):
        yield (
            f"minimize {method}",
            lambda jac, m=method: optimize.minimize(energy, start, jac=cubic, hess=jac, method=m).x,
        )
    yield "fmin_ncg", lambda jac: optimize.fmin_ncg(energy, start, cubic, fhess=jac, disp=False)
    yield (
        "fmin_slsqp",
        lambda jac: optimize.fmin_slsqp(
            energy, np.ones(SIDE), fprime=cubic, f_eqcons=cubic, fprime_eqcons=jac, iprint=0
        ),
    )
    for name in ("Radau", "BDF", "LSODA"):
        yield (
            f"solve_ivp {name}",
            lambda jac, m=name: integrate.solve_ivp(
                lambda t, x: -cubic(x), (0, 100), start, method=m, jac=lambda t, x: -jac(x)
            ).y[:, -1],
        )
        yield name, stepped(getattr(integrate, name))
    yield (
        "odeint",
        lambda jac: integrate.odeint(lambda t, x: -cubic(x), start, [0, 100], Dfun=lambda t, x: -jac(x), tfirst=True)[
            -1
        ],
    )
    for name in ("vode", "lsoda"):
        yield f"ode {name}", integrated(name)
    for method in ("trust-constr", "SLSQP"):
        yield (
            f"NonlinearConstraint {method}",
            constrained(
                method,
                lambda jac: optimize.NonlinearConstraint(
                    cubic, start, start, jac=jac, hess=lambda x, v: sp.diags_array(6 * x * v)
                ),
            ),
        )
    yield "dictionary SLSQP", constrained("SLSQP", lambda jac: {"type": "eq", "fun": cubic, "jac": jac})


REFUSE_SPARSE = (  # as the docstring says
    "least_squares lm", "minimize dogleg", "minimize trust-ncg", "minimize trust-krylov", "minimize trust-exact",
)  # fmt: skip
STAY_SPARSE = (
    "least_squares trf", "least_squares dogbox", "minimize Newton-CG", "minimize trust-constr", "fmin_ncg",
    "solve_ivp Radau", "solve_ivp BDF", "Radau", "BDF", "NonlinearConstraint trust-constr",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "solve"), list(users_of_jacobians()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_solver_of_scipy_takes_what_the_docstring_says(name, solve, monkeypatch):
    """The matrix is converted into a dense array by all solvers, except for those that use that it is sparse."""
    jacobian, conversions = sg.sparse_jacobian(cubic, PLAN), []
    assert np.abs(cubic(solve(jacobian.dense))).max() < 1e-3
    if name in REFUSE_SPARSE:
        with pytest.raises((TypeError, ValueError, AttributeError, NotImplementedError)):
            solve(jacobian)
        return

    def count(kind, method):
        convert = getattr(kind, method)

        def counted(matrix, *arguments, **options):
            conversions.extend([method] * (matrix.shape == (SIDE, SIDE)))
            return convert(matrix, *arguments, **options)

        monkeypatch.setattr(kind, method, counted)

    count(type(jacobian(np.ones(SIDE))), "__array__")
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array):
        count(kind, "toarray")
        count(kind, "todense")
    assert np.abs(cubic(solve(jacobian))).max() < 1e-3
    assert (name in STAY_SPARSE) == (not conversions)


def test_other_ways_to_use_a_sparse_matrix():
    """Products for two methods that refuse it, and a preconditioner for solvers that take no matrix."""
    jacobian, start = sg.sparse_jacobian(cubic, PLAN), np.ones(SIDE)
    for method in ("trust-ncg", "trust-krylov"):
        found = scipy.optimize.minimize(energy, start, jac=cubic, hessp=lambda x, p: jacobian(x) @ p, method=method)
        assert np.abs(cubic(found.x)).max() < 1e-3
    inverse = scipy.sparse.linalg.LinearOperator((SIDE, SIDE), sp.linalg.splu(jacobian(start).tocsc()).solve)
    found = scipy.optimize.newton_krylov(cubic, start, inner_M=inverse)
    assert np.abs(cubic(found)).max() < 1e-3
    options = {"jac_options": {"inner_M": inverse}}
    found = scipy.optimize.root(cubic, start, method="krylov", options=options)
    assert np.abs(cubic(found.x)).max() < 1e-3


def test_a_jacobian_as_an_array():
    jacobian = sg.sparse_jacobian(cubic, PLAN)(np.ones(SIDE))
    assert sp.issparse(jacobian)
    assert np.array_equal(np.asarray(jacobian), jacobian.toarray())
    assert np.array(jacobian, dtype=np.float32).dtype == np.float32
    assert np.array_equal(np.ones(SIDE) @ jacobian, jacobian.T @ np.ones(SIDE))
    with pytest.raises(ValueError, match="only by a copy"):
        np.asarray(jacobian, copy=False)


def plain(value):
    """A type and an array, or the type of an error, to compare results."""
    if isinstance(value, Exception):
        return type(value), 0
    return sp.issparse(value), value.toarray() if sp.issparse(value) else np.asarray(value)


def in_place(operation, matrix):
    target = np.ones(matrix.shape)
    return operation(target, matrix)


def test_a_jacobian_is_a_sparse_matrix_in_all_operations():
    """NumPy's functions, Python's operators on both sides, and SciPy's ways to join matrices."""
    jacobian = sg.sparse_jacobian(cubic, PLAN)(np.arange(1.0, SIDE + 1))
    others = [np.ones(jacobian.shape), np.arange(1.0, SIDE + 1), np.float64(3), 2.0]
    names = ("add", "sub", "mul", "truediv", "matmul", "eq", "ne", "lt", "ge")
    calls = [lambda m, f=f: f(m) for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 1]
    for f, other in ((getattr(operator, name), other) for name in names for other in others):
        calls += [lambda m, f=f, other=other: f(m, other), lambda m, f=f, other=other: f(other, m)]
    calls += [lambda m, f=f: in_place(f, m) for f in (operator.iadd, operator.isub)]
    calls += [lambda m, f=f: f(m) for f in (np.sum, np.max, np.mean, np.shape, np.transpose, np.diagonal, np.trace)]
    calls += [lambda m, f=f: f([m, m]) for f in (sp.vstack, sp.hstack, sp.block_diag)]
    calls += [lambda m: m @ m, lambda m: sp.kron(m, m), lambda m: sp.block_array([[m, None], [None, m]])]
    for number, call in enumerate(calls):
        answers = []
        for matrix in (sp.csr_array(jacobian), jacobian):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    answers.append(plain(call(matrix)))
                except Exception as error:
                    answers.append(plain(error))
        (kind, expected), (other_kind, received) = answers
        if not isinstance(kind, type):  # SciPy's own errors may become answers
            assert kind == other_kind, number
            assert np.array_equal(expected, received, equal_nan=expected.dtype.kind in "fc"), number


def test_the_solvers_of_scipy_are_complete():
    """Functions with a parameter for a Jacobian or Hessian, and the methods of those that have several."""
    known = {name.split()[0] for name, _ in users_of_jacobians()}
    takes = set()
    for module in (scipy.optimize, scipy.integrate):
        for name in module.__all__:
            try:
                parameters = inspect.signature(getattr(module, name)).parameters
            except (TypeError, ValueError):
                continue
            if {"jac", "hess", "fhess", "Dfun", "fun_jac", "fprime_eqcons"} & set(parameters) or name == "fsolve":
                takes.add(name)
    takes -= {"solve_bvp", "complex_ode"}  # arrays of three dimensions; a wrapper of `ode`
    assert takes <= known
    # `minimize`: all methods that do not warn that they ignore hess=
    ignoring = set()
    for method in scipy.optimize._minimize.MINIMIZE_METHODS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with contextlib.suppress(Exception):
                scipy.optimize.minimize(energy, np.zeros(SIDE), jac=cubic, hess=1.0, method=method)
        if any("does not use Hessian" in str(one.message) for one in caught):
            ignoring.add(method)
    hessians = {name.split()[1].lower() for name, _ in users_of_jacobians() if name.startswith("minimize ")}
    assert set(scipy.optimize._minimize.MINIMIZE_METHODS) - ignoring <= hessians


def test_rectangular_and_complex_and_empty_jacobians():
    matrix = sp.random_array((7, 5), density=0.4, rng=np.random.default_rng(1)).tocsr() * (1 + 2j)
    jacobian = sg.sparse_jacobian(lambda x: matrix @ x, matrix)
    assert jacobian([1, 2, 3, 4, 5]).dtype == np.complex128
    assert abs(jacobian(np.ones(5)) - matrix).max() < 1e-6
    assert sg.sparse_jacobian(lambda x: np.zeros(3), np.zeros((3, 0)))([]).shape == (3, 0)


def test_errors():
    jacobian = sg.sparse_jacobian(lambda x: x[:2], np.eye(3))
    with pytest.raises(ValueError, match=r"fun\(x\) has shape \(2,\), but the pattern has 3 rows: return shape \(3,\)"):
        jacobian(np.ones(3))
    with pytest.raises(ValueError, match=r"x has shape \(4,\), but the pattern has 3 columns: pass shape \(3,\)"):
        jacobian(np.ones(4))
    with pytest.raises(TypeError, match="is to argument 1, but there are only 1"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), argument=1)(np.ones(3))
    with pytest.raises(ValueError, match="argument must be at least 0, got -1"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), argument=-1)
    with pytest.raises(ValueError, match="differences give products with columns only"):
        sg.sparse_jacobian(lambda x: x, sg.jacobian_coloring(np.eye(3), "row"))(np.ones(3))
    with pytest.raises(ValueError, match="library must be one of"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), library="tensorflow")
    with pytest.raises(ValueError, match="library must be one of jax, torch"):
        sg.sparse_hessian(lambda x: x.sum(), np.eye(3), library="numpy")
    with pytest.raises(TypeError, match="a Hessian needs a function of JAX or PyTorch"):
        sg.sparse_hessian(lambda x: x.sum(), np.eye(3))(np.ones(3))
