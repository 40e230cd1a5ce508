"""Reported residuals are those of the system that was passed, for the returned solution, in exact arithmetic."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from tests.cli import invoking
from tests.fuzz.solvers import exact_residuals
from tests.support.cases import each

SIDE = 4
N = SIDE * SIDE
POISSON = gallery.laplacian((SIDE, SIDE))
NEUMANN = sp.csr_array(POISSON - sp.diags_array(POISSON @ np.ones(N)))
RNG = np.random.default_rng(3)
NOISE = RNG.standard_normal(N)
ONES = np.ones(N)
TURNS = sp.diags_array(np.exp(1j * np.arange(N)))
HERMITIAN = sp.csr_array(TURNS @ NEUMANN @ TURNS.conj())
CYCLE = sp.csr_array(sp.eye_array(N) - sp.csr_array((ONES, (np.arange(N), (np.arange(N) + 1) % N))))  # left null too
CHAIN = sp.csr_array(sp.diags_array(np.linspace(1, 2, N)) @ CYCLE)  # its left null space is another one

MATRICES = {  # with vectors that span the null space, and those of the transpose
    "definite": (POISSON, None),
    "float32": (POISSON.astype(np.float32) * np.float32(0.1), None),
    "integer": (POISSON.astype(np.int64), None),
    "badly scaled": (sp.csr_array(sp.diags_array(10.0 ** (np.arange(N) % 7)) @ POISSON
                                  @ sp.diags_array(10.0 ** (np.arange(N) % 7))), None),
    "tiny": (POISSON * 1e-300, None),
    "huge": (POISSON * 1e300, None),
    "singular": (NEUMANN, ONES),
    "singular and tiny": (NEUMANN * 1e-290, ONES),
    "two components": (sp.csr_array(sp.block_diag([NEUMANN, NEUMANN])), np.kron(np.eye(2), ONES).T),
    "negative": (-NEUMANN, ONES),
    "Hermitian": (HERMITIAN, TURNS.diagonal()),
    "unsymmetric, singular": (CYCLE, ONES),
    "unsymmetric, another left null space": (CHAIN, ONES),
}  # fmt: skip
RIGHT_SIDES = {
    "zero": lambda n: 0 * np.resize(NOISE, n),
    "noise": lambda n: np.resize(NOISE, n),
    "float32": lambda n: np.resize(NOISE, n).astype(np.float32),
    "balanced": lambda n: np.resize(NOISE - NOISE.mean(), n),
    "nearly balanced": lambda n: np.resize(NOISE - NOISE.mean(), n) + 1e-6,
    "constant": lambda n: np.full(n, 3.0),
    "1e-300": lambda n: np.resize(NOISE, n) * 1e-300,
    "1e300": lambda n: np.resize(NOISE, n) * 1e300,
    "apart": lambda n: np.resize(NOISE, n) * 10.0 ** (np.arange(n) % 600 - 300),
    "complex": lambda n: np.resize(NOISE, n) + 1e-200j * np.arange(n),
    "columns": lambda n: np.c_[np.resize(NOISE, n) * 1e-250, np.resize(NOISE - NOISE.mean(), n), np.zeros(n)],
    "complex columns": lambda n: np.c_[np.resize(NOISE, n), 1j * np.resize(NOISE - NOISE.mean(), n)],
}
TOL = 1e-8
MESSAGE = re.compile(r"residual is (\S+) times (?:column \d+ of )?b(?: and (\S+) times its consistent part)?")


def by_solve(method):
    def run(A, b, nullspace, messages):
        x, info = sg.solve(A, b, tol=TOL, nullspace=nullspace, method=method, return_info=True)
        return x, info

    return run


def by_hierarchy(**options):
    def run(A, b, nullspace, messages):
        x0 = options.pop("start", None)
        x = sg.smoothed_aggregation(A, nullspace=nullspace, coarse_size=9).solve(b, x0, tol=TOL, **options)
        return x, {}

    return run


WAYS = {
    "auto": by_solve("auto"),
    "direct": by_solve("direct"),
    "diagonal": by_solve("diagonal"),
    "multigrid": by_solve("multigrid"),
    "cycles and cg": by_hierarchy(),
    "cycles": by_hierarchy(accel=None),
    "few cycles": by_hierarchy(maxiter=2),
}


def projected(b, nullspace):
    """Return the part of b that is orthogonal to the null space."""
    basis = np.linalg.qr(np.asarray(nullspace).reshape(len(b), -1))[0]
    for _ in range(2):
        b = b - basis @ (basis.conj().T @ b)
    return b


def has_true_residuals(matrix, right, way):
    """Check the residuals of an answer, and return whether there is one."""
    A, nullspace = MATRICES[matrix]
    b = RIGHT_SIDES[right](A.shape[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            x, info = WAYS[way](A, b, nullspace, caught)
        except (np.linalg.LinAlgError, ValueError):
            return False
    messages = [str(one.message) for one in caught if issubclass(one.category, sg.ConvergenceWarning)]
    true = float(max(exact_residuals(A, x, b)))
    if not messages:
        assert true <= TOL * (1 + 1e-12), way
    found = [MESSAGE.search(message) for message in messages]
    assert all(found), messages
    if messages:
        assert max(float(one[1]) for one in found) == pytest.approx(true, rel=0.01), (way, messages)
        assert true > TOL
    if not info:
        return True
    assert info["residual"] == pytest.approx(true, rel=1e-6, abs=1e-30), way
    assert info["converged"] == (info["consistent_residual"] <= TOL)
    assert bool(messages) == (info["residual"] > TOL)
    if nullspace is not None and matrix not in ("unsymmetric, another left null space",) and "1e" not in right:
        if right not in ("constant", "zero", "columns", "complex", "complex columns"):
            consistent = float(max(exact_residuals(A, x, projected(b, nullspace))))
            assert info["consistent_residual"] == pytest.approx(consistent, rel=1e-3, abs=1e-12), way
        inconsistent = [message for message in messages if message.startswith("inconsistent system")]
        assert bool(inconsistent) == (info["converged"] and info["residual"] > TOL)
    return True


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@each(pairs=True, matrix=MATRICES, right=RIGHT_SIDES, way=WAYS)
def test_residuals_are_true(matrix, right, way):
    has_true_residuals(matrix, right, way)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@each(matrix=MATRICES, right=RIGHT_SIDES)
def test_residuals_of_all_ways_are_true(matrix, right):
    answered = sum(has_true_residuals(matrix, right, way) for way in WAYS)
    assert answered >= 2 or (matrix, right) in [("tiny", "1e300"), ("singular and tiny", "1e300")]  # 1e600 is no number


COMMANDS = {
    "solve": (),
    "direct": ("--method", "direct"),
    "diagonal": ("--method", "diagonal"),
    "multigrid": ("--method", "multigrid"),
    "hierarchy": ("--cycle", "W"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_reports_true_residuals(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scipy.io.mmwrite("N.mtx", NEUMANN.tocoo(), symmetry="symmetric")
    np.save("b.npy", NOISE + 0.5)
    printed = invoking.run("solve", "N.mtx", "b.npy", "--floating", "--json", "-o", "x.npy", *COMMANDS[command])
    output = json.loads(printed.stdout)
    (true,) = exact_residuals(NEUMANN, np.load("x.npy"), NOISE + 0.5)
    assert output["residual"] == pytest.approx(float(true), rel=1e-6)
    assert output["converged"]
    assert output["consistent_residual"] <= TOL
    result = invoking.run("solve", "N.mtx", "b.npy", "--floating", *COMMANDS[command])
    assert result.exit_code == 0
    assert f"residual {float(true):.2e} times b, " in result.stdout
    assert "stablegraph: warning: inconsistent system: the mean of b was removed" in result.stderr
    # The random right-hand side is consistent.
    result = invoking.run("solve", "N.mtx", "--floating", *COMMANDS[command])
    assert (result.exit_code, result.stderr) == (0, "")
    # The exit code follows the consistent part.
    result = invoking.run("solve", "N.mtx", "b.npy", "--floating", "--method", "diagonal", "--maxiter", 1)
    assert result.exit_code == 4
    assert "times its consistent part, and not 1e-08" in result.stdout
