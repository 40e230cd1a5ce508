"""``--dask``: compute the answers of some commands on a Dask cluster, and write them as Parquet files."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .clock import Clock
from .options import columns, given, options
from .terminal import Activity, Facts, console_for, show, shown_name

if TYPE_CHECKING:
    from ..distributed import DistributedGraph

_LOCAL = "local"  # instead of an address
_SECONDS = 15  # timeout for the connection to the scheduler
_OF_ARCS = ("components", "scc", "bfs")  # commands that accept a directed graph
_COMMON = (
    *("file", "as_json", "output", "verify", "cluster", "partitions", "directed"),
    *("source_column", "target_column", "weight_column", "no_weights"),
)

on_a_cluster = options(
    click.option(
        "--dask",
        "cluster",
        metavar="ADDRESS",
        help="Compute on a Dask cluster: the address of its scheduler, or 'local' for processes on this machine. FILE "
        "is an .npz file or a folder of Parquet files, and -o names a folder. Only for graphs that do not fit in the "
        "memory of one machine: a smaller graph takes 4 to 6 times the CPU time of the command without --dask.",
    ),
    click.option("--partitions", type=click.IntRange(1), help="For --dask: ranges of vertices.  [default: 2 a worker]"),
)


class _Task(NamedTuple):
    """The functions that a command calls on a cluster, and its options."""

    find: Callable[[DistributedGraph, dict[str, Any]], tuple[dict[str, Any], Facts]]  # returns columns and facts
    wrong: Callable[[DistributedGraph, dict[str, Any], dict[str, Any]], str | None]
    options: tuple[str, ...]


def _with_info(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function whose form for partitions also returns statistics, and return both."""
    return function(*arguments, **options, return_info=True)


