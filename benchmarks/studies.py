"""What the studies after the papers' own measurements share: options, the file of their lines, the order of the work.

A study says which graphs it wants and what is to be measured on each; its tables and pictures are made from the lines
alone, of all runs that are in its file.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import stablegraph as sg

from .harness import Case, Harness
from .report import Line, figures, in_order, markdown, provenance, put_between_markers, read_lines, sweep_row

RESULTS = Path(__file__).parent / "results" / "studies"
Plan = Iterable[tuple[str, Callable[[], sg.Graph], Callable[[sg.Graph], Iterable[Case]]]]


def study_options(
    name: str,
    text: str,
    arguments: list[str] | None,
    add_options: Callable[[argparse.ArgumentParser], object] = lambda parser: None,
) -> argparse.Namespace:
    """What the command line of a study asks for; `text` is its module's, and `add_options` adds its own options."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=text.partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, help="a folder with MANIFEST.tsv and real graphs")
    parser.add_argument("--quick", action="store_true", help="small graphs; lines are only kept with -o")
    parser.add_argument("--graphs", help="only those that match one of these (G2,R4,'random 16 *',...)")
    parser.add_argument("--threads", type=lambda t: [int(count) for count in t.split(",")], default=[1, 2])
    parser.add_argument("--repeats", type=int, help="timed runs of a case (default 7, as in the paper; with --quick 1)")
    parser.add_argument(
        "-o", "--output", type=Path, help="append the lines to it (default: today's in results/studies)"
    )
    parser.add_argument("--from-lines", action="store_true", help="measure nothing, show the lines that are there")
    parser.add_argument("--page", type=Path, help="put tables (and pictures beside it) into this page")
    add_options(parser)
    options = parser.parse_args(arguments)
    options.threads = [count for count in options.threads if 1 <= count <= sg.num_threads()]
    if not options.threads:
        parser.error(f"--threads: there are 1 to {sg.num_threads()} here")
    if options.from_lines:
        options.output = options.output or max(RESULTS.glob(f"{name}-*.jsonl"), default=None)
        if options.output is None:
            parser.error("there are no lines yet; measure first")
    elif not options.quick:
        options.output = options.output or RESULTS / f"{name}-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    return options


def lines_of(options: argparse.Namespace, plan: Plan, yardsticks_last: float = 0.0) -> list[Line]:
    """Measure what is asked for, and give all lines that are there then; ends the process if an answer was wrong."""
    if options.from_lines:
        return read_lines([options.output])
    wanted = options.graphs.split(",") if options.graphs else ["*"]
    with tempfile.TemporaryDirectory() as folder:
        file = options.output or Path(folder) / "lines.jsonl"
        harness = Harness(file, options.repeats or (1 if options.quick else 7), yardsticks_last=yardsticks_last)
        for name, graph_of, cases_on in plan:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted):
                graph = graph_of()
                for case in cases_on(graph):
                    harness.measure(name, graph, case)
        if harness.failures:
            sys.exit(1)
        return read_lines([file])


def table_of_times(lines: list[Line]) -> str:
    """Times in edge sweeps, one row an algorithm and number of threads, one column a graph."""
    shown = figures(lines)
    graphs = in_order(graph for _, _, graph in shown)
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown):
        cells = (shown.get((algorithm, threads, graph)) for graph in graphs)
        rows.append([f"{algorithm}, {threads} thr", *(str(cell) if cell else "" for cell in cells)])
    return markdown(["time in edge sweeps", *graphs], [*rows, sweep_row(lines, graphs)])


def measure_and_show(
    name: str, text: str, plan: Callable[[argparse.Namespace], Plan], arguments: list[str] | None
) -> None:
    """A study whose result is one table of times: measure, print the table, and on request put it into a page."""
    options = study_options(name, text, arguments)
    lines = lines_of(options, plan(options))
    table = f"{table_of_times(lines)}\n\n{provenance(lines)}"
    print(table)
    if options.page:
        put_between_markers(options.page, table, name)
