"""The pages of the site, as far as that shows without building it: `.ci/run` builds it, `.ci/nightly` looks at it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import stablegraph
from tests.support.processes import ROOT

DOCS = ROOT / "docs"
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text("utf-8") for path in DOCS.rglob("*.md")}
MADE = {"gallery/index"}  # pages that the build makes
MODULES = ["csgraph", "distributed", "gallery", "plot", "verify", "interop.pyamg", "interop.petsc"]


def entries(page: str) -> list[str]:
    """What the tables of contents of a page of the site list."""
    return [
        line
        for block in re.findall(r"^```{toctree}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line and not line.startswith(":")
    ]


def summarised(page: str) -> list[str]:
    """The names, with their modules, that get a page of their own from a page of the reference."""
    names = []
    for block in re.findall(r"^```{eval-rst}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (module,) = re.findall(r"^\.\. currentmodule:: ([\w.]+)$", block, re.MULTILINE)
        names += [f"{module}.{name}" for name in re.findall(r"^   ([\w.]+)$", block, re.MULTILINE)]
    return names


def test_every_page_is_in_one_table_of_contents():
    listed = [(Path(name).parent / entry).as_posix() for name, page in PAGES.items() for entry in entries(page)]
    assert sorted(listed) == sorted((set(PAGES) | MADE) - {"index"})


def test_every_public_name_has_a_page_of_its_own():
    named = [name for text in PAGES.values() for name in summarised(text)]
    assert len(named) == len(set(named))
    top = {f"stablegraph.{name}" for name in stablegraph.__all__ if name not in (*MODULES, "__version__")}
    assert top <= set(named)
    for module in MODULES:
        try:
            public = importlib.import_module(f"stablegraph.{module}").__all__
        except ModuleNotFoundError as error:  # PETSc
            pytest.skip(f"{error.name} is not installed")
        own = {f"stablegraph.{module}.{name}" for name in public if f"stablegraph.{name}" not in top}
        listed = {name for name in named if name.rpartition(".")[0] == f"stablegraph.{module}"}
        assert own <= listed <= {f"stablegraph.{module}.{name}" for name in public}
    assert {name for name in named if name.count(".") > 1 and name.split(".")[1] not in MODULES} <= {
        "stablegraph.io.GraphFileError",
        *(name for name in named if name.startswith("stablegraph.interop.")),
    }
