"""Every message of the solvers, for an input that triggers it: following its advice gives the right result."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery, solvers

A = gallery.laplacian((12, 11))
N = A.shape[0]
B = np.random.default_rng(0).standard_normal(N)
ONES = np.ones(N)
FLOATING = sp.csr_array(A - sp.diags_array(A @ ONES))
TWO = sp.csr_array(sp.block_diag([FLOATING, FLOATING]))
INDEFINITE = sp.csr_array(A - 0.3 * sp.eye_array(N))
ONE_SIDED = sp.csr_array(A + sp.eye_array(N, k=30))
WIND = sp.csr_array(A + 0.2 * (sp.triu(A, 1) - sp.tril(A, -1)))
HOLE = sp.csr_array(A - sp.diags_array(np.eye(N)[3] * 4))
BROKEN = A.copy()
BROKEN.indices[3] = N + 9
GAP = sp.csr_array(sp.diags_array(1 - np.eye(N)[5]) @ A @ sp.diags_array(1 - np.eye(N)[5]))
KEPT = np.arange(N) != 5
LARGER = sp.csr_array(gallery.laplacian((40, 40)) - 0.3 * sp.eye_array(1600))
NOISE = np.random.default_rng(1).standard_normal(1600)
SWEEPS = sg.gauss_seidel(A)
HIERARCHY = sg.smoothed_aggregation(A, coarse_size=20)


def message_of(call):
    """Return the message of the error or warning of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            return str(error)
    return next(str(one.message) for one in caught if issubclass(one.category, sg.ConvergenceWarning))


def solves(matrix, x, b):
    return np.linalg.norm(b - matrix @ x) <= 1.01e-8 * np.linalg.norm(b)


def said(matrix, b, **names):
    """Return a check that runs the first call or `nullspace=` of the message without warnings."""

    def check(message):
        names.update(stablegraph=sg, scipy=scipy, numpy=np, np=np, A=matrix, b=b)
        call = re.search(r"stablegraph\.solve\([^()]*\)|scipy\.\S+\(A, b.*\)(?=;|$|, but)", message)
        if call is None:
            labels = re.search(r"with labels = (.*)$", message)
            if labels:
                names["labels"] = eval(labels[1], names)
            nullspace = eval(re.search(r"nullspace=(.*?)(?: with labels|$)", message)[1], names)
            return solves(matrix, sg.smoothed_aggregation(matrix, nullspace=nullspace).solve(b), b)
        return solves(matrix, eval(call[0], names), b)

    return check


def subtracted(message):
    """Follow the advice for an inconsistent system."""
    nullspace, b = ONES, B
    code, definition = re.search(r"pass (.*) with N = (.*)$", message).groups()
    names = {"numpy": np, "b": b, "nullspace": nullspace}
    names["N"] = eval(definition, names)
    consistent = eval(code, names)
    return solves(FLOATING, sg.solve(FLOATING, consistent, nullspace=nullspace), consistent)


def too_large(monkeypatch):
    monkeypatch.setattr("stablegraph.solvers.candidates.MAX_FACTOR_ENTRIES", 10)


def swept(x, b):
    return np.isfinite(SWEEPS.sweep(x, b)).all()


READ_ONLY = np.zeros(N)
READ_ONLY.flags.writeable = False
SHARED = np.zeros(N)

