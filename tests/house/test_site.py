"""The pages of the site, as far as they can be tested without a build: `.ci/run` builds it, `.ci/nightly` checks it."""

from __future__ import annotations

import importlib
import re
from os.path import normpath
from pathlib import Path

import pytest

import stablegraph
from benchmarks.bars import CPU, GPU, bars_of, newest
from benchmarks.cases import load
from benchmarks.numbers import PAGES as NUMBERS_OF
from benchmarks.numbers import tables
from benchmarks.page import sections
from benchmarks.report import blocks_of
from stablegraph import gallery
from tests.house import numbers
from tests.pins.checksums import checksum
from tests.support.measured import needs_results
from tests.support.processes import ROOT

DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text("utf-8") for path in DOCS.rglob("*.md")}
MADE = {"gallery/index"}  # pages that the build generates
MODULES = ["csgraph", "distributed", "gallery", "plot", "verify", "interop.pyamg", "interop.petsc"]


def entries(page: str) -> list[str]:
    """Return the entries of the tables of contents on a page of the site."""
    return [
        line
        for block in re.findall(r"^```{toctree}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line and not line.startswith(":")
    ]


def summarized(page: str) -> list[str]:
    """Return the names, with their modules, for which a page of the reference generates separate pages."""
    names = []
    for block in re.findall(r"^```{eval-rst}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (module,) = re.findall(r"^\.\. currentmodule:: ([\w.]+)$", block, re.MULTILINE)
        names += [f"{module}.{name}" for name in re.findall(r"^   ([\w.]+)$", block, re.MULTILINE)]
    return names


def test_every_page_is_in_one_table_of_contents():
    listed = [normpath(Path(name).parent / entry) for name, page in PAGES.items() for entry in entries(page)]
    assert sorted(listed) == sorted((set(PAGES) | MADE) - {"index"})


def test_pages_have_not_too_many_words():
    """In README.md and docs/, without generated blocks; to add a section, delete one that is no longer needed."""
    assert sum(len(numbers.BLOCK.sub("", text).split()) for text in numbers.pages().values()) <= 55_000


def test_every_public_name_has_a_page_of_its_own():
    named = [name for text in PAGES.values() for name in summarized(text)]
    assert len(named) == len(set(named))
    top = {f"stablegraph.{name}" for name in stablegraph.__all__ if name not in (*MODULES, "__version__")}
    assert top <= set(named)
    for module in MODULES:
        try:
            public = importlib.import_module(f"stablegraph.{module}").__all__
        except ModuleNotFoundError as error:  # PETSc
            pytest.skip(f"{error.name} is not installed")
        members = {f"stablegraph.{module}.{name}" for name in public if f"stablegraph.{name}" not in top}
        listed = {name for name in named if name.rpartition(".")[0] == f"stablegraph.{module}"}
        assert members <= listed <= {f"stablegraph.{module}.{name}" for name in public}
    assert {name for name in named if name.count(".") > 1 and name.split(".")[1] not in MODULES} <= {
        "stablegraph.io.GraphFileError",
        *(name for name in named if name.startswith("stablegraph.interop.")),
    }


def test_roles_name_what_has_a_page():
    named = {name for text in PAGES.values() for name in summarized(text)}
    linked = {name for text in PAGES.values() for name in re.findall(r"{py:obj}`~?([\w.]+)`", text)}
    assert len(linked) > 20
    other_places = {
        line.split()[0]
        for path in (DOCS / "inventories").glob("*.inv")
        for line in path.read_text(encoding="utf-8").splitlines()[3:]
    }
    assert linked <= named | other_places


@needs_results
def test_the_first_pages_show_what_the_newest_lines_say():
    """`python -m benchmarks report --all --write` writes these tables; it requires equal fingerprints."""
    result = tables()
    for page, names in NUMBERS_OF.items():
        for name in names:
            assert f"<!-- {name}:begin -->\n\n{result[name]}\n\n<!-- {name}:end -->" in (ROOT / page).read_text("utf-8")


def test_the_fingerprint_on_the_page_of_determinism_is_the_one_that_was_compared_on_a_gpu():
    (pinned,) = re.findall(
        r"^us-counties\tmaximal_independent_set distance=1 priority=degree seed=0\t(\w+)$",
        (ROOT / "tests" / "pins" / "zoo.tsv").read_text("utf-8"),
        re.MULTILINE,
    )
    answer = stablegraph.maximal_independent_set(gallery.load("us-counties"))
    assert checksum(answer) == pinned
    assert re.findall(r"^([0-9a-f]{8})$", PAGES["determinism"], re.MULTILINE) == [stablegraph.fingerprint(answer)] * 3


@needs_results
def test_panels_show_each_library_and_mark_ours():
    for job in (*CPU, *GPU):
        bars = bars_of(job)
        assert {bar.ours for bar in bars} == {True, False}
        assert all(bar.sweeps > 0 and bar.seconds > 0 for bar in bars)
        assert all(any(bar.who.startswith(who) for bar in bars) for who in job.bars)
    page = sections()
    assert page.count("<figure") == page.count("</figure>") == len(CPU) + len(GPU)
    assert 'class="bar ours"' in page


def test_inventories_have_the_plain_format():
    """Inventories of Sphinx in version 1 have two lines of facts, then a name, a kind and a page per line."""
    for path in (DOCS / "inventories").glob("*.inv"):
        first, project, version, *targets = path.read_text(encoding="utf-8").splitlines()
        assert first == "# Sphinx inventory version 1"
        assert project.startswith("# Project: ") and version.startswith("# Version: ")
        assert targets == sorted(targets)
        assert all(re.fullmatch(r"[\w.]+ (class|function) [\w/.]+\.html", target) for target in targets), path


def cells(page, row):
    """Return the numbers of the first table row with this beginning."""
    line = next(line for line in PAGES[page].splitlines() if line.startswith(f"| {row} |"))
    return [
        float(re.search(r"[-\u2212+]?[\d.,]+", cell)[0].replace(",", "").replace("\u2212", "-"))
        for cell in line.strip("| ").split("|")[1:]
        if cell.strip()
    ]


@needs_results
def test_theory_quotes_what_was_measured():
    """In the table next to the paper's, our iterations must match the measurements."""
    iterations = {
        line["algorithm"].removesuffix(": solve"): line["quality"]["iterations"]
        for line in newest("multigrid")
        if line["graph"].startswith("Table V") and line["problem"] == "solve"
    }
    for row, name in {
        'first set only (Algorithm 2; `"mis2_basic"`)': "mis2_basic",
        'both sets (Algorithm 3; `"mis2"`)': "mis2",
        'Kokkos Kernels\' (`"kokkos"`)': "kokkos",
        "serial aggregates; here PyAMG's standard ones": "PyAMG, standard",
    }.items():
        assert cells("theory/distance-two", row)[-2:] == [
            iterations[f"{name}, {way}"] for way in ("undamped", "damped")
        ]


@needs_results
def test_many_comparisons_are_shown_as_ratios():
    """A ratio is bold if another program is faster by more than a fifth."""
    table = blocks_of(load("native"), ROOT / "benchmarks" / "results")["native-best"]
    ratios = re.findall(r" (\*\*)?(\d+\.\d+)(?:\*\*)? \|", table.partition("| mean |")[2])
    bold = [float(ratio) for mark, ratio in ratios if mark]
    assert len(bold) > 10 and max(bold) <= 0.83
    assert f"<!-- native-best:begin -->\n\n{table}\n\n<!-- native-best:end -->" in PAGES["cores"]


@needs_results
def test_the_page_of_measurements_has_all_timed_lines(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(DOCS / "extensions")
    measured = pytest.importorskip("measured", reason="the site needs docutils")
    rows = measured.table()["rows"]
    assert len(rows) > 1000
    assert {"mis", "cores", "gpu"} <= {row[0] for row in rows}
    monkeypatch.setattr(measured, "RESULTS", tmp_path)
    assert measured.table() == {"machines": [], "rows": []}
