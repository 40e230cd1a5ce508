"""Answers of commands with ``--dask``: computed on a Dask cluster, and written as Parquet files."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any

import click
import dask
import numpy as np

import stablegraph as sg

from .._core.fingerprint import canonical_bytes, fits_int32
from ..cluster.tables import check_new
from ..cluster.workers import gather
from ..distributed import DistributedForest, DistributedGraph
from .answers import KINDS, Answer, conclude
from .job import Job, Report, explicit_option
from .terminal import working
from .vertex_values import vertices_from

_LOCAL = "local"  # instead of an address
_SECONDS = 15  # timeout for the connection to the scheduler
_FOR_ARCS = ("components", "scc", "bfs")  # commands that accept a directed graph
_COMMON = (
    *("file", "as_json", "output", "verify", "cluster", "partitions", "directed"),
    *("source_column", "target_column", "weight_column", "no_weights"),
)


# The functions receive a partitioned graph, for which the public functions of the problems also accept return_info. The
# values of an answer are its columns.


def _compute_set(graph: Any, **options: Any) -> Answer:
    mask, info = sg.maximal_independent_set(graph, **options, return_info=True)
    return Answer(KINDS["set"], (mask,), {"size": int(mask.sum()), **info}, checked=(mask, options.get("distance", 1)))


def _compute_coloring(graph: Any, order: tuple[str, ...] = ("largest_first",), **options: Any) -> Answer:
    if len(order) != 1:
        raise click.UsageError("--dask takes one --order")
    find: Any = sg.vertex_coloring
    colors, info = find(graph, order=order[0], **options, return_info=True)
    return Answer(KINDS["coloring"], (colors,), {"colors": int(colors.max()) + 1 if len(graph) else 0, **info})


def _compute_labels(graph: Any, kind: str, find: Any, name: str = "components", **options: Any) -> Answer:
    count, labels, info = find(graph, **options, return_info=True)
    return Answer(KINDS[kind], (labels,), {name: count, **info})


def _compute_strong_components(graph: Any) -> Answer:
    if not graph.directed:
        raise click.UsageError("scc --dask is for directed graphs; of an undirected one, components are the same")
    return _compute_labels(graph, "scc", sg.strongly_connected_components)


def _compute_aggregates(graph: Any, **options: Any) -> Answer:
    answer = _compute_labels(graph, "aggregation", sg.aggregate, "aggregates", **options)
    answer.options = {"connected": options.get("algorithm") != "kokkos"}
    return answer


def _compute_distances(graph: Any, sources: str, max_distance: int | None = None) -> Answer:
    start = vertices_from(sources, "--sources", graph)
    find: Any = sg.breadth_first_search
    *columns, info = find(graph, start, max_distance=max_distance, return_info=True)
    facts, limits = {"reached": int((columns[0] >= 0).sum()), **info}, {"smallest": True, "max_distance": max_distance}
    return Answer(KINDS["bfs"], tuple(columns), facts, checked=(start, *columns), options=limits)


def _compute_forest(graph: Any, maximum: bool = False, merge: str | None = None) -> Answer:
    find: Any = sg.minimum_spanning_forest
    forest, info = find(graph, maximum=maximum, return_info=True)
    edges = int(forest.u.size)
    weight = forest.weights.sum().compute().item() if edges else 0
    facts = {"forest_edges": edges, "trees": len(graph) - edges, "weight": weight, **info}
    return Answer(KINDS["forest"], (forest,), facts, checked=(forest, maximum))


_TASKS: dict[str, tuple[Callable[..., Answer], tuple[str, ...]]] = {  # the function, and the options that it supports
    "mis": (_compute_set, ("distance", "priority", "algorithm", "seed")),
    "color": (_compute_coloring, ("order", "ties", "reduce", "seed")),
    "components": (partial(_compute_labels, kind="components", find=sg.connected_components), ("label",)),
    "bfs": (_compute_distances, ("sources", "max_distance")),
    "scc": (_compute_strong_components, ()),
    "aggregate": (_compute_aggregates, ("algorithm",)),
    "forest": (_compute_forest, ("maximum", "merge")),
}


def report_of_cluster(command: str, job: Job) -> Report:
    """Compute, verify and write the answer of a command on a cluster."""
    compute, supported = _TASKS[command]
    options, clock, address = _special_options(command, supported), job.clock, str(job.cluster)
    if job.output is not None:
        check_new(job.output)
    own_line = {"stablegraph.progress": False}  # this command shows progress itself
    with (
        dask.config.set(own_line),
        working(f"looking for the cluster {address}") as activity,
        _client(address) as client,
    ):
        with clock("read", f"reading {job.name}"):
            job.graph = graph = _read_partitions(command, job, client)

        def show_round(name: str, rounds: int, remaining: int | None) -> None:
            activity.text = f"{name}: round {rounds}" + ("" if remaining is None else f", {remaining:,} left")

        graph.progress = show_round
        with clock("compute"):
            answer = compute(graph, **options)
            answer.crc32 = _fingerprint(graph, answer.values)
        answer.facts.pop("algorithm", None)
        answer.lines = {name: f"{value:,}" for name, value in answer.facts.items() if isinstance(value, int)}
        answer.checked = answer.checked or answer.values
        answer.right, answer.write = "", partial(_write_folder, job, answer)
        answer.size = {"vertices": len(graph), "edges": graph.num_edges, "partitions": graph.num_partitions}
        answer.title = ", ".join(f"{value:,} {name}" for name, value in answer.size.items())
        return conclude(command, job, answer)


def _write_folder(job: Job, answer: Answer) -> None:
    """Write the columns of an answer, or a forest, to the folder of -o."""
    names = answer.kind.columns.split()
    with job.clock("write", f"writing {job.output}"):
        if names:
            sg.distributed.to_parquet(job.graph, job.output, **dict(zip(names, answer.values, strict=True)))
        else:
            sg.distributed.forest_to_parquet(job.graph, job.output, *answer.values)


def _special_options(command: str, supported: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of a command that the user passed; raise UsageError if a cluster does not support one."""
    ctx, passed = click.get_current_context(), {}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE and name not in _COMMON:
            if name not in supported:
                has = ", ".join("--" + option.replace("_", "-") for option in supported) or "none of its own"
                raise click.UsageError(f"--dask has no option {parameter.opts[0]} of {command}; it has {has}")
            passed[name] = ctx.params[name]
    return passed


