"""Multigrid: iterations by aggregation and smoother as in the paper's Table V, and times of setup and solution.

Problems: the 7-point Laplacian of a 100^3 grid, to 1e-12 with two Jacobi sweeps ("Table V") and to 1e-8 with the
default smoother ("Poisson"); trilinear elasticity of a 64^3 grid with its six rigid-body modes, to 1e-8. Right-hand
sides are random. A sweep is an edge sweep of the matrix's own graph. PyAMG has its standard aggregates and no
improvement of candidates, so that both do the same work; it has one thread. Speed-ups are ratios of times, so these are
also measured alternately: setup and solution of one package, then of the other, for five rounds.
"""

from __future__ import annotations

import statistics
import time
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

DEFAULT, IN_TURN, ROUNDS = "mis2, chebyshev", "setup and solution, in turn", 5
THEIRS = "PyAMG, standard, chebyshev"
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


def in_turn(name: str, _: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the alternating comparison of our default with PyAMG: setup and solution, round by round."""
    problem = problems(options.quick)[name]
    A, B, b = problem.system.parts
    methods = [method for method in problem.methods if method.name == DEFAULT or not method.threads]
    if len(methods) < 2 or name.startswith("Table"):
        return

    def one(method: Method) -> tuple[float, float]:
        start = time.perf_counter()
        hierarchy = method.setup(A, B)
        middle = time.perf_counter()
        x, _ = method.solve(hierarchy, b, problem.tol)
        end = time.perf_counter()
        if not residual_of(A, x, b) <= 2 * problem.tol:
            raise WrongResult(f"{method.name} has not solved the system")
        return middle - start, end - middle

    def rounds(_: Any) -> dict[str, list[tuple[float, float]]]:
        measured: dict[str, list[tuple[float, float]]] = {method.name: [] for method in methods}
        for _ in range(1 if options.quick else ROUNDS):
            for method in methods:
                measured[method.name].append(one(method))
        return measured

    def judge(measured: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
        return {"rounds": measured}

    for count in options.threads:
        yield Case("in turn", IN_TURN, rounds, judge, threads=count, seconds=lambda result: sum(min(result[DEFAULT])))


def describe(built: Any) -> dict[str, Any]:
    """Return the sizes of a hierarchy."""
    sizes = [level.A.shape[0] for level in built.levels]
    stored = [m for level in built.levels for m in (level.A, getattr(level, "P", None)) if m is not None]
    megabytes = sum(m.data.nbytes + m.indices.nbytes + m.indptr.nbytes for m in stored) / 1e6
    return {"levels": sizes, "entries": sum(level.A.nnz for level in built.levels), "MB of A and P": megabytes}


@cache
def problems(quick: bool) -> dict[str, Problem]:
    """Return the three problems by name."""
    side, elastic_side = (20, 8) if quick else (100, 64)
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
    """Show times in sweeps and iterations, one row per method and number of threads; and the alternating comparison."""
    compared = [line for line in lines if line["algorithm"] == IN_TURN]
    lines = [line for line in lines if line["algorithm"] != IN_TURN]
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
    if compared:
        parts.append(_compared(compared))
    return "\n\n".join([*parts, provenance(lines)])


def _compared(lines: list[Line]) -> str:
    """Show the minimum times of the rounds; and of the ratios within them the median, the minimum and the maximum."""
    rows = []
    for line in lines:
        rounds = line["quality"]["rounds"]
        default_times = [sum(times) for times in rounds[DEFAULT]]
        for method, times in rounds.items():
            smallest = (min(part) for part in (*zip(*times, strict=True), map(sum, times)))
            ratios = sorted(sum(pair) / default for pair, default in zip(times, default_times, strict=True))
            shown = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
            threads = thr(line["threads"] if method == DEFAULT else 1)
            rows.append([f"{line['graph']}: {method}, {threads}", *(f"{1000 * part:,.0f}" for part in smallest), shown])
    head = ["in turn, milliseconds", "setup", "solve", "together", "times the first one's"]
    return markdown(head, rows)


PARTS = Part("systems", graphs, cases), Part("in turn", graphs, in_turn)
STUDY = Study(__name__, PARTS, peers=("pyamg",), report=report)
