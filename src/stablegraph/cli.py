"""The command line ``stablegraph``.

Results go to standard output, as a few lines for people or, with ``--json``, as one JSON object and nothing else.
Progress and errors go to standard error; progress only where that is a terminal.

Exit codes: 0 for success, 1 for "checked and found wrong", 2 for input that cannot be used (one line says why, without
a traceback unless STABLEGRAPH_TRACEBACK is set), 130 when interrupted, 141 when the reader of a pipe has left.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

from . import __version__
from .set_files import Mask, fingerprint, read_set, vertices_from, write_set
from .terminal import (
    Clock,
    CommandLine,
    Facts,
    blamed_on,
    byte_size,
    console_for,
    duration,
    reading,
    show,
    shown_name,
    working,
)

if TYPE_CHECKING:
    from .graph import Graph

PRIORITIES = ("degree", "ecl", "random", "natural", "high-degree")
ALGORITHMS = ("priority", "lexicographic", "luby", "luby-select", "locked", "karp-wigderson", "residual")
DEMO_PICTURE = "stablegraph-demo.png"


def _threads(ctx: click.Context, parameter: click.Parameter, value: int | None) -> None:
    if value is not None:
        from .parallel import set_num_threads

        set_num_threads(value)


def _options(*options: Callable[..., Any]) -> Callable[..., Any]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines for people.")
_number_of_threads = click.option(
    "--threads", type=int, callback=_threads, expose_value=False, help="How many threads work (the answer is the same)."
)
_seed = click.option("--seed", type=int, default=0, show_default=True, help="Changes how ties are broken.")
_symmetrize = click.option("--symmetrize", is_flag=True, help="Take a directed graph as undirected.")
_merge = click.option(
    "--merge",
    type=click.Choice(["min", "max", "sum"]),
    help="As --symmetrize; weights of u-v and v-u that differ are merged so.",
)
_source_format = click.option(
    "--from", "source_format", metavar="FORMAT", help="Read FILE as mtx, snap, dimacs, metis, egr, npz or parquet."
)
_target_format = click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    help="Write mtx, snap, dimacs, metis, egr, npz or parquet, whatever the suffix.",
)
_graph_file = _options(click.argument("file"), _source_format, _symmetrize, _number_of_threads, _json)


def _read(
    file: str, source_format: str | None, symmetrize: bool | str, clock: Clock, *, weights: bool = False
) -> Graph:
    from .io import read_graph

    with clock("read"), reading(shown_name(file)) as progress:
        return read_graph(file, format=source_format, symmetrize=symmetrize, weights=weights, progress=progress)


def _compile_sets(graph: Any, clock: Clock, **how: Any) -> None:
    """Compile, or load compiled code, on a small graph of the same types: the time to compute then has none of it."""
    from . import gallery
    from .independent_set import maximal_independent_set

    with clock.compiling(), working("compiling"):
        small = gallery.grid((40, 40))._with_dtypes(graph.indptr.dtype, graph.indices.dtype).to(graph.device)
        maximal_independent_set(small, **how)


def _write(file: str, graph: Any, target_format: str | None, clock: Clock) -> None:
    """Write a graph to a file or, for "-", to standard output (Matrix Market unless another format is asked for)."""
    from .io import write_graph

    with clock("write"), working(f"writing {file}"), blamed_on(file):
        if file == "-":
            write_graph(sys.stdout.buffer, graph, format=target_format or "mtx")
            sys.stdout.buffer.flush()
        else:
            write_graph(file, graph, format=target_format)


def _size_line(graph: Graph) -> str:
    return f"{graph.num_vertices:,} vertices, {graph.num_edges:,} {'arcs' if graph.directed else 'edges'}"


@click.group(cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="stablegraph %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Independent sets on sparse graphs and matrices: fast, deterministic, checkable.

    FILE is a graph in Matrix Market, SNAP, DIMACS, METIS, ECL, Parquet or stablegraph's own format, plain or
    compressed; its format is found from what is in it. "-" is standard input or output. Vertices are numbered from 0.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command()
@_graph_file
@_merge
def info(file: str, source_format: str | None, symmetrize: bool, merge: str | None, as_json: bool) -> None:
    """Say what is in a graph file."""
    clock = Clock()
    graph = _read(file, source_format, merge or symmetrize, clock, weights=True)
    degrees = graph.degrees()
    n = graph.num_vertices
    arrays = [graph.indptr, graph.indices] + ([] if graph.weights is None else [graph.weights])
    low, mean, high = (int(degrees.min()), float(degrees.mean()), int(degrees.max())) if n else (0, 0.0, 0)
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "entries": graph.num_entries,
        "directed": graph.directed,
        "degree_min": low,
        "degree_mean": mean,
        "degree_max": high,
        "isolated_vertices": int(np.count_nonzero((degrees == 0) & (graph.transpose().degrees() == 0))),
        "loops": graph.facts.get("loops"),
        "duplicates": graph.facts.get("duplicates"),
        "weights": None if graph.weights is None else str(graph.weights.dtype),
        "node_names": graph.nodes is not None,
        "indptr_dtype": str(graph.indptr.dtype),
        "indices_dtype": str(graph.indices.dtype),
        "bytes": sum(int(array.nbytes) for array in arrays),
        "file_bytes": None if file == "-" else os.path.getsize(file),
        "seconds": clock.facts(),
    }
    weights = "none"
    if graph.weights is not None:
        weights = str(graph.weights.dtype)
        if graph.weights.size:
            weights += f", {graph.weights.min():g} to {graph.weights.max():g}"
    of_what = "out-degree" if graph.directed else "degree"
    lines = {
        "vertices": f"{n:,}" + ("" if graph.nodes is None else "  (with names)"),
        "arcs" if graph.directed else "edges": f"{graph.num_edges:,}",
        "kind": "directed" if graph.directed else "undirected",
        of_what: f"{low:,} to {high:,}, mean {mean:.3g}",
        "isolated": f"{facts['isolated_vertices']:,}",
        "entries": f"{graph.num_entries:,}"
        + "".join(f", {facts[kind]:,} {kind}" for kind in ("loops", "duplicates") if facts[kind]),
        "weights": weights,
        "memory": f"{byte_size(facts['bytes'])}  (indptr {facts['indptr_dtype']}, indices {facts['indices_dtype']})",
        "times": str(clock),
    }
    show(as_json, facts, lines, title=shown_name(file))


@main.command()
@_graph_file
@click.option("--priority", type=click.Choice(PRIORITIES), help="Who goes first.  [default: degree]")
@click.option(
    "--algorithm", type=click.Choice(ALGORITHMS), default="priority", show_default=True, help="How the set is computed."
)
@_seed
@click.option("--synchronous", is_flag=True, default=None, help="Rounds until nobody is undecided; the same set.")
@click.option("--adaptive/--no-adaptive", default=None, help="For luby-select: draw everybody in late rounds.")
@click.option("--info", is_flag=True, help="Also tell rounds and entries looked at; takes longer.")
@click.option("--include", metavar="VERTICES", help="Vertices that must be in: 3,7,10-12 or @FILE.")
@click.option("--exclude", metavar="VERTICES", help="Vertices that may not be in: 3,7,10-12 or @FILE.")
@click.option("--verify/--no-verify", default=True, show_default=True, help="Check the set with another method.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the set: .npz (with the vertices' names), .npy, or else one line (0 or 1) a vertex.",
)
@click.pass_context
def mis(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    priority: str | None,
    algorithm: str,
    seed: int,
    synchronous: bool | None,
    adaptive: bool | None,
    info: bool,
    include: str | None,
    exclude: str | None,
    verify: bool,
    output: str | None,
) -> None:
    """Compute a maximal independent set.

    The set is the one a serial greedy pass finds that takes vertices in the order of --priority, unless --algorithm
    names another method. It does not depend on the number of threads (but with --algorithm locked it does).
    """
    from .independent_set import maximal_independent_set
    from .parallel import num_threads
    from .verify import explain, is_maximal_independent_set

    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output")
    if output is not None and os.path.exists(output) and os.path.exists(file) and os.path.samefile(output, file):
        raise click.UsageError(f"-o {output} would replace the graph by its set; name another file")
    clock = Clock()
    graph = _read(file, source_format, symmetrize, clock)
    how: dict[str, Any] = {
        "algorithm": algorithm,
        "priority": priority,
        "synchronous": synchronous,
        "adaptive": adaptive,
        "return_info": info,
    }
    included = vertices_from(include, "--include", graph.num_vertices)
    excluded = vertices_from(exclude, "--exclude", graph.num_vertices)
    _compile_sets(graph, clock, **how)
    with clock("compute"), working("computing"):
        answer = maximal_independent_set(graph, seed=seed, include=included, exclude=excluded, **how)
    mask, done = answer if info else (answer, {})
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_maximal_independent_set, graph, mask, exclude=excluded)
    size, n = int(np.count_nonzero(mask)), graph.num_vertices
    order = (priority or "degree") if algorithm == "priority" else algorithm
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "size": size,
        "share": size / n if n else None,
        "priority": order if algorithm == "priority" else None,
        "algorithm": algorithm,
        "seed": seed,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(mask),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
    }
    if info:
        facts["info"] = done
    if output is not None:
        made = {name: facts[name] for name in ("priority", "algorithm", "seed", "size", "crc32")}
        with blamed_on(output):
            write_set(output, mask, {"stablegraph": __version__, **made}, graph.nodes)
    lines = {
        "set size": f"{size:,}" + (f"  ({size / n:.1%} of the vertices)" if n else ""),
        "order": f"{order}, seed {seed}",
        "verified": "not asked for" if not verify else "yes: independent and maximal" if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": f"{clock}  ({num_threads()} thread{'s' if num_threads() > 1 else ''})",
    }
    if info:
        lines["rounds"] = f"{done['rounds']:,}, looking at {done['edges']:,} entries"
    if output is not None and output != "-":
        lines["written"] = output
    show(as_json, facts, lines, title=f"{shown_name(file)}: {_size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)


@main.command()
@_graph_file
@click.argument("set_file", metavar="SET")
@click.option("--exclude", metavar="VERTICES", help="Vertices that may not be in: 3,7,10-12 or @FILE.")
@click.pass_context
def verify(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    set_file: str,
    exclude: str | None,
) -> None:
    """Check that SET is a maximal independent set of a graph.

    SET is what `mis -o` writes, or a .npy array of vertex numbers. Exit code 0: it is one; 1: it is not, and the output
    says which vertices break the rule.
    """
    from .verify import explain, is_maximal_independent_set

    if file == "-" and set_file == "-":
        raise click.UsageError("the graph and the set cannot both come from standard input")
    clock = Clock()
    graph = _read(file, source_format, symmetrize, clock)
    members = read_set(set_file, graph.num_vertices)
    excluded = vertices_from(exclude, "--exclude", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(is_maximal_independent_set, graph, members, exclude=excluded)
    size = int(np.count_nonzero(members)) if members.dtype == bool else int(members.size)
    facts: Facts = {
        "file": file,
        "set": set_file,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "size": size,
        "verified": wrong is None,
        "reason": wrong,
        "seconds": clock.facts(),
    }
    lines = {
        "set size": f"{size:,}",
        "verified": "yes: independent and maximal" if wrong is None else f"no: {wrong}",
        "times": str(clock),
    }
    show(as_json, facts, lines, title=f"{shown_name(file)}: {_size_line(graph)}")
    if wrong is not None:
        ctx.exit(1)


@main.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@_source_format
@_target_format
@_symmetrize
@_merge
@_number_of_threads
@_json
def convert(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    symmetrize: bool,
    merge: str | None,
    as_json: bool,
) -> None:
    """Read a graph in one format and write it in another."""
    if as_json and target == "-":
        raise click.UsageError("--json and OUT - both want standard output")
    clock = Clock()
    graph = _read(source, source_format, merge or symmetrize, clock, weights=True)
    _write(target, graph, target_format, clock)
    _show_written(as_json, {"source": source}, graph, target, clock, title=f"{shown_name(source)}: {_size_line(graph)}")


def _show_written(as_json: bool, facts: Facts, graph: Graph, target: str, clock: Clock, title: str) -> None:
    written = None if target == "-" else os.path.getsize(target)
    facts = {
        **facts,
        "output": target,
        "output_bytes": written,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "seconds": clock.facts(),
    }
    lines = {"times": str(clock)}
    if written is not None:
        lines = {"written": f"{target}  ({byte_size(written)})", **lines}
    show(as_json, facts, lines, title=title, stderr=target == "-")


def _shape(text: str) -> tuple[int, ...]:
    parts = text.lower().split("x")
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter(f"expected points along each axis, such as 100x100, got {text!r}")
    return tuple(int(part) for part in parts)


# What `generate` makes: a function of the gallery each. Its parameters become the command's own: those without a
# default are arguments, the others options.
_KINDS = {
    "grid": "grid",
    "laplacian": "laplacian",
    "elasticity": "elasticity_3d",
    "uniform": "uniform_random",
    "rmat": "rmat",
    "kronecker": "kronecker",
    "delaunay": "delaunay",
    "benchmark": "benchmark_graph",
    "real": "load",
}
_TYPES: dict[str, Any] = {"int": int, "int | None": int, "float": float, "bool": bool, "str": str}


class Kinds(click.Group):
    """One command for each kind, made from the gallery's functions when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_KINDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _KINDS:
            return None
        function = _generator(name)
        parameters: list[click.Parameter] = []
        for parameter in inspect.signature(function).parameters.values():
            kind = _TYPES.get(str(parameter.annotation), _shape if parameter.name == "shape" else int)
            if parameter.default is parameter.empty:
                parameters.append(click.Argument([parameter.name], type=kind))
            elif kind is bool:
                both = f"--{parameter.name}/--no-{parameter.name}"
                parameters.append(click.Option([both], default=parameter.default, show_default=True))
            else:
                flag = "--" + parameter.name.replace("_", "-")
                parameters.append(click.Option([flag], type=kind, default=parameter.default, show_default=True))

        @click.option("-o", "--output", metavar="FILE", required=True, help="Where to write it; - is standard output.")
        @_target_format
        @_number_of_threads
        @_json
        def make(output: str, target_format: str | None, as_json: bool, **options: Any) -> None:
            _generate(name, options, output, target_format, as_json)

        about = (inspect.getdoc(function) or "").split("\n\n")[0]
        given = inspect.signature(function).parameters
        shape = "\n\nSHAPE is points along each axis, such as 100x100." if "shape" in given else ""
        command: click.Command = click.command(
            name,
            short_help=about,
            help=about + shape,
            epilog=f"What the parameters mean is told by help(stablegraph.gallery.{function.__name__}) in Python.",
        )(make)
        command.params = parameters + command.params
        return command