# Part of the message in the sources; a call that causes it; a check that does what the message says.
CASES = [
    ("a smoother is", lambda: sg.smoothed_aggregation(A, smoother=3),
     lambda m: solves(A, sg.smoothed_aggregation(A, smoother=eval(re.search(r"as (\(.*\));", m)[1])).solve(B), B)),
    ("aggregates need a symmetric pattern", lambda: sg.smoothed_aggregation(ONE_SIDED, coarse_size=5),
     said(ONE_SIDED, B)),
    ("a graph without weights is no matrix", lambda: sg.solve(gallery.grid((3, 3)), np.ones(9)),
     lambda m: solves(A, sg.solve(sg.as_graph(A, weights=True), B), B)),
    ("is broken: it refers", lambda: sg.solve(BROKEN, B), lambda m: "indices" in message_of(BROKEN.check_format)
     or "column" in message_of(BROKEN.check_format)),
    ("of A is zero: leave out row", lambda: sg.solve(GAP, B),
     lambda m: solves(GAP[KEPT][:, KEPT], sg.solve(GAP[KEPT][:, KEPT], B[KEPT]), B[KEPT])),
    ("too small to divide by", lambda: sg.solve(A * 1e-310, B * 1e-305),
     lambda m: solves(A * 1e-310 * 2.0**200, sg.solve(A * 1e-310 * 2.0**200, B * 1e-305 * 2.0**200),
                      B * 1e-305 * 2.0**200)),
    ("but smoothers divide by it", lambda: sg.smoothed_aggregation(HOLE), said(HOLE, B)),
    ("but smoothers divide by it", lambda: sg.gauss_seidel(HOLE), said(HOLE, B)),
    ("is not positive ", lambda: sg.smoothed_aggregation(INDEFINITE, coarse_size=20).solve(B), said(INDEFINITE, B)),
    ("is not positive ", lambda: sg.smoothed_aggregation(-A).solve(B), said(-A, B)),
    ("is not positive ", lambda: sg.solve(INDEFINITE, B, method="diagonal"), said(INDEFINITE, B)),
    ("is not positive ", lambda: sg.solve(LARGER, NOISE, method="multigrid"), said(LARGER, NOISE)),
    ("is not positive ", lambda: sg.smoothed_aggregation(-FLOATING, nullspace=ONES).solve(B - B.mean()),
     said(-FLOATING, B - B.mean(), nullspace=ONES)),
    ("the first residual, b - A x0", lambda: HIERARCHY.solve(B, np.full(N, 1e200)),
     lambda m: "leave x0 out" in m and solves(A, HIERARCHY.solve(B), B)),
    ("must be a dense array", lambda: sg.solve(A, sp.csr_array(B[:, None])),
     lambda m: solves(A, sg.solve(A, sp.csr_array(B[:, None]).toarray())[:, 0], B)),
    ("is complex, but A is real", lambda: sg.smoothed_aggregation(A, ONES + 1j * B),
     lambda m: solves(A, sg.smoothed_aggregation(A, np.c_[ONES, B]).solve(B), B)),
    ("of B is zero: leave it out", lambda: sg.smoothed_aggregation(A, np.c_[ONES, 0 * ONES]),
     lambda m: solves(A, sg.smoothed_aggregation(A, ONES).solve(B), B)),
    ("scale it", lambda: sg.smoothed_aggregation(A, ONES * 1e200),
     lambda m: solves(A, sg.smoothed_aggregation(A, ONES).solve(B), B)),
    ("of nullspace depends", lambda: sg.solve(FLOATING, FLOATING @ B, nullspace=np.c_[ONES, 2 * ONES]),
     lambda m: solves(FLOATING, sg.solve(FLOATING, FLOATING @ B, nullspace=ONES), FLOATING @ B)),
    ("call smoothed_aggregation anew", lambda: HIERARCHY.update(ONE_SIDED + ONE_SIDED.T),
     lambda m: solves(ONE_SIDED + ONE_SIDED.T, sg.smoothed_aggregation(ONE_SIDED + ONE_SIDED.T).solve(B), B)),
    ("call smoothed_aggregation anew", lambda: HIERARCHY.update(A.astype(complex)),
     lambda m: solves(A, sg.smoothed_aggregation(A.astype(complex)).solve(B), B)),
    ("conjugate gradients need a symmetric matrix", lambda: sg.smoothed_aggregation(WIND).solve(B), said(WIND, B)),
    ("call gauss_seidel anew", lambda: SWEEPS.update(ONE_SIDED), lambda m: sg.gauss_seidel(ONE_SIDED).shape == (N, N)),
    ("call gauss_seidel anew", lambda: SWEEPS.update(A.astype(complex)),
     lambda m: sg.gauss_seidel(A.astype(complex)).shape == (N, N)),
    ("must be contiguous and writeable", lambda: SWEEPS.sweep(READ_ONLY, B), lambda m: swept(READ_ONLY.copy(), B)),
    ("b is complex, but sweeps are real", lambda: SWEEPS.sweep(np.zeros(N), B + 1j),
     lambda m: swept(np.zeros(N), (B + 1j).real) and swept(np.zeros(N), (B + 1j).imag)),
    ("x and b share memory", lambda: SWEEPS.sweep(SHARED, SHARED), lambda m: swept(SHARED, SHARED.copy())),
    (" needs a ", lambda: sg.solve(WIND, B, method="diagonal"), said(WIND, B)),
    (" needs a ", lambda: sg.solve(HOLE, B, method="multigrid"), said(HOLE, B)),
    ("too large for floating-point numbers", lambda: sg.solve(A * 1e-200, B * 1e200),
     lambda m: solves(A, sg.solve(A, B), B)),
    ("inconsistent system", lambda: sg.solve(FLOATING, B, nullspace=ONES), subtracted),
    ("iterations the residual is", lambda: HIERARCHY.solve(B, maxiter=2), said(A, B)),
    ("iterations the residual is", lambda: sg.smoothed_aggregation(INDEFINITE, coarse_size=20).solve(B, accel=None),
     said(INDEFINITE, B)),
    ("iterations the residual is",
     lambda: sg.smoothed_aggregation(FLOATING, coarse_size=9).solve(FLOATING @ B, maxiter=1),
     said(FLOATING, FLOATING @ B)),
    ("iterations the residual is",
     lambda: sg.smoothed_aggregation(TWO, coarse_size=9).solve(TWO @ np.r_[B, B], maxiter=1),
     said(TWO, TWO @ np.r_[B, B])),
]  # fmt: skip
FACTS = (  # messages that only describe what is wrong, or in which the cause is the advice
    "coarse levels are dense", "A must be a sparse array of SciPy", "A must hold", "A must be square",
    "solvers take less", "not a finite number", "all entries of A are zero", "must hold numbers", "must have shape",
    "does not divide",
    "is not in the null space", "must have the shape", "x must be a", "is singular for a factorization",
    "the iteration diverges: ",  # ends with the advice of "is not positive"
)  # fmt: skip
FACTORS = "and a factorization"  # tested by test_advice_for_factors_that_are_too_large
ON_A_GPU = ("but a GPU solves at most", "A lives on", "works on a CPU only")


