"""Large sets: how large, how soon, how near to what is proved: tables and pictures of docs/large-sets.md.

    python -m benchmarks.large DATA --page docs/large-sets.md      # everything; half an hour
    python -m benchmarks.large --from-lines --page docs/large-sets.md    # the page again, from the lines that are there

The six graphs, and the graphs of DATA/BEST.tsv (columns name and kamis_redumis_60s: sizes that KaMIS found within a
minute). On each: every maximal set worth having, by all threads; what pip installs; `large_independent_set` without
rounds, with 1, 10, 100 (the default) and 1000, and on some graphs for a minute. A search of more than a second is timed
once; what they had found by when stands in their lines.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult
from .mis import GRAPHS, SMALL, judge_of_sets, peer_cases
from .orders import files, undirected
from .report import Figure, Line, figures, in_order, markdown, provenance, put_between_markers
from .studies import Plan, lines_of, study_options

METHODS: dict[str, dict[str, str]] = {
    "natural": {"priority": "natural"},
    "random": {"priority": "random"},
    "luby": {"algorithm": "luby"},
    "degree": {"priority": "degree"},
    "residual": {"algorithm": "residual"},
}
ROUNDS = (0, 1, 10, 100, 1000)
REPEATS = 3
LONG = 1.0  # seconds; searches that take longer are timed once
QUICK_ROUNDS = 10
# Rounds that take about a minute, where it is asked whether a minute of KaMIS is passed.
MINUTE = {
    "R4": 8000,
    "DE": 15000,
    "mesh-stanford-bunny": 3000,
    "delaunay_n16": 1500,
    "road-NY-contracted": 4000,
    "wave": 10000,
    "USA-road-d.NY": 2500,
}
A_MINUTE = "large, a minute"
MOMENTS = (1, 3, 10, 30)  # seconds: when the sizes of these searches are shown
KAMIS_SECONDS = 60
# Measured before, on such a machine: edge sweeps and sizes of the C++ codes of Chang, Li and Zhang, and what KaMIS's
# redumis had after a minute on a graph that is not in BEST.tsv.
OTHERS = {
    "LinearTime (C++)": dict(
        zip(
            GRAPHS,
            ((24.5, 524288), (26.7, 500000), (66, 334416), (58, 323600), (25, 659280), (10, 189977)),
            strict=True,
        )
    ),
    "NearLinear (C++)": dict(
        zip(
            GRAPHS,
            ((108, 524288), (112, 500000), (537, 334413), (785, 324868), (24, 659280), (10, 189977)),
            strict=True,
        )
    ),
}
KAMIS = {"DE": 326209}


@dataclass(frozen=True)
class Search:
    """What `large_independent_set` gave, how long it took, and the sizes on the way as [seconds, size]."""

    found: sg.IndependentSet
    seconds: float
    path: list[tuple[float, int]]


def search(graph: sg.Graph, rounds: int) -> Search:
    """Run it, and write down each larger set, though not more than forty times in a decade."""
    path: list[tuple[float, int]] = []
    start = time.perf_counter()

    def note(done: int, size: int, upper_bound: int) -> None:
        seconds = time.perf_counter() - start
        if not path or size > path[-1][1]:
            if len(path) > 1 and path[-1][0] < 1.06 * path[-2][0]:
                path.pop()
            path.append((round(seconds, 4), size))

    found = sg.large_independent_set(graph, rounds=rounds, progress=note)
    return Search(found, time.perf_counter() - start, path)


def cases(graph: sg.Graph, threads: int, rounds: dict[str, int], kamis: int | None) -> Iterator[Case]:
    """Maximal sets, ours and the peers'; large sets, by rounds."""
    verify = judge_of_sets(graph)
    known = {"kamis": kamis} if kamis else {}

    def judge(result: Search) -> dict[str, Any]:
        quality, found = verify(result.found.mask), result.found
        if not quality["size"] == found.size <= found.upper_bound or found.upper_bound < (kamis or 0):
            raise WrongResult(f"{found} has {quality['size']} vertices; known is {kamis}")
        proof = {"upper_bound": found.upper_bound, "optimal": found.optimal, "rounds": found.rounds}
        return {**quality, **proof, **known, "path": result.path}

    for name, options in METHODS.items():
        run = partial(_maximal_set, graph, options)
        yield Case("large sets", name, run, lambda m: {**verify(m), **known}, threads=threads, options=options, seed=0)
    for peer in peer_cases(graph, threads):
        yield Case("large sets", peer.algorithm, peer.run, peer.judge, threads=peer.threads, options=peer.options)
    for name, count in rounds.items():
        run = partial(_large_set, graph, count)
        yield Case(
            "large sets",
            name,
            _once_if_long(run) if count > 1 else run,  # the shortest compile what the others need
            judge,
            threads=threads,
            options={"rounds": count},
            seed=0,
            seconds=lambda result: result.seconds,
        )


