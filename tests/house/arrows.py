"""Imports inside a package, extracted from the syntax trees.

Imports inside functions and imports for type checkers only count like all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = "stablegraph"
PUBLIC = (
    "coloring.schedule",
    "derivatives.evaluation",
    "independent_set.near_maximum",
    "solvers.solve",
    "tables.clusters",
)  # other modules with public functions than api.py


def imports(folder: Path) -> dict[str, set[str]]:
    """Map each module of a package in this folder, named without the package, to the modules that it imports."""
    files = {_module_name(path, folder): path for path in sorted(folder.rglob("*.py"))}
    return {
        name: {
            _known(target, files)
            for target in _targets(path, _package_of(name, path))
            if target.partition(".")[0] == PACKAGE
        }
        - {name}
        for name, path in files.items()
    }


def room(module: str) -> str:
    """Return the top-level file or folder that contains a module; for private helpers, that in the folder `_core`.

    The public functions of a problem (api.py, and the modules in `PUBLIC`) are above its algorithms, in a room of their
    own. So are the forms of problems and the verifiers in `cluster`.
    """
    top, _, below = module.partition(".")
    inner = f"{top}.{below.partition('.')[0]}"
    if (top == "_core" and below) or inner in ("cluster.problems", "cluster.verify"):
        return inner
    return f"{top}.api" if below == "api" or module in PUBLIC else top


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a cycle, or an empty list."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def forbidden(arrows: dict[str, set[str]], allowed: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Return the imports from a module to a room that its own room may not import."""
    return {
        (module, target)
        for module, targets in arrows.items()
        for target in targets
        if room(target) not in allowed.get(room(module), set()) | {room(module)}
    }


def _module_name(path: Path, folder: Path) -> str:
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def _package_of(name: str, path: Path) -> list[str]:
    parts = [PACKAGE, *name.split(".")] if name else [PACKAGE]
    return parts if path.name == "__init__.py" else parts[:-1]


def _targets(path: Path, package: list[str]) -> Iterator[str]:
    """Yield the names of imported modules and objects, including the package's name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            home = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{home}.{alias.name}" for alias in node.names)


def _known(target: str, files: dict[str, Path]) -> str:
    """Return the module of a name: the name itself, or the module that contains it; '' for the package itself."""
    parts = target.split(".")
    for length in (len(parts), len(parts) - 1):
        if (name := ".".join(parts[1:length])) in files:
            return name
    raise ValueError(f"{target} is no module, and nothing in one")
