"""The picture of docs/large-sets.md: for some graphs, what each method misses against the time it takes.

A point a method, a curve for `large_independent_set` over its rounds, a thin one for its longest search as it went.
Both axes are logarithmic; upwards is better. `benchmarks.large --page` draws it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .large import A_MINUTE, Results
from .mis import GRAPHS

SHOWN = (*GRAPHS, "USA-road-d.NY", "road-NY-contracted", "delaunay_n16", "mesh-stanford-bunny", "wave", "web-NotreDame")
COLUMNS = 3
NOTHING = 0.003  # percent: where nothing is missing, on a logarithmic axis
OURS = {"natural": "#8a6fb0", "random": "#c9a227", "luby": "#7d9a3c", "degree": "#2c6fb5", "residual": "#1b8a7a"}
PEERS = {"PyAMG serial": "s", "NetworKit Luby": "D"}
OTHERS = {"LinearTime (C++)": "<", "NearLinear (C++)": ">", "KaMIS, 60 s": "x"}
GREY, RED = "#8a8a8a", "#b5452c"


def draw(results: Results, path: Path) -> None:
    """One panel a graph."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

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
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=140)
    plt.close(figure)


def _draw_graph(panel: Any, results: Results, graph: str) -> None:
    sweep, best = results.sweep(graph), results.best(graph)

    def missing(size: int) -> float:
        return max(100 * (1 - size / best), NOTHING)

    def point(label: str, sweeps: float, size: int, **style: Any) -> None:
        panel.plot(sweeps, missing(size), ls="", label=label, **{"ms": 5, **style})

    for name, colour in OURS.items():
        figure = results.figures[graph, name]
        point(name, figure.sweeps, figure.quality["size"], marker="o", c=colour, zorder=3)
    for name, marker in PEERS.items():
        if figure := results.figures.get((graph, name)):
            point(name, figure.sweeps, figure.quality["size"], marker=marker, c=GREY, mfc="white", ms=4)
    for name, found in results.others(graph).items():
        point(name, *found, marker=OTHERS[name], c="black", mfc="none", zorder=7)

    searches = [results.figures[graph, name] for name in results.searches if (graph, name) in results.figures]
    if longest := results.figures.get((graph, A_MINUTE)):
        times, sizes = zip(*longest.quality["path"], (longest.seconds, longest.quality["size"]), strict=True)
        style = {"ls": ":", "marker": "o", "mfc": "white", "ms": 4, "markevery": [len(times) - 1]}
        label = "large, a search of a minute on its way"
        panel.step(
            [t / sweep for t in times], [*map(missing, sizes)], where="post", c=RED, lw=0.9, **style, label=label
        )
    sweeps = [figure.sweeps for figure in searches]
    gaps = [missing(figure.quality["size"]) for figure in searches]
    panel.plot(sweeps, gaps, "-o", c=RED, ms=4, lw=1.4, label="large, 0 to 1,000 rounds", zorder=5)
    proved = [i for i, figure in enumerate(searches) if figure.quality["optimal"]]
    style = {"c": RED, "ms": 10, "ls": "", "label": "large, proved to be maximum", "zorder": 6}
    panel.plot([sweeps[i] for i in proved], [gaps[i] for i in proved], "*", **style)

    panel.set(xscale="log")
    panel.set_title(graph, loc="left", fontsize=9)
    panel.grid(linewidth=0.3)
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(labelsize=8)
