"""The numbers of the first page: stablegraph, NetworkX, SciPy and PyAMG in one run.

Each peer and each form of our call run alternately. Every answer is checked outside the timer. "Graph" is a call on a
prepared `Graph`. "SciPy matrix" is the same call on the matrix that SciPy receives; its time includes conversion and
checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import stablegraph as sg

from ..graphs import one_graph, pattern_of
from ..judges import judge_of_labels, residual_of
from ..study import Graphs, Options, Part, Study, WrongResult
from ..tables import Line, provenance
from . import multigrid
from .networkx_backend import CONVERTED, CONVERTING, NETWORKX, QUICK, Given, Turns

SCIPY, PYAMG = "SciPy", "PyAMG"
GRAPH, MATRIX, SETUP_AND_SOLUTION = "Graph", "SciPy matrix", "setup and solution"
COLORING, COMPONENTS, SYSTEM = "greedy_color", "connected_components", "smoothed_aggregation"
PEER = {COLORING: NETWORKX, COMPONENTS: SCIPY, SYSTEM: PYAMG}
ROUNDS = 9


def _turns(name: str, options: Options) -> Turns:
    rounds = 2 if options.quick else options.repeats or ROUNDS
    return Turns("first page", name, rounds, max(options.threads))


def random_edges(options: Options) -> Graphs:
    """Yield graphs of a million random edges."""
    for edges in QUICK if options.quick else [10**6]:
        yield f"{edges} edges", partial(Given, edges)


def coloring(_: str, arguments: Given, options: Options) -> Iterator[Line]:
    """Time NetworkX and its backend, with and without the conversion."""
    import networkx as nx

    from stablegraph.interop.networkx_backend.graph import convert_from_nx

    graph = arguments.dictionaries(nx, nx.Graph)
    converted, expected = convert_from_nx(graph), nx.greedy_color(graph)

    def with_conversion() -> Any:
        with nx.config(cache_converted_graphs=False):
            return nx.greedy_color(graph, backend="stablegraph")

    def check(colors: Any) -> None:
        if colors != expected:
            raise WrongResult("the colors differ from those of NetworkX")

    yield _turns(COLORING, options)(
        {
            NETWORKX: lambda: nx.greedy_color(graph),
            CONVERTING: with_conversion,
            CONVERTED: lambda: nx.greedy_color(converted),
        },
        check,
    )


def components(_: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Time SciPy, and both forms of our call; the matrix has float64 values, which SciPy need not convert."""
    matrix = pattern_of(graph, dtype=np.float64)
    ways: dict[str, Callable[[], Any]] = {
        SCIPY: lambda: csgraph.connected_components(matrix, directed=False),
        GRAPH: lambda: sg.connected_components(graph),
        MATRIX: lambda: sg.connected_components(matrix),
    }
    judge = judge_of_labels(graph, sg.is_component_labeling, dtype=np.int64)
    yield _turns(COMPONENTS, options)(ways, judge)


def system(name: str, _: sg.Graph, options: Options) -> Iterator[Line]:
    """Time PyAMG's smoothed aggregation and ours, with the same smoother and tolerance."""
    problem = multigrid.problems(options.quick)[name]
    A, B, b = problem.system.parts
    methods = {method.name: method for method in problem.methods}

    def solved(method: multigrid.Method) -> Any:
        return method.solve(method.setup(A, B), b, problem.tol)[0]

    def check(x: Any) -> None:
        if not (remaining := residual_of(A, x, b)) <= 2 * problem.tol:
            raise WrongResult(f"the residual is {remaining:.2g} of b, not {problem.tol:.2g}")

    ways = {PYAMG: multigrid.THEIRS, SETUP_AND_SOLUTION: multigrid.DEFAULT}
    yield _turns(SYSTEM, options)({way: partial(solved, methods[chosen]) for way, chosen in ways.items()}, check)


def systems(options: Options) -> Graphs:
    """Yield the graph of the Poisson problem's matrix."""
    return (pair for pair in multigrid.graphs(options) if pair[0].startswith("Poisson"))


def report(lines: list[Line]) -> str:
    """Show the seconds of all runs; `benchmarks/numbers.py` makes the table of the first page."""
    runs = [f"{x['algorithm']}, {way}: {times}" for x in lines for way, times in x["runs"].items()]
    return "\n".join([*runs, provenance(lines)])


STUDY = Study(
    __name__,
    (
        Part("coloring", random_edges, coloring),
        Part("components", one_graph("R4"), components),
        Part("system", systems, system),
    ),
    peers=("networkx", "scipy", "pyamg"),
    report=report,
)
