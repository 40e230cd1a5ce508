"""``stablegraph completion``: print the script for shell completion of commands, options, values and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .choices import Name

_VARIABLE = "_STABLEGRAPH_COMPLETE"  # Click's name for it: the script sets it and calls the command line


@click.command("completion")
@click.argument("shell", type=Name(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    With it, the shell completes commands, options, values and file names.

    For bash, put the line below into ~/.bashrc; for zsh, with "zsh" instead of "bash", into ~/.zshrc, below the line
    with compinit; for fish, write the script into ~/.config/fish/completions/stablegraph.fish.

    Example: eval "$(stablegraph completion bash)"
    """
    from . import main

    script = get_completion_class(shell)
    assert script is not None, "Click knows these three"
    click.echo(script(main, {}, "stablegraph", _VARIABLE).source())
