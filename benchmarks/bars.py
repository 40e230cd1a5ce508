"""HTML bar charts without a legend: one panel per job, one bar per library, with times in edge sweeps.

All panels of a group share one logarithmic scale, so bars can be compared across panels. Each bar names the library,
its time, and its result. Bars of stablegraph are highlighted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .machine import ROOT
from .results import MACHINES, lines_of
from .tables import Figure, Line, figures, threads_in_words

RESULTS = ROOT / "benchmarks" / "results"
OURS = "stablegraph"


@dataclass(frozen=True)
class Job:
    """One panel: a study, a graph, and the algorithms of each bar (the times of several algorithms are added)."""

    title: str
    study: str
    bars: dict[str, str | tuple[str, ...]]  # library name: its algorithm in the lines
    graph: str = "R4"
    problem: str = ""  # only its lines


_MULTIGRID = "mis2, chebyshev: setup", "mis2, chebyshev: solve"
_PYAMG = "PyAMG, standard, chebyshev: setup", "PyAMG, standard, chebyshev: solve"

CPU = (
    Job(
        "A maximal independent set",
        "mis",
        {
            f"{OURS}, low degrees first": "stablegraph degree",
            f"{OURS}, in order of numbers": "stablegraph natural",
            "PyAMG, in order of numbers": "PyAMG serial",
            "PyAMG, random order": "PyAMG parallel",
            "NetworKit, Luby's": "NetworKit Luby",
        },
    ),
    Job("A set at distance two", "distance_two", {OURS: "distance 2, random", "PyAMG": "distance 2, PyAMG"}),
    Job(
        "A coloring",
        "coloring",
        {
            f"{OURS}, the default": "largest_first, quick",
            f"{OURS}, largest first alone": "largest_first",
            "PyAMG, largest first": "PyAMG LDF",
            "PyAMG, Jones-Plassmann": "PyAMG JP",
            "PyAMG, set by set": "PyAMG MIS",
        },
    ),
    Job(
        "Connected components",
        "components",
        {OURS: "components, union", "SciPy": "components, SciPy", "NetworKit": "components, NetworKit"},
    ),
    Job(
        "A search from one vertex",
        "components",
        {OURS: "search", "SciPy": "search, SciPy", "NetworKit": "search, NetworKit"},
    ),
    Job("Strong components", "strong", {OURS: "auto", "SciPy": "SciPy"}),
    Job(
        "A minimum spanning forest",
        "forest",
        {OURS: "filter_kruskal", "SciPy, one triangle": "SciPy, upper triangle", "SciPy": "SciPy, full"},
    ),
    Job("Aggregates for multigrid", "aggregation", {OURS: "mis2", "PyAMG, its standard ones": "PyAMG standard"}),
    Job("A linear system of a million unknowns", "multigrid", {OURS: _MULTIGRID, "PyAMG": _PYAMG}, "Poisson 100^3"),
)
GPU = tuple(
    Job(title, "native", {OURS: "ours", "ECL-Suite": "ECL baseline"}, problem=problem)
    for title, problem in {
        "A maximal independent set": "set",
        "A coloring by first fit": "coloring",
        "Connected components": "components",
        "A minimum spanning forest": "forest, int32",
    }.items()
)


@dataclass(frozen=True)
class Bar:
    """One bar of a panel."""

    who: str
    sweeps: float
    seconds: float
    result: str

    @property
    def ours(self) -> bool:
        return self.who.startswith(OURS)


def newest(study: str, results: Path = RESULTS) -> list[Line]:
    """Return the lines of a study: of its newest file, or of the release."""
    return lines_of(study, results)


def lines_of_jobs(jobs: tuple[Job, ...], results: Path = RESULTS) -> list[Line]:
    """Return the lines of the studies of several panels."""
    where = ["gpu"] if jobs is GPU else MACHINES
    return [line for study in dict.fromkeys(job.study for job in jobs) for line in lines_of(study, results, where)]


def bars_of(job: Job, results: Path = RESULTS) -> list[Bar]:
    """Return the bars of a panel, ours first: one bar with the most threads measured, and one with a single thread."""
    lines = lines_of(job.study, results, ["gpu"] if job in GPU else MACHINES)
    of_graph = (line for line in lines if line["graph"] == job.graph and line["problem"].startswith(job.problem))
    measured = figures(line for line in of_graph if "seconds" in line)
    answer = []
    for who, algorithms in job.bars.items():
        parts = (algorithms,) if isinstance(algorithms, str) else algorithms
        for threads in sorted({count for name, count, _ in measured if name == parts[0]}, reverse=True):
            shown = [measured[part, threads, job.graph] for part in parts]
            said = "" if job in GPU else f", {threads_in_words(threads)}"
            result = next((text for text in map(_result, shown) if text), "")
            answer.append(Bar(who + said, sum(f.sweeps for f in shown), sum(f.seconds for f in shown), result))
    return answer


def _result(figure: Figure) -> str:
    names = {"size": "vertices", "colors": "colors", "iterations": "iterations"}
    return next((f"{figure.quality[key]:,} {name}" for key, name in names.items() if key in figure.quality), "")


def panels(jobs: tuple[Job, ...], results: Path = RESULTS) -> str:
    """Format the panels of a group, on one scale."""
    shown = [(job.title, bars_of(job, results)) for job in jobs]
    times = [bar.sweeps for _, bars in shown for bar in bars]
    low, high = 10.0 ** math.floor(math.log10(min(times))), 10.0 ** math.ceil(math.log10(max(times)))
    return "\n".join(_panel(title, bars, low, high) for title, bars in shown)


def _panel(title: str, bars: list[Bar], low: float, high: float) -> str:
    decades = round(math.log10(high / low))
    ticks = "".join(f'<span style="left:{100 * k / decades:.2f}%">{low * 10**k:,g}</span>' for k in range(decades + 1))
    rows = "\n".join(_row(bar, low, high) for bar in bars)
    return (
        f'<figure class="job" style="--decade:{100 / decades:.3f}%"><figcaption>{escape(title)}</figcaption>\n{rows}\n'
        f'<div class="scale"><span class="who">multiples of a sweep</span><span class="track">{ticks}</span>'
        '<span class="value"></span></div></figure>'
    )


def _row(bar: Bar, low: float, high: float) -> str:
    width = 100 * math.log(bar.sweeps / low) / math.log(high / low)
    result = f", {bar.result}" if bar.result else ""
    return (
        f'<div class="bar{" ours" if bar.ours else ""}"><span class="who">{escape(bar.who)}</span>'
        f'<span class="track"><span class="fill" style="width:{width:.1f}%"></span></span>'
        f'<span class="value">{_times(bar.sweeps)} ({_duration(bar.seconds)}{result})</span></div>'
    )


def _times(sweeps: float) -> str:
    return f"{sweeps:,.0f}" if sweeps >= 100 else f"{sweeps:.3g}"


def _duration(seconds: float) -> str:
    return f"{seconds:,.2f} s" if seconds >= 1 else f"{seconds * 1e3:,.3g} ms"