def _generator(name: str) -> Callable[..., Any]:
    from . import gallery

    function: Callable[..., Any] = getattr(gallery, _KINDS[name])
    return function


def _generate(name: str, options: dict[str, Any], output: str, target_format: str | None, as_json: bool) -> None:
    from .graph import as_graph

    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output")
    clock = Clock()
    with clock("generate"), working(f"generating {name}"):
        made = _generator(name)(**options)
        graph = as_graph(made[0] if isinstance(made, tuple) else made)  # elasticity comes with its rigid-body modes
    _write(output, graph, target_format, clock)
    facts = {"kind": name, "options": {key: value for key, value in options.items() if value is not None}}
    _show_written(as_json, facts, graph, output, clock, title=f"{name}: {_size_line(graph)}")


@main.group(cls=Kinds, invoke_without_command=True)
@click.option("--list", "as_list", is_flag=True, help="List the kinds of graphs.")
@click.pass_context
def generate(ctx: click.Context, as_list: bool) -> None:
    """Make a graph by a rule and write it to a file."""
    if ctx.invoked_subcommand is not None:
        return
    if not as_list:
        raise click.UsageError(f"say what to make: {', '.join(_KINDS)} (stablegraph generate --list says more)")
    rows = {}
    for name in _KINDS:
        about = (inspect.getdoc(_generator(name)) or "").splitlines()[0]
        needed = [
            parameter.name.upper()
            for parameter in inspect.signature(_generator(name)).parameters.values()
            if parameter.default is parameter.empty
        ]
        rows[" ".join([name, *needed])] = about
    show(False, {}, rows)


