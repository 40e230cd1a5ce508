"""Tables from raw lines: times in edge sweeps with set sizes, speed-ups, and the rest.

    python -m benchmarks.report                             # every file in results/
    python -m benchmarks.report results.jsonl --readme README.md

With ``--readme`` the table of sets also takes the place between the markers of that file. Where a case was measured
more than once, the median is shown of the lines that were taken while the two cores were near each other (a cache line
goes there and back in less than 200 ns). † marks a figure of several threads for which there is no such line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]
NEAR = 200.0  # nanoseconds


def read_lines(paths: Iterable[Path]) -> list[Line]:
    """All measurements of some files."""
    return [json.loads(text) for path in paths for text in path.read_text(encoding="utf-8").splitlines() if text]


def is_near(line: Line) -> bool:
    """Whether the two cores were near each other before the runs."""
    return (line["round_trip_ns"] or NEAR) < NEAR


class Figure:
    """What is shown of one case: all of its lines, or those of the near state if there are any."""

    def __init__(self, lines: list[Line]) -> None:
        near = [line for line in lines if is_near(line)]
        self.lines = near or lines
        self.far = lines[0]["threads"] > 1 and not near
        self.sweeps = statistics.median(line["sweeps"]["median"] for line in self.lines)
        self.seconds = statistics.median(line["seconds"]["median"] for line in self.lines)
        self.least = min(line["seconds"]["min"] for line in self.lines)
        self.quality = self.lines[-1]["quality"]

    def __str__(self) -> str:
        size = self.quality.get("size", self.quality.get("colors"))
        return f"{_short(self.sweeps)}{'†' if self.far else ''}" + (f" ({size:,})" if size is not None else "")


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def figures(lines: list[Line]) -> dict[tuple[str, int, str], Figure]:
    """What is shown, by (algorithm, threads, graph)."""
    groups: dict[tuple[str, int, str], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line["algorithm"], line["threads"], line["graph"]].append(line)
    return {key: Figure(group) for key, group in groups.items()}


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table; all columns but the first are numbers."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ruler, *rows])


def in_order(names: Iterable[Any]) -> list[Any]:
    """Each name once, in the order of first appearance."""
    return list(dict.fromkeys(names))


def sweep_row(lines: list[Line], graphs: list[str]) -> list[str]:
    """The last row of a table of times: how long an edge sweep took on each graph."""
    sweeps = [statistics.median(line["sweep"]["seconds"] for line in lines if line["graph"] == g) for g in graphs]
    return ["*one sweep*", *(f"{seconds * 1e3:.2f} ms" for seconds in sweeps)]


def table_of_sets(lines: list[Line]) -> str:
    """Times in sweeps, sizes in brackets: one row an algorithm and number of threads, one column a graph."""
    lines = [line for line in lines if line["problem"] == "mis" and "(small)" not in line["graph"]] or [
        line for line in lines if line["problem"] == "mis"
    ]
    shown = figures(lines)
    graphs = in_order(graph for _, _, graph in shown)
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown):
        cells = (shown.get((algorithm, threads, graph)) for graph in graphs)
        rows.append([f"{algorithm}, {_threads(threads)}", *(str(cell) if cell else "" for cell in cells)])
    rows.append(sweep_row(lines, graphs))
    return markdown(["time in edge sweeps (set size)", *graphs], rows)


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def table_of_speedups(lines: list[Line]) -> str:
    """How much faster the most threads are than one."""
    shown = figures([line for line in lines if line["problem"] in ("mis", "as_graph", "from_edges")])
    graphs = in_order(graph for _, _, graph in shown)
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown if threads > 1):
        cells = []
        for graph in graphs:
            one, many = shown.get((algorithm, 1, graph)), shown.get((algorithm, threads, graph))
            cells.append(f"{one.seconds / many.seconds:.2f}{'†' if many.far else ''}" if one and many else "")
        if any(cells):
            rows.append([f"{algorithm}, 1 to {threads} threads", *cells])
    return markdown(["speed-up", *graphs], rows)


def table_of_the_rest(lines: list[Line]) -> str:
    """Everything that is not a set: ways in, start, reading."""
    rows = []
    for (algorithm, threads, graph), figure in figures([x for x in lines if x["problem"] != "mis"]).items():
        size = figure.quality.get("bytes")
        rate = f"{size / figure.seconds / 1e6:,.0f} MB/s" if size else ""
        marked = f"{_short(figure.sweeps)}{'†' if figure.far else ''}"
        median, least = f"{figure.seconds * 1e3:,.1f} ms", f"{figure.least * 1e3:,.1f} ms"
        rows.append([algorithm, graph, str(threads), median, least, marked, rate])
    return markdown(["what", "graph", "threads", "median", "minimum", "sweeps", "rate"], rows)


def provenance(lines: list[Line]) -> str:
    """Machines, versions and days."""
    machines = in_order(
        f"{m['processor']}, {m['processors']} processors, Python {m['python']}, NumPy {m['numpy']}, "
        f"SciPy {m['scipy']}, Numba {m['numba']} ({m['threading layer']})"
        + "".join(f", {name} {version}" for name, version in m["peers"].items())
        for m in (line["machine"] for line in lines)
    )
    return "\n".join([*machines, f"{min(x['time'] for x in lines)[:10]} to {max(x['time'] for x in lines)[:10]}"])


def put_between_markers(path: Path, table: str, name: str = "results") -> None:
    """Replace what stands between the two markers of that name in a file."""
    first, last = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{path} lacks the markers {first} and {last}")
    path.write_text(f"{before}{first}\n\n{table}\n\n{last}{after}", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; with ``--readme``, put the first one there too."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="JSON lines (default: every file in results/)")
    parser.add_argument("--readme", type=Path, help="a file with the markers, whose table is to be replaced")
    options = parser.parse_args(arguments)
    lines = read_lines(options.paths or sorted((Path(__file__).parent / "results").glob("*.jsonl")))
    if not lines:
        print("there are no measurements: run python -m benchmarks.mis first", file=sys.stderr)
        return 2
    sets = table_of_sets(lines)
    print(sets, table_of_speedups(lines), table_of_the_rest(lines), provenance(lines), sep="\n\n")
    if options.readme:
        put_between_markers(options.readme, sets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
