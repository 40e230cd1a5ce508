"""Ablations of ECL-MIS: the algorithm of the paper, and variants that change one idea each, on a CPU.

Result: every variant computes the greedy set in the variant's own order; this is checked.

Idea of the algorithm: each worker scans its own vertices repeatedly until all of them are decided. A vertex that no
neighbor precedes marks its neighbors as out and itself as in, immediately and in the same array. Other workers see
these states as soon as the memory makes them visible. This needs no synchronization, since only such vertices write,
and the states that they write are final.

State, one unsigned integer a vertex, 1, 2 or 4 bytes wide::

    0               out: precedes no vertex
    odd             undecided; the larger number comes first, and of equal numbers the larger id
    largest even    in: no vertex precedes it

All variants share one source. The dtype of the arrays sets the width. The synchronous variant reads a copy made before
each round. With two arrays, one contains the states (0, 1 and the largest even number) and the other the order. Two
details differ from the paper because a CPU needs them: the vertices of a worker are contiguous instead of dealt out in
turn, and a launch ends after a number of passes.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018, with the percentages quoted below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph._core.runtime import edge_split, hash32, kernel, rule, worker_count

from .. import data
from ..graphs import GRAPHS, rows_of, six_graphs
from ..judges import judge_of_sets
from ..study import SMALL_MARK, Case, Graphs, Judge, Options, Part, Study, WrongResult
from ..tables import Figure, Line, figures, graphs_in, is_near, markdown, provenance, threads_in_words, under_headings

PAPER_GRAPHS = (
    "USA-road-d.NY",
    "internet",
)  # the available graphs of the paper; G2 is its 2d-2e20 with another numbering
_PASSES = 16  # in one launch, so that it also ends where workers run one after another
_LINE = 8  # distance between the counters of different workers, in int64
_OUT, _UNDECIDED = 0, 1


@dataclass(frozen=True)
class Variant:
    """One change to the algorithm, and its effect in the paper: percent of throughput on a K40 and a Titan X."""

    name: str
    paper: tuple[float, ...] = ()
    dtype: Any = np.uint8
    randomized: bool = True
    synchronous: bool = False
    two_arrays: bool = False
    all_neighbors: bool = False
    backwards: bool = False


BASE = Variant("ECL-MIS")
VARIANTS = (
    BASE,
    Variant("2-byte words", (-8.6, -13.7), dtype=np.uint16),
    Variant("4-byte words", (-18.9, -31.6), dtype=np.uint32),
    Variant("synchronous", (-20.4, -25.5), synchronous=True),
    Variant("two byte arrays", (-21.1, -18.1), two_arrays=True),
    Variant("all neighbors", (-52.2, -56.1), all_neighbors=True),
    Variant("no randomization", (-9.1, -7.9), randomized=False),
    Variant("no randomization, last vertex first", randomized=False, backwards=True),
    Variant("last vertex first", backwards=True),
)
OURS = "stablegraph ecl"  # for comparison: the package's own rounds, in the same order


@kernel
def _write_priorities(v, indptr, average, randomized, highest, priority):
    """Compute the priority of a vertex: few neighbors first, partly at random. Vertices without neighbors are in."""
    degree = indptr[v + 1] - indptr[v]
    largest = highest // 2 - 1
    priority[v] = highest
    if degree > 0:
        fraction = np.float32(hash32(v)) * np.float32(2.0**-32) * np.float32(randomized)
        divisor = np.float32(np.float32(average) + np.float32(np.float32(degree) - fraction))
        priority[v] = 2 * min(round(np.float32(np.float32(largest) * np.float32(average)) / divisor), largest) | 1


@rule
def _strength(v, seen, priority):
    """Return the priority of a vertex: its state, or with two arrays its entry in the order unless it is out."""
    if priority.size == 0:
        return seen[v]
    return priority[v] if seen[v] != _OUT else priority.dtype.type(_OUT)


@rule
def _none_ahead(v, indptr, indices, all_neighbors, seen, priority):
    """Return whether no neighbor precedes v; stop at the first that does, unless all neighbors must be read."""
    own_strength = _strength(v, seen, priority)
    ahead = False
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        strength = _strength(u, seen, priority)
        if strength > own_strength or (strength == own_strength and u > v):
            ahead = True
            if not all_neighbors:
                break
    return not ahead


@kernel(by="workers")
def _decide(
    worker, workers, n, indptr, indices, passes, backwards, all_neighbors, highest, priority, seen, state, left, made
):
    """Scan a worker's vertices until all are decided; `left` counts the undecided ones, `made` the passes."""
    first, outside = edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)
    undecided = 1
    for _ in range(passes):
        if undecided == 0:
            break
        undecided = 0
        made[worker * _LINE] += 1
        for i in range(first, outside):
            v = outside - 1 - i + first if backwards else i
            if seen[v] & 1:
                if _none_ahead(v, indptr, indices, all_neighbors, seen, priority):
                    for e in range(indptr[v], indptr[v + 1]):
                        state[indices[e]] = _OUT
                    state[v] = highest
                else:
                    undecided += 1
    left[worker * _LINE] = undecided


