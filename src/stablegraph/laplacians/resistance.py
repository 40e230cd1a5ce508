"""Effective resistances between pairs of vertices: exact to a tolerance, or by random projections.

Result: for each pair (u, v), the voltage between u and v if a current of 1 flows from u to v and each edge is a
resistor of conductance w. Infinite for different components. The same bits for any number of threads.

Rule: with the Laplacian L of the graph, its pseudo-inverse L+, and the incidence matrix E (a row per edge),

    exact:          R(u, v) = (e_u - e_v)' L+ (e_u - e_v)
    approximate:    R(u, v) ~ |Z e_u - Z e_v|**2,    Z = Q W**(1/2) E L+,    entries of Q: +-1 / sqrt(k)

In the code: `_solutions` and `_projections`.

Idea: one vertex of each component is grounded (laplacian.py), so that one positive definite matrix serves all
right-hand sides: one per pair, or one per vertex that occurs in the pairs, whichever are fewer. For a pair, the result
x'b + x'r of the approximate solution x with the residual r has an error that is only quadratic in that of x. By the
lemma of Johnson and Lindenstrauss, k = 2 ln(200 m) / (e**2 / 2 - e**3 / 3) rows of Q suffice so that all m results have
a relative error of at most e, with a probability of 99 %.

If weights differ by more than a factor of 10^6, rounding errors of the diagonal of L may hide weak edges. To first
order they change a resistance by x'F x, where F has independent rounding errors of the degrees. Pairs for which this
matters are computed by elimination.py or, with more vertices, in weakly joined parts (contraction.py). Some approximate
results are compared with exact ones.

Cost: one solution per right-hand side, by the methods of `solve`. Work memory: three vectors, and that of the solver.

Source: D. Spielman, N. Srivastava, "Graph Sparsification by Effective Resistances", SIAM Journal on Computing 40(6),
2011; D. Achlioptas, "Database-friendly Random Projections", Journal of Computer and System Sciences 66(4), 2003, for
signs instead of normal numbers.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..solvers.conjugate_gradients import ConvergenceWarning
from ..solvers.linalg.vectors import residual
from ..solvers.right_sides import warn_of_residuals
from ..solvers.solve import System, solve_one
from . import elimination
from .block_vectors import random_columns
from .contraction import divide
from .embedding import smallest_value
from .laplacian import SMALL_SPREAD, Grounded, Laplacian, grounded

_FAILURE = 0.01  # the probability that any of the approximate results has a larger error
_SPARE = 0.1  # the part of the error that is left to the solver
_ACCURATE = 1e-8  # maximum estimate of the relative rounding error of a resistance that is not computed again
_COMPARED = 10  # approximate results that are compared with exact ones
_EPS = float(np.finfo(np.float64).eps)


class Potentials:
    """Solutions for currents into the vertices of a graph."""

    def __init__(self, ground: Grounded, columns: int, tol: float) -> None:
        self._ground, self._tol = ground, tol
        self._system = System(ground.matrix)
        self._methods = self._system.methods(columns)
        self._info: dict[str, Any] = {"eliminated": 0}
        self._residual = 0.0

    def solve(self, currents: Any) -> Any:
        """Return the potentials for currents (in the order of the matrix)."""
        x, outcome = solve_one(self._system, self._methods, currents.copy(), self._tol, None, self._info)
        self._residual = outcome.residual
        warn_of_residuals([outcome], self._tol)
        return x

    def rounding_error(self, x: Any) -> float:
        """Return an estimate of the absolute rounding error of x'L x for the last solution."""
        by_degrees = _EPS * float(np.linalg.norm(self._ground.matrix.diagonal() * x * x))
        return by_degrees if self._residual <= self._tol else math.inf

    def at(self, x: Any, vertices: Any) -> Any:
        """Return the potentials of vertices; 0 for grounded ones."""
        places = self._ground.places[vertices]
        return np.where(places >= 0, x[places], 0.0)

    def currents(self, u: int, v: int) -> Any:
        """Return a current of 1 into u, and out of v (unless it is negative)."""
        b = np.zeros(self._ground.matrix.shape[0])
        for vertex, current in ((u, 1.0), (v, -1.0)):
            if vertex >= 0 and self._ground.places[vertex] >= 0:
                b[self._ground.places[vertex]] += current
        return b


def required_projections(pairs: int, error: float) -> int:
    """Return the number of random projections for a maximum relative error of all pairs."""
    allowed = (1 - _SPARE) * error
    return math.ceil(2 * math.log(2 * max(pairs, 1) / _FAILURE) / (allowed**2 / 2 - allowed**3 / 3))


