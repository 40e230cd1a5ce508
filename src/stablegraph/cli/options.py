"""Shared parts of commands: options, reading and writing graphs, saving pictures."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._core.option_names import Device, Merge
from .choices import FileName, Name
from .clock import Clock
from .failures import blamed_on
from .terminal import Facts, byte_size, reading, show, shown_name

if TYPE_CHECKING:
    from ..graph import Graph


_DEVICE = f"{__name__}.device"  # key of the value in a command's context
_TRUSTED = f"{__name__}.trusted"  # key of the value in a command's context
_COLUMNS = f"{__name__}.columns"  # key of a table's columns in a command's context


def _threads(ctx: click.Context, parameter: click.Parameter, value: int | None) -> None:
    if value is not None:
        from .._core.runtime import set_num_threads

        set_num_threads(value)


def _device(ctx: click.Context, parameter: click.Parameter, value: str) -> None:
    ctx.meta[_DEVICE] = value


def _trusted(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[_TRUSTED] = value


def _column(ctx: click.Context, parameter: click.Parameter, value: str | bool | None) -> None:
    if value not in (None, False):
        name = (parameter.name or "").removesuffix("_column")
        named = {"weights": False} if name == "no_weights" else {name: value}
        ctx.meta[_COLUMNS] = {**columns(), **named}


def columns() -> dict[str, Any]:
    """Return ``--source``, ``--target``, ``--weight`` and ``--no-weights`` as arguments of `read_graph`."""
    named: dict[str, Any] = click.get_current_context().meta.get(_COLUMNS, {})
    return named


def device() -> str:
    """Return the value of ``--device``."""
    chosen: str = click.get_current_context().meta.get(_DEVICE, "cpu")
    return chosen


def trusted() -> bool:
    """Return the value of ``--trusted``."""
    chosen: bool = click.get_current_context().meta.get(_TRUSTED, False)
    return chosen


def options(*several: Callable[..., Any]) -> Callable[..., Any]:
    """Combine several options or arguments to one decorator."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def output_option(what: str, text: str) -> Callable[..., Any]:
    """Return ``-o``, which writes an answer."""
    tables = ".csv, .tsv, .parquet or .feather (with the file's ids)"
    forms = f"Write the {what}: {tables}, .npz (with ids and options), .npy, or else {text}."
    return click.option("-o", "--output", type=FileName(), metavar="FILE", help=forms, callback=_checked_kind)


def _checked_kind(ctx: click.Context, param: click.Parameter, output: str | None) -> str | None:
    """Return the name of an answer's file; raise BadParameter for a suffix whose format cannot contain an answer."""
    suffix = Path(output or "").suffix.lower()
    if suffix in _OTHER_KINDS:
        raise click.BadParameter(
            f"an answer is written as .csv, .tsv, .parquet, .feather, .npz, .npy or text, not as {suffix} (for "
            "pictures: --plot, or stablegraph report)"
        )
    return output


_OTHER_KINDS = (".html", ".jpg", ".json", ".pdf", ".png", ".svg", ".xls", ".xlsx")


