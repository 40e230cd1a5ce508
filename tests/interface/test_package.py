"""The package from the user's point of view: fast import, public names, the README's commands and examples."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from importlib.metadata import distribution, metadata
from pathlib import Path

import pytest

import stablegraph
from tests.house import walks
from tests.support.cases import each
from tests.support.processes import ROOT, run_python

EXAMPLES = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = ["stablegraph", *(m.name for m in pkgutil.walk_packages(stablegraph.__path__, "stablegraph."))]
HEAVY = ("numba", "matplotlib", "networkx", "click", "rich", "cupy", "pyarrow", "dask", "distributed")

PROMISED = {
    *(
        "__version__",
        "Graph",
        "as_graph",
        "from_edges",
        "block_diagonal",
        "from_table",
        "to_table",
        "cluster_pairs",
        "cluster_table",
        "read_graph",
        "write_graph",
        "csgraph",
        "distributed",
        "gallery",
        "plot",
        "verify",
    ),
    *("large_independent_set", "IndependentSet"),
    *("maximal_independent_set", "dependence_depth", "is_independent_set", "is_maximal_independent_set"),
    *("explain", "fingerprint"),
    *(
        "vertex_coloring",
        "coloring_steps",
        "color_bounds",
        "core_numbers",
        "is_core_labeling",
        "color_classes",
        "schedule",
        "schedule_table",
        "is_proper_coloring",
    ),
    *("connected_components", "largest_component", "subgraph", "is_component_labeling"),
    *("communities", "inherit_labels", "modularity", "potts", "is_community_labeling"),
    *("bridges", "is_bridge_list", "is_one_per_source"),
    *("strongly_connected_components", "condensation", "is_strong_component_labeling"),
    *("breadth_first_search", "reachable", "bfs_path", "is_bfs_tree"),
    *("shortest_paths", "is_shortest_path_tree"),
    *("maximal_matching", "weighted_matching", "matched_pairs", "is_matching", "is_maximal_matching"),
    *("is_bipartite", "bipartition"),
    *("minimum_spanning_forest", "mutual_reachability", "single_linkage", "total_weight"),
    *("is_spanning_forest", "is_minimum_spanning_forest"),
    *("jacobian_coloring", "hessian_coloring", "CompressionPlan", "is_compression_plan"),
    *("sparse_jacobian", "sparse_hessian", "SparseDerivative"),
    *("ImpossibleColoring", "ColoringNotFound"),
    *("star_coloring", "acyclic_coloring", "is_star_coloring", "is_acyclic_coloring"),
    *("aggregate", "aggregation_operator", "coarse_graph", "is_aggregation"),
    *("smoothed_aggregation", "Multigrid", "ConvergenceWarning", "gauss_seidel", "GaussSeidel", "solve"),
    *("effective_resistance", "spectral_embedding", "fiedler_vector"),
    *("set_num_threads", "num_threads", "threads", "show_config"),
}


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


# Importing


def test_import_is_light():
    loaded = run_python(
        "import sys, stablegraph; print(*{name.partition('.')[0] for name in sys.modules})"
    ).stdout.split()
    assert not set(HEAVY) & set(loaded)
    assert "stablegraph" in loaded


def test_every_public_name_is_there_without_a_compiler():
    program = f"""
import sys, stablegraph
for name in stablegraph.__all__:
    if name not in ("distributed", "plot"):
        assert getattr(stablegraph, name) is not None
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    assert run_python(program).stdout.split() == []


def test_first_answers_from_arrays_and_the_command_line_import_no_sparse_matrices():
    program = """
import sys, numpy as np, stablegraph as sg
edge = np.array([0, 1, 2]), np.array([1, 0])
sg.maximal_independent_set(edge)
print("stablegraph.independent_set.large.search" in sys.modules)
sg.vertex_coloring(edge), sg.connected_components(edge), sg.communities(edge)
import stablegraph.cli
print("scipy.sparse" in sys.modules, sg.as_graph(edge).to_scipy().nnz, "scipy.sparse" in sys.modules)
"""
    assert run_python(program).stdout.split() == ["False", "False", "2", "True"]


def test_only_the_back_end_for_development_imports_the_compiler():
    for path in Path(stablegraph.__file__).parent.rglob("*.py"):
        if path.parts[-3:-1] != ("runtime", "jit"):
            names = "numba|llvmlite|cupy" if "runtime" not in path.parts else "numba|llvmlite"
            lines = re.findall(rf"^\s*(?:import|from) (?:{names})\b.*", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert lines == [], path


# Public names


def test_the_list_of_public_names():
    assert set(stablegraph.__all__) == PROMISED
    assert set(dir(stablegraph)) == PROMISED


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'maximum_independent_set'"):
        stablegraph.maximum_independent_set  # noqa: B018


def test_version_is_the_installed_one():
    assert metadata("stablegraph")["Version"] == stablegraph.__version__
    assert f"## {stablegraph.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE", "PATENTS.md"])
def test_the_license_the_notice_and_the_patents_come_with_the_package(name):
    assert distribution("stablegraph").read_text(f"licenses/{name}") == (ROOT / name).read_text(encoding="utf-8")


PUBLIC = [
    name
    for name in stablegraph.__all__
    if name not in ("__version__", "csgraph", "distributed", "gallery", "plot", "verify")
]


@each(name=PUBLIC)
def test_public_things_are_documented_with_an_example(name):
    public = getattr(stablegraph, name)
    text = inspect.getdoc(public) or ""
    assert ">>> " in text, f"{name} has no example"
    if inspect.isfunction(public):
        signature = inspect.signature(public)
        if signature.parameters:
            assert re.search(r"^Parameters\n---", text, re.MULTILINE)
        if signature.return_annotation != "None":
            assert re.search(r"^Returns\n---", text, re.MULTILINE)


