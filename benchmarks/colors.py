"""How many colors: every order, reduction and peer on a folder of real graphs; the tables of docs/coloring.md.

    python -m benchmarks.colors DATA                             # look, and keep the lines; a quarter of an hour
    python -m benchmarks.colors DATA --graphs 'queen*,myciel*'   # some graphs only
    python -m benchmarks.colors --from-lines --page docs/coloring.md

DATA holds a MANIFEST.tsv with the columns name, file, kind and vertices, and the files. Each graph is taken once, made
undirected, without its loops. Every coloring is verified. There are no times here: `benchmarks.coloring` has them.

A chromatic number is known if the manifest says so, or if there is a clique of as many vertices as there are colors.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph.coloring.order import ORDERS

from .harness import WrongResult, installed_version
from .orders import SMALLEST, files, undirected
from .report import Line, markdown, put_between_markers, read_lines

RESULTS = Path(__file__).parent / "results" / "studies"
REDUCTIONS = ("quick", "thorough")
BEST = ["largest_first", "smallest_last", "saturation"]
PEERS = ("pyamg", "networkx")
LARGE = 10_000  # vertices beyond which NetworkX is left out; its DSATUR is so everywhere: our "saturation" is the same
# Table 4 of the paper (ECL-GC, 2020): steps without and with shortcuts.
PAPER = {"USA-road-d.NY": (12, 10), "internet": (27, 13), "1024 x 1024 grid": (14, 12)}


def peers(graph: sg.Graph, networkx_limit: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The colorings of what pip can install, each by its name; the graph is converted before."""
    n = graph.num_vertices
    pattern = sp.csr_array((np.ones(graph.num_entries, np.int8), graph.indices, graph.indptr), shape=(n, n))
    if installed_version("pyamg"):
        from pyamg.graph import vertex_coloring

        def seeded(method: str) -> Any:
            np.random.seed(0)  # noqa: NPY002 - what PyAMG draws from
            return vertex_coloring(pattern, method)

        for method in ("MIS", "JP", "LDF"):
            yield f"PyAMG {method}", lambda method=method: seeded(method)
    if installed_version("networkx") and n <= networkx_limit:
        import networkx

        nodes = graph.to_networkx()

        def greedy(strategy: str) -> Any:
            found = networkx.greedy_color(nodes, strategy)
            return np.array([found[node] for node in nodes], np.int32)  # nodes may have names

        for strategy in ("largest_first", "smallest_last"):
            yield f"NetworkX {strategy}", lambda strategy=strategy: greedy(strategy)


def colors_in(graph: sg.Graph, colors: Any) -> int:
    """How many colors a coloring has; every one is verified."""
    colors = np.asarray(colors)
    if wrong := sg.explain(sg.is_proper_coloring, graph, colors):
        raise WrongResult(wrong)
    return int(np.unique(colors).size)


def line_of(name: str, graph: sg.Graph, known: int | None, instance: bool) -> Line:
    """All counts of one graph."""
    ours: dict[str, int] = {}
    for order in ORDERS:
        ours[order] = colors_in(graph, sg.vertex_coloring(graph, order=order, reduce="none"))
    ours["mis"] = colors_in(graph, sg.vertex_coloring(graph, algorithm="mis", reduce="none"))
    for reduce in REDUCTIONS:
        ours[reduce] = colors_in(graph, sg.vertex_coloring(graph, reduce=reduce))
    lower, upper = sg.color_bounds(graph)
    if instance and ours["thorough"] > max(known or 0, lower):
        ours["thorough, best"] = colors_in(graph, sg.vertex_coloring(graph, order=BEST, reduce="thorough"))
    return {
        "graph": name,
        "n": graph.num_vertices,
        "edges": graph.num_edges,
        "largest degree": int(graph.degrees().max(initial=0)),
        "instance": instance,
        "known": known,
        "bounds": [lower, upper],
        "colors": ours,
        "peers": {peer: colors_in(graph, color()) for peer, color in peers(graph, LARGE)},
        "steps": [sg.coloring_steps(graph, shortcuts=shortcuts) for shortcuts in (False, True)],
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {package: installed_version(package) for package in ("stablegraph", *PEERS)},
    }


