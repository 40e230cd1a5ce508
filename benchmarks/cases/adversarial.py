"""Graphs with hubs or cliques: does any function take time out of proportion there?

Every public function that takes a graph or a matrix is called on each graph, and on a random graph with as many
vertices and as many edges (arcs); the ratio of the two times is what counts. To draw as many edges as a clique has
gives a graph that is nearly a clique itself, so cliques are also compared with a random graph of as many edges and 80
times as many vertices, and the shorter time counts.

Calls are made in a process of its own (`limited`), that is ended after 30 s or when it asks for more than 8 GiB: the
call is out of proportion then, whatever the ratio. A call is timed twice, if that takes less than 3 s, and five times
where the ratio is above 20; the least time counts. Calls on random graphs count as 1 ms at least (below, times are
those of a few launches, and of the machine's mood) and as 5 s at most (they are ended then). Threads are the most that
are asked for.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from typing import Any

import stablegraph as sg

from ..limited import Limited, NotEnded, Timed
from ..study import Case, Graphs, Options, Part, Study, WrongResult, case_is_asked_for
from ..tables import Line, markdown, provenance
from .adversarial_calls import CALLS, DEFAULT, Given
from .adversarial_graphs import CLIQUES, FAMILIES, make, random_graph

VERTICES, SPARSER = 200_000, 80  # a clique has so many times fewer vertices
FACTOR = 20.0  # what is out of proportion
SHOWN = 5.0  # a ratio from which on calls with other options are in the table
LEAST = 1e-3  # seconds
LONG = 3.0  # seconds of calls after which one is not repeated
LIMIT, MEMORY = 30.0, 8 << 30  # seconds and bytes for one call
MOST = 5.0  # seconds for a call on a random graph
YARDSTICKS = 10.0  # seconds for which an edge sweep is not taken again

Kind = tuple[Any, ...]  # ("family", name, n) or ("random", n, edges, directed, loops)


def _made(kind: Kind) -> sg.Graph:
    return make(*kind[1:]) if kind[0] == "family" else random_graph(*kind[1:])


@lru_cache(maxsize=3)
def _given(kind: Kind) -> Given:
    return Given(_made(kind))


_judged: set[tuple[Kind, str]] = set()


def calls(kind: Kind, name: str) -> Timed:
    """A call on a graph; in the other process."""
    warnings.simplefilter("ignore")
    given, chosen = _given(kind), CALLS[name]
    positional, options = chosen.arguments(given)
    yield
    answer = chosen.function(*positional, **options)
    yield
    if (kind, name) in _judged:
        return None
    _judged.add((kind, name))
    return chosen.judge(given, answer)


class Least:
    """The least seconds of each call on each graph so far."""

    def __init__(self, limited: Limited, limit: float) -> None:
        self._limited, self.limit = limited, limit
        self._runs: dict[tuple[Kind, str], list[float]] = {}
        self._not_ended: dict[tuple[Kind, str], NotEnded] = {}

    def seconds(self, kind: Kind, name: str, repeats: int, limit: float) -> float:
        key = kind, name
        runs = self._runs.setdefault(key, [])
        while key not in self._not_ended and len(runs) < repeats and sum(runs) < LONG * repeats / 2:
            try:
                seconds, wrong = self._limited(*key, seconds=limit)
            except NotEnded as why:
                self._not_ended[key] = why
                break
            except RuntimeError as error:
                raise WrongResult(str(error)) from None
            if wrong:
                raise WrongResult(wrong)
            runs.append(seconds)
        if not runs:
            raise self._not_ended[key]
        return min(runs)

    def compare(self, kind: Kind, references: tuple[Kind, ...], name: str) -> dict[str, Any]:
        """A call on a graph and on random ones."""
        for repeats in (2, 5):
            told = {}
            try:
                seconds = self.seconds(kind, name, repeats, self.limit)
            except NotEnded as why:
                seconds, told = self.limit, {"ended": str(why)}
            random = MOST
            for reference in references:
                with contextlib.suppress(NotEnded):
                    random = min(random, self.seconds(reference, name, repeats, MOST))
            ratio = seconds / max(random, LEAST)
            if ratio <= FACTOR:
                break
        return {"seconds": seconds, "random": float(f"{random:.3g}"), "ratio": float(f"{ratio:.3g}"), **told}


@cache
def _least(threads: int, limit: float) -> Least:
    """Start the process that makes the calls."""
    return Least(Limited(calls, MEMORY, threads), limit)


def cases(family: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """All calls that suit a graph."""
    threads = max(options.threads)
    least, kind = _least(threads, options.limit), _kind(family, options)
    n, edges = graph.num_vertices, graph.num_entries if graph.directed else graph.num_edges
    step = max(1, n // 100)  # so that graphs of nearly as many edges have a random graph in common
    like = max(step, round(edges / step) * step), graph.directed, graph.has_loops
    references: tuple[Kind, ...] = (("random", n, *like),)
    if family in CLIQUES:
        references = (*references, ("random", SPARSER * n, *like))
    given = Given(graph)
    for name, call in CALLS.items():
        if case_is_asked_for(name, options) and call.suits(graph.directed) and call.fits(given):
            run = partial(least.compare, kind, references, name)
            yield Case(
                call.function.__qualname__,
                name,
                lambda _, run=run: run(),
                lambda found: {key: value for key, value in found.items() if key != "seconds"},
                threads=threads,
                options={"default": call in DEFAULT},
                seconds=lambda found: float(found["seconds"]),
            )


def _kind(family: str, options: Options) -> Kind:
    n = options.n or (VERTICES // 100 if options.quick else VERTICES)
    return "family", family, n // SPARSER if family in CLIQUES else n


def graphs(options: Options) -> Graphs:
    """All families."""
    for family in FAMILIES:
        yield family, partial(_made, _kind(family, options))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def _ratio(line: Line) -> float:
    """The ratio of the times; that of a call that was ended is not known."""
    return math.inf if "ended" in line["quality"] else float(line["quality"]["ratio"])


def report(lines: list[Line]) -> str:
    """For each call the graph with the largest ratio; for those with other options only if the ratio is large."""
    last = {(line["algorithm"], line["graph"]): line for line in lines}  # of a case that was measured again
    worst: dict[str, Line] = {}
    for (call, _), line in last.items():
        if call not in worst or _ratio(line) > _ratio(worst[call]):
            worst[call] = line

    def table(chosen: list[Line]) -> str:
        rows = []
        for line in chosen:
            found, seconds = line["quality"], line["seconds"]["min"]
            more = ">" if "ended" in found else ""
            rows.append(
                [
                    f"`{line['algorithm']}`",
                    line["graph"],
                    f"{more}{_milliseconds(seconds)}",
                    _milliseconds(found["random"]),
                    f"{more}{found['ratio']:.1f}",
                ]
            )
        return markdown(["call", "slowest on", "ms", "ms, random", "ratio"], rows)

    default = [line for line in worst.values() if line["options"]["default"]]
    others = [line for line in worst.values() if not line["options"]["default"]]
    slow = [line for line in others if _ratio(line) > SHOWN]
    above = sum(_ratio(line) > FACTOR for line in last.values())
    sizes = ", ".join(
        f"{graph} ({line['n']:,} vertices, {line['m']:,} entries)"
        for graph, line in {line["graph"]: line for line in last.values()}.items()
    )
    parts = [f"{len(last):,} calls, {above} of them ended or with a ratio above {FACTOR:g}."]
    if default:
        parts += ["With default options:", table(default)]
    if others:
        parts.append(f"With other options, {len(others) - len(slow)} of {len(others)} ratios are at most {SHOWN:g}")
        parts[-1] += "; the others:" if slow else "."
    if slow:
        parts.append(table(slow))
    return "\n\n".join([*parts, f"Graphs: {sizes}.", provenance(lines)])


def _add_options(parser: Any) -> None:
    parser.add_argument("--n", type=int, help=f"vertices (default {VERTICES:,}; of a clique {SPARSER} times fewer)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a call")


STUDY = Study(
    __name__,
    (Part("families", graphs, cases),),
    repeats=1,  # a case times its calls itself
    yardsticks_last=YARDSTICKS,
    report=report,
    add_options=_add_options,
)
