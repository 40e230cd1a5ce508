"""Graphs with hubs or cliques: does any function take disproportionately long on them?

Every public function that accepts a graph or a matrix is called on each graph, and on a random graph with the same
numbers of vertices and edges (arcs). The result is the ratio of the two times. A random graph with as many edges as a
clique is nearly a clique itself, so cliques are also compared with a random graph with the same number of edges and 80
times the vertices; the shorter time counts.

Calls are made in a separate process (`limited`), which is ended after 30 s or when it requests more than 8 GiB. Such a
call counts as disproportionate whatever the ratio. A call is timed twice if that takes less than 3 s, and five times
where the ratio is above 20; the minimum counts. Calls on random graphs count as at least 1 ms (shorter times measure
only a few launches and the noise of the machine) and as at most 5 s (they are ended then). The number of threads is the
largest one requested.
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

VERTICES, SPARSER = 200_000, 80  # cliques have 80 times fewer vertices
FACTOR = 20.0  # larger ratios are out of proportion
SHOWN = 5.0  # calls with non-default options are in the table from this ratio on
LEAST = 1e-3  # seconds
LONG = 3.0  # seconds of calls after which one is not repeated
LIMIT, MEMORY = 30.0, 8 << 30  # seconds and bytes for one call
MOST = 5.0  # seconds for a call on a random graph
YARDSTICKS = 10.0  # seconds for which an edge sweep is not measured again

Kind = tuple[Any, ...]  # ("family", name, n) or ("random", n, edges, directed, loops)


def _made(kind: Kind) -> sg.Graph:
    return make(*kind[1:]) if kind[0] == "family" else random_graph(*kind[1:])


@lru_cache(maxsize=3)
def _given(kind: Kind) -> Given:
    return Given(_made(kind))


_judged: set[tuple[Kind, str]] = set()


def calls(kind: Kind, name: str) -> Timed:
    """Make one call on a graph, in the other process."""
    warnings.simplefilter("ignore")
    arguments, chosen = _given(kind), CALLS[name]
    positional, options = chosen.arguments(arguments)
    yield
    answer = chosen.function(*positional, **options)
    yield
    if (kind, name) in _judged:
        return None
    _judged.add((kind, name))
    return chosen.judge(arguments, answer)


class Least:
    """The minimum time of each call on each graph so far."""

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
        """Time a call on a graph and on random graphs."""
        for repeats in (2, 5):
            reported = {}
            try:
                seconds = self.seconds(kind, name, repeats, self.limit)
            except NotEnded as why:
                seconds, reported = self.limit, {"ended": str(why)}
            random = MOST
            for reference in references:
                with contextlib.suppress(NotEnded):
                    random = min(random, self.seconds(reference, name, repeats, MOST))
            ratio = seconds / max(random, LEAST)
            if ratio <= FACTOR:
                break
        return {"seconds": seconds, "random": float(f"{random:.3g}"), "ratio": float(f"{ratio:.3g}"), **reported}


@cache
def _least(threads: int, limit: float) -> Least:
    """Start the process that makes the calls."""
    return Least(Limited(calls, MEMORY, threads), limit)


def cases(family: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all calls that suit a graph."""
    threads = max(options.threads)
    smallest, kind = _least(threads, options.limit), _kind(family, options)
    n, edges = graph.num_vertices, graph.num_entries if graph.directed else graph.num_edges
    step = max(1, n // 100)  # so that graphs with nearly equal numbers of edges share a random graph
    like = max(step, round(edges / step) * step), graph.directed, graph.has_loops
    references: tuple[Kind, ...] = (("random", n, *like),)
    if family in CLIQUES:
        references = (*references, ("random", SPARSER * n, *like))
    arguments = Given(graph)
    for name, call in CALLS.items():
        if case_is_asked_for(name, options) and call.suits(graph.directed) and call.fits(arguments):
            run = partial(smallest.compare, kind, references, name)
            yield Case(
                call.function.__qualname__,
                name,
                lambda _, run=run: run(),
                lambda result: {key: value for key, value in result.items() if key != "seconds"},
                threads=threads,
                options={"default": call in DEFAULT},
                seconds=lambda result: float(result["seconds"]),
            )


def _kind(family: str, options: Options) -> Kind:
    n = options.n or (VERTICES // 100 if options.quick else VERTICES)
    return "family", family, n // SPARSER if family in CLIQUES else n


def graphs(options: Options) -> Graphs:
    """Yield all families."""
    for family in FAMILIES:
        yield family, partial(_made, _kind(family, options))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def _ratio(line: Line) -> float:
    """Return the ratio of the times; infinity for a call that was ended."""
    return math.inf if "ended" in line["quality"] else float(line["quality"]["ratio"])


def report(lines: list[Line]) -> str:
    """Show the graph with the largest ratio per call; calls with non-default options only if the ratio is large."""
    last = {(line["algorithm"], line["graph"]): line for line in lines}  # a case may have been measured again
    worst: dict[str, Line] = {}
    for (call, _), line in last.items():
        if call not in worst or _ratio(line) > _ratio(worst[call]):
            worst[call] = line

    def table(chosen: list[Line]) -> str:
        rows = []
        for line in chosen:
            result, seconds = line["quality"], line["seconds"]["min"]
            more = ">" if "ended" in result else ""
            rows.append(
                [
                    f"`{line['algorithm']}`",
                    line["graph"],
                    f"{more}{_milliseconds(seconds)}",
                    _milliseconds(result["random"]),
                    f"{more}{result['ratio']:.1f}",
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
