"""Cycles through the levels of a hierarchy: smooth, solve for the residual on the coarser level, correct, smooth.

Result: x is a better solution of A x = b; the same bits for any number of threads.

Rule: on each level x is smoothed, then x = x + P e, where e is the result of the coarser level's cycle for R (b - A x),
then x is smoothed again. A V-cycle visits the coarser level once. A W-cycle visits it twice. An F-cycle visits it by an
F-cycle and then by a V-cycle. In the code: `VISITS` and `visit`.

Idea: the recursion runs on the host; all operations on vectors are parallel (kernels use one thread on small levels).

Cost: two smoothings and a product with A, P and R per visit. Work memory: one vector for the residual of each level,
two vectors for each coarser level. Concurrent callers take turns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from .coarsest import LARGEST_DENSE, DenseSolver, SparseSolver
from .linalg.vectors import Vector, add_product, multiply, residual

# The cycles by which the next level is visited.
VISITS = {"V": "V", "W": "WW", "F": "FV"}


class Smoother(Protocol):
    """Improves x for A x = b: `before` the visits of the coarser levels, and `after` them by the transpose."""

    def before(self, x: Vector, b: Vector, zero: bool) -> None: ...

    def after(self, x: Vector, b: Vector) -> None: ...

    def renewed(self, level: Any) -> Smoother:
        """Return the smoother of a level with other values in the same pattern; it shares this one's work memory."""


MakeSmoother = Callable[[Any], Smoother]  # of a level
MakeSmoothers = Callable[[Sequence[Any]], list[Smoother]]  # of all levels except the coarsest


class CoarsestSolver(Protocol):
    """Solves on the coarsest level."""

    def solve(self, b: Vector, x: Vector) -> None: ...


class SmoothedCoarseSolve:
    """Smoothing instead of a solve, for a coarsest level that is too large for a solver."""

    def __init__(self, smoother: Smoother) -> None:
        self.smoother = smoother

    def solve(self, b: Vector, x: Vector) -> None:
        """Solve A x = b roughly."""
        self.smoother.before(x, b, zero=True)
        self.smoother.after(x, b)


class Cycle:
    """The levels, with a smoother for each except the coarsest, and a solver for the coarsest."""

    def __init__(self, levels: Sequence[Any], smoothers: list[Smoother], coarsest: CoarsestSolver) -> None:
        self.levels, self.smoothers, self.coarsest = levels, smoothers, coarsest
        self._allocate()

    def _allocate(self) -> None:
        """Allocate work memory: vectors on the device and with the data type of the levels."""
        sizes, like = [level.A.shape[0] for level in self.levels], self.levels[0].inverse_diagonal
        self._residuals = [np.empty_like(like, shape=n) for n in sizes[:-1]]
        self._right_sides = [np.empty_like(like, shape=n) for n in sizes[1:]]
        self._corrections = [np.empty_like(like, shape=n) for n in sizes[1:]]
        self._turn = threading.Lock()

    def __getstate__(self) -> Any:  # for copies and pickles: without the work memory and the lock
        return self.levels, self.smoothers, self.coarsest

    def __setstate__(self, state: Any) -> None:
        self.levels, self.smoothers, self.coarsest = state
        self._allocate()

    def run(self, kind: str, x: Vector, b: Vector, zero: bool) -> None:
        """Run one cycle for A x = b from x; if `zero`, from zero, for any contents of x."""
        with self._turn:
            self.visit(0, kind, x, b, zero)

    def visit(self, depth: int, kind: str, x: Vector, b: Vector, zero: bool) -> None:
        """Run a cycle from a level to the coarsest. The caller ensures that only one thread does this at a time."""
        if depth == len(self.smoothers):
            self.coarsest.solve(b, x)
            return
        level, smoother = self.levels[depth], self.smoothers[depth]
        r, coarse_b, coarse_x = self._residuals[depth], self._right_sides[depth], self._corrections[depth]
        smoother.before(x, b, zero)
        residual(level.A, x, b, r)
        multiply(level.R, r, coarse_b)
        visits = VISITS[kind] if depth + 1 < len(self.smoothers) else kind  # one visit suffices for a direct solver
        for number, inner in enumerate(visits):
            self.visit(depth + 1, inner, coarse_x, coarse_b, zero=number == 0)
        add_product(level.P, coarse_x, x)
        smoother.after(x, b)


def make_cycle(
    levels: Sequence[Any], make_smoothers: MakeSmoothers, make_smoother: MakeSmoother, coarse_size: int
) -> Cycle:
    """Return the cycle of a hierarchy on a CPU; a coarsest level with more than `coarse_size` rows is only smoothed."""
    coarsest = levels[-1]
    smoothers = make_smoothers(levels[:-1])
    if coarsest.A.shape[0] <= LARGEST_DENSE:
        return Cycle(levels, smoothers, DenseSolver(coarsest.A))
    if coarsest.A.shape[0] <= coarse_size:
        return Cycle(levels, smoothers, SparseSolver(coarsest.A, "; a smaller coarse_size avoids it"))
    return Cycle(levels, smoothers, SmoothedCoarseSolve(make_smoother(coarsest)))  # too large for a solver
