"""Gauss-Seidel by points and by clusters: iterations that they precondition, sweeps, setups.

    python -m benchmarks.gauss_seidel DATA                                    # measure; half an hour, 8 GB of memory
    python -m benchmarks.gauss_seidel DATA --graphs 'bcsstk*,fem-*'           # some of the matrices
    python -m benchmarks.gauss_seidel --from-lines --page docs/gauss-seidel.md

Table VI of B. Kelley, S. Rajamanickam, IPDPS 2022: symmetric Gauss-Seidel as preconditioner of GMRES, without restart,
and of conjugate gradients (both SciPy's), to a relative residual of 1e-8, for a random right-hand side of a fixed seed;
on Laplace3D_100, Elasticity3D_60, and the finite-element matrices of DATA with more than 3,000 rows. DATA holds a
MANIFEST.tsv with the columns name, file, kind and vertices.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np
from scipy.sparse.linalg import cg, gmres

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult
from .report import Figure, Line, figures, in_order, markdown, provenance, put_between_markers
from .studies import Plan, lines_of, study_options

CLUSTERS = {"point": None, "cluster": "mis2"}
TOLERANCE, MOST = 1e-8, 800
MORE_THAN = 3000  # rows
# Table VI: iterations by points and by clusters; the coloring was not deterministic, so these are means of 50 runs.
PAPER = {"Laplace3D_100": (158.4, 144.6), "Elasticity3D_60": (328.2, 337.4)}


def solved_by_cg(A: Any, b: Any, M: Any) -> tuple[Any, int]:
    """The solution and the number of iterations."""
    steps: list[None] = []
    x, _ = cg(A, b, rtol=TOLERANCE, maxiter=MOST, M=M, callback=lambda _: steps.append(None))
    return x, len(steps)


class TooMany(Exception):
    """More iterations than are counted."""


def solved_by_gmres(A: Any, b: Any, M: Any) -> tuple[Any, int]:
    """The same without restart, but where the preconditioned residual is small before the residual is: SciPy goes on.

    SciPy sets room aside for all directions; what is not used takes no memory.
    """
    steps: list[None] = []

    def count(_: float) -> None:
        steps.append(None)
        if len(steps) == MOST:
            raise TooMany

    room = min(MOST, b.size)
    try:
        x, _ = gmres(A, b, rtol=TOLERANCE, restart=room, maxiter=MOST, M=M, callback=count, callback_type="pr_norm")
    except TooMany:
        x = np.zeros(b.size)
    return x, len(steps)


METHODS = {"CG": solved_by_cg, "GMRES": solved_by_gmres}


def judged(A: Any, b: Any, found: tuple[Any, int]) -> dict[str, Any]:
    """Iterations (None if there were too many) and the residual."""
    x, iterations = found
    residual = float(np.linalg.norm(b - A @ x) / np.linalg.norm(b))
    if iterations < MOST and residual > 10 * TOLERANCE:
        raise WrongResult(f"the residual is {residual:.1e} after {iterations} iterations")
    return {"iterations": iterations if iterations < MOST else None, "residual": residual}


def cases(graph: sg.Graph, threads: int) -> Iterator[Case]:
    """Setups, sweeps and solves with all threads."""
    A = graph.to_scipy()
    n = A.shape[0]
    b = np.random.default_rng(0).standard_normal(n)
    aggregated = partial(sg.aggregate, A)
    yield Case("setup", "aggregation", lambda _: aggregated(), lambda found: {"aggregates": found[0]}, threads)
    for name, clusters in CLUSTERS.items():
        made = partial(sg.gauss_seidel, A, clusters=clusters)
        yield Case("setup", f"setup, {name}", lambda _, made=made: made(), told, threads)
        smoother, x = made(), np.zeros(n)
        sweep = partial(smoother.sweep, x, b)
        yield Case("sweep", f"sweep, {name}", lambda _, sweep=sweep: sweep(), lambda _: {}, threads)
        M = smoother.aspreconditioner()
        for method, solve in METHODS.items():
            run = partial(solve, A, b, M)
            yield Case("solve", f"{method}, {name}", lambda _, run=run: run(), partial(judged, A, b), threads)


def told(smoother: sg.GaussSeidel) -> dict[str, Any]:
    """What a setup says of itself."""
    return {
        "clusters": smoother.num_clusters,
        "colors": smoother.num_colors,
        "bytes": smoother.nbytes,
        "phases": smoother.seconds,
    }


def systems(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Names, and what makes the matrices: small ones first."""
    if options.data:
        rows = list(csv.DictReader((options.data / "MANIFEST.tsv").open(encoding="utf-8"), delimiter="\t"))
        for row in sorted(rows, key=lambda row: int(row["vertices"])):
            wanted = "FEM matrix" in row["kind"] or "SPD" in row["kind"]
            if wanted and int(row["vertices"]) > MORE_THAN and ".mtx" in row["file"]:
                yield row["name"], partial(sg.read_graph, options.data / row["file"])
    if options.quick:
        yield "laplacian (small)", lambda: gallery.laplacian((12, 12, 12))
    else:
        yield "Laplace3D_100", lambda: gallery.laplacian((100, 100, 100))
        yield "Elasticity3D_60", lambda: gallery.elasticity_3d((60, 60, 60))[0]


def plan(options: argparse.Namespace) -> Plan:
    """All systems, each with all cases."""
    for name, make in systems(options):
        yield name, lambda make=make: sg.as_graph(make()), partial(cases, threads=max(options.threads))


def table(lines: list[Line]) -> str:
    """A row a matrix; systems that no preconditioner solves within `MOST` iterations are left out."""
    shown = figures(lines)
    threads = max(line["threads"] for line in lines)
    ratios: dict[str, list[float]] = {method: [] for method in METHODS}
    rows = []
    for graph in in_order(line["graph"] for line in lines):

        def of(algorithm: str, graph: str = graph) -> Figure | None:
            return shown.get((algorithm, threads, graph))

        row = [graph, f"{next(line['n'] for line in lines if line['graph'] == graph):,}"]
        for method in METHODS:
            counts = [
                figure and figure.quality["iterations"] for name in CLUSTERS for figure in [of(f"{method}, {name}")]
            ]
            if all(counts):
                ratios[method].append(counts[1] / counts[0])
            row.append(_pair(*(str(count) if count else None for count in counts)))
        for what, told in (("sweep", _sweeps), ("setup", _sweeps)):
            row.append(_pair(*(told(of(f"{what}, {name}")) for name in CLUSTERS)))
        row.append(_sweeps(of("aggregation")) or "")
        rows.append(row)
    mean = [f"{geometric_mean(ratios[m]):.3f}" if ratios[m] else "" for m in METHODS]
    rows.append(["*geometric mean of cluster : point*", "", *mean, "", "", ""])
    head = ["point → cluster", "rows", *METHODS, "symmetric sweep", "setup", "aggregation alone"]
    return "\n\n".join([markdown(head, rows), provenance(lines)])


def _sweeps(figure: Figure | None) -> str | None:
    return None if figure is None or math.isnan(figure.sweeps) else f"{figure.sweeps:.3g}"


def _pair(point: str | None, cluster: str | None) -> str:
    return f"{point or '-'} → {cluster or '-'}" if point or cluster else "-"


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the table, and on request put it into the page."""
    options = study_options("gauss_seidel", __doc__ or "", arguments)
    text = table(lines_of(options, plan(options)))
    print(text)
    if options.page:
        put_between_markers(options.page, text, "gauss-seidel")


if __name__ == "__main__":
    main()
