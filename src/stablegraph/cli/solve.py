"""``stablegraph solve``: a linear system by smoothed-aggregation multigrid, with its hierarchy and its convergence."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import __version__
from .answer_files import fingerprint, write_answer
from .options import (
    check_output,
    given,
    json_option,
    number_of_threads,
    options,
    read,
    save_picture,
    source_format_option,
    threads_line,
)
from .terminal import Clock, Facts, console_for, show, shown_name, working
from .vector_files import read_vector

if TYPE_CHECKING:
    from ..solvers import Multigrid

SMOOTHERS = ("chebyshev", "jacobi", "gauss-seidel", "cluster-gauss-seidel")
AGGREGATES = ("mis2", "kokkos", "mis2-basic")

how_to_set_up = options(
    click.option(
        "--smoother",
        type=click.Choice(SMOOTHERS),
        default="chebyshev",
        show_default=True,
        help="What damps the error on each level.",
    ),
    click.option(
        "--aggregate", type=click.Choice(AGGREGATES), default="mis2", show_default=True, help="How unknowns are joined."
    ),
    click.option("--strength", type=float, metavar="THETA", help="Join along |a_ij| >= THETA sqrt(|a_ii a_jj|) only."),
    click.option("--block-size", type=click.IntRange(1), help="Unknowns a node, which stay together.  [default: 1]"),
    click.option("--floating", is_flag=True, help="A is singular: constants are its null space, as of a Laplacian."),
)
how_to_solve = options(
    click.option(
        "--cycle",
        type=click.Choice(["V", "W", "F"]),
        default="V",
        show_default=True,
        help="In which order the levels are visited.",
    ),
    click.option("--tol", type=float, default=1e-8, show_default=True, help="Norm of b - A x as a part of that of b."),
    click.option("--maxiter", type=click.IntRange(0), default=500, show_default=True, help="The most iterations."),
)


@click.command("solve")
@click.argument("file")
@click.argument("right_side", metavar="[B]", required=False)
@source_format_option
@number_of_threads
@json_option
@how_to_set_up
@how_to_solve
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random right-hand side.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the solution: .npz (array x), .npy, or else one line an unknown."
)
@click.option("--plot", "picture", metavar="FILE", help="Draw how the residual falls.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    right_side: str | None,
    source_format: str | None,
    as_json: bool,
    smoother: str,
    aggregate: str,
    strength: float | None,
    block_size: int | None,
    floating: bool,
    cycle: str,
    tol: float,
    maxiter: int,
    seed: int,
    output: str | None,
    picture: str | None,
) -> None:
    """Solve a linear system by multigrid.

    The system is A x = b, with the symmetric positive definite matrix A in FILE; the method is conjugate gradients with
    multigrid as preconditioner. B is a file with b: .npy, .npz, a Matrix Market array, or text with one number a line.
    Without it b is random, uniform in [-1, 1) by --seed. The solution does not depend on the number of threads. The
    exit code is 1 if the tolerance was not reached.
    """
    from ..parallel import num_threads
    from ..solvers import smoothed_aggregation

    for source in filter(None, (file, right_side)):
        check_output(output, source, as_json)
    if right_side is not None and given(ctx, "seed"):
        raise click.UsageError("--seed is for a random right-hand side, but one was given")
    clock = Clock()
    graph = read(file, source_format, False, clock, weights=True)
    if graph.weights is None:
        raise ValueError(f"{shown_name(file)}: a pattern without values is no linear system")
    A = graph.to_scipy()
    n = A.shape[0]
    b = np.random.default_rng(seed).uniform(-1, 1, n) if right_side is None else read_vector(right_side, n)
    nullspace = np.ones(n) if floating else None
    with clock("setup"), working("setting up"):
        hierarchy = smoothed_aggregation(
            A, strength=strength, smoother=smoother, aggregate=aggregate, block_size=block_size, nullspace=nullspace
        )
    residuals: list[float] = []
    with clock("solve"), _told(hierarchy) as progress:
        x, why = _solved(hierarchy, b, cycle=cycle, tol=tol, maxiter=maxiter, residuals=residuals, progress=progress)
    reached = residuals[-1] / residuals[0] if residuals[0] else 0.0
    facts: Facts = {
        "file": file,
        "right_side": right_side,
        "seed": seed if right_side is None else None,
        "unknowns": n,
        "entries": A.nnz,
        "levels": [{"unknowns": level.A.shape[0], "entries": level.A.nnz} for level in hierarchy.levels],
        "operator_complexity": hierarchy.operator_complexity,
        "smoother": smoother,
        "aggregate": aggregate,
        "strength": strength,
        "cycle": cycle,
        "tol": tol,
        "iterations": len(residuals) - 1,
        "residuals": residuals,
        "converged": why is None,
        "crc32": fingerprint(x),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "setup_seconds": hierarchy.seconds,
        "output": output,
        "picture": picture,
    }
    if output is not None:
        how = ("smoother", "aggregate", "strength", "cycle", "tol", "converged", "crc32")
        made = {name: facts[name] for name in how}
        write_answer(output, "x", x, {"stablegraph": __version__, **made}, graph.nodes)
    if picture is not None:
        _draw(residuals, tol * residuals[0], picture, title=shown_name(Path(file).name))
    sizes = ", ".join(f"{level.A.shape[0]:,}" for level in hierarchy.levels)
    lines = {
        "levels": f"{sizes} unknowns, operator complexity {hierarchy.operator_complexity:.2f}",
        "smoother": f"{smoother}, {cycle}-cycle",
        "right side": shown_name(right_side) if right_side is not None else f"random, seed {seed}",
        "iterations": f"{len(residuals) - 1:,}, residual {reached:.2e} of the first",
        "converged": "yes" if why is None else f"no: {why}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    if picture is not None:
        lines["picture"] = picture
    title = f"{shown_name(file)}: {n:,} unknowns, {A.nnz:,} entries"
    show(as_json, facts, lines, title=title, stderr=output == "-")
    if why is not None:
        ctx.exit(1)


def _solved(hierarchy: Multigrid, b: Any, **how: Any) -> tuple[Any, str | None]:
    """The solution, and why it is not as good as it should be, if so."""
    from ..solvers import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        x = hierarchy.solve(b, **how)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, ConvergenceWarning)]
    return x, said[0] if said else None


@contextlib.contextmanager
def _told(hierarchy: Multigrid) -> Iterator[Callable[[int, float], None] | None]:
    """On a terminal: the hierarchy, and each residual as it is found."""
    console = console_for(stderr=True)
    if not console.is_terminal:
        yield None
        return
    console.print(repr(hierarchy), markup=False, style="dim")
    console.print("  iteration   residual", style="dim")

    def progress(iteration: int, size: float) -> None:
        console.print(f"  {iteration:9,d}   {size:.3e}")

    yield progress


def _draw(residuals: list[float], target: float, picture: str, title: str) -> None:
    from ..plot import convergence_figure

    with working("drawing"):
        save_picture(convergence_figure(residuals, target=target, title=title), picture)
