"""List phrases of the private dialect that the prose of this project once had, each with a plain alternative.

    python -m tests.house.english [PATH ...]     every hit, with what to write instead
    python -m tests.house.english --count        hits per 1,000 words of src, docs, tests, benchmarks and the rest

It reads docstrings, comments and messages (texts of at least four words) of Python files, comments of CUDA and C files,
and Markdown outside code. Words in backquotes and programs in strings are not read. The patterns are hints: a hit may
be good English. Such a hit gets a line with its reason in english_allowed.tsv: path, phrase, reason, separated by tabs.
Quotations and lists of words to avoid, as in this file, are not read.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"``[^`]*``|`[^`\n]*`|^ *(?:>>>|\.\.\.) .*$", re.MULTILINE)
ALLOWED = Path(__file__).with_name("english_allowed.tsv")
_NOT_READ = {"tests/house/english.py", "tests/house/test_english.py", "CODE_OF_CONDUCT.md"}
_MIN_WORDS = 4  # of a text that counts as a message
_SUFFIXES = (".py", ".pyi", ".md", ".cu", ".cuh", ".c", ".h")

PATTERNS = {
    r"(?:^|[ (,:;\"])[Ww]hat (?:is|are|was|were|has|have|had|it|they|one|others?|makes?|must|may|comes|goes|tells?|"
    r"holds|follows|stands|belongs|needs|lies|leads|works|counts|can|cannot)\b(?! wrong\b)": (
        "a noun: the remaining vertices"
    ),
    r"\bthat which\b|\bof whom\b": "a relative clause, or a second sentence",
    r"\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever)\b": "no thread, no caller, users who",
    r"\b(?i:told|tells?|telling|hears?|heard|clear_messages)\b": "sends, receives, reports, shows, prints",
    r"\bof (?:\w+'s|ours|theirs)(?! (?!or\b|and\b|is\b|are\b|for\b|on\b|in\b)\w)": "a NumPy array, a user's file",
    r"(?<!\b[Aa]ll )(?<!\[)\b[Oo]thers\b": "the noun: other vertices, other libraries",
    r"\bso many\b|(?<!times )(?<!half )(?<!fifth )\bas many (?!(?:\w+ ){,4}as\b)|\bas many as there\b": (
        "n, that number of; `as many ... as` in comparisons only"
    ),
    r"\balone\b": "only",
    r"\b(?:stands?|stood|lies|lie|lay)\b": "is, is in, is stored in, is listed in",
    r"\b(?:is|are|was|what|who|how|from|of) (?:there|here)\b|\b(?:there|here)[.,;]|\belsewhere\b|\bat home\b": (
        "the place: in this package, on the worker, on the GPU"
    ),
    r"\bbeside\b": "next to, in addition to, compared with",
    r"\bbut for\b": "except for",
    r"\bunless (?:stated|given|asked|told)\b|\bif not stated\b": "by default",
    r"\bin place of\b": "instead of",
    r"\bturn(?:s|ed|ing)? round\b|\btak(?:e|es|en|ing) apart\b|\bput together\b": "reversed, transposed, unpacked",
    r"\bmend(?:s|ed)?\b|\bsome (?:ten|twenty|thirty|forty|fifty|\d+)\b|\bhangs? together\b|\bas one has\b": (
        "fixed; about twenty; connected"
    ),
    r"\bdoors?\b": "entry point, interface, conversion",
    r"\bgo(?:es)? on\b|\bby the way\b|\bin the making\b": "continues; (nothing); in progress",
}
_PATTERNS = {re.compile(pattern, re.MULTILINE): instead for pattern, instead in PATTERNS.items()}


_STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|\'{3}(?:\\.|[^\\])*?\'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#[^\n]*''', re.DOTALL
)


class Hit(NamedTuple):
    """A phrase in a file."""

    path: str
    line: int
    phrase: str
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.phrase.strip()!r} -> {self.instead}\n    {self.text.strip()}"


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of prose in a file, with their numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from _markdown(text)
    elif path.suffix in (".py", ".pyi"):
        yield from _python(text)
    else:
        for result in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL):
            first = text.count("\n", 0, result.start()) + 1
            yield from enumerate(_CODE.sub(" ", result[0]).splitlines(), first)


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    text = re.sub(r"^```.*?^```|<!-- (\S+):begin -->.*?<!-- \1:end -->", _blank, text, flags=re.MULTILINE | re.DOTALL)
    yield from enumerate(re.sub(r"\]\([^)]*\)", " ", _CODE.sub(" ", text)).splitlines(), 1)


def _blank(result: re.Match[str]) -> str:
    return "\n" * result[0].count("\n")


def _python(text: str) -> Iterator[tuple[int, str]]:
    for result in _STRING_OR_COMMENT.finditer(text):  # six times faster than the module tokenize
        if result[0].startswith("#"):
            yield text.count("\n", 0, result.start()) + 1, _CODE.sub(" ", result[0].lstrip("# "))
    tree = ast.parse(text)
    programs: set[ast.expr] = set()  # parts of f-strings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            if _is_program("".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)):
                programs.update(node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in programs:
            words = re.findall(r"[A-Za-z]{2,}", node.value)
            if len(words) >= _MIN_WORDS and " " in node.value and not _is_program(node.value):
                yield from enumerate(_CODE.sub(" ", node.value).splitlines(), node.lineno)


def _is_program(text: str) -> bool:
    """Return whether a string is a Python program, possibly with placeholders in braces."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return bool(ast.parse(textwrap.dedent(re.sub(r"\{\w*\}", "x", text)).strip()).body)
    except (SyntaxError, ValueError):
        return False