@main.command()
@click.argument("file", required=False)
@click.option("--graph", "name", metavar="NAME", help="A benchmark graph (G2, G3, R4, DE, RM, KR) in place of FILE.")
@click.option("--repeat", type=click.IntRange(1), default=5, show_default=True, help="Timed calls of each kind.")
@_seed
@_source_format
@_symmetrize
@_number_of_threads
@_json
def bench(
    file: str | None,
    name: str | None,
    repeat: int,
    seed: int,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
) -> None:
    """Time the independent set on this machine, in edge sweeps.

    An edge sweep is the time in which all threads read every edge once. Without FILE and --graph the graph is G2, a
    grid of 1024 x 1024 points.
    """
    from . import gallery
    from .independent_set import maximal_independent_set
    from .measure import edge_sweep_seconds, ping_pong_ns
    from .parallel import num_threads
    from .verify import is_maximal_independent_set

    if file is not None and name is not None:
        raise click.UsageError("give FILE or --graph, not both")
    clock = Clock()
    if file is not None:
        graph, title = _read(file, source_format, symmetrize, clock), shown_name(file)
    else:
        title = name or "G2"
        with working(f"generating {title}"):
            graph = gallery.benchmark_graph(title)
    rows: list[Facts] = []
    with working("measuring"):
        round_trip = ping_pong_ns()
        sweep = edge_sweep_seconds(graph, repeat)
        for priority in PRIORITIES:
            mask = maximal_independent_set(graph, priority=priority, seed=seed)
            if not is_maximal_independent_set(graph, mask):
                raise RuntimeError(f"the set by {priority} is not a maximal independent set")
            seconds = []
            for _ in range(repeat):
                start = time.perf_counter()
                maximal_independent_set(graph, priority=priority, seed=seed)
                seconds.append(time.perf_counter() - start)
            middle, best = float(np.median(seconds)), min(seconds)
            size = int(np.count_nonzero(mask))
            rows.append(
                {"priority": priority, "size": size, "seconds": middle, "seconds_min": best, "sweeps": middle / sweep}
            )
    facts: Facts = {
        "graph": title,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "threads": num_threads(),
        "sweep_seconds": sweep,
        "round_trip_ns": round_trip,
        "repeat": repeat,
        "seed": seed,
        "results": rows,
    }
    if as_json:
        show(True, facts, {})
        return
    table = Table(box=None, padding=(0, 2), title_justify="left", header_style="dim")
    for heading in ("order", "set size", "time", "edge sweeps"):
        table.add_column(heading, justify="left" if heading == "order" else "right")
    for row in rows:
        table.add_row(row["priority"], f"{row['size']:,}", duration(row["seconds"]), f"{row['sweeps']:.2f}")
    console = console_for()
    console.print(Text(f"{title}: {_size_line(graph)}", style="bold"))
    console.print(table)
    cores = "" if math.isnan(round_trip) else f"; a cache line goes there and back in {round_trip:.0f} ns"
    threads = f"{num_threads()} thread{'s' if num_threads() > 1 else ''}"
    console.print(Text(f"  One edge sweep takes {duration(sweep)} on {threads}{cores}.", style="dim"))
    console.print(Text(f"  Medians of {repeat} calls; every set was verified.", style="dim"))


