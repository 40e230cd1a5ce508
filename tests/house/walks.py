"""Count what a reader must follow through the code: several walks, each the second call of a warm process.

    python -m tests.house.walks [WALK ...] [--files]

For each walk it prints the number of files of the package that are entered, of different functions, of calls, of
changes of file between successive calls, and of kernel launches. ``--files`` lists the files with their calls. Only
calls on the calling thread are counted: for the partitioned graph these are the ones on the client. To count another
tree, put its folder src first in PYTHONPATH.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import stablegraph as sg

PACKAGE = f"{Path(sg.__file__).parent}{os.sep}"


class Walk(NamedTuple):
    """The calls of functions of the package during one call."""

    calls: list[CodeType]

    @property
    def files(self) -> Counter[str]:
        """Return the entered files, with their numbers of calls."""
        return Counter(code.co_filename.removeprefix(PACKAGE) for code in self.calls)

    @property
    def changes_of_file(self) -> int:
        """Return how often a call is in another file than the call before it."""
        names = [code.co_filename for code in self.calls]
        return sum(a != b for a, b in pairwise(names))

    @property
    def launches(self) -> int:
        """Return the number of kernel launches."""
        return sum(code.co_qualname == "Kernel.__call__" for code in self.calls)

    def row(self) -> tuple[int, int, int, int, int]:
        """Return the numbers of files, functions, calls, changes of file and launches."""
        return len(self.files), len(set(self.calls)), len(self.calls), self.changes_of_file, self.launches


def trace(call: Callable[[], object]) -> Walk:
    """Run a call once to warm up, and record the calls of the second run."""
    call()
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            calls.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Walk(calls)


@contextmanager
def independent_set() -> Iterator[Callable[[], object]]:
    """`maximal_independent_set` of a SciPy matrix with 90,000 rows."""
    matrix = sg.gallery.laplacian((300, 300))
    yield lambda: sg.maximal_independent_set(matrix)


@contextmanager
def coloring() -> Iterator[Callable[[], object]]:
    """`vertex_coloring` of the same matrix."""
    matrix = sg.gallery.laplacian((300, 300))
    yield lambda: sg.vertex_coloring(matrix)


@contextmanager
def components() -> Iterator[Callable[[], object]]:
    """`connected_components` of the same matrix, for comparison."""
    matrix = sg.gallery.laplacian((300, 300))
    yield lambda: sg.connected_components(matrix)


@contextmanager
def communities() -> Iterator[Callable[[], object]]:
    """`communities` of a graph with 10,000 vertices."""
    graph = sg.gallery.grid((100, 100))
    yield lambda: sg.communities(graph)


@contextmanager
def multigrid() -> Iterator[Callable[[], object]]:
    """`smoothed_aggregation(A).solve(b)` for the same matrix."""
    matrix, b = sg.gallery.laplacian((300, 300)), np.ones(90_000)
    yield lambda: sg.smoothed_aggregation(matrix).solve(b)


@contextmanager
def solve() -> Iterator[Callable[[], object]]:
    """Only the solution of the same system."""
    hierarchy, b = sg.smoothed_aggregation(sg.gallery.laplacian((300, 300))), np.ones(90_000)
    yield lambda: hierarchy.solve(b)


@contextmanager
def partitions() -> Iterator[Callable[[], object]]:
    """`connected_components` of a graph in three partitions on a Dask worker, on the client's side."""
    client = import_module("distributed").Client
    with client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as connected:
        graph = sg.distributed.from_graph(sg.gallery.grid((300, 300)), partitions=3, client=connected)
        yield lambda: sg.connected_components(graph)


@contextmanager
def command_line() -> Iterator[Callable[[], object]]:
    """`stablegraph components friends.csv -o out.csv` for a table of three edges."""
    main = import_module("stablegraph.cli").main
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "friends.csv")
        table.write_text("source,target\nann,bob\nbob,cy\ndan,eve\n", encoding="utf-8")
        out = table.with_name("out.csv")
        arguments = ["components", str(table), "-o", str(out)]

        def call() -> None:
            out.unlink(missing_ok=True)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                main(arguments)
            assert out.exists()

        yield call


WALKS = {
    walk.__name__: walk
    for walk in (independent_set, coloring, components, communities, multigrid, solve, partitions, command_line)
}


def main() -> None:
    """Print one line per walk."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.walks", description=__doc__)
    parser.add_argument("walks", nargs="*", metavar="WALK", help=f"{', '.join(WALKS)}; all by default")
    parser.add_argument("--files", action="store_true", help="also list the files with their numbers of calls")
    chosen = parser.parse_args()
    print(PACKAGE)
    print(f"{'walk':16}{'files':>8}{'functions':>11}{'calls':>8}{'changes of file':>17}{'launches':>10}", flush=True)
    for name in chosen.walks or WALKS:
        with WALKS[name]() as call:
            walk = trace(call)
        print("{:16}{:8,}{:11,}{:8,}{:17,}{:10,}".format(name, *walk.row()), flush=True)
        if chosen.files:
            print(*(f"    {count:6,} {file}" for file, count in walk.files.most_common()), sep="\n", flush=True)


if __name__ == "__main__":
    main()
