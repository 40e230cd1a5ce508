"""Tables and picture of large independent sets, made only from the result lines.

The picture shows for some graphs the missing percentage of each method against its time: one point per method, one
curve for `large_independent_set` over its rounds. Both axes are logarithmic; higher is better.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

from .. import picture
from ..graphs import GRAPHS
from ..tables import Figure, Line, figures, graphs_in, in_order, markdown, provenance

METHODS: dict[str, dict[str, str]] = {
    "natural": {"priority": "natural"},
    "random": {"priority": "random"},
    "luby": {"algorithm": "luby"},
    "degree": {"priority": "degree"},
    "residual": {"algorithm": "residual"},
}
ROUNDS = (0, 1, 10, 100, 1000)
KAMIS_SECONDS = 60

SHOWN = (*GRAPHS, "road-NY-contracted", "mesh-stanford-bunny", "wave")
COLUMNS = 3
NOTHING = 0.003  # percent: drawn for 0 on a logarithmic axis
OURS = {"natural": "#8a6fb0", "random": "#c9a227", "luby": "#7d9a3c", "degree": "#2c6fb5", "residual": "#1b8a7a"}
PEERS = {"PyAMG serial": "s", "NetworKit Luby": "D"}
KAMIS = "KaMIS, 60 s"
GREY, RED = "#8a8a8a", "#b5452c"


def large(rounds: int) -> str:
    """Return the name of a search in lines and tables."""
    return f"large, {rounds:,} round{'s' * (rounds != 1)}"


class Results:
    """The displayed results, by graph and method."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.figures: dict[tuple[str, str], Figure] = {
            (graph, algorithm): figure for (algorithm, _, graph), figure in figures(lines).items()
        }
        self._vertices = graphs_in(lines)
        self.graphs = sorted(self._vertices, key=self._place)
        used = in_order(line["algorithm"] for line in lines)
        self.searches = [large(count) for count in ROUNDS if large(count) in used]
        peers = [name for name in used if name not in (*METHODS, *self.searches)]
        self.methods = [*peers, *METHODS, *self.searches]

    def _place(self, graph: str) -> tuple[int, int]:
        """Sort key: the six graphs first, then by size."""
        six = GRAPHS.index(graph) if graph in GRAPHS else len(GRAPHS)
        return six, self._vertices[graph]

    def of(self, graph: str, name: str) -> dict[str, Any]:
        """Return a named quality of a graph's lines, by method."""
        return {m: f.quality[name] for (g, m), f in self.figures.items() if g == graph and name in f.quality}

    def kamis(self, graph: str) -> int | None:
        """Return the size that KaMIS found in a minute, or None if it is unknown."""
        return next(iter(self.of(graph, "kamis").values()), None)

    def others(self, graph: str) -> dict[str, tuple[float, int]]:
        """Return edge sweeps and size of KaMIS, which was run separately."""
        kamis = self.kamis(graph)
        return {KAMIS: (KAMIS_SECONDS / self.sweep(graph), kamis)} if kamis else {}

    def bound(self, graph: str) -> int:
        """Return the smallest proved bound."""
        return min(self.of(graph, "upper_bound").values())

    def best(self, graph: str) -> int:
        """Return the largest size known."""
        return max(*self.of(graph, "size").values(), self.kamis(graph) or 0)

    def sweep(self, graph: str) -> float:
        """Return the minimum time of an edge sweep in seconds."""
        return min(line["sweep"]["seconds"] for line in self.lines if line["graph"] == graph)

    def tables(self) -> str:
        """Show all tables, as parts of a page."""
        six = [graph for graph in self.graphs if graph in GRAPHS]
        real = [graph for graph in self.graphs if graph not in GRAPHS]
        parts = ["### All graphs", self._summary()]
        parts += ["### The six graphs", self._by_method(six)] if six else []
        parts += ["### Real graphs", self._by_graph(real)] if real else []
        return "\n\n".join([*parts, provenance(self.lines)])

    def _summary(self) -> str:
        """Show one row per method: means over the graphs where it ran."""
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
        head = ["in % of the largest known", "graphs", "size", "smallest", "edge sweeps"]
        return markdown([*head, "graphs with a proved maximum", "gap to the bound", "largest gap"], rows)

    def _by_method(self, graphs: list[str]) -> str:
        """Show one column per graph: edge sweeps, and sizes in brackets; proved optima are bold."""
        rows = []
        for method in self.methods:
            result = [self.figures.get((graph, method)) for graph in graphs]
            if any(result):
                rows.append([method, *(f"{_digits(f.sweeps)} ({_size(f)})" if f else "" for f in result)])
        rows.append(["*upper bound*", *(f"{self.bound(graph):,}" for graph in graphs)])
        rows.append(["*one sweep*", *(f"{1e3 * self.sweep(graph):.2f} ms" for graph in graphs)])
        return markdown(["edge sweeps (set size)", *graphs], rows)

    def _by_graph(self, graphs: list[str]) -> str:
        """Show one row per graph: sizes, and milliseconds in brackets."""
        methods = ["natural", "degree", "residual", *self.searches]
        rows = []
        for graph in graphs:
            result = [self.figures.get((graph, method)) for method in methods]
            cells = [f"{_size(f)} ({_digits(1e3 * f.seconds)})" if f else "" for f in result]
            rows.append([graph, *cells, f"{self.bound(graph):,}", f"{self.kamis(graph):,}"])
        return markdown(["set size (ms)", *methods, "upper bound", KAMIS], rows)


