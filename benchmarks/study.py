"""The declarations of all measurements: cases, parts, studies."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tables import Line, table_of_times, with_provenance

if TYPE_CHECKING:
    from stablegraph import Graph

SMALL_MARK = " (small)"  # after the names of the small graphs of --quick
Options = argparse.Namespace
Graphs = Iterable[tuple[str, Callable[[], "Graph"]]]
Judge = Callable[[Any], dict[str, Any]]


class WrongResult(Exception):
    """A judge rejected the answer of a case, so that there is no time to report."""


@dataclass(frozen=True)
class Case:
    """One measurement: `run(prepare())`, of which only `run` is timed; `judge` checks its result.

    `judge` returns the quality (set size, rounds, bytes ...) or raises `WrongResult`. If a run measures its own time,
    for example in another process, `seconds` extracts it from the result. A case that is `warm` is timed at once: the
    case before it has run the same code, with another number of threads.
    """

    problem: str
    algorithm: str
    run: Callable[[Any], Any]
    judge: Judge
    threads: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    prepare: Callable[[], Any] = lambda: None
    seconds: Callable[[Any], float] | None = None
    warm: bool = False


@dataclass(frozen=True)
class Best:
    """A comparison of one of our algorithms with the fastest peer on each graph; `peers` are patterns, with ";"."""

    title: str
    problem: str
    ours: str
    peers: str


@dataclass(frozen=True)
class Part:
    """Some graphs, and the measurements on each: ``cases(name, graph, options)``.

    Counts without times are yielded as lines instead of cases. If `once` is set, graphs that are in the file already
    are left out.
    """

    name: str
    graphs: Callable[[Options], Graphs]
    cases: Callable[[str, Any, Options], Iterable[Case | Line]]
    once: bool = False


_times_and_provenance = with_provenance(table_of_times)


def _no_options(parser: Any) -> None:
    pass


@dataclass(frozen=True)
class Study:
    """All measurements of a problem, and the presentation of their lines.

    The name and the title are those of its module. `data` names the graphs that it needs from the folder of real
    graphs, and `peers` the packages that are compared. `report` makes the tables. `page` makes the tables between the
    markers of a page, if they differ from those of the report. `pictures` draws into files that the pages show. With
    `turns`, the cases of one problem and graph alternate, run by run. `machines` has the arguments of its run on each
    machine of a release, `best` the comparisons with peers, and `programs` the names of files that the user builds.
    """

    module: str
    parts: tuple[Part, ...]
    peers: tuple[str, ...] = ()
    data: str = ""
    repeats: int = 9
    quick_repeats: int = 1
    longest: float = 1.0  # seconds of timed runs after which a case ends, whatever number of runs was requested
    fewest: int = 3  # minimum number of timed runs, unless one of them takes more than harness.ONCE seconds
    yardsticks_last: float = 0.0
    report: Callable[[list[Line]], str] = _times_and_provenance
    page: Callable[[list[Line]], str] | None = None
    turns: bool = False
    machines: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"cpu2": ()})
    best: tuple[Best, ...] = ()
    programs: tuple[str, ...] = ()
    pictures: dict[str, Callable[[list[Line], Path], None]] = field(default_factory=dict)
    add_options: Callable[[Any], None] = _no_options

    @property
    def name(self) -> str:
        return self.module.rpartition(".")[2]

    @property
    def text(self) -> str:
        return (sys.modules[self.module].__doc__ or "").partition("\n")[0]


def plan(
    study: Study, options: Options, done: frozenset[str] = frozenset(), *, whole: bool = False
) -> Iterator[tuple[str, Graph, Iterator[Case | Line]]]:
    """Make the requested graphs one after another, and yield the name, the graph and the requested cases of each.

    Parts with `once` leave out the graphs in `done`; all parts do if `whole` is set.
    """
    for name, (make, parts) in graphs_of(study, options, done, whole=whole).items():
        graph = make()
        yield name, graph, _cases(name, graph, parts, options)


def graphs_of(
    study: Study, options: Options, done: frozenset[str] = frozenset(), *, whole: bool = False
) -> dict[str, tuple[Callable[[], Graph], list[Part]]]:
    """Return the requested graphs by name, as functions that make them, and the parts that use each; see `plan`."""
    found: dict[str, tuple[Callable[[], Graph], list[Part]]] = {}
    for part in study.parts:
        if matches(part.name, options.parts):
            for name, make in part.graphs(options):
                if _is_asked_for(name, options.graphs) and not ((part.once or whole) and name in done):
                    found.setdefault(name, (make, []))[1].append(part)
    return found


def _cases(name: str, graph: Graph, parts: list[Part], options: Options) -> Iterator[Case | Line]:
    for part in parts:
        for case in part.cases(name, graph, options):
            if isinstance(case, dict) or case_is_asked_for(case.algorithm, options):
                yield case


def _is_asked_for(name: str, patterns: str) -> bool:
    return matches(name, patterns) or matches(name.removesuffix(SMALL_MARK), patterns)


def case_is_asked_for(name: str, options: Options) -> bool:
    """Return whether a case of that name is requested."""
    return matches(name, options.cases, ";") and not matches(name, options.but, ";")


def matches(name: str, patterns: str, separator: str = ",") -> bool:
    """Return whether a name matches one of several patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(separator))
