"""What the pages and docstrings show works: commands and their outputs, blocks of Python, and calls in sentences.

Doctests run in tests/interface/test_package.py. Here are the blocks without prompts, and everything that is shown in
passing: each command runs if it can, and otherwise its names and options must exist; so must those of each call.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import itertools
import re
import shlex
from collections.abc import Iterator
from functools import cache, partial
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite
from scipy.spatial import KDTree

import stablegraph as sg
from tests.support.advice import source_trees
from tests.support.processes import ROOT, run_interpreter

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "benchmarks" / "README.md"])
    if path.name != "CHANGELOG.md"  # earlier versions had other names
}
FENCED = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(page: str, language: str) -> list[tuple[int, str]]:
    """Return the fenced blocks of a page in this language, each with the number of its first line."""
    text = PAGES[page]
    return [(text.count("\n", 0, m.start(2)) + 1, m[2]) for m in FENCED.finditer(text) if m[1] == language]


# --------------------------------------------------------------------------------------------------------- the commands


class Command(NamedTuple):
    """A command as a page shows it: the words of each program in its pipe, its target, and the lines below it."""

    line: int
    programs: list[list[str]]
    target: str  # the file after ">", or ""
    shown: list[str]


def commands(page: str) -> Iterator[Command]:
    """Yield the commands on a page, from blocks of the shell and indented blocks."""
    outside = FENCED.sub(lambda match: "\n" * match[0].count("\n"), PAGES[page])
    indented = re.finditer(r"(?<=\n\n)(?:    \S?.*\n)+", outside)
    blocks = [(outside.count("\n", 0, m.start()) + 1, re.sub("^    ", "", m[0], flags=re.MULTILINE)) for m in indented]
    for first, block in sorted(fences(page, "sh") + [x for x in blocks if re.match(r"\$ |stablegraph|eval", x[1])]):
        lines = block.splitlines()
        described = re.match(r"\w+ {2,}(?=\w)", block)  # the column of descriptions
        for k, line in enumerate(lines):
            if line.startswith("$ ") or not block.startswith("$ "):
                shown = itertools.takewhile(lambda text: not text.startswith("$ "), lines[k + 1 :])
                command = line.removeprefix("$ ")[: described and described.end()]
                for part in command.split(" && "):
                    yield Command(first + k, *parsed(part), list(shown) if block.startswith("$ ") else [])


def parsed(command: str) -> tuple[list[list[str]], str]:
    """Return the programs of a command with their arguments, and the file that receives the output."""
    words = shlex.split(re.sub(r'^eval "\$\((.*)\)"$', r"\1", command), comments=True)
    words = list(itertools.dropwhile(lambda word: re.match(r"[A-Z_]+=", word), words))  # variables of the environment
    target = words[-1] if words[-2:-1] == [">"] else ""
    programs = itertools.groupby(words[:-2] if target else words, lambda word: word == "|")
    return [list(program) for bar, program in programs if not bar], target


def check_options(words: list[str]) -> None:
    """Require that the command line knows this command, its options, and the values that have names."""
    click, main = pytest.importorskip("click"), importlib.import_module("stablegraph.cli").main
    if words and not words[0].startswith("-"):
        assert words[0] in main.commands, words
        command = main.commands[words[0]]
        context = click.Context(command, info_name=words[0])
        values, _, _ = command.make_parser(context).parse_args(words[1:])
        for parameter in command.params:
            given = values.get(parameter.name)
            if isinstance(parameter.type, click.Choice) and given and not str(given).isupper():
                for value in given if isinstance(given, list) else [given]:
                    parameter.type.convert(value, parameter, context)


def check_other_program(words: list[str]) -> None:
    """Check a command that the tests do not run: its module, files, options and extras exist."""
    match words:
        case ["pip", *_]:  # it would install packages
            extras = set(metadata("stablegraph").get_all("Provides-Extra") or [])
            named = {name for word in words for list_ in re.findall(r"\[(.*)\]", word) for name in list_.split(",")}
            assert named <= extras
        case ["python", "-m", module, *more]:  # most take minutes
            spec = find_spec(module)
            assert spec is not None and spec.origin is not None, module
            folder = Path(spec.origin).parent
            text = "".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
            assert [word for word in more if word.startswith("--") and f'"{word}"' not in text] == []
        case ["pytest", *more]:
            assert all((ROOT / word).exists() for word in more if word.startswith("tests/"))
        case ["python", "program.py"] | [
            "ruff" | "git" | "pre-commit" | "mypy" | "typos" | "zizmor" | "cat" | "zstd",
            *_,
        ]:
            pass  # programs of other projects, and a program of the reader's
        case _:
            pytest.fail(f"a program that this test does not know: {words}")


SHOWN = [(page, command) for page in PAGES for command in commands(page)]
OURS = [(page, command) for page, command in SHOWN if command.programs[0][0] == "stablegraph"]
RUN: dict[str, list[Command]] = {page: [] for page in PAGES}
_whole: set[str] = set()  # several pages begin with these commands, which take long
for _page, _command in SHOWN:
    _, _name, *_ = [*_command.programs[0], ""]
    if _command.programs[0][0] in ("stablegraph", "cat", "zstd") and _name not in _whole:
        RUN[_page].append(_command)
        _whole |= {_name} & {"demo", "report"}
# Commands that no test runs as they are shown, each with its reason. Their options and files are checked.
NOT_RUN = {
    r"pip (?:install|wheel) ": "installs or builds packages; .ci/run, .ci/package and .ci/nightly do",
    r"pre-commit install": "changes the repository",
    r"(?:ruff|mypy|typos|zizmor)\b": "checks of the repository, which .ci/run runs",
    r"pytest\b": "this test is a part of it",
    r"python -m benchmarks (?:list|run|report|release)\b": "takes minutes; test_studies.py runs quick studies",
    r"git worktree ": "changes the repository",
    r"python -m tests\.(?:fuzz|fuzz\.\w+|soak|killed_workers) ": "takes hours; tests/fuzz and test_soak.py begin them",
    r"python -m tests\.(?:mutants|suite_mutants|coverage)\b": "takes hours",
    r"python program\.py": "a program of the reader",
    r"stablegraph .* --dask ": "starts a cluster; tests/cli/test_cluster.py runs the option",
    r"stablegraph (?:demo|report)\b": "runs on the first page that shows it, and takes long",
}
EXECUTED = ("README", "docs/")  # pages whose blocks of Python are executed
PYTHON_NOT_RUN = {
    "CONTRIBUTING.md": "tests/house/test_contributing.py runs its skeleton",
    "benchmarks/README.md": "a part of a study, without its other parts",
}
# Fenced blocks in other languages than Python and the shell; Sphinx executes its directives.
NOT_CODE = {"dockerfile": "needs Docker and a network", "": "a diagram"}
REAL = [(page, c) for page, c in OURS if re.search(r" (?:bcsstk18|fem-\S+|jagmesh7)\.mtx", " ".join(c.programs[0]))]


def is_run(page: str, command: Command) -> bool:
    return any(command is other for other in RUN[page]) and "--dask" not in command.programs[0]


def test_what_is_not_executed_is_listed_with_a_reason():
    """A command, or a block in another language; Python is executed below and by tests/interface/test_package.py."""
    texts = [
        " | ".join(map(" ".join, c.programs)) for page, c in SHOWN if not is_run(page, c) and (page, c) not in REAL
    ]
    reasons = {text: [pattern for pattern in NOT_RUN if re.match(pattern, text)] for text in texts}
    assert {text: found for text, found in reasons.items() if len(found) != 1} == {}
    assert {pattern for found in reasons.values() for pattern in found} == NOT_RUN.keys()
    languages = {m[1] for text in PAGES.values() for m in re.finditer(r"^```([^\n]*)\n.*?^```$", text, re.M | re.S)}
    assert {name for name in languages if not name.startswith("{")} - {"python", "sh"} == NOT_CODE.keys()
    assert {page for page in PAGES if fences(page, "python") and not page.startswith(EXECUTED)} == PYTHON_NOT_RUN.keys()


@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in SHOWN))
def test_commands_and_options_exist(page):
    for command in commands(page):
        for name, *arguments in command.programs:
            if name == "stablegraph":
                check_options(arguments)
            else:
                check_other_program([name, *arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder with the files that the pages speak of, small ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("graph.mtx.gz", "graph.npz", "roads.mtx"):
        sg.write_graph(name, sg.gallery.grid((12, 12)))
    matrix = sg.gallery.laplacian((12, 12))
    for name in ("matrix.mtx", "laplacian.mtx"):
        singular = matrix - np.diag(matrix @ np.ones(144)) if name == "laplacian.mtx" else matrix.toarray()
        mmwrite(name, sp.coo_array(singular), symmetry="symmetric")
    sg.write_graph("matrix.mtx.gz", sg.as_graph(matrix))
    np.save("b.npy", np.arange(144.0))
    for name, text in {
        "friends.csv": "person,friend\nAnn,Bob\nBob,Cy\n",
        "exams.csv": "source,target\nphysics,chemistry\nphysics,history\nlatin,history\n",
        "pairs.csv": "source,target\n1,2\n3,4\n",
        "new-pairs.csv": "source,target\n2,3\n",
        "scored.csv": "source,target,score\nAnn,Bob,0.9\nBob,Cy,0.2\n",
        "pairs.csv.zst": "buyer,seller\nAnn,Bob\nBob,Cy\n",  # not compressed: `zstd` is not a part of the tests
        "records.csv": "id\nAnn\nDan\n",
        "lists.csv": "id,list\nAnn,A\nBob,B\nDan,A\n",
        "arcs.txt": "0 1\n1 2\n2 0\n",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("docs/images").mkdir(parents=True)
    return tmp_path


def normalized(output: str) -> str:
    """Return an output without times and numbers of threads."""
    return re.sub(r"(?m)^( +times +).*$", r"\1...", output)


def execute(command: Command, written: set[str]) -> None:
    """Run the command, and compare the output with the page. The first `cat` of a file makes the file."""
    invoking = importlib.import_module("tests.cli.invoking")
    shown = "".join(f"{line}\n" for line in command.shown)
    output = ""
    for name, *arguments in command.programs:
        if name == "zstd":  # of a file, to a pipe
            output = Path(arguments[-1]).read_text(encoding="utf-8")
        elif name == "cat":
            (file,) = arguments
            if file not in written:
                Path(file).write_text(shown, encoding="utf-8")
            output = Path(file).read_text(encoding="utf-8")
        else:
            arguments = ["graph.mtx.gz" if word == "FILE" else word for word in arguments]
            result = invoking.run(*arguments, input=output)
            if arguments != ["doctor"]:  # which finds what is wrong with the machine
                assert result.exit_code == (4 if "converged   no" in shown else 0), result.output
            output = result.stdout
            written.update(arguments)
    if command.target:
        path = Path(command.target).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(output, encoding="utf-8")
    if shown:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(shown, normalized(output), flags), output


@pytest.mark.parametrize("page", [page for page, shown in RUN.items() if shown])
def test_commands_run_and_print_what_is_shown(page, folder):
    for module in ("click", "rich", "matplotlib", "pyarrow"):
        pytest.importorskip(module)
    written: set[str] = set()
    for command in RUN[page]:
        if (page, command) not in REAL and "--dask" not in command.programs[0]:  # which starts a cluster
            execute(command, written)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), REAL, ids=[f"{page}:{command.line}" for page, command in REAL])
def test_commands_on_real_graphs(page, command, folder, data_file):
    for module in ("click", "rich", "matplotlib"):
        pytest.importorskip(module)
    name = command.programs[0][2]
    (folder / name).symlink_to(data_file(name))
    execute(command, set())


# ---------------------------------------------------------------------------------------------------- blocks of Python

BLOCKS = [
    pytest.param(page, line, text, id=f"{page}:{line}", marks=marks)
    for page in PAGES
    if page.startswith(EXECUTED)
    for line, text in fences(page, "python")
    if ">>> " not in text
    for marks in [[pytest.mark.slow] * ("Client(" in text) + [pytest.mark.gpu] * bool(re.search(r"cupy|\bcp\.", text))]
]


def imports(text: str) -> dict[str, ast.Import | ast.ImportFrom]:
    """Return the statements that import, by the names that they define."""
    return {
        (alias.asname or alias.name.partition(".")[0]): node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def imports_for(page: str, line: int, text: str) -> list[ast.stmt]:
    """Return the statements that import the modules of a block, here or above it; skip the test without a module."""
    known = [imports(block) for first, block in fences(page, "python") if first <= line and ">>> " not in block]
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} | set(imports(text))
    needed: dict[str, ast.stmt] = {name: node for part in known for name, node in part.items() if name in used}
    for node in needed.values():
        for module in [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]:
            if not module.startswith("stablegraph."):
                pytest.importorskip(module)
    return list(dict.fromkeys(needed.values()))


@pytest.mark.filterwarnings("ignore:Sparse", "ignore:requested 8 threads")
@pytest.mark.parametrize(("page", "line", "text"), BLOCKS)
def test_blocks_of_python_run(page, line, text, folder):
    """The comment in a line with an expression is the value of the expression."""
    needed = imports_for(page, line, text)
    if "Client(" in text:  # worker processes import the file
        (folder / "program.py").write_text(text, encoding="utf-8")
        run_interpreter("program.py", cwd=folder)
        return
    matrix = sg.gallery.laplacian((12, 12))
    if "nullspace=" in text:
        matrix = sp.csr_array(matrix - sp.diags_array(matrix @ np.ones(144)))
    names: dict[str, Any] = {"sg": sg, "np": np, "graph": sg.gallery.grid((12, 12)), "matrix": matrix, "A": matrix}
    names |= {"n": 144, "u": np.array([0, 1, 2]), "v": np.array([1, 2, 3])}
    names |= {"adata": SimpleNamespace(obsp={"connectivities": names["graph"].to_scipy()}, obs={})}
    names |= {"X": np.random.default_rng(0).normal(size=(100, 2))}
    names |= {"index": SimpleNamespace(knn_query=lambda points, k: KDTree(points).query(points, k)[::-1])}
    if "cupy" in ast.unparse(ast.Module(needed, [])):
        cupy = pytest.importorskip("cupy")
        matrix = importlib.import_module("cupyx.scipy.sparse").csr_matrix(sp.csr_array(matrix))
        names |= {"matrix": matrix, "A": matrix, "u": cupy.asarray(names["u"]), "v": cupy.asarray(names["v"])}
    exec(compile(ast.Module(needed, []), page, "exec"), names)
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), page, "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), page, "eval"), names)
        shown = value.item() if isinstance(value, np.generic) else value
        comment = lines[node.end_lineno - 1].partition("  # ")[2]
        assert not comment or repr(shown) == comment


# --------------------------------------------------------------------------------------------------------------- calls


def docstrings(node: ast.AST) -> Iterator[str]:
    """Yield the docstrings of a module, class or function, and of those in its statements."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        yield ast.get_docstring(node) or ""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from docstrings(child)


