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
from .answers import KINDS, Answer, conclude
from .job import Job, Report, explicit_option
from .terminal import Facts, working
from .vertex_lists import vertices_from

_LOCAL = "local"  # instead of an address
_SECONDS = 15  # timeout for the connection to the scheduler
_FOR_ARCS = ("components", "scc", "bfs")  # commands that accept a directed graph
_COMMON = (
    *("file", "as_json", "output", "verify", "cluster", "partitions", "directed"),
    *("source_column", "target_column", "weight_column", "no_weights"),
)


class _Result(NamedTuple):
    """An answer: its columns, facts about it, and the arguments of its verifier, which are the columns by default."""

    columns: tuple[Any, ...]
    facts: Facts
    checked: tuple[Any, ...] | None = None
    options: Facts | None = None


# The functions receive a partitioned graph, for which the public functions of the problems also accept return_info.


def _set(graph: Any, **options: Any) -> _Result:
    mask, info = sg.maximal_independent_set(graph, **options, return_info=True)
    return _Result((mask,), {"size": int(mask.sum()), **info}, (mask, options.get("distance", 1)))


def _coloring(graph: Any, order: tuple[str, ...] = ("largest_first",), **options: Any) -> _Result:
    if len(order) != 1:
        raise click.UsageError("--dask takes one --order")
    find: Any = sg.vertex_coloring
    colors, info = find(graph, order=order[0], **options, return_info=True)
    return _Result((colors,), {"colors": int(colors.max()) + 1 if len(graph) else 0, **info})


def _labels(graph: Any, find: Any, name: str, **options: Any) -> _Result:
    count, labels, info = find(graph, **options, return_info=True)
    return _Result((labels,), {name: count, **info})


def _strong_components(graph: Any) -> _Result:
    if not graph.directed:
        raise click.UsageError("scc --dask is for directed graphs; of an undirected one, components are the same")
    return _labels(graph, sg.strongly_connected_components, "components")


def _aggregates(graph: Any, **options: Any) -> _Result:
    connected = options.get("algorithm") != "kokkos"
    return _labels(graph, sg.aggregate, "aggregates", **options)._replace(options={"connected": connected})


def _search(graph: Any, sources: str, max_distance: int | None = None) -> _Result:
    start = vertices_from(sources, "--sources", graph)
    find: Any = sg.breadth_first_search
    *answer, info = find(graph, start, max_distance=max_distance, return_info=True)
    facts = {"reached": int((answer[0] >= 0).sum()), **info}
    return _Result(tuple(answer), facts, (start, *answer), {"smallest": True, "max_distance": max_distance})


def _forest(graph: Any, maximum: bool = False, merge: str | None = None) -> _Result:
    find: Any = sg.minimum_spanning_forest
    forest, info = find(graph, maximum=maximum, return_info=True)
    edges = int(forest.u.size)
    weight = forest.weights.sum().compute().item() if edges else 0
    facts = {"forest_edges": edges, "trees": len(graph) - edges, "weight": weight, **info}
    return _Result((forest,), facts, (forest, maximum))


class _Task(NamedTuple):
    """The kind of a command's answer, the function that computes it on a cluster, and the options that it supports."""

    kind: str
    compute: Callable[..., _Result]
    options: tuple[str, ...] = ()


_TASKS = {
    "mis": _Task("set", _set, ("distance", "priority", "algorithm", "seed")),
    "color": _Task("coloring", _coloring, ("order", "ties", "reduce", "seed")),
    "components": _Task("components", partial(_labels, find=sg.connected_components, name="components"), ("label",)),
    "bfs": _Task("bfs", _search, ("sources", "max_distance")),
    "scc": _Task("scc", _strong_components),
    "aggregate": _Task("aggregation", _aggregates, ("algorithm",)),
    "forest": _Task("forest", _forest, ("maximum", "merge")),
}


def report_of_cluster(command: str, job: Job) -> Report:
    """Compute, verify and write the answer of a command on a cluster."""
    task, clock, address = _TASKS[command], job.clock, str(job.cluster)
    options = _special_options(command)
    if job.output is not None:
        check_new(job.output)
    own_line = {"stablegraph.progress": False}  # this command shows progress itself
    with (
        dask.config.set(own_line),
        working(f"looking for the cluster {address}") as activity,
        _client(address) as client,
    ):
        with clock("read", f"reading {job.name}"):
            job.graph = graph = _read(command, job, client)

        def show_round(name: str, rounds: int, remaining: int | None) -> None:
            activity.text = f"{name}: round {rounds}" + ("" if remaining is None else f", {remaining:,} left")

        graph.progress = show_round
        with clock("compute"):
            columns, facts, checked, checks = task.compute(graph, **options)
            crc32 = _fingerprint(graph, columns)
        facts.pop("algorithm", None)
        kind = KINDS[task.kind]
        size = {"vertices": len(graph), "edges": graph.num_edges, "partitions": graph.num_partitions}
        answer = Answer(
            kind,
            None,
            facts,
            checked=columns if checked is None else checked,
            options=checks or {},
            right="",
            size=size,
            title=", ".join(f"{value:,} {name}" for name, value in size.items()),
            lines={name: f"{value:,}" for name, value in facts.items() if isinstance(value, int)},
            crc32=crc32,
            write=partial(_write, job, kind.columns.split(), columns),
        )
        return conclude(command, job, answer)


def _write(job: Job, names: list[str], columns: tuple[Any, ...]) -> None:
    """Write the columns of an answer with these names, or a forest, to the folder of -o."""
    with job.clock("write", f"writing {job.output}"):
        if names:
            sg.distributed.to_parquet(job.graph, job.output, **dict(zip(names, columns, strict=True)))
        else:
            sg.distributed.forest_to_parquet(job.graph, job.output, *columns)


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


def _read(command: str, job: Job, client: Any) -> DistributedGraph:
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
        parts = [graph.split(column, "answer", "any") for column in columns]
    for pieces in parts:
        wide = not all(gather(graph.client, graph.map_futures(pieces, fits_int32)))
        for piece in pieces:
            crc32 = graph.client.submit(_crc32, piece, crc32, wide, pure=False)
    return f"{gather(graph.client, [crc32])[0]:08x}"


def _crc32(values: Any, previous: int, wide: bool) -> int:
    return zlib.crc32(canonical_bytes(values, wide=wide), previous)
