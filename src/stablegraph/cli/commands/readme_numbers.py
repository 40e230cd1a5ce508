"""``stablegraph bench --readme``: the three comparisons of the README, on this machine.

The graphs, the sizes and the checks of the answers are those of the README's table; there are fewer rounds, so that all
three together take less than a minute. Both sides alternate, and a ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.linalg import norm

import stablegraph as sg

from ...gallery import laplacian
from ..terminal import Facts

EDGES, SIDE, TOLERANCE = 1_000_000, 100, 1e-8
_IN_A_PROCESS = """
import sys, time
import numpy, scipy.sparse
{0}
matrix = scipy.sparse.load_npz(sys.argv[1])
count, labels = {1}
print(time.process_time(), count)
"""


def comparisons() -> Iterator[Facts]:
    """Yield the facts of each comparison; without its package, only the names."""
    draw, n = np.random.default_rng(EDGES), EDGES // 4
    u, v = draw.integers(0, n, (2, EDGES))
    edges = n, u, (v + (u == v)) % n, draw.random(EDGES)
    random = f"random graph, {n:,} vertices, {EDGES:,} edges"
    for call, what, graph, measure in (
        ("networkx.greedy_color", "equal colors, conversion included", random, _coloring),
        ("scipy.connected_components", "CPU time of a fresh process with one call", random, _components),
        ("pyamg.smoothed_aggregation_solver", f"setup and solution to {TOLERANCE:g}", f"Poisson {SIDE}^3", _system),
    ):
        facts: Facts = {"call": call, "what": what, "graph": graph, "missing": not find_spec(call.partition(".")[0])}
        if not facts["missing"]:
            times = list(measure(*edges))
            theirs, ours = (float(np.median(side)) for side in zip(*times, strict=True))
            ratio = float(np.median([other / own for other, own in times]))
            facts |= {"seconds_peer": theirs, "seconds": ours, "ratio": ratio, "rounds": len(times)}
        yield facts


def _require(right: bool) -> None:
    if not right:
        raise RuntimeError("an answer of the comparison is wrong")


def _timed(call: Callable[[], Any], check: Callable[[Any], bool]) -> float:
    start = time.perf_counter()
    answer = call()
    seconds = time.perf_counter() - start
    _require(check(answer))
    return seconds


def _coloring(n: int, *edges: Any) -> Iterator[tuple[float, float]]:
    import networkx as nx

    graph = nx.empty_graph(n)
    graph.add_weighted_edges_from(zip(*(part.tolist() for part in edges), strict=True))
    check = nx.greedy_color(graph, backend="stablegraph").__eq__  # also an untimed first call
    with nx.config(cache_converted_graphs=False):
        for _ in range(2):
            theirs = _timed(lambda: nx.greedy_color(graph, backend="networkx"), check)
            yield theirs, _timed(lambda: nx.greedy_color(graph, backend="stablegraph"), check)


def _components(n: int, u: Any, v: Any, weights: Any) -> Iterator[tuple[float, float]]:
    matrix = sp.coo_array((weights, (u, v)), shape=(n, n)).tocsr()
    matrix = matrix.maximum(matrix.T.tocsr())
    expected, labels = sg.connected_components(matrix)
    _require(sg.is_component_labeling(sg.as_graph(matrix, weights=False), labels))

    def process(imports: str, call: str) -> float:
        command = [sys.executable, "-c", _IN_A_PROCESS.format(imports, call), file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - a constant program
        seconds, count = done.stdout.split()
        _require(int(count) == expected)
        return float(seconds)

    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        sp.save_npz(file.name, matrix, compressed=False)
        for _ in range(3):
            theirs = process("from scipy.sparse import csgraph", "csgraph.connected_components(matrix, directed=False)")
            yield theirs, process("import stablegraph", "stablegraph.connected_components(matrix)")


def _system(*_: Any) -> Iterator[tuple[float, float]]:
    from pyamg import smoothed_aggregation_solver

    A = laplacian((SIDE,) * 3)
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    smoother = ("chebyshev", {"degree": 2, "lower_bound": 1 / 6})
    chosen = {"presmoother": smoother, "postsmoother": smoother, "improve_candidates": None, "max_coarse": 500}
    sides: list[Callable[[], Any]] = [
        lambda: smoothed_aggregation_solver(A, **chosen).solve(b, tol=TOLERANCE, accel="cg", maxiter=200),
        lambda: sg.smoothed_aggregation(A).solve(b, tol=TOLERANCE),
    ]
    sides[1]()  # untimed
    theirs, ours = (_timed(side, lambda x: norm(b - A @ x) <= 2 * TOLERANCE * norm(b)) for side in sides)
    yield theirs, ours
