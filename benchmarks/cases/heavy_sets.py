"""Heavy independent sets: weights, proved bounds and times of `large_independent_set` with weights, and of peers.

The graphs are real ones, one of each of several kinds. The weight of vertex v is hash32(v) % 200 + 1.
`large_independent_set` has its 100 rounds; CHILS, the memetic search mmwis of KaMIS and CP-SAT of OR-Tools have 10
seconds each. Searches are timed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import stablegraph as sg
from stablegraph._core.runtime.arithmetic import hash32

from .. import data, peers
from ..graphs import six_graphs
from ..judges import judge_of_sets
from ..study import Case, Graphs, Judge, Options, Part, Study, WrongResult
from ..tables import Figure, Line, figures, graphs_in, markdown, with_provenance
from .large import QUICK_ROUNDS

OURS = "100 rounds"
SECONDS = 10  # limit of each peer
GRAPHS = ("bcsstk18", "Wordnet3", "luxembourg_osm", "mesh-armadillo")


class Bounded(NamedTuple):
    """The set that CP-SAT found, or None, and its bound."""

    mask: Any
    upper_bound: float
    optimal: bool


def graphs(options: Options) -> Graphs:
    """Yield the real graphs; one of the six small ones with --quick."""
    if options.quick:
        yield next(iter(six_graphs(options)))
    known = {} if options.quick else data.files()
    for name in GRAPHS:
        if name in known:
            yield name, partial(data.undirected, known[name][0])


def weights_of(graph: sg.Graph) -> Any:
    """Return the weights, from 1 to 200."""
    return np.array([hash32(v) % 200 + 1 for v in range(graph.num_vertices)])


def judge_of(graph: sg.Graph, weights: Any) -> Judge:
    """Return a judge of masks and of results with a bound that also returns the total weight."""
    verify = judge_of_sets(graph)

    def judge(result: Any) -> dict[str, Any]:
        if isinstance(result, Bounded):
            bound = {"upper_bound": result.upper_bound, "optimal": result.optimal}
            return bound | ({"weight": None} if result.mask is None else judge(result.mask))
        mask = np.asarray(result)
        quality = {**verify(mask), "weight": int(weights[mask].sum())}
        if not isinstance(result, sg.IndependentSet):
            return quality
        if not quality["weight"] == result.weight <= result.upper_bound:
            raise WrongResult(f"{result} has the weight {quality['weight']}")
        return {**quality, "upper_bound": result.upper_bound, "optimal": result.optimal, "rounds": result.rounds}

    return judge


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the default search, and all peers with the same limit."""
    weights, threads, seconds = weights_of(graph), max(options.threads), SECONDS
    judge = judge_of(graph, weights)
    search = partial(sg.large_independent_set, graph, weights=weights, rounds=QUICK_ROUNDS if options.quick else 100)
    yield Case("heavy sets", OURS, lambda _: search(), judge, threads=threads)
    if options.quick:
        return
    limits = dict.fromkeys(("CHILS", "KaMIS mmwis"), seconds)
    yield from _of_chszlab(graph, weights, judge, threads, limits)
    if cp_model := peers.module("ortools.sat.python.cp_model"):
        find = partial(_by_cp_sat, cp_model, graph, weights, threads)
        limit = {"time_limit": seconds}
        yield Case("heavy sets", "CP-SAT", lambda _: find(), judge, threads=threads, options=limit, warm=True)


def _of_chszlab(graph: sg.Graph, weights: Any, judge: Judge, threads: int, limits: dict[str, int]) -> Iterator[Case]:
    """Yield searches of chszlablib with these limits in seconds; only CHILS has threads."""
    chszlablib = peers.module("chszlablib")
    if not chszlablib:
        return
    problems = chszlablib.IndependenceProblems
    simple = graph.simple()  # a vertex with a loop would be in no set
    rows = simple.indptr.astype(np.int64), simple.indices.astype(np.int32)
    converted = chszlablib.Graph.from_csr(*rows, node_weights=weights)
    searches: dict[str, Callable[..., Any]] = {
        "CHILS": partial(problems.chils, num_concurrent=threads),
        "KaMIS mmwis": problems.mmwis,
    }
    for name, seconds in limits.items():

        def find(_: None, search: Any = searches[name], seconds: int = seconds) -> Any:
            mask = np.zeros(graph.num_vertices, bool)
            mask[search(converted, time_limit=seconds).vertices] = True
            return sg.maximal_independent_set(graph, include=mask)  # the set need not be maximal

        used = threads if name == "CHILS" else 1
        yield Case("heavy sets", name, find, judge, threads=used, options={"time_limit": seconds}, warm=True)


def _by_cp_sat(cp_model: Any, graph: sg.Graph, weights: Any, threads: int) -> Bounded:
    """Search with a Boolean variable for each vertex and a clause for each edge."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in range(graph.num_vertices)]
    edges = graph.to_scipy().tocoo()
    for u, v in zip(edges.row.tolist(), edges.col.tolist(), strict=True):
        if u < v:
            model.add_bool_or(~chosen[u], ~chosen[v])
    model.maximize(sum(int(weight) * one for weight, one in zip(weights, chosen, strict=True)))
    solver.parameters.max_time_in_seconds = SECONDS
    solver.parameters.num_workers = threads
    status = solver.solve(model)
    is_found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    mask = np.array([solver.boolean_value(one) for one in chosen]) if is_found else None
    if mask is not None:
        mask = sg.maximal_independent_set(graph, include=mask)
    return Bounded(mask, solver.best_objective_bound, status == cp_model.OPTIMAL)


def report(lines: list[Line]) -> str:
    """Show a row per graph: our weight, its gap to the bound and seconds, and the weights of the peers."""
    shown = {(graph, name): figure for (name, _, graph), figure in figures(lines).items()}
    names = [name for name in ("CHILS", "KaMIS mmwis", "CP-SAT") if any(key[1] == name for key in shown)]
    rows = []
    for graph, n in graphs_in(lines).items():
        if ours := shown.get((graph, OURS)):
            gap = 100 * (ours.quality["upper_bound"] / ours.quality["weight"] - 1)
            said = "proved" if ours.quality["optimal"] else f"{gap:.3f} %"
            cells = [f"{ours.quality['weight']:,}", said, f"{ours.seconds:.1f}"]
            rows.append([graph, f"{n:,}", *cells, *(_weight(shown.get((graph, name))) for name in names)])
    return markdown(["graph", "vertices", "weight", "gap to the bound", "seconds", *names], rows)


def _weight(figure: Figure | None) -> str:
    if figure is None:
        return ""
    weight = figure.quality["weight"]
    return "none" if weight is None else f"{weight:,}" + (" (proved)" if figure.quality.get("optimal") else "")


STUDY = Study(
    __name__,
    (Part("real", graphs, cases),),
    peers=("chszlablib", "ortools"),
    data=", ".join(GRAPHS),
    repeats=1,
    report=with_provenance(report),
)