@contextlib.contextmanager
def _client(cluster: str) -> Iterator[Any]:
    from distributed import Client

    if cluster == _LOCAL:
        connection = Client(dashboard_address="127.0.0.1:0")
    else:
        try:
            connection = Client(cluster, timeout=_SECONDS)
        except OSError:
            raise ValueError(f"--dask {cluster}: no Dask scheduler answers there within {_SECONDS} s") from None
    with connection as client:
        yield client


def _read_partitions(command: str, job: Job, client: Any) -> DistributedGraph:
    """Read the graph; raise UsageError with a remedy if its direction does not suit the command."""
    file = job.file
    if file.endswith(".npz"):
        unused = explicit_option("merge", "source_column", "target_column", "weight_column", "no_weights")
        if unused:
            raise click.UsageError(f"--dask has {unused} for tables only")
        graph = sg.distributed.read_graph(file, job.partitions, client=client)
        if job.directed and not graph.directed:
            raise click.UsageError(
                f"--dask has --directed for tables only, and {file} says that its graph is undirected"
            )
    else:
        settings: dict[str, Any] = {
            "directed": True if job.directed or command == "scc" else None,
            "merge": job.merge,
            "weights": command == "forest",
            **job.columns,
        }
        graph = sg.distributed.from_table(file, **settings, partitions=job.partitions, client=client)
    if graph.directed and command not in _FOR_ARCS:
        raise click.UsageError(
            f"the graph is directed, but {command} --dask is for undirected graphs; leave out --directed, or if {file} "
            "states the direction, make an undirected file with: stablegraph convert --symmetrize"
        )
    return graph


def _fingerprint(graph: DistributedGraph, columns: tuple[Any, ...]) -> str:
    """Compute `stablegraph.fingerprint` of an answer; each partition continues the checksum of the previous one."""
    crc32: Any = 0
    if isinstance(columns[0], DistributedForest):
        forest, n = columns[0], len(graph)
        crc32 = zlib.crc32(canonical_bytes(np.array((n, n))))
        parts = [graph.map_futures(forest.pieces, itemgetter(part)) for part in range(3)]
    else:
        parts = [graph.split(column, "answer") for column in columns]
    for pieces in parts:
        wide = not all(gather(graph.client, graph.map_futures(pieces, fits_int32)))
        for piece in pieces:
            crc32 = graph.client.submit(_crc32, piece, crc32, wide, pure=False)
    return f"{gather(graph.client, [crc32])[0]:08x}"


def _crc32(values: Any, previous: int, wide: bool) -> int:
    return zlib.crc32(canonical_bytes(values, wide=wide), previous)