def plot_option(what: str) -> Callable[..., Any]:
    """Return ``--plot``, which draws an answer."""
    return click.option("--plot", "picture", type=FileName(), metavar="FILE", help=f"Draw {what} (.png, .svg or .pdf).")


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
number_of_threads = click.option(
    "--threads",
    type=click.IntRange(1),
    callback=_threads,
    expose_value=False,
    help="Number of threads; the answer is the same.",
)
device_option = click.option(
    "--device",
    type=Name(Device),
    default="cpu",
    show_default=True,
    callback=_device,
    expose_value=False,
    help="Where to compute: CPU threads, or the GPU; the answer is the same.",
)
trusted_option = click.option(
    "--trusted",
    is_flag=True,
    callback=_trusted,
    expose_value=False,
    help="Read FILE even if it expands to far more memory than its size (skips the decompression-bomb check).",
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
symmetrize_option = click.option(
    "--symmetrize",
    is_flag=True,
    help="Make edges of the arcs of a directed graph, or of the entries of an unsymmetric matrix. Edge lists and "
    "tables have edges without it.",
)
directed_option = click.option(
    "--directed", is_flag=True, help="The lines of an edge list, or the rows of a table, are arcs.  [default: edges]"
)
merge_option = click.option(
    "--merge",
    type=Name(Merge),
    help="Like --symmetrize, and how the weights of an edge are merged where they differ.",
)


def _column_option(name: str, what: str) -> Callable[..., Any]:
    return click.option(
        f"--{name}", f"{name}_column", metavar="COLUMN", callback=_column, expose_value=False, help=what
    )


weight_options = options(
    _column_option("weight", "Column of the weights in a table.  [default: the column weight or w]"),
    click.option(
        "--no-weights", is_flag=True, callback=_column, expose_value=False, help="Read FILE as if it had no weights."
    ),
)
_FORMATS = "mtx, snap, dimacs, metis, egr, npz, parquet or feather"
input_options = options(
    click.option(
        "--from", "source_format", metavar="FORMAT", help=f"Format of FILE ({_FORMATS}), if it is not to be detected."
    ),
    _column_option("source", "Column of one end of each edge in a table.  [default: source, u, from or src]"),
    _column_option("target", "Column of the other end.  [default: target, v, to or dst]"),
)
target_format_option = click.option(
    "--to", "target_format", metavar="FORMAT", help=f"Format to write ({_FORMATS}), whatever the suffix."
)
verify_option = click.option(
    "--verify/--no-verify", default=True, show_default=True, help="Check the answer with an independent verifier."
)
graph_file = options(
    click.argument("file", type=FileName()),
    input_options,
    symmetrize_option,
    directed_option,
    trusted_option,
    number_of_threads,
    json_option,
)
graph_on_a_device = options(graph_file, device_option)


def given(*names: str) -> str | None:
    """Return the first of these options that was passed on the command line, in its spelling, or None."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


def read(
    file: Any,
    source_format: str | None,
    symmetrize: bool | str,
    clock: Clock,
    *,
    weights: bool = False,
    directed: bool | None = None,
    is_answer: bool = False,
) -> Graph:
    """Read a graph from a file or a folder, a stream, or standard input; `directed` is that of `read_graph`.

    The columns that the user names apply to the graph, but not to an answer that is read as a graph.
    """
    from ..io import read_graph

    name = shown_name(getattr(file, "name", file))
    with clock("read"), reading(name) as progress, _cures_of_this_command():
        return read_graph(
            file,
            format=source_format,
            symmetrize=symmetrize,
            directed=directed,
            **{"weights": weights, **({} if is_answer else columns())},
            trusted=trusted(),
            progress=progress,
        )


@contextlib.contextmanager
def _cures_of_this_command() -> Iterator[None]:
    """Remove ``--merge`` from the message about different weights in commands without that option."""
    try:
        yield
    except ValueError as error:
        has_merge = any(parameter.name == "merge" for parameter in click.get_current_context().command.params)
        message = str(error) if has_merge else re.sub(r"pass symmetrize=('\w+'[, or]*)+combine", "combine", str(error))
        if message == str(error):
            raise
        raise type(error)(message) from None


def direction(directed: bool, symmetrize: bool | str, problem: bool | None = None) -> bool | None:
    """Return the argument `directed` of `read_graph` from ``--directed`` and ``--symmetrize``.

    `problem` is False for a command that needs an undirected graph, True for one that needs arcs.
    """
    if directed and symmetrize:
        raise click.UsageError("--directed keeps arcs, --symmetrize and --merge make edges of them; leave out one")
    return True if directed or (problem and not symmetrize) else False if problem is False else None


def write(file: str, graph: Any, target_format: str | None, clock: Clock) -> None:
    """Write a graph to a file or, for "-", to standard output (in Matrix Market format by default)."""
    from ..io import write_graph

    with clock("write", f"writing {file}"), blamed_on(file):
        if file == "-":
            write_graph(sys.stdout.buffer, graph, format=target_format or "mtx")
            sys.stdout.buffer.flush()
        else:
            write_graph(file, graph, format=target_format)


def show_written(as_json: bool, facts: Facts, graph: Graph, target: str, clock: Clock, title: str) -> None:
    """Report that `write` wrote a graph."""
    written = None if target == "-" else os.path.getsize(target)
    facts = {
        **facts,
        "output": target,
        "output_bytes": written,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "seconds": clock.seconds,
    }
    lines = {"times": str(clock)}
    if written is not None:
        lines = {"written": f"{target}  ({byte_size(written)})", **lines}
    show(as_json, facts, lines, title=title, stderr=target == "-")


def check_output(output: str | None, file: str, as_json: bool) -> None:
    """Raise UsageError if the answer would replace an input file, or go to standard output together with JSON."""
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output")
    if output is not None and os.path.exists(output) and any(os.path.samefile(output, one) for one in _files(file)):
        raise click.UsageError(f"-o {output} is read, and the answer would replace it; name another file")


def byte_count(file: str) -> int:
    """Return the size of a file, or of all files in a folder."""
    return sum(map(os.path.getsize, _files(file)))


def _files(path: str) -> list[str]:
    """Return a path in a list if it is a file, or the paths in it if it is a folder."""
    if os.path.isdir(path):
        return [entry.path for entry in os.scandir(path)]
    return [path] if os.path.exists(path) else []


def save_picture(figure: Any, output: str) -> None:
    """Write a figure; an existing file is replaced only after the new one is complete."""
    from ..io.target import replacing

    kind = Path(output).suffix.lower().lstrip(".") or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"{output}: a picture can be .png, .svg or .pdf, not .{kind}")
    with blamed_on(output), replacing(output) as file:
        figure.savefig(file, format=kind)


def size_line(graph: Graph) -> str:
    """Return the size of a graph as text."""
    return f"{graph.num_vertices:,} vertices, {graph.num_edges:,} {'arcs' if graph.directed else 'edges'}"


def threads_line(clock: Clock) -> str:
    """Return the times, and the threads or the device used, as text."""
    from .._core.runtime import num_threads

    if device() == "cuda":
        return f"{clock}  (on the GPU)"
    return f"{clock}  ({num_threads()} thread{'s' if num_threads() > 1 else ''})"
