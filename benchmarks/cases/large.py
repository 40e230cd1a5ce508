"""Large independent sets: their sizes, their times, and their distance from the proved bounds.

The graphs are the six benchmark graphs, and the real graphs of BEST.tsv (columns name and kamis_redumis_60s: sizes that
KaMIS found within a minute). On each run: every good maximal set, with all threads; peers installable with pip;
`large_independent_set` with 0, 1, 10, 100 (the default) and 1000 rounds, and on some graphs for a minute. A search of
more than a second is timed once; its line contains the sizes over time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import stablegraph as sg

from .. import data, peers
from ..graphs import six_graphs
from ..judges import judge_of_sets
from ..study import Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line
from .large_report import A_MINUTE, METHODS, ROUNDS, Results, draw, large

LONG = 1.0  # seconds; longer searches are timed once
QUICK_ROUNDS = 10
# Rounds that take about a minute, on the graphs where the result is compared with a minute of KaMIS.
MINUTE = {
    "R4": 8000,
    "DE": 15000,
    "mesh-stanford-bunny": 3000,
    "delaunay_n16": 1500,
    "road-NY-contracted": 4000,
    "wave": 10000,
    "USA-road-d.NY": 2500,
}
KAMIS = {"DE": 326209}  # result of its redumis after a minute on a graph that is not in BEST.tsv


@dataclass(frozen=True)
class Search:
    """The result of `large_independent_set`, its time, and the sizes over time as [seconds, size]."""

    found: sg.IndependentSet
    seconds: float
    path: list[tuple[float, int]]


def search(graph: sg.Graph, rounds: int) -> Search:
    """Run the search, and record each larger set, at most forty per decade of time."""
    path: list[tuple[float, int]] = []
    start = time.perf_counter()

    def note(done: int, size: int, upper_bound: int) -> None:
        seconds = time.perf_counter() - start
        if not path or size > path[-1][1]:
            if len(path) > 1 and path[-1][0] < 1.06 * path[-2][0]:
                path.pop()
            path.append((round(seconds, 4), size))

    result = sg.large_independent_set(graph, rounds=rounds, progress=note)
    return Search(result, time.perf_counter() - start, path)


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield maximal sets, ours and the peers', and large sets by rounds."""
    threads = max(options.threads)
    kamis = None if options.quick else KAMIS.get(name, known_sizes().get(name))
    rounds = {large(count): count for count in ROUNDS if count <= QUICK_ROUNDS or not options.quick}
    if name in MINUTE and not options.quick:
        rounds[A_MINUTE] = MINUTE[name]
    verify = judge_of_sets(graph)
    known = {"kamis": kamis} if kamis else {}

    def judge(result: Search) -> dict[str, Any]:
        quality, answer = verify(result.found.mask), result.found
        if not quality["size"] == answer.size <= answer.upper_bound or answer.upper_bound < (kamis or 0):
            raise WrongResult(f"{answer} has {quality['size']} vertices; known is {kamis}")
        proof = {"upper_bound": answer.upper_bound, "optimal": answer.optimal, "rounds": answer.rounds}
        return {**quality, **proof, **known, "path": result.path}

    for name, chosen in METHODS.items():
        run = partial(_maximal_set, graph, chosen)
        yield Case("large sets", name, run, lambda m: {**verify(m), **known}, threads=threads, options=chosen, seed=0)
    for peer in peers.set_cases(graph, threads):
        yield Case("large sets", peer.algorithm, peer.run, peer.judge, threads=peer.threads, options=peer.options)
    for name, count in rounds.items():
        run = partial(_large_set, graph, count)
        yield Case(
            "large sets",
            name,
            _once_if_long(run) if count > 1 else run,  # the shortest search warms up for the longer ones
            judge,
            threads=threads,
            options={"rounds": count},
            seed=0,
            seconds=lambda result: result.seconds,
        )


def _maximal_set(graph: sg.Graph, options: dict[str, str], _: None) -> Any:
    return sg.maximal_independent_set(graph, **options)


def _large_set(graph: sg.Graph, rounds: int, _: None) -> Search:
    return search(graph, rounds)


def _once_if_long(run: Callable[[None], Search]) -> Callable[[None], Search]:
    """Wrap a search so that after a long first call, further calls return the same result."""
    done: list[Search] = []

    def run_or_recall(nothing: None) -> Search:
        if not done or done[-1].seconds < LONG:
            done.append(run(nothing))
        return done[-1]

    return run_or_recall


def known_sizes() -> dict[str, int]:
    """Map the name of a graph to the size that KaMIS found."""
    return {row["name"]: int(row["kamis_redumis_60s"]) for row in data.table("BEST.tsv")}


def real_graphs(options: Options) -> Graphs:
    """Yield the graphs of BEST.tsv, small ones first."""
    files = data.files()
    for name in sorted(known_sizes(), key=lambda name: files[name][1]):
        if not options.quick:
            yield name, partial(data.undirected, files[name][0])


def report(lines: list[Line]) -> str:
    """Show all tables."""
    return Results(lines).tables()


STUDY = Study(
    __name__,
    (Part("six", partial(six_graphs, small_mark=""), cases), Part("real", real_graphs, cases)),
    peers=("pyamg", "networkit", "networkx"),
    data="the graphs of its table BEST.tsv",
    repeats=3,
    report=report,
    pictures={"large-sets.png": draw},
)