@cache
def texts() -> list[tuple[str, str]]:
    """Return the pages and docstrings, each with its place."""
    sources = [(f"src/stablegraph/{file}", text) for file, tree in source_trees() for text in docstrings(tree) if text]
    return [*PAGES.items(), *sources]


def spans(text: str) -> list[str]:
    """Return the code in the sentences of a text."""
    prose = re.sub(r"^(?:```.*?^```|>>> .*?)$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(code.split()) for _, code in re.findall(r"(`+)([^`]+)\1(?!`)", prose)]


def shown_python() -> Iterator[tuple[str, ast.AST]]:
    """Yield all Python of the pages and docstrings, with its place."""
    for place, text in texts():
        whole = [block for _, block in fences(place, "python") if ">>> " not in block] if place in PAGES else []
        for code in [*whole, *(example.source for example in EXAMPLES.get_examples(text)), *spans(text)]:
            tree = parsed_python(code)
            assert tree or code not in whole, place
            if tree:
                yield place, tree


def parsed_python(code: str) -> ast.AST | None:
    """Return the syntax tree of Python that has calls or attributes; None for other texts."""
    if "(" not in code and "." not in code:
        return ast.Module([], [])
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


EXAMPLES = doctest.DocTestParser()
MODULES = [sg, sg.csgraph, sg.gallery, sg.plot, sg.verify]


def resolved(node: ast.expr) -> Any:
    """Return the public object with this name, or None for another name."""
    match node:
        case ast.Name("sg" | "stablegraph"):
            return sg
        case ast.Attribute(inner, name):
            outer = resolved(inner)
            if inspect.ismodule(outer) and not hasattr(outer, name):
                try:
                    return importlib.import_module(f"{outer.__name__}.{name}")
                except ModuleNotFoundError as error:
                    if error.name == f"{outer.__name__}.{name}":
                        raise AttributeError(f"{ast.unparse(node)} does not exist") from None
                    return None  # another package is missing
            return None if outer is None or not inspect.ismodule(outer) else getattr(outer, name)
    return None


def public_classes() -> Iterator[type]:
    """Yield the public classes; not those of a module that needs a package that is missing."""
    for module in MODULES:
        for name in module.__all__:
            with contextlib.suppress(ModuleNotFoundError):
                if inspect.isclass(public := getattr(module, name)):
                    yield public


CLASSES = list(public_classes())


def candidates(node: ast.expr) -> list[Any]:
    """Return the public functions and methods that a call may mean: without a module, all of this name."""
    if (found := resolved(node)) is not None:
        return [found]
    match node:
        case ast.Attribute(ast.Name(name), method) if name in (public.__name__ for public in CLASSES):
            return [getattr(public, method) for public in CLASSES if public.__name__ == name]
        case ast.Attribute(ast.Name("skfem")):  # another package with a function of this name
            return []
        case ast.Attribute(_, name):
            return methods(name)
        case ast.Name(name) if functions := [getattr(module, name) for module in MODULES if name in module.__all__]:
            return [*(function for function in functions if inspect.isfunction(function)), *methods(name)]
    return []


def methods(name: str) -> list[Any]:
    return [partial(vars(public)[name], None) for public in CLASSES if inspect.isfunction(vars(public).get(name))]


def test_calls_have_the_signatures_of_functions():
    """Each name and each keyword exists, and there are not too many arguments."""
    wrong, checked = [], 0
    for place, tree in shown_python():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                reason = refused(node)
                checked += reason is not None
            else:
                reason = refused_name(node)
            if reason:
                wrong.append(f"{place}: {ast.unparse(node)}: {reason}")
    assert wrong == []
    assert checked > 500


def refused_name(node: ast.AST) -> str:
    """Return what is wrong with a name in the package; other texts begin with `stablegraph`, too, such as settings."""
    if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("sg."):
        try:
            resolved(node)
        except AttributeError as error:
            return str(error)
    return ""


def refused(call: ast.Call) -> str | None:
    """Return what is wrong with a call, or None if it is not one of the package."""
    try:
        functions = [function for function in candidates(call.func) if callable(function)]
    except AttributeError as error:
        return str(error)
    unknown = any(isinstance(x, ast.Starred) or ast.unparse(x) == "..." for x in call.args)
    keywords = {keyword.arg: 0 for keyword in call.keywords if keyword.arg}
    reason = "" if functions else None
    for function in functions:
        try:
            inspect.signature(function).bind_partial(*([] if unknown else call.args), **keywords)
            return ""
        except TypeError as error:
            reason = str(error)
    return reason


def test_commands_in_sentences_have_options_that_exist():
    found = [
        parsed(span)[0][0]
        for _, text in texts()
        for span in spans(text)
        if re.match(r"(?:[A-Z_]+=\S+ )*(?:stablegraph|python -m) [a-z]", span) and " | " not in span
    ]
    for words in found:
        if words[0] == "python" and words[2] != "stablegraph":
            check_other_program(words)
        else:
            check_options(words[words.index("stablegraph") + 1 :])
    assert len(found) > 50


def test_options_in_sentences_exist():
    """Options of the command line, or of the programs that belong to the repository."""
    click = pytest.importorskip("click")
    main = importlib.import_module("stablegraph.cli").main
    known = {
        option
        for command in [main, *main.commands.values()]
        for parameter in command.get_params(click.Context(command))
        for option in [*parameter.opts, *parameter.secondary_opts]
    }
    programs = "".join(path.read_text("utf-8") for path in [*ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("tests/*.py")])
    shown = [
        (place, option)
        for place, text in texts()
        for span in spans(text)
        if span.startswith("--")
        for option in re.findall(r"(?<!\S)--[a-z-]+", span)
    ]
    only_there = ("docs/command-line.md", "src/")  # pages for users of the command line name no other options
    unknown = {(place, option) for place, option in shown if option not in known}
    assert not {x for x in unknown if x[0].startswith(only_there) or f'"{x[1]}"' not in programs}
    assert len(shown) > 100
