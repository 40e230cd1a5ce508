"""Compare test suites on the same mutants: each mutant runs a complete suite in a copy of its tree, up to a time limit.

    python -m tests.suite_mutants --tree ../before --label before --results mutants.tsv --count 100 --seed 35 --jobs 16
    python -m tests.suite_mutants --tree . --label after --results mutants.tsv --count 100 --seed 35 --jobs 16
    python -m tests.suite_mutants --summary --results mutants.tsv

A mutant has one change in one Python file of `src/stablegraph`, made as in `tests.mutants`. It depends only on the
seed, the count and the source, so the trees must have equal sources. The test files named after the changed file or its
folder run first, then the other files: short ones first, if a file with durations (path, seconds) is given. A changed
kernel is compiled again; if Numba is not installed, the kernels run as Python for this mutant. Mutated files lose their
comments and their line breaks, so tests of the source text do not run.

The results file gets a line for each mutant: label, number, file, line, outcome, seconds, test, change. The outcomes
are *killed* (by this test, or because the tests cannot be collected), *hangs* (the time was up in a test that had taken
more than 60 s), *survived* (all tests passed), and *not finished* (the time was up). Mutants that already have a line
are skipped, so that a campaign can be divided into several sittings.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from random import Random

from .mutants import Mutant, link_or_copy, mutant_at, places_of, shown

_LIMIT = 150  # seconds of processor time for a mutant
_MAX_WAIT = 6  # limits of wall time, on a machine with other work or for a test that only waits
_LONG_TEST = 60  # seconds after which a test counts as an endless loop
_COPIED = (
    "src",
    "tests",
    "build_kernels",
    "build/kernels",
    "docs",
    "examples",
    "benchmarks",
    "conda",
    ".ci",
    ".github",
)
_NOT_COPIED = shutil.ignore_patterns("__pycache__", "wheels", "*.library", "gpu", ".hypothesis")
_TESTS_OF_TEXT = ("test_algorithms_page.py", "test_english.py")
_PLUGIN = """
import os, time

def pytest_runtest_logstart(nodeid, location):
    with open(os.environ["CURRENT_TEST"], "w") as file:
        file.write(f"{time.monotonic()} {nodeid}")
"""


def sampled(package: Path, count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants of the modules of a package."""
    paths = sorted(path for path in package.rglob("*.py") if path.name != "_version.py")
    places = [place for path in paths for place in places_of(path)]
    return [mutant_at(*place) for place in Random(seed).sample(places, min(count, len(places)))]


def copy_tree(tree: Path, folder: Path) -> None:
    """Copy the files that the tests of a tree use."""
    for name in _COPIED:
        if (tree / name).is_dir():
            copy = link_or_copy if name == "build/kernels" else shutil.copy2
            shutil.copytree(tree / name, folder / name, ignore=_NOT_COPIED, copy_function=copy)
    for path in tree.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, folder / path.name)


def ordered_files(tree: Path, changed: str, durations: dict[str, float]) -> list[str]:
    """Return the test files of a tree: first those named after the changed file or its folders, then short ones."""
    words = {word for word in re.split(r"\W+|_cuda", changed.removesuffix(".py")) if len(word) > 2}

    def rank(path: Path) -> tuple[bool, float, str]:
        name = path.relative_to(tree).as_posix()
        return not words & set(re.split(r"[/.]|test_|_cuda", name)), durations.get(name, 1.0), name

    files = (path for path in (tree / "tests").rglob("test_*.py") if path.name not in _TESTS_OF_TEXT)
    return [path.relative_to(tree).as_posix() for path in sorted(files, key=rank)]


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process and of its children that have ended; 0 on systems without /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def run_suite(folder: Path, changed: str, durations: dict[str, float], limit: float) -> tuple[str, str]:
    """Run the tests in a copied tree until one fails; return the outcome, and the test that determined it."""
    started = time.monotonic()
    paths = [str(folder / "src"), str(folder / "plugin"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "CURRENT_TEST": str(folder / "current")}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    if (folder / "build_kernels").exists():
        build = subprocess.run(
            [sys.executable, "-m", "build_kernels"], cwd=folder, env=environment, capture_output=True
        )
        if build.returncode and importlib.util.find_spec("numba"):
            return "killed", "build_kernels"
        if build.returncode:
            environment["STABLEGRAPH_TARGET"] = "python"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "current_test"]
    command += [f"--basetemp={folder / 'temporary'}"]
    command += ["--tb=no", "-o", "addopts=", "-m", "not slow", "-rfE", *ordered_files(folder, changed, durations)]
    output = folder / "output"
    with output.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=file, stderr=file, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        while (code := process.poll()) is None:
            if processor_seconds(process.pid) > limit or time.monotonic() - started > _MAX_WAIT * limit:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                since, _, test = (folder / "current").read_text().partition(" ")
                return ("hangs" if time.monotonic() - float(since or 0) > _LONG_TEST else "not finished"), test
            time.sleep(0.2)
    result = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", output.read_text(errors="replace"), re.MULTILINE)
    if code == 0:
        return "survived", ""
    return "killed", result[1] if result else f"exit code {code}"


