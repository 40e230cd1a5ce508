"""Count the code of a source tree, and its deviations from the rules of the layout.

    python -m tests.house.counts [TREE] [--items] [--engines]

Code lines are those of Python, stubs, C and CUDA after `ruff format`, without blank lines, comments and docstrings;
bytes of code are those of their words. With ``--items`` pytest also collects the tests, which takes about 15 s. With
``--engines`` every public function also runs, and its kernels are listed (engines.py), which takes about 30 s.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import numpy as np
import scipy.sparse as sp

PACKAGE = "stablegraph"
ROOT = Path(__file__).parents[2]
PYTHON, C = (".py", ".pyi"), (".c", ".h", ".cu", ".cuh")
_MIN_MODULES = 3  # in which a name is defined, to be listed
_MIN_REPEATED = 8  # equal lines of code
_MIN_FILE, _MAX_FILE = 40, 300  # lines of code; smaller files could be a part of the file that they serve
_AROUND = {"cluster", "cli", "plot", "interop", "study"}  # folders that a reader of the algorithms does not need
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

# Modules that are imported by a computed name for a purpose other than choosing a function.
NOT_DISPATCH = {
    "src/stablegraph/__init__.py": "the public names, which __init__.pyi lists for editors and type checkers",
    "src/stablegraph/_core/environment.py": "a module of Python, whose name depends on the version",
    "build_kernels/forms.py": "imports every module of the package to find all kernels",
    "build_kernels/gpu.py": "imports every module of the package to find all CUDA sources",
}

# Names that mean the same in every module that defines them.
SAME_TASK = {
    "_cuda": "imports the form for a GPU",
    "independent_set": "runs one algorithm for maximal independent sets",
    "looks_like": "reports whether the first bytes of a file have the format of the module",
    "read": "reads a file in the format of the module",
    "write": "writes a file in the format of the module",
    "main": "runs the module as a script",
    "command": "the subcommand of the module",
}


def folders(tree: Path) -> dict[str, list[Path]]:
    """Return the source files by folder: the first one below the package, or the second one in `_core`."""
    groups: dict[str, list[Path]] = defaultdict(list)
    package = tree / "src" / PACKAGE
    for path in sorted([*package.rglob("*"), *(tree / "build_kernels").rglob("*")]):
        if path.suffix in PYTHON + C:
            if path.is_relative_to(package):
                parts = path.relative_to(package).parts[:-1]
                group = "/".join(parts[: 2 if parts[:1] == ("_core",) else 1]) or "root"
            else:
                group = "build_kernels"
            groups[group].append(path)
    return groups


def python_lines(text: str) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines with code, and of the lines with prose only."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code = {line for t in tokens if t.type not in _NO_CODE for line in range(t.start[0], t.end[0] + 1)}
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            docstrings.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    comments = {t.start[0] for t in tokens if t.type == tokenize.COMMENT}
    return code - docstrings, docstrings | comments - code


def c_lines(text: str) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines with code, and of the lines with prose only, of a C or CUDA source."""
    without = re.sub(r"/\*.*?\*/", lambda result: "\n" * result[0].count("\n"), text, flags=re.DOTALL)
    code = {n for n, line in enumerate(re.sub(r"//.*", "", without).splitlines(), 1) if line.strip()}
    return code, {n for n, line in enumerate(text.splitlines(), 1) if line.strip()} - code


def lines_of(path: Path) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines with code, and of the lines with prose only."""
    return (python_lines if path.suffix in PYTHON else c_lines)(path.read_text(encoding="utf-8"))


def bytes_of(path: Path) -> int:
    """Return the number of bytes of the code of a file, without spaces, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    code, _ = lines_of(path)
    if path.suffix in PYTHON:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return sum(len(t.string.encode()) for t in tokens if t.type not in _NO_CODE and t.start[0] in code)
    without = re.sub(r"/\*.*?\*/|//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    return len("".join(without.split()).encode())


def formatted_copy(tree: Path, folder: Path) -> Path:
    """Copy the sources of a tree to a folder, and format the Python files."""
    for name in ("src", "build_kernels"):
        if (tree / name).exists():
            shutil.copytree(tree / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(tree / "pyproject.toml", folder)
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(folder)], check=True)
    return folder


