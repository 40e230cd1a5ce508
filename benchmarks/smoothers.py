"""Smoothers on real finite-element matrices: iterations and milliseconds (docs/multigrid.md).

    python -m benchmarks.smoothers DATA --page docs/multigrid.md    # measure; a minute
    python -m benchmarks.smoothers --quick                          # a small problem, nothing is kept; seconds

Setup and solution by conjugate gradients to 1e-8, for a random right-hand side of a fixed seed, with the most threads
asked for. DATA holds a MANIFEST.tsv with the columns name and file. Matrices that are hard for multigrid are among
them: there `solve` gives up, with a warning, and the table says how far it came.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult
from .report import Line, figures, in_order, markdown, provenance, put_between_markers
from .studies import Plan, lines_of, study_options

SMOOTHERS = ("chebyshev", "jacobi", "gauss-seidel", "cluster-gauss-seidel")
MATRICES = ("fem-stanford-bunny-cotlap", "fem-igea-cotlap", "fem-hand-tet-p1", "bcsstk16", "bcsstk18")
TOLERANCE = 1e-8


def solved(A: Any, b: Any, smoother: str) -> tuple[Any, list[float]]:
    """The solution, and the norms of the residuals; short of the tolerance if that cannot be helped."""
    residuals: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.ConvergenceWarning)
        x = sg.smoothed_aggregation(A, smoother=smoother).solve(b, tol=TOLERANCE, residuals=residuals)
    return x, residuals


def judged(A: Any, b: Any, found: tuple[Any, list[float]]) -> dict[str, Any]:
    """What the solution says of itself, if that is true."""
    x, residuals = found
    size = float(np.linalg.norm(b - A @ x))
    if not np.isclose(size, residuals[-1], rtol=0.01, atol=1e-3 * TOLERANCE * residuals[0]):
        raise WrongResult(f"the residual is {size:.3g}, and not {residuals[-1]:.3g}")
    return {"iterations": len(residuals) - 1, "reached": residuals[-1] / residuals[0]}


def cases(graph: sg.Graph, threads: int) -> Iterator[Case]:
    """Setup and solution with each smoother."""
    A = graph.to_scipy()
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    for smoother in SMOOTHERS:
        run = partial(solved, A, b, smoother)
        yield Case("solve", smoother, lambda _, run=run: run(), partial(judged, A, b), threads)


def plan(options: Any) -> Plan:
    """The matrices, or a small one."""
    files = {}
    if options.data:
        with (options.data / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
            files = {row["name"]: row["file"] for row in csv.DictReader(manifest, delimiter="\t")}
    made = [(name, partial(sg.read_graph, options.data / files[name])) for name in MATRICES if name in files]
    if options.quick:
        made.append(("laplacian (small)", lambda: sg.as_graph(gallery.laplacian((30, 30)))))
    for name, make in made:
        yield name, make, partial(cases, threads=max(options.threads))


def table(lines: list[Line]) -> str:
    """One row a matrix, one column a smoother."""
    shown = {(graph, smoother): figure for (smoother, _, graph), figure in figures(lines).items()}
    rows = []
    for graph in in_order(line["graph"] for line in lines):
        row = [graph, f"{next(line['n'] for line in lines if line['graph'] == graph):,}"]
        for smoother in SMOOTHERS:
            figure = shown[graph, smoother]
            iterations, reached = figure.quality["iterations"], figure.quality["reached"]
            short = "" if reached <= TOLERANCE else f", only to {reached:.0e}"
            row.append(f"{iterations} ({figure.seconds * 1e3:,.0f} ms{short})")
        rows.append(row)
    return "\n\n".join([markdown(["iterations (setup and solve)", "unknowns", *SMOOTHERS], rows), provenance(lines)])


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the table, and on request put it into the page."""
    options = study_options("smoothers", __doc__ or "", arguments)
    lines = lines_of(options, plan(options))
    text = table(lines)
    print(text)
    if options.page:
        put_between_markers(options.page, text, "smoothers")


if __name__ == "__main__":
    main()
