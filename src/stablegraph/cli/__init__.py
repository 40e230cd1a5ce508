"""The command line ``stablegraph``: one file a command.

Results go to standard output, as a few lines for people or, with ``--json``, as one JSON object and nothing else.
Progress and errors go to standard error; progress only where that is a terminal.

Exit codes: 0 for success, 1 for "checked and found wrong", 2 for input that cannot be used or output that cannot be
written (one line says why, without a traceback unless STABLEGRAPH_TRACEBACK is set), 130 when interrupted, 141 when the
reader of a pipe has left.

A new command is a file with a `command` in it, and its name below. What commands share is in options.py (options;
graphs in and out), answer_files.py (answers in files) and terminal.py (how the command line speaks).
"""

from __future__ import annotations

import click

from .. import __version__
from . import (
    aggregate,
    bench,
    bfs,
    color,
    components,
    convert,
    demo,
    forest,
    generate,
    info,
    mis,
    scc,
    solve,
    verify,
    warmup,
)
from .terminal import CommandLine


@click.group(cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="stablegraph %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Independent sets, colorings, components, spanning forests: fast, deterministic, checkable.

    FILE is a graph in Matrix Market, SNAP, DIMACS, METIS, ECL, Parquet or stablegraph's own format, plain or
    compressed; its format is found from what is in it. "-" is standard input or output. Vertices are numbered from 0;
    where an edge list has other ids, in their ascending order.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for module in (
    aggregate,
    bench,
    bfs,
    color,
    components,
    convert,
    demo,
    forest,
    generate,
    info,
    mis,
    scc,
    solve,
    verify,
    warmup,
):
    main.add_command(module.command)
