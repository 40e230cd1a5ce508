"""Speed-up by number of threads: most public functions, on the six graphs and one of sixteen times the size.

Speed-ups are compared with that of the edge sweep, whose threads are independent of each other. Where the sweep gets no
faster, the memory bandwidth is exhausted. An answer must have the same checksum with every number of threads; other
studies verify that it is correct. The largest number of threads is measured first, which warms up for the smaller ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph.gallery.reference_kernels import edge_sweep_seconds

from .. import picture
from ..graphs import GRAPHS, directed_variant, hashed_weights, rows_of, six_graphs
from ..study import SMALL_MARK, Case, Graphs, Judge, Options, Part, Study, WrongResult, case_is_asked_for
from ..tables import Line, figures, in_order, markdown, provenance
from .headline import checksum_of

SWEEP = "edge sweep"
LARGE = "R4 x 16"
GRAPH, WEIGHTED, ARRAYS, ARCS, PAIRS = "graph", "weighted", "arrays", "arcs", "pairs"


@dataclass(frozen=True)
class Job:
    """A public function and its input: ``call(prepare(given))``, of which only the call is timed."""

    given: str
    call: Callable[[Any], Any]
    prepare: Callable[[Any], Any] = lambda given: given


def _first_fit(**options: Any) -> Job:
    return Job(GRAPH, partial(sg.vertex_coloring, reduce="none", **options))


def _set(**options: Any) -> Job:
    return Job(GRAPH, partial(sg.maximal_independent_set, **options))


JOBS = {
    "set, degree": _set(),
    "set, ecl": _set(priority="ecl"),
    "set, random": _set(priority="random"),
    "set, residual": _set(algorithm="residual"),
    "set, luby_select": _set(algorithm="luby_select"),
    "set, distance 2": _set(distance=2, priority="random"),
    "set, distance 2, degree": _set(distance=2, priority="degree"),
    "large set, no rounds": Job(GRAPH, partial(sg.large_independent_set, rounds=0)),
    "coloring": Job(GRAPH, sg.vertex_coloring),
    "first fit, largest_first": _first_fit(order="largest_first", ties="id"),
    "first fit, largest_first, ties by hash": _first_fit(order="largest_first", ties="hash"),
    "first fit, random": _first_fit(order="random"),
    "first fit, smallest_last": _first_fit(order="smallest_last"),
    "first fit, smallest_last_in_rounds": _first_fit(order="smallest_last_in_rounds"),
    "first fit, distance 2": _first_fit(distance=2),
    "components": Job(GRAPH, sg.connected_components),
    "strong components": Job(
        ARCS,
        sg.strongly_connected_components,
        lambda arcs: sg.as_graph(arcs, directed=True),
    ),
    "search": Job(
        GRAPH,
        lambda given: sg.breadth_first_search(*given),
        lambda graph: (graph, int(np.diff(graph.indptr).argmax())),
    ),
    "forest, int32": Job(WEIGHTED, sg.minimum_spanning_forest),
    "aggregates": Job(GRAPH, sg.aggregate),
    'aggregates, "kokkos"': Job(GRAPH, partial(sg.aggregate, algorithm="kokkos")),
    "from_edges": Job(PAIRS, lambda given: sg.from_edges(*given[1:], n=given[0], symmetrize=True)),
    "as_graph": Job(ARRAYS, sg.as_graph),
    "transpose": Job(ARCS, lambda graph: graph.transpose(), lambda arcs: sg.as_graph(arcs, directed=True)),
    "symmetrize": Job(ARCS, partial(sg.as_graph, symmetrize=True)),
}


def pairs_of(graph: sg.Graph) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the number of vertices, and the ends of each edge, in a random order."""
    rows = rows_of(graph).astype(graph.indices.dtype)
    once = np.flatnonzero(rows < graph.indices)
    np.random.default_rng(0).shuffle(once)
    return graph.num_vertices, rows[once], graph.indices[once]


