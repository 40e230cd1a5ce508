"""Colorings: six graphs, all orders, ties and reductions, compared with peers.

The peers are those that pip can install: PyAMG's three algorithms, and NetworkX on small graphs. NetworKit has only a
spectral coloring, which needs eigenvectors. igraph and ColPack are left out: pip does not provide them, or not with a
comparable coloring.

`color_counts` counts the colors on real graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import stablegraph as sg
from stablegraph.coloring.order import ORDERS

from .. import peers, picture
from ..graphs import six_graphs
from ..judges import judge_of_colors
from ..study import Best, Case, Options, Part, Study
from ..tables import Line, figures, in_order, table_of_times, with_provenance


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield our algorithms by name: every order, then ties by hash, Luby's algorithm and the reductions."""
    for order in ORDERS:
        yield order, {"order": order, "reduce": "none"}
    yield "largest_first, ties by hash", {"ties": "hash", "reduce": "none"}
    yield "mis", {"algorithm": "mis", "reduce": "none"}
    for reduce in ("quick", "thorough"):
        yield f"largest_first, {reduce}", {"reduce": reduce}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all cases of one graph."""
    judge, most = judge_of_colors(graph), [max(options.threads)]
    for name, chosen in variants():
        find = partial(sg.vertex_coloring, graph, **chosen)
        for count in options.threads if name in ("natural", "largest_first, quick") else most:
            yield Case("coloring", name, lambda _, find=find: find(), judge, threads=count, options=chosen, seed=0)
    for name, color in peers.colorings(graph):
        yield Case("coloring", name, lambda _, color=color: color(), judge)


def draw(lines: list[Line], path: Path) -> None:
    """Plot colors against time: one point per algorithm, one panel per graph; lower and further left is better."""
    plt = picture.pyplot()
    shown = figures(line for line in lines if line["problem"] == "coloring")
    largest = max(threads for _, threads, _ in shown)
    graphs, names = in_order(graph for _, _, graph in shown), in_order(name for name, _, _ in shown)
    figure, panels = plt.subplots(2, 3, figsize=(12, 7.5), layout="constrained")
    palette, known = plt.get_cmap("tab20"), dict(variants())
    for panel, graph in zip(panels.flat, graphs, strict=False):
        for i, name in enumerate(names):
            if result := shown.get((name, largest, graph)) or shown.get((name, 1, graph)):
                panel.plot(
                    result.sweeps,
                    result.quality["colors"],
                    "o" if name.split(",")[0] in known else "X",
                    color=palette(i % 20),
                    markersize=8,
                    label=name,
                )
        panel.set(title=graph, xscale="log", xlabel="edge sweeps", ylabel="colors")
        panel.yaxis.get_major_locator().set_params(integer=True)
        picture.make_plain(panel)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    picture.save(figure, path, dpi=130)


STUDY = Study(
    __name__,
    (Part("six", six_graphs, cases),),
    peers=("pyamg", "networkx"),
    turns=True,
    best=(
        Best("any coloring", "coloring", "natural", "PyAMG*;NetworkX*"),
        Best("a coloring with few colors", "coloring", "largest_first, quick", "PyAMG LDF;NetworkX*"),
    ),
    report=with_provenance(partial(table_of_times, head="time in edge sweeps (colors)")),
    pictures={"coloring.png": draw},
)
