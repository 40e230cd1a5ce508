"""Maximal independent sets: the six graphs, all orders, one and two threads, SciPy matrices, and the peers.

The parts: ``sets`` are calls on a Graph, every order on every number of threads; ``peers`` PyAMG's serial and
"parallel" sets, NetworKit's Luby and NetworkX (on a small graph), compared with ours; ``ways`` the whole call on a
SciPy matrix that was never passed before. igraph is left out: it enumerates all independent sets, or finds
the largest one, which takes exponential time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import get_args

import stablegraph as sg
from stablegraph._core import option_names as names

from .. import peers
from ..graphs import SMALL, six_graphs, unseen_matrix
from ..judges import judge_of_sets
from ..study import SMALL_MARK, Best, Case, Graphs, Options, Part, Study
from ..tables import Line, table_of_times, threads_in_words, with_provenance

SETS = ("degree", "natural", "ecl", "random", "luby")  # orders, and other algorithms


def set_cases(name: str, graph: sg.Graph, options: Options, sets: tuple[str, ...] = SETS) -> Iterator[Case]:
    """Yield our own sets, on a prepared Graph: by orders and by other algorithms."""
    judge = judge_of_sets(graph)
    for one in sets:
        chosen = {"priority" if one in get_args(names.Priority) else "algorithm": one}
        find = partial(sg.maximal_independent_set, graph, **chosen)
        for count in options.threads:
            yield Case("mis", f"stablegraph {one}", lambda _, find=find: find(), judge, count, options=chosen, seed=0)


def peer_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the peers; on a small graph also ours."""
    if name.endswith(SMALL_MARK) and not options.quick:
        yield from set_cases(name, graph, options, ("degree", "luby"))
    yield from peers.set_cases(graph, max(options.threads))


def graphs_of_peers(options: Options) -> Graphs:
    """Yield the six graphs, and a small one for NetworkX."""
    yield from six_graphs(options)
    if not options.quick:
        yield f"G2{SMALL_MARK}", SMALL["G2"]


def way_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield calls on a SciPy matrix that was never passed before."""
    for count in [max(options.threads)]:
        yield Case(
            "mis",
            "stablegraph degree, SciPy matrix",
            lambda matrix: sg.maximal_independent_set(matrix),
            judge_of_sets(graph),
            threads=count,
            options={"priority": "degree", "prepared": False},
            seed=0,
            prepare=partial(unseen_matrix, graph),
        )


def table_of_sets(lines: list[Line]) -> str:
    """Show times in sweeps, sizes in brackets: one row per algorithm and number of threads, one column per graph."""
    sets = [line for line in lines if line["problem"] == "mis"]
    large = [line for line in sets if not line["graph"].endswith(SMALL_MARK)]
    return table_of_times(large or sets, "time in edge sweeps (set size)", threads=threads_in_words)


STUDY = Study(
    __name__,
    (
        Part("sets", six_graphs, set_cases),
        Part("peers", graphs_of_peers, peer_cases),
        Part("ways", six_graphs, way_cases),
    ),
    peers=("pyamg", "networkit", "networkx"),
    quick_repeats=3,
    turns=True,
    best=(Best("a maximal independent set", "mis", "stablegraph natural", "PyAMG*;NetworKit*"),),
    report=with_provenance(table_of_sets),
)