def known_numbers(data: Path) -> dict[str, int]:
    """The chromatic numbers that the manifest tells."""
    with (data / "MANIFEST.tsv").open(encoding="utf-8", newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t"))
    told = {row["name"]: re.search(r"chromatic number (\d+)", row["kind"]) for row in rows}
    return {name: int(match[1]) for name, match in told.items() if match}


def look(data: Path, output: Path, wanted: list[str]) -> None:
    """Append a line for each graph that has none yet."""
    done = {line["graph"] for line in read_lines([output])} if output.exists() else set()
    output.parent.mkdir(parents=True, exist_ok=True)
    known = known_numbers(data)
    instances = {name for name, (file, _) in files(data).items() if ".col" in file.name}
    graphs: dict[str, Callable[[], sg.Graph]] = {"1024 x 1024 grid": lambda: gallery.grid((1024, 1024))}
    for name, (file, _) in sorted(files(data).items(), key=lambda item: item[1][1]):
        graphs[name] = lambda file=file: undirected(file).simple()
    for name, make in graphs.items():
        if name not in done and any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted):
            line = line_of(name, make(), known.get(name), name in instances)
            with output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(name, line["known"], line["bounds"], line["colors"], line["peers"], line["steps"], flush=True)


def count_table(lines: list[Line]) -> str:
    """Colors by order and reduction on every larger graph."""
    ways = [*ORDERS, "mis", *REDUCTIONS]
    rows = []
    for line in sorted(lines, key=lambda line: line["graph"]):
        if line["n"] > SMALLEST:
            peer = min(line["peers"].values())
            counts = [str(line["colors"][way]) for way in ways]
            rows.append([line["graph"], f"{line['n']:,}", str(line["bounds"][0]), *counts, str(peer)])
    return markdown(["graph", "vertices", "clique", *ways, "best peer"], rows)


def mean_table(lines: list[Line]) -> str:
    """Geometric means over all graphs that need some colors, against largest_first."""
    wide = [line for line in lines if line["colors"]["largest_first"] > 4]
    rows = []
    for way in (*ORDERS, "mis", *REDUCTIONS) if wide else ():
        mean = geometric_mean(line["colors"][way] for line in wide)
        ratio = geometric_mean(line["colors"][way] / line["colors"]["largest_first"] for line in wide)
        fewer, more = (
            sum(sign * line["colors"][way] < sign * line["colors"]["largest_first"] for line in wide)
            for sign in (1, -1)
        )
        rows.append([way, f"{mean:.2f}", f"{100 * (ratio - 1):+.1f} %", str(fewer), str(more)])
    return markdown([f"{len(wide)} graphs with more than 4 colors", "mean", "change", "fewer", "more"], rows)


def sum_table(lines: list[Line]) -> str:
    """Sums over the larger graphs, against each peer where that one was run."""
    large = [line for line in lines if line["n"] > 1_000]
    rows = []
    for peer in dict.fromkeys(peer for line in large for peer in line["peers"]):
        both = [line for line in large if peer in line["peers"]]
        sums = [sum(line["colors"][way] for line in both) for way in ("largest_first", *REDUCTIONS)]
        rows.append([peer, str(len(both)), f"{sum(line['peers'][peer] for line in both):,}", *(f"{k:,}" for k in sums)])
    best = sum(min(line["peers"].values()) for line in large)
    sums = [sum(line["colors"][way] for line in large) for way in ("largest_first", *REDUCTIONS)]
    rows.append(["the best of them on each graph", str(len(large)), f"{best:,}", *(f"{k:,}" for k in sums)])
    return markdown(
        ["peer, on graphs with more than 1,000 vertices", "graphs", "its sum", "largest_first", *REDUCTIONS], rows
    )


