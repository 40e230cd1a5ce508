"""Linear systems that are hard or impossible to solve: either the solver converges, or it warns or raises.

The residual of a solution is computed in rational numbers, without code of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from stablegraph._core import option_names as names

from .cases import Options, Targets, must
from .input_graphs import InputGraph

TARGETS = Targets()
_LARGEST = 1e300  # for larger values, `solve` reports that it cannot verify convergence
_SLACK = Fraction(1) + Fraction(1, 10**9)  # of norms, whose square roots are rounded


def _spd(rng: Any, n: int) -> np.ndarray:
    """Return a diagonally dominant matrix with a random pattern."""
    lower = np.tril(rng.random((n, n)) * (rng.random((n, n)) < 0.5), -1)
    off = -(lower + lower.T)
    return off + np.diag(rng.choice([0.01, 0.5, 3.0]) - off.sum(axis=1))


def _singular(rng: Any, n: int) -> np.ndarray:
    """Return a matrix whose rows sum to zero, as in a Neumann problem."""
    A = _spd(rng, n)
    np.fill_diagonal(A, 0)
    np.fill_diagonal(A, -A.sum(axis=1))
    return A


def _scaled(rng: Any, n: int, power: int = 6) -> np.ndarray:
    d = 10.0 ** rng.integers(-power, power + 1, n)
    return d[:, None] * _spd(rng, n) * d


def _random_symmetric(rng: Any, n: int) -> np.ndarray:
    A = rng.normal(size=(n, n))
    return A + A.T


def _with(value: float) -> Callable[[Any, int], np.ndarray]:
    """Return a generator of matrices in which some symmetric pairs of entries are this number."""

    def make(rng: Any, n: int) -> np.ndarray:
        A = _spd(rng, n)
        i, j = rng.integers(0, n, 2)
        A[i, j] = A[j, i] = value
        return A

    return make


def _hermitian(rng: Any, n: int) -> np.ndarray:
    phase = np.exp(1j * rng.random((n, n)))
    A = _spd(rng, n) * np.triu(phase, 1) + 0
    return A + A.conj().T + np.diag(np.diag(_spd(rng, n)) * n)


KINDS: dict[str, Callable[[Any, int], np.ndarray]] = {
    "positive definite": _spd,
    "singular": _singular,
    "nearly singular": lambda rng, n: _singular(rng, n) + 10.0 ** -rng.integers(8, 17) * np.eye(n),
    "indefinite": _random_symmetric,
    "indefinite, a little": lambda rng, n: _spd(rng, n) - np.diag(rng.random(n)),
    "unsymmetric": lambda rng, n: _spd(rng, n) + np.triu(rng.random((n, n)), 1) * 0.1,
    "unsymmetric pattern": lambda rng, n: np.triu(_spd(rng, n)),
    "badly scaled": _scaled,
    "terribly scaled": lambda rng, n: _scaled(rng, n, 100),
    "ill-conditioned": lambda rng, n: 1.0 / (1 + np.add.outer(np.arange(n), np.arange(n))),
    "one by one": lambda rng, n: np.array([[rng.choice([2.0, -1.0, 0.0, 5e-324, 1e-310, 1e308, np.inf, np.nan])]]),
    "diagonal": lambda rng, n: np.diag(10.0 ** rng.integers(-9, 9, n)),
    "zero": lambda rng, n: np.zeros((n, n)),
    "rank one": lambda rng, n: np.ones((n, n)),
    "negative definite": lambda rng, n: -_spd(rng, n),
    "denormal": lambda rng, n: _spd(rng, n) * 1e-310,
    "huge": lambda rng, n: _spd(rng, n) * 1e307,
    "tiny": lambda rng, n: _spd(rng, n) * 1e-300,
    "a denormal entry": _with(5e-324),
    "an infinite entry": _with(np.inf),
    "an entry that is NaN": _with(np.nan),
    "an entry of zero": _with(0.0),
    "Hermitian": _hermitian,
}
RIGHT_SIDES: dict[str, Callable[[Any, int], np.ndarray]] = {
    "usual": lambda rng, n: rng.normal(size=n),
    "zero": lambda rng, n: np.zeros(n),
    "one": lambda rng, n: np.eye(n)[0],
    "denormal": lambda rng, n: np.full(n, 5e-324),
    "small": lambda rng, n: rng.normal(size=n) * 1e-160,
    "huge": lambda rng, n: rng.normal(size=n) * 1e307,
    "apart": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-200, 200, n),
    "infinite": lambda rng, n: np.full(n, np.inf),
    "NaN": lambda rng, n: np.full(n, np.nan),
}


def system(kind: str, right: str, n: int, seed: int) -> tuple[Any, Any]:
    """Return a matrix and a right-hand side."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        A = KINDS[kind](rng, n)
        return sp.csr_array(A), RIGHT_SIDES[right](rng, A.shape[0])