@main.command()
@_json
def warmup(as_json: bool) -> None:
    """Compile everything now, so that no later call has to wait."""
    from .parallel.cache import cache_folder
    from .warm import warmup as compile_all

    console = console_for(stderr=True)
    if console.is_terminal:
        with console.status("compiling") as status:
            seconds = compile_all(progress=lambda name: status.update(f"compiling: {name}"))
    else:
        seconds = compile_all()
    folder = cache_folder()
    facts: Facts = {"seconds": seconds, "folder": None if folder is None else str(folder)}
    kept = "nowhere: no folder can be written (STABLEGRAPH_CACHE_DIR names another)" if folder is None else str(folder)
    lines = {"took": duration(seconds), "kept in": kept}
    if folder is not None:
        files = [path for path in folder.rglob("*") if path.is_file()]
        facts["files"], facts["bytes"] = len(files), sum(path.stat().st_size for path in files)
        lines["size"] = f"{byte_size(facts['bytes'])} in {facts['files']} files"
    show(as_json, facts, lines, title="All kernels are ready")


@main.command()
@click.option(
    "-o", "--output", metavar="FILE", default=DEMO_PICTURE, show_default=True, help="The picture (.png, .svg or .pdf)."
)
@click.option("--no-picture", is_flag=True, help="Draw nothing.")
@_seed
@_number_of_threads
@_json
@click.pass_context
def demo(ctx: click.Context, output: str, no_picture: bool, seed: int, as_json: bool) -> None:
    """Compute, verify and draw an independent set of a real graph."""
    from . import gallery
    from .independent_set import maximal_independent_set
    from .parallel import num_threads
    from .parallel.device import cuda_available
    from .verify import explain, is_maximal_independent_set

    clock = Clock()
    with clock("read"):
        graph = gallery.load("us-counties")

    devices: list[Facts] = []
    masks: list[Mask] = []
    for device in ("cpu", "cuda") if cuda_available() else ("cpu",):
        times = clock if device == "cpu" else Clock(compile=0.0)
        there = graph.to(device)
        _compile_sets(there, times)
        with times("compute"), working(f"computing on {device}"):
            answer = maximal_independent_set(there, seed=seed)
            mask = answer.get() if device == "cuda" else answer
        with times("verify"):
            wrong = explain(is_maximal_independent_set, graph, mask)
        masks.append(mask)
        devices.append(
            {
                "device": device,
                "threads": num_threads() if device == "cpu" else None,
                "size": int(np.count_nonzero(mask)),
                "crc32": fingerprint(mask),
                "verified": wrong is None,
                "reason": wrong,
                "seconds": {step: times.facts()[step] for step in ("compile", "compute", "verify")},
            }
        )

    missing = None
    if not no_picture:
        try:
            from .plot import independent_set_figure

            with clock("draw"), working("drawing"):
                figure = independent_set_figure(
                    graph, masks[0], gallery.positions("us-counties"), title="Counties of the US"
                )
                _save_picture(figure, output)
        except ModuleNotFoundError as error:
            missing = str(error)
    picture = None if no_picture or missing else output
    right = all(row["verified"] for row in devices) and len({row["crc32"] for row in devices}) == 1
    facts: Facts = {
        "graph": "us-counties",
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "seed": seed,
        "devices": devices,
        "verified": right,
        "picture": picture,
        "seconds": clock.facts(),
    }
    if as_json:
        show(True, facts, {})
    else:
        _tell_demo(facts, missing)
    if not right:
        ctx.exit(1)