def arcs_of(name: str, graph: sg.Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the arrays of the directed variant."""
    known = name.removesuffix(SMALL_MARK) in GRAPHS
    directed = directed_variant(name) if known else gallery.with_directions(graph)
    return directed.indptr, directed.indices


def what_is_given(name: str, graph: sg.Graph) -> dict[str, Callable[[], Any]]:
    """Return functions that make the inputs of the jobs, so that each input is made at its first use."""
    return {
        GRAPH: lambda: graph,
        ARRAYS: lambda: (graph.indptr, graph.indices),
        WEIGHTED: lambda: sg.as_graph((graph.indptr, graph.indices, hashed_weights(graph))),
        ARCS: cache(partial(arcs_of, name, graph)),
        PAIRS: lambda: pairs_of(graph),
    }


def parts_of(answer: Any) -> Iterator[Any]:
    """Yield the arrays and sparse matrices of an answer."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        yield from (part.indptr, part.indices) if isinstance(part, sg.Graph) else (part,)


def judge_of_equal_answers() -> Judge:
    """Return a judge that only requires all its answers to have one checksum."""
    seen: list[dict[str, str]] = []

    def judge(answer: Any) -> dict[str, Any]:
        seen.append(checksum_of(parts_of(answer)))
        if seen[-1] != seen[0]:
            raise WrongResult(f"the checksum is {seen[-1]['crc32']}, and was {seen[0]['crc32']}")
        return seen[0]

    return judge


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the sweep, then job by job, each with all numbers of threads, the largest first."""
    counts = sorted(options.threads, reverse=True)
    for count in counts:
        yield Case("cores", SWEEP, lambda _: edge_sweep_seconds(graph), lambda _: {}, count, seconds=float)
    arguments = what_is_given(name, graph)
    for label, job in JOBS.items():
        if case_is_asked_for(label, options):
            judge, prepare = judge_of_equal_answers(), partial(job.prepare, arguments[job.given]())
            for count in counts:
                yield Case("cores", label, job.call, judge, count, prepare=prepare, warm=count != counts[0])


def graphs(options: Options) -> Graphs:
    """Yield the six graphs, and one with R4's rule and sixteen times the vertices; small ones with --quick."""
    yield from six_graphs(options)
    if options.quick:
        yield f"{LARGE}{SMALL_MARK}", partial(gallery.uniform_random, 2**14, 4, seed=0)
    else:
        yield LARGE, partial(gallery.uniform_random, 2**24, 4, seed=0)


class Speedups:
    """Speed-ups over the fewest threads, by job, graph and number of threads."""

    def __init__(self, lines: list[Line]) -> None:
        shown = figures(lines)
        self.jobs = in_order(job for job, _, _ in shown)
        self.graphs = in_order(graph for _, _, graph in shown)
        counts = {count for _, count, _ in shown}
        self.fewest = min(counts)
        self._seconds = {key: figure.seconds for key, figure in shown.items()}

    def of(self, job: str, graph: str) -> dict[int, float]:
        """Return the speed-ups by number of threads; empty without a time on the fewest threads."""
        times = {count: s for (j, count, g), s in sorted(self._seconds.items()) if (j, g) == (job, graph)}
        return {count: times[self.fewest] / s for count, s in times.items()} if self.fewest in times else {}

    def curves(self, job: str) -> dict[str, dict[int, float]]:
        """Return the curves of the graphs that were measured with more than two numbers of threads."""
        result = {graph: self.of(job, graph) for graph in self.graphs}
        return {graph: curve for graph, curve in result.items() if len(curve) > 2}

    def tables(self) -> str:
        """Show speed-ups on the most threads, relative to the sweep's; one table per largest number of threads."""
        limit = {max(self.of(SWEEP, graph), default=self.fewest) for graph in self.graphs}
        return "\n\n".join(map(self._table, sorted(limit - {self.fewest} or limit)))

    def _table(self, largest: int) -> str:
        graphs = [graph for graph in self.graphs if largest in self.of(SWEEP, graph)]
        rows = [[job, *(self._cell(job, graph, largest) for graph in graphs)] for job in self.jobs]
        head = f"{self.fewest} to {largest} threads: times faster (share of the sweep's speed-up)"
        return markdown([head, *graphs], [row for row in rows if any(row[1:])])

    def _cell(self, job: str, graph: str, largest: int) -> str:
        speedup, sweep = (self.of(what, graph).get(largest, math.nan) for what in (job, SWEEP))
        if math.isnan(speedup):
            return ""
        share = "" if job == SWEEP or math.isnan(sweep) else f" ({speedup / sweep:.2f})"
        return f"{speedup:.1f}{share}"


def report(lines: list[Line]) -> str:
    """Show the tables."""
    return f"{Speedups(lines).tables()}\n\n{provenance(lines)}"


def page(lines: list[Line]) -> str:
    """Show the tables, and the picture if there is one."""
    shown = "![Speed-up by number of threads](images/cores.png)"
    return report(lines) + (f"\n\n{shown}" if Speedups(lines).curves(SWEEP) else "")


COLUMNS = 5


def draw(lines: list[Line], path: Path) -> None:
    """Draw a panel per job, a curve per graph, and the sweep's dashed; nothing for only two numbers of threads."""
    speedups = Speedups(lines)
    sweeps = speedups.curves(SWEEP)
    if not sweeps:
        return
    plt = picture.pyplot()
    jobs = [job for job in speedups.jobs if job != SWEEP and speedups.curves(job)]
    rows = max(1, math.ceil(len(jobs) / COLUMNS))
    size = (11, 0.7 + 1.9 * rows)
    figure, grid = plt.subplots(
        rows, COLUMNS, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    colors = {graph: f"C{i}" for i, graph in enumerate(sweeps)}
    for panel, job in zip(grid.flat, jobs, strict=False):
        for graph, curve in speedups.curves(job).items():
            panel.plot(curve.keys(), curve.values(), "o-", c=colors.get(graph), ms=3, lw=1.2)
        for graph, curve in sweeps.items():
            panel.plot(curve.keys(), curve.values(), "--", c=colors[graph], lw=0.8)
        counts = sorted({count for curve in sweeps.values() for count in curve})
        panel.set_xscale("log", base=2)
        panel.set_yscale("log", base=2)
        panel.set_xticks(counts, [str(count) for count in counts])
        panel.set_yticks(counts, [str(count) for count in counts])
        panel.set_title(job, loc="left", fontsize=7.5)
        panel.tick_params(labelsize=7)
        picture.make_plain(panel)
    for panel in list(grid.flat)[len(jobs) :]:
        panel.set_axis_off()
    handles = [plt.Line2D([], [], c=color, marker="o", ms=3, label=graph) for graph, color in colors.items()]
    handles.append(plt.Line2D([], [], c="gray", ls="--", label="edge sweep"))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), fontsize=8, frameon=False)
    figure.supxlabel("threads", fontsize=8)
    figure.supylabel("times faster", fontsize=8)
    picture.save(figure, path)


STUDY = Study(
    __name__,
    (Part("graphs", graphs, cases),),
    repeats=5,
    longest=0.3,
    fewest=1,
    yardsticks_last=math.inf,
    report=report,
    page=page,
    machines={"cpu16": ("--threads", "1,4,16", "--graphs", "G2,R4,RM,R4 x 16")},
    pictures={"cores.png": draw},
)
