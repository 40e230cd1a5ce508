"""Graphs in partitions: compared with one process, and replayed for up to 4,096 partitions.

Times are those of two worker processes of one thread each, compared with one process of two threads. The runs
alternate, and the minimum is shown. The workers share a machine with the client and the scheduler, so the times show
the cost of a round, but not the effect of a network. Replayed runs (benchmarks/replay.py) are counted, not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import dask
import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from .. import replay
from ..graphs import one_graph, pattern_of, six_graphs
from ..study import Options, Part, Study
from ..tables import Line, markdown, under_headings

PARTITIONS = 4
RUNS = 3
EMPTY_ROUNDS = 10
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "set": sg.maximal_independent_set,
    "set, distance 2": lambda graph, **info: sg.maximal_independent_set(graph, 2, **info),
    "components": sg.connected_components,
    "search": lambda graph, **info: sg.breadth_first_search(graph, 0, **info),
    "coloring by degree and hash": lambda graph, **info: sg.vertex_coloring(graph, ties="hash", reduce="none", **info),
    "forest": sg.minimum_spanning_forest,
}
REPLAYED = (2, 8, 32, 128, 512, 2048, 4096)


def nothing(part: Any, state: Any, inbox: Any) -> Any:
    """Run a superstep that does nothing."""
    return state, None, None


def seconds_of_an_empty_round(graph: Any) -> float:
    """Return the mean time of a superstep that does nothing."""
    from stablegraph.cluster.supersteps import Supersteps

    empty = Supersteps(graph, "empty")
    empty.step(nothing)
    began = time.perf_counter()
    for _ in range(EMPTY_ROUNDS):
        empty.step(nothing)
    return (time.perf_counter() - began) / EMPTY_ROUNDS


def _fetched(answer: Any) -> list[Any]:
    """Fetch the arrays and numbers of an answer into this process."""
    if hasattr(answer, "to_scipy"):
        answer = answer.to_scipy()
    if sp.issparse(answer):
        return [answer.indptr, answer.indices, answer.data]
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [part for part in dask.compute(*parts) if not isinstance(part, dict)]


def beside(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Run each function on two workers and in one process; record rounds, bytes, and the time of an empty round."""
    from distributed import Client

    from stablegraph import distributed

    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        split = distributed.from_graph(graph, PARTITIONS, client=client)
        of_a_round = seconds_of_an_empty_round(split)
        for function, run in FUNCTIONS.items():
            on_one_machine, in_partitions = [], []
            for _ in range(RUNS + 1):  # the first run warms up
                began = time.perf_counter()
                wanted = _fetched(run(graph))
                on_one_machine.append(time.perf_counter() - began)
                began = time.perf_counter()
                answer = run(split, return_info=True)
                in_partitions.append(time.perf_counter() - began)
                answer = answer if isinstance(answer, tuple) else (answer,)
            info = answer[-1]
            result = _fetched(answer[0] if len(answer) == 2 else answer[:-1])
            same = all(np.array_equal(one, other) for one, other in zip(result, wanted, strict=True))
            yield {
                "problem": "beside",
                "function": function,
                "seconds_here": min(on_one_machine[1:]),
                "seconds_there": min(in_partitions[1:]),
                "rounds": info["rounds"],
                "bytes": info["bytes"],
                "seconds_of_an_empty_round": of_a_round,
                "same": same,
            }