def try_mutant(folder: Path, tree: Path, mutant: Mutant, durations: dict[str, float], limit: float) -> tuple[str, str]:
    """Write a mutant into a copied tree, run the suite, and restore the file."""
    name = mutant.path.relative_to(tree)
    (folder / name).write_text(mutant.source, encoding="utf-8")
    (folder / "current").write_text("")
    try:
        return run_suite(folder, mutant.path.relative_to(tree / "src").as_posix(), durations, limit)
    finally:
        shutil.copy(mutant.path, folder / name)


def summary(results: Path) -> str:
    """Return the number of mutants by outcome for each label, and the mutants with different outcomes."""
    outcomes: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for line in results.read_text(encoding="utf-8").splitlines():
        label, number, *fields = line.split("\t")
        outcomes[label][number] = fields
    lines = []
    for label, rows in outcomes.items():
        counts = Counter(row[2] for row in rows.values())
        lines.append(f"{label}: {len(rows)} mutants; " + ", ".join(f"{n} {how}" for how, n in counts.most_common()))
    common = sorted(set.intersection(*(set(rows) for rows in outcomes.values())), key=int) if outcomes else []
    lines.append(f"{len(common)} mutants have been tried by all suites")
    for number in common:
        result = {label: rows[number] for label, rows in outcomes.items()}
        if len({row[2] in ("killed", "hangs") for row in result.values()}) > 1:
            lines.append(
                f"  {number}: " + "; ".join(f"{label} {row[2]} {row[4]}" for label, row in result.items())
                + f": {next(iter(result.values()))[0]}:{next(iter(result.values()))[1]}"
            )  # fmt: skip
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants that have no line yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite_mutants", description=__doc__)
    parser.add_argument("--tree", type=Path, default=Path.cwd(), help="the repository whose suite runs (this one)")
    parser.add_argument("--label", default="suite", help="the name of the suite in the results")
    parser.add_argument("--results", type=Path, required=True, help="the file that gets a line for each mutant")
    parser.add_argument("--count", type=int, default=100, help="number of mutants (100)")
    parser.add_argument("--first", type=int, help="try only the first mutants of these (all)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other mutants (0)")
    parser.add_argument("--jobs", type=int, default=1, help="number of mutants at a time (1)")
    parser.add_argument(
        "--limit", type=float, default=_LIMIT, help=f"seconds of processor time for a mutant ({_LIMIT})"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no further mutant after this time")
    parser.add_argument("--durations", type=Path, help="a file with the seconds of test files: path, seconds")
    parser.add_argument("--summary", action="store_true", help="print a summary of the results, and try nothing")
    chosen = parser.parse_args(arguments)
    if chosen.summary:
        print(summary(chosen.results))
        return 0
    tree, end = chosen.tree.resolve(), time.monotonic() + chosen.seconds
    durations = {}
    if chosen.durations:
        rows = (line.split("\t") for line in chosen.durations.read_text(encoding="utf-8").splitlines())
        durations = {name: float(seconds) for name, seconds in rows}
    lines = chosen.results.read_text(encoding="utf-8").splitlines() if chosen.results.exists() else []
    done = {int(line.split("\t")[1]) for line in lines if line.split("\t")[0] == chosen.label}
    mutants = sampled(tree / "src" / "stablegraph", chosen.count, chosen.seed)[: chosen.first]
    free, writing = Queue[Path](), threading.Lock()

    def work(number: int) -> None:
        if time.monotonic() > end:
            return
        folder, mutant, started = free.get(), mutants[number], time.monotonic()
        try:
            outcome, test = try_mutant(folder, tree, mutant, durations, chosen.limit)
        finally:
            free.put(folder)
        change = shown(mutant).replace("\n", " | ").replace("\t", " ")
        fields = [chosen.label, number, mutant.path.relative_to(tree), mutant.line, outcome]
        fields += [f"{time.monotonic() - started:.0f}", test, change]
        with writing, chosen.results.open("a", encoding="utf-8") as file:
            print(*fields, sep="\t", file=file, flush=True)

    with tempfile.TemporaryDirectory(prefix="mutants-") as name, ThreadPoolExecutor(chosen.jobs) as pool:
        for job in range(chosen.jobs):
            folder = Path(name) / str(job)
            copy_tree(tree, folder)
            (folder / "plugin").mkdir()
            (folder / "plugin" / "current_test.py").write_text(_PLUGIN, encoding="utf-8")
            free.put(folder)
        list(pool.map(work, [number for number in range(len(mutants)) if number not in done]))
    print(summary(chosen.results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
