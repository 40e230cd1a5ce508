"""The instructions of ten calls with one thread, compared with stored counts: a change of more than 3 % is an error.

    python -m tests.trend            compare with tests/trend.tsv (needs valgrind; about two minutes)
    python -m tests.trend --write    store the counts

Instructions do not depend on the load of the machine: repeated runs differ by less than 0.5 %. Callgrind counts those
of the second call of each function: the process switches it on and off by ``callgrind_control``, and the instructions
of an empty call are subtracted.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_suffix(".tsv")
ALLOWED = 0.03
VALGRIND = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet")


def calls() -> dict[str, Callable[[], Any]]:
    """Return the calls by name, with their graphs."""
    import numpy as np
    import scipy.sparse as sp

    import stablegraph as sg
    from stablegraph import gallery

    graph, grid = gallery.uniform_random(200_000, 4, seed=0), gallery.grid((500, 500))
    matrix, A = sp.csr_array(graph.to_scipy()), gallery.laplacian((80, 80))
    directed, b = gallery.with_directions(graph), np.ones(A.shape[0])
    weights = np.random.default_rng(0).random(matrix.nnz)
    weighted = sp.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)
    heavy = sg.as_graph(weighted.maximum(weighted.T.tocsr()))
    return {
        "as_graph": lambda: sg.as_graph(matrix, weights=False),
        "maximal_independent_set": lambda: sg.maximal_independent_set(graph),
        "maximal_independent_set, distance 2": lambda: sg.maximal_independent_set(grid, 2),
        "vertex_coloring": lambda: sg.vertex_coloring(graph),
        "connected_components": lambda: sg.connected_components(graph),
        "strongly_connected_components": lambda: sg.strongly_connected_components(directed),
        "breadth_first_search": lambda: sg.breadth_first_search(grid, 0),
        "minimum_spanning_forest": lambda: sg.minimum_spanning_forest(heavy),
        "aggregate": lambda: sg.aggregate(grid),
        "smoothed_aggregation and solve": lambda: sg.smoothed_aggregation(A).solve(b),
    }


def call_all() -> None:
    """Make each call twice, and count the second time; print its name. This runs in valgrind."""
    gc.disable()
    for name, call in {"nothing": lambda: None, **calls()}.items():
        call()
        for step in ("--zero", "--instr=on", "", "--instr=off", "--dump"):
            if step:
                subprocess.run(["callgrind_control", step, str(os.getpid())], check=True, stdout=subprocess.DEVNULL)
            else:
                call()
        print(name, flush=True)


def counts() -> dict[str, int]:
    """Return the instructions of each call."""
    fixed = {"PYTHONHASHSEED": "0", "STABLEGRAPH_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*VALGRIND, f"--callgrind-out-file={folder}/out", sys.executable, "-m", "tests.trend", "--call"],
            env=os.environ | fixed,
            capture_output=True,
            text=True,
        )
        names = done.stdout.splitlines()
        files = [Path(folder, f"out.{k + 1}") for k in range(len(names))]
        if done.returncode or not names:
            raise SystemExit(f"valgrind has ended with status {done.returncode}: {done.stderr[-500:]}")
        texts = [file.read_text(encoding="utf-8") for file in files]
    totals = [int(re.findall(r"^totals: (\d+)", text, re.MULTILINE)[-1]) for text in texts]
    return {name: total - totals[0] for name, total in list(zip(names, totals, strict=True))[1:]}


def stored() -> dict[str, int]:
    """Return the stored counts."""
    rows = (line.split("\t") for line in STORED.read_text(encoding="utf-8").splitlines() if line[0] != "#")
    return {name: int(count) for name, count in rows}


def changes(found: dict[str, int], known: dict[str, int]) -> list[str]:
    """Return a line for each call whose count has changed by more than the limit, or is missing."""
    wrong = [f"{name}: no count" for name in known.keys() ^ found.keys()]
    for name in known.keys() & found.keys():
        ratio = found[name] / known[name]
        if abs(ratio - 1) > ALLOWED:
            wrong.append(
                f"{name}: {known[name]:,} instructions before, {found[name]:,} now, {100 * (ratio - 1):+.1f} %"
            )
    return sorted(wrong)


def main(arguments: list[str]) -> int:
    """Compare or store the counts; return 1 if a call has changed."""
    parser = argparse.ArgumentParser(prog="python -m tests.trend")
    parser.add_argument("--write", action="store_true", help="store the counts instead of comparing them")
    parser.add_argument("--call", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.call:
        call_all()
        return 0
    if not shutil.which("valgrind"):
        print("not run: valgrind is not installed")
        return 0
    found = counts()
    if options.write:
        rows = "".join(f"{name}\t{count}\n" for name, count in found.items())
        STORED.write_text(f"# Instructions of the second call, with one thread: python -m tests.trend --write\n{rows}")
        return 0
    wrong = changes(found, stored())
    print("\n".join(wrong or [f"{len(found)} calls have their instructions, within {100 * ALLOWED:g} %"]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
