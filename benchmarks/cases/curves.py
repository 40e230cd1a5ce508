"""The two curves of the papers: throughput on each graph, and speed-up over the serial algorithm against size.

*Throughput* is in completed vertices per second (vertices / median time), as in the paper on ECL-MIS (Burtscher et al.,
2018), on the benchmark graphs and the real graphs with more than 10,000 vertices.

*Speed-up* is that of the report of Bashari and Koochakian (2023): serial time / parallel time on uniform random graphs
of 1,000 to 10 million vertices, with average degrees of 2 and 16. The result depends on the serial algorithm. It is the
greedy algorithm, in one of two orders. By id it is fastest, but computes another, smaller set. In the order of the
parallel algorithm it computes the same set, with irregular memory access. Both are measured, the second under its best
conditions: the vertices are sorted outside the timer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set.greedy.order import IN, make_order, sort_by_order
from stablegraph.independent_set.greedy.serial import visit

from .. import data, picture
from ..graphs import GRAPHS, one_graph, six_graphs
from ..judges import judge_of_sets
from ..study import Case, Graphs, Judge, Options, Part, Study, WrongResult
from ..tables import Line, figures, graphs_in, markdown, provenance, threads_in_words, under_headings

PRIORITIES = ("degree", "ecl")
SIZES = [round(10 ** (exponent / 2)) for exponent in range(6, 15)]
PICKS = {2: 1, 16: 8}  # average degree: picks of each vertex
SAME_ORDER, BY_ID, PARALLEL, LOCKED = "serial, same order", "serial, by id", "stablegraph degree", "stablegraph locked"
# The paper of 2018, in million vertices per second: lowest, geometric mean and highest of its 16 graphs, and the three
# of them that are available (G2 is its 2d-2e20 with another numbering). It gives the times of the CPU codes as
# multiples of the time of ECL.
SHARED = ("G2", "USA-road-d.NY", "internet")
PAPER = {
    "the paper: ECL, Titan X": ("350", "930", "3,200", "2,383", "2,643", "1,781"),
    "the paper: ECL, K40": ("", "510", "", "1,070", "1,469", "1,039"),
    "the paper: PBBS, 20 Xeon cores": ("", "227", "", "", "", ""),
    "the paper: PBBS, serial": ("", "53", "", "", "", ""),
}
SERIES = ((PARALLEL, SAME_ORDER), (PARALLEL, BY_ID), (LOCKED, BY_ID))


def throughput_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the default order, and the paper's."""
    for priority in PRIORITIES:
        for count in options.threads:
            yield Case(
                "mis throughput",
                f"stablegraph {priority}",
                lambda _, priority=priority: sg.maximal_independent_set(graph, priority=priority),
                judge_of_sets(graph),
                threads=count,
                options={"priority": priority},
                seed=0,
            )


def serial(graph: sg.Graph, vertices: np.ndarray | None) -> np.ndarray:
    """Compute the greedy set with one thread: vertices in the given order, or by id."""
    state = np.full(graph.num_vertices, 1, np.uint8)
    visit(graph, vertices, state)
    return state == IN


def speedup_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the two serial passes, our default on every number of threads, and the locks of the 2023 report."""
    ids = np.arange(graph.num_vertices, dtype=graph.indices.dtype)
    vertices = sort_by_order(make_order(graph, "degree", 0), ids, np.ones(ids.size, np.uint8))
    verify = judge_of_sets(graph)
    greedy = sg.maximal_independent_set(graph)

    def judge_greedy(mask: np.ndarray) -> dict[str, Any]:
        if not np.array_equal(mask, greedy):
            raise WrongResult("the serial and the parallel set differ")
        return verify(mask)

    def case(name: str, run: Callable[[Any], Any], judge: Judge, count: int = 1) -> Case:
        return Case("mis speed-up", name, run, judge, threads=count)

    yield case(BY_ID, lambda _: serial(graph, None), verify)
    yield case(SAME_ORDER, lambda _: serial(graph, vertices), judge_greedy)
    for count in options.threads:
        yield case(PARALLEL, lambda _: sg.maximal_independent_set(graph), judge_greedy, count)
    for count in options.threads:
        yield case(LOCKED, lambda _: sg.maximal_independent_set(graph, algorithm="locked"), verify, count)


def throughput_graphs(options: Options) -> Graphs:
    """Yield the six graphs and the real ones; one small graph with --quick."""
    yield from one_graph("G2")(options) if options.quick else six_graphs(options)
    yield from data.large_graphs(options)


def random_graphs(options: Options) -> Graphs:
    """Yield uniform random graphs of all sizes."""
    for degree, picks in PICKS.items():
        for n in SIZES[:2] if options.quick else SIZES:
            yield f"random {degree} {n}", partial(gallery.uniform_random, n, picks, seed=n)


class Curves:
    """The displayed values: rates by (algorithm, threads, graph), and speed-ups by number of vertices."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.threads = sorted({line["threads"] for line in lines})
        self._vertices = graphs_in(lines)
        self._rated = figures(line for line in lines if line["problem"] == "mis throughput")
        self._raced = figures(line for line in lines if line["problem"] == "mis speed-up")

    def rates(self, priority: str, threads: int) -> dict[str, float]:
        """Return million vertices per second on each graph."""
        return {
            graph: self._vertices[graph] / figure.seconds / 1e6
            for (name, count, graph), figure in self._rated.items()
            if (name, count) == (f"stablegraph {priority}", threads)
        }

    def speedups(self, degree: int, parallel: str, threads: int, base: str) -> dict[int, float]:
        """Return serial time / parallel time for each number of vertices."""
        result = {}
        for n in SIZES:
            graph = f"random {degree} {n}"
            one, many = self._raced.get((base, 1, graph)), self._raced.get((parallel, threads, graph))
            if one and many:
                result[n] = one.seconds / many.seconds
        return result

    def tables(self) -> str:
        """Show both tables, as parts of a page."""
        parts = {"Throughput": self._throughput_table()}
        parts |= {f"Speed-up, average degree {degree}": self._speedup_table(degree) for degree in PICKS}
        return f"{under_headings(3, parts)}\n\n{provenance(self.lines)}"

    def _throughput_table(self) -> str:
        rows = []
        for priority in PRIORITIES:
            for threads in self.threads:
                rates = self.rates(priority, threads)
                summary = [min(rates.values()), geometric_mean(rates.values()), max(rates.values())]
                cells = [f"{rate:,.0f}" if rate else "" for rate in [*summary, *map(rates.get, SHARED)]]
                rows.append([f"`{priority}`, {threads_in_words(threads)}", *cells])
        rows += [[name, *cells] for name, cells in PAPER.items()]
        return markdown(["million vertices a second", "lowest", "geometric mean", "highest", *SHARED], rows)

    def _speedup_table(self, degree: int) -> str:
        columns = {
            _label(parallel, base, threads): self.speedups(degree, parallel, threads, base)
            for parallel, base in SERIES
            for threads in self.threads
        }
        shown = [n for n in SIZES if all(n in column for column in columns.values())]
        rows = [[f"{n:,}", *(f"{column[n]:.2f}" for column in columns.values())] for n in shown]
        return markdown(["vertices", *columns], rows)


