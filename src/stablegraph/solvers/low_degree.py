"""Elimination of unknowns with at most two neighbors, before a system is solved.

Result: a smaller symmetric (or Hermitian) system with the same solution for the remaining unknowns; the same bits for
any number of threads.

Rule: in each round eliminate a maximal independent set F of the unknowns with at most two neighbors, and keep C:

    A' = A_CC - A_CF D^-1 A_FC,    b' = b_C - A_CF D^-1 b_F,    x_F = D^-1 (b_F - A_FC x_C)

In the code: `_eliminated`, and `Elimination.reduce` and `recover`.

Idea: the equations of F contain no other unknown of F, so D is diagonal. An unknown with two neighbors adds at most the
edge between them, so the number of edges always decreases. Trees vanish, and chains shrink to edges: half of the
vertices of road and power networks disappear. The residual of a solution of A' x = b' is also that of the recovered
solution, because the equations of F hold exactly, up to rounding.

Cost: a few edge sweeps per round, on one thread for the product; rounds end if fewer than 5 % of the unknowns could be
eliminated. Work memory: that of the smaller matrix, and 24 bytes per eliminated unknown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.runtime import Array
from ..graph import Graph
from ..independent_set.api import maximal_independent_set
from .linalg.vectors import Vector

_MAX_NEIGHBORS = 2
_MIN_SHARE = 0.05  # of the unknowns, for another round
_WORTHWHILE = 0.1  # of the unknowns, for the first round
_MAX_ROUNDS = 40


class Round(NamedTuple):
    """The equations that one round eliminates."""

    eliminated: Array  # the ids of F
    kept: Array  # the ids of C
    inverse: Vector  # D^-1
    coupling: sp.csr_array  # A_FC
    coupling_to: sp.csr_array  # A_CF


class Elimination(NamedTuple):
    """The rounds, and the matrix that remains."""

    matrix: sp.csr_array
    rounds: list[Round]

    def reduce(self, b: Vector) -> Vector:
        """Return the right-hand side of the remaining system."""
        return self._sides(b)[-1]

    def recover(self, b: Vector, x: Vector) -> Vector:
        """Return the whole solution for the original right-hand side, from that of the remaining system."""
        sides = self._sides(b)[:-1]
        for step, side in zip(reversed(self.rounds), reversed(sides), strict=True):
            whole = np.empty_like(side)
            whole[step.kept] = x
            whole[step.eliminated] = step.inverse * (side[step.eliminated] - step.coupling @ x)
            x = whole
        return x

    def _sides(self, b: Vector) -> list[Vector]:
        """Return the right-hand sides before each round, and that of the remaining system."""
        sides = [b]
        for step in self.rounds:
            b = np.asarray(b[step.kept] - step.coupling_to @ (step.inverse * b[step.eliminated]))
            sides.append(b)
        return sides


def eliminate_low_degrees(A: Any) -> Elimination:
    """Eliminate unknowns with at most two neighbors from a symmetric or Hermitian csr_array with a full diagonal."""
    rounds: list[Round] = []
    share = _WORTHWHILE
    while len(rounds) < _MAX_ROUNDS and A.shape[0]:
        degrees = np.diff(A.indptr) - 1
        diagonal = A.diagonal()
        low = (degrees <= _MAX_NEIGHBORS) & (diagonal.real > 0)
        if np.count_nonzero(low) < share * low.size:
            break
        share = _MIN_SHARE
        graph = Graph._trusted(A.indptr, A.indices)
        chosen = maximal_independent_set(graph, exclude=np.flatnonzero(~low))
        smaller = _eliminated(A, chosen, diagonal, rounds)
        if smaller is None:
            break
        A = smaller
    return Elimination(A, rounds)


def _eliminated(A: Any, chosen: Any, diagonal: Vector, rounds: list[Round]) -> Any:
    """Return the matrix without the chosen unknowns, and append the round.

    Return None if |a_ij|**2 > a_ii a_jj: the matrix is not positive semidefinite, so an elimination may be inaccurate.
    """
    eliminated, kept = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    upper = A[kept]
    coupling_to, coupling = upper[:, eliminated], A[eliminated][:, kept]
    inverse = 1.0 / diagonal[eliminated]
    growth = np.abs(coupling.data) ** 2 * np.repeat(inverse.real, np.diff(coupling.indptr))
    if (growth > 1.001 * np.abs(diagonal[kept])[coupling.indices]).any():
        return None
    smaller = sp.csr_array(upper[:, kept] - coupling_to @ (sp.diags_array(inverse) @ coupling))
    smaller.sort_indices()
    rounds.append(Round(eliminated, kept, inverse, sp.csr_array(coupling), sp.csr_array(coupling_to)))
    return smaller
