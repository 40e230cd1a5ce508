"""Names as values of options, and names of commands. The error for an unknown name suggests the closest one.

Words in a name may be joined by hyphens or by underscores.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem

_OTHER_NAMES = {  # of commands, in other libraries and in the literature
    "bfs": ("search",),
    "color": ("coloring", "graph-coloring", "greedy-color"),
    "communities": ("community", "leiden", "louvain"),
    "components": ("cc",),
    "forest": ("mst", "minimum-spanning-tree", "minimum-spanning-forest", "spanning-tree", "spanning-forest"),
    "info": ("stats",),
    "matching": ("maximal-matching", "max-weight-matching"),
    "mis": ("independent-set", "maximal-independent-set", "maximum-independent-set"),
    "report": ("plot",),
    "solve": ("cg", "amg", "multigrid"),
    "verify": ("check",),
}
_CALLED = {name: command for command, names in _OTHER_NAMES.items() for name in names}
_NUMBER_OF_COLORS = ("k", "num_colors", "n_colors", "max_colors")  # its names in other libraries
_ON_A_GPU = ("--gpu", "--cuda")  # other names for --device cuda


class NamedCommands(click.Group):
    """A group of commands whose error for an unknown command suggests the closest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if not (name.startswith("-") or name in known or ctx.resilient_parsing):
            called = _CALLED.get(name.lower().replace("_", "-"))
            hint = f"; did you mean {called!r}?" if called else _meant(name, [*known, "--help", "--version"])
            raise click.UsageError(f"No such command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


class Name(click.Choice):  # type: ignore[type-arg]
    """One of the library's names, with hyphens or underscores; the value is the name as the library spells it."""

    def __init__(self, known: Any, files: bool = False) -> None:
        """Accept the names `known`, one of the Literals in _core/option_names.py or any names, and @FILE if `files`."""
        super().__init__(get_args(known) or list(known))
        self.files = files
        self._known = {_with_underscores(name): name for name in self.choices}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.files and str(value).startswith("@"):
            return str(value)
        return super().convert(self._known.get(_with_underscores(str(value)), value), param, ctx)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        known = [str(name) for name in self.choices]
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + _meant(_with_underscores(str(value)), known)


class FileName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file, unchanged; the shell's completion offers existing files.

    `writes` is empty for a file that is read, and otherwise says what a command writes to it: an "answer", a "graph", a
    "picture" or a "page". `files_of` uses it to protect the inputs of all commands.
    """

    name = "file"

    def __init__(self, writes: str = "") -> None:
        self.writes = writes

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


class Vertices(click.ParamType):  # type: ignore[type-arg]
    """Vertices as a text, or @FILE."""

    name, files = "text", True


def files_of(ctx: click.Context) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return the files that a command reads, with their options, and those that it writes, with their contents, too."""
    inputs, outputs = [], []
    for parameter in ctx.command.params:
        option = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name.strip("[]")
        kind, value = parameter.type, ctx.params.get(parameter.name or "")
        for text in filter(None, value if isinstance(value, tuple) else (value,)):
            if isinstance(kind, FileName) and kind.writes:
                outputs.append((option, text, kind.writes))
            elif isinstance(kind, FileName):
                inputs.append((option, text))
            elif getattr(kind, "files", False) and text.startswith("@"):
                inputs.append((option, text[1:]))
    return inputs, outputs


def about_unknown_option(error: click.NoSuchOption) -> str:
    """Return the message about an option that a command does not have."""
    options = [flag for parameter in error.ctx.command.params for flag in parameter.opts] if error.ctx else []
    if error.option_name in _ON_A_GPU and "--device" in options:
        return f"No such option '{error.option_name}'; did you mean '--device cuda'?"
    if error.option_name in ("--weight", "--no-weights") and error.ctx:
        threshold = "; for a threshold, filter the pairs before, as docs/deduplication.md shows"
        return (
            f"No such option '{error.option_name}'; {error.ctx.command.name} reads no weights, so leave it out"
            f"{threshold if error.ctx.command.name == 'components' else ''}"
        )
    word = _with_underscores(error.option_name.removeprefix("--"))
    if word in _NUMBER_OF_COLORS and "--colors" in options:
        return f"No such option '{error.option_name}'; use '--colors'"
    if word in ("kind", "type") and "--as" in options:
        return f"No such option '{error.option_name}'; use '--as'"
    from .._core.unknown_options import SYNONYMS

    same = f"--{SYNONYMS.get(word)}"  # the option of this library with the same meaning
    if same in options:
        return f"No such option '{error.option_name}'; use '{same}'"
    return error.format_message()


def _meant(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name."""
    from .._core.unknown_options import nearest

    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def _with_underscores(name: str) -> str:
    return name.replace("-", "_")
