"""List everything that users and tests can see of a source tree, so that two trees can be compared with `diff`.

    python -m tests.house.inventory [TREE] > FILE

Each line begins with its kind: a public name with its signature, the values of an option, a command with its options, a
key of a dictionary (`--json`, `info`), a message of an error or a warning, a verifier, a pin, a test. Names of files do
not occur, so that nothing changes if code moves.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PUBLIC = """
import inspect, typing
import stablegraph as sg
from stablegraph import csgraph, distributed, gallery, plot
from stablegraph._core import option_names
from stablegraph.cli import main
for module in (sg, csgraph, distributed, gallery, plot):
    for name in sorted(getattr(module, '__all__', dir(module))):
        value = getattr(module, name)
        if name.startswith("_") or inspect.ismodule(value) or not callable(value):
            continue
        if not getattr(value, "__module__", "").startswith("stablegraph"):
            continue
        parts = [("", value)]
        if inspect.isclass(value):
            parts += [(f".{m}", getattr(value, m)) for m in sorted(dir(value)) if not m.startswith("_")]
        for suffix, part in parts:
            try:
                signature = inspect.signature(part)
            except (TypeError, ValueError):
                signature = ""
            print("name", f"{module.__name__}.{name}{suffix}{signature}")
for name in sorted(dir(option_names)):
    for value in typing.get_args(getattr(option_names, name)):
        print("option", name, value)
for name, command in sorted(main.commands.items()):
    for parameter in command.params:
        print("command", name, " ".join([*parameter.opts, *parameter.secondary_opts]), parameter.default)
"""


def public_names(tree: Path) -> Iterator[str]:
    """Yield public names, options and commands, by importing the package of the tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "COLUMNS": "100"}
    command = [sys.executable, "-c", _PUBLIC]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    yield from done.stdout.splitlines()


def written(tree: Path) -> Iterator[str]:
    """Yield the keys and messages in the source, the pins, and the names of tests and verifiers."""
    for path in sorted((tree / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                yield from (f"key {key.value}" for key in node.keys if _is_text(key))
            elif isinstance(node, ast.FunctionDef) and node.name.startswith(("is_", "explain_")):
                yield f"verifier {node.name}"
            elif isinstance(node, ast.Call) and _is_message(node):
                yield from (f"message {_name(node)} {text}" for text in _texts(node))
    for path in sorted((tree / "tests" / "pins").glob("*.tsv")):
        yield from (f"pin {line}" for line in path.read_text(encoding="utf-8").splitlines())
    for path in sorted((tree / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"test {node.name}"


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _is_message(call: ast.Call) -> bool:
    name = _name(call)
    return name.endswith(("Error", "Warning")) or name in ("warn", "warned", "refuse", "fail")


def _texts(call: ast.Call) -> Iterator[str]:
    """Yield the texts among the arguments, with `{}` for each inserted value."""
    for argument in call.args:
        if _is_text(argument):
            yield str(argument.value)  # type: ignore[attr-defined]
        elif isinstance(argument, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in argument.values)


def main() -> None:
    """Print the inventory of a tree, sorted and without repetitions."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.inventory", description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT, metavar="TREE", help="this one by default")
    tree = parser.parse_args().tree.resolve()
    print(*sorted({line.replace("\n", " ") for line in [*public_names(tree), *written(tree)]}), sep="\n")


if __name__ == "__main__":
    main()
