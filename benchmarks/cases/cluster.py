"""Graphs in partitions: worker processes of one thread each, compared with one process of the same threads.

The runs alternate, and the minimum is shown. The workers share a machine with the client and the scheduler, so the
times show the cost of a round, but not the effect of a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from ..graphs import six_graphs
from ..harness import threads
from ..study import Options, Part, Study, case_is_asked_for
from ..tables import Line, markdown, provenance

PARTITIONS = 2  # of each worker
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
    import dask  # imported late, so that the studies are listed without it

    parts = answer if isinstance(answer, tuple) else (answer,)
    return [part for part in dask.compute(*parts) if not isinstance(part, dict)]


def beside(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Run each function on workers and in one process; record rounds, bytes, and the time of an empty round."""
    from distributed import Client

    from stablegraph import distributed

    count = max(options.threads)
    with threads(count), Client(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        split = distributed.from_graph(graph, PARTITIONS * count, client=client)
        of_a_round = seconds_of_an_empty_round(split)
        for function, run in FUNCTIONS.items():
            if not case_is_asked_for(function, options):
                continue
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
                "algorithm": function,
                "workers": count,
                "seconds_here": min(on_one_machine[1:]),
                "seconds_there": min(in_partitions[1:]),
                "rounds": info["rounds"],
                "bytes": info["bytes"],
                "seconds_of_an_empty_round": of_a_round,
                "same": same,
            }


def _beside_table(lines: list[Line], workers: int) -> str:
    head = [
        "graph",
        "function",
        "one process",
        f"{workers} workers",
        "rounds",
        "an empty round",
        "MB read",
        "same bits",
    ]
    rows = []
    for line in lines:
        if line["problem"] == "beside":
            times = [f"{line[key] * 1e3:,.0f} ms" for key in ("seconds_here", "seconds_there")]
            empty = f"{line['seconds_of_an_empty_round'] * 1e3:.0f} ms"
            reported = f"{line['bytes'] / 1e6:,.1f}"
            said = "yes" if line["same"] else "**no**"
            rows.append([line["graph"], line["algorithm"], *times, f"{line['rounds']}", empty, reported, said])
    return markdown(head, rows)


def report(lines: list[Line]) -> str:
    """Show the table."""
    workers = max((line["workers"] for line in lines), default=2)
    return f"{_beside_table(lines, workers)}\n\n{provenance(lines)}"


STUDY = Study(
    __name__,
    (Part("beside", six_graphs, beside),),
    peers=("dask", "distributed"),
    machines={"cpu2": ("--graphs", "G3,R4")},
    report=report,
)
