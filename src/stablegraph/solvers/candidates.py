"""The methods among which `solve` chooses, and their work: finished, expected, and in total.

Result: a solution of A x = b, and the method that found it. The choice depends only on the matrix, the right-hand side
and the options, never on a clock or on the number of threads.

Rule: always advance the method with the smallest total work, which is that of its finished and expected iterations:

    direct      the work of the factorization, counted in advance (elimination_work.py)
    diagonal    conjugate gradients with the diagonal: as many iterations as the decrease of the residual predicts, but
                at most as many as were made
    multigrid   before its setup a typical number of iterations; then as many as the residual predicts

In the code: `Iterative.total`, `Direct.total`, and the loop of `select_and_solve`.

Idea: only the most promising method is advanced. If its residual stops decreasing, its expected work rises, and the
other methods continue from where they were. So a wrong prediction costs as much again, not a failure. The unit of work
is an iteration of conjugate gradients: e + 10 n multiplications for e entries and n rows, and the time of its calls.
Work that is done once for all right-hand sides is divided by their number.

Cost: usually at most twice the work of the best method; more if all methods are about equally good. Work memory: that
of all methods that were started.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .coarsest import SparseSolver
from .conjugate_gradients import ConjugateGradients, ConvergenceWarning, IterationMonitor, steps
from .elimination_work import elimination_work
from .linalg.vectors import Vector, accurate_residual, dot, multiply, norm

# Work in multiplications, measured on one thread. Calls: of an iteration, a setup, and a cycle.
PER_MULTIPLICATION, PER_ENTRY, PER_ROW = 0.2, 60.0, 400.0  # of a factorization by SuperLU
CALLS, SETUP_CALLS, CYCLE_CALLS = 20_000.0, 7_000_000.0, 200_000.0
SETUP, CYCLE = 80.0, 5.5  # of a hierarchy, and of a cycle per operator complexity, in iterations
TYPICAL_CYCLES, TYPICAL_COMPLEXITY = 10, 1.4
DOUBTFUL_CYCLES = 100
PROMISING, DOUBTFUL = 0.05, 0.3  # Rayleigh quotients of a constant, see `constant_quotient`
MAX_FACTOR_ENTRIES = 30_000_000  # about 0.7 GB for both factors
MAX_MULTIPLICATIONS = 1e11  # about a minute
CHEAP = 160.0  # units: a factorization of at most this work is not compared with other methods
_SMALL = 20_000  # rows: in larger systems, a factorization is counted only if the other methods are slow
_SLOW = 400.0  # units, for all right-hand sides together
_CERTAIN = 0.6  # a factorization may cost more than other methods are expected to, unless multigrid is promising
_ERRATIC = 3.0  # maximum expected work of an erratic method, as a multiple of the finished work
_NO_PROGRESS = 10.0  # expected work, as a multiple of the finished work
_REFINEMENTS = 5
_MAX_COMPLEXITY = 4.0


def unit_of(A: Any) -> float:
    """Return the unit of work for a matrix, in multiplications."""
    return float(A.nnz + 10 * A.shape[0] + CALLS)


def work_of_cycle(unit: float) -> float:
    """Return the expected work of a multigrid cycle, in units."""
    return CYCLE * TYPICAL_COMPLEXITY + CYCLE_CALLS / unit


def work_of_factors(A: Any, limit: float, per_entry: float = PER_ENTRY) -> tuple[float, float]:
    """Return the work of a factorization in multiplications, and the entries of a factor.

    Both are infinite if the multiplications, or `per_entry` times the entries, exceed the limit.
    """
    limit = min(limit, MAX_MULTIPLICATIONS)
    work, entries = elimination_work(A, limit / PER_MULTIPLICATION, int(min(limit / per_entry, MAX_FACTOR_ENTRIES)))
    return PER_MULTIPLICATION * work + PER_ENTRY * entries + PER_ROW * A.shape[0], entries


class Candidate(Protocol):
    """A method for one right-hand side."""

    name: str
    failure: str | None  # why it cannot continue
    error: Exception | None  # the cause of the failure, if it is an exception

    def total(self) -> float:
        """Return the finished and the expected work."""

    def advance(self) -> bool:
        """Work for a while; return whether the solution is complete."""

    def solution(self) -> Vector: ...

    def residual(self) -> float:
        """Return the norm of the last residual."""

    def iterations(self) -> int: ...

    def residuals(self) -> list[float]:
        """Return the norms of all residuals, beginning with that of b."""


class Iterative:
    """Conjugate gradients with a preconditioner that is made at the first step."""

    def __init__(
        self,
        name: str,
        A: Any,
        b: Vector,
        x: Vector,
        monitor: IterationMonitor,
        make: Callable[[], tuple[Callable[[Vector, Vector], None], float]],
        *,
        setup: float,
        typical: float,
        batch: int,
        is_erratic: bool,
    ) -> None:
        """`make` returns the preconditioner and the work of an iteration; `typical` is the work to expect at first."""
        self.name = name
        self.failure: str | None = None
        self.error: Exception | None = None
        self._A, self._b, self._x, self._monitor, self._make = A, b, x, monitor, make
        self._setup, self._typical, self._batch, self._is_erratic = setup, typical, batch, is_erratic
        self._iteration_work = 0.0
        self._pauses: Iterator[None] | None = None

    def total(self) -> float:
        sizes = self._monitor.residuals
        if len(sizes) <= self._batch:
            return self._setup + self._typical
        finished = (len(sizes) - 1) * self._iteration_work  # without the setup, which is not needed again
        last, earlier = min(sizes[-self._batch :]), min(sizes[: -self._batch])
        expected = _NO_PROGRESS * finished
        if last < earlier:
            count = self._batch * math.log(max(last / self._monitor.target, 1.0)) / math.log(earlier / last)
            expected = min(expected, count * self._iteration_work)
        return finished + (min(expected, _ERRATIC * finished) if self._is_erratic else expected)

    def advance(self) -> bool:
        try:
            if self._pauses is None:
                precondition, self._iteration_work = self._make()
                self._pauses = steps(ConjugateGradients(self._A, self._b, self._x, precondition), self._monitor)
            for _ in range(self._batch):
                if next(self._pauses, self) is self:
                    self.failure = self._monitor.why
                    return self.failure is None
        except (np.linalg.LinAlgError, MemoryError, ValueError) as error:
            self.failure, self.error = str(error).split("; ")[0], error  # without the advice
        return False

    def solution(self) -> Vector:
        return self._x

    def residual(self) -> float:
        return self._monitor.size

    def iterations(self) -> int:
        return max(self._monitor.iterations, 0)

    def residuals(self) -> list[float]:
        return self._monitor.residuals


class Direct:
    """A sparse factorization, with iterative refinement."""

    name = "direct"

    def __init__(self, A: Any, b: Vector, target: float, work: float, factors: Callable[[], SparseSolver]) -> None:
        self.failure: str | None = None
        self.error: Exception | None = None
        self._A, self._b, self._target, self._work, self._factors = A, b, target, work, factors
        self._x = np.zeros_like(b)
        self._sizes = [norm(b)]

    def total(self) -> float:
        return self._work

    def advance(self) -> bool:
        try:
            factors = self._factors()
        except (np.linalg.LinAlgError, MemoryError, RuntimeError) as error:
            self.failure, self.error = str(error), error
            return False
        r, correction = self._b.copy(), np.empty_like(self._b)
        for _ in range(_REFINEMENTS):
            factors.solve(r, correction)
            better = self._x + correction
            accurate_residual(self._A, better, self._b, r)
            size = norm(r)
            if not size < self._sizes[-1]:
                break
            self._x = better
            self._sizes.append(size)
            if size <= self._target:
                return True
        self.failure = "the matrix is nearly singular"
        return False

    def solution(self) -> Vector:
        return self._x

    def residual(self) -> float:
        return self._sizes[-1]

    def iterations(self) -> int:
        return len(self._sizes) - 1

    def residuals(self) -> list[float]:
        return self._sizes


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
        has_modes: bool,
        advice: Callable[[], str],
    ) -> None:
        self._advice = advice
        self.A, self._make_hierarchy, self._inverse = A, make_hierarchy, inverse
        self.columns, self.is_symmetric, self._has_modes = columns, is_symmetric, has_modes
        self.unit = unit_of(A)
        self._hierarchy: Any = None
        self._factors: SparseSolver | None = None
        self._direct_work: float | None = None
        self._limit = 0.0
        self.preferred: str | None = None  # the method that solved the previous system
        self.factor_entries = math.inf

    @cached_property
    def constant_quotient(self) -> float:
        """The Rayleigh quotient 1 . A 1 / 1 . D 1 of the constant vector, where D is the diagonal; 0 with modes.

        Multigrid relies on vectors that A maps to nearly zero, which by default are constants. The quotient is small
        for elliptic equations. If it is large, as for stiffness matrices that mix displacements and rotations, the
        coarser levels do not help.
        """
        if self._has_modes or not self.is_symmetric:
            return 0.0
        ones = np.ones_like(self._inverse)
        image = np.empty_like(ones)
        multiply(self.A, ones, image)
        return abs(dot(ones, image) / dot(ones, 1 / self._inverse))

    def direct_work(self, limit: float) -> float:
        """Return the work of a direct solution in units; infinity if it is above `limit` or needs too much memory."""
        if (self._direct_work is None or self._direct_work == math.inf) and limit > self._limit:
            self._limit = limit = 2.0 ** math.ceil(math.log2(limit))  # few counts, although limits grow slowly
            once, self.factor_entries = work_of_factors(self.A, limit * self.unit * self.columns)
            pivoting = (
                1.0 if self.is_symmetric else 4.0
            )  # unsymmetric matrices have two different factors, and more fill
            self._direct_work = pivoting * (once / self.columns + 4 * self.factor_entries) / self.unit
        return math.inf if self._direct_work is None else self._direct_work

    def factors(self) -> SparseSolver:
        """Return the factors of the matrix."""
        if self._factors is None:
            self._factors = SparseSolver(self.A.tocsr())
        return self._factors

    def hierarchy(self) -> Any:
        """Return the multigrid hierarchy."""
        if self._hierarchy is None:
            self._hierarchy = self._make_hierarchy()
        return self._hierarchy

    def direct(self, b: Vector, target: float, work: float) -> Direct:
        """Return the direct method."""
        risk = 1.0 if self.constant_quotient < PROMISING else _CERTAIN
        return Direct(self.A, b, target, risk * work, self.factors)

    def diagonal(self, b: Vector, target: float, maxiter: int | None) -> Iterative:
        """Return conjugate gradients with the diagonal."""

        def precondition(r: Vector, z: Vector) -> None:
            np.multiply(self._inverse, r, out=z)

        monitor = IterationMonitor(
            target, max(10_000, 20 * self.A.shape[0]) if maxiter is None else maxiter, self._advice
        )
        return Iterative(
            "diagonal", self.A, b, np.zeros_like(b), monitor, lambda: (precondition, 1.0),
            setup=0.0, typical=0.0, batch=25, is_erratic=True,
        )  # fmt: skip

    def multigrid(self, b: Vector, target: float, maxiter: int | None, *, forced: bool = False) -> Iterative:
        """Return conjugate gradients with multigrid; unless `forced`, dense hierarchies are refused."""
        calls = CYCLE_CALLS / self.unit
        cycles = TYPICAL_CYCLES if self.constant_quotient < DOUBTFUL else DOUBTFUL_CYCLES
        cycle_work = work_of_cycle(self.unit) + 1

        def make() -> tuple[Callable[[Vector, Vector], None], float]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                hierarchy = self.hierarchy()
            complexity = hierarchy.operator_complexity
            if complexity > _MAX_COMPLEXITY and not forced:
                raise ValueError(f"the operator complexity is {complexity:.1f}: coarse levels are dense")
            return (lambda r, z: hierarchy._precondition("V", r, z)), CYCLE * complexity + calls + 1

        monitor = IterationMonitor(target, 500 if maxiter is None else maxiter, self._advice)
        setup = 0.0 if self._hierarchy is not None else (SETUP + SETUP_CALLS / self.unit) / self.columns
        return Iterative(
            "multigrid", self.A, b, np.zeros_like(b), monitor, make,
            setup=setup, typical=cycles * cycle_work, batch=5, is_erratic=False,
        )  # fmt: skip


def select_and_solve(
    methods: Methods, b: Vector, target: float, maxiter: int | None
) -> tuple[Candidate, list[Candidate]]:
    """Return the method that solved the system, or the one with the smallest residual, and all started methods.

    The list is empty if no method could start.
    """
    usable: list[Candidate] = []
    if methods.is_symmetric:
        usable = [methods.diagonal(b, target, maxiter), methods.multigrid(b, target, maxiter)]
    started: list[Candidate] = []
    may_factor = getattr(methods.A, "device", "cpu") == "cpu"
    if methods.preferred == "direct":
        usable.append(methods.direct(b, target, 0.0))
        may_factor = False
    for candidate in usable:
        if candidate.name == methods.preferred:
            started.append(candidate)
            while candidate.failure is None:
                if candidate.advance():
                    return candidate, started
    while True:
        # A factorization is counted up to the work that the other methods are expected to need. If conjugate gradients
        # with the diagonal show that the matrix is not definite, no other method is expected to solve the system.
        is_indefinite = any(
            candidate.name == "diagonal" and isinstance(candidate.error, np.linalg.LinAlgError) for candidate in started
        )
        cheapest = math.inf if is_indefinite else min((candidate.total() for candidate in usable), default=math.inf)
        if may_factor and (b.size <= _SMALL or cheapest * methods.columns > _SLOW):
            work = methods.direct_work(min(max(cheapest, CHEAP), MAX_MULTIPLICATIONS))
            if work < math.inf:
                may_factor = False
                usable.insert(
                    0 if work <= CHEAP else len(usable), methods.direct(b, target, 0.0 if work <= CHEAP else work)
                )
        usable = [
            candidate
            for candidate in usable
            if candidate.failure is None and (may_factor or not is_indefinite or candidate.name == "direct")
        ]
        if not usable:
            return min(
                started,
                key=lambda candidate: (candidate.error is not None, candidate.residual()),
                default=methods.direct(b, target, 0),
            ), started
        candidate = min(usable, key=lambda candidate: candidate.total())
        if candidate not in started:
            started.append(candidate)
        if candidate.advance():
            methods.preferred = candidate.name
            return candidate, started
