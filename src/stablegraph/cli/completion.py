"""``stablegraph completion``: the script with which a shell completes commands, options, values and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .choices import Name

_VARIABLE = "_STABLEGRAPH_COMPLETE"  # Click's name for it: the script sets it and asks the command line


@click.command("completion")
@click.argument("shell", type=Name(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the script for a shell's completion.

    With it, the shell completes commands, options, values and names of files.

    For bash, put the line below into ~/.bashrc; for zsh, with "zsh" in place of "bash", into ~/.zshrc, below the line
    with compinit; for fish, write the script into ~/.config/fish/completions/stablegraph.fish.

    Example: eval "$(stablegraph completion bash)"
    """
    from . import main

    script = get_completion_class(shell)
    assert script is not None, "Click knows these three"
    click.echo(script(main, {}, "stablegraph", _VARIABLE).source())
