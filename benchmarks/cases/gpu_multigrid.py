"""Multigrid on a GPU, compared with unpreconditioned conjugate gradients: setup, and solution of one system to 1e-8.

A cycle, replayed as a CUDA graph, is compared with its lower bound: the bytes that it must move (cycle_bytes.py),
divided by the rate at which the GPU copies memory. Memory is counted in CuPy's pool: the bytes of a hierarchy, and the
maximum during its setup. Each solution is judged by the residual b - A x, computed in double precision by CuPy. The
right-hand side is standard normal. The number of iterations differs by at most one from that of the same hierarchy on
the CPU; tests check this, not the benchmark.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime.cuda.gpu_code import cuda_available
from stablegraph._core.runtime.device import array_module, wait_for

from ..cycle_bytes import bytes_of_v_cycle
from ..study import SMALL_MARK, Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Figure, Line, figures, in_order, markdown, provenance

TOLERANCE = 1e-8
SMOOTHERS = ("chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel")
CYCLES = 20  # cycles per timing
COPIED = 1 << 30  # bytes
ALONE = "CuPy's cg, no preconditioner"


@dataclass(frozen=True)
class Problem:
    """A matrix on a GPU, its near-nullspace or None, and the graph of its pattern."""

    A: Any
    B: Any
    graph: sg.Graph


def _poisson(size: int) -> Problem:
    return _on_gpu(gallery.laplacian((size,) * 3), None)


def _elasticity(size: int) -> Problem:
    return _on_gpu(*gallery.elasticity_3d((size,) * 3))


def _on_gpu(A: Any, B: Any) -> Problem:
    from cupyx.scipy.sparse import csr_matrix

    xp = array_module("cuda")
    on_gpu = csr_matrix((xp.asarray(A.data), xp.asarray(A.indices), xp.asarray(A.indptr)), shape=A.shape)
    return Problem(on_gpu, None if B is None else xp.asarray(B), sg.as_graph((on_gpu.indptr, on_gpu.indices)))


PROBLEMS = {
    "Poisson 100^3": partial(_poisson, 100),
    "Poisson 200^3": partial(_poisson, 200),
    "elasticity 60^3": partial(_elasticity, 60),
    f"Poisson 20^3{SMALL_MARK}": partial(_poisson, 20),
    f"elasticity 8^3{SMALL_MARK}": partial(_elasticity, 8),
}


@cache
def problem_of(name: str) -> Problem:
    """Return the problem of that name."""
    return PROBLEMS[name]()


def cases(name: str, _: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield setup and solution by all smoothers, and CuPy's conjugate gradients."""
    problem = problem_of(name)
    A, xp = problem.A, array_module("cuda")
    b = xp.asarray(np.random.default_rng(0).standard_normal(A.shape[0]))

    def set_up(smoother: str) -> sg.Multigrid:
        solver = sg.smoothed_aggregation(A, problem.B, smoother=smoother)
        wait_for("cuda")
        return solver

    def measured_setup(smoother: str) -> dict[str, Any]:  # not the hierarchy, to free its memory
        solver = set_up(smoother)
        return {"levels": [level.A.shape[0] for level in solver.levels], "complexity": solver.operator_complexity}

    def memory(smoother: str) -> dict[str, Any]:
        import cupy

        pool = cupy.get_default_memory_pool()
        pool.free_all_blocks()
        used, held = pool.used_bytes(), pool.total_bytes()
        solver = set_up(smoother)
        result = {"hierarchy_bytes": pool.used_bytes() - used, "peak_bytes": pool.total_bytes() - held}
        del solver
        return result

    def cycles(solver: Any) -> Any:
        cycle = solver._cycle
        for _ in range(CYCLES):
            cycle.replay("V")
        wait_for("cuda")
        return cycle

    def judge_cycles(cycle: Any) -> dict[str, Any]:
        moved = bytes_of_v_cycle(cycle.levels, cycle.smoothers)
        return {"bytes": moved, "cycles": CYCLES, "floor": moved / copy_rate()}

    def solve(solver: sg.Multigrid) -> tuple[Any, int]:
        history: list[float] = []
        x = solver.solve(b, tol=TOLERANCE, residuals=history)
        wait_for("cuda")
        return x, len(history) - 1

    def alone(_: Any) -> tuple[Any, int]:
        from cupyx.scipy.sparse.linalg import cg

        steps = [0]

        def count(_: Any) -> None:
            steps[0] += 1

        tolerance = "rtol" if "rtol" in signature(cg).parameters else "tol"  # CuPy 14, like SciPy
        x, _ = cg(A, b, maxiter=10_000, callback=count, **{tolerance: TOLERANCE})
        wait_for("cuda")
        return x, steps[0]

    def judge(answer: tuple[Any, int]) -> dict[str, Any]:
        x, iterations = answer
        residual = float(xp.linalg.norm(b - A @ x) / xp.linalg.norm(b))
        if not residual <= 1.01 * TOLERANCE:
            raise WrongResult(f"the residual is {residual:.3g} times b")
        return {"iterations": iterations, "residual": residual}

    for smoother in SMOOTHERS:
        yield Case("multigrid", f"setup, {smoother}", lambda _, s=smoother: measured_setup(s), dict)
        yield Case("multigrid", f"solve, {smoother}", solve, judge, prepare=partial(set_up, smoother))
        yield Case("multigrid", f"cycle, {smoother}", cycles, judge_cycles, prepare=partial(set_up, smoother))
        yield Case("multigrid", f"memory, {smoother}", lambda _, s=smoother: memory(s), dict)
    yield Case("multigrid", ALONE, alone, judge)


