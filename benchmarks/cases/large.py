"""Large independent sets: their sizes, their times, and their distance from the proved bounds.

The graphs are the six benchmark graphs, and real graphs of several kinds that BEST.tsv lists (columns name and
kamis_redumis_60s: sizes that KaMIS found within a minute). On each run: every good maximal set, with all threads; peers
installable with pip; `large_independent_set` with 0, 1, 10, 100 (the default) and 1000 rounds. A search of more than a
second is timed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import stablegraph as sg

from .. import data, peers
from ..graphs import six_graphs
from ..judges import judge_of_sets
from ..study import Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line
from .large_report import METHODS, ROUNDS, Results, draw, large

QUICK_ROUNDS = 10
REAL = ("ca-AstroPh", "as-caida20071105", "mesh-stanford-bunny", "uk-2007-05_100000", "road-NY-contracted", "wave")


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield maximal sets, ours and the peers', and large sets by rounds."""
    threads = max(options.threads)
    kamis = None if options.quick else known_sizes().get(name)
    rounds = {large(count): count for count in ROUNDS if count <= QUICK_ROUNDS or not options.quick}
    verify = judge_of_sets(graph)
    known = {"kamis": kamis} if kamis else {}

    def judge(answer: sg.IndependentSet) -> dict[str, Any]:
        quality = verify(answer.mask)
        if not quality["size"] == answer.size <= answer.upper_bound or answer.upper_bound < (kamis or 0):
            raise WrongResult(f"{answer} has {quality['size']} vertices; known is {kamis}")
        proof = {"upper_bound": answer.upper_bound, "optimal": answer.optimal, "rounds": answer.rounds}
        return {**quality, **proof, **known}

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
            run,
            judge,
            threads=threads,
            options={"rounds": count},
            seed=0,
            warm=count > 1,  # the shortest search warms up for the longer ones
        )


def _maximal_set(graph: sg.Graph, options: dict[str, str], _: None) -> Any:
    return sg.maximal_independent_set(graph, **options)


def _large_set(graph: sg.Graph, rounds: int, _: None) -> Any:
    return sg.large_independent_set(graph, rounds=rounds)


def known_sizes() -> dict[str, int]:
    """Map the name of a graph to the size that KaMIS found."""
    return {row["name"]: int(row["kamis_redumis_60s"]) for row in data.table("BEST.tsv")}


def real_graphs(options: Options) -> Graphs:
    """Yield the real graphs of known sizes; none with --quick."""
    files, known = data.files(), known_sizes()
    for name in REAL:
        if name in known and not options.quick:
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
    longest=1.0,
    fewest=1,
    report=report,
    pictures={"large-sets.png": draw},
)
