"""The script that counts code and deviations from the layout, on a small tree with one of each."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import stablegraph as sg
from tests.house import counts, engines, inventory
from tests.pins.graphs import Subject

MAX_UNTYPED = 19  # fields of groups; lower it whenever some get types
FILES = {
    "pyproject.toml": "[tool.ruff]\nline-length = 120\n",
    "src/stablegraph/__init__.pyi": "from .api import color as color\n",
    "src/stablegraph/__init__.py": '"""Docstring\nof two lines."""\n\nx = 1  # a comment\n# another one\n',
    "src/stablegraph/api.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .solvers import cycle\n\ndef color(): return 1\n"
    ),
    "src/stablegraph/solvers/cycle.py": (
        "from importlib import import_module\nfrom .. import api\n\ndef _take():\n    name = 'x'\n"
        "    getattr(api, name)\n    import_module('cupy')\n    return import_module(f'.{name}', __package__)\n"
    ),
    "src/stablegraph/solvers/cuda/cycle.py": "def _take():\n    def lazy():\n        from . import levels\n",
    "src/stablegraph/solvers/levels.py": "def _take(): ...\n\ndef color(): ...\n",
    "src/stablegraph/solvers/spmv.py": "class _take: ...\n\n@by_device('.spmv_cuda', __package__)\ndef color(): ...\n",
    "src/stablegraph/solvers/spmv.cu": "// comment\n/* more\n   of it */\nint x;  // a number\n",
    "build_kernels/forms.py": "y = 2\n",
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_lines_of_code_and_prose(tree):
    result = {path.name: counts.lines_of(path) for group in counts.folders(tree).values() for path in group}
    assert result["__init__.py"] == ({4}, {1, 2, 5})
    assert result["spmv.cu"] == ({4}, {1, 2, 3})
    assert {name: len(paths) for name, paths in counts.folders(tree).items()} == {
        "root": 3,
        "solvers": 5,
        "build_kernels": 1,
    }


def test_cycles_count_imports_for_type_checkers(tree):
    assert counts.cycles(tree) == [["stablegraph.api", "stablegraph.solvers.cycle"]]


def test_bytes_of_code_do_not_depend_on_comments_and_spaces(tree):
    sizes = {path.name: counts.bytes_of(path) for group in counts.folders(tree).values() for path in group}
    assert sizes["__init__.py"] == len("x=1")
    assert sizes["spmv.cu"] == len("intx;")


def test_dispatch_by_text(tree):
    assert [line.partition(": ")[2] for line in counts.string_dispatches(tree)] == [
        "getattr(api, name)",
        "import_module(f'.{name}', __package__)",
        "by_device('.spmv_cuda', __package__)",
    ]


def test_names_of_several_tasks(tree):
    assert counts.frequent_names(tree) == {"_take": [f"stablegraph.solvers.{x}" for x in ("cycle", "levels", "spmv")]}


def test_repeated_lines(tree):
    lines = "".join(f"a{i} = {i}\n\n" for i in range(9))
    for name in ("first", "second"):
        (tree / f"src/stablegraph/{name}.py").write_text(f"{name} = 0\n{lines}")
    assert counts.repeated_lines(tree) == ["src/stablegraph/first.py:2 = src/stablegraph/second.py:2"]


def test_untyped_fields(tree):
    text = (
        "class Pair(NamedTuple):\n    first: Any\n    second: Any = 1\n    third: Int64s\n\nclass Other:\n    x: Any\n"
    )
    (tree / "src/stablegraph/groups.py").write_text(text)
    assert counts.untyped_fields(tree) == [f"stablegraph.groups: Pair.{name}" for name in ("first", "second")]


def test_files_and_folders_are_small():
    files = [path for group in counts.folders(counts.ROOT).values() for path in group]
    assert max(Counter(path.parent for path in files).values()) <= 20
    long = [path for path in files if len(path.read_text(encoding="utf-8").splitlines()) > counts._MAX_FILE]
    assert [path for path in long if len(counts.lines_of(path)[0]) > counts._MAX_FILE] == []


def test_the_kernels_of_a_call_are_listed():
    subjects = [Subject("grid", sg.gallery.grid((30, 30)))]
    found = engines.kernels(engines.rows()["connected_components algorithm=union"], subjects)
    assert "components.union" in {name.rpartition(".")[0] for name in found["cpu"]}


def test_the_inventory_has_each_kind_of_line():
    wanted = ["key crc32", "verifier is_independent_set", r"message ValueError .*\{\}", "pin .*"]
    wanted.append("test test_the_inventory_has_each_kind_of_line")
    for line in inventory.written(counts.ROOT):
        wanted = [pattern for pattern in wanted if not re.fullmatch(pattern, line.partition("\n")[0])]
        if not wanted:
            break
    assert not wanted


def test_no_field_of_a_group_lost_its_type():
    """The remaining fields have several types: an array or None, a matrix on a CPU or a GPU, a state."""
    assert len(counts.untyped_fields(counts.ROOT)) <= MAX_UNTYPED


def test_worker_thresholds(tree):
    text = "a = workers > 1\nb = self.workers < 6\nc = worker_count(place, work) >= _MANY\nd = num_threads() == count\n"
    (tree / "src/stablegraph/choice.py").write_text(text)
    assert [line.partition(": ")[2] for line in counts.worker_thresholds(tree)] == [
        "self.workers < 6",
        "worker_count(place, work) >= _MANY",
    ]


def test_the_report(tree):
    pytest.importorskip("ruff")
    text = "\n".join(counts.report(tree))
    assert "24 code lines in src and build_kernels" in text  # after formatting
    for part in (
        "bytes of code",
        "0 files with more than 300 lines of code",
        "3 string dispatches",
        "1 import cycles",
        "1 names defined",
        "24 code lines without cli, cluster",
        "9 files in src and build_kernels",
        "4 files in the largest folder, src/stablegraph/solvers",
        "9 files below 40 lines of code",
        "2 Python files in the",
    ):
        assert part in text, part
