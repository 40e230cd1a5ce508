"""Smoothers on real finite-element matrices: iterations and milliseconds.

Setup and solution by conjugate gradients to 1e-8, for a random right-hand side with a fixed seed, with the largest
number of threads in --threads. Some of the matrices are hard for multigrid: `solve` stops with a warning, and the table
shows the residual that it reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery

from .. import data
from ..study import SMALL_MARK, Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line, figures, graphs_in, markdown, with_provenance

SMOOTHERS = ("chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel")
MATRICES = ("fem-stanford-bunny-cotlap", "fem-igea-cotlap", "fem-hand-tet-p1", "bcsstk16", "bcsstk18")
TOLERANCE = 1e-8


def solved(A: Any, b: Any, smoother: str) -> tuple[Any, list[float]]:
    """Return the solution and the norms of the residuals, even if the tolerance was not reached."""
    residuals: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.ConvergenceWarning)
        x = sg.smoothed_aggregation(A, smoother=smoother).solve(b, tol=TOLERANCE, residuals=residuals)
    return x, residuals


def judged(A: Any, b: Any, result: tuple[Any, list[float]]) -> dict[str, Any]:
    """Return the iterations and the final residual, after checking that the reported residual is correct."""
    x, residuals = result
    size = float(np.linalg.norm(b - A @ x))
    if not np.isclose(size, residuals[-1], rtol=0.01, atol=1e-3 * TOLERANCE * residuals[0]):
        raise WrongResult(f"the residual is {size:.3g}, and not {residuals[-1]:.3g}")
    return {"iterations": len(residuals) - 1, "reached": residuals[-1] / residuals[0]}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield setup and solution with each smoother."""
    A = graph.to_scipy()
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    for smoother in SMOOTHERS:
        run = partial(solved, A, b, smoother)
        yield Case("solve", smoother, lambda _, run=run: run(), partial(judged, A, b), max(options.threads))


def graphs(options: Options) -> Graphs:
    """Yield the matrices; a small one with --quick."""
    if options.quick:
        yield f"laplacian{SMALL_MARK}", lambda: sg.as_graph(gallery.laplacian((30, 30)))
        return
    known = data.files()
    for name in MATRICES:
        if name in known:
            yield name, partial(sg.read_graph, known[name][0])


def table(lines: list[Line]) -> str:
    """Show one row per matrix and one column per smoother."""
    shown = {(graph, smoother): figure for (smoother, _, graph), figure in figures(lines).items()}
    rows = []
    for graph, n in graphs_in(lines).items():
        row = [graph, f"{n:,}"]
        for smoother in SMOOTHERS:
            figure = shown[graph, smoother]
            iterations, reached = figure.quality["iterations"], figure.quality["reached"]
            short = "" if reached <= TOLERANCE else f", only to {reached:.0e}"
            row.append(f"{iterations} ({figure.seconds * 1e3:,.0f} ms{short})")
        rows.append(row)
    return markdown(["iterations (setup and solve)", "unknowns", *SMOOTHERS], rows)


STUDY = Study(__name__, (Part("matrices", graphs, cases),), data=", ".join(MATRICES), report=with_provenance(table))