def _draw(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {
        "kind": random.choice(list(KINDS)),
        "right": random.choice(["usual"] * 8 + list(RIGHT_SIDES)),
        "n": random.choice([1, 2, 3, 5, 9, 16, 24]),
        "seed": random.randint(0, 10**9),
        "tol": random.choice([1e-8, 1e-8, 1e-3, 1e-12, 1e-15]),
        "cycle": random.choice(get_args(names.Cycle)),
        "accel": random.choice(["cg", "cg", None]),
        "guess": random.choice([None, None, 0.0, 1.0, 1e200]),
        "smoother": random.choice(get_args(names.Smoother)),
        "coarse_size": random.choice([1, 3, 500]),
    }
    options["nullspace"] = 1.0 if options["kind"] == "singular" and random.random() < 0.5 else None
    return options


@TARGETS.of(
    "smoothed_aggregation of hard systems",
    _draw,
    code="import warnings\n\nfrom tests.fuzz.solvers import system\n\n"
    "A, b = system({kind}, {right}, {n}, {seed})\nn, messages, start = A.shape[0], [], {guess}\n"
    "A = A.tobsr((2, 2)) if n % 4 == 0 else A\n"
    "nullspace = None if {nullspace} is None else np.ones(n)\n"
    "with warnings.catch_warnings(record=True) as messages:\n    warnings.simplefilter('always')\n"
    "    try:\n"
    "        solver = sg.smoothed_aggregation(A, nullspace=nullspace, {options})\n"
    "        guess = None if start is None else np.full(n, start)\n"
    "        x = solver.solve(b, guess, tol={tol}, cycle={cycle}, accel={accel})\n"
    "    except (ValueError, TypeError, np.linalg.LinAlgError) as error:\n        x = None\n"
    "        messages = [str(error)]\n"
    "    else:\n        messages = [f'{one.category.__name__}: {one.message}' for one in messages]\n"
    "answer = x, messages, A.toarray(), b",
    stable=lambda options: False,  # texts have no checksum
)
def _check_honest(graph: Any, options: Options, answer: Any) -> None:
    x, reported, A, b = answer
    if x is None:
        must(
            reported[0] and "\n" not in reported[0].strip() and len(reported[0]) < 500, f"no sentence: {reported[0]!r}"
        )
        return
    reported = [
        one for one in reported if one.startswith("ConvergenceWarning: ")
    ]  # NumPy's warnings do not concern the answer
    must(np.isfinite(x).all() or reported, "a solution that is not finite, without a warning")
    if reported or np.abs(x).max(initial=0) > _LARGEST:
        return
    if options["nullspace"] is not None:  # the component of b in the null space is removed, with rounding
        b = b - b.mean()
        slack = Fraction(float(np.abs(b).sum())) * Fraction(1, 10**14) if b.size else Fraction(0)
    else:
        slack = Fraction(0)
    remaining, size = _norm_of_residual(A, x, b), _norm(list(map(complex, b)))
    limit = Fraction(options["tol"]) * size * _SLACK + slack
    must(
        remaining <= limit,
        f"the residual is {float(remaining / size) if size else remaining} times b, and no warning says so",
    )


def exact_residuals(A: Any, x: np.ndarray, b: np.ndarray) -> list[Fraction]:
    """Return |b - A x| / |b| for each right-hand side, 0 for b = 0 = A x, by rational numbers."""
    dense, n = A if isinstance(A, np.ndarray) else A.toarray(), A.shape[0]
    residuals = []
    for solution, right in zip(x.reshape(n, -1).T, b.reshape(n, -1).T, strict=True):
        size, remaining = _norm(list(map(complex, right))), _norm_of_residual(dense, solution, right)
        residuals.append(remaining / size if size else remaining)
    return residuals


def _draw_system(random: Random, input_graph: InputGraph) -> Options:
    drawn = _draw(random, input_graph)
    options = {name: drawn[name] for name in ("kind", "right", "n", "seed", "tol")}
    options["method"] = random.choice(["auto", "auto", *get_args(names.SolveMethod)])
    options["rows"] = random.choice([0, 20_000])  # the size classes of the choice
    options["nullspace"] = 1.0 if options["kind"] == "singular" and random.random() < 0.7 else None
    options["sign"] = random.choice([1, 1, -1])
    options["scale"] = random.choice([1.0, 1.0, 1e-300, 1e-150, 1e150, 1e300])
    return options


@TARGETS.of(
    "solve of hard systems",
    _draw_system,
    code="import warnings\nfrom unittest import mock\n\nfrom tests.fuzz.solvers import system\n\n"
    "A, b = system({kind}, {right}, {n}, {seed})\n"
    "with np.errstate(all='ignore'):\n    A = {sign} * A\n    b = b * {scale}\n"
    "nullspace = None if {nullspace} is None else np.ones({n})\n"
    "with warnings.catch_warnings(record=True) as messages, mock.patch(\n"
    "    'stablegraph.solvers.candidates._SMALL', {rows}\n"
    "):\n    warnings.simplefilter('always')\n"
    "    try:\n"
    "        x, info = sg.solve(A, b, nullspace=nullspace, tol={tol}, method={method}, return_info=True)\n"
    "    except (ValueError, TypeError, np.linalg.LinAlgError) as error:\n"
    "        x, info, messages = None, dict(), [str(error)]\n"
    "    else:\n        messages = [str(one.message) for one in messages if one.category is sg.ConvergenceWarning]\n"
    "answer = x, info, messages, A.toarray(), b",
    stable=lambda options: False,  # texts have no checksum
)
def _check_word(graph: Any, options: Options, answer: Any) -> None:
    x, info, reported, A, b = answer
    if x is None:
        must("\n" not in reported[0].strip() and len(reported[0]) < 500, f"no sentence: {reported[0]!r}")
        return
    must(bool(reported) == (not info["residual"] <= options["tol"]), "a warning that does not fit the residual")
    must(info["converged"] == (info["consistent_residual"] <= options["tol"]), "converged has another meaning")
    if np.isfinite(x).all() and np.isfinite(info["residual"]):
        (true,) = exact_residuals(A, x, b)
        error = abs(Fraction(info["residual"]) - true)
        must(error <= true / 10**6 + Fraction(1, 10**25), f"the residual is {float(true)}, not {info['residual']}")
    else:
        must(reported, "no finite residual, and no warning")


def _norm(values: list[complex]) -> Fraction:
    """Return a close upper bound of the Euclidean norm."""
    return _root(sum((Fraction(v.real) ** 2 + Fraction(v.imag) ** 2 for v in values), Fraction(0)))


def _root(square: Fraction) -> Fraction:
    """Return the square root, with a relative error of about 10**-15."""
    if not square:
        return Fraction(0)
    shift = (square.numerator.bit_length() - square.denominator.bit_length()) // 2 * 2
    scaled = square / Fraction(4) ** (shift // 2)
    return Fraction(float(scaled) ** 0.5) * Fraction(2) ** (shift // 2)


def _norm_of_residual(A: np.ndarray, x: np.ndarray, b: np.ndarray) -> Fraction:
    """Return the norm of b - A x in rational numbers."""
    square = Fraction(0)
    for row, right in zip(A, b, strict=True):
        pairs = [(complex(a), complex(v)) for a, v in zip(row, x, strict=True) if a]
        real = Fraction(complex(right).real) - sum(
            (Fraction(a.real) * Fraction(v.real) - Fraction(a.imag) * Fraction(v.imag) for a, v in pairs), Fraction(0)
        )
        imaginary = Fraction(complex(right).imag) - sum(
            (Fraction(a.real) * Fraction(v.imag) + Fraction(a.imag) * Fraction(v.real) for a, v in pairs), Fraction(0)
        )
        square += real**2 + imaginary**2
    return _root(square)
