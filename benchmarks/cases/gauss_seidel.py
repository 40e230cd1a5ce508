"""Gauss-Seidel by points and by clusters: iterations as preconditioner, sweeps, setups.

Table VI of B. Kelley, S. Rajamanickam, IPDPS 2022: symmetric Gauss-Seidel as preconditioner of GMRES without restart,
and of conjugate gradients (both SciPy's), to a relative residual of 1e-8, for a random right-hand side with a fixed
seed. The systems are Laplace3D_100, Elasticity3D_60, and the real finite-element matrices with more than 3,000 rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np
from scipy.sparse.linalg import cg, gmres

import stablegraph as sg
from stablegraph import gallery

from .. import data
from ..judges import residual_of
from ..study import SMALL_MARK, Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Figure, Line, figures, graphs_in, markdown, with_provenance

CLUSTERS = {"point": None, "cluster": "mis2"}
TOLERANCE, MOST = 1e-8, 800
MORE_THAN = 3000  # rows
# Table VI: iterations by points and by clusters; the coloring was not deterministic, so these are means of 50 runs.
PAPER = {"Laplace3D_100": (158.4, 144.6), "Elasticity3D_60": (328.2, 337.4)}


def solved_by_cg(A: Any, b: Any, M: Any) -> tuple[Any, int]:
    """Return the solution and the number of iterations."""
    steps: list[None] = []
    x, _ = cg(A, b, rtol=TOLERANCE, maxiter=MOST, M=M, callback=lambda _: steps.append(None))
    return x, len(steps)


class TooMany(Exception):
    """The solver reached the maximum number of iterations."""


def solved_by_gmres(A: Any, b: Any, M: Any) -> tuple[Any, int]:
    """Return the solution and the number of iterations of GMRES without restart.

    SciPy restarts only if the preconditioned residual becomes small before the residual does. SciPy allocates space for
    all directions; its unused part takes no physical memory.
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


def judged(A: Any, b: Any, result: tuple[Any, int]) -> dict[str, Any]:
    """Return the iterations (None if there were too many) and the residual."""
    x, iterations = result
    residual = residual_of(A, x, b)
    if iterations < MOST and residual > 10 * TOLERANCE:
        raise WrongResult(f"the residual is {residual:.1e} after {iterations} iterations")
    return {"iterations": iterations if iterations < MOST else None, "residual": residual}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield setups, sweeps and solves with all threads."""
    A, threads = graph.to_scipy(), max(options.threads)
    n = A.shape[0]
    b = np.random.default_rng(0).standard_normal(n)
    aggregated = partial(sg.aggregate, A)
    yield Case("setup", "aggregation", lambda _: aggregated(), lambda answer: {"aggregates": answer[0]}, threads)
    for kind, clusters in CLUSTERS.items():
        result = partial(sg.gauss_seidel, A, clusters=clusters)
        yield Case("setup", f"setup, {kind}", lambda _, result=result: result(), told, threads)
        smoother, x = result(), np.zeros(n)
        sweep = partial(smoother.sweep, x, b)
        yield Case("sweep", f"sweep, {kind}", lambda _, sweep=sweep: sweep(), lambda _: {}, threads)
        M = smoother.aspreconditioner()
        for method, solve in METHODS.items():
            run = partial(solve, A, b, M)
            yield Case("solve", f"{method}, {kind}", lambda _, run=run: run(), partial(judged, A, b), threads)


def told(smoother: sg.GaussSeidel) -> dict[str, Any]:
    """Return the statistics that a setup reports."""
    return {
        "clusters": smoother.num_clusters,
        "colors": smoother.num_colors,
        "bytes": smoother.nbytes,
        "phases": smoother.seconds,
    }


def graphs(options: Options) -> Graphs:
    """Yield all systems: real ones first, small ones first; one small system with --quick."""
    if options.quick:
        yield f"laplacian{SMALL_MARK}", lambda: sg.as_graph(gallery.laplacian((12, 12, 12)))
        return
    for row in sorted(data.table("MANIFEST.tsv"), key=lambda row: int(row["vertices"])):
        wanted = "FEM matrix" in row["kind"] or "SPD" in row["kind"]
        if wanted and int(row["vertices"]) > MORE_THAN and ".mtx" in row["file"]:
            yield row["name"], partial(sg.read_graph, data.path_of(row))
    yield "Laplace3D_100", lambda: sg.as_graph(gallery.laplacian((100, 100, 100)))
    yield "Elasticity3D_60", lambda: sg.as_graph(gallery.elasticity_3d((60, 60, 60))[0])


def table(lines: list[Line]) -> str:
    """Show a row per matrix, without the systems that no preconditioner solves within `MOST` iterations."""
    shown = figures(lines)
    threads = max(line["threads"] for line in lines)
    ratios: dict[str, list[float]] = {method: [] for method in METHODS}
    rows = []
    for graph, n in graphs_in(lines).items():

        def of(algorithm: str, graph: str = graph) -> Figure | None:
            return shown.get((algorithm, threads, graph))

        row = [graph, f"{n:,}"]
        for method in METHODS:
            counts = [
                figure and figure.quality["iterations"] for name in CLUSTERS for figure in [of(f"{method}, {name}")]
            ]
            if all(counts):
                ratios[method].append(counts[1] / counts[0])
            row.append(_pair(*(str(count) if count else None for count in counts)))
        for what, reported in (("sweep", _sweeps), ("setup", _sweeps)):
            row.append(_pair(*(reported(of(f"{what}, {name}")) for name in CLUSTERS)))
        row.append(_sweeps(of("aggregation")) or "")
        rows.append(row)
    mean = [f"{geometric_mean(ratios[m]):.3f}" if ratios[m] else "" for m in METHODS]
    rows.append(["*geometric mean of cluster : point*", "", *mean, "", "", ""])
    head = ["point → cluster", "rows", *METHODS, "symmetric sweep", "setup", "aggregation alone"]
    return markdown(head, rows)


def _sweeps(figure: Figure | None) -> str | None:
    return None if figure is None or math.isnan(figure.sweeps) else f"{figure.sweeps:.3g}"


def _pair(point: str | None, cluster: str | None) -> str:
    return f"{point or '-'} → {cluster or '-'}" if point or cluster else "-"


STUDY = Study(
    __name__,
    (Part("systems", graphs, cases),),
    peers=("scipy",),
    data=f"finite-element matrices with more than {MORE_THAN:,} rows",
    report=with_provenance(table),
)
