"""``stablegraph generate``: generate graphs of the gallery, with one command per function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from .choices import FileName, NamedCommands
from .clock import Clock
from .options import json_option, number_of_threads, show_written, size_line, target_format_option, write
from .terminal import show


def _shape(text: str) -> tuple[int, ...]:
    parts = text.lower().split("x")
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter(f"expected points along each axis, such as 100x100, got {text!r}")
    return tuple(int(part) for part in parts)


# The functions of the gallery by kind. Parameters without a default become arguments of the command, other parameters
# become options.
_KINDS = {
    "grid": "grid",
    "laplacian": "laplacian",
    "elasticity": "elasticity_3d",
    "uniform": "uniform_random",
    "rmat": "rmat",
    "kronecker": "kronecker",
    "delaunay": "delaunay",
    "benchmark": "benchmark_graph",
    "real": "load",
}
_TYPES: dict[str, Any] = {"int": int, "int | None": int, "float": float, "bool": bool, "str": str}


class Kinds(NamedCommands):
    """A group with one command per kind, which is created from the gallery's function on access."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_KINDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _KINDS:
            return None
        function = _generator(name)
        parameters: list[click.Parameter] = []
        for parameter in inspect.signature(function).parameters.values():
            kind = _TYPES.get(str(parameter.annotation), _shape if parameter.name == "shape" else int)
            if parameter.default is parameter.empty:
                parameters.append(click.Argument([parameter.name], type=kind))
            elif kind is bool:
                both = f"--{parameter.name}/--no-{parameter.name}"
                parameters.append(click.Option([both], default=parameter.default, show_default=True))
            else:
                flag = "--" + parameter.name.replace("_", "-")
                parameters.append(click.Option([flag], type=kind, default=parameter.default, show_default=True))

        @click.option(
            "-o",
            "--output",
            type=FileName(),
            metavar="FILE",
            required=True,
            help="File to write; - is standard output.",
        )
        @target_format_option
        @number_of_threads
        @json_option
        def make(output: str, target_format: str | None, as_json: bool, **options: Any) -> None:
            _generate(name, options, output, target_format, as_json)

        about = (inspect.getdoc(function) or "").split("\n\n")[0]
        given = inspect.signature(function).parameters
        shape = "\n\nSHAPE is points along each axis, such as 100x100 or 9x9x9." if "shape" in given else ""
        made: click.Command = click.command(
            name,
            short_help=about,
            help=about + shape,
            epilog=f"help(stablegraph.gallery.{function.__name__}) in Python explains the parameters.",
        )(make)
        made.params = parameters + made.params
        return made


def _generator(name: str) -> Callable[..., Any]:
    from .. import gallery

    function: Callable[..., Any] = getattr(gallery, _KINDS[name])
    return function


def _generate(name: str, options: dict[str, Any], output: str, target_format: str | None, as_json: bool) -> None:
    from ..conversion import as_graph

    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output")
    clock = Clock()
    with clock("generate", f"generating {name}"):
        made = _generator(name)(**options)
        graph = as_graph(made[0] if isinstance(made, tuple) else made)  # elasticity also returns rigid-body modes
    write(output, graph, target_format, clock)
    facts = {"kind": name, "options": {key: value for key, value in options.items() if value is not None}}
    show_written(as_json, facts, graph, output, clock, title=f"{name}: {size_line(graph)}")


@click.group("generate", cls=Kinds, invoke_without_command=True)
@click.option("--list", "as_list", is_flag=True, help="List the kinds of graphs.")
@click.pass_context
def command(ctx: click.Context, as_list: bool) -> None:
    """Generate a graph and write it to a file.

    Example: stablegraph generate grid 100x100 -o grid.mtx
    """
    if ctx.invoked_subcommand is not None:
        return
    if not as_list:
        raise click.UsageError(f"say what to make: {', '.join(_KINDS)} (stablegraph generate --list says more)")
    rows = {}
    for name in _KINDS:
        about = (inspect.getdoc(_generator(name)) or "").splitlines()[0]
        needed = [
            parameter.name.upper()
            for parameter in inspect.signature(_generator(name)).parameters.values()
            if parameter.default is parameter.empty
        ]
        rows[" ".join([name, *needed])] = about
    show(False, {}, rows)
