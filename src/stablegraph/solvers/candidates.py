"""The methods among which `solve` chooses, and their work: finished, expected, and in total.

Result: a solution of A x = b, and the method that found it. The choice depends only on the matrix, the right-hand side
and the options, never on a clock or on the number of threads.

Rule: always advance the method with the smallest total work, which is that of its finished and expected iterations:

    direct      the work of the factorization, counted in advance (elimination_work.py)
    diagonal    conjugate gradients with the diagonal
    multigrid   conjugate gradients with a V-cycle, which start from the solution of those with the diagonal

An iterative method is first expected to need the setup and `_CYCLES` cycles of multigrid. Then it is expected to need
as many iterations as the mean decrease of its residual predicts, but at most `_PATIENCE` times the finished ones. In
the code: `Candidate.total`, and the loop of `select_and_solve`.

Idea: only the most promising method is advanced. If its residual stops decreasing, its expected work rises, and the
other methods continue from where they were. So a wrong prediction costs as much again, not a failure. Matrices of at
most `_SMALL` rows are factored at once if this takes less work than multigrid. For larger ones the count itself would
take longer than a fast method, so it waits until all methods are slow. The unit of work is an iteration of conjugate
gradients: e + 10 n multiplications for e entries and n rows, and the time of its calls. Work that is done once for all
right-hand sides is divided by their number.

Cost: usually at most twice the work of the best method; more if all methods are about equally good. Work memory: that
of all methods that were started.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Generator
from functools import cached_property
from typing import Any

import numpy as np

from .coarsest import SparseSolver
from .conjugate_gradients import ConjugateGradients, ConvergenceWarning, IterationMonitor, steps
from .elimination_work import elimination_work
from .linalg.vectors import Vector, accurate_residual, dot, multiply, norm

# Work of a factorization by SuperLU in multiplications, measured on one thread.
PER_MULTIPLICATION, PER_ENTRY, PER_ROW, PER_CALL = 0.2, 60.0, 400.0, 20_000.0
SETUP, CYCLE = 80.0, 9.0  # units: of a hierarchy, and of an iteration with a V-cycle
MAX_FACTOR_ENTRIES = 30_000_000  # about 0.7 GB for both factors
MAX_MULTIPLICATIONS = 1e11  # about a minute
_SMALL = 5_000  # rows: in larger systems, a factorization is counted only if the other methods are slow
_SLOW = 400.0  # units, for all right-hand sides together
_CYCLES, _SLOW_CYCLES = 10, 100  # iterations of multigrid for elliptic and for other equations
_ELLIPTIC = 0.05  # maximum Rayleigh quotient of a constant, see `_is_elliptic`
_ITERATION = 2.0  # units of an iteration with the diagonal: residuals decrease fast at first, then slowly
_PATIENCE = 10.0  # maximum of the expected iterations, as a multiple of the finished ones
_REFINEMENTS = 5
_MAX_COMPLEXITY = 4.0


def unit_of(A: Any) -> float:
    """Return the unit of work for a matrix, in multiplications."""
    return float(A.nnz + 10 * A.shape[0] + PER_CALL)


def work_of_factors(A: Any, limit: float, per_entry: float = PER_ENTRY) -> tuple[float, float]:
    """Return the work of a factorization in multiplications, and the entries of a factor.

    Both are infinite if the multiplications, or `per_entry` times the entries, exceed the limit.
    """
    limit = min(limit, MAX_MULTIPLICATIONS)
    work, entries = elimination_work(A, limit / PER_MULTIPLICATION, int(min(limit / per_entry, MAX_FACTOR_ENTRIES)))
    return PER_MULTIPLICATION * work + PER_ENTRY * entries + PER_ROW * A.shape[0], entries


class Candidate:
    """A method for one right-hand side."""

    def __init__(
        self,
        name: str,
        x: Vector,
        sizes: list[float],
        target: float,
        run: Generator[None, None, str | None],
        *,
        typical: float,
        work: float = 0.0,
        batch: int,
    ) -> None:
        """`run` improves x step by step, and returns why it missed its target, or None.

        `sizes` receives the norms of the residuals, beginning with that of b; `typical` is the expected work before a
        first batch of steps, and `work` that of a step.
        """
        self.name, self.x, self.sizes = name, x, sizes
        self.failure: str | None = None  # why it cannot continue
        self.error: Exception | None = None  # the cause of the failure, if it is an exception
        self._target, self._run, self._typical, self._work, self._batch = target, run, typical, work, batch

    @property
    def iterations(self) -> int:
        """The number of finished steps."""
        return max(len(self.sizes) - 1, 0)

    @property
    def residual(self) -> float:
        """The norm of the last residual."""
        return self.sizes[-1] if self.sizes else math.inf

    def total(self) -> float:
        """Return the finished and the expected work."""
        if self.iterations < self._batch:
            return self._typical
        first, best = self.sizes[0], min(self.sizes)
        needed = math.log(first / self._target) / math.log(first / best) if best < first else math.inf
        return self._work * self.iterations * min(needed, _PATIENCE)

    def advance(self) -> bool:
        """Make a batch of steps; return whether the solution is complete."""
        try:
            for _ in range(self._batch):
                next(self._run)
        except StopIteration as end:
            self.failure = end.value
            return self.failure is None
        except (np.linalg.LinAlgError, MemoryError, ValueError, RuntimeError) as error:
            self.failure, self.error = str(error).split("; ")[0], error  # without the advice
        return False


class Methods:
    """The methods for one matrix; their factors and hierarchies are kept for further right-hand sides."""

    def __init__(
        self,
        A: Any,
        make_hierarchy: Callable[[], Any],
        inverse: Vector,
        *,
        columns: int,
        is_symmetric: bool,
        advice: Callable[[], str],
    ) -> None:
        self.A, self._make_hierarchy, self._inverse, self._advice = A, make_hierarchy, inverse, advice
        self.columns, self.is_symmetric = columns, is_symmetric
        self._hierarchy: Any = None
        self._factors: SparseSolver | None = None
        self._direct_work, self._limit = math.inf, 0.0
        self.preferred: str | None = None  # the method that solved the previous system

    @cached_property
    def _is_elliptic(self) -> bool:
        """Whether A maps constants to nearly zero, on which multigrid relies: 1 . A 1 / 1 . D 1, with the diagonal D.

        The quotient is large for stiffness matrices that mix displacements and rotations: coarser levels do not help.
        """
        ones = np.ones_like(self._inverse)
        image = np.empty_like(ones)
        multiply(self.A, ones, image)
        return abs(dot(ones, image)) <= _ELLIPTIC * abs(dot(ones, 1 / self._inverse))

    def direct_work(self, limit: float) -> float:
        """Return the work of a direct solution in units; infinity if it is above `limit` or needs too much memory."""
        if self._direct_work == math.inf and limit > self._limit:
            unit = unit_of(self.A)
            self._limit = limit = 2.0 ** math.ceil(math.log2(limit))  # few counts, although limits grow slowly
            once, entries = work_of_factors(self.A, limit * unit * self.columns)
            pivoting = 1.0 if self.is_symmetric else 4.0  # two different factors, and more fill
            self._direct_work = pivoting * (once / self.columns + 4 * entries) / unit
        return self._direct_work

    def direct(self, b: Vector, target: float, work: float = 0.0) -> Candidate:
        """Return a sparse factorization with iterative refinement."""
        x, sizes = np.zeros_like(b), [norm(b)]

        def run() -> Generator[None, None, str | None]:
            if self._factors is None:
                self._factors = SparseSolver(self.A.tocsr())
            r, correction = b.copy(), np.empty_like(b)
            for _ in range(_REFINEMENTS):
                self._factors.solve(r, correction)
                better = x + correction
                accurate_residual(self.A, better, b, r)
                size = norm(r)
                if not size < sizes[-1]:
                    break
                x[:] = better
                sizes.append(size)
                if size <= target:
                    return None
                yield
            return "the matrix is nearly singular"

        return Candidate("direct", x, sizes, target, run(), typical=work, batch=_REFINEMENTS + 1)

    def diagonal(self, b: Vector, target: float, maxiter: int | None) -> Candidate:
        """Return conjugate gradients with the diagonal."""

        def precondition(r: Vector, z: Vector) -> None:
            np.multiply(self._inverse, r, out=z)

        limit = max(10_000, 20 * self.A.shape[0]) if maxiter is None else maxiter
        return self._iterative("diagonal", b, target, limit, lambda: precondition, _CYCLES, work=_ITERATION, batch=20)

    def multigrid(self, b: Vector, target: float, maxiter: int | None, other: Candidate | None = None) -> Candidate:
        """Return conjugate gradients with multigrid.

        If there is another method, they start from its solution, and dense hierarchies are refused.
        """

        def make() -> Callable[[Vector, Vector], None]:
            if self._hierarchy is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    self._hierarchy = self._make_hierarchy()
            hierarchy = self._hierarchy
            if hierarchy.operator_complexity > _MAX_COMPLEXITY and other is not None:
                complexity = f"the operator complexity is {hierarchy.operator_complexity:.1f}"
                raise ValueError(f"{complexity}: coarse levels are dense")
            return lambda r, z: hierarchy._precondition("V", r, z)

        limit = 500 if maxiter is None else maxiter
        cycles = _CYCLES if self._is_elliptic else _SLOW_CYCLES
        return self._iterative("multigrid", b, target, limit, make, cycles, work=CYCLE, batch=5, other=other)

    def _iterative(
        self,
        name: str,
        b: Vector,
        target: float,
        maxiter: int,
        make: Callable[[], Callable[[Vector, Vector], None]],
        cycles: int,
        *,
        work: float,
        batch: int,
        other: Candidate | None = None,
    ) -> Candidate:
        """Return conjugate gradients with a preconditioner that is made at the first step.

        They start from the solution of another method, if there is one. At first, the work of `cycles` is expected.
        """
        monitor, x = IterationMonitor(target, maxiter, self._advice), np.zeros_like(b)

        def run() -> Generator[None, None, str | None]:
            if other is not None and other.sizes and other.residual < other.sizes[0]:
                x[:] = other.x
            yield from steps(ConjugateGradients(self.A, b, x, make()), monitor)
            return monitor.why

        typical = SETUP / self.columns + cycles * CYCLE
        return Candidate(name, x, monitor.residuals, target, run(), typical=typical, work=work, batch=batch)


def select_and_solve(
    methods: Methods, b: Vector, target: float, maxiter: int | None
) -> tuple[Candidate | None, list[Candidate]]:
    """Return the method that solved the system, or the one with the smallest residual, and all started methods.

    Return None if no method could start.
    """
    usable: list[Candidate] = []
    if methods.is_symmetric:
        diagonal = methods.diagonal(b, target, maxiter)
        usable = [diagonal, methods.multigrid(b, target, maxiter, diagonal)]
    started: list[Candidate] = []
    may_factor = getattr(methods.A, "device", "cpu") == "cpu"
    if methods.preferred == "direct":
        usable.append(methods.direct(b, target))
        may_factor = False
    while True:
        preferred = [candidate for candidate in usable if candidate.name == methods.preferred]
        cheapest = min((candidate.total() for candidate in usable), default=math.inf)
        if may_factor and not preferred and (b.size <= _SMALL or cheapest * methods.columns > _SLOW):
            # A factorization is counted up to the work that the other methods are expected to need.
            work = methods.direct_work(min(cheapest, MAX_MULTIPLICATIONS))
            if work < math.inf:
                may_factor = False
                usable.append(methods.direct(b, target, work))
        if not usable:
            return min(started, key=lambda one: (one.error is not None, one.residual), default=None), started
        candidate = min(preferred or usable, key=lambda candidate: candidate.total())
        if candidate not in started:
            started.append(candidate)
        if candidate.advance():
            methods.preferred = candidate.name
            return candidate, started
        if candidate.failure is not None:
            usable.remove(candidate)
            if candidate.name == "diagonal" and candidate.error is not None:
                # The matrix is not positive definite: only a factorization is expected to solve the system.
                usable = [one for one in usable if one.name == "direct"]