def modules(tree: Path) -> dict[str, Path]:
    """Return the Python files of the package by the names of their modules."""
    source = tree / "src"
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((source / PACKAGE).rglob("*.py"))
    }


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules of the package that a module imports, also in functions and for type checkers only."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    targets: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            targets.update(full if (full := f"{base}.{alias.name}") in known else base for alias in node.names)
    return targets & known.keys() - {name}


def cycles(tree: Path) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or indirectly."""
    known = modules(tree)
    names = list(known)
    place = {name: i for i, name in enumerate(names)}
    arrows = np.array(
        [(place[name], place[target]) for name, path in known.items() for target in imports(name, path, known)], int
    ).reshape(-1, 2)
    matrix = sp.csr_array((np.ones(len(arrows)), arrows.T), shape=(len(names), len(names)))
    _, labels = sp.csgraph.connected_components(matrix, connection="strong")
    groups = [[names[i] for i in np.flatnonzero(labels == label)] for label in np.flatnonzero(np.bincount(labels) > 1)]
    return sorted(groups)


def string_dispatches(tree: Path) -> list[str]:
    """Return the places that choose a function by text: a computed module, an attribute of a module, `by_device`."""
    result = []
    paths = [path for group in folders(tree).values() for path in group if path.suffix == ".py"]
    for path in paths:
        name, parsed = path.relative_to(tree).as_posix(), ast.parse(path.read_text(encoding="utf-8"))
        if name in NOT_DISPATCH:
            continue
        imported = {
            alias.asname or alias.name
            for node in ast.walk(parsed)
            if isinstance(node, ast.ImportFrom) and node.level and not node.module  # modules of the package
            for alias in node.names
        }
        for node in ast.walk(parsed):
            if isinstance(node, ast.Call) and _chooses_by_text(node, imported):
                result.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    return result


def _chooses_by_text(call: ast.Call, imported: set[str]) -> bool:
    """Return whether a call finds code by a computed name; `imported` names the modules of the file."""
    function, texts = _called(call), [node for node in call.args if isinstance(node, ast.Constant)]
    if function == "import_module":
        return call.args[:1] != texts[:1]
    if function == "getattr" and call.args[1:2] != texts[:1]:
        source = call.args[0]
        return _called(source) == "import_module" or (isinstance(source, ast.Name) and source.id in imported)
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    by_text = any(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in values)
    return by_text and (function == "by_device" or (function == "partial" and _name(call.args[0]) == "by_device"))


def _called(node: ast.AST) -> str:
    return _name(node.func) if isinstance(node, ast.Call) else ""


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _task(module: str) -> str:
    """Return the problem of a module and its own name, without the folders between them."""
    parts = [part for part in module.split(".") if part != "cuda"]
    return ".".join([*parts[:2], *parts[-1:]]) if len(parts) > 3 and "cuda" in module.split(".") else ".".join(parts)


def frequent_names(tree: Path) -> dict[str, list[str]]:
    """Return the functions and classes that several modules define, by name, with these modules.

    A form for a GPU has the same task as the form for the CPU, and so has everything that is named after a public
    function.
    """
    stub = (tree / "src" / PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    public = set(re.findall(r"import (\w+) as", stub))
    defined: dict[str, set[str]] = defaultdict(set)
    for name, path in modules(tree).items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__"):
                defined[node.name].add(_task(name))
    return {
        name: sorted(homes)
        for name, homes in sorted(defined.items())
        if len(homes) >= _MIN_MODULES and name not in SAME_TASK and name not in public
    }


def repeated_lines(tree: Path) -> list[str]:
    """Return the pairs of places that have at least eight equal lines of code in succession."""
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    texts: dict[Path, list[tuple[int, str]]] = {}
    for path in (path for group in folders(tree).values() for path in group):
        lines = path.read_text(encoding="utf-8").splitlines()
        texts[path] = [(n, lines[n - 1].strip()) for n in sorted(lines_of(path)[0])]
        for k in range(len(texts[path]) - _MIN_REPEATED + 1):
            places[tuple(line for _, line in texts[path][k : k + _MIN_REPEATED])].append((path, k))
    pairs = []
    for equal in places.values():
        for first, second in ((a, b) for i, a in enumerate(equal) for b in equal[i + 1 :]):
            before = [texts[path][k - 1][1] if k else None for path, k in (first, second)]
            if before[0] != before[1] or before[0] is None:  # else the pair began one line earlier
                pairs.append(" = ".join(f"{path.relative_to(tree)}:{texts[path][k][0]}" for path, k in (first, second)))
    return pairs


def untyped_fields(tree: Path) -> list[str]:
    """Return the fields of NamedTuples whose type is `Any`."""
    return [
        f"{name}: {group.name}.{field.target.id}"
        for name, path in modules(tree).items()
        if "NamedTuple" in (text := path.read_text(encoding="utf-8"))
        for group in ast.walk(ast.parse(text))
        if isinstance(group, ast.ClassDef) and "NamedTuple" in map(_name, group.bases)
        for field in group.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _name(field.annotation) == "Any"
    ]


def worker_thresholds(tree: Path) -> list[str]:
    """Return the comparisons of a number of workers or threads with a constant other than 0 and 1."""
    return [
        f"{name}: {ast.unparse(node)}"
        for name, path in modules(tree).items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare)
        and any(
            re.search(r"^(num_threads|worker_count|(\w+_)?workers)$", _called(side) or _name(side))
            for side in _sides(node)
        )
        and any(_is_threshold(part) for side in _sides(node) for part in ast.walk(side))
    ]


def _sides(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _is_threshold(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value > 1
    return _name(node).lstrip("_").isupper()


def collected(tree: Path) -> int:
    """Return the number of tests that pytest finds."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-n", "0", "-m", "", "tests"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    return sum(int(count) for count in re.findall(r"^\S+\.py: (\d+)$", done.stdout, re.MULTILINE))


