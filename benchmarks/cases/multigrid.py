"""Multigrid: iterations by aggregation and smoother as in the paper's Table V, and times of setup and solution.

Problems: the 7-point Laplacian of a 100^3 grid, to 1e-12 with two Jacobi sweeps ("Table V") and to 1e-8 with the
default smoother ("Poisson"); trilinear elasticity of a 48^3 grid with its six rigid-body modes, to 1e-8. Right-hand
sides are random. A sweep is an edge sweep of the matrix's own graph. PyAMG has its standard aggregates and no
improvement of candidates, so that both do the same work; it has one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from ..judges import residual_of
from ..machine import installed_version
from ..study import Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line, figures, graphs_in, in_order, markdown, provenance, sweep_row, thr

DEFAULT, THEIRS = "mis2, chebyshev", "PyAMG, standard, chebyshev"
JACOBI = {"undamped": 1.0, "damped": None}


@dataclass(frozen=True)
class Method:
    """A solver: `setup(A, B)` returns a hierarchy, `solve(hierarchy, b, tol)` returns (x, iterations)."""

    name: str
    setup: Callable[[Any, Any], Any]
    solve: Callable[[Any, Any, float], tuple[Any, int]]
    threads: bool = True  # whether it supports several threads


def ours(name: str, **options: Any) -> Method:
    """Return the multigrid of this package."""

    def solve(hierarchy: sg.Multigrid, b: Any, tol: float) -> tuple[Any, int]:
        residuals: list[float] = []
        return hierarchy.solve(b, tol=tol, residuals=residuals), len(residuals) - 1

    return Method(name, lambda A, B: sg.smoothed_aggregation(A, B, **options), solve)


def pyamgs(name: str, smoother: Any) -> Method:
    """Return PyAMG's multigrid, with standard aggregates."""

    def setup(A: Any, B: Any) -> Any:
        from pyamg import smoothed_aggregation_solver

        matrix = sp.csr_array(A) if B is None else sp.csr_array(A).tobsr((3, 3))
        options = {"improve_candidates": None, "max_coarse": 500}
        return smoothed_aggregation_solver(matrix, B, presmoother=smoother, postsmoother=smoother, **options)

    def solve(hierarchy: Any, b: Any, tol: float) -> tuple[Any, int]:
        steps: list[Any] = []
        x = hierarchy.solve(b, tol=tol, accel="cg", maxiter=200, callback=steps.append)
        return x, len(steps)

    return Method(f"PyAMG, {name}", setup, solve, threads=False)


@dataclass(frozen=True)
class System:
    """A matrix, its near-nullspace, and a right-hand side; made at the first use."""

    make: Callable[[], tuple[Any, Any]]

    @cached_property
    def parts(self) -> tuple[Any, Any, Any]:
        A, B = self.make()
        return A, B, np.random.default_rng(0).standard_normal(A.shape[0])

    def graph(self) -> sg.Graph:
        return sg.as_graph(self.parts[0])


@dataclass(frozen=True)
class Problem:
    """A system, and the methods that solve it to a tolerance."""

    system: System
    methods: list[Method]
    tol: float