def _set(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import maximal_independent_set

    mask, info = _with_info(maximal_independent_set, graph, **own)
    return {"mask": mask}, {"size": int(mask.sum()), **info}


def _wrong_set(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_maximal_independent_set

    return explain(is_maximal_independent_set, graph, answer["mask"], own.get("distance", 1))


def _colors(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import vertex_coloring

    orders = own.pop("order", ("largest_first",))
    if len(orders) != 1:
        raise click.UsageError("--dask takes one --order")
    colors, info = _with_info(vertex_coloring, graph, order=orders[0], **own)
    return {"colors": colors}, {"colors": int(colors.max()) + 1 if len(graph) else 0, **info}


def _wrong_colors(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_proper_coloring

    return explain(is_proper_coloring, graph, answer["colors"])


def _components(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import connected_components

    count, labels, info = _with_info(connected_components, graph)
    return {"labels": labels}, {"components": count, **info}


def _wrong_components(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_component_labeling

    return explain(is_component_labeling, graph, answer["labels"])


def _search(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import breadth_first_search

    distance, parents, info = _with_info(breadth_first_search, graph, _sources(graph, own))
    return {"distances": distance, "parents": parents}, {"reached": int((distance >= 0).sum()), **info}


def _wrong_search(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_bfs_tree

    return explain(is_bfs_tree, graph, _sources(graph, own), *answer.values(), smallest=True)


def _strong(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import strongly_connected_components

    if not graph.directed:
        raise click.UsageError("scc --dask is for directed graphs; of an undirected one, components are the same")
    count, labels, info = _with_info(strongly_connected_components, graph)
    return {"labels": labels}, {"components": count, **info}


def _wrong_strong(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_strong_component_labeling

    return explain(is_strong_component_labeling, graph, answer["labels"])


def _aggregates(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import aggregate

    count, labels, info = _with_info(aggregate, graph, **own)
    return {"labels": labels}, {"aggregates": count, **info}


def _wrong_aggregates(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_aggregation

    return explain(is_aggregation, graph, answer["labels"], connected=own.get("algorithm") != "kokkos")


def _forest(graph: DistributedGraph, own: dict[str, Any]) -> tuple[dict[str, Any], Facts]:
    from .. import minimum_spanning_forest

    maximum = own.get("maximum", False)
    forest, info = _with_info(minimum_spanning_forest, graph, maximum=maximum)
    edges = int(forest.u.size)
    weight = forest.weights.sum().compute().item() if edges else 0
    return {"forest": forest}, {"forest_edges": edges, "trees": len(graph) - edges, "weight": weight, **info}


def _wrong_forest(graph: DistributedGraph, answer: dict[str, Any], own: dict[str, Any]) -> str | None:
    from ..verify import explain, is_minimum_spanning_forest

    return explain(is_minimum_spanning_forest, graph, answer["forest"], own.get("maximum", False))


def _sources(graph: Any, own: dict[str, Any]) -> Any:
    from .answer_files import vertices_from

    return vertices_from(own["sources"], "--sources", graph)


_TASKS = {
    "mis": _Task(_set, _wrong_set, ("distance", "priority", "algorithm", "seed")),
    "color": _Task(_colors, _wrong_colors, ("order", "ties", "reduce", "seed")),
    "components": _Task(_components, _wrong_components, ()),
    "bfs": _Task(_search, _wrong_search, ("sources",)),
    "scc": _Task(_strong, _wrong_strong, ()),
    "aggregate": _Task(_aggregates, _wrong_aggregates, ("algorithm",)),
    "forest": _Task(_forest, _wrong_forest, ("maximum", "merge")),
}


def run_on_a_cluster(command: str, cluster: str, file: str, as_json: bool, output: str | None, verify: bool) -> None:
    """Run a command on a cluster; the exit code is 1 if the answer is wrong."""
    task, own, clock = _TASKS[command], _own_options(command), Clock()
    with _working(f"looking for the cluster {cluster}") as activity, _client(cluster) as client:
        activity.text = f"reading {shown_name(file)}"
        with clock("read"):
            graph = _read(file, client)

        def tell(name: str, rounds: int, left: int | None) -> None:
            activity.text = f"{name}: round {rounds}" + ("" if left is None else f", {left:,} left")

        graph.progress = tell
        with clock("compute"):
            columns, facts = task.find(graph, dict(own))
            crc32 = _fingerprint(graph, list(columns.values()))
        right, wrong = None, None
        if verify:
            activity.text = "verifying"
            with clock("verify"):
                wrong = task.wrong(graph, columns, own)
            right = wrong is None
        if output is not None:
            from ..distributed import forest_to_parquet, to_parquet

            activity.text = f"writing {output}"
            with clock("write"):
                if "forest" in columns:
                    forest_to_parquet(graph, output, columns["forest"])
                else:
                    to_parquet(graph, output, **columns)
        size = {"vertices": len(graph), "edges": graph.num_edges, "partitions": graph.num_partitions}
    facts.pop("algorithm", None)
    told = {
        "file": file,
        **size,
        **facts,
        "verified": right,
        "crc32": crc32,
        "seconds": clock.seconds,
        "output": output,
    }
    lines = {name: f"{value:,}" for name, value in facts.items() if isinstance(value, int)}
    lines["verified"] = "not asked for" if right is None else "yes" if right else f"no: {wrong}"
    lines |= {"crc32": crc32, "times": str(clock)} | ({} if output is None else {"written": output})
    counts = ", ".join(f"{value:,} {name}" for name, value in size.items())
    show(as_json, told, lines, title=f"{shown_name(file)}: {counts}")
    if right is False:
        click.get_current_context().exit(1)


def _own_options(command: str) -> dict[str, Any]:
    """Return the options of a command that the user passed; raise UsageError if a cluster does not support one."""
    ctx, known = click.get_current_context(), _TASKS[command].options
    own = {}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE and name not in _COMMON:
            if name not in known:
                has = ", ".join(f"--{option}" for option in known) or "none of its own"
                raise click.UsageError(f"--dask has no option {parameter.opts[0]} of {command}; it has {has}")
            own[name] = ctx.params[name]
    return own


@contextlib.contextmanager
def _working(text: str) -> Iterator[Activity]:
    """Show a text like `terminal.working`, and provide it so that it can be changed."""
    activity, console = Activity(text), console_for(stderr=True)
    with console.status(activity) if console.is_terminal else contextlib.nullcontext():
        yield activity


@contextlib.contextmanager
def _client(cluster: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ModuleNotFoundError('--dask needs Dask: pip install "stablegraph[dask]"', name="distributed") from None
    if cluster == _LOCAL:
        made = Client(dashboard_address="127.0.0.1:0")
    else:
        try:
            made = Client(cluster, timeout=_SECONDS)
        except OSError:
            raise ValueError(f"--dask {cluster}: no Dask scheduler answers there within {_SECONDS} s") from None
    with made as client:
        yield client


def _read(file: str, client: Any) -> DistributedGraph:
    from .. import distributed

    context = click.get_current_context()
    chosen, partitions = context.params, context.params["partitions"]
    if file.endswith(".npz"):
        of_tables = given("merge", "source_column", "target_column", "weight_column", "no_weights")
        if of_tables:
            raise click.UsageError(f"--dask has {of_tables} for tables only")
        graph = distributed.read_graph(file, partitions, client=client)
        if chosen["directed"] and not graph.directed:
            raise click.UsageError(
                f"--dask has --directed for tables only, and {file} says that its graph is undirected"
            )
        return _fitting(graph, file, context.info_name)
    settings = {
        "directed": True if chosen["directed"] or context.info_name == "scc" else None,
        "merge": chosen.get("merge"),
        "weights": context.info_name == "forest",
        **columns(),
    }
    graph = distributed.from_table(file, **settings, partitions=partitions, client=client)
    return _fitting(graph, file, context.info_name)


def _fitting(graph: DistributedGraph, file: str, command: str | None) -> DistributedGraph:
    """Return the graph if the command accepts it; raise UsageError with a remedy if it must be undirected."""
    if graph.directed and command not in _OF_ARCS:
        raise click.UsageError(
            f"the graph is directed, but {command} --dask is for undirected graphs; leave out --directed, or if {file} "
            "states the direction, make an undirected file with: stablegraph convert --symmetrize"
        )
    return graph


def _fingerprint(graph: DistributedGraph, columns: list[Any]) -> str:
    """Compute the fingerprint of the whole answer; each partition continues the checksum of the previous one."""
    from ..distributed.workers import gather

    if hasattr(columns[0], "weights"):  # of a forest, only the positions of edges are used
        pieces = [graph.map_futures(columns[0].pieces, _ends, end) for end in (0, 1)]
    else:
        pieces = [graph.split(column, "answer", "any") for column in columns]
    crc32: Any = 0
    for rows in zip(*pieces, strict=True):
        crc32 = graph.client.submit(_crc32, list(rows), crc32, pure=False)
    return f"{gather(graph.client, [crc32])[0]:08x}"


def _ends(edges: Any, which: int) -> Any:
    return edges[which].astype("int64")


def _crc32(columns: list[Any], before: int) -> int:
    import numpy as np

    rows = columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
    return zlib.crc32(rows.tobytes(), before)
