"""The one form in which all that is measured is declared: cases, parts, studies."""

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
    """A case gave an answer that its judge refused: there is no time to report."""


@dataclass(frozen=True)
class Case:
    """One thing to measure: `run(prepare())`, where only `run` is timed and `judge` looks at what it gave.

    `judge` returns the quality (set size, rounds, bytes ...) or raises `WrongResult`. A run that takes its own time (in
    another process, say) has `seconds`, which finds it in the result. A case that is `warm` is timed at once:
    the case before it has run the same code, with another number of threads.
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
class Part:
    """Some graphs, and what is measured on each: ``cases(name, graph, options)``.

    What is counted and not timed comes as a line and not as a case; such graphs are done `once` in a file.
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
    """What is measured about a problem, and what is made of the lines.

    The name and the sentence are those of its module, `data` says what it wants from the folder of real graphs, `peers`
    are the packages that are measured beside this one. `report` makes the tables, `page` those that go between the
    markers of a page, where these are not all, and `pictures` draws into files that the pages show.
    """

    module: str
    parts: tuple[Part, ...]
    peers: tuple[str, ...] = ()
    data: str = ""
    repeats: int = 7  # as in the papers
    quick_repeats: int = 1
    longest: float = 30.0  # seconds of timed runs after which a case ends, however many runs were asked for
    fewest: int = 2  # timed runs, however long they take
    yardsticks_last: float = 0.0
    report: Callable[[list[Line]], str] = _times_and_provenance
    page: Callable[[list[Line]], str] | None = None
    pictures: dict[str, Callable[[list[Line], Path], None]] = field(default_factory=dict)
    add_options: Callable[[Any], None] = _no_options

    @property
    def name(self) -> str:
        return self.module.rpartition(".")[2]

    @property
    def text(self) -> str:
        return (sys.modules[self.module].__doc__ or "").partition("\n")[0]


def plan(
    study: Study, options: Options, done: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Graph, Iterator[Case | Line]]]:
    """Graph by graph, each made once: its name, the graph, and what the parts that are asked for measure on it.

    The graphs in `done` are left out by parts that take each once.
    """
    makes: dict[str, Callable[[], Graph]] = {}
    parts: dict[str, list[Part]] = {}
    for part in study.parts:
        if matches(part.name, options.parts):
            for name, make in part.graphs(options):
                if _is_asked_for(name, options.graphs) and not (part.once and name in done):
                    makes.setdefault(name, make)
                    parts.setdefault(name, []).append(part)
    for name, make in makes.items():
        graph = make()
        yield name, graph, _cases(name, graph, parts[name], options)


def _cases(name: str, graph: Graph, parts: list[Part], options: Options) -> Iterator[Case | Line]:
    for part in parts:
        for case in part.cases(name, graph, options):
            if isinstance(case, dict) or case_is_asked_for(case.algorithm, options):
                yield case


def _is_asked_for(name: str, patterns: str) -> bool:
    return matches(name, patterns) or matches(name.removesuffix(SMALL_MARK), patterns)


def case_is_asked_for(name: str, options: Options) -> bool:
    """Whether a case of that name is to be measured."""
    return matches(name, options.cases, ";") and not matches(name, options.but, ";")


def matches(name: str, patterns: str, separator: str = ",") -> bool:
    """Whether a name is like one of some patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(separator))
