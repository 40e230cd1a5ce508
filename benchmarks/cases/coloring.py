"""Colorings: six graphs, all orders, ties and reductions, compared with peers; and the cost of shortcuts on a CPU.

The peers are those that pip can install: PyAMG's three algorithms, and NetworkX on small graphs. NetworKit has only a
spectral coloring, which needs eigenvectors. igraph and ColPack are left out: pip does not provide them, or not with a
comparable coloring.

The cost of shortcuts is a ratio of two times. The two alternate, pair by pair, and the median of the ratios counts. The
passes are those of the GPU version, run on the threads of a CPU.

`color_counts` counts the colors on real graphs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph.coloring.order import ORDERS, visiting_order
from stablegraph.study.jones_plassmann import color_in_steps

from .. import peers, picture
from ..graphs import six_graphs
from ..judges import judge_of_colors
from ..study import Case, Options, Part, Study, WrongResult
from ..tables import Line, figures, in_order, markdown, provenance, table_of_times, thr

PAIRS = 7
SHORTCUTS = "passes with shortcuts : without"


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield our algorithms by name: every order, then ties by hash, Luby's algorithm and the reductions."""
    for order in ORDERS:
        yield order, {"order": order, "reduce": "none"}
    yield "largest_first, ties by hash", {"ties": "hash", "reduce": "none"}
    yield "mis", {"algorithm": "mis", "reduce": "none"}
    for reduce in ("quick", "thorough"):
        yield f"largest_first, {reduce}", {"reduce": reduce}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all cases of one graph."""
    judge = judge_of_colors(graph)
    for name, chosen in variants():
        find = partial(sg.vertex_coloring, graph, **chosen)
        for count in options.threads:
            yield Case("coloring", name, lambda _, find=find: find(), judge, threads=count, options=chosen, seed=0)
    for name, color in peers.colorings(graph):
        yield Case("coloring", name, lambda _, color=color: color(), judge)
    for ties in ("id", "hash"):
        for count in options.threads:
            yield shortcut_case(graph, ties, count)


def shortcut_case(graph: sg.Graph, ties: str, threads: int) -> Case:
    """Measure pairs of passes with and without shortcuts; the quality is the ratio of their times."""
    vertices = visiting_order(graph, "largest_first", ties, 0)
    expected = sg.vertex_coloring(graph, ties=ties, reduce="none")

    def passes(shortcuts: bool) -> float:
        start = time.perf_counter()
        colors, _ = color_in_steps(graph, vertices, shortcuts)
        elapsed = time.perf_counter() - start
        if not np.array_equal(colors, expected):
            raise WrongResult(f"vertex {np.argmax(colors != expected)} has not the color that first fit gives it")
        return elapsed

    def pairs(_: Any) -> list[tuple[float, float]]:
        return [(passes(True), passes(False)) if i % 2 else (passes(False), passes(True))[::-1] for i in range(PAIRS)]

    def judge(measured: list[tuple[float, float]]) -> dict[str, Any]:
        ratios = sorted(own_time / plain for own_time, plain in measured)
        return {"ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1]}

    return Case(
        "coloring shortcuts",
        f"{SHORTCUTS}, ties by {ties}",
        pairs,
        judge,
        threads=threads,
        options={"ties": ties},
        seed=0,
        seconds=lambda measured: statistics.median(own_time for own_time, _ in measured),
    )


def report(lines: list[Line]) -> str:
    """Show the times with colors, the shortcuts, and the machines."""
    colored = [line for line in lines if not line["algorithm"].startswith(SHORTCUTS)]
    times = table_of_times(colored, "time in edge sweeps (colors)", sweeps_of=lines)
    return "\n\n".join([times, _shortcuts(lines), provenance(lines)])


def _shortcuts(lines: list[Line]) -> str:
    shown = figures(line for line in lines if line["algorithm"].startswith(SHORTCUTS))
    graphs, rows = in_order(line["graph"] for line in lines), []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown):
        result = [shown[algorithm, threads, graph] for graph in graphs]
        ratios = [statistics.median(line["quality"]["ratio"] for line in figure.lines) for figure in result]
        rows.append([f"{algorithm.partition(', ')[2]}, {thr(threads)}", *(f"{ratio:.2f}" for ratio in ratios)])
    return markdown([SHORTCUTS, *graphs], rows)


def draw(lines: list[Line], path: Path) -> None:
    """Plot colors against time: one point per algorithm, one panel per graph; lower and further left is better."""
    plt = picture.pyplot()
    shown = figures(line for line in lines if line["problem"] == "coloring")
    largest = max(threads for _, threads, _ in shown)
    graphs, names = in_order(graph for _, _, graph in shown), in_order(name for name, _, _ in shown)
    figure, panels = plt.subplots(2, 3, figsize=(12, 7.5), layout="constrained")
    palette, known = plt.get_cmap("tab20"), dict(variants())
    for panel, graph in zip(panels.flat, graphs, strict=False):
        for i, name in enumerate(names):
            if result := shown.get((name, largest, graph)) or shown.get((name, 1, graph)):
                panel.plot(
                    result.sweeps,
                    result.quality["colors"],
                    "o" if name.split(",")[0] in known else "X",
                    color=palette(i % 20),
                    markersize=8,
                    label=name,
                )
        panel.set(title=graph, xscale="log", xlabel="edge sweeps", ylabel="colors")
        panel.yaxis.get_major_locator().set_params(integer=True)
        picture.make_plain(panel)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    picture.save(figure, path, dpi=130)


STUDY = Study(
    __name__,
    (Part("six", six_graphs, cases),),
    peers=("pyamg", "networkx"),
    report=report,
    pictures={"coloring.png": draw},
)