def others(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Run SciPy and NetworkX on the same graph in one process, as users do without a cluster.

    NetworkX's independent set is left out because it lists all remaining vertices for each member.
    """
    import networkx as nx
    from scipy.sparse import csgraph

    matrix, network = pattern_of(graph), graph.to_networkx()
    calls: dict[str, tuple[Callable[[], Any] | None, Callable[[], Any]]] = {
        "components": (
            lambda: csgraph.connected_components(matrix, directed=False),
            lambda: sum(1 for _ in nx.connected_components(network)),
        ),
        "search": (
            lambda: csgraph.breadth_first_order(matrix, 0, directed=False),
            lambda: dict(nx.single_source_shortest_path_length(network, 0)),
        ),
        "coloring by degree and hash": (None, lambda: nx.greedy_color(network, "largest_first")),
        "forest": (
            lambda: csgraph.minimum_spanning_tree(matrix),
            lambda: sum(1 for _ in nx.minimum_spanning_edges(network, data=False)),
        ),
    }
    for function, (scipy_call, networkx_call) in calls.items():
        taken = {}
        for peer, call in (("scipy", scipy_call), ("networkx", networkx_call)):
            if call is not None:
                began = time.perf_counter()
                call()
                taken[peer] = time.perf_counter() - began
        yield {"problem": "others", "function": function, "seconds_of_peers": taken}


def replays(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Count rounds, messages and bytes for increasing numbers of partitions."""
    rank = replay.ranks(graph)
    for partitions in REPLAYED[:3] if options.quick else REPLAYED:
        yield {"problem": "replay", **replay.replayed(graph, partitions, rank)}


def _beside_table(lines: list[Line]) -> str:
    head = ["graph", "function", "one process", "two workers", "rounds", "an empty round", "MB read", "the same bits"]
    rows = []
    for line in lines:
        if line["problem"] == "beside":
            times = [f"{line[key] * 1e3:,.0f} ms" for key in ("seconds_here", "seconds_there")]
            empty = f"{line['seconds_of_an_empty_round'] * 1e3:.0f} ms"
            reported = f"{line['bytes'] / 1e6:,.1f}"
            said = "yes" if line["same"] else "**no**"
            rows.append([line["graph"], line["function"], *times, f"{line['rounds']}", empty, reported, said])
    return markdown(head, rows)


def _others_table(lines: list[Line]) -> str:
    rows = []
    for line in lines:
        if line["problem"] == "others":
            ours = [one for one in lines if one["problem"] == "beside" and _is_of(one, line)]
            times = [min((one[f"seconds_{side}"] for one in ours), default=None) for side in ("here", "there")]
            times += [line["seconds_of_peers"].get(peer) for peer in ("scipy", "networkx")]
            shown = ["" if seconds is None else f"{seconds * 1e3:,.0f} ms" for seconds in times]
            rows.append([line["graph"], line["function"], *shown])
    return markdown(["graph", "function", "one process", "two workers", "SciPy", "NetworkX"], rows)


def _is_of(one: Line, line: Line) -> bool:
    return one["graph"] == line["graph"] and one["function"] == line["function"]


def _replay_table(lines: list[Line]) -> str:
    head = [
        *("graph", "partitions", "messages a round", "imbalance", "copies of a vertex"),
        *("set: rounds (until little)", "bytes a vertex", "search: rounds", "bytes a vertex"),
    ]
    rows = []
    for line in lines:
        if line["problem"] == "replay":
            n = line["n"]
            rows.append(
                [
                    line["graph"],
                    f"{line['partitions']:,}",
                    f"{line['messages']:,}",
                    f"{line['imbalance']:.2f}",
                    f"{1 + line['ghosts'] / n:.2f}",
                    f"{line['set_rounds']} ({line['set_rounds_until_little']})",
                    f"{line['set_bytes'] / n:,.2f}",
                    f"{line['search_rounds']}",
                    f"{line['search_bytes'] / n:,.2f}",
                ]
            )
    return markdown(head, rows)


REPORTS = {
    "Two workers of one thread, compared with one process of two": _beside_table,
    "Compared with SciPy and NetworkX, each call once": _others_table,
    "Replayed": _replay_table,
}


def report(lines: list[Line]) -> str:
    """Show all tables."""
    return under_headings(3, {heading: table(lines) for heading, table in REPORTS.items()})


STUDY = Study(
    __name__,
    (Part("beside", six_graphs, beside), Part("others", one_graph("G3"), others), Part("replay", six_graphs, replays)),
    peers=("networkx",),
    report=report,
)
