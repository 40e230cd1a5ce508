"""List the public interface: names, parameters, values of options, commands and their options, keys of JSON.

    python -m tests.house.interface           print it
    python -m tests.house.interface --write   store it in interface.txt, which a test compares

Annotations and docstrings do not occur: they may change without an effect on programs.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import stablegraph as sg

STORED = Path(__file__).with_name("interface.txt")
MODULES = ("", ".csgraph", ".distributed", ".gallery", ".interop.petsc", ".interop.pyamg", ".plot", ".verify")


def signature(value: Any) -> str:
    """Return the parameters of a function or class and their defaults; nothing for other values."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    return str(inspect.Signature(parameters)).replace("\n    ", "").replace("\n", "")


def names(module: str) -> Iterator[str]:
    """Yield the public names of a module of the package, and those that its classes define."""
    package = importlib.import_module(f"stablegraph{module}")
    for name in sorted(package.__all__):
        value = getattr(package, name)
        yield f"{name}{signature(value) if callable(value) else ''}"
        if inspect.isclass(value):
            ours = [base for base in value.__mro__ if base.__module__.startswith("stablegraph")]
            for member in sorted({member for base in ours for member in vars(base) if not member.startswith("_")}):
                part = getattr(value, member)
                yield f"{name}.{member}{signature(part) if inspect.isroutine(part) else ''}"


def option_values() -> Iterator[str]:
    """Yield the values of options that have names."""
    option_names = importlib.import_module("stablegraph._core.option_names")
    for name in sorted(vars(option_names)):
        for value in typing.get_args(getattr(option_names, name)):
            yield f"{name}={value!r}"


def commands() -> Iterator[str]:
    """Yield the commands with their arguments, options, and defaults."""
    click = importlib.import_module("click")
    for name, command in sorted(importlib.import_module("stablegraph.cli").main.commands.items()):
        context = click.Context(command, info_name=name)
        for parameter in command.params:
            default = parameter.get_default(context)
            shown = f" {default}" if isinstance(default, (bool, float, int, str)) else ""
            yield f"{name} {' '.join([*parameter.opts, *parameter.secondary_opts])}{shown}"


WITH_JSON = (
    *("info g.npz", "mis g.npz", "mis g.npz --large", "color g.npz", "communities g.npz", "components g.npz"),
    *("scc g.npz", "forest g.npz", "matching g.npz", "bfs g.npz --sources 0", "aggregate g.npz", "solve a.npz"),
    *("convert g.npz h.npz", "generate grid 3x3 -o i.npz"),
)


def json_keys() -> Iterator[str]:
    """Yield commands with the keys of the objects that they print with --json, on small graphs."""
    invoking = importlib.import_module("tests.cli.invoking")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        sg.write_graph("g.npz", sg.gallery.grid((3, 4)))
        sg.write_graph("a.npz", sg.as_graph(sg.gallery.laplacian((3, 4))))
        for command in WITH_JSON:
            yield " ".join([command, "->", *invoking.facts(*command.split())])


SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    **{f"stablegraph{module}": partial(names, module) for module in MODULES},
    "values of options": option_values,
    "commands": commands,
    "keys of --json": json_keys,
}


def stored() -> dict[str, list[str]]:
    """Return the stored lines of each section."""
    _, *sections = re.split(r"^# (.*)\n", STORED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title: lines.splitlines() for title, lines in zip(sections[::2], sections[1::2], strict=True)}


def main() -> None:
    """Print or store the interface."""
    text = "".join(f"# {title}\n" + "".join(f"{line}\n" for line in lines()) for title, lines in SECTIONS.items())
    if "--write" in sys.argv[1:]:
        STORED.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
