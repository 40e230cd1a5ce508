"""Options and arguments that several commands share; the frame in job.py stores their values in a `Job`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

import stablegraph as sg

from .._core.option_names import Device, Merge
from .choices import FileName, Name, Vertices

Decorator = Callable[..., Any]

_FORMATS = "mtx, snap, dimacs, metis, egr, npz, parquet or feather"
_PICTURES = (".html", ".jpg", ".json", ".pdf", ".png", ".svg", ".xls", ".xlsx")  # suffixes that no answer has


def combine(*several: Decorator) -> Decorator:
    """Combine several options or arguments to one decorator."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def flag(name: str, help: str, **settings: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(name, is_flag=True, help=help, **settings)


def choice(name: str, known: Any, default: str, help: str) -> Decorator:
    """Return an option whose value is one of the names."""
    return click.option(name, type=Name(known), default=default, show_default=True, help=help)


def number_option(name: str, minimum: int, default: float | None, help: str, maximum: int | None = None) -> Decorator:
    """Return an option whose value is a number in a range, an integer unless the default is none."""
    kind = click.FloatRange if isinstance(default, float) else click.IntRange
    return click.option(name, type=kind(minimum, maximum), default=default, show_default=True, help=help)


def file_option(name: str, help: str) -> Decorator:
    """Return an option whose value is the name of a file that is read."""
    return click.option(name, type=FileName(), metavar="FILE", help=help)


def algorithm(known: Any) -> Decorator:
    """Return ``--algorithm`` for commands whose algorithms all return the same answer."""
    help = "Algorithm to use; it changes the time, not the answer."
    return choice("--algorithm", known, get_args(known)[0], help)


def vertices(name: str, help: str, **settings: Any) -> Decorator:
    """Return an option whose value is a list of vertices."""
    help += ": 3,7,10-12, names, or @FILE."
    return click.option(name, type=Vertices(), metavar="VERTICES", help=help, **settings)


def max_distance(help: str) -> Decorator:
    """Return ``--max-distance`` of a search."""
    return click.option("--max-distance", type=click.IntRange(min=0), metavar="N", help=help)


def strength_option(help: str) -> Decorator:
    """Return ``--strength`` of aggregation."""
    return click.option("--strength", type=float, metavar="THETA", help=help)


def output(help: str, writes: str, **settings: Any) -> Decorator:
    """Return ``-o``, which names the file that a command writes."""
    return click.option("-o", "--output", type=FileName(writes), metavar="FILE", help=help, **settings)


def answer_output(what: str, text: str) -> Decorator:
    """Return ``-o`` for an answer with values for each vertex."""
    tables = ".csv, .tsv, .parquet or .feather (with the file's ids)"
    forms = f"Write the {what}: {tables}, .npz (with ids and options), .npy, or else {text}."
    return output(forms, "answer", callback=_check_suffix)


def _check_suffix(ctx: click.Context, param: click.Parameter, output: str | None) -> str | None:
    """Return the name of an answer's file; raise BadParameter for a suffix whose format cannot contain an answer."""
    suffix = Path(output or "").suffix.lower()
    if suffix in _PICTURES:
        plot = "--plot, or " if any("--plot" in option.opts for option in ctx.command.params) else ""
        raise click.BadParameter(
            f"an answer is written as .csv, .tsv, .parquet, .feather, .npz, .npy or text, not as {suffix} (for "
            f"pictures: {plot}stablegraph report)"
        )
    return output


def plot(what: str) -> Decorator:
    """Return ``--plot``, which draws an answer."""
    help = f"Draw {what} (.png, .svg or .pdf)."
    return click.option("--plot", "picture", type=FileName("picture"), metavar="FILE", help=help)


def _set_threads(ctx: click.Context, parameter: click.Parameter, count: int | None) -> None:
    if count is not None:
        sg.set_num_threads(count)


def _column_option(name: str, help: str) -> Decorator:
    return click.option(f"--{name}", f"{name}_column", metavar="COLUMN", help=help)


file = click.argument("file", type=FileName())
json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
threads = click.option(
    "--threads",
    type=click.IntRange(1),
    callback=_set_threads,
    expose_value=False,
    help="Number of threads; the answer is the same.",
)
device = choice("--device", Device, "cpu", "Where to compute: CPU threads, or the GPU; the answer is the same.")
trusted = flag(
    "--trusted", "Read FILE even if it expands to far more memory than its size (skips the decompression-bomb check)."
)
seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random numbers.")
symmetrize = flag(
    "--symmetrize",
    "Make edges of the arcs of a directed graph, or of the entries of an unsymmetric matrix. Edge lists and tables "
    "have edges without it.",
)
directed = flag("--directed", "The lines of an edge list, or the rows of a table, are arcs.  [default: edges]")
merge = click.option(
    "--merge",
    type=Name(Merge),
    help="Like --symmetrize, and how the weights of an edge are merged where they differ.",
)
weights = combine(
    _column_option("weight", "Column of the weights in a table.  [default: the column weight or w]"),
    flag("--no-weights", "Read FILE as if it had no weights."),
)
input_format = combine(
    click.option(
        "--from", "source_format", metavar="FORMAT", help=f"Format of FILE ({_FORMATS}), if it is not to be detected."
    ),
    _column_option("source", "Column of one end of each edge in a table.  [default: source, u, from or src]"),
    _column_option("target", "Column of the other end.  [default: target, v, to or dst]"),
)
target_format = click.option(
    "--to", "target_format", metavar="FORMAT", help=f"Format to write ({_FORMATS}), whatever the suffix."
)
verify = click.option(
    "--verify/--no-verify", default=True, show_default=True, help="Check the answer with an independent verifier."
)
graph = combine(file, input_format, symmetrize, directed, trusted, threads, json)
graph_on_device = combine(graph, device)
labels_output = answer_output("labels", "one label a line")
cluster = combine(
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