def report(tree: Path) -> Iterator[str]:
    """Yield the lines of the report."""
    with tempfile.TemporaryDirectory() as folder:
        copy = formatted_copy(tree, Path(folder))
        code, prose, sizes, size = Counter[str](), 0, Counter[str](), 0
        for group, paths in folders(copy).items():
            for path in paths:
                lines, words = lines_of(path)
                code[group] += len(lines)
                sizes[path.relative_to(copy).as_posix()] = len(lines)
                size += bytes_of(path)
                prose += len(words) * (group != "build_kernels")
    yield f"{sum(code.values()):,} code lines in src and build_kernels"
    yield from (f"    {count:6,} {group}" for group, count in sorted(code.items()))
    inside = sum(n for group, n in code.items() if group not in _AROUND)
    yield f"{inside:,} code lines without {', '.join(sorted(_AROUND))}"
    yield f"{size:,} bytes of code"
    yield f"{prose:,} prose lines in src"
    yield f"{len(sizes)} files in src and build_kernels"
    (folder, most), *_ = Counter(name.rpartition("/")[0] for name in sizes).most_common(1)
    yield f"{most} files in the largest folder, {folder}"
    yield f"{sum(n < _MIN_FILE for n in sizes.values())} files below {_MIN_FILE} lines of code"
    yield f"{len(list((tree / 'src' / PACKAGE).glob('*.py')))} Python files in the root of the package"
    yield from _listed("string dispatches", string_dispatches(tree))
    yield from _listed("import cycles", [", ".join(group) for group in cycles(tree)])
    (longest, length), *_ = sizes.most_common(1)
    yield f"{length} lines of code in the longest file, {longest}"
    yield from _listed(
        f"files with more than {_MAX_FILE} lines of code",
        [f"{n} {name}" for name, n in sizes.most_common() if n > _MAX_FILE],
    )
    names = frequent_names(tree)
    yield from _listed(
        f"names defined in {_MIN_MODULES} or more modules",
        [f"{name}: {', '.join(home.removeprefix(f'{PACKAGE}.') for home in homes)}" for name, homes in names.items()],
    )
    yield from _listed("fields of type Any in groups", untyped_fields(tree))
    yield from _listed("thresholds on workers", worker_thresholds(tree))
    yield from _listed(f"pairs of places with {_MIN_REPEATED} equal lines of code", repeated_lines(tree))


def _listed(title: str, items: list[str]) -> Iterator[str]:
    yield f"{len(items)} {title}"
    yield from (f"    {item}" for item in items)


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.counts", description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT, metavar="TREE", help="this one by default")
    parser.add_argument("--items", action="store_true", help="also count the tests")
    parser.add_argument("--engines", action="store_true", help="also list the kernels of each function")
    chosen = parser.parse_args()
    tree = chosen.tree.resolve()
    print(*report(tree), sep="\n")
    if chosen.items:
        print(f"{collected(tree):,} tests")
    if chosen.engines:
        places = os.pathsep.join(map(str, (tree / "src", ROOT)))
        environment = {**os.environ, "PYTHONPATH": places}
        subprocess.run([sys.executable, "-m", "tests.house.engines"], cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
