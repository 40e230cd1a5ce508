"""Effective resistances between pairs of vertices: exact to a tolerance, or by random projections.

Result: for each pair (u, v), the voltage between u and v if a current of 1 flows from u to v and each edge is a
resistor of conductance w. Infinite for different components. The same bits for any number of threads.

Rule: with the Laplacian L of the graph, its pseudo-inverse L+, and the incidence matrix E (a row per edge),

    exact:          R(u, v) = (e_u - e_v)' L+ (e_u - e_v)
    approximate:    R(u, v) ~ |Z e_u - Z e_v|**2,    Z = Q W**(1/2) E L+,    entries of Q: +-1 / sqrt(k)

In the code: `exact_resistances` and `projected_resistances`.

Idea: one vertex of each component is grounded (laplacian.py), so that one positive definite matrix serves all
right-hand sides: one per pair, or one per vertex that occurs in the pairs, whichever are fewer. For a pair, the result
x'b + x'r of the approximate solution x with the residual r has an error that is only quadratic in that of x. By the
lemma of Johnson and Lindenstrauss, k = 2 ln(200 m) / (e**2 / 2 - e**3 / 3) rows of Q suffice so that all m results have
a relative error of at most e, with a probability of 99 %.

Cost: one solution per right-hand side, by the methods of `solve`. Work memory: three vectors, and that of the solver.

Source: D. Spielman, N. Srivastava, "Graph Sparsification by Effective Resistances", SIAM Journal on Computing 40(6),
2011; D. Achlioptas, "Database-friendly Random Projections", Journal of Computer and System Sciences 66(4), 2003, for
signs instead of normal numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..solvers.linalg.vectors import residual
from ..solvers.right_sides import warn_of_residuals
from ..solvers.solve import System, solve_one
from .block_vectors import random_columns
from .laplacian import Grounded, Laplacian, grounded

_FAILURE = 0.01  # the probability that any of the approximate results has a larger error
_SPARE = 0.1  # the part of the error that is left to the solver


class Potentials:
    """Solutions for currents into the vertices of a graph."""

    def __init__(self, ground: Grounded, columns: int, tol: float) -> None:
        self._ground, self._tol = ground, tol
        self._system = System(ground.matrix)
        self._methods = self._system.methods(columns)
        self._info: dict[str, Any] = {"eliminated": 0}

    def solve(self, currents: Any) -> Any:
        """Return the potentials for currents (in the order of the matrix)."""
        x, outcome = solve_one(self._system, self._methods, currents.copy(), self._tol, None, self._info)
        warn_of_residuals([outcome], self._tol)
        return x

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


def exact_resistances(laplacian: Laplacian, u: Any, v: Any, tol: float) -> Any:
    """Return the resistances of distinct pairs, each in one component."""
    vertices = np.unique(np.r_[u, v])
    result = np.empty(u.size)
    ground = grounded(laplacian)
    if u.size <= vertices.size:
        potentials = Potentials(ground, u.size, tol)
        r = np.empty(ground.matrix.shape[0])
        for i in range(u.size):
            b = potentials.currents(u[i], v[i])
            x = potentials.solve(b)
            residual(ground.matrix, x, b, r)
            result[i] = x @ b + x @ r
        return result
    potentials = Potentials(ground, vertices.size, tol)
    inverse = np.zeros(vertices.size)  # the diagonal entries of the inverse
    mixed = np.zeros(u.size)
    for place, vertex in enumerate(vertices):
        if ground.places[vertex] < 0:
            continue
        x = potentials.solve(potentials.currents(vertex, -1))
        inverse[place] = potentials.at(x, np.array([vertex]))[0]
        starts = np.flatnonzero(u == vertex)
        mixed[starts] = potentials.at(x, v[starts])
    ends = np.searchsorted(vertices, u), np.searchsorted(vertices, v)
    return inverse[ends[0]] + inverse[ends[1]] - 2 * mixed


def projected_resistances(laplacian: Laplacian, u: Any, v: Any, count: int, error: float, seed: int) -> Any:
    """Return approximate resistances of pairs, each in one component, by `count` random projections."""
    ground = grounded(laplacian)
    potentials = Potentials(ground, count, min(1e-6, _SPARE * error * 1e-2))
    W = laplacian.matrix.tocoo()
    upper = W.coords[0] < W.coords[1]
    tails, heads = (ends[upper] for ends in W.coords)
    roots, n = np.sqrt(-W.data[upper]), laplacian.degrees.size
    inside = ground.places >= 0
    result = np.zeros(u.size)
    for i in range(count):
        signed = np.where(random_columns(roots.size, 1, seed + i)[:, 0] < 0, -roots, roots)
        currents = np.bincount(tails, signed, n) - np.bincount(heads, signed, n)
        x = potentials.solve(currents[inside])
        result += (potentials.at(x, u) - potentials.at(x, v)) ** 2
    return result / count
