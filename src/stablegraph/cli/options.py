"""What commands have in common: options, reading and writing graphs, saving pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..names import Device, Merge
from .choices import FileName, Name
from .clock import Clock
from .failures import blamed_on
from .terminal import Facts, byte_size, reading, show, shown_name

if TYPE_CHECKING:
    from ..graph import Graph


_DEVICE = f"{__name__}.device"  # where a command's context has it
_TRUSTED = f"{__name__}.trusted"  # where a command's context has it


def _threads(ctx: click.Context, parameter: click.Parameter, value: int | None) -> None:
    if value is not None:
        from ..parallel import set_num_threads

        set_num_threads(value)


def _device(ctx: click.Context, parameter: click.Parameter, value: str) -> None:
    ctx.meta[_DEVICE] = value


def _trusted(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[_TRUSTED] = value


def device() -> str:
    """What ``--device`` says."""
    chosen: str = click.get_current_context().meta.get(_DEVICE, "cpu")
    return chosen


def options(*several: Callable[..., Any]) -> Callable[..., Any]:
    """Several options, or arguments, as one decorator."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def output_option(what: str, text: str) -> Callable[..., Any]:
    """``-o``, which writes an answer."""
    tables = ".csv, .parquet or .feather (with the file's ids)"
    forms = f"Write the {what}: {tables}, .npz (with ids and options), .npy, or else {text}."
    return click.option("-o", "--output", type=FileName(), metavar="FILE", help=forms, callback=_checked_kind)


def _checked_kind(ctx: click.Context, param: click.Parameter, output: str | None) -> str | None:
    """The name of a file for an answer; refused where it names a kind that the text in it would not be."""
    suffix = Path(output or "").suffix.lower()
    if suffix in _OTHER_KINDS:
        raise click.BadParameter(
            f"an answer is written as .csv, .parquet, .feather, .npz, .npy or text, not as {suffix} (for pictures: "
            "--plot, or stablegraph report)"
        )
    return output


_OTHER_KINDS = (".html", ".jpg", ".json", ".pdf", ".png", ".svg", ".xls", ".xlsx")


def plot_option(what: str) -> Callable[..., Any]:
    """``--plot``, which draws an answer."""
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
    help="Read FILE also if it takes much more memory than it has bytes.",
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
symmetrize_option = click.option(
    "--symmetrize", is_flag=True, help="Make a directed graph undirected: each arc becomes an edge."
)
directed_option = click.option(
    "--directed", is_flag=True, help="The lines of FILE are arcs, also where they could be edges."
)
merge_option = click.option(
    "--merge",
    type=Name(Merge),
    help="Like --symmetrize, and how the weights of u-v and v-u are merged where they differ.",
)
_FORMATS = "mtx, snap, dimacs, metis, egr, npz, parquet or feather"
source_format_option = click.option(
    "--from", "source_format", metavar="FORMAT", help=f"Format of FILE ({_FORMATS}), if it is not to be detected."
)
target_format_option = click.option(
    "--to", "target_format", metavar="FORMAT", help=f"Format to write ({_FORMATS}), whatever the suffix."
)
verify_option = click.option(
    "--verify/--no-verify", default=True, show_default=True, help="Check the answer with an independent verifier."
)
graph_file = options(
    click.argument("file", type=FileName()),
    source_format_option,
    symmetrize_option,
    directed_option,
    trusted_option,
    number_of_threads,
    json_option,
)
graph_on_a_device = options(graph_file, device_option)


def given(*names: str) -> str | None:
    """The first of these options of the command that stands on the command line, as it is written there."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


def read(
    file: str,
    source_format: str | None,
    symmetrize: bool | str,
    clock: Clock,
    *,
    weights: bool = False,
    directed: bool = False,
    undirected: bool = False,
) -> Graph:
    """Read a graph from a file, or from standard input; `directed` as --directed says, or one that is `undirected`."""
    from ..io import read_graph

    if directed and symmetrize:
        raise click.UsageError("--directed keeps arcs, --symmetrize and --merge make edges of them; leave out one")
    direction = True if directed else False if undirected else None

    with clock("read"), reading(shown_name(file)) as progress:
        return read_graph(
            file,
            format=source_format,
            symmetrize=symmetrize,
            directed=direction,
            weights=weights,
            trusted=click.get_current_context().meta.get(_TRUSTED, False),
            progress=progress,
        )


def edges_once(graph: Graph) -> tuple[Facts, dict[str, str]]:
    """Whether lines that might be arcs were taken as edges, because none has its opposite: a fact, and a line."""
    once = bool(graph.facts.get("edges_once"))
    return {"edges_once": once}, {"read as": "edges: each stands once in the file (--directed: arcs)"} if once else {}


def write(file: str, graph: Any, target_format: str | None, clock: Clock) -> None:
    """Write a graph to a file or, for "-", to standard output (Matrix Market unless another format is asked for)."""
    from ..io import write_graph

    with clock("write", f"writing {file}"), blamed_on(file):
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
    """The times, and what worked."""
    from ..parallel import num_threads

    if device() == "cuda":
        return f"{clock}  (on the GPU)"
    return f"{clock}  ({num_threads()} thread{'s' if num_threads() > 1 else ''})"
