"""The messages of the sources that give advice, as texts with {} in the place of each value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import stablegraph as sg

SOURCES = Path(sg.__file__).parent
OTHERS = {  # texts that are no messages, or are tested by a test of their own
    "solvers": "tests/solvers/test_advice.py",
    "_core/unknown_options.py": "tests/interface/test_unknown_options.py",
    "io/foreign.py": "tests/house/test_advice.py",
    "cli/commands/report_sections.py": "code of the page of a report",
    "cli/commands/demo": "the steps of a demonstration",
    "_core/runtime/jit": "sources that are compiled",
    "interop/networkx_info.py": "the documentation of NetworkX",
}
SILENT = {"as_options", "_without_symmetrize", "_greet", "_remedies_of_this_command"}  # patterns and a greeting
FACTS = (
    "pass symmetrize=",
    "pass merge=",
    "pass no weights",
    "pass weights=False",
    "weights=False",  # texts that only look like advice
    "array.dtype.type({})",
    "-std=c++17",
    "-D{}={}",
    "not used: STABLEGRAPH_TARGET=python",
    "set size",
    "to try",
    "fun(x)",
    "compiled by Numba when called: STABLEGRAPH_JIT=1",
    "{}: round {}{}",
    "round {}{}",
    "Of bfs: its --max-distance.",
    "How much is done to remove colors afterwards.",
    "Algorithm to use.",
    " without --algorithm mis",
    "--plot, or ",
    "Algorithm to use; it changes the time, not the answer.",
    "algorithm='priority', ",
    "Adjacency matrix not square: nx,ny={}",
    "community {} of {} has {} vertices, more than max_size={}",
    "community {} has {} vertices, fewer than min_size={}, but it may join community {}: an edge joins {}",
    "add subtract multiply divide floor_divide remainder minimum maximum bitwise_and bitwise_or bitwise_xor",
)
VERBS = (
    "add|call|choose|combine|compile|convert|correct|decompress|divide|drop|fill|get|give|install|join|leave|make|name|"
    "number|omit|pass|put|read|relax|remove|rename|replace|return|round|run|scale|set|start|symmetrize|take|try|turn|"
    "unset|use|write"
)
_ADVICE = re.compile(
    rf"(^|[:;,(] ?|\b(or|and|then|so|else|to) )({VERBS})\b"  # an imperative
    r"|\w=(?!=)|(?<![\w-])--\w|[a-z]\((?!s\))|\bsg\.|\.astype|pip install"  # code or an option
    r"|stablegraph (convert|doctor|generate|report)"
)


def text_of(node: ast.AST) -> str | None:
    """Return the text of a constant, an f-string or a sum of them, with {} for values; None for other nodes."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None and right is None else (left or "{}") + (right or "{}")
    return None


def _texts(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name in SILENT:
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # documentation
        if isinstance(child, ast.Call) and re.search(
            r"^re\.|option$|flag$|echo$|argument$|output$|plot$|^progress\w*$", ast.unparse(child.func)
        ):
            continue  # patterns, declarations of options and their help, and printed lines
        text = text_of(child)
        if text is not None:
            yield text
            for value in ast.walk(child):
                if isinstance(value, ast.FormattedValue):
                    yield from _texts(value)
        else:
            yield from _texts(child)


def source_trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the syntax tree of each source, with its file; keep none, because they make garbage collections slow."""
    for path in sorted(SOURCES.rglob("*.py")):
        yield path.relative_to(SOURCES).as_posix(), ast.parse(path.read_text("utf-8"))


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Return the file and the text of each message that gives advice."""
    found = {}
    for file, tree in source_trees():
        if not file.startswith(tuple(OTHERS)):
            for text in _texts(tree):
                is_name = not re.search(r"[ =(]", text.strip()) or re.search(r"<\w|\n|^%|\\", text)
                if not is_name and text not in FACTS and _ADVICE.search(text.replace("{}", "")):
                    found[file, text] = None
    return tuple(found)
