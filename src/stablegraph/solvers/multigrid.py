"""Multigrid: a hierarchy that solves linear systems by cycles, or by conjugate gradients with cycles.

Right-hand sides are checked and solved one after another. Vectors are projected onto the orthogonal complement of the
null space before and after each cycle. A solution that misses its tolerance causes a warning. A method that is not
suitable for the matrix raises an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from .._core import option_names as names
from .._core.progress import reported, timed
from .._core.runtime.arrays import converted, copied, equal_integers
from .._core.texts import rows_as_html
from .._core.unknown_options import suggests_options
from .._core.validation import choice, integer, number
from .checked_matrix import asymmetry, checked_matrix
from .conjugate_gradients import PATIENCE, ConjugateGradients, IterationMonitor, bar_position, run_iteration
from .cuda import cycle as cycle_cuda
from .cycle import VISITS, MakeSmoother, MakeSmoothers, Smoother
from .cycle import make_cycle as make_cycle_on_cpu
from .hierarchy import Level, refresh_levels
from .inputs import Nullspace, call_of_solve, checked_vectors, missing_nullspace
from .linalg.vectors import Vector, norm, residual
from .right_sides import Outcome, RightSide, solve_columns, warn_of_residuals


class Multigrid:
    """A hierarchy of ever smaller matrices that solves linear systems; made by `smoothed_aggregation`.

    Attributes
    ----------
    levels : list of Level
        From the finest to the coarsest. Each has its matrix ``A`` and near-nullspace ``B``. All except the coarsest
        have the prolongator ``P`` from the next level, its transpose ``R``, the aggregate of each node in ``labels``,
        and the largest eigenvalue ``rho`` of D^-1 A, where D is the diagonal. Do not change them.
    operator_complexity : float
        The entries of all matrices, as a multiple of those of the finest: roughly the cost of a cycle.
    seconds : dict
        The time of each phase of the setup.
    shape : tuple of two ints
        Of the matrix.

    Notes
    -----
    Hierarchies and solutions are bit for bit the same for any number of threads. Several Python threads may use one
    hierarchy at once; their cycles take turns. Hierarchies and their preconditioners can be copied and pickled; a copy
    has its own matrix.

    On a GPU, vectors are CuPy arrays (NumPy arrays are copied). Matrices of `levels` have a method `get`, which returns
    a SciPy matrix. A setup does not wait for launches, so `seconds` may attribute work to a later phase.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.smoothed_aggregation(sg.gallery.laplacian((50, 50)))  # doctest: +ELLIPSIS
    Multigrid, 2 levels, operator complexity 1.37
      level     unknowns       entries   a row   share        MB
          0        2,500        12,300     4.9   72.9%       0.3
          1          441         4,571    10.4   27.1%       0.1
    ...
    """

    def __init__(
        self,
        levels: list[Level],
        maker: MakeSmoother,
        nullspace: Vector | None,
        unsymmetric: str | None,
        block_size: int,
        coarse_size: int,
    ) -> None:
        """Make the solver of the levels. `unsymmetric` describes an unsymmetric value of the matrix, or is None."""
        self._maker, self._nullspace = maker, nullspace
        self._block_size, self._coarse_size = block_size, coarse_size
        self._install(levels, lambda finer: [maker(level) for level in finer], unsymmetric)

    def _install(self, levels: list[Level], make_smoothers: MakeSmoothers, unsymmetric: str | None) -> None:
        """Make the solver of the levels, and replace the current one."""
        projector: Nullspace | None = None
        if self._nullspace is not None:
            projector = Nullspace(levels[0].A, self._nullspace, is_hermitian=unsymmetric is None)
        seconds: dict[str, float] = {}
        make_cycle = make_cycle_on_cpu if levels[0].device == "cpu" else cycle_cuda.make_cycle
        with timed(seconds, "smoothers"):
            cycle: Any = make_cycle(levels, make_smoothers, self._maker, self._coarse_size)
        self.levels, self._cycle, self._projector = levels, cycle, projector
        self._unsymmetric, self._own_seconds = unsymmetric, seconds

    def __repr__(self) -> str:
        return table(self.levels, self.operator_complexity, self.seconds)

    def _repr_html_(self) -> str:
        return table_as_html(self.levels, self.operator_complexity, self.seconds)

    @property
    def shape(self) -> tuple[int, int]:
        return self.levels[0].A.shape

    @property
    def _dtype(self) -> Any:
        return self.levels[0].A.data.dtype

    @property
    def _xp(self) -> Any:
        return getattr(self.levels[0].A, "xp", np)

    @property
    def operator_complexity(self) -> float:
        return float(sum(level.A.nnz for level in self.levels) / max(self.levels[0].A.nnz, 1))

    @property
    def seconds(self) -> dict[str, float]:
        total: dict[str, float] = {}
        for part in (*(level.seconds for level in self.levels), self._own_seconds):
            for phase, seconds in part.items():
                total[phase] = total.get(phase, 0.0) + seconds
        return total

    @suggests_options
    def update(self, A: Any) -> None:
        """Replace the values of the matrix; aggregates and patterns are kept, everything else is recomputed.

        Parameters
        ----------
        A : sparse array or matrix
            With exactly the same pattern as the original matrix.

        Raises
        ------
        ValueError
            If the patterns differ, or for values that `smoothed_aggregation` would refuse. After any exception, the
            hierarchy is unchanged.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> A = sg.gallery.laplacian((30, 30))
        >>> solver = sg.smoothed_aggregation(A)
        >>> solver.update(2 * A)
        >>> bool(np.allclose(2 * A @ solver.solve(np.ones(900)), 1))
        True
        """
        (new, diagonal, facts), old = checked_matrix(A, self._block_size), self.levels[0].A
        places = [getattr(matrix, "device", "cpu") for matrix in (new, old)]
        if places[0] != places[1]:
            raise TypeError(f"A lives on {places[0]}, but this hierarchy on {places[1]}: move A, or set up another one")
        if new.shape != old.shape or not (
            equal_integers(new.indptr, old.indptr) and equal_integers(new.indices, old.indices)
        ):
            raise ValueError("A has another pattern than the matrix of this hierarchy; call smoothed_aggregation anew")
        kind = self._dtype
        if new.data.dtype != kind:
            raise TypeError(f"A is {new.data.dtype}, that of this hierarchy {kind}; call smoothed_aggregation anew")
        levels = refresh_levels(self.levels, new, diagonal)

        def renewed(finer: Sequence[Any]) -> list[Smoother]:
            pairs = zip(self._cycle.smoothers, finer, strict=True)
            return [smoother.renewed(level) for smoother, level in pairs]

        self._install(levels, renewed, asymmetry(new, diagonal[0], facts)[1])

    @suggests_options
    def solve(
        self,
        b: Any,
        x0: Any = None,
        *,
        tol: float = 1e-8,
        maxiter: int = 500,
        accel: names.Acceleration | None = "cg",
        cycle: names.Cycle = "V",
        residuals: list[Any] | None = None,
        progress: Callable[[int, float], object] | bool | None = None,
    ) -> Vector:
        """Solve A x = b.

        Parameters
        ----------
        b : float or complex array (n,) or (n, k)
            One right-hand side, or several as columns, which are solved for one after another. If b is complex and the
            matrix real, so are the real and the imaginary part.
        x0 : float or complex array of the shape of `b`, optional
            The first guess; zero by default.
        tol : float
            The maximum Euclidean norm of b - A x, relative to the norm of b; with `nullspace`, of c - A x relative to
            c, where c is the consistent part of b: its projection onto the orthogonal complement of the null space.
        maxiter : int
            The maximum number of iterations for each column.
        accel : {"cg", None}
            Conjugate gradients with a cycle as preconditioner, for symmetric or Hermitian positive (semi)definite
            matrices. With None, only cycles.
        cycle : {"V", "W", "F"}
            The order in which levels are visited.
        residuals : list, optional
            Receives the Euclidean norm of the residual before the first iteration, and after each iteration; for
            several columns, a list for each of them. With `nullspace`, residuals are those of the consistent part of b.
            If `tol` was reached, the last one is the norm of b - A x itself, computed in float64.
        progress : callable or bool, optional
            Called with the number of each iteration, from 0, and the norm of the residual. True shows a bar, in a
            terminal or a notebook (with ``pip install "stablegraph[cli]"``).

        Returns
        -------
        array of the shape of `b`, float64 or complex128
            With `nullspace`, the solution for the consistent part of b that is orthogonal to the null space.

        Warns
        -----
        ConvergenceWarning
            If `tol` was not reached because `maxiter` was too small, because the residual stagnates or grows, or
            because of rounding errors of the residual. The message states the norm of b - A x relative to b, and the
            method to try next. Also if the residual is above `tol` because a part of b in the null space was removed;
            the message states its size. There is one warning for all columns, about the one with the largest residual.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the matrix or the smoother turns out not to be positive definite (for "cg"), or the iteration diverges.
        TypeError, ValueError
            For a matrix that is not symmetric or Hermitian (for "cg"), an unknown option, a wrong shape, a NaN, or
            complex numbers with a real matrix on a GPU.

        Notes
        -----
        For unsymmetric matrices use `aspreconditioner` with SciPy's BiCGSTAB or GMRES, and the smoother "jacobi". Work
        memory: six vectors; on a GPU, four vectors for each concurrent solution.

        The residual is computed in float64, with rounding errors of up to ``eps * (|A| |x| + |b|)``. If entries have
        very different sizes, these errors may exceed the residual. At the end it is therefore recomputed in doubled
        precision: without a warning, the residual of the returned solution is at most `tol` in exact arithmetic. (If
        this cannot be verified, as for numbers above 1e300 on a GPU, there is a warning.)

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> A = sg.gallery.laplacian((40, 40))
        >>> residuals = []
        >>> x = sg.smoothed_aggregation(A).solve(np.ones(1600), residuals=residuals)
        >>> bool(np.allclose(A @ x, 1)), len(residuals) < 15
        (True, True)
        """
        if accel is not None:
            choice(accel, "accel", get_args(names.Acceleration), otherwise=" or None")
        choice(cycle, "cycle", VISITS)
        tol = number(tol, "tol", above=0)
        maxiter = integer(maxiter, "maxiter", minimum=0)
        n = self.shape[0]
        right = checked_vectors(b, n, "b", self._xp, self._dtype, may_be_complex=True)
        x = np.zeros_like(right)
        if x0 is not None:
            x = checked_vectors(x0, n, "x0", self._xp, right.dtype, may_be_complex=True)
            right = converted(right, x.dtype)
        if x.shape != right.shape:
            raise ValueError(f"x0 must have the shape of b, {right.shape}, got {x.shape}")
        if accel == "cg" and self._unsymmetric is not None:
            raise ValueError(
                f"{self._unsymmetric}; conjugate gradients need a symmetric matrix: use "
                f"{call_of_solve(self.levels[0].A, self._projector)}"
            )
        with reported(progress, bar_position, "iteration, norm of the residual") as report:
            live = right.ndim == 1 and right.dtype == self._dtype  # the list receives residuals while they are computed
            histories: list[list[float]] = []

            def solve_one(b: Vector, x: Vector) -> Outcome:
                history = residuals if live and residuals is not None else []
                histories.append(history)
                return self._solve_one(b, x, history, tol, maxiter, accel, cycle, report)

            outcomes = solve_columns(right, x, self._dtype, solve_one)
        if residuals is not None and not live:
            if right.dtype != self._dtype:
                histories = [_of_both(*parts) for parts in zip(histories[::2], histories[1::2], strict=True)]
            residuals.extend(histories if right.ndim > 1 else histories[0])
        if outcomes:
            warn_of_residuals(outcomes, tol)
        return x

    def _solve_one(
        self,
        b: Vector,
        x: Vector,
        history: list[float],
        tol: float,
        maxiter: int,
        accel: str | None,
        cycle: str,
        progress: Callable[[int, float], object] | None,
    ) -> Outcome:
        """Solve for one right-hand side, from x and into it."""
        side = RightSide(b, self._projector)
        if side.size == 0:
            x[:] = 0.0
        elif side.exponent:
            x[:] = side.scaled(x)
        patience = math.inf if accel == "cg" else PATIENCE
        monitor = IterationMonitor(
            tol * side.size, maxiter, self._advice, history, progress, patience, side.unscaled_norm
        )
        A = self.levels[0].A
        if accel == "cg":
            self._conjugate_gradients(side.consistent, x, cycle, monitor)
        else:
            self._repeat(cycle, side.consistent, x, monitor)
        self._project(x)
        if side.exponent:
            x[:] = side.unscaled(x)
        hint = f"; {self._advice()}" if monitor.is_slow else ""
        return side.outcome(A, x, monitor.why, monitor.iterations, hint)

    def _advice(self) -> str:
        """Return what to do if conjugate gradients or cycles cannot solve the system."""
        A = self.levels[0].A
        return missing_nullspace(A, self._projector) or f"use {call_of_solve(A, self._projector)}"

    def _conjugate_gradients(self, b: Vector, x: Vector, cycle: str, monitor: IterationMonitor) -> None:
        A = self.levels[0].A
        if self.levels[0].device == "cpu" or self._projector is not None or cycle == "F":
            run_iteration(
                ConjugateGradients(A, b, x, partial(self._precondition, cycle), flexible=cycle == "F"), monitor
            )
        else:  # on a GPU without sums between the steps, because they would wait for the host
            self._cycle.solve(cycle, b, x, monitor)

    def _repeat(self, cycle: str, b: Vector, x: Vector, monitor: IterationMonitor) -> None:
        """Solve by cycles without acceleration."""
        A, r = self.levels[0].A, np.empty_like(b)
        residual(A, x, b, r)
        monitor.record(norm(r))
        while monitor.should_continue():
            self._cycle.run(cycle, x, b, zero=False)
            self._project(x)
            residual(A, x, b, r)
            monitor.record(norm(r))

    def _precondition(self, cycle: str, r: Vector, z: Vector) -> None:
        """Run one cycle from zero: set z to the correction for the residual r."""
        self._cycle.run(cycle, z, r, zero=True)
        self._project(z)

    def _project(self, x: Vector) -> None:
        if self._projector is not None:
            self._projector.project(x)

    @suggests_options
    def aspreconditioner(self, cycle: names.Cycle = "V") -> Any:
        """Return one cycle as an operator for SciPy's solvers, or CuPy's on a GPU.

        Parameters
        ----------
        cycle : {"V", "W", "F"}
            V- and W-cycles are symmetric if the matrix is, as conjugate gradients require; F-cycles only roughly.

        Returns
        -------
        scipy.sparse.linalg.LinearOperator, or cupyx.scipy.sparse.linalg.LinearOperator

        Notes
        -----
        With a null space, project the right-hand side first, for constants to ``b - b.mean()``: other solvers diverge
        if it has a part in the null space.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> from scipy.sparse.linalg import gmres
        >>> A = sg.gallery.laplacian((30, 30))
        >>> x, info = gmres(A, np.ones(900), M=sg.smoothed_aggregation(A).aspreconditioner())
        >>> info
        0
        """
        choice(cycle, "cycle", VISITS)
        if isinstance(self.levels[0].A.data, np.ndarray):
            from scipy.sparse.linalg import LinearOperator
        else:
            from cupyx.scipy.sparse.linalg import LinearOperator  # type: ignore[no-redef, unreachable, unused-ignore]
        return LinearOperator(self.shape, matvec=partial(self._correction, cycle), dtype=self._dtype)

    def _correction(self, cycle: str, r: Any) -> Vector:
        """Return the result of one cycle from zero for a residual."""
        if r.dtype.kind == "c" and self._dtype.kind != "c":  # cycles are real and linear
            parts = self._correction(cycle, r.real), self._correction(cycle, r.imag)
            return np.asarray(parts[0] + 1j * parts[1])
        right_side: Vector = copied(converted(self._xp.asarray(r).ravel(), self._dtype))
        z = np.empty_like(right_side)
        self._project(right_side)
        self._precondition(cycle, right_side, z)
        return z


def _of_both(real: list[float], imaginary: list[float]) -> list[float]:
    """Return the norms of complex residuals, from those of both parts; the shorter list keeps its last value."""
    length = max(len(real), len(imaginary))
    pairs = zip(*(sizes + sizes[-1:] * (length - len(sizes)) for sizes in (real, imaginary)), strict=True)
    return [math.hypot(*pair) for pair in pairs]


# The table of a hierarchy: its levels, their memory, and the time of each phase of the setup

_HEADINGS = ("level", "unknowns", "entries", "a row", "share", "MB")
_WIDTHS = (7, 12, 13, 7, 7, 9)


def table(levels: Sequence[Level], operator_complexity: float, seconds: Mapping[str, float]) -> str:
    """Describe the levels of a hierarchy in lines of text; `seconds` is the time of each phase of its setup."""
    lines = [_headline(levels, operator_complexity)]
    for cells in (_HEADINGS, *_cells(levels)):
        lines.append(" ".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True)))
    return "\n".join(lines + [f"  {note}" for note in _notes(levels, seconds)])


def table_as_html(levels: Sequence[Level], operator_complexity: float, seconds: Mapping[str, float]) -> str:
    """Describe the levels of a hierarchy for a notebook."""
    return rows_as_html(_headline(levels, operator_complexity), _HEADINGS, _cells(levels), _notes(levels, seconds))


def _headline(levels: Sequence[Level], operator_complexity: float) -> str:
    count = f"{len(levels)} levels" if len(levels) > 1 else "1 level"
    return f"Multigrid, {count}, operator complexity {operator_complexity:.2f}"


def _cells(levels: Sequence[Level]) -> list[tuple[str, ...]]:
    total = max(sum(level.A.nnz for level in levels), 1)
    rows: list[tuple[str, ...]] = []
    for place, level in enumerate(levels):
        n, entries = level.A.shape[0], level.A.nnz
        sizes = (str(place), f"{n:,d}", f"{entries:,d}")
        shares = (f"{entries / max(n, 1):.1f}", f"{entries / total:.1%}", f"{level_bytes(level) / 1e6:.1f}")
        rows.append(sizes + shares)
    return rows


def _notes(levels: Sequence[Level], seconds: Mapping[str, float]) -> list[str]:
    last = levels[-1].note
    phases = ", ".join(f"{phase} {part:.3f}" for phase, part in seconds.items())
    notes = [] if last is None else [f"the last level is the last because {last}"]
    return [*notes, f"setup {sum(seconds.values()):.3f} s: {phases}"]


def level_bytes(level: Level) -> int:
    """Return the bytes of a level's matrix, prolongator and restriction."""
    arrays = {}
    for matrix in (level.A, level.P, level.R):
        if matrix is not None:
            arrays.update({id(array): array.nbytes for array in (matrix.indptr, matrix.indices, matrix.data)})
    return sum(arrays.values())
