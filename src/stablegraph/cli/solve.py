"""``stablegraph solve``: solve a linear system by smoothed-aggregation multigrid, and show the convergence."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click

import stablegraph as sg

from .._core.option_names import Aggregation, Cycle, Smoother
from . import options
from .choices import FileName
from .frame import command
from .job import Answer, Job, explicit_option
from .terminal import Facts, console_for, shown_name


@command(
    "solve",
    options.file,
    click.argument("right_side", metavar="[B]", type=FileName(), required=False),
    options.input_format,
    options.weights,
    options.threads,
    options.json,
    options.choice("--smoother", Smoother, "chebyshev", "Smoother on each level."),
    options.choice("--aggregate", Aggregation, "mis2", "How unknowns are aggregated."),
    click.option("--strength", type=float, metavar="THETA", help="Drop entries with |a_ij| < THETA sqrt(|a_ii a_jj|)."),
    click.option("--block-size", type=click.IntRange(1), help="Unknowns per node, kept together.  [default: 1]"),
    options.flag("--floating", "A is singular with the constants as null space (a Laplacian)."),
    options.choice("--cycle", Cycle, "V", "Order in which levels are visited."),
    click.option("--tol", type=float, default=1e-8, show_default=True, help="Norm of b - A x, relative to that of b."),
    options.integer("--maxiter", 0, 500, "Maximum of iterations."),
    options.integer("--seed", 0, 0, "Seed of the random right-hand side."),
    options.output("Write the solution: .npz (array x), .npy, or else one number a line."),
    options.plot("the residual over the iterations"),
)
def solve(job: Job, right_side: str | None, floating: bool, seed: int, **how: Any) -> Answer:
    """Solve a linear system by multigrid.

    The system is A x = b, with the symmetric positive definite matrix A in FILE. The method is conjugate gradients
    preconditioned by multigrid. B is a file with b: .npy, .npz, a Matrix Market array, or text with one number per
    line. Without B, b is random, uniform in [-1, 1), from --seed. The solution does not depend on the number of
    threads. The exit code is 1 if the tolerance was not reached.

    Example: stablegraph solve matrix.mtx.gz -o x.npy --plot convergence.png
    """
    import numpy as np

    from .answer_files import read_vector

    if right_side is not None:
        job.check_output(right_side)
        if explicit_option("seed"):
            raise click.UsageError("--seed is for a random right-hand side, but one was given")
    graph = job.read(weights=True)
    if graph.weights is None:
        raise ValueError(f"{job.name}: a pattern without values is no linear system")
    A = graph.to_scipy()
    n = A.shape[0]
    b = np.random.default_rng(seed).uniform(-1, 1, n) if right_side is None else read_vector(right_side, n)
    solver = {option: how.pop(option) for option in ("cycle", "tol", "maxiter")}
    with job.clock("setup", "setting up"):
        hierarchy = sg.smoothed_aggregation(A, nullspace=np.ones(n) if floating else None, **how)
    residuals: list[float] = []
    with job.clock("solve"), _residuals_on_terminal(hierarchy) as progress:
        x, defect = _solve(hierarchy, b, residuals=residuals, progress=progress, **solver)
    reached = residuals[-1] / residuals[0] if residuals[0] else 0.0
    levels = [level.A for level in hierarchy.levels]
    facts: Facts = {
        "right_side": right_side,
        "seed": seed if right_side is None else None,
        "levels": [{"unknowns": level.shape[0], "entries": level.nnz} for level in levels],
        "operator_complexity": hierarchy.operator_complexity,
        **{option: how[option] for option in ("smoother", "aggregate", "strength")},
        **{option: solver[option] for option in ("cycle", "tol")},
        "iterations": len(residuals) - 1,
        "residuals": residuals,
        "converged": defect is None,
        "setup_seconds": hierarchy.seconds,
    }
    sizes = ", ".join(f"{level.shape[0]:,}" for level in levels)
    return Answer(
        x,
        "x",
        facts,
        lines={
            "levels": f"{sizes} unknowns, operator complexity {hierarchy.operator_complexity:.2f}",
            "smoother": f"{how['smoother']}, {solver['cycle']}-cycle",
            "right side": shown_name(right_side) if right_side is not None else f"random, seed {seed}",
            "iterations": f"{len(residuals) - 1:,}, residual {reached:.2e} of the first",
        },
        stored=("smoother", "aggregate", "strength", "cycle", "tol", "converged"),
        wrong=defect,
        verdict="converged",
        size={"unknowns": n, "entries": A.nnz},
        title=f"{n:,} unknowns, {A.nnz:,} entries",
        draw=lambda title: sg.plot.convergence_figure(residuals, target=solver["tol"] * residuals[0], title=title),
    )


def _solve(hierarchy: sg.Multigrid, b: Any, **how: Any) -> tuple[Any, str | None]:
    """Solve the system; return the solution, and the message if the iteration did not converge."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", sg.ConvergenceWarning)
        x = hierarchy.solve(b, **how)
    defect = None
    for warning in caught:
        if issubclass(warning.category, sg.ConvergenceWarning):
            defect = defect or str(warning.message)
        else:  # show it like any other warning
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return x, defect


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
