"""Colorings: the six graphs, all orders, ties and reductions, the peers beside them, and what shortcuts cost on a CPU.

    python -m benchmarks.coloring --threads 2                          # measure; a quarter of an hour
    python -m benchmarks.coloring --quick                              # small graphs, nothing is kept; seconds
    python -m benchmarks.coloring --from-lines --page docs/coloring.md

The peers are those that pip can install: PyAMG's three ways, and NetworkX on small graphs. NetworKit has only a
spectral coloring, which needs eigenvectors; igraph and ColPack are not on pip, or not with this.

What shortcuts cost is a ratio of two times, so the two are taken in turn, pair by pair, and the median of the ratios
counts. They are those of the passes that a GPU makes, here on the threads of a CPU.

`benchmarks.colors` counts the colors on real graphs.
"""

from __future__ import annotations

import argparse
import statistics
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph.coloring.order import ORDERS, visiting_order
from stablegraph.coloring.shortcuts import visit_in_parallel

from .colors import colors_in, peers
from .harness import Case, WrongResult
from .mis import GRAPHS, NETWORKX_LIMIT, SMALL
from .report import Figure, Line, figures, in_order, markdown, provenance, put_between_markers, sweep_row
from .studies import Plan, lines_of, study_options

PAIRS = 7
SHORTCUTS = "passes with shortcuts : without"


def judge_of_colors(graph: sg.Graph) -> Callable[[Any], dict[str, Any]]:
    """A judge: the verifier's word for every coloring that it has not seen yet; the number of colors is the quality."""
    counted: dict[int, int] = {}

    def judge(result: Any) -> dict[str, Any]:
        checksum = zlib.crc32(np.ascontiguousarray(result, np.int32).tobytes())
        if checksum not in counted:
            counted[checksum] = colors_in(graph, result)
        return {"colors": counted[checksum], "crc32": f"{checksum:08x}"}

    return judge


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Our own ways to color, by name: every order alone, then ties by hash, Luby's algorithm and the reductions."""
    for order in ORDERS:
        yield order, {"order": order, "reduce": "none"}
    yield "largest_first, ties by hash", {"ties": "hash", "reduce": "none"}
    yield "mis", {"algorithm": "mis", "reduce": "none"}
    for reduce in ("quick", "thorough"):
        yield f"largest_first, {reduce}", {"reduce": reduce}


def cases(graph: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """Everything on one graph."""
    judge = judge_of_colors(graph)
    for name, options in variants():
        for count in threads:
            yield Case(
                "coloring",
                name,
                lambda _, options=options: sg.vertex_coloring(graph, **options),
                judge,
                threads=count,
                options=options,
                seed=0,
            )
    for name, color in peers(graph, NETWORKX_LIMIT):
        yield Case("coloring", name, lambda _, color=color: color(), judge)
    for ties in ("id", "hash"):
        for count in threads:
            yield shortcut_case(graph, ties, count)


def shortcut_case(graph: sg.Graph, ties: str, threads: int) -> Case:
    """Pairs of passes with and without shortcuts; the quality is the ratio of their times."""
    vertices = visiting_order(graph, "largest_first", ties, 0)
    expected = sg.vertex_coloring(graph, ties=ties, reduce="none")

    def passes(shortcuts: bool) -> float:
        colors = np.full(graph.num_vertices, -1, np.int32)
        start = time.perf_counter()
        visit_in_parallel(graph, vertices, 0, colors, shortcuts)
        elapsed = time.perf_counter() - start
        if not np.array_equal(colors, expected):
            raise WrongResult(f"vertex {np.argmax(colors != expected)} has not the color that first fit gives it")
        return elapsed

    def pairs(_: Any) -> list[tuple[float, float]]:
        return [(passes(True), passes(False)) if i % 2 else (passes(False), passes(True))[::-1] for i in range(PAIRS)]

    def judge(measured: list[tuple[float, float]]) -> dict[str, Any]:
        ratios = sorted(own / plain for own, plain in measured)
        return {"ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1]}

    return Case(
        "coloring shortcuts",
        f"{SHORTCUTS}, ties by {ties}",
        pairs,
        judge,
        threads=threads,
        options={"ties": ties},
        seed=0,
        seconds=lambda measured: statistics.median(own for own, _ in measured),
    )


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs."""
    for name in GRAPHS:
        label, make = (
            (f"{name} (small)", SMALL[name]) if options.quick else (name, partial(gallery.benchmark_graph, name))
        )
        yield label, make, partial(cases, threads=options.threads)


def tables(lines: list[Line]) -> str:
    """Times with colors; shortcuts; where all that was measured."""
    shown = figures(lines)
    graphs = in_order(graph for _, _, graph in shown)
    return "\n\n".join([_times(shown, graphs, lines), _shortcuts(shown, graphs), provenance(lines)])


def _times(shown: dict[tuple[str, int, str], Figure], graphs: list[str], lines: list[Line]) -> str:
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown):
        if not algorithm.startswith(SHORTCUTS):
            cells = (shown.get((algorithm, threads, graph)) for graph in graphs)
            rows.append([f"{algorithm}, {threads} thr", *("" if cell is None else str(cell) for cell in cells)])
    rows.append(sweep_row(lines, graphs))
    return markdown(["time in edge sweeps (colors)", *graphs], rows)


def _shortcuts(shown: dict[tuple[str, int, str], Figure], graphs: list[str]) -> str:
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown):
        if algorithm.startswith(SHORTCUTS):
            found = [shown[algorithm, threads, graph] for graph in graphs]
            ratios = [statistics.median(line["quality"]["ratio"] for line in figure.lines) for figure in found]
            rows.append([f"{algorithm.partition(', ')[2]}, {threads} thr", *(f"{ratio:.2f}" for ratio in ratios)])
    return markdown([SHORTCUTS, *graphs], rows)


def draw(lines: list[Line], path: Path) -> None:
    """Colors against time, one point a way to color, one panel a graph; lower and further to the left is better."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = figures([line for line in lines if line["problem"] == "coloring"])
    most = max(threads for _, threads, _ in shown)
    graphs, names = in_order(graph for _, _, graph in shown), in_order(name for name, _, _ in shown)
    figure, panels = plt.subplots(2, 3, figsize=(12, 7.5), layout="constrained")
    palette, ours = plt.get_cmap("tab20"), dict(variants())
    for panel, graph in zip(panels.flat, graphs, strict=False):
        for i, name in enumerate(names):
            if found := shown.get((name, most, graph)) or shown.get((name, 1, graph)):
                ours = name.split(",")[0] in dict(variants())
                panel.plot(
                    found.sweeps,
                    found.quality["colors"],
                    "o" if ours else "X",
                    color=palette(i % 20),
                    markersize=8,
                    label=name,
                )
        panel.set(title=graph, xscale="log", xlabel="edge sweeps", ylabel="colors")
        panel.yaxis.get_major_locator().set_params(integer=True)
        panel.grid(linewidth=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the tables, and on request put them and the picture into the page."""
    options = study_options("coloring", __doc__ or "", arguments)
    lines = lines_of(options, plan(options))
    text = tables(lines)
    print(text)
    if options.page:
        put_between_markers(options.page, text, "coloring")
        draw(lines, options.page.parent / "images" / "coloring.png")


if __name__ == "__main__":
    main()
