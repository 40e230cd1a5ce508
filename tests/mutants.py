"""Mutation testing: each mutant has one change in the source; the tests of its module should fail.

    python -m tests.mutants                             thirty mutants
    python -m tests.mutants --count 1000 --jobs 16      the long version: an hour or more on one core
    python -m tests.mutants --only io --counts m.jsonl  mutants of one folder; a JSON line is added for each

A mutant is the source of one module in which one comparison, operator, number, boolean, condition or statement is
changed. It is killed if a test fails or if the tests take too long; it survives if all tests pass. A survivor is either
an equivalent program (a bound that only saves time, a message) or shows a missing test: then write one.

Each mutant runs in a child process, forked from a process that has imported the libraries, on a copy of the source
tree. Each job has such a copy. It includes the compiled objects, so that a mutant compiles only the kernels that it
changes: the first test that launches a kernel builds the library again.

Mutants depend only on the seed, their number and the source. The exit code is 0, since survivors need a person's
judgment.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import contextlib
import difflib
import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile
from pathlib import Path
from random import Random
from typing import NamedTuple

from .support.jobs import prepare

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "stablegraph"
LONGEST = 150  # seconds, for the tests of a folder
MAX_MEMORY = 6 << 30  # bytes: an infinite loop may fill a list

VERIFIERS = [  # tests of verifiers in the test files of other modules
    "tests/coarsening/test_aggregation.py::test_the_sentence_names_the_vertices",
    "tests/coarsening/test_aggregation.py::test_verifier_on_any_labels",
    "tests/coloring/test_coloring.py::test_the_verifier",
    "tests/coloring/test_coloring.py::test_the_verifier_names_the_culprits",
    "tests/components/test_components.py::test_the_sentence_names_the_vertices",
    "tests/forest/test_forest.py::test_verifiers_refuse_one_change",
    "tests/forest/test_forest.py::test_verifiers_name_the_culprit",
    "tests/forest/test_forest.py::test_verifiers_refuse_what_is_no_forest",
    "tests/components/test_strong.py::test_the_verifier_names_the_culprits",
    "tests/traversal/test_traversal.py::test_the_sentence_names_the_vertex",
]
ROOMS = {  # the files that are changed, and the tests that should fail
    "verify": (["verify/*.py"], ["tests/verify", *VERIFIERS, "tests/fuzz/test_short_runs.py"]),
    "graph": (
        ["graph.py", "conversion.py", "_core/csr/merge.py"],
        ["tests/graph", "tests/interface/test_arguments.py", "tests/fuzz/test_short_runs.py"],
    ),
    "io": (["io/*.py"], ["tests/io", "tests/fuzz/test_fuzz.py::test_damaged_files"]),
}

COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


class Mutant(NamedTuple):
    """A module, the line that is changed, and the complete mutated source."""

    path: Path
    line: int
    source: str


def changes(node: ast.AST) -> Iterator[Callable[[], None]]:
    """Yield all changes to a node; each changes it in place."""
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                for other in COMPARISONS.get(type(op), []):
                    yield lambda place=place, other=other: ops.__setitem__(place, other())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in OPERATORS and not _is_text(node):
            yield lambda: setattr(node, "op", OPERATORS[type(node.op)]())
        case ast.BoolOp():
            yield lambda: setattr(node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield lambda: _become(node, node.operand)
        case ast.Constant(value=bool()):
            yield lambda: setattr(node, "value", not node.value)
        case ast.Constant(value=int()):
            yield lambda: setattr(node, "value", node.value + 1)
            yield lambda: setattr(node, "value", node.value - 1)
        case ast.If() | ast.While() | ast.IfExp():
            yield lambda: setattr(node, "test", ast.Constant(False))
            if not isinstance(node, ast.While):
                yield lambda: setattr(node, "test", ast.Constant(True))
        case ast.Expr(value=ast.Call()):
            yield lambda: setattr(node, "value", ast.Constant(None))
        case ast.Continue():
            yield lambda: _become(node, ast.Pass())
        case ast.Slice() if node.lower is not None and node.upper is not None:
            yield lambda: setattr(node, "lower", None)


def _is_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(node)
    )


def _become(node: ast.AST, other: ast.AST) -> None:
    """Replace a node by another one in place."""
    node.__class__ = other.__class__
    node.__dict__.update(other.__dict__)


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are executed: neither annotations nor error messages."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.arg)):
            continue
        if isinstance(child, ast.AnnAssign):
            yield from _code(ast.Expr(child.value)) if child.value else ()
            continue
        yield child
        if isinstance(child, ast.FunctionDef):
            child = ast.Module([*child.decorator_list, *child.args.defaults, *child.body], [])
        yield from _code(child)


def places_of(path: Path) -> Iterator[tuple[Path, int, int]]:
    """Yield the possible changes of a module: the number of a node, and of one of its changes."""
    for place, node in enumerate(_code(ast.parse(path.read_text()))):
        for which in range(len(list(changes(node)))):
            yield path, place, which


def mutant_at(path: Path, place: int, which: int) -> Mutant:
    """Return the mutant with this change."""
    tree = ast.parse(path.read_text())
    node = next(islice(_code(tree), place, None))
    line = getattr(node, "lineno", 0)
    list(changes(node))[which]()
    return Mutant(path, line, ast.unparse(ast.fix_missing_locations(tree)))


def sampled(room: str, count: int, random: Random) -> list[Mutant]:
    """Return `count` mutants of a folder's modules, or all."""
    paths = sorted(path for pattern in ROOMS[room][0] for path in PACKAGE.glob(pattern))
    places = [place for path in paths for place in places_of(path)]
    return [mutant_at(*place) for place in random.sample(places, min(count, len(places)))]


