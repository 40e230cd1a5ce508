"""``stablegraph convert``: convert a graph from one file format to another."""

from __future__ import annotations

import click

from .choices import FileName
from .clock import Clock
from .options import (
    directed_option,
    direction,
    input_options,
    json_option,
    merge_option,
    number_of_threads,
    read,
    show_written,
    size_line,
    symmetrize_option,
    target_format_option,
    weight_options,
    write,
)
from .terminal import shown_name


@click.command("convert")
@click.argument("source", metavar="IN", type=FileName())
@click.argument("target", metavar="OUT", type=FileName())
@input_options
@weight_options
@target_format_option
@symmetrize_option
@directed_option
@merge_option
@number_of_threads
@json_option
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    symmetrize: bool,
    directed: bool,
    merge: str | None,
    as_json: bool,
) -> None:
    """Read a graph in one format and write it in another.

    Example: stablegraph convert graph.mtx.gz graph.npz
    """
    if as_json and target == "-":
        raise click.UsageError("--json and OUT - both want standard output")
    clock = Clock()
    arcs = direction(directed, merge or symmetrize)
    graph = read(source, source_format, merge or symmetrize, clock, weights=True, directed=arcs)
    write(target, graph, target_format, clock)
    show_written(as_json, {"source": source}, graph, target, clock, title=f"{shown_name(source)}: {size_line(graph)}")
