"""Documented properties of a release: its metadata, its files for GitHub and conda, its use of Numba's internals."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import stablegraph
from build_kernels.hatch_build import COMPILERS, ZIG
from stablegraph._core.runtime.jit.targets import TARGETS
from tests.house.private_names import private_names
from tests.support.processes import ROOT, run_interpreter

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOME = PROJECT["urls"]["Homepage"]
HERE = pytest.mark.skipif(
    not (ROOT / ".github" / "workflows").is_dir(), reason="this is a source distribution, without .github"
)


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


# The private names of Numba used for compilation, when the package is built and for kernels in development.
PRIVATE = {
    "numba.core.cgutils": ["get_item_pointer", "get_or_insert_function", "voidptr_t"],
    "numba.core.codegen": ["JITCodeLibrary"],
    "numba.core.compiler": ["CompilerBase", "Flags"],
    "numba.core.compiler_lock": ["global_compiler_lock"],
    "numba.core.compiler_machinery": ["AnalysisPass", "PassManager", "register_pass"],
    "numba.core.ir": ["SetItem"],
    "numba.core.typed_passes": [
        "IRLegalization",
        "NativeLowering",
        "NoPythonBackend",
        "NopythonTypeInference",
        "PreLowerStripPhis",
    ],
    "numba.core.types": [
        *("Array", "BaseTuple", "ExternalFunction", "Integer", "Tuple"),
        *("float64", "intc", "intp", "none", "uintp"),
    ],
    "numba.core.untyped_passes": [
        "DeadBranchPrune",
        "FixupArgs",
        "IRProcessing",
        "ReconstructSSA",
        "RewriteSemanticConstants",
        "TranslateByteCode",
    ],
    "numba.cpython.unsafe.numbers": ["leading_zeros"],
    "numba.np.arrayobj": ["make_array"],
}
PRIVATE_OF_CUDA = {"numba.cuda.api": ["get_current_device"], "numba.cuda.dispatcher": ["get_current_device"]}


def test_what_is_private_in_numba_is_used_for_compiling_only_and_listed():
    source = Path(stablegraph.__file__).parent
    taken = private_names(source, "numba", {"numba", "numba.types", "numba.extending", "numba.config"})
    at_run_time = {name for name, files in taken.items() for file in files if not file.startswith("_core/runtime/jit/")}
    assert at_run_time == set()
    listed = {f"{module}.{name}" for module, names in (PRIVATE | PRIVATE_OF_CUDA).items() for name in names}
    assert {name.removesuffix(".__eq__") for name in taken} == listed
    assert private_names(ROOT / "build_kernels", "numba", {"numba"}) == {}


@pytest.mark.jit
@pytest.mark.parametrize("module", PRIVATE)
def test_what_is_private_in_numba_is_there(module):
    result = importlib.import_module(module)
    assert [name for name in PRIVATE[module] if not hasattr(result, name)] == []


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
        result = set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text(name)))
        assert result == {HOME}, name
    assert all(url.startswith(HOME) for url in PROJECT["urls"].values())


def test_the_citation_has_this_version_and_the_five_papers():
    citation = text("CITATION.cff")
    assert f"\nversion: {stablegraph.__version__}\n" in citation
    assert len(re.findall(r"^  - type: ", citation, re.MULTILINE)) == 5


def requirement(line):
    result = Requirement(line)
    return result.name, str(result.specifier)


def requirements_in(recipe, section):
    """Return the requirements in a section of the conda recipe, except for Python, pip and compilers."""
    block = re.search(rf"^  {section}:\n((?:    .*\n)+)", recipe, re.MULTILINE)[1]
    return dict(requirement(line) for line in re.findall(r"^    - (?!python|pip|\$)(.*)$", block, re.MULTILINE))


@pytest.mark.skipif(not (ROOT / "conda").is_dir(), reason="this is a source distribution, without the recipe")
def test_the_recipe_for_conda_asks_for_what_pip_is_asked_for():
    recipe = text("conda/recipe.yaml")
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["cli"], *extras["plot"]]
    assert requirements_in(recipe, "run") == dict(
        requirement(line.replace("matplotlib", "matplotlib-base")) for line in lines
    )
    assert f"\n  version: {stablegraph.__version__}\n" in recipe
    hatchling = tomllib.loads(text("pyproject.toml"))["build-system"]["requires"]
    lines = [*hatchling, *extras["jit"], *PROJECT["dependencies"]]
    assert requirements_in(recipe, "host") == dict(map(requirement, lines))
    parsed = pytest.importorskip("yaml", reason="Dask brings PyYAML").safe_load(recipe)
    scripts = [f"{name} = {function}" for name, function in PROJECT["scripts"].items()]
    assert parsed["build"]["python"] == {"version_independent": True, "entry_points": scripts}
    assert f"python {PROJECT['requires-python']}" in parsed["requirements"]["run"]
    assert parsed["about"]["summary"] == PROJECT["description"]
    assert "noarch" not in recipe


def test_the_extra_has_the_compilers_of_the_build():
    pins = [f"{name}=={version}" for name, version in COMPILERS.items()]
    assert PROJECT["optional-dependencies"]["jit"] == pins


def test_the_page_on_stability_names_the_lowest_versions():
    numpy = dict(map(requirement, PROJECT["dependencies"]))["numpy"]
    python = PROJECT["requires-python"]
    assert re.search(rf"Python {python[2:]} \(.*?NumPy {numpy[2:]} \(", text("docs/stability.md"), re.DOTALL)
    assert f'"Programming Language :: Python :: {python[2:]}"' in text("pyproject.toml")


@HERE
def test_lowest_versions_contain_what_a_build_requests():
    lines = run_interpreter(".ci/lowest.py", cwd=ROOT).stdout.splitlines()
    assert {f"{name}=={version}" for name, version in (COMPILERS | ZIG).items()} <= set(lines)
    assert {"numpy==2.1", "scipy==1.15", "hatchling==1.27"} <= set(lines)


@HERE
def test_a_release_has_a_wheel_for_each_target():
    assert set(re.findall(r"\b\w+-(?:x86_64|aarch64|arm64)\b", text(".github/workflows/release.yml"))) == set(TARGETS)


@HERE
def test_workflows_try_every_python_that_is_named():
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", line)}
    tried = set(re.findall(r'"(3\.\d+)"', text(".github/workflows/tests.yml")))
    assert named <= tried
    table = re.search("<!-- platforms:begin -->(.*)<!-- platforms:end -->", text("docs/install.md"), re.DOTALL)[1]
    assert max(named, key=lambda version: int(version[2:])) in re.findall(r"\| (3\.\d+)\.\d+ \|", table)


@HERE
@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_ask_for_little_and_say_that_they_have_not_been_run(path):
    workflow = path.read_text(encoding="utf-8")
    assert "never been run" in re.match(r"(#.*\n)+", workflow)[0]
    assert "\npermissions:\n  contents: read\n" in workflow
    assert "\n  workflow_dispatch:\n" in workflow  # so that people can start it
    used = re.findall(r"\buses: (.*)", workflow)
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name)] == []
    assert workflow.count("actions/checkout@") == workflow.count("persist-credentials: false")
    assert re.findall(r"secrets\.|pull_request_target|github\.event\.[\w.]*(?:title|body|ref)", workflow) == []
    for command in re.findall(r"(\.ci/\w+(?:\.py)?)", workflow):
        assert (ROOT / command).exists()


@HERE
def test_modules_that_the_scripts_import_exist():
    """Some of these lines run only in the nightly checks."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / ".ci").iterdir()) if path.is_file())
    lines = re.findall(r"\bfrom (stablegraph[\w.]*) import (\w+)", text)
    assert lines
    for module, name in lines:
        found = importlib.import_module(module)
        assert hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}"), f"{module}.{name}"