def _size(figure: Figure) -> str:
    size = f"{figure.quality['size']:,}"
    return f"**{size}**" if figure.quality.get("optimal") else size


def _digits(value: float) -> str:
    """Format with at least two digits, and no more than needed."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def draw(lines: list[Line], path: Path) -> None:
    """Draw one panel per graph."""
    plt, results = picture.pyplot(), Results(lines)
    graphs = [graph for graph in SHOWN if graph in results.graphs] or results.graphs
    rows = -(-len(graphs) // COLUMNS)
    size = 10, 0.8 + 2.5 * rows
    shape = {"sharex": True, "sharey": True, "squeeze": False}
    figure, panels = plt.subplots(rows, COLUMNS, figsize=size, layout="constrained", **shape)
    labels: dict[str, Any] = {}
    for panel, graph in zip(panels.flat, graphs, strict=False):
        _draw_graph(panel, results, graph)
        handles, names = panel.get_legend_handles_labels()
        labels = dict(zip(names, handles, strict=True)) | labels
    for panel in panels.flat[len(graphs) :]:
        panel.remove()
    ticks = [30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, NOTHING]
    panels[0][0].set(yscale="log", ylim=(60, NOTHING / 1.6))
    panels[0][0].set_yticks(ticks, [*(f"{tick:g} %" for tick in ticks[:-1]), "nothing"])
    panels[0][0].minorticks_off()
    for row in panels:
        row[0].set_ylabel("missing to the largest known", fontsize=8)
    for panel in panels.flat[max(len(graphs) - COLUMNS, 0) : len(graphs)]:
        panel.set_xlabel("edge sweeps", fontsize=8)
        panel.tick_params(labelbottom=True)
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=5, fontsize=8, frameon=False)
    picture.save(figure, path)


def _draw_graph(panel: Any, results: Results, graph: str) -> None:
    best = results.best(graph)

    def missing(size: int) -> float:
        return max(100 * (1 - size / best), NOTHING)

    def point(label: str, sweeps: float, size: int, **style: Any) -> None:
        panel.plot(sweeps, missing(size), ls="", label=label, **{"ms": 5, **style})

    for name, color in OURS.items():
        figure = results.figures[graph, name]
        point(name, figure.sweeps, figure.quality["size"], marker="o", c=color, zorder=3)
    for name, marker in PEERS.items():
        if figure := results.figures.get((graph, name)):
            point(name, figure.sweeps, figure.quality["size"], marker=marker, c=GREY, mfc="white", ms=4)
    for name, result in results.others(graph).items():
        point(name, *result, marker="x", c="black", mfc="none", zorder=7)

    searches = [results.figures[graph, name] for name in results.searches if (graph, name) in results.figures]
    sweeps = [figure.sweeps for figure in searches]
    gaps = [missing(figure.quality["size"]) for figure in searches]
    panel.plot(sweeps, gaps, "-o", c=RED, ms=4, lw=1.4, label="large, 0 to 1,000 rounds", zorder=5)
    proved = [i for i, figure in enumerate(searches) if figure.quality["optimal"]]
    style = {"c": RED, "ms": 10, "ls": "", "label": "large, proved to be maximum", "zorder": 6}
    panel.plot([sweeps[i] for i in proved], [gaps[i] for i in proved], "*", **style)

    panel.set(xscale="log")
    panel.set_title(graph, loc="left", fontsize=9)
    picture.make_plain(panel)
    panel.tick_params(labelsize=8)
