"""Numbers of colors: every order, reduction and peer on real graphs; `coloring` measures the times.

The graphs are coloring instances, a grid, and some other graphs and matrices, made undirected and without loops. Every
coloring is verified. A chromatic number is known if
the manifest lists it, or if the graph has a clique with as many vertices as the coloring has colors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import stablegraph as sg
from stablegraph import gallery
from stablegraph.coloring.order import ORDERS

from .. import data, peers
from ..graphs import six_graphs
from ..judges import judge_of_colors
from ..study import Graphs, Options, Part, Study
from ..tables import Line, markdown, under_headings

REDUCTIONS = ("quick", "thorough")
BEST = ["largest_first", "smallest_last", "saturation"]
FURTHER = (
    *("bcsstk13", "bcsstk18", "ca-CondMat", "delaunay_n16", "email-Enron", "internet", "JohnsHopkins55"),
    *("road-NY-contracted", "uk-2007-05_100000", "USA-road-d.NY", "wave"),
)
LARGE = 10_000  # more vertices: no NetworkX; its DSATUR is never run, as our "saturation" is the same
# Table 4 of the paper (ECL-GC, 2020): steps without and with shortcuts.
PAPER = {"USA-road-d.NY": (12, 10), "internet": (27, 13), "1024 x 1024 grid": (14, 12)}


def graphs(options: Options) -> Graphs:
    """Yield the paper's grid, the instances and other graphs, small ones first; the small graphs with --quick."""
    if options.quick:
        yield from six_graphs(options)
        return
    yield "1024 x 1024 grid", partial(gallery.grid, (1024, 1024))
    instance = instances()
    for name, (file, _) in sorted(data.files().items(), key=lambda item: item[1][1]):
        if name in instance or name in FURTHER:
            yield name, partial(_simple, file)


def _simple(file: Path) -> sg.Graph:
    return data.undirected(file).simple()


def counts(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield all counts of one graph."""
    judge = judge_of_colors(graph)
    known, instance = known_numbers().get(name), name in instances()

    def count(**chosen: Any) -> int:
        return int(judge(sg.vertex_coloring(graph, **chosen))["colors"])

    ours = {order: count(order=order, reduce="none") for order in ORDERS}
    ours["mis"] = count(algorithm="mis", reduce="none")
    ours |= {reduce: count(reduce=reduce) for reduce in REDUCTIONS}
    lower, upper = sg.color_bounds(graph)
    if instance and ours["thorough"] > max(known or 0, lower):
        ours["thorough, best"] = count(order=BEST, reduce="thorough")
    yield {
        "edges": graph.num_edges,
        "largest degree": int(graph.degrees.max(initial=0)),
        "instance": instance,
        "known": known,
        "bounds": [lower, upper],
        "colors": ours,
        "peers": {peer: judge(color())["colors"] for peer, color in peers.colorings(graph, LARGE)},
        "steps": [sg.coloring_steps(graph, shortcuts=shortcuts) for shortcuts in (False, True)],
    }


def known_numbers() -> dict[str, int]:
    """Return the chromatic numbers in the manifest."""
    reported = {row["name"]: re.search(r"chromatic number (\d+)", row["kind"]) for row in data.table("MANIFEST.tsv")}
    return {name: int(match[1]) for name, match in reported.items() if match}


def instances() -> set[str]:
    """Return the names of the graphs that are coloring instances."""
    return {name for name, (file, _) in data.files().items() if ".col" in file.name}


def mean_table(lines: list[Line]) -> str:
    """Show geometric means over all graphs with more than 4 colors, relative to largest_first."""
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
    """Show sums over the larger graphs, next to each peer on the graphs where that peer was run."""
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
    """Show the steps on the available graphs of the paper, next to the paper's steps; and the savings by shortcuts."""
    by_name = {line["graph"]: line for line in lines}
    rows = []
    for name, paper in PAPER.items():
        if name in by_name:
            rows.append([name, *("{} / {}".format(*steps) for steps in (by_name[name]["steps"], paper))])
    for title, smallest in (("all graphs", 0), ("average degree above 10", 10)):
        steps = [line["steps"] for line in lines if 2 * line["edges"] > smallest * line["n"] and line["steps"][1] > 0]
        if steps:
            ratio = geometric_mean(without / with_them for without, with_them in steps)
            rows.append([f"*{title}: geometric mean of the ratios, {len(steps)} graphs*", f"{ratio:.2f}", ""])
    return markdown(["steps without / with shortcuts", "here", "the paper"], rows)


def reached_numbers(lines: list[Line]) -> str:
    """Say how many chromatic numbers are reached: those of the manifest, and those that a clique proves."""
    best = [line["colors"].get("thorough, best", line["colors"]["thorough"]) for line in lines]
    known = [line["known"] or line["bounds"][0] for line in lines]
    reached = sum(count == number for count, number in zip(best, known, strict=True))
    total = sum(bool(line["known"]) or count == number for line, count, number in zip(lines, best, known, strict=True))
    return f'{reached} of {total} known chromatic numbers are reached by `reduce="thorough"` from the best order.'


def report(lines: list[Line]) -> str:
    """Show all tables, with their headings."""
    parts = {
        "How much reductions gain": mean_table(lines),
        "Against peers": sum_table(lines),
        "Steps": step_table(lines),
        "Instances made for colorings": reached_numbers([line for line in lines if line["instance"]]),
    }
    return under_headings(3, parts)


STUDY = Study(
    __name__,
    (Part("counts", graphs, counts, once=True),),
    peers=("pyamg", "networkx"),
    data="the coloring instances, " + ", ".join(FURTHER),
    report=report,
)
