"""The command line ``stablegraph``: one file a command.

Results go to standard output, as a few lines for people or, with ``--json``, as one JSON object and nothing else.
Progress and errors go to standard error; progress only where that is a terminal.

Exit codes: 0 for success, 1 for "checked and found wrong", 2 for input that cannot be used or output that cannot be
written (one line says why, without a traceback unless STABLEGRAPH_TRACEBACK is set), 130 when interrupted, 143 when
ended by SIGTERM (129: SIGHUP), 141 when the reader of a pipe has left.

A new command is a file with a `command` in it, and its name below; the file is imported when the command is needed.
What commands share is in answer.py (the whole of a command that computes an answer), options.py (options; graphs in
and out), choices.py (the names that options take), answer_files.py (answers in files), clock.py (times), terminal.py
(how the command line speaks) and failures.py (what it says when it fails).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

import click
from rich.text import Text  # here, so that it is missed before a command is imported

from .. import __version__
from .failures import CommandLine
from .terminal import console_for


class _Commands(Mapping[str, click.Command]):
    """The commands by name."""

    _NAMES = (
        "aggregate",
        "bench",
        "bfs",
        "color",
        "completion",
        "components",
        "convert",
        "demo",
        "doctor",
        "forest",
        "generate",
        "info",
        "mis",
        "report",
        "scc",
        "solve",
        "verify",
    )

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._NAMES:
            raise KeyError(name)
        command: click.Command = import_module(f".{name}", __package__).command
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._NAMES)

    def __len__(self) -> int:
        return len(self._NAMES)


@click.group(
    cls=CommandLine,
    commands=_Commands(),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", message="stablegraph %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Independent sets, colorings, components, spanning forests: fast, deterministic, checkable.

    FILE is a graph in Matrix Market, SNAP, DIMACS, METIS, ECL, Parquet or stablegraph's own format, plain or
    compressed; its format is detected from its contents. "-" is standard input or output. Vertices are numbered from
    0; where an edge list has other ids, in their ascending order.
    """
    if ctx.invoked_subcommand is None:
        _greet()


def _greet() -> None:
    console = console_for()
    console.print(Text.assemble((f"stablegraph {__version__}", "bold"), ": graphs and sparse matrices, from a file to"))
    console.print("a verified answer, the same on every machine.\n")
    for command, what in (
        ("stablegraph demo", "see it work on a real graph"),
        ("stablegraph mis FILE -o set.txt", "an independent set of a graph of yours"),
        ("stablegraph report FILE -o report.html", "a page on a graph or matrix, with pictures"),
    ):
        console.print(Text.assemble(f"  {command:<40}", (what, "dim")))
    console.print("\nAll commands: stablegraph --help. Is everything in place? stablegraph doctor")