def priorities(graph: sg.Graph, variant: Variant) -> np.ndarray:
    """Return the order of a variant, as an array of the variant's dtype."""
    n = graph.num_vertices
    priority = np.empty(n, variant.dtype)
    average = float(np.float32(graph.num_entries) / np.float32(max(n, 1)))
    _write_priorities(n, graph.indptr, average, int(variant.randomized), _highest(variant), priority)
    return priority


def _highest(variant: Variant) -> int:
    return int(np.iinfo(variant.dtype).max) - 1


def independent_set(graph: sg.Graph, variant: Variant) -> tuple[np.ndarray, int]:
    """Return the greedy set in a variant's order, and the largest number of passes of a worker."""
    n, highest = graph.num_vertices, _highest(variant)
    state, priority = priorities(graph, variant), np.empty(0, variant.dtype)
    if variant.two_arrays:
        state, priority = np.full(n, _UNDECIDED, variant.dtype), state
    seen, passes = (state.copy(), 1) if variant.synchronous else (state, _PASSES)
    workers = worker_count("cpu", n + graph.num_entries)
    remaining, result = np.ones(workers * _LINE, np.int64), np.zeros(workers * _LINE, np.int64)
    how = passes, variant.backwards, variant.all_neighbors, highest
    while remaining[::_LINE].any():
        _decide(workers, n, graph.indptr, graph.indices, *how, priority, seen, state, remaining, result)
        if variant.synchronous:
            seen[:] = state
    return state == highest, int(result.max())


def package_set(graph: sg.Graph) -> tuple[np.ndarray, int]:
    """Return the set of ECL-MIS as computed by this package, and its number of rounds."""
    mask, info = sg.maximal_independent_set(graph, priority="ecl", return_info=True)
    return mask, info["rounds"]


def judge_of_order(graph: sg.Graph, order: np.ndarray) -> Judge:
    """Return a judge that accepts only the greedy set in that order, computed by another algorithm of the package."""
    place = np.empty(graph.num_vertices, np.int64)
    place[np.argsort(order, kind="stable")] = np.arange(graph.num_vertices)  # ties: the larger id comes first
    greedy = sg.maximal_independent_set(graph, priority=place)
    verify = judge_of_sets(graph)

    def judge(result: tuple[np.ndarray, int]) -> dict[str, Any]:
        mask, passes = result
        if not np.array_equal(mask, greedy):
            raise WrongResult(f"not the greedy set: vertex {np.argmax(mask != greedy)} differs")
        return {**verify(mask), "passes": passes}

    return judge


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield every variant for every number of threads, and the package's own rounds in the same order."""
    orders = {(variant.dtype, variant.randomized): variant for variant in VARIANTS}
    judges = {order: judge_of_order(graph, priorities(graph, variant)) for order, variant in orders.items()}
    for count in options.threads:
        for variant in VARIANTS:
            yield Case(
                "mis ablation",
                variant.name,
                lambda _, variant=variant: independent_set(graph, variant),
                judges[variant.dtype, variant.randomized],
                threads=count,
                options={"state": np.dtype(variant.dtype).name},
            )
        yield Case(
            "mis ablation",
            OURS,
            lambda _: package_set(graph),
            judges[BASE.dtype, BASE.randomized],
            threads=count,
            options={"priority": "ecl"},
        )


