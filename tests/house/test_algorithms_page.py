"""The page that lists where each algorithm is: files, quoted lines and option names match the code."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from typing import NamedTuple, get_args

import pytest

from stablegraph._core import option_names as names
from tests.support.cases import each
from tests.support.processes import ROOT

PAGE = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^\[([\w/.]+)\]: (\S+)$", PAGE, re.MULTILINE))

# The tables with the values of each option; the remaining options choose no algorithm and no order.
SECTIONS = {
    "SetAlgorithm": "Maximal independent sets",
    "Priority": "Orders of sets",
    "DistancePriority": "Sets at a distance",
    "WeightedPriority": "Orders of sets",
    "ColoringAlgorithm": "Colorings",
    "Order": "Orders of colorings",
    "SideOrder": "Orders of colorings",
    "Reduction": "Fewer colors",
    "ComponentAlgorithm": "Connected components",
    "CommunityAlgorithm": "Communities",
    "Objective": "Communities",
    "StrongAlgorithm": "Strong components",
    "JacobianMode": "Colorings",
    "HessianMode": "Colorings",
    "ForestAlgorithm": "Minimum spanning forests",
    "Aggregation": "Aggregates",
    "Cycle": "Multigrid",
    "Acceleration": "Multigrid",
    "Smoother": "Smoothers",
    "SolveMethod": "Choice of a solver",
}
OTHERS = {"ComponentLabel", "Ties", "Device", "Merge", "Format", "Layout", "DerivativeLibrary", "HessianLibrary"}
PARTS = ["Result", "Rule", "Idea", "State", "Cost", "Source"]  # of a header, in this order
ALWAYS = {"Result", "Rule", "Cost"}


class Row(NamedTuple):
    """A line of a table."""

    section: str
    option: str
    files: list[str]
    quoted: list[tuple[list[str], str]]  # the files, one of which must contain a piece of code, and the piece


def row_of(section, line):
    option, file, promise, decides = (cell.strip() for cell in line.strip("|").split(" | "))
    assert promise
    at = files = re.findall(r"\[([\w/.]+)\]", file)
    quoted = []
    for other_file, piece in re.findall(r"\[([\w/.]+)\]:|`([^`]+)`", decides):
        at = [other_file] if other_file else at
        quoted += [(at, piece)] if piece else []
    return Row(section, option, files, quoted)


ROWS = [
    row_of(section.partition("\n")[0], line)
    for section in PAGE.split("\n## ")[1:]
    for line in re.findall(r"^\|.*\|$", section, re.MULTILINE)[2:]
]
each_row = each(row=ROWS)


@functools.cache
def source(name):
    return (ROOT / "docs" / FILES[name]).read_text(encoding="utf-8")


def header(name):
    """Return the header of a file: its docstring, or the first comment of a CUDA source."""
    return header_of(name, source(name))


@functools.cache
def header_of(name, text):
    if not name.endswith(".py"):
        return re.sub(r"^// ?", "", re.match(r"(//.*\n)+", text)[0], flags=re.MULTILINE)
    begin = re.match(r'r?"""(?:\\.|[^\\])*?"""\n', text, re.DOTALL)  # the docstring, which is read without the code
    return ast.get_docstring(ast.parse(begin[0] if begin else text), clean=False) or ""


def code(name):
    """Return the file without its header."""
    text = source(name)
    if name.endswith(".cu"):
        return re.sub(r"\A(//.*\n)+", "", text)
    return text.replace(header(name), "", 1)


@each_row
def test_the_line_that_decides_is_there(row):
    assert row.files and row.quoted
    for files, piece in row.quoted:
        pattern = ".*".join(re.escape(part) for part in piece.split("..."))
        assert any(re.search(pattern, code(name)) for name in files), (
            f"docs/algorithms.md quotes {piece!r}, which is not in {files}"
        )


@each_row
def test_headers_say_what_comes_out_what_decides_and_what_it_takes(row):
    for name in row.files:
        text = inspect.cleandoc(header(name))
        parts = [part for part in re.findall(r"^(\w+?)s?\b[^\n]*?:", text, re.MULTILINE) if part in PARTS]
        assert parts == sorted(parts, key=PARTS.index), f"{name} has {parts}"
        assert set(parts) >= ALWAYS, f"{name} lacks {ALWAYS - set(parts)}"


def test_oracles_are_where_headers_say():
    named = set()
    for path in (ROOT / "src" / "stablegraph").rglob("*.py"):
        text = header_of(path.name, path.read_text(encoding="utf-8"))
        assert all((ROOT / test).exists() for test in re.findall(r"tests/[\w/]+\.py", text)), path
        named |= set(re.findall(r"`(\w+)`\s+in\s+(tests/[\w/]+\.py)", text))
    assert len(named) > 10
    for oracle, test in named:
        assert f"def {oracle}(" in (ROOT / test).read_text(encoding="utf-8"), f"{oracle} is not in {test}"


def test_headers_name_existing_files():
    folders = [ROOT / name for name in ("src", "tests", "build_kernels", "benchmarks", "docs")]
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*.*"))]
    ends = {"/".join(path.parts[-k:]) for path in paths for k in range(1, len(path.relative_to(ROOT).parts) + 1)}
    wrong = []
    for path in (ROOT / "src" / "stablegraph").rglob("*"):
        if path.suffix in (".py", ".cu", ".cuh"):
            text = header_of(path.name, path.read_text(encoding="utf-8"))
            named = re.findall(r'(?<![\w*./"-])(?:\w+/)*\w+\.(?:py|cuh?|md)\b', text)  # in quotes: code
            wrong += [f"{path.relative_to(ROOT)} names {name}" for name in named if name not in ends]
    assert wrong == []


@pytest.mark.parametrize("name", SECTIONS)
def test_every_value_of_an_option_has_a_row(name):
    options = " ".join(row.option for row in ROWS if row.section == SECTIONS[name])
    assert set(get_args(getattr(names, name))) <= set(re.findall(r'"(\w+)"', options))


def test_every_option_is_on_the_page_and_nothing_else():
    known = {name: get_args(values) for name, values in vars(names).items() if get_args(values)}
    assert set(known) == SECTIONS.keys() | OTHERS
    named = {value for row in ROWS for value in re.findall(r'"(\w+)"', row.option)}
    assert named == {value for name in SECTIONS for value in known[name]}


def test_the_command_line_explains_every_algorithm_of_sets():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in get_args(names.SetAlgorithm)[1:] if f"`{name}`" not in page] == []


@each(page=["command-line.md", "orders.md", "determinism.md"])
def test_pages_explain_every_priority_of_sets(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").replace('"', "")
    assert [name for name in get_args(names.Priority) if f"`{name}`" not in text] == [], f"docs/{page}"


def test_every_file_is_linked_and_there():
    linked = {name for row in ROWS for name in row.files + [one for at, _ in row.quoted for one in at]}
    assert linked <= FILES.keys() == set(re.findall(r"\[([\w/.]+\.(?:py|cu))\]", PAGE))
    assert all((ROOT / "docs" / path).exists() for path in FILES.values())