def cases(name: str, _: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield setup and solution by each method, separately."""
    problem = problems(options.quick)[name]
    A, B, b = problem.system.parts
    for method in problem.methods:
        hierarchy = method.setup(A, B)  # the same for any number of threads

        def judge(answer: tuple[Any, int]) -> dict[str, Any]:
            remaining = residual_of(A, answer[0], b)
            if not remaining <= 2 * problem.tol:
                raise WrongResult(f"the residual is {remaining:.2g} of b, not {problem.tol:.2g}")
            return {"iterations": answer[1]}

        for count in options.threads if method.threads else [1]:
            setup = partial(method.setup, A, B)
            yield Case("setup", f"{method.name}: setup", lambda _, setup=setup: setup(), describe, threads=count)
            solve = partial(method.solve, hierarchy, b, problem.tol)
            yield Case("solve", f"{method.name}: solve", lambda _, solve=solve: solve(), judge, threads=count)


def describe(built: Any) -> dict[str, Any]:
    """Return the sizes of a hierarchy."""
    sizes = [level.A.shape[0] for level in built.levels]
    stored = [m for level in built.levels for m in (level.A, getattr(level, "P", None)) if m is not None]
    megabytes = sum(m.data.nbytes + m.indices.nbytes + m.indptr.nbytes for m in stored) / 1e6
    return {"levels": sizes, "entries": sum(level.A.nnz for level in built.levels), "MB of A and P": megabytes}


@cache
def problems(quick: bool) -> dict[str, Problem]:
    """Return the three problems by name."""
    side, elastic_side = (20, 8) if quick else (100, 48)
    poisson = System(lambda: (gallery.laplacian((side,) * 3), None))
    block = System(lambda: gallery.elasticity_3d((elastic_side,) * 3))
    table_v = [
        ours(f"{aggregate}, {word}", aggregate=aggregate, smoother=("jacobi", {"sweeps": 2, "damping": damping}))
        for word, damping in JACOBI.items()
        for aggregate in ("mis2", "kokkos", "mis2_basic")
    ]
    smoothers = ("chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel")
    default = [ours(f"mis2, {smoother}", smoother=smoother) for smoother in smoothers]
    default.append(ours("kokkos, chebyshev", aggregate="kokkos"))
    elastic = [ours("mis2, chebyshev")]
    if installed_version("pyamg"):
        undamped = {"iterations": 2, "omega": 1.0, "withrho": False}
        table_v += [
            pyamgs("standard, undamped", ("jacobi", undamped)),
            pyamgs("standard, damped", ("jacobi", {"iterations": 2, "omega": 4 / 3})),
        ]
        theirs = pyamgs(THEIRS.removeprefix("PyAMG, "), ("chebyshev", {"degree": 2, "lower_bound": 1 / 6}))
        default += [theirs, pyamgs("standard, gauss-seidel", ("gauss_seidel", {"sweep": "symmetric"}))]
        elastic.append(theirs)
    return {
        f"Table V, {side}^3": Problem(poisson, table_v, 1e-12),
        f"Poisson {side}^3": Problem(poisson, default, 1e-8),
        f"elasticity {elastic_side}^3": Problem(block, elastic, 1e-8),
    }


def graphs(options: Options) -> Graphs:
    """Yield the graphs of the problems' matrices."""
    for name, problem in problems(options.quick).items():
        yield name, problem.system.graph


def report(lines: list[Line]) -> str:
    """Show times in sweeps and iterations, one row per method and number of threads."""
    shown = figures(lines)
    parts = []
    for graph in graphs_in(lines):
        rows = []
        for name, threads in in_order(
            (algorithm.rpartition(":")[0], threads) for algorithm, threads, where in shown if where == graph
        ):
            setup, solve = (shown.get((f"{name}: {part}", threads, graph)) for part in ("setup", "solve"))
            if setup and solve:
                sizes = ", ".join(f"{size:,}" for size in setup.quality["levels"])
                figures_of_one = [
                    f"{value:,.0f}" for value in (setup.sweeps, solve.sweeps, setup.sweeps + solve.sweeps)
                ]
                iterations = str(solve.quality["iterations"])
                megabytes = f"{setup.quality['MB of A and P']:,.0f}"
                rows.append([f"{name}, {thr(threads)}", iterations, *figures_of_one, megabytes, sizes])
        sweep = sweep_row(lines, [graph])[1]
        head = [f"{graph} (one sweep: {sweep})", "iterations", "setup", "solve", "together", "MB of A and P", "levels"]
        parts.append(markdown(head, rows))
    return "\n\n".join([*parts, provenance(lines)])


STUDY = Study(
    __name__,
    (Part("systems", graphs, cases),),
    peers=("pyamg",),
    turns=True,
    machines={"cpu2": ("--threads", "2")},
    report=report,
)