def _maximal_set(graph: sg.Graph, options: dict[str, str], _: None) -> Any:
    return sg.maximal_independent_set(graph, **options)


def _large_set(graph: sg.Graph, rounds: int, _: None) -> Search:
    return search(graph, rounds)


def _once_if_long(run: Callable[[None], Search]) -> Callable[[None], Search]:
    """Where the first call took long, the others give what it found."""
    done: list[Search] = []

    def run_or_recall(nothing: None) -> Search:
        if not done or done[-1].seconds < LONG:
            done.append(run(nothing))
        return done[-1]

    return run_or_recall


def large(rounds: int) -> str:
    """How a search is called in lines and tables."""
    return f"large, {rounds:,} round{'s' * (rounds != 1)}"


def known_sizes(data: Path) -> dict[str, int]:
    """Name of a graph to the size that KaMIS found."""
    with (data / "BEST.tsv").open(encoding="utf-8", newline="") as table:
        return {row["name"]: int(row["kamis_redumis_60s"]) for row in csv.DictReader(table, delimiter="\t")}


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs, and those of BEST.tsv, small ones first."""
    threads = max(options.threads)

    def on(name: str, kamis: int | None = None) -> Callable[[sg.Graph], Iterator[Case]]:
        rounds = {large(count): count for count in ROUNDS if count <= QUICK_ROUNDS or not options.quick}
        if name in MINUTE and not options.quick:
            rounds[A_MINUTE] = MINUTE[name]
        return partial(cases, threads=threads, rounds=rounds, kamis=None if options.quick else KAMIS.get(name, kamis))

    for name in GRAPHS:
        yield name, SMALL[name] if options.quick else partial(gallery.benchmark_graph, name), on(name)
    if options.data:
        there = files(options.data)
        for name, kamis in sorted(known_sizes(options.data).items(), key=lambda item: there[item[0]][1]):
            yield name, partial(undirected, there[name][0]), on(name, kamis)


class Results:
    """What is shown, by graph and method."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.figures: dict[tuple[str, str], Figure] = {
            (graph, algorithm): figure for (algorithm, _, graph), figure in figures(lines).items()
        }
        self.graphs = sorted(in_order(line["graph"] for line in lines), key=self._place)
        used = in_order(line["algorithm"] for line in lines)
        self.searches = [large(count) for count in ROUNDS if large(count) in used]
        peers = [name for name in used if name not in (*METHODS, *self.searches, A_MINUTE)]
        self.methods = [*peers, *METHODS, *self.searches]

    def _place(self, graph: str) -> tuple[int, int]:
        """The six first, then by size."""
        six = GRAPHS.index(graph) if graph in GRAPHS else len(GRAPHS)
        return six, next(line["n"] for line in self.lines if line["graph"] == graph)

    def of(self, graph: str, name: str) -> dict[str, Any]:
        """What is called so in the lines of a graph, by method."""
        return {m: f.quality[name] for (g, m), f in self.figures.items() if g == graph and name in f.quality}

    def kamis(self, graph: str) -> int | None:
        """The size that KaMIS found in a minute, if it is known."""
        return next(iter(self.of(graph, "kamis").values()), None)

    def others(self, graph: str) -> dict[str, tuple[float, int]]:
        """Edge sweeps and sizes of what was measured elsewhere."""
        found = {name: row[graph] for name, row in OTHERS.items() if graph in row}
        if kamis := self.kamis(graph):
            found["KaMIS, 60 s"] = KAMIS_SECONDS / self.sweep(graph), kamis
        return found

    def bound(self, graph: str) -> int:
        """The smallest bound that was proved."""
        return min(self.of(graph, "upper_bound").values())

    def best(self, graph: str) -> int:
        """The largest size known."""
        return max(*self.of(graph, "size").values(), self.kamis(graph) or 0)

    def sweep(self, graph: str) -> float:
        """Seconds; the least of all."""
        return min(line["sweep"]["seconds"] for line in self.lines if line["graph"] == graph)

    def tables(self) -> str:
        """All of them, as parts of a page."""
        six = [graph for graph in self.graphs if graph in GRAPHS]
        real = [graph for graph in self.graphs if graph not in GRAPHS]
        searched = [graph for graph in self.graphs if (graph, A_MINUTE) in self.figures]
        parts = ["### All graphs", self._summary()]
        parts += ["### The six graphs", self._by_method(six)] if six else []
        parts += ["### Real graphs", self._by_graph(real)] if real else []
        parts += ["### Searches of about a minute", self._over_time(searched)] if searched else []
        return "\n\n".join([*parts, provenance(self.lines)])

    def _summary(self) -> str:
        """One row a method: means over the graphs where it ran."""
        rows = []
        for method in self.methods:
            ran = {graph: self.figures[graph, method] for graph in self.graphs if (graph, method) in self.figures}
            shares = [100 * figure.quality["size"] / self.best(graph) for graph, figure in ran.items()]
            sweeps = geometric_mean(figure.sweeps for figure in ran.values())
            cells = [str(len(ran)), f"{geometric_mean(shares):.2f}", f"{min(shares):.2f}", _digits(sweeps)]
            if method in self.searches:
                gaps = [100 * figure.quality["upper_bound"] / self.best(graph) - 100 for graph, figure in ran.items()]
                proved = sum(figure.quality["optimal"] for figure in ran.values())
                cells += [str(proved), f"{fmean(gaps):.2f}", f"{max(gaps):.2f}"]
            rows.append([method, *cells, *[""] * (7 - len(cells))])
        head = ["in % of the largest known", "graphs", "size", "least", "edge sweeps", "maximum, proved"]
        return markdown([*head, "bound above", "most"], rows)

    def _by_method(self, graphs: list[str]) -> str:
        """One column a graph: edge sweeps, and sizes in brackets, those that are proved in bold."""
        rows = []
        for method in self.methods:
            found = [self.figures.get((graph, method)) for graph in graphs]
            if any(found):
                rows.append([method, *(f"{_digits(f.sweeps)} ({_size(f)})" if f else "" for f in found)])
        for name in (*OTHERS, "KaMIS, 60 s"):
            found = [self.others(graph).get(name) for graph in graphs]
            rows.append([name, *(f"{_digits(cell[0])} ({cell[1]:,})" if cell else "" for cell in found)])
        rows.append(["*upper bound*", *(f"{self.bound(graph):,}" for graph in graphs)])
        rows.append(["*one sweep*", *(f"{1e3 * self.sweep(graph):.2f} ms" for graph in graphs)])
        return markdown(["edge sweeps (set size)", *graphs], rows)

    def _by_graph(self, graphs: list[str]) -> str:
        """One row a graph: sizes, and milliseconds in brackets."""
        methods = ["natural", "degree", "residual", *self.searches]
        rows = []
        for graph in graphs:
            found = [self.figures.get((graph, method)) for method in methods]
            cells = [f"{_size(f)} ({_digits(1e3 * f.seconds)})" if f else "" for f in found]
            rows.append([graph, *cells, f"{self.bound(graph):,}", f"{self.kamis(graph):,}"])
        return markdown(["set size (ms)", *methods, "upper bound", "KaMIS, 60 s"], rows)

    def _over_time(self, graphs: list[str]) -> str:
        """Sizes at some moments and at the end, and when the search passed KaMIS."""
        rows = []
        for graph in graphs:
            figure, kamis = self.figures[graph, A_MINUTE], self.kamis(graph)
            path = figure.quality["path"]
            by_then = [max((size for t, size in path if t <= moment), default=None) for moment in MOMENTS]
            passed = next((f"{t:.1f} s" for t, size in path if kamis and size > kamis), "no") if kamis else ""
            end = [f"{figure.quality['size']:,}", f"{figure.seconds:.0f} s", f"{figure.quality['rounds']:,}"]
            cells = [*(f"{size:,}" if size else "" for size in by_then), *end, f"{kamis:,}" if kamis else "", passed]
            rows.append([graph, *cells, f"{self.bound(graph):,}"])
        head = ["set size", *(f"after {moment} s" for moment in MOMENTS), "at the end", "after", "rounds"]
        return markdown([*head, "KaMIS, 60 s", "passed after", "upper bound"], rows)


def _size(figure: Figure) -> str:
    size = f"{figure.quality['size']:,}"
    return f"**{size}**" if figure.quality.get("optimal") else size


def _digits(value: float) -> str:
    """Two digits at least, and no more than needed."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the tables, and on request put them into the page and draw the picture beside it."""
    options = study_options("large", __doc__ or "", arguments)
    options.repeats = options.repeats or (1 if options.quick else REPEATS)
    results = Results(lines_of(options, plan(options)))
    print(results.tables())
    if options.page:
        put_between_markers(options.page, results.tables(), "large")
        from .large_picture import draw

        draw(results, options.page.parent / "images" / "large-sets.png")


if __name__ == "__main__":
    main()
