"""The names that options take, and those of commands. What is misspelt is answered with the nearest name.

Words in a name may be joined by hyphens or by underscores, as the user likes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem


class NamedCommands(click.Group):
    """A group of commands that names the nearest one where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if not (name.startswith("-") or name in known or ctx.resilient_parsing):
            raise click.UsageError(f"No such command {name!r}{_meant(name, known)}", ctx)
        return super().resolve_command(ctx, args)


class Name(click.Choice):  # type: ignore[type-arg]
    """One of the library's names: ``smallest-last`` and ``smallest_last`` are the same, and give the library's own."""

    def __init__(self, known: Any) -> None:
        """`known` is one of the Literals in names.py, or any names."""
        super().__init__(get_args(known) or list(known))
        self._known = {_joined(name): name for name in self.choices}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(self._known.get(_joined(str(value)), value), param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        known = [str(name) for name in self.choices]
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + _meant(_joined(str(value)), known)


class FileName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file, as it is given; the shell's completion offers those that there are."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


def _meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known."""
    near = difflib.get_close_matches(name.lower(), known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _joined(name: str) -> str:
    return name.replace("-", "_")


def name_option(flag: str, known: Any, default: str, help: str) -> Callable[..., Any]:
    """An option that takes one of the names."""
    return click.option(flag, type=Name(known), default=default, show_default=True, help=help)
