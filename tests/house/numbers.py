"""The numbers in the prose of README.md and docs/ that depend on a measurement or on a constant of a method.

    python -m tests.house.numbers [PAGE ...]

A number with a unit of time, memory, ratio or lines needs a mark: an HTML comment at the end of its paragraph, or as
the paragraph after it. Without arguments the marks are counted by page and kind, and numbers without one are listed.

    <!-- shown: BLOCK, ... -->       each number is one of a generated block, which a page has between its markers
    <!-- checked: FILE, ... -->      each number is in one of these files, or in FILE::function
    <!-- paper: AUTHOR YEAR -->      figures of a publication, or of the documentation of another project
    <!-- example -->                 an input or a choice, not a result
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_UNIT = (
    r"(?:[nu\u00b5\u03bcm]?s|seconds?|minutes?|hours?|bytes?|[KMGTk]i?B|lines? of (?:code|text)|lines|-fold|%)(?![\w/])"
    r"|times\b(?! in )|\u00d7(?!\s*\d)|x\b(?!\s*\d)"
)
_MEASURED = re.compile(
    rf"(?<![\w.^])({_NUMBER})(?:\s*(?:to|or|and|-|\u2013)\s*({_NUMBER}))?\s*(?:{_UNIT})|\bfactors? of ({_NUMBER})",
    re.ASCII,
)
_MARK = re.compile(r"<!-- (shown|checked|paper|example)(?:: ([^>]*?))? -->")
_SKIPPED = (
    r"^(```+|~~~+).*?^\1`*\s*$",  # code
    r"^#.*$",
    r"`[^`\n]+`",
    r"\]\([^)]*\)",  # targets of links
    r"\$[^$\n]+\$",
)
BLOCK = re.compile(r"<!-- ([\w-]+):begin -->(.*?)<!-- \1:end -->", re.DOTALL)


def pages() -> dict[str, str]:
    """Return the texts of all pages by their names."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}


@cache
def blocks() -> dict[str, set[str]]:
    """Return the numbers of each generated block, over all pages."""
    found: dict[str, set[str]] = {}
    for text in pages().values():
        for name, content in BLOCK.findall(text):
            found.setdefault(name, set()).update(number.replace(",", "") for number in re.findall(_NUMBER, content))
    return found


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs outside of code and generated blocks; a paragraph of marks is a part of the one before."""
    text = BLOCK.sub("", text)
    for pattern in _SKIPPED:
        text = re.sub(pattern, "`", text, flags=re.MULTILINE | re.DOTALL if "```" in pattern else re.MULTILINE)
    result: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        if result and _MARK.search(part) and not _MARK.sub("", part).strip():
            result[-1] += f" {part}"
        elif not all(line.startswith("    ") for line in part.splitlines()):  # not an indented block of code
            result.append(part)
    return result


def measured_numbers(paragraph: str) -> list[str]:
    """Return the numbers with a unit, without commas."""
    prose = _MARK.sub("", paragraph)
    return [number.replace(",", "") for match in _MEASURED.findall(prose) for number in match if number]


@cache
def _numbers_in(source: str) -> set[str] | None:
    """Return the numbers in a file, or None if it or its function does not exist."""
    name, _, function = source.partition("::")
    path = ROOT / name
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    if function and not re.search(rf"^\s*(?:def|class) {function}\b", text, re.MULTILINE):
        return None
    return {re.sub(r"[_,]", "", number) for number in re.findall(r"\d[\d_,]*(?:\.\d+)?", text)}


def problems_of(paragraph: str) -> list[str]:
    """Return what is wrong with the numbers and marks of a paragraph."""
    numbers, marks = measured_numbers(paragraph), _MARK.findall(paragraph)
    if not numbers:
        return []
    if not marks:
        return [f"no mark for {', '.join(numbers)}"]
    known: set[str] = set()
    wrong = []
    for kind, sources in marks:
        names = [name for name in re.split(r",\s*", sources) if name]
        if kind == "paper" and not re.search(r"\b(?:19|20)\d\d\b", sources):
            wrong.append(f"a paper without a year: {sources}")
        if kind in ("paper", "example"):
            return wrong
        for name in names:
            found = blocks().get(name) if kind == "shown" else _numbers_in(name)
            if found is None:
                wrong.append(f"{name} does not exist")
            known |= found or set()
    missing = [number for number in numbers if number not in known and number.rstrip("0").rstrip(".") not in known]
    return [*wrong, *([f"not in the named sources: {', '.join(missing)}"] if missing else [])]


def main(names: list[str]) -> None:
    """Print the numbers without a mark, and the counts of marks."""
    counts: Counter[str] = Counter()
    for page, text in pages().items():
        if names and page not in names:
            continue
        kinds = Counter(kind for kind, _ in _MARK.findall(text))
        counts.update(kinds)
        found = [(p, problem) for p in paragraphs(text) for problem in problems_of(p)]
        if kinds or found:
            print(page, *(f"{kind} {count}" for kind, count in kinds.items()), f"problems {len(found)}", sep="  ")
        for paragraph, problem in found if names else ():
            print(f"    {problem}: {' '.join(paragraph.split())[:110]}")
    print("all", *(f"{kind} {count}" for kind, count in counts.items()), sep="  ")


if __name__ == "__main__":
    main(sys.argv[1:])
