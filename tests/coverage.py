"""Coverage of the package by the tests: lines and branches, including kernels, as a table by folder.

    python -m tests.coverage --jobs 16          all quick tests; minutes on 16 cores, an hour on two
    python -m tests.coverage tests/io           only these tests
    python -m tests.coverage --report           the table of the earlier runs
    coverage html                               afterwards: every line, in htmlcov/

Each test file runs in a separate process. Compiled code cannot be traced, so kernels count where they run as Python:
under `use_target("python")` in many tests, and in the files of `INTERPRETED`, which run a second time without a
compiler. Code that a child process of a test runs is counted, too. Several runs are combined until `.coverage` is
deleted.

The exit code is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 300  # seconds for a file, after which no further test begins
INTERRUPTED = 2  # exit code of pytest in this case
INTERPRETED = [  # mostly on small graphs
    "tests/fuzz/test_fuzz.py",
    "tests/independent_set/test_oracles.py",
    "tests/independent_set/test_distance_two.py",
    "tests/coloring/test_coloring.py",
    "tests/coloring/test_reduce.py",
    "tests/traversal/test_traversal.py",
    "tests/coarsening/test_aggregation.py",
    "tests/derivatives/test_plans.py",
    "tests/solvers/test_gauss_seidel.py",
    "tests/runtime/test_primitives.py",
    "tests/io/test_parser.py",
    "tests/io/test_broken_files.py",
    "tests/graph/test_from_edges.py",
    "tests/graph/test_merge.py",
    "tests/distributed/test_equal_answers.py",
    "tests/distributed/test_forest.py",
    "tests/distributed/test_messages.py",
]


def files_of(paths: list[str]) -> list[str]:
    """Return the test files in these folders, the longest text first: it usually has the most tests."""
    result = []
    for path in map(ROOT.joinpath, paths):
        result += [path] if path.is_file() else path.rglob("test_*.py")
    return [str(path.relative_to(ROOT)) for path in sorted(set(result), key=lambda path: -path.stat().st_size)]


def measure(folder: str, part: tuple[str, bool]) -> str:
    """Run the tests of a file, compiled or interpreted; return what went wrong, or an empty string."""
    file, interpreted = part
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    data = Path(os.environ.get("COVERAGE_FILE", ".coverage")).name  # the name that `combine` looks for
    environment |= {"COVERAGE_FILE": f"{folder}/{data}", **({"STABLEGRAPH_TARGET": "python"} if interpreted else {})}
    environment["PYTEST_SECONDS"] = str(LONGEST)
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-p", "tests.support.time_limit", *(["-k", "not threads and not larger"] if interpreted else [])]
    started = time.monotonic()
    done = subprocess.run([*command, file], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    how = f"{file}{' as Python' if interpreted else ''}, {time.monotonic() - started:.0f} s"
    print(f"{how}: exit code {done.returncode}", flush=True)
    if done.returncode == INTERRUPTED:
        return f"{how}: not all of its tests, as they take too long"
    return "" if done.returncode in (0, 5) else f"{how}:\n{done.stdout[-3000:]}"  # 5: all of its tests are slow


def table(measured: dict) -> str:
    """Return lines and branches of each folder, from coverage's JSON report."""
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for path, file in measured["files"].items():
        parts = Path(path).parts[2:]
        summary = file["summary"]
        numbers = [summary[name] for name in ("covered_lines", "num_statements", "covered_branches", "num_branches")]
        for room in (parts[0] if len(parts) > 1 else "files outside of folders", "all"):
            rooms[room] = [old + new for old, new in zip(rooms[room], numbers, strict=True)]
    lines = [f"{'room':24} {'lines':>7} {'run':>7} {'branches':>9} {'run':>7}"]
    for room, (covered, statements, taken, branches) in sorted(rooms.items(), key=lambda room: room[0] == "all"):
        share = f"{covered / max(statements, 1):7.1%} {branches:9} {taken / branches if branches else 1:7.1%}"
        lines.append(f"{room:24} {statements:7} {share}")
    return "\n".join(lines)


def main() -> int:
    """Run the tests, and print the coverage."""
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument("paths", nargs="*", help="files and folders of tests (tests)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at a time (1)")
    parser.add_argument("--report", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    coverage = partial(subprocess.run, check=True)
    failures = []
    if not arguments.report:
        compiled = files_of(arguments.paths or ["tests"])
        parts = [(file, True) for file in INTERPRETED if file in compiled] + [(file, False) for file in compiled]
        with tempfile.TemporaryDirectory() as folder:
            with ThreadPoolExecutor(arguments.jobs) as pool:
                failures = [output for output in pool.map(partial(measure, folder), parts) if output]
            coverage([sys.executable, "-m", "coverage", "combine", "--append", "--quiet", folder])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        coverage([sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(report)])
        print(table(json.loads(report.read_text())))
    print(*failures, sep="\n")
    return int(bool(failures))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
