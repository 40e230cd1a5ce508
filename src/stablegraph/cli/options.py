"""What commands have in common: options, reading and writing graphs, compiling ahead, saving pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .terminal import Clock, Facts, blamed_on, byte_size, reading, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph


def _threads(ctx: click.Context, parameter: click.Parameter, value: int | None) -> None:
    if value is not None:
        from ..parallel import set_num_threads

        set_num_threads(value)


def options(*several: Callable[..., Any]) -> Callable[..., Any]:
    """Several options, or arguments, as one decorator."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines for people.")
number_of_threads = click.option(
    "--threads", type=int, callback=_threads, expose_value=False, help="How many threads work (the answer is the same)."
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Changes how ties are broken.")
symmetrize_option = click.option("--symmetrize", is_flag=True, help="Take a directed graph as undirected.")
merge_option = click.option(
    "--merge",
    type=click.Choice(["min", "max", "sum"]),
    help="As --symmetrize; weights of u-v and v-u that differ are merged so.",
)
source_format_option = click.option(
    "--from", "source_format", metavar="FORMAT", help="Read FILE as mtx, snap, dimacs, metis, egr, npz or parquet."
)
target_format_option = click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    help="Write mtx, snap, dimacs, metis, egr, npz or parquet, whatever the suffix.",
)
verify_option = click.option(
    "--verify/--no-verify", default=True, show_default=True, help="Check the answer with another method."
)
graph_file = options(click.argument("file"), source_format_option, symmetrize_option, number_of_threads, json_option)


def given(ctx: click.Context, *names: str) -> str | None:
    """The first of these options that stands on the command line, as it is written there."""
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


def read(file: str, source_format: str | None, symmetrize: bool | str, clock: Clock, *, weights: bool = False) -> Graph:
    """Read a graph from a file, or from standard input."""
    from ..io import read_graph

    with clock("read"), reading(shown_name(file)) as progress:
        return read_graph(file, format=source_format, symmetrize=symmetrize, weights=weights, progress=progress)


def write(file: str, graph: Any, target_format: str | None, clock: Clock) -> None:
    """Write a graph to a file or, for "-", to standard output (Matrix Market unless another format is asked for)."""
    from ..io import write_graph

    with clock("write"), working(f"writing {file}"), blamed_on(file):
        if file == "-":
            write_graph(sys.stdout.buffer, graph, format=target_format or "mtx")
            sys.stdout.buffer.flush()
        else:
            write_graph(file, graph, format=target_format)


def show_written(as_json: bool, facts: Facts, graph: Graph, target: str, clock: Clock, title: str) -> None:
    """Say what was written by `write`."""
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


def compile_ahead(function: Callable[..., Any], graph: Graph, clock: Clock, **how: Any) -> None:
    """Compile, or load compiled code, on a small graph of the same types: the time to compute then has none of it."""
    from .. import gallery

    with clock.compiling(), working("compiling"):
        small = gallery.uniform_random(200, 8)._with_dtypes(graph.indptr.dtype, graph.indices.dtype).to(graph.device)
        function(small, **how)


def check_output(output: str | None, file: str, as_json: bool) -> None:
    """Refuse an answer that would take the place of a file that is read, or of the JSON object."""
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output")
    if output is not None and os.path.exists(output) and os.path.exists(file) and os.path.samefile(output, file):
        raise click.UsageError(f"-o {output} would replace what is read by the answer; name another file")


def save_picture(figure: Any, output: str) -> None:
    """Write a figure; a file that stands there is replaced when the new one is whole."""
    from ..io.target import replacing

    kind = Path(output).suffix.lower().lstrip(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"{output}: a picture can be .png, .svg or .pdf, not .{kind}")
    with blamed_on(output), replacing(output) as file:
        figure.savefig(file, format=kind)


def size_line(graph: Graph) -> str:
    """How large a graph is."""
    return f"{graph.num_vertices:,} vertices, {graph.num_edges:,} {'arcs' if graph.directed else 'edges'}"


def threads_line(clock: Clock) -> str:
    """The times, and how many threads worked."""
    from ..parallel import num_threads

    return f"{clock}  ({num_threads()} thread{'s' if num_threads() > 1 else ''})"
