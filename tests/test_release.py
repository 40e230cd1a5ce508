"""What a release promises about itself: its metadata, its files for GitHub and conda, what it takes from Numba."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import stablegraph
from stablegraph.parallel import numba_parts
from tests.support.private_parts import private_names
from tests.support.processes import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOME = PROJECT["urls"]["Homepage"]
HERE = pytest.mark.skipif(not (ROOT / ".github").is_dir(), reason="this is a source distribution, without .github")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_what_is_private_in_numba_is_listed_and_there():
    source = Path(stablegraph.__file__).parent
    taken = private_names(source, "numba", {"numba", "numba.types", "numba.extending", "numba.config"})
    used = {name for name, files in taken.items() if files != {"numba_parts.py"}}
    inner = {name if not name.startswith("numba.core.types") else "numba.core.types" for name in used}
    listed = set(numba_parts.PRIVATE) | set(numba_parts.PRIVATE_OF_CUDA)
    assert inner - {"numba.core", "numba.cuda"} == listed
    assert numba_parts.missing() == []


def test_what_numba_has_no_more_is_named(monkeypatch):
    gone = {"numba.core.nowhere.thing": "", "numba.core.caching.NoSuchThing": "", "numba.njit": ""}
    monkeypatch.setattr(numba_parts, "PRIVATE", gone)
    assert numba_parts.missing() == ["numba.core.nowhere.thing", "numba.core.caching.NoSuchThing"]


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("from numba.core import caching\ncaching._X", {"numba.core.caching._X"}),
        ("def f():\n    from numba.np import y as z", {"numba.np.y"}),
        ("from numba import njit\nfrom numba.extending import intrinsic", set()),
        ("import sys\nsys.modules.get('numba.np.ufunc')", {"numba.np.ufunc"}),
    ],
)
def test_private_parts_are_found(tmp_path, program, names):
    (tmp_path / "file.py").write_text(program)
    assert set(private_names(tmp_path, "numba", {"numba", "numba.extending"})) == names


def test_every_address_of_the_project_is_the_same():
    for name in ("CITATION.cff", "SECURITY.md"):
        found = set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text(name)))
        assert found == {HOME}, name
    assert all(url.startswith(HOME) for url in PROJECT["urls"].values())


def test_the_citation_has_this_version_and_the_five_papers():
    citation = text("CITATION.cff")
    assert f"\nversion: {stablegraph.__version__}\n" in citation
    assert len(re.findall(r"^  - type: ", citation, re.MULTILINE)) == 5


def requirement(line):
    found = Requirement(line)
    return found.name, str(found.specifier)


@pytest.mark.skipif(not (ROOT / "conda").is_dir(), reason="this is a source distribution, without the recipe")
def test_the_recipe_for_conda_asks_for_what_pip_is_asked_for():
    recipe = text("conda/recipe.yaml")
    run = re.search(r"^  run:\n((?:    .*\n)+)", recipe, re.MULTILINE)[1]
    asked = dict(requirement(line) for line in re.findall(r"^    - (?!python)(.*)$", run, re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["cli"], *extras["plot"]]
    assert asked == dict(requirement(line.replace("matplotlib", "matplotlib-base")) for line in lines)
    assert f"\n  version: {stablegraph.__version__}\n" in recipe
    assert f"hatchling {requirement(tomllib.loads(text('pyproject.toml'))['build-system']['requires'][0])[1]}" in recipe


@HERE
def test_workflows_try_every_python_that_is_named():
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", line)}
    tried = set(re.findall(r'"(3\.\d+)"', text(".github/workflows/tests.yml")))
    assert named <= tried


@HERE
@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_ask_for_little_and_say_that_they_have_not_been_run(path):
    workflow = path.read_text(encoding="utf-8")
    assert "never been run" in re.match(r"(#.*\n)+", workflow)[0]
    assert "\npermissions:\n  contents: read\n" in workflow
    assert re.findall(r"secrets\.|pull_request_target|github\.event\.[\w.]*(?:title|body|ref)", workflow) == []
    for command in re.findall(r"(\.ci/\w+(?:\.py)?)", workflow):
        assert (ROOT / command).exists()