def _save_picture(figure: Any, output: str) -> None:
    from .io.target import replacing

    kind = Path(output).suffix.lower().lstrip(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"{output}: a picture can be .png, .svg or .pdf, not .{kind}")
    with blamed_on(output), replacing(output) as file:
        figure.savefig(file, format=kind)


def _tell_demo(facts: Facts, missing: str | None) -> None:
    console = console_for()
    console.print()
    console.print(Text("The counties of the United States, joined where they touch", style="bold"))
    read = duration(facts["seconds"]["read"])
    console.print(Text(f"{facts['vertices']:,} vertices, {facts['edges']:,} edges; read in {read}", style="dim"))
    console.print()
    table = Table(box=None, padding=(0, 1), header_style="dim", show_edge=False)
    for heading in ("", "set size", "crc32", "compile", "compute", "verify", "correct"):
        table.add_column(heading, justify="left" if heading in ("", "crc32") else "right", no_wrap=True)
    for row in facts["devices"]:
        seconds, threads = row["seconds"], row["threads"]
        named = "GPU" if threads is None else f"CPU, {threads} thread{'s' if threads > 1 else ''}"
        verdict = Text("yes", style="green") if row["verified"] else Text("no", style="red")
        table.add_row(
            named,
            f"{row['size']:,}",
            row["crc32"],
            *(duration(seconds[step]) for step in ("compile", "compute", "verify")),
            verdict,
        )
    console.print(table)
    console.print()
    for row in facts["devices"]:
        if row["reason"]:
            console.print(Text(f"Wrong on {row['device']}: {row['reason']}", style="red"))
    if facts["verified"]:
        size = facts["devices"][0]["size"]
        console.print(f"No two of these {size:,} counties touch, and every other county touches one of them.")
        console.print("Run it again, with more or fewer threads, on another machine: the same set, the same crc32.")
    if facts["picture"]:
        console.print(Text.assemble("A picture of it is in ", (facts["picture"], "bold"), "."))
    elif missing:
        console.print(Text(f"No picture: {missing}"))
    console.print()
    console.print(Text("Next:", style="dim"))
    for command, what in (
        ("stablegraph mis GRAPH -o set.txt", "the same for a graph of yours"),
        ("stablegraph bench", "how fast this machine is"),
        ("stablegraph --help", "all commands"),
    ):
        console.print(Text.assemble(f"  {command:<34}", (what, "dim")))
