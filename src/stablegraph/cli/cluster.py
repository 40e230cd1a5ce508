"""Answers of commands with ``--dask``: computed on a Dask cluster, and written as Parquet files."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import click
import dask
import numpy as np

import stablegraph as sg

from .._core.fingerprint import canonical_bytes, fits_int32
from ..cluster.parquet import check_new
from ..cluster.workers import gather
from ..distributed import DistributedForest, DistributedGraph
from .job import Job, Report, explicit_option, verdict_line
from .terminal import Facts, working
from .vertex_lists import vertices_from

_LOCAL = "local"  # instead of an address
_SECONDS = 15  # timeout for the connection to the scheduler
_FOR_ARCS = ("components", "scc", "bfs")  # commands that accept a directed graph
_COMMON = (
    *("file", "as_json", "output", "verify", "cluster", "partitions", "directed"),
    *("source_column", "target_column", "weight_column", "no_weights"),
)


class Result(NamedTuple):
    """The answer of a command: its columns, facts about it, and its verifier, which returns the defect or None."""

    columns: dict[str, Any]
    facts: Facts
    check: Callable[[], str | None]


# The functions receive a partitioned graph, for which the public functions of the problems also accept return_info.


def _set(graph: Any, **options: Any) -> Result:
    mask, info = sg.maximal_independent_set(graph, **options, return_info=True)
    check = partial(sg.explain, sg.is_maximal_independent_set, graph, mask, options.get("distance", 1))
    return Result({"mask": mask}, {"size": int(mask.sum()), **info}, check)


def _coloring(graph: Any, order: tuple[str, ...] = ("largest_first",), **options: Any) -> Result:
    if len(order) != 1:
        raise click.UsageError("--dask takes one --order")
    find: Any = sg.vertex_coloring
    colors, info = find(graph, order=order[0], **options, return_info=True)
    facts = {"colors": int(colors.max()) + 1 if len(graph) else 0, **info}
    return Result({"colors": colors}, facts, partial(sg.explain, sg.is_proper_coloring, graph, colors))


def _components(graph: Any, **options: Any) -> Result:
    return _labels(graph, partial(sg.connected_components, **options), "components", sg.is_component_labeling)


def _strong_components(graph: Any) -> Result:
    if not graph.directed:
        raise click.UsageError("scc --dask is for directed graphs; of an undirected one, components are the same")
    return _labels(graph, sg.strongly_connected_components, "components", sg.is_strong_component_labeling)


def _aggregates(graph: Any, **options: Any) -> Result:
    connected = options.get("algorithm") != "kokkos"
    return _labels(graph, partial(sg.aggregate, **options), "aggregates", sg.is_aggregation, connected=connected)


def _labels(graph: Any, find: Any, name: str, predicate: Callable[..., bool], **options: Any) -> Result:
    count, labels, info = find(graph, return_info=True)
    return Result({"labels": labels}, {name: count, **info}, partial(sg.explain, predicate, graph, labels, **options))


def _search(graph: Any, sources: str, max_distance: int | None = None) -> Result:
    start = vertices_from(sources, "--sources", graph)
    find: Any = sg.breadth_first_search
    distance, parents, info = find(graph, start, max_distance=max_distance, return_info=True)
    limits: dict[str, Any] = {"smallest": True, "max_distance": max_distance}
    check = partial(sg.explain, sg.is_bfs_tree, graph, start, distance, parents, **limits)
    return Result({"distances": distance, "parents": parents}, {"reached": int((distance >= 0).sum()), **info}, check)


def _forest(graph: Any, maximum: bool = False, merge: str | None = None) -> Result:
    find: Any = sg.minimum_spanning_forest
    forest, info = find(graph, maximum=maximum, return_info=True)
    edges = int(forest.u.size)
    weight = forest.weights.sum().compute().item() if edges else 0
    facts = {"forest_edges": edges, "trees": len(graph) - edges, "weight": weight, **info}
    return Result({"forest": forest}, facts, partial(sg.explain, sg.is_minimum_spanning_forest, graph, forest, maximum))


class _Task(NamedTuple):
    """The function that computes the answer of a command on a cluster, and the options that it supports."""

    compute: Callable[..., Result]
    options: tuple[str, ...] = ()


_TASKS = {
    "mis": _Task(_set, ("distance", "priority", "algorithm", "seed")),
    "color": _Task(_coloring, ("order", "ties", "reduce", "seed")),
    "components": _Task(_components, ("label",)),
    "bfs": _Task(_search, ("sources", "max_distance")),
    "scc": _Task(_strong_components),
    "aggregate": _Task(_aggregates, ("algorithm",)),
    "forest": _Task(_forest, ("maximum", "merge")),
}


def compute_on_cluster(command: str, cluster: str, partitions: int | None, job: Job) -> Report:
    """Compute, verify and write the answer of a command on a cluster."""
    task, clock, file = _TASKS[command], job.clock, job.file
    options = _special_options(command)
    if job.output is not None:
        check_new(job.output)
    own_line = {"stablegraph.progress": False}  # this command shows progress itself
    with (
        dask.config.set(own_line),
        working(f"looking for the cluster {cluster}") as activity,
        _client(cluster) as client,
    ):
        activity.text = f"reading {job.name}"
        with clock("read"):
            graph = _read(command, job, partitions, client)

        def show_round(name: str, rounds: int, remaining: int | None) -> None:
            activity.text = f"{name}: round {rounds}" + ("" if remaining is None else f", {remaining:,} left")

        graph.progress = show_round
        with clock("compute"):
            result = task.compute(graph, **options)
            crc32 = _fingerprint(graph, list(result.columns.values()))
        right, wrong = None, None
        if job.verify:
            activity.text = "verifying"
            with clock("verify"):
                wrong = result.check()
            right = wrong is None
        if job.output is not None:
            activity.text = f"writing {job.output}"
            with clock("write"):
                if "forest" in result.columns:
                    sg.distributed.forest_to_parquet(graph, job.output, result.columns["forest"])
                else:
                    sg.distributed.to_parquet(graph, job.output, **result.columns)
        size = {"vertices": len(graph), "edges": graph.num_edges, "partitions": graph.num_partitions}
    result.facts.pop("algorithm", None)
    facts = {
        "file": file,
        **size,
        **result.facts,
        "verified": right,
        "crc32": crc32,
        "seconds": clock.seconds,
        "output": job.output,
    }
    lines = {name: f"{value:,}" for name, value in result.facts.items() if isinstance(value, int)}
    lines |= {"verified": verdict_line(right, "", wrong), "crc32": crc32, "times": str(clock)}
    lines |= {} if job.output is None else {"written": job.output}
    counts = ", ".join(f"{value:,} {name}" for name, value in size.items())
    return Report(facts, lines, f"{job.name}: {counts}", is_wrong=right is False)


def _special_options(command: str) -> dict[str, Any]:
    """Return the options of a command that the user passed; raise UsageError if a cluster does not support one."""
    ctx, supported = click.get_current_context(), _TASKS[command].options
    passed = {}
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


def _read(command: str, job: Job, partitions: int | None, client: Any) -> DistributedGraph:
    """Read the graph; raise UsageError with a remedy if its direction does not suit the command."""
    file = job.file
    if file.endswith(".npz"):
        unused = explicit_option("merge", "source_column", "target_column", "weight_column", "no_weights")
        if unused:
            raise click.UsageError(f"--dask has {unused} for tables only")
        graph = sg.distributed.read_graph(file, partitions, client=client)
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
        graph = sg.distributed.from_table(file, **settings, partitions=partitions, client=client)
    if graph.directed and command not in _FOR_ARCS:
        raise click.UsageError(
            f"the graph is directed, but {command} --dask is for undirected graphs; leave out --directed, or if {file} "
            "states the direction, make an undirected file with: stablegraph convert --symmetrize"
        )
    return graph


def _fingerprint(graph: DistributedGraph, columns: list[Any]) -> str:
    """Compute `stablegraph.fingerprint` of an answer; each partition continues the checksum of the previous one."""
    crc32: Any = 0
    if isinstance(columns[0], DistributedForest):
        forest, n = columns[0], len(graph)
        crc32 = zlib.crc32(canonical_bytes(np.array((n, n))))
        columns = [graph.map_futures(forest.pieces, itemgetter(part)) for part in range(3)]
    else:
        columns = [graph.split(column, "answer", "any") for column in columns]
    for pieces in columns:
        wide = not all(gather(graph.client, graph.map_futures(pieces, fits_int32)))
        for piece in pieces:
            crc32 = graph.client.submit(_crc32, piece, crc32, wide, pure=False)
    return f"{gather(graph.client, [crc32])[0]:08x}"


def _crc32(values: Any, previous: int, wide: bool) -> int:
    return zlib.crc32(canonical_bytes(values, wide=wide), previous)
