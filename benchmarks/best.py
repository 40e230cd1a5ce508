"""Short tables: our time, the best other program and the ratio, per problem and graph; the overview of all problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import geometric_mean, median
from typing import NamedTuple

from .study import Best, matches
from .tables import Figure, Line, figures, markdown, provenance

Changed = dict[str, list[float]]  # the ratios of several runs by problem and graph, where they differ
MANY = 40  # comparisons from which a table has a row per problem, and only ratios


class Row(NamedTuple):
    """One comparison: problem, graph, our result, the fastest other program, and its result; ratios of several runs."""

    title: str
    graph: str
    ours: Figure
    peer: str
    theirs: Figure
    runs: list[float]  # one, unless the ratio changed between the runs of a release

    @property
    def ratio(self) -> float:
        return median(self.runs)

    @property
    def key(self) -> str:
        return f"{self.title}, {self.graph}"

    @property
    def shown(self) -> str:
        """The ratio as text; one that changed is shown as median and range."""
        ends = f" ({ratio_text(min(self.runs))} to {ratio_text(max(self.runs))})" if len(self.runs) > 1 else ""
        return ratio_text(self.ratio) + ends


def rows_of(best: tuple[Best, ...], lines: list[Line], changed: Changed) -> Iterator[Row]:
    """Yield the comparisons: both sides with their fastest number of threads, and the ratios of runs that changed."""
    for one in best:
        shown = figures(line for line in lines if line.get("problem") == one.problem and "seconds" in line)
        for graph in dict.fromkeys(graph for _, _, graph in shown):
            ours = [f for (name, _, g), f in shown.items() if (name, g) == (one.ours, graph)]
            others = ((name, f) for (name, _, g), f in shown.items() if g == graph and name != one.ours)
            theirs = [(f.seconds, name, f) for name, f in others if matches(name, one.peers, ";") and _is_answer(f)]
            if ours and theirs:
                fastest = min(ours, key=lambda figure: figure.seconds)
                seconds, peer, found = min(theirs, key=lambda found: found[0])
                row = Row(one.title, graph, fastest, peer, found, [seconds / fastest.seconds])
                yield row._replace(runs=changed.get(row.key, row.runs))


def _is_answer(figure: Figure) -> bool:
    """Return whether a method that may fail has reached the tolerance."""
    note = figure.quality.get("note")
    return note is None or (figure.quality["reached"] < 1e-6 and not note.startswith(("refused", "not run")))


def ratio_text(ratio: float) -> str:
    """Format a ratio with two digits or more."""
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"


def _side(figure: Figure) -> str:
    size = next((figure.quality[key] for key in ("size", "colors", "edges") if key in figure.quality), None)
    digits = f"{1e3 * figure.seconds:.3g}" if figure.seconds < 1 else f"{1e3 * figure.seconds:,.0f}"
    return f"{digits} ms" + (f" ({size:,})" if size is not None else "")


def best_table(best: tuple[Best, ...], lines: list[Line], changed: Changed) -> str:
    """Show a row per problem and graph, the means, and where another program is faster."""
    rows = list(rows_of(best, lines, changed))
    if len(rows) > MANY:
        return f"{_ratios(rows)}\n\n{provenance(lines)}"
    cells = [[r.key, _side(r.ours), f"{r.peer}, {_side(r.theirs)}", r.shown] for r in rows]
    for title, some in _by_title(rows).items():
        if len(some) > 1:
            cells.append([f"*{title}, geometric mean*", "", "", f"**{_mean(some)}**"])
    slower = "; ".join(_slower(rows))
    faster = f"Another program is faster for {slower}." if slower else "No other program is faster."
    head = ["problem, graph", "stablegraph", "fastest other program", "times faster"]
    return f"{markdown(head, cells)}\n\n{faster}\n\n{provenance(lines)}"


def _slower(rows: list[Row]) -> Iterator[str]:
    """Yield the problems and graphs for which another program is faster."""
    for title, some in _by_title(rows).items():
        ratios = [row.ratio for row in some]
        if len(some) > 1 and max(ratios) < 1:
            peers = dict.fromkeys(row.peer for row in some)
            yield f"{title} on all graphs ({', '.join(peers)}, {ratio_text(min(ratios))} to {ratio_text(max(ratios))})"
            continue
        yield from (f"{title} on {r.graph} ({r.peer}, {ratio_text(r.ratio)})" for r in some if r.ratio < 1)


def _ratios(rows: list[Row]) -> str:
    graphs = list(dict.fromkeys(row.graph for row in rows))
    cells = []
    for title, some in _by_title(rows).items():
        shown = {row.graph: f"**{row.shown}**" if row.ratio < 1 / 1.2 else row.shown for row in some}
        cells.append([title, *(shown.get(graph, "") for graph in graphs), _mean(some)])
    return markdown(["times faster", *graphs, "mean"], cells)


def _by_title(rows: Iterable[Row]) -> dict[str, list[Row]]:
    by_title: dict[str, list[Row]] = {}
    for row in rows:
        by_title.setdefault(row.title, []).append(row)
    return by_title


def _mean(rows: list[Row]) -> str:
    return ratio_text(geometric_mean(row.ratio for row in rows))


def overview(parts: list[tuple[str, Iterable[Row]]]) -> str:
    """Show a row per problem and machine: the mean ratio, the smallest one with its graph, and the programs."""
    cells = []
    for machine, rows in parts:
        for title, some in _by_title(rows).items():
            worst = min(some, key=lambda row: row.ratio)
            names = "; ".join(dict.fromkeys(row.peer for row in some))
            least = f"{ratio_text(worst.ratio)} ({worst.graph}; {worst.peer})"
            cells.append([title, machine, str(len(some)), _mean(some), least, names])
    head = ["problem", "machine", "graphs", "speed-up, mean", "smallest", "fastest other programs"]
    return markdown(head, cells)