def files(paths: list[Path]) -> list[Path]:
    """Return all files below some paths that contain prose."""
    result = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*")))]
    skipped = ("/generated/", "/gallery/", "/results/", "/node_modules/")
    return [
        file
        for file in result
        if file.suffix in _SUFFIXES
        and (name := file.relative_to(ROOT).as_posix()) not in _NOT_READ
        and not any(part in f"/{name}" for part in skipped if name.startswith(("docs", "benchmarks")))
    ]


def hits(file: Path) -> Iterator[Hit]:
    """Yield all hits in a file."""
    name, lines = file.relative_to(ROOT).as_posix(), list(prose(file))
    whole = "\n".join(text for _, text in lines)  # no pattern contains the end of a line
    present = {pattern: instead for pattern, instead in _PATTERNS.items() if pattern.search(whole)}
    for line, text in lines if present else ():
        for pattern, instead in present.items():
            for result in pattern.finditer(text):
                yield Hit(name, line, result[0], text, instead)


def allowed() -> dict[tuple[str, str], str]:
    """Return the reasons for hits that are good English, by path and phrase."""
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(path, phrase): reason for path, phrase, reason in rows}


def hits_of_room(room: str, below: list[Path] | None = None) -> Iterator[Hit]:
    """Yield all hits in a group of folders and files, or in those of its files that are below some paths."""
    for file in files_of_room(room, below):
        yield from hits(file)


def files_of_room(room: str, below: list[Path] | None = None) -> list[Path]:
    """Return the files of a group that contain prose."""
    result = files([ROOT / name for name in ROOMS[room] if (ROOT / name).exists()])
    return [file for file in result if not below or any(file.is_relative_to(path.resolve()) for path in below)]


ROOMS = {
    "src": ["src", "build_kernels"],
    "docs": ["docs"],
    "tests": ["tests"],
    "benchmarks": ["benchmarks"],
    "examples and root": ["examples", *(path.name for path in ROOT.glob("*.md"))],
}


def main() -> int:
    """List hits; the exit code is 1 if there are any that are not allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.english", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders; everything by default")
    parser.add_argument("--count", action="store_true", help="count hits per 1,000 words")
    chosen = parser.parse_args()
    known, new = allowed(), 0
    for room in ROOMS:
        result = list(hits_of_room(room, chosen.paths))
        remaining = [hit for hit in result if (hit.path, hit.phrase.strip()) not in known]
        new += len(remaining)
        if chosen.count:
            words = sum(
                len(re.findall(r"[A-Za-z']+", text))
                for file in files_of_room(room, chosen.paths)
                for _, text in prose(file)
            )
            frequent = Counter(hit.phrase.strip().lower() for hit in result).most_common(5)
            rate = 1000 * len(result) / max(words, 1)
            print(f"{room}: {len(result)} hits in {words:,} words, {rate:.1f} per 1,000; {frequent}")
        else:
            print(*remaining, sep="\n")
    return bool(new)


if __name__ == "__main__":
    sys.exit(main())
