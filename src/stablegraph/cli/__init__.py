"""The command line ``stablegraph``, with one file per command.

Results go to standard output: a few lines of text or, with ``--json``, exactly one JSON object. Progress and errors go
to standard error; progress is shown only on a terminal.

Exit codes: 0 for success, 1 if a check failed, 2 for unusable input or unwritable output (one line states the reason,
without a traceback unless STABLEGRAPH_TRACEBACK is set), 130 when interrupted, 143 when ended by SIGTERM (129: SIGHUP),
141 when the reader of a pipe has closed it.

To add a command, create a file that defines `command`, and add its name below; the file is imported when the command is
called. Shared code is in answer.py (the frame of commands that compute an answer), options.py (options, and reading and
writing of graphs), choices.py (names as values of options), answer_files.py (answers in files), clock.py (times),
terminal.py (output) and failures.py (errors and warnings).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

import click
from rich.text import Text  # imported early, so that its absence is reported before a command is imported

from .. import __version__
from .failures import CommandLine
from .terminal import console_for


class _Commands(Mapping[str, click.Command]):
    """The commands by name, imported on access."""

    _NAMES = (
        "aggregate",
        "bench",
        "bfs",
        "color",
        "communities",
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
    0; other ids in an edge list are numbered in ascending order.
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
