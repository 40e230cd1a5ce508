"""Short tables: our time, the best other program and the ratio, per problem and graph; the overview of all problems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from statistics import geometric_mean, median
from typing import NamedTuple

from .study import Best, matches
from .tables import Figure, Line, figures, markdown, provenance

Changed = dict[str, list[float]]  # the ratios of several runs by problem and graph, where they differ
MANY = 40  # comparisons from which a table has a row per problem, and only ratios


class Row(NamedTuple):
    """One comparison: problem, graph, our result, the name of the fastest other program, and its result."""

    title: str
    graph: str
    ours: Figure
    peer: str
    theirs: Figure

    @property
    def ratio(self) -> float:
        return self.theirs.seconds / self.ours.seconds

    @property
    def key(self) -> str:
        return f"{self.title}, {self.graph}"

    def middle(self, changed: Changed) -> float:
        """Return the ratio, or the median of one that changed between runs of a release."""
        return median(changed.get(self.key) or [self.ratio])

    def shown(self, changed: Changed) -> str:
        """Format the ratio; one that changed between runs of a release is shown as median and range."""
        if not (runs := changed.get(self.key)):
            return ratio_text(self.ratio)
        return f"{ratio_text(median(runs))} ({ratio_text(min(runs))} to {ratio_text(max(runs))})"


def rows_of(best: tuple[Best, ...], lines: list[Line]) -> Iterator[Row]:
    """Yield the comparisons: both sides with their fastest number of threads."""
    for one in best:
        shown = figures(line for line in lines if line.get("problem") == one.problem and "seconds" in line)
        for graph in dict.fromkeys(graph for _, _, graph in shown):
            ours = [f for (name, _, g), f in shown.items() if (name, g) == (one.ours, graph)]
            others = ((name, f) for (name, _, g), f in shown.items() if g == graph and name != one.ours)
            theirs = [(f.seconds, name, f) for name, f in others if matches(name, one.peers, ";") and _is_answer(f)]
            if ours and theirs:
                fastest = min(ours, key=lambda figure: figure.seconds)
                yield Row(one.title, graph, fastest, *min(theirs, key=lambda found: found[0])[1:])


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
    rows = list(rows_of(best, lines))
    if len(rows) > MANY:
        return f"{_ratios(rows, changed)}\n\n{provenance(lines)}"
    cells = [[r.key, _side(r.ours), f"{r.peer}, {_side(r.theirs)}", r.shown(changed)] for r in rows]
    for title, ratios in _by_title(rows).items():
        if len(ratios) > 1:
            cells.append([f"*{title}, geometric mean*", "", "", f"**{ratio_text(geometric_mean(ratios))}**"])
    slower = "; ".join(_slower(rows, changed))
    faster = f"Another program is faster for {slower}." if slower else "No other program is faster."
    head = ["problem, graph", "stablegraph", "fastest other program", "times faster"]
    return f"{markdown(head, cells)}\n\n{faster}\n\n{provenance(lines)}"


def _slower(rows: list[Row], changed: Changed) -> Iterator[str]:
    """Yield the problems and graphs for which another program is faster."""
    for title, every in groupby(rows, key=lambda row: row.title):
        ratios = {(row.graph, row.peer): row.middle(changed) for row in every}
        if len(ratios) > 1 and max(ratios.values()) < 1:
            peers, ends = dict.fromkeys(peer for _, peer in ratios), (min(ratios.values()), max(ratios.values()))
            yield f"{title} on all graphs ({', '.join(peers)}, {' to '.join(map(ratio_text, ends))})"
            continue
        yield from (f"{title} on {g} ({peer}, {ratio_text(x)})" for (g, peer), x in ratios.items() if x < 1)


def _ratios(rows: list[Row], changed: Changed) -> str:
    graphs = list(dict.fromkeys(row.graph for row in rows))
    cells = []
    for title, ratios in _by_title(rows).items():
        shown = {row.graph: row.shown(changed) for row in rows if row.title == title}
        shown |= {row.graph: f"**{shown[row.graph]}**" for row in rows if row.title == title and row.ratio < 1 / 1.2}
        cells.append([title, *(shown.get(graph, "") for graph in graphs), ratio_text(geometric_mean(ratios))])
    return markdown(["times faster", *graphs, "mean"], cells)


def _by_title(rows: list[Row]) -> dict[str, list[float]]:
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratios.setdefault(row.title, []).append(row.ratio)
    return ratios


def overview(parts: list[tuple[str, tuple[Best, ...], list[Line]]]) -> str:
    """Show a row per problem and machine: the mean ratio, the smallest one with its graph, and the programs."""
    cells = []
    for machine, best, lines in parts:
        rows = list(rows_of(best, lines))
        for title, ratios in _by_title(rows).items():
            worst = min((r for r in rows if r.title == title), key=lambda r: r.ratio)
            names = "; ".join(dict.fromkeys(r.peer for r in rows if r.title == title))
            least = f"{ratio_text(worst.ratio)} ({worst.graph}; {worst.peer})"
            cells.append([title, machine, str(len(ratios)), ratio_text(geometric_mean(ratios)), least, names])
    head = ["problem", "machine", "graphs", "speed-up, mean", "smallest", "fastest other programs"]
    return markdown(head, cells)
