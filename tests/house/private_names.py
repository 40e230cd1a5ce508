"""Private names of a library that files use, extracted from the syntax trees: dotted names, by file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def private_names(folder: Path, library: str, public: set[str]) -> dict[str, set[str]]:
    """Return the names that files take from non-public modules of a library, and the files.

    For a module that is imported as a whole, these are the attributes that are read from it.
    """
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in _names(ast.parse(text), library) if library in text else ():
            if name.rpartition(".")[0] not in public and name not in public:
                found.setdefault(name, set()).add(path.relative_to(folder).as_posix())
    return found


def _names(tree: ast.AST, library: str) -> Iterator[str]:
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").partition(".")[0] == library:
            imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if text.startswith(f"{library}.") and text.replace(".", "_").isidentifier():
            yield text  # a module that is looked up by its name
    read = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            read.add(node.value.id)
            yield f"{imported[node.value.id]}.{node.attr}"
    yield from (name for alias, name in imported.items() if alias not in read)