def texts_of_sources():
    """Yield the file and the constant text of each message that the solvers raise or warn of."""
    for path in sorted(Path(solvers.__file__).parent.rglob("*.py")):
        if path.parent.name == "cuda":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_warning = isinstance(node, ast.Call) and ast.unparse(node.func) == "warn_user"
            is_error = isinstance(node, ast.Call) and re.search(r"Error$", ast.unparse(node.func))
            if is_warning or is_error:
                text = "".join(one.value for one in ast.walk(node) if isinstance(one, ast.Constant)
                               and isinstance(one.value, str))  # fmt: skip
                yield path.name, text or ast.unparse(node)


def test_every_message_has_a_case():
    known = [fragment for fragment, _, _ in CASES] + [*FACTS, *ON_A_GPU, FACTORS]
    texts = list(texts_of_sources())
    assert len(texts) > 40
    unknown = [one for one in texts if not any(fragment in one[1] for fragment in known)]
    assert [one for one in unknown if one != ("right_sides.py", "warn_user(text, ConvergenceWarning)")
            and not one[1].startswith("ConvergenceWarning")] == []  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number][0])
def test_the_advice_leads_to_the_right_result(number):
    fragment, cause, follow = CASES[number]
    message = message_of(cause)
    assert fragment.strip() in message
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.ConvergenceWarning)
        assert follow(message), message


@pytest.mark.parametrize("matrix", [LARGER, WIND, ONE_SIDED, HOLE], ids=["indefinite", "wind", "one-sided", "hole"])
def test_advice_for_factors_that_are_too_large(matrix, monkeypatch):
    too_large(monkeypatch)
    b = NOISE if matrix is LARGER else B
    message = message_of(lambda: sg.solve(matrix, b))
    assert "method='direct'" in message
    assert said(matrix, b)(message)
    iterative = re.search(r"; (scipy\..*) takes less", message)
    assert (iterative is not None) == (matrix is WIND or matrix is ONE_SIDED)
    if iterative:
        x, failed = eval(iterative[1], {"scipy": scipy, "stablegraph": sg, "A": matrix, "b": B})
        assert (failed, solves(matrix, x, 1.0 * B)) == (0, True)