@cache
def copy_rate() -> float:
    """Return the bytes read and written per second by a copy, the best of 10 runs."""
    import cupy

    source, target, times = cupy.zeros(COPIED, np.int8), cupy.empty(COPIED, np.int8), []
    for _ in range(10):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        target[:] = source
        last.record()
        last.synchronize()
        times.append(cupy.cuda.get_elapsed_time(first, last) / 1e3)
    return 2 * COPIED / min(times)


def graphs(options: Options) -> Graphs:
    """Yield the graphs of the problems' matrices."""
    if not cuda_available():
        print("left out: no CUDA device, or CuPy is not installed", file=sys.stderr)
        return
    for name in PROBLEMS:
        if name.endswith(SMALL_MARK) == options.quick:
            yield name, lambda name=name: problem_of(name).graph


def report(lines: list[Line]) -> str:
    """Show a row per job and a column per problem: milliseconds, with iterations."""
    shown = figures(lines)
    names = in_order(line["graph"] for line in lines)
    rows = []
    for job in in_order(line["algorithm"] for line in lines):
        row = [job]
        for name in names:
            result = next((figure for (j, _, g), figure in shown.items() if (j, g) == (job, name)), None)
            row.append("" if result is None else cell(result))
        rows.append(row)
    return f"{markdown([HEAD, *names], rows)}\n\n{provenance(lines)}"


HEAD = "ms (solve: iterations; cycle: ratio to its floor); memory in MB (peak of the setup)"


def cell(figure: Figure) -> str:
    """Format the result of one case."""
    quality = figure.quality
    if "peak_bytes" in quality:
        return f"{quality['hierarchy_bytes'] / 1e6:,.0f} ({quality['peak_bytes'] / 1e6:,.0f})"
    if "floor" in quality:
        seconds = figure.seconds / quality["cycles"]
        return f"{1e3 * seconds:.3g} ({seconds / quality['floor']:.2f} x)"
    steps = quality.get("iterations")
    return f"{1e3 * figure.seconds:.3g}" + (f" ({steps})" if steps else "")


STUDY = Study(__name__, (Part("problems", graphs, cases),), repeats=7, machines={"gpu": ()}, report=report)