def step_table(lines: list[Line]) -> str:
    """Steps on the paper's graphs that are at hand, the paper's own beside them; and how much shortcuts save."""
    by_name = {line["graph"]: line for line in lines}
    rows = []
    for name, paper in PAPER.items():
        if name in by_name:
            rows.append([name, *("{} / {}".format(*steps) for steps in (by_name[name]["steps"], paper))])
    for title, least in (("all graphs", 0), ("average degree above 10", 10)):
        steps = [line["steps"] for line in lines if 2 * line["edges"] > least * line["n"] and line["steps"][1] > 0]
        if steps:
            ratio = geometric_mean(without / with_them for without, with_them in steps)
            rows.append([f"*{title}: geometric mean of the ratios, {len(steps)} graphs*", f"{ratio:.2f}", ""])
    return markdown(["steps without / with shortcuts", "here", "the paper"], rows)


def dimacs_table(lines: list[Line]) -> str:
    """The instances for colorings, the chromatic number where it is known, and who reaches it."""
    ways = ("natural", "largest_first", "smallest_last", "saturation", *REDUCTIONS)
    rows, reached, total = [], [0, 0], [0, 0]
    for line in sorted(lines, key=lambda line: line["graph"]):
        colors, clique = line["colors"], line["bounds"][0]
        best = min(colors.get("thorough, best", colors["thorough"]), colors["thorough"])
        known = line["known"] or (clique if clique == best else None)
        if known:
            reached[0], reached[1] = reached[0] + (best == known), reached[1] + 1
            total[0], total[1] = total[0] + best, total[1] + known
        mark = "" if line["known"] or not known else " *"
        told = f"{known}{mark}" if known else f"≥ {clique}"
        counts = [str(colors[way]) for way in ways]
        rows.append(
            [line["graph"], f"{line['n']:,}", told, *counts, str(best) if best == known or not known else f"**{best}**"]
        )
    rows.append(["*sum where known*", "", str(total[1]), *[""] * len(ways), str(total[0])])
    table = markdown(["instance", "vertices", "chromatic number", *ways, "thorough, best order"], rows)
    return f"{table}\n\n{reached[0]} of {reached[1]} known numbers are reached; where not, the count is bold."


def tables(lines: list[Line]) -> str:
    """All tables, with their headings."""
    parts = {
        "How much reductions gain": mean_table(lines),
        "Against peers": sum_table(lines),
        "Steps": step_table(lines),
        "Instances made for colorings": dimacs_table([line for line in lines if line["instance"]]),
        "Graphs with more than 10,000 vertices": count_table(lines),
    }
    return "\n\n".join(f"### {head}\n\n{table}" for head, table in parts.items())


def main(arguments: list[str] | None = None) -> None:
    """Look at graphs, print the tables, and on request put them into the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.colors", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, help="a folder with MANIFEST.tsv and the graphs")
    parser.add_argument("--graphs", default="*", help="only those that match one of these")
    parser.add_argument(
        "-o", "--output", type=Path, help="append the lines to it (default: today's in results/studies)"
    )
    parser.add_argument("--from-lines", action="store_true", help="look at no graph, show the lines that are there")
    parser.add_argument("--page", type=Path, help="a page whose part between the markers is replaced")
    options = parser.parse_args(arguments)
    if options.from_lines:
        output = options.output or max(RESULTS.glob("colors-*.jsonl"), default=None)
    else:
        output = options.output or RESULTS / f"colors-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    if output is None or not (options.data or options.from_lines):
        parser.error("a folder of graphs is missing, or lines of one")
    if options.data:
        look(options.data, output, options.graphs.split(","))
    text = tables(read_lines([output]))
    print(text)
    if options.page:
        put_between_markers(options.page, text, "colors")


if __name__ == "__main__":
    main()
