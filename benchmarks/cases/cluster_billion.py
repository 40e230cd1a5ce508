"""A graph in partitions that exceeds the memory of its workers: 10^9 entries on two workers of 8 GB each.

The graph follows the rule of R4 with 2^SCALE vertices and is generated on the workers. The weight of an edge is a
function of its ends. Dask spills to disk what does not fit into memory; the spilled bytes are counted after each round.
The verifiers, which also work on the partitions, judge each answer outside the timing. Peak memory is that of the
worker process with the highest peak since it began. Each line is written at once, and the call that runs when
--seconds-in-all have passed is abandoned.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import dask
import numpy as np

from stablegraph import verify

from ..graphs import weights_of
from ..limited import peak_of_this_process
from ..study import SMALL_MARK, Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, markdown, with_provenance
from .cluster import FUNCTIONS
from .cluster_scaling import GB, PICKS, Clock, TimeIsOver, settled

SCALE, QUICK = 27, 12
PARTITIONS, QUICK_PARTITIONS = 16, 4
TARGET, PAUSE = 0.25, 0.93  # of a worker's memory: for Dask's data, and until Dask pauses


# Checks of the arrays of an answer by the verifiers; the functions are those of cluster.py.
RIGHT: dict[str, Callable[..., bool]] = {
    "components": lambda graph, count, labels: verify.is_component_labeling(graph, labels),
    "set": verify.is_maximal_independent_set,
    "search": lambda graph, distance, parent: verify.is_bfs_tree(graph, 0, distance, parent),
    "coloring by degree and hash": verify.is_proper_coloring,
    "set, distance 2": lambda graph, mask: verify.is_maximal_independent_set(graph, mask, 2),
    "forest": verify.is_minimum_spanning_forest,
}


class Large:
    """A graph that has not been generated yet."""

    device = "cpu"

    def __init__(self, exponent: int, partitions: int) -> None:
        self.num_vertices, self.num_entries, self.partitions = 1 << exponent, 0, partitions


def _spilled(dask_worker: Any) -> int:
    """Return the bytes that a worker has on disk: data spilled by Dask, and partitions in files."""
    from stablegraph.cluster.on_disk import on_disk_of

    kept = sum(value.nbytes for _, value in on_disk_of(dask_worker))
    return kept + int(getattr(dask_worker.data, "spilled_total", (0, 0))[1])


def _with_weights(graph: Any) -> Any:
    """Return the same graph with a weight for each edge."""
    from stablegraph.distributed import DistributedGraph

    parts = graph.map_once(_weighted)
    return DistributedGraph(graph.client, parts, graph.bounds, graph._facts, np.dtype(np.int32))


def _weighted(part: Any) -> Any:
    tails = part.ids[part.graph._rows()].astype(np.uint32)
    return replace(part, graph=part.graph._replace(weights=weights_of(tails, part.ids[part.graph.indices])))


def billion(name: str, large: Large, options: Options) -> Iterator[Line]:
    """Yield a line for each function."""
    from distributed import Client

    from stablegraph import distributed

    clock = Clock(options.seconds_in_all)
    each = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    config = {
        "stablegraph.threads": options.worker_threads,
        "distributed.worker.memory.target": TARGET,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": PAUSE,
        "distributed.scheduler.work-stealing": False,
        "distributed.scheduler.no-workers-timeout": "60s",
    }
    if options.folder:
        config["temporary-directory"] = options.folder
    limit = int(options.worker_memory * GB)
    try:
        with (
            dask.config.set(config),
            Client(**each, memory_limit=limit) as client,
        ):
            began = time.perf_counter()
            n, count = large.num_vertices, large.partitions
            graph = clock(partial(distributed.uniform_random, n, PICKS, 0, count, client=client))
            large.num_entries = graph.num_entries
            facts = {"workers": options.workers, "threads": options.worker_threads, "partitions": count}
            facts |= {"problem": "billion", "limit": limit, "made": time.perf_counter() - began}
            for label in RIGHT:
                if case_is_asked_for(label, options):
                    if label == "forest":
                        graph = _with_weights(graph)
                    try:
                        line = {"algorithm": label, **facts, **clock(_measured, client, graph, label)}
                    except MemoryError as refused:
                        print(f"{label}: {refused}", file=sys.stderr, flush=True)
                        continue
                    yield {**line, "told": _in_short(line)}
    except TimeIsOver:
        print(f"{name}: broken off, the time is over", file=sys.stderr, flush=True)


def _measured(client: Any, graph: Any, label: str) -> Line:
    spilled = [0]
    graph.progress = lambda *_: spilled.append(sum(client.run(_spilled).values()))
    began = time.perf_counter()
    *answer, info = settled(FUNCTIONS[label](graph, return_info=True))
    taken = time.perf_counter() - began
    peak = max(filter(None, client.run(peak_of_this_process).values()), default=None)
    graph.progress = None
    return {
        "taken": taken,
        **{key: info[key] for key in ("rounds", "bytes")},
        "spilled": max(spilled),
        "peak": peak,
        "right": RIGHT[label](graph, *answer),
    }


def _in_short(line: Line) -> str:
    return (
        f"{line['algorithm']:28} {line['taken']:8.1f} s  {line['rounds']} rounds  {line['bytes'] / GB:,.2f} GB read  "
        f"{line['spilled'] / GB:,.1f} GB on disk  peak {(line['peak'] or 0) / GB:.1f} GB  "
        f"{'verified' if line['right'] else 'WRONG'}"
    )


def graphs(options: Options) -> Graphs:
    """Yield the graph."""
    exponent = options.scale or (QUICK if options.quick else SCALE)
    partitions = options.partitions or (QUICK_PARTITIONS if options.quick else PARTITIONS)
    mark = SMALL_MARK if exponent < SCALE else ""
    yield f"random, 2^{exponent}{mark}", partial(Large, exponent, partitions)


def table(lines: list[Line]) -> str:
    """Show a row for each function."""
    head = [
        "graph",
        "partitions",
        "workers, each",
        "function",
        "seconds",
        "rounds",
        "GB read",
        "GB on disk",
        "peak of a worker",
        "verified",
    ]
    rows = [
        [
            f"{line['n']:,} vertices, {line['m']:,} entries",
            f"{line['partitions']}",
            f"{line['workers']}, {line['threads']} threads, {line['limit'] / GB:g} GB",
            line["algorithm"],
            f"{line['taken']:.1f}",
            f"{line['rounds']}",
            f"{line['bytes'] / GB:.2f}",
            f"{line['spilled'] / GB:.1f}",
            f"{line['peak'] / GB:.1f} GB" if line["peak"] else "",
            "yes" if line["right"] else "**no**",
        ]
        for line in lines
    ]
    return markdown(head, rows)


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--scale", type=int, help=f"2^SCALE vertices (default {SCALE})")
    parser.add_argument("--partitions", type=int, help=f"default {PARTITIONS}")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--worker-threads", type=int, default=1, help="of a worker, for one task at a time")
    parser.add_argument("--worker-memory", type=float, default=8.0, help="GB each may use (default 8)")
    parser.add_argument("--folder", help="where workers spill")
    parser.add_argument("--seconds-in-all", type=float, default=36000.0, help="after which all is given up")


STUDY = Study(__name__, (Part("billion", graphs, billion),), report=with_provenance(table), add_options=add_options)
