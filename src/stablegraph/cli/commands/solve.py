"""``stablegraph solve``: solve a linear system by the method that suits it, and show the convergence."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click
import numpy as np

import stablegraph as sg

from ..._core.option_names import Aggregation, Cycle, Smoother, SolveMethod
from .. import options
from ..answers import Answer, Kind
from ..failures import NOT_FOUND
from ..frame import command
from ..job import Job, explicit_option
from ..messages import as_options
from ..terminal import Facts, console_for, shown_name

_SOLUTION = Kind(None, "", "x")
_TUNING = ("smoother", "aggregate", "strength", "cycle")  # options of multigrid


@command(
    "solve",
    options.file,
    click.argument("right_side", metavar="[B]", type=options.FileName(), required=False),
    options.input_format,
    options.weights,
    options.threads,
    options.json,
    options.choice("--method", SolveMethod, "auto", "Method; by default the one that suits the matrix."),
    options.choice("--smoother", Smoother, "chebyshev", "Multigrid: smoother on each level."),
    options.choice("--aggregate", Aggregation, "mis2", "Multigrid: how unknowns are aggregated."),
    options.strength_option("Multigrid: drop entries with |a_ij| < THETA sqrt(|a_ii a_jj|)."),
    options.number_option("--block-size", 1, None, "Unknowns per node, kept together.  [default: 1]"),
    options.flag("--floating", "A is singular with the constants as null space (a Laplacian)."),
    options.choice("--cycle", Cycle, "V", "Multigrid: order in which levels are visited."),
    click.option("--tol", type=float, default=1e-8, show_default=True, help="Norm of b - A x, relative to that of b."),
    options.number_option("--maxiter", 0, None, "Maximum number of iterations.  [default: 500 for multigrid]"),
    options.number_option("--seed", 0, 0, "Seed of the random right-hand side."),
    options.output("Write the solution: .npz (array x), .npy, or else one number a line.", "answer"),
    options.plot("the residual over the iterations"),
)
def solve(
    job: Job,
    right_side: str | None,
    method: SolveMethod,
    floating: bool,
    seed: int,
    tol: float,
    maxiter: int | None,
    **how: Any,
) -> Answer:
    """Solve a linear system by the method that suits it.

    The system is A x = b, with the symmetric positive definite matrix A in FILE. The method is chosen as by
    stablegraph.solve: a factorization, or conjugate gradients with the diagonal or with multigrid. Options of multigrid
    select multigrid. B is a file with b: .npy, .npz, a Matrix Market array, or text with one number per line. Without
    B, b is random, uniform in [-1, 1), from --seed. The solution does not depend on the number of threads. The exit
    code is 4 if the tolerance was not reached; with --floating, for b without its mean.

    Example: stablegraph solve matrix.mtx.gz -o x.npy --plot convergence.png
    """
    from ..answer_files import read_vector

    if right_side is not None and explicit_option("seed"):
        raise click.UsageError("--seed is for a random right-hand side, but one was given")
    tuned = explicit_option(*_TUNING)
    if tuned and method not in ("auto", "multigrid"):
        raise click.UsageError(f"{tuned} is an option of multigrid, not of --method {method}")
    graph = job.read(weights=True)
    if graph.weights is None:
        raise ValueError(f"{job.name}: a pattern without values is no linear system")
    A = graph.to_scipy()
    n = A.shape[0]
    b = np.random.default_rng(seed).uniform(-1, 1, n) if right_side is None else read_vector(right_side, n)
    if floating and right_side is None and n:
        b -= b.mean()  # a random right-hand side for which the system has a solution
    how |= {"nullspace": np.ones(n) if floating else None, "tol": tol, "maxiter": maxiter}
    if tuned:
        x, facts, messages = _by_multigrid(job, A, b, **how)
        notes: Facts = {"unknowns": ", ".join(f"{level['unknowns']:,}" for level in facts["levels"])}
    else:
        how = {option: value for option, value in how.items() if option not in _TUNING}
        with job.clock("solve", "solving"):
            (x, info), messages = _without_warning(lambda: sg.solve(A, b, method=method, return_info=True, **how))
        command = click.get_current_context().command
        facts, notes = dict(info, reason=as_options(info["reason"], command)), {"unknowns": None}
    residuals = facts["residuals"]
    facts |= {"right_side": right_side, "seed": seed if right_side is None else None, "tol": tol}
    size = f"{facts['residual']:.2e} times b"
    if facts["residual"] > tol and facts["converged"]:
        size += f", {facts['consistent_residual']:.2e} times its consistent part"
        warnings.warn(f"inconsistent system: the mean of b was removed, and the residual is {size}", stacklevel=1)
    return Answer(
        _SOLUTION,
        x,
        facts,
        notes={**notes, "source": right_side and shown_name(right_side), "size": size},
        stored=("method", "tol", "converged"),
        wrong=None if facts["converged"] else as_options(messages[0], click.get_current_context().command),
        failure_code=NOT_FOUND,
        verdict="converged",
        size={"unknowns": n, "entries": A.nnz},
        title=f"{n:,} unknowns, {A.nnz:,} entries",
        draw=lambda title: sg.plot.convergence_figure(residuals, target=tol, title=title),
    )


def _by_multigrid(
    job: Job, A: Any, b: Any, *, cycle: Any, tol: float, maxiter: int | None, **how: Any
) -> tuple[Any, Facts, list[str]]:
    """Solve by multigrid with options; return the solution, facts, and the messages about its accuracy."""
    from ...solvers.inputs import Nullspace
    from ...solvers.right_sides import RightSide

    with job.clock("setup", "setting up"):
        hierarchy = sg.smoothed_aggregation(A, **how)
    sizes: list[float] = []
    stop: dict[str, Any] = {"tol": tol, "maxiter": 500 if maxiter is None else maxiter}
    with job.clock("solve"), _residuals_on_terminal(hierarchy) as progress:
        x, messages = _without_warning(
            lambda: hierarchy.solve(b, residuals=sizes, progress=progress, cycle=cycle, **stop)
        )
    residuals = [size / sizes[0] for size in sizes] if sizes[0] else sizes
    levels = [level.A for level in hierarchy.levels]
    projector = None if how["nullspace"] is None else Nullspace(levels[0], how["nullspace"].reshape(-1, 1))
    outcome = RightSide(b, projector).outcome(levels[0], x)
    facts: Facts = {
        "method": "multigrid",
        "levels": [{"unknowns": level.shape[0], "entries": level.nnz} for level in levels],
        "operator_complexity": hierarchy.operator_complexity,
        **{option: how[option] for option in ("smoother", "aggregate", "strength")},
        "cycle": cycle,
        "iterations": len(residuals) - 1,
        "converged": outcome.consistent <= tol,
        "residual": outcome.residual,
        "consistent_residual": outcome.consistent,
        "residuals": residuals,
        "setup_seconds": hierarchy.seconds,
    }
    return x, facts, messages


def _without_warning(solve: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Solve the system; return the result, and the messages about its accuracy instead of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sg.ConvergenceWarning)
        result = solve()
    for warning in caught:
        if not issubclass(warning.category, sg.ConvergenceWarning):  # show it like any other warning
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return result, [str(warning.message) for warning in caught if issubclass(warning.category, sg.ConvergenceWarning)]


@contextlib.contextmanager
def _residuals_on_terminal(hierarchy: sg.Multigrid) -> Iterator[Callable[[int, float], None] | None]:
    """On a terminal, print the hierarchy, and provide a function that prints each residual."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    console.print(repr(hierarchy), markup=False, style="dim")
    console.print("  iteration   residual", style="dim")

    def progress(iteration: int, size: float) -> None:
        console.print(f"  {iteration:9,d}   {size:.3e}")

    yield progress