def exact_resistances(laplacian: Laplacian, u: Any, v: Any, tol: float) -> tuple[Any, Any]:
    """Return the resistances of distinct pairs, each in one component, and estimates of their relative errors."""
    if laplacian.spread > SMALL_SPREAD:
        return _solutions(laplacian, u, v, tol)[0], np.zeros(u.size)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            values, errors = _solutions(laplacian, u, v, tol)
    except (np.linalg.LinAlgError, ValueError):  # a weak edge is hidden, or a weight is too small to divide by
        values, errors = np.full(u.size, np.nan), np.full(u.size, np.inf)
    doubtful = np.flatnonzero(~(errors <= _ACCURATE))
    if doubtful.size:
        if laplacian.degrees.size > elimination.MAX_VERTICES:
            better, remaining = _of_parts(laplacian, u[doubtful], v[doubtful], tol)
        else:
            better, remaining = elimination.resistances(laplacian, u[doubtful], v[doubtful]), np.zeros(doubtful.size)
        improved = remaining < errors[doubtful]
        values[doubtful[improved]], errors[doubtful[improved]] = better[improved], remaining[improved]
    return values, errors


def _of_parts(laplacian: Laplacian, u: Any, v: Any, tol: float) -> tuple[Any, Any]:
    """Return the resistances of pairs in strongly joined parts, or between them, with their errors."""
    parts = divide(laplacian, np.ones(laplacian.degrees.size))
    values, errors = np.full(u.size, np.nan), np.full(u.size, np.inf)
    if parts is None:
        return values, errors
    same = parts.labels[u] == parts.labels[v]
    for graph, chosen, ends in ((parts.inner, same, (u, v)), (parts.outer, ~same, (parts.labels[u], parts.labels[v]))):
        if chosen.any():
            found, remaining = exact_resistances(graph, ends[0][chosen], ends[1][chosen], tol)
            values[chosen], errors[chosen] = np.ldexp(found, -graph.exponent), remaining
    return values, np.maximum(errors, parts.error(smallest_value(parts.inner)))


def _solutions(laplacian: Laplacian, u: Any, v: Any, tol: float) -> tuple[Any, Any]:
    """Return the resistances by linear systems, and estimates of their relative rounding errors."""
    vertices = np.unique(np.r_[u, v])
    result, errors = np.empty(u.size), np.empty(u.size)
    ground = grounded(laplacian)
    if u.size <= vertices.size:
        potentials = Potentials(ground, u.size, tol)
        r = np.empty(ground.matrix.shape[0])
        for i in range(u.size):
            b = potentials.currents(u[i], v[i])
            x = potentials.solve(b)
            residual(ground.matrix, x, b, r)
            result[i] = x @ b + x @ r
            errors[i] = potentials.rounding_error(x)
        return result, _relative(errors, result)
    potentials = Potentials(ground, vertices.size, tol)
    inverse = np.zeros(vertices.size)  # the diagonal entries of the inverse
    of_vertex = np.zeros(vertices.size)
    mixed = np.zeros(u.size)
    for place, vertex in enumerate(vertices):
        if ground.places[vertex] < 0:
            continue
        x = potentials.solve(potentials.currents(vertex, -1))
        inverse[place] = potentials.at(x, np.array([vertex]))[0]
        of_vertex[place] = potentials.rounding_error(x)
        starts = np.flatnonzero(u == vertex)
        mixed[starts] = potentials.at(x, v[starts])
    ends = np.searchsorted(vertices, u), np.searchsorted(vertices, v)
    result = inverse[ends[0]] + inverse[ends[1]] - 2 * mixed
    return result, _relative(2 * (of_vertex[ends[0]] + of_vertex[ends[1]]), result)


def _relative(errors: Any, values: Any) -> Any:
    return np.divide(errors, values, out=np.full(values.size, np.inf), where=values > 0)


def projected_resistances(
    laplacian: Laplacian, u: Any, v: Any, count: int, error: float, seed: int, tol: float
) -> tuple[Any, Any]:
    """Return approximate resistances of pairs, each in one component, by `count` random projections.

    If they are wrong because of rounding errors, they are replaced by exact ones, with estimates of their errors.
    """
    if laplacian.spread > SMALL_SPREAD:
        return _projections(laplacian, u, v, count, error, seed), np.zeros(u.size)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            result = _projections(laplacian, u, v, count, error, seed)
    except (np.linalg.LinAlgError, ValueError):
        return exact_resistances(laplacian, u, v, tol)
    compared = np.argsort(result)[np.linspace(0, u.size - 1, _COMPARED).astype(int)]
    expected, errors = exact_resistances(laplacian, u[compared], v[compared], tol)
    if (np.abs(result[compared] / expected - 1) <= error + errors).all():
        return result, np.full(u.size, errors.max())
    return exact_resistances(laplacian, u, v, tol)


def _projections(laplacian: Laplacian, u: Any, v: Any, count: int, error: float, seed: int) -> Any:
    ground = grounded(laplacian)
    potentials = Potentials(ground, count, min(1e-6, _SPARE * error * 1e-2))
    tails, heads, weights = laplacian.edges()
    roots, n = np.sqrt(weights), laplacian.degrees.size
    inside = ground.places >= 0
    result = np.zeros(u.size)
    for i in range(count):
        signed = np.where(random_columns(roots.size, 1, seed + i)[:, 0] < 0, -roots, roots)
        currents = np.bincount(tails, signed, n) - np.bincount(heads, signed, n)
        x = potentials.solve(currents[inside])
        result += (potentials.at(x, u) - potentials.at(x, v)) ** 2
    return result / count
