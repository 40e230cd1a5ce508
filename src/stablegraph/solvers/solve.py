"""One call that solves a sparse linear system by the method that suits it: the public function `solve`.

candidates.py chooses among the methods, and low_degree.py makes the system smaller first.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any, Literal, TypedDict, Unpack, get_args, overload

import numpy as np

from .._core import option_names as names
from .._core.typing import ArrayLike, GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice, integer, number
from .api import hierarchy_of
from .candidates import Candidate, Methods, select_and_solve
from .checked_matrix import asymmetry, checked_matrix, given_matrix
from .inputs import (
    Nullspace,
    apparent_block_size,
    block_size_of,
    call_of_solve,
    checked_vectors,
    krylov_call,
    missing_nullspace,
    nullspace_columns,
)
from .linalg.vectors import Vector, norm
from .low_degree import Elimination, eliminate_low_degrees
from .polynomial import chebyshev
from .right_sides import HIDDEN, Outcome, RightSide, largest_residuals, solve_columns, warn_of_residuals

__all__ = ["solve"]

_LOGGER = logging.getLogger("stablegraph.solvers")
_TOL = 1e-8  # of calls in messages
_MIN_ROWS = 5000  # an elimination of low degrees costs more than it saves in smaller systems
_CLOSER = 1 - 1e-6  # target of methods, since the residual of the whole system differs by rounding errors


class _SolveOptions(TypedDict, total=False):
    tol: float
    method: names.SolveMethod
    maxiter: int | None
    B: ArrayLike | None
    block_size: int | None
    nullspace: ArrayLike | None


@overload
def solve(A: GraphLike, b: Any, *, return_info: Literal[False] = False, **options: Unpack[_SolveOptions]) -> Vector: ...


@overload
def solve(
    A: GraphLike, b: Any, *, return_info: Literal[True], **options: Unpack[_SolveOptions]
) -> tuple[Vector, dict[str, Any]]: ...


@overload
def solve(
    A: GraphLike, b: Any, *, return_info: bool, **options: Unpack[_SolveOptions]
) -> Vector | tuple[Vector, dict[str, Any]]: ...


@suggests_options
def solve(
    A: GraphLike,
    b: Any,
    *,
    tol: float = 1e-8,
    method: names.SolveMethod = "auto",
    maxiter: int | None = None,
    B: ArrayLike | None = None,
    block_size: int | None = None,
    nullspace: ArrayLike | None = None,
    return_info: bool = False,
) -> Vector | tuple[Vector, dict[str, Any]]:
    """Solve a sparse linear system A x = b by the method that suits the matrix.

    >>> import numpy as np, stablegraph as sg
    >>> sg.solve(sg.gallery.laplacian((3,)), np.ones(3)).round(3)
    array([1.5, 2. , 1.5])

    A factorization is used if counting shows that it is cheap. Otherwise conjugate gradients with the diagonal start,
    and multigrid continues if they are slow. If both are slow, the system is factored, or the faster one continues.

    Parameters
    ----------
    A : sparse array or matrix (n, n), dense array, or Graph with weights
        Real symmetric or complex Hermitian, and positive or negative (semi)definite. Other systems are solved by a
        factorization, if "auto" expects at most 30 million entries per factor and about a minute. A CuPy matrix selects
        the iterative methods on its GPU, which need a positive definite matrix.
    b : float or complex array (n,) or (n, k)
        One right-hand side, or several as columns. If b is complex and A real, the real and the imaginary part are
        solved separately.
    tol : float
        The maximum Euclidean norm of b - A x, relative to the norm of b; with `nullspace`, of c - A x relative to c,
        where c is the consistent part of b.
    method : {"auto", "multigrid", "diagonal", "direct"}
        - "auto": the choice described above;
        - "multigrid": conjugate gradients with a V-cycle of `smoothed_aggregation`;
        - "diagonal": conjugate gradients with the inverse of the diagonal as preconditioner;
        - "direct": a sparse factorization (SciPy's SuperLU) with iterative refinement.
    maxiter : int, optional
        The maximum number of iterations of each iterative method. By default 500 for multigrid, and 20 n, but at least
        10,000, for the diagonal.
    B : float array (n,) or (n, k), optional
        The near-nullspace for multigrid, such as the rigid-body modes of elasticity.
    block_size : int, optional
        The number of unknowns per node for multigrid, see `smoothed_aggregation`.
    nullspace : float array (n,) or (n, k), optional
        Vectors that span the null space of a singular matrix. Right-hand sides and solutions are projected on its
        orthogonal complement. For right-hand sides this gives their consistent part, for which the system has a
        solution. (For an unsymmetric matrix, right-hand sides are only projected if the transposed matrix has the same
        null space.)
    return_info : bool
        Also return the choice and its reason.

    Returns
    -------
    x : array of the shape of `b`, float64 or complex128
        The solution; a CuPy array for a CuPy matrix.
    info : dict
        With ``return_info=True``:

        - "residual": the norm of b - A x relative to that of b, for the given `A` and `b` and the returned x, computed
          in doubled precision; 0 for b = 0. The largest one of all columns;
        - "consistent_residual": the same for the consistent part of b; without `nullspace`, that of b;
        - "converged": whether "consistent_residual" is at most `tol`;
        - for the last column: "method", the method that found the solution; "reason", a sentence that explains the
          choice, and names `B` and `block_size` if they are missing although the rows look like blocks; "iterations" of
          this method; "residuals", those of this method at the start and after each iteration, as it computed them;
          "attempts", a list of dicts with "method", "iterations", "residual" and "failure" (None or a sentence) of each
          started method. These residuals are relative to the consistent part of b;
        - "eliminated": the number of unknowns that were eliminated first.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is indefinite, and too large for a factorization; or if x is too large for floating-point numbers.
    TypeError, ValueError
        If A is not square, an entry is NaN or infinite, or a row is zero; if A is unsymmetric or has zeros on its
        diagonal, and is too large for a factorization or the requested method needs a symmetric matrix; for shapes that
        do not fit, unknown options, or ``method="direct"`` on a GPU.

    Warns
    -----
    ConvergenceWarning
        If no method reached `tol`. The solution is then that with the smallest residual. Also if the residual is above
        `tol` because a part of b in the null space was removed; the message states its size.

    See Also
    --------
    smoothed_aggregation : Set up multigrid once, for many calls and all its options.

    Notes
    -----
    Deterministic: methods are compared by counted multiplications, not by measured times. So the choice is the same on
    every machine, and the solution has the same bits for any number of threads (on one machine).

    On a CPU, "auto" and "multigrid" first eliminate unknowns with at most two neighbors if A is symmetric with at least
    5000 unknowns, a tenth of them such, and neither `B`, `block_size` nor `nullspace` is given. The logger
    "stablegraph.solvers" reports the choice at the level INFO. Cost: usually at most twice that of the best method.
    Memory: that of the started methods.

    Rows look like blocks of d, from 2 to 6, if d is the greatest common divisor of the sizes of the maximal groups of
    consecutive rows with the same columns. This is checked on the CPU if an iterative method was started, in at most a
    pass over the entries with 20 bytes per entry.

    References
    ----------
    P. Amestoy, T. Davis, I. Duff, "An Approximate Minimum Degree Ordering Algorithm", SIAM Journal on Matrix Analysis
    and Applications 17(4), 1996, for the count.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> A = sg.gallery.laplacian((40, 40))
    >>> x, info = sg.solve(A, np.ones(1600), return_info=True)
    >>> bool(np.allclose(A @ x, 1)), info["method"], info["residual"] < 1e-8
    (True, 'direct', True)
    >>> info["reason"]
    'a factorization costs less than the setup of multigrid'
    """
    choice(method, "method", get_args(names.SolveMethod))
    tol, return_info = number(tol, "tol", above=0), boolean(return_info, "return_info")
    maxiter = None if maxiter is None else integer(maxiter, "maxiter", minimum=0)
    user_matrix = given_matrix(A)
    n = user_matrix.shape[0]
    system = System(user_matrix, method, B, block_size, nullspace)
    right = checked_vectors(b, n, "b", system.xp, system.matrix.data.dtype, may_be_complex=True)
    x = np.zeros_like(right)
    columns = 1 if right.ndim == 1 else right.shape[1]
    info: dict[str, Any] = {
        "method": None if method == "auto" else method, "reason": "there is no unknown", "iterations": 0,
        "converged": True, "residual": 0.0, "consistent_residual": 0.0, "residuals": [], "attempts": [],
        "eliminated": n - system.reduced.shape[0],
    }  # fmt: skip
    if n == 0 or columns == 0:
        return (x, info) if return_info else x
    parts = 1 if right.dtype == system.matrix.data.dtype else 2
    methods = system.methods(parts * columns)

    def solve_into(b: Vector, x: Vector) -> Outcome:
        x[:], outcome = solve_one(system, methods, b, tol, maxiter, info)
        return outcome

    outcomes = solve_columns(right, x, system.matrix.data.dtype, solve_into)
    info["residual"], info["consistent_residual"] = largest_residuals(outcomes)
    info["converged"] = warn_of_residuals(outcomes, tol)
    return (x, info) if return_info else x


class System:
    """A checked matrix, with its null space, and the smaller matrix that remains after an elimination."""

    def __init__(
        self, A: Any, method: str = "auto", B: Any = None, block_size: int | None = None, nullspace: Any = None
    ) -> None:
        n = A.shape[0]
        size = block_size_of(A, B, n, block_size)
        self.method, self._B, self._nullspace, self._block_size = method, B, nullspace, size
        self.matrix, (self._inverse, _), facts = checked_matrix(A, size, needs_diagonal=False)
        self.xp = getattr(self.matrix, "xp", np)
        on_cpu = getattr(self.matrix, "device", "cpu") == "cpu"
        self._is_plain = B is None and size == 1 and on_cpu
        missing, unequal = asymmetry(self.matrix, self._inverse, facts)
        self._has_symmetric_pattern = missing is None
        self.projector: Nullspace | None = None
        self.fault = missing or unequal  # why conjugate gradients cannot be used
        self.kind = "is unsymmetric"
        if on_cpu and not self._inverse.all():
            i = int(np.flatnonzero(self._inverse == 0)[0])
            self.fault, self.kind = f"A[{i}, {i}], on the diagonal, is zero", "has zeros on its diagonal"
        if self.fault is not None and method in ("multigrid", "diagonal"):
            needed = "symmetric matrix with a nonzero diagonal"
            raise ValueError(f"{self.fault}; {method} needs a {needed}: use {self._host_call()}")
        if not on_cpu and method == "direct":
            raise ValueError("method='direct' works on a CPU only: use A.get(), or 'auto', 'multigrid' or 'diagonal'")
        # A negative definite system is solved as -A (-x) = b.
        self.is_negative = on_cpu and self.fault is None and method != "direct" and n > 0
        self.is_negative = self.is_negative and bool((self._inverse.real < 0).all())
        if self.is_negative:
            self.matrix, self._inverse = -self.matrix, -self._inverse
        if nullspace is not None:
            vectors = nullspace_columns(nullspace, n, self.xp, self.matrix.data.dtype)
            self.projector = Nullspace(self.matrix, vectors, is_hermitian=self.fault is None)
        self.elimination: Elimination | None = None
        if (
            self._is_plain
            and nullspace is None
            and n >= _MIN_ROWS
            and self.fault is None
            and method in ("auto", "multigrid")
        ):
            self.elimination = eliminate_low_degrees(self.matrix)
        self.reduced = self.matrix if self.elimination is None else self.elimination.matrix

    def _host_call(self) -> str:
        """Return the call that factors the matrix."""
        return call_of_solve(self.matrix, self.projector, ", method='direct'")

    @cached_property
    def hint(self) -> str:
        """Return which argument multigrid probably lacks; "" if none."""
        size = apparent_block_size(self.matrix) if self._is_plain and self.fault is None else 1
        return f"; rows look like blocks of {size}: pass B= or block_size={size}" if size > 1 else ""

    def advice(self) -> str:
        """Return what to do if the matrix is symmetric, but not positive definite."""
        return missing_nullspace(self.matrix, self.projector) or f"use {self._host_call()}"

    def advice_if_too_large(self) -> str:
        """Return what to do if the matrix is unsymmetric, and its factors need too much time or memory for "auto"."""
        iterative = krylov_call(self.matrix, _TOL, self._has_symmetric_pattern)
        others = "" if "diagonal" in self.kind else f"; {iterative} takes less, but does not always converge"
        return f"{self._host_call()} factors A anyway{others}"

    def methods(self, columns: int) -> Methods:
        """Return the methods for the smaller matrix."""
        return Methods(
            self.reduced,
            lambda: hierarchy_of(self.reduced, self._B, self._nullspace, chebyshev(), block_size=self._block_size),
            self._inverse if self.reduced is self.matrix else 1.0 / self.reduced.diagonal(),
            columns=columns,
            is_symmetric=self.fault is None,
            advice=self.advice,
        )

    def project(self, x: Vector) -> None:
        """Project x onto the complement of the null space."""
        if self.projector is not None:
            self.projector.project(x)


def solve_one(
    system: System, methods: Methods, b: Vector, tol: float, maxiter: int | None, info: dict[str, Any]
) -> tuple[Vector, Outcome]:
    """Return the solution for one right-hand side and its accuracy; describe the choice in `info`."""
    side = RightSide(b, system.projector)
    if side.size == 0:
        info.update(reason="b is zero, or in the null space", iterations=0, residuals=[], attempts=[])
        x = np.zeros_like(b)
        return x, side.outcome(system.matrix, x)
    b = side.consistent
    smaller = b if system.elimination is None else system.elimination.reduce(b)
    best, started = _solve_by_method(system, methods, smaller, _CLOSER * tol * side.size, maxiter)
    x = best.x
    system.project(x)
    if system.elimination is not None:
        x = system.elimination.recover(b, x)
    x = side.unscaled(x)
    outcome = side.outcome(system.matrix, x, best.failure, best.iterations)
    if not outcome.consistent <= tol and (hint := missing_nullspace(system.matrix, system.projector)):
        outcome = outcome._replace(hint=f"; {hint}")
    info.update(
        method=best.name,
        reason=_reason(system, methods, best, started),
        iterations=outcome.iterations,
        residuals=[value / side.size for value in best.sizes],
        attempts=[_attempt(candidate, side.size) for candidate in started],
    )
    _LOGGER.info("%s: %s; residual %.3g", best.name, info["reason"], outcome.residual)
    return -x if system.is_negative else x, outcome._replace(why=f"{best.name}: {outcome.why or HIDDEN}")


def _solve_by_method(
    system: System, methods: Methods, b: Vector, target: float, maxiter: int | None
) -> tuple[Candidate, list[Candidate]]:
    """Solve by the requested method."""
    best: Candidate | None
    if b.size == 0 or norm(b) == 0:
        best = methods.diagonal(b, target, maxiter)
        return best, [best]
    if system.method == "auto":
        best, started = select_and_solve(methods, b, target, maxiter)
        if best is None:
            raise ValueError(
                f"{system.fault}, and a factorization would need too much time or memory: "
                f"{system.advice_if_too_large()}"
            )
    else:
        if system.method == "direct":
            best = methods.direct(b, target)
        elif system.method == "diagonal":
            best = methods.diagonal(b, target, maxiter)
        else:
            best = methods.multigrid(b, target, maxiter)
        started = [best]
        while not best.advance() and best.failure is None:
            pass
    if best.error is not None:
        raise best.error
    return best, started


def _reason(system: System, methods: Methods, best: Candidate, started: list[Candidate]) -> str:
    """Explain the choice in a sentence; if an iterative method was started, also what multigrid probably lacks."""
    is_direct = all(candidate.name == "direct" for candidate in started)
    return _why(system, methods, best, started) + ("" if is_direct else system.hint)


def _why(system: System, methods: Methods, best: Candidate, started: list[Candidate]) -> str:
    if system.method != "auto":
        return "requested"
    if not methods.is_symmetric:
        return f"the matrix {system.kind}, and is small enough for a factorization"
    if len(started) == 1:
        if methods.columns > 1:
            return "the fastest method for the first right-hand side, or the cheapest for all"
        if best.name == "direct":
            return "a factorization costs less than the setup of multigrid"
        return "conjugate gradients with the diagonal converge before the setup of multigrid would pay"
    others = ", ".join(_fate(candidate) for candidate in started if candidate is not best)
    return f"expected to be the fastest after {others}"


def _fate(candidate: Candidate) -> str:
    if candidate.failure is not None:
        return f"{candidate.name} failed ({candidate.failure})"
    return f"{candidate.iterations} iterations of {candidate.name}"


def _attempt(candidate: Candidate, size: float) -> dict[str, Any]:
    return {
        "method": candidate.name,
        "iterations": candidate.iterations,
        "residual": candidate.residual / size,
        "failure": candidate.failure,
    }