def _label(parallel: str, base: str, threads: int) -> str:
    return f"{parallel.removeprefix('stablegraph ')}, {threads_in_words(threads)} : {base}"


COLORS = ("#b5452c", "#2c6fb5", "#5a6b7b")


def draw_throughput(lines: list[Line], path: Path) -> None:
    """Draw one row per graph, the fastest on top, with a logarithmic axis."""
    plt, curves = picture.pyplot(), Curves(lines)
    largest = max(curves.threads)
    ranking = sorted(curves.rates("degree", largest).items(), key=lambda item: item[1])
    names = [name for name, _ in ranking]
    figure, panel = plt.subplots(figsize=(8, 1.5 + 0.155 * len(names)), layout="constrained")
    for threads in curves.threads:
        rates = curves.rates("degree", threads)
        mean, full = geometric_mean(rates.values()), threads == largest
        label = f"{threads_in_words(threads)}; line: geometric mean, {mean:,.0f}"
        filling = COLORS[0] if full else "white"
        panel.plot([rates[name] for name in names], names, "o", ms=4.5, c=COLORS[0], mfc=filling, label=label)
        panel.axvline(mean, color=COLORS[0], linewidth=0.9, linestyle="-" if full else "--")
    paper = dict(zip(SHARED, PAPER["the paper: ECL, Titan X"][3:], strict=True))
    known = {name: float(rate.replace(",", "")) for name, rate in paper.items() if name in names}
    panel.plot(known.values(), known.keys(), "x", ms=5, c=COLORS[1], label="the paper: ECL on a Titan X (GPU, 2015)")
    for tick, name in zip(panel.get_yticklabels(), names, strict=True):
        tick.set(fontsize=7, fontweight="bold" if name in GRAPHS else "normal")
    panel.set(xscale="log", xlabel="completed vertices, millions a second", ylim=(-1, len(names)))
    panel.set_title("Throughput in the order “degree”; benchmark graphs in bold", loc="left", fontsize=10)
    _finish(plt, figure, path, [panel.xaxis], columns=1)


def draw_speedups(lines: list[Line], path: Path) -> None:
    """Draw one panel per average degree, and one line per pair of algorithms and number of threads."""
    plt, curves = picture.pyplot(), Curves(lines)
    figure, panels = plt.subplots(1, len(PICKS), figsize=(10, 4.6), sharey=True, layout="constrained")
    for panel, degree in zip(panels, PICKS, strict=True):
        for color, (parallel, base) in zip(COLORS, SERIES, strict=True):
            for threads in curves.threads:
                result = curves.speedups(degree, parallel, threads, base)
                full = threads == max(curves.threads)
                style = {"c": color, "ms": 4, "lw": 1.3, "mfc": color if full else "white"}
                label = _label(parallel, base, threads) if panel is panels[0] else None
                panel.plot(result.keys(), result.values(), "o-" if full else "o--", **style, label=label)
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set(xscale="log", yscale="log", xlabel="vertices")
        panel.set_title(f"uniform random graphs, average degree {degree}", loc="left", fontsize=10)
    panels[0].set_ylabel("speed-up (serial time : parallel time)")
    _finish(plt, figure, path, [panels[0].yaxis], columns=len(SERIES))


def _finish(plt: Any, figure: Any, path: Path, axes: list[Any], columns: int) -> None:
    """Add grid and legend, format logarithmic axes with plain numbers, and save the file."""
    for axis in axes:
        axis.set_major_locator(plt.LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(plt.NullFormatter())
    for panel in figure.axes:
        picture.make_plain(panel)
    figure.legend(loc="outside lower center", ncols=columns, fontsize=8, frameon=False)
    picture.save(figure, path)


def report(lines: list[Line]) -> str:
    """Show the tables of both curves."""
    return Curves(lines).tables()


STUDY = Study(
    __name__,
    (Part("throughput", throughput_graphs, throughput_cases), Part("speed-up", random_graphs, speedup_cases)),
    data="all graphs with more than 10,000 vertices",
    report=report,
    pictures={"throughput.png": draw_throughput, "speedup.png": draw_speedups},
)
