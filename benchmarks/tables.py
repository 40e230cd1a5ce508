"""Tables from raw lines: the result of a case, times in edge sweeps, machines and commits.

If a case was measured more than once, the tables show the median over the lines that were measured while the two cores
were near each other (the round trip of a cache line takes less than 200 ns). † marks a result with several threads that
has no such line.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]
NEAR = 200.0  # nanoseconds


def read_lines(path: Path) -> list[Line]:
    """Return all measurements of a file; none if there is no such file."""
    if not path.exists():
        return []
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines() if text]


def is_near(line: Line) -> bool:
    """Return whether the two cores were near each other before the runs."""
    return (line["round_trip_ns"] or NEAR) < NEAR


class Figure:
    """The result of one case: from the lines of the near state, or from all lines if there are none."""

    def __init__(self, lines: list[Line]) -> None:
        near = [line for line in lines if is_near(line)]
        self.lines = near or lines
        self.mark = "†" if lines[0]["threads"] > 1 and not near else ""
        self.sweeps = statistics.median(line["sweeps"]["median"] for line in self.lines)
        self.seconds = statistics.median(line["seconds"]["median"] for line in self.lines)
        self.least = min(line["seconds"]["min"] for line in self.lines)
        self.quality = self.lines[-1]["quality"]

    @property
    def time(self) -> str:
        """Format the time in sweeps, marked if the cores were far."""
        value = self.sweeps
        digits = f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
        return digits + self.mark

    def __str__(self) -> str:
        size = self.quality.get("size", self.quality.get("colors"))
        return self.time + (f" ({size:,})" if size is not None else "")


def figures(lines: Iterable[Line]) -> dict[tuple[str, int, str], Figure]:
    """Return the results by (algorithm, threads, graph)."""
    groups: dict[tuple[str, int, str], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line["algorithm"], line["threads"], line["graph"]].append(line)
    return {key: Figure(group) for key, group in groups.items()}


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Make a table; all columns except for the first contain numbers."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ruler, *rows])


def in_order(names: Iterable[Any]) -> list[Any]:
    """Return each name once, in the order of first appearance."""
    return list(dict.fromkeys(names))


def graphs_in(lines: Iterable[Line]) -> dict[str, int]:
    """Return the graphs and their numbers of vertices, in the order of first appearance."""
    sizes: dict[str, int] = {}
    for line in lines:
        sizes.setdefault(line["graph"], line["n"])
    return sizes


def thr(count: int) -> str:
    return f"{count} thr"


def threads_in_words(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def table_of_times(
    lines: list[Line],
    head: str = "time in edge sweeps",
    sweeps_of: list[Line] | None = None,
    threads: Callable[[int], str] = thr,
) -> str:
    """Make a table of times in edge sweeps: one row per algorithm and number of threads, one column per graph.

    The last row has the time of a sweep, in these lines or those in `sweeps_of`.
    """
    shown = figures(lines)
    graphs = in_order(graph for _, _, graph in shown)
    rows = []
    for algorithm, count in in_order((algorithm, count) for algorithm, count, _ in shown):
        cells = (shown.get((algorithm, count, graph)) for graph in graphs)
        rows.append([f"{algorithm}, {threads(count)}", *(str(cell) if cell else "" for cell in cells)])
    return markdown([head, *graphs], [*rows, sweep_row(sweeps_of or lines, graphs)])


def sweep_row(lines: list[Line], graphs: list[str]) -> list[str]:
    """Return the last row of a table of times: the time of an edge sweep on each graph."""
    sweeps = [statistics.median(line["sweep"]["seconds"] for line in lines if line["graph"] == g) for g in graphs]
    return ["*one sweep*", *(f"{seconds * 1e3:.2f} ms" for seconds in sweeps)]


def provenance(lines: list[Line]) -> str:
    """Return machines, versions, days and commits, in one line."""
    machines = in_order(
        ", ".join(filter(None, (m["processor"], f"{m['processors']} processors", _software(m))))
        + "".join(f", {name} {version}" for name, version in m["peers"].items() if version != "missing")
        for m in (line["machine"] for line in lines)
    )
    commits = in_order(line["machine"].get("commit") for line in lines)
    days = sorted({line["time"][:10] for line in lines})
    at = f", commit {', '.join(known)}" if (known := [commit for commit in commits if commit]) else ""
    return "; ".join(machines) + f"; {days[0]}{f' to {days[-1]}' if len(days) > 1 else ''}{at}"


def _software(machine: dict[str, Any]) -> str:
    labels = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "cupy": "CuPy", "gpu": "GPU"}
    known = {labels[name]: machine.get(name, "none") for name in labels}
    return ", ".join(f"{name} {version}" for name, version in known.items() if version not in ("none", "available"))


def with_provenance(table: Callable[[list[Line]], str]) -> Callable[[list[Line]], str]:
    """Wrap a table function so that a paragraph about the machines follows."""
    return lambda lines: f"{table(lines)}\n\n{provenance(lines)}"


def under_headings(level: int, parts: dict[str, str]) -> str:
    """Join tables, each under a heading."""
    return "\n\n".join(f"{'#' * level} {head}\n\n{table}" for head, table in parts.items())
