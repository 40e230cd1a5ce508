"""Solvers: solutions compared with dense ones, and the documented properties of sweeps."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import numpy as np

from stablegraph._core import option_names as names

from .cases import Code, Options, Targets, must
from .input_graphs import InputGraph

TARGETS = Targets()

_MATRIX = (
    "pattern = sg.as_graph(graph).to_scipy().toarray() != 0\n"
    "np.fill_diagonal(pattern, False)\n"
    "A = sp.csr_array(np.diag(pattern.sum(axis=1) + 0.5) - pattern)\n"
    "b = np.cos(np.arange(A.shape[0]))\n"
)


def _dense(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the matrix of the program, its right-hand side, and the solution."""
    n = graph.num_vertices
    A = np.zeros((n, n))
    A[np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices] = -1
    np.fill_diagonal(A, 0)
    A += np.diag(0.5 - A.sum(axis=1))
    b = np.cos(np.arange(n))
    return A, b, np.linalg.solve(A, b)


def _draw_multigrid(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {"smoother": random.choice(get_args(names.Smoother)), "coarse_size": random.choice([1, 3, 500])}
    options["aggregate"] = random.choice(get_args(names.Aggregation))
    options["max_levels"] = random.choice([1, 2, 20]) if options["coarse_size"] == 500 else 20
    if random.random() < 0.3:
        options["strength"] = random.choice([0.0, 0.2, 0.9])
    options["cycle"] = random.choice(get_args(names.Cycle))
    return options


@TARGETS.of(
    "smoothed_aggregation",
    _draw_multigrid,
    code=_MATRIX + "solver, residuals = sg.smoothed_aggregation(A, {options}), []\n"
    "answer = solver.solve(b, cycle={cycle}, residuals=residuals), np.array(residuals)",
    wrong="smoother: choice, coarse_size: count, aggregate: choice, max_levels: count, strength: strength, "
    "cycle: choice",
)
def _check_multigrid(graph: Any, options: Options, answer: Any) -> None:
    x, residuals = answer
    A, b, exact = _dense(graph)
    must(x.shape == b.shape and np.isfinite(x).all(), "the solution is not finite")
    if b.size:
        must(np.linalg.norm(b - A @ x) <= 1.01e-8 * np.linalg.norm(b), "the residual is too large")
        must(np.abs(x - exact).max() <= 1e-5 * (1 + np.abs(exact).max()), "it is not the solution")
        must(np.isclose(residuals[0], np.linalg.norm(b)), "the first residual is not that of b")


def _draw_solve(random: Random, input_graph: InputGraph) -> Options:
    return {"method": random.choice(get_args(names.SolveMethod)), "tol": random.choice([1e-4, 1e-8, 1e-10])}


@TARGETS.of(
    "solve",
    _draw_solve,
    code=_MATRIX + "answer = sg.solve(A, b, {options}, return_info=True)",
    wrong="method: choice",
)
def _check_solve(graph: Any, options: Options, answer: Any) -> None:
    x, info = answer
    A, b, _ = _dense(graph)
    must(x.shape == b.shape and np.isfinite(x).all(), "the solution is not finite")
    must(options["method"] in ("auto", info["method"]), "another method was used")
    if b.size:
        must(np.linalg.norm(b - A @ x) <= 1.01 * options["tol"] * np.linalg.norm(b), "the residual is too large")


def _draw_sweeps(random: Random, input_graph: InputGraph) -> Options:
    clusters = random.choice([None, *get_args(names.Aggregation), Code("np.arange(A.shape[0]) // 3")])
    return {"clusters": clusters, "symmetric": random.random() < 0.5, "sweeps": random.randint(1, 3)}


@TARGETS.of(
    "gauss_seidel",
    _draw_sweeps,
    code=_MATRIX + "smoother = sg.gauss_seidel(A, {options})\n"
    "kept = smoother.sweep(np.linalg.solve(A.toarray(), b), b)\n"
    "swept = smoother.sweep(np.zeros(b.size), b)\n"
    "answer = kept, swept, smoother.sweep(swept.copy(), b)",
    wrong="clusters: choice, symmetric: truth, sweeps: count",
)
def _check_sweeps(graph: Any, options: Options, answer: Any) -> None:
    kept, swept, x = answer
    A, b, exact = _dense(graph)
    must(np.allclose(kept, exact, rtol=1e-9, atol=1e-9), "the solution is not kept")

    def energy(x: np.ndarray) -> float:
        return float((x - exact) @ A @ (x - exact))

    must(energy(swept) <= energy(np.zeros(b.size)) * (1 + 1e-9) + 1e-18, "the error grows")
    must(energy(x) <= energy(swept) * (1 + 1e-9) + 1e-18, "the error grows in a second sweep")
