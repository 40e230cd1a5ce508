"""Check that the commits since BASE changed docstrings and comments only.

    python -m tests.house.prose_only BASE [--strings]

Python files must have equal syntax trees after the docstrings are removed. CUDA and C files must have equal tokens
after the comments are removed. With ``--strings`` the contents of string constants may differ, too: for changes of
messages and help texts. Other files are not compared. The exit code is 1 if a file differs; each one is listed.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_COMMENT_OR_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\w+|\S", re.DOTALL)


def python_code(text: str, strings: bool) -> str:
    """Return a file's syntax tree as text, without docstrings, and without the contents of strings if asked."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
        if strings and isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        if strings and isinstance(node, ast.JoinedStr):  # how a message is divided into constants may change, too
            node.values = [value for value in node.values if not isinstance(value, ast.Constant)]
    return ast.dump(tree)


def c_code(text: str, strings: bool) -> list[str]:
    """Return the tokens of a CUDA or C file, without comments."""
    tokens = [token for token in _COMMENT_OR_TOKEN.findall(text) if not token.startswith(("//", "/*"))]
    return ['""' if strings and token.startswith('"') else token for token in tokens]


CODE = {".py": python_code, ".pyi": python_code, ".cu": c_code, ".cuh": c_code, ".c": c_code, ".h": c_code}


def git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def changed_code(base: str, strings: bool) -> list[str]:
    """Return the files whose code differs from that of a commit."""
    different = []
    for line in git("diff", "--no-renames", "--name-status", base).splitlines():
        status, name = line.split("\t")
        compare = CODE.get(Path(name).suffix)
        if compare is None:
            continue
        if status != "M":
            different.append(f"{name}: added or removed")
        elif compare(git("show", f"{base}:{name}"), strings) != compare((ROOT / name).read_text("utf-8"), strings):
            different.append(name)
    return different


def main() -> int:
    """Compare the working tree with a commit."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.prose_only", description=__doc__)
    parser.add_argument("base", metavar="BASE", help="a commit")
    parser.add_argument("--strings", action="store_true", help="string constants may differ, too")
    chosen = parser.parse_args()
    different = changed_code(chosen.base, chosen.strings)
    print("\n".join(different) or "no code was changed")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
