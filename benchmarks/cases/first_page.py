"""The numbers of the first page: stablegraph, NetworkX and PyAMG in one run; `first_call` compares with SciPy.

Each peer and our call run alternately. Every answer is checked outside the timer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import stablegraph as sg

from ..judges import residual_of
from ..study import Graphs, Options, Part, Study, WrongResult
from ..tables import Line, provenance
from . import multigrid
from .networkx_backend import CONVERTING, NETWORKX, QUICK, Given, Turns

SCIPY, PYAMG = "SciPy", "PyAMG"
SETUP_AND_SOLUTION = "setup and solution"
COLORING, SYSTEM = "greedy_color", "smoothed_aggregation"
PEER = {COLORING: NETWORKX, SYSTEM: PYAMG}
ROUNDS = {COLORING: 9, SYSTEM: 5}


def _turns(name: str, options: Options) -> Turns:
    rounds = 2 if options.quick else options.repeats or ROUNDS[name]
    return Turns("first page", name, rounds, max(options.threads))


def random_edges(options: Options) -> Graphs:
    """Yield graphs of a million random edges."""
    for edges in QUICK if options.quick else [10**6]:
        yield f"{edges} edges", partial(Given, edges)


def coloring(_: str, arguments: Given, options: Options) -> Iterator[Line]:
    """Time NetworkX and its backend, with the conversion."""
    import networkx as nx

    graph = arguments.dictionaries(nx, nx.Graph)
    expected = nx.greedy_color(graph)

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
        },
        check,
    )


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
        Part("system", systems, system),
    ),
    peers=("networkx", "pyamg"),
    report=report,
)