@each(name=PUBLIC)
def test_public_functions_say_their_types(name):
    public = getattr(stablegraph, name)
    functions = [f for _, f in inspect.getmembers(public, inspect.isfunction)] if inspect.isclass(public) else [public]
    for function in functions:
        if function.__name__.startswith("_") or not function.__module__.startswith("stablegraph"):
            continue
        untyped = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
        ]
        assert not untyped, f"{function.__qualname__}: {untyped}"
        assert inspect.signature(function).return_annotation is not inspect.Signature.empty, function.__qualname__


# Examples


@each(name=[m for m in MODULES if not m.endswith("__main__")])
def test_examples_in_docstrings(name, tmp_path, monkeypatch):
    """Docstrings of the installed package are tested, so that the tests cover the wheel."""
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    before = stablegraph.num_threads()
    try:
        runner = doctest.DocTestRunner(optionflags=EXAMPLES)
        for test in doctest.DocTestFinder().find(module, name):
            if test.examples:  # each run looks at the dates of all files whose lines Python has read
                runner.run(test)
        assert runner.failures == 0
    finally:
        stablegraph.set_num_threads(before)


PAGES = sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_examples_on_the_pages(page, tmp_path, monkeypatch):
    if page == "docs/pyamg.md":
        pytest.importorskip("pyamg", reason="the page is for users of PyAMG, which has no wheel for some Pythons")
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(ROOT / page), module_relative=False, optionflags=EXAMPLES).failed == 0


def test_readme_example_runs():
    (example,) = blocks(ROOT / "README.md", "python")
    names = {}
    exec(compile(example, "README.md", "exec"), names)
    sg, np, graph = names["sg"], names["np"], names["graph"]
    assert sg.is_maximal_independent_set(graph, names["places"])
    assert sg.is_component_labeling(graph, names["clusters"]) and sg.is_community_labeling(graph, names["groups"])
    assert np.allclose(sg.gallery.laplacian((200, 200)) @ names["x"], 1)


def test_readme_has_its_two_commands():
    """`.ci/run` extracts them from the README in the same way."""
    commands = [
        line
        for block in blocks(ROOT / "README.md", "sh")
        for line in block.splitlines()
        if line.startswith('pip install ".')
    ]
    assert commands == ['pip install ".[cli,plot]" && stablegraph demo', 'pip install ".[test]" && pytest']
    extras = set(metadata("stablegraph").get_all("Provides-Extra") or [])
    assert {"cli", "plot", "test", "dev", "ptx"} <= extras


def test_pages_link_to_what_exists():
    for page in [*ROOT.glob("*.md"), *(ROOT / name for name in PAGES)]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_page_of_the_command_line_begins_with_all_commands():
    pytest.importorskip("click")
    main = importlib.import_module("stablegraph.cli").main
    first = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8").partition("COMMAND --help")[0]
    assert set(re.findall(r"^    stablegraph ([a-z]+) ", first, re.MULTILINE)) == set(main.commands)


LIFE_OF_A_CALL = (ROOT / "docs" / "life-of-a-call.md").read_text(encoding="utf-8")


def test_the_life_of_a_call_names_files_that_exist():
    """A file may be named without its folder."""
    files = [f"/{path.relative_to(ROOT)}" for folder in ("src", "build_kernels") for path in (ROOT / folder).rglob("*")]
    named = set(re.findall(r"(?<![\w.])[\w/]+\.(?:py|c)\b", LIFE_OF_A_CALL))
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in files)] == []
    assert len(named) > 10


def test_the_map_of_the_source_names_all_files_and_folders():
    """The first table lists the package, the second one the folders of `_core`; they contain no other names."""
    package = ROOT / "src" / "stablegraph"
    tables = LIFE_OF_A_CALL.partition("## The map of the source")[2].split("|---|---|")[1:]
    root, core = (
        [name for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall("`(.*?)`", cell)]
        for table in tables
    )
    entries = [path.name + "/" * path.is_dir() for path in package.iterdir() if path.name != "__pycache__"]
    assert sorted(root) == sorted(name for name in entries if name.endswith(("/", ".py")))
    folders = {
        path.parent.relative_to(package / "_core").as_posix() + "/" for path in (package / "_core").rglob("*.py")
    }
    assert sorted(core) == sorted(folders - {"./"})


def test_a_call_enters_as_many_files_as_the_page_says():
    with walks.independent_set() as call:
        entered = walks.trace(call).files
    (promised,) = re.findall(r"enters about (\d+) files", LIFE_OF_A_CALL)
    assert abs(len(entered) - int(promised)) <= 4


def test_spelling_is_american():
    """All texts for users are checked, except for a title of 1879."""
    british = re.compile(
        r"(?:(?:neighb|behavi|fav|\bcol)our|(?:andom|recogn|summar|synchron|normal|optim|initial|organ)is(?:e|a)"
        r"|\bcentre|licence|\bgrey|labelled\b|modelled\b|misspelt)\w*",
        re.IGNORECASE,
    )
    pages = [path for folder in ("docs", "src", "examples") for path in (ROOT / folder).rglob("*")]
    result = [
        f"{path.name}: {word}"
        for path in [*ROOT.glob("*.md"), *pages]
        if path.suffix in {".md", ".py", ".pyi", ".cu", ".cuh", ".js", ".css", ".html"}
        for word in british.findall(path.read_text(encoding="utf-8").replace("the Four Colours", ""))
    ]
    assert result == []
