"""Colorings with constraints: slots with a capacity, fixed vertices and lists of allowed colors, for which one exists.

The slots are the colors of the default coloring and a third more, the capacity is 2 % above the mean, 8 % of the
vertices are fixed and 11 % have four allowed colors, drawn from a known solution. CP-SAT of OR-Tools, if it is
installed, and NetworkX's `equitable_color`, which needs more colors than the largest degree, are compared on small
graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import stablegraph as sg

from .. import data
from ..graphs import six_graphs
from ..judges import judge_by
from ..study import Best, Case, Graphs, Judge, Options, Part, Study

INSTANCES = ("school1_nsh", "le450_15b", "DSJC500.1", "ca-CondMat")
SMALL = 1_000  # vertices of graphs for the peers
PEER_SECONDS = 20.0


def graphs(options: Options) -> Graphs:
    """Yield the real graphs, and the six graphs of the papers."""
    known = {} if options.quick else data.files()
    for name in INSTANCES:
        if name in known:
            yield name, partial(data.undirected, known[name][0])
    yield from six_graphs(options)


def constraints(graph: sg.Graph) -> dict[str, Any]:
    """Return constraints that a known coloring satisfies."""
    rng, n = np.random.default_rng(0), graph.num_vertices
    k = int(np.ceil(sg.vertex_coloring(graph).max(initial=0) * 4 / 3)) + 1
    capacity = int(np.ceil(1.02 * n / k))
    known = rng.permutation(k)[sg.vertex_coloring(graph, colors=k, capacity=capacity)]
    drawn = rng.permutation(n)
    fixed = np.full(n, -1)
    fixed[drawn[: n * 8 // 100]] = known[drawn[: n * 8 // 100]]
    restricted = drawn[n * 8 // 100 : n * 19 // 100].tolist()
    allowed = {v: sorted({int(known[v]), *rng.integers(0, k, 3).tolist()}) for v in restricted}
    return {"colors": k, "capacity": capacity, "fixed": fixed, "allowed": allowed}


def judge_of(graph: sg.Graph, limits: dict[str, Any]) -> Judge:
    """Return a judge that checks every constraint; the spread of the loads is the quality."""
    k, checked = limits["colors"], {name: limits[name] for name in ("capacity", "fixed", "allowed")}
    return judge_by(
        lambda colors: sg.explain(sg.is_proper_coloring, graph, colors, **checked),
        lambda colors: np.ascontiguousarray(colors, np.int32).tobytes(),
        lambda colors: {"slots": k, "spread": int(np.ptp(np.bincount(colors, minlength=k)))},
    )


def solve_by_cp_sat(graph: sg.Graph, limits: dict[str, Any]) -> np.ndarray:
    """Return a coloring by OR-Tools, or raise an error if it finds none in time."""
    from ortools.sat.python import cp_model

    n, k = graph.num_vertices, limits["colors"]
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    has = [[model.new_bool_var("") for _ in range(k)] for _ in range(n)]
    for v in range(n):
        model.add_exactly_one(has[v])
        allowed = [limits["fixed"][v]] if limits["fixed"][v] >= 0 else limits["allowed"].get(v, range(k))
        for color in set(range(k)) - set(allowed):
            model.add(has[v][color] == 0)
    for u, v in zip(graph._rows().tolist(), graph.indices.tolist(), strict=True):
        for color in range(k if u < v else 0):
            model.add_at_most_one(has[u][color], has[v][color])
    for color in range(k):
        model.add(sum(has[v][color] for v in range(n)) <= limits["capacity"])
    solver.parameters.max_time_in_seconds = PEER_SECONDS
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise TimeoutError(f"CP-SAT found no coloring in {PEER_SECONDS:g} s")
    return np.array([[solver.value(x) for x in row].index(1) for row in has])


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the coloring with all constraints, the even coloring, and the peers on small graphs."""
    limits = constraints(graph)
    judge = judge_of(graph, limits)
    even = {"colors": limits["colors"], "capacity": graph.num_vertices, "fixed": None, "allowed": {}}
    shown = {"slots": limits["colors"], "capacity": limits["capacity"]}
    yield Case("timetable", "all constraints", lambda _: sg.vertex_coloring(graph, **limits), judge, options=shown)
    yield Case(
        "timetable",
        "slots only",
        lambda _: sg.vertex_coloring(graph, colors=limits["colors"]),
        judge_of(graph, {**even, "fixed": np.full(graph.num_vertices, -1)}),
        options=shown,
    )
    if graph.num_vertices <= SMALL and find_spec("ortools"):
        yield Case("timetable", "OR-Tools CP-SAT", lambda _: solve_by_cp_sat(graph, limits), judge, options=shown)


BEST = (Best("slots with constraints", "timetable", "all constraints", "OR-Tools*"),)
STUDY = Study(__name__, (Part("slots", graphs, cases),), peers=("ortools",), repeats=3, turns=True, best=BEST)