def simple(file: Path) -> sg.Graph:
    """Read an undirected graph without loops, as in the paper: its order counts entries."""
    graph = data.undirected(file)
    return sg.from_edges(rows_of(graph), graph.indices, n=graph.num_vertices, drop_loops=True)


def graphs(options: Options) -> Graphs:
    """Yield the benchmark graphs; two of them with --quick."""
    for name, make in six_graphs(options):
        if not options.quick or name.removesuffix(SMALL_MARK) in ("G2", "R4"):
            yield name, make


def paper_graphs(options: Options) -> Graphs:
    """Yield the graphs of the paper that are available."""
    known = data.files()
    for name in PAPER_GRAPHS:
        if name in known and not options.quick:
            yield name, partial(simple, known[name][0])


def report(lines: list[Line]) -> str:
    """Show how every variant changes the throughput; with several threads, separately for near and far cores."""
    parts = {}
    for threads in sorted({line["threads"] for line in lines}):
        measured = [line for line in lines if line["threads"] == threads]
        near = [line for line in measured if is_near(line)]
        far = [line for line in measured if not is_near(line)]
        title = threads_in_words(threads)
        states = {title: measured} if threads == 1 else {f"{title}, near cores": near, f"{title}, far cores": far}
        for head, chosen in states.items():
            if graphs := _measured_on(chosen):
                parts[head] = _table(figures(chosen), graphs, threads)
    return f"{under_headings(3, parts)}\n\n{provenance(lines)}"


def _measured_on(lines: list[Line]) -> dict[str, int]:
    """Return the graphs on which all variants were measured, with their numbers of vertices."""
    done = {(line["graph"], line["algorithm"]) for line in lines}
    names = [variant.name for variant in VARIANTS] + [OURS]
    sizes = {graph: n for graph, n in graphs_in(lines).items() if all((graph, name) in done for name in names)}
    return {graph: sizes[graph] for graph in dict.fromkeys([*GRAPHS, *PAPER_GRAPHS, *sizes]) if graph in sizes}


def _table(shown: dict[tuple[str, int, str], Figure], graphs: dict[str, int], threads: int) -> str:
    base = [shown[BASE.name, threads, graph] for graph in graphs]
    rates = [f"{n / figure.seconds / 1e6:,.0f}" for n, figure in zip(graphs.values(), base, strict=True)]
    rows = [[f"*{BASE.name}, million vertices a second*", "", "", "", "", *rates]]
    for variant in (*VARIANTS[1:], Variant(OURS)):
        pairs = [(shown[variant.name, threads, graph], b) for graph, b in zip(graphs, base, strict=True)]
        faster = [b.seconds / default.seconds for default, b in pairs]
        larger = [default.quality["size"] / b.quality["size"] for default, b in pairs]
        means = _percent(geometric_mean(faster)), _percent(geometric_mean(larger), 2)
        rows.append([variant.name, *map(str, variant.paper or ("", "")), *means, *map(_percent, faster)])
    return markdown(["change of throughput, %", "K40", "Titan X", "mean here", "set size", *graphs], rows)


def _percent(ratio: float, digits: int = 0) -> str:
    return f"{100 * (ratio - 1):+.{digits}f}"


STUDY = Study(
    __name__,
    (Part("six", graphs, cases), Part("paper", paper_graphs, cases)),
    data=", ".join(PAPER_GRAPHS),
    report=report,
)