def shown(mutant: Mutant) -> str:
    """Return the lines that differ."""
    before = ast.unparse(ast.parse(mutant.path.read_text())).splitlines()
    lines = difflib.unified_diff(before, mutant.source.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


class Trial(NamedTuple):
    """A child process that runs the tests of a folder on a copy of the package, mutated or unchanged."""

    room: str
    mutant: Mutant | None
    folder: Path
    child: int
    started: float


def started(room: str, mutant: Mutant | None, folder: Path) -> Trial:
    """Write a mutant into the package in `folder`, and run the tests of its folder on it."""
    if mutant is not None:
        target = folder / "src" / "stablegraph" / mutant.path.relative_to(PACKAGE)
        target.write_text(mutant.source)
        for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*"):
            compiled.unlink()
    child = os.fork()
    if not child:
        _test(room, folder)
    return Trial(room, mutant, folder, child, time.monotonic())


def ended(trial: Trial) -> str | None:
    """Return the outcome of a trial that has ended or taken too long, and restore the package in its folder."""
    child, code = os.waitpid(trial.child, os.WNOHANG)
    how = ("killed" if code else "survived") if child else None
    if how is None and time.monotonic() - trial.started > LONGEST:
        end(trial)
        how = "took too long"
    if how is not None and trial.mutant is not None:
        target = trial.folder / "src" / "stablegraph" / trial.mutant.path.relative_to(PACKAGE)
        target.write_text(trial.mutant.path.read_text())
    return how


def end(trial: Trial) -> None:
    """End a child process and its descendants."""
    with contextlib.suppress(ProcessLookupError):  # it has no process group yet, or has ended
        os.killpg(trial.child, signal.SIGKILL)
    os.kill(trial.child, signal.SIGKILL)
    os.waitpid(trial.child, 0)


def _test(room: str, folder: Path) -> None:
    """Run the tests of a folder and exit: 0 if all pass."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder / "src"))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    import pytest

    arguments = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not slow"]
    arguments += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # the parent has imported a plugin
    arguments += [
        f"--basetemp={folder / 'temporary'}",
        "--ignore-glob=*_cuda.py",
    ]  # emulated tests take half the time
    try:
        code = int(pytest.main([*arguments, *ROOMS[room][1]]))
    except BaseException:
        code = 1
    tested = getattr(sys.modules.get("stablegraph"), "__file__", "")
    os._exit(code if Path(tested).is_relative_to(folder) else 1)


def trials(queue: Iterable[tuple[str, Mutant | None]], folders: list[Path]) -> Iterator[tuple[Trial, str]]:
    """Run a trial per folder at a time, and yield the outcomes; no child remains after an error."""
    queue, running = iter(queue), list[Trial]()
    try:
        while True:
            free = set(folders) - {trial.folder for trial in running}
            running += [started(*job, folder) for folder, job in zip(sorted(free), queue, strict=False)]
            if not running:
                return
            for trial in running[:]:
                how = ended(trial)
                if how is not None:
                    running.remove(trial)
                    yield trial, how
            time.sleep(0.02)
    finally:
        for trial in running:
            end(trial)


def load_libraries() -> None:
    """Import the libraries that the children need, except for those that import the package (as NetworkX does)."""
    for name in ("hypothesis", "pytest", "scipy.io", "scipy.sparse.csgraph", "pyarrow.parquet"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def link_or_copy(source: str, target: str) -> None:
    """Link a file that is never changed in place, such as a compiled object, or copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def copies(parent: Path, jobs: int) -> list[Path]:
    """Make folders, each with a copy of the source tree and of the objects that were compiled in it."""
    folders = [parent / str(job) for job in range(jobs)]
    for folder in folders:
        for name in ("src", "build_kernels", "build/kernels"):
            if (ROOT / name).exists():
                ignored = shutil.ignore_patterns(".*", "wheels", "*.library", "gpu")
                copy = link_or_copy if name == "build/kernels" else shutil.copy2
                shutil.copytree(ROOT / name, folder / name, ignore=ignored, copy_function=copy)
        compileall.compile_dir(folder / "src", quiet=1)
    return folders


def _report(trial: Trial, how: str, counts: str | None) -> None:
    """Print a survivor; add a line to the file of counts, if one is requested."""
    where = f"{trial.mutant.path.relative_to(PACKAGE)}:{trial.mutant.line}"
    if how == "survived":
        print(f"{where}\n{shown(trial.mutant)}\n", flush=True)
    if counts:
        line = {"where": where, "change": shown(trial.mutant), "ended": how}
        with open(counts, "a") as file:
            print(json.dumps(line | {"seconds": round(time.monotonic() - trial.started, 1)}), file=file)


def main() -> int:
    """Print the survivors and their number."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=30, help="how many (30)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no further one after so long")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other mutants (0)")
    parser.add_argument("--only", choices=ROOMS, help="of one room")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of mutants at a time (1)")
    parser.add_argument("--counts", metavar="FILE", help="add a JSON line there for each mutant")
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    rooms = [arguments.only] if arguments.only else list(ROOMS)
    queue = [(room, mutant) for room in rooms for mutant in sampled(room, arguments.count // len(rooms), random)]
    random.shuffle(queue)
    os.chdir(ROOT)
    prepare()
    load_libraries()
    counts: Counter[str] = Counter()
    subprocess.run([sys.executable, "-m", "build_kernels"], check=True)
    with tempfile.TemporaryDirectory() as name:
        folders = copies(Path(name), arguments.jobs)
        with contextlib.closing(trials([(room, None) for room in rooms], folders)) as unchanged:
            for trial, how in unchanged:
                if how != "survived":
                    parser.exit(2, f"the tests of {trial.room} fail without any change, or take too long\n")
        last = time.monotonic() + arguments.seconds
        timed = takewhile(lambda _: time.monotonic() < last, queue)
        with contextlib.closing(trials(timed, folders)) as changed:
            for trial, how in changed:
                counts[how] += 1
                _report(trial, how, arguments.counts)
    print(f"{counts.total()} mutants, {counts['survived']} survived, {counts['took too long']} took too long")
    return 0


if __name__ == "__main__":
    sys.exit(main())
