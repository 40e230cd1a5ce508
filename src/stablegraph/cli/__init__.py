"""The command line ``stablegraph``, with its commands in the folder commands.

Results go to standard output: a few lines of text or, with ``--json``, exactly one JSON object. Progress and errors go
to standard error; progress is shown only on a terminal.

Exit codes: 0 for success, 1 if a check failed, 2 for unusable input or unwritable output (one line states the reason,
without a traceback unless STABLEGRAPH_TRACEBACK is 1), 3 if it is proved that there is no answer, 4 if none was found
within the limits, 130 when interrupted, 143 when ended by SIGTERM (129: SIGHUP), 141 when the reader of a pipe has
closed it.

To add a command, create a function in a file of the folder commands, which returns its facts, add the formats of its
lines to answers.py, and the function to `_COMMANDS`. Heavy modules are imported only in the functions that need them.
Shared code is in frame.py and job.py (what all commands do), answers.py (how answers are verified, written and
described), cluster.py (answers of graphs in partitions), options.py (and names as their values), answer_files.py and
vertex_values.py (values of vertices in files), terminal.py (output and times), failures.py (errors and warnings) and
messages.py (messages of the library with the names of options).
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class
from rich.text import Text

from .. import __version__
from .commands import color, demo, graph_files, labels, machine, report, sets, solve, verify
from .failures import CommandLine
from .options import Name
from .terminal import console_for

_COMPLETION_VARIABLE = "_STABLEGRAPH_COMPLETE"  # Click's name for it: the script sets it and calls the command line


@click.command("completion")
@click.argument("shell", type=Name(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    With it, the shell completes commands, options, values and file names.

    For bash, put the line below into ~/.bashrc; for zsh, with "zsh" instead of "bash", into ~/.zshrc, below the line
    with compinit; for fish, write the script into ~/.config/fish/completions/stablegraph.fish.

    Example: eval "$(stablegraph completion bash)"
    """
    script = get_completion_class(shell)
    assert script is not None, "Click knows these three"
    click.echo(script(ctx.find_root().command, {}, "stablegraph", _COMPLETION_VARIABLE).source())


_COMMANDS = (
    *(labels.aggregate, machine.bench, labels.bfs, color.color, labels.communities, completion, labels.weak_components),
    *(graph_files.convert, demo.demo, machine.doctor, sets.forest, graph_files.generate, graph_files.info),
    *(sets.matching, sets.mis, report.report, labels.strong_components, solve.solve, verify.verify),
)


@click.group(
    cls=CommandLine,
    commands=_COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", message="stablegraph %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Independent sets, colorings, components, communities, matchings, solvers: fast, deterministic, checkable.

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
