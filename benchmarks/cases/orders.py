"""The effect of the order on dependence depths and set sizes, on real graphs.

Each graph occurs once, made undirected.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import geometric_mean

import stablegraph as sg
from stablegraph import gallery

from .. import data
from ..graphs import six_graphs
from ..study import Graphs, Options, Part, Study
from ..tables import Line, markdown, under_headings

ORDERS = ("degree", "ecl", "high_degree")
RANDOM_ORDERS = 12
GRID = "1024 x 1024 grid"
# Table 5 of the paper (ECL-MIS, 2018): depth of its own order, and of one random permutation, as largest / mean.
PAPER = {
    "USA-road-d.NY": ("12 / 2.4", "10 / 2.5"),
    "internet": ("33 / 2.0", "26 / 3.4"),
    GRID: ("15 / 3.3", "15 / 3.3"),
}


def paper_graphs(options: Options) -> Graphs:
    """Yield the available graphs of the paper's three; a small one with --quick."""
    if options.quick:
        yield from list(six_graphs(options))[:1]
        return
    known = data.files()
    for name in PAPER:
        if name in known:
            yield name, partial(data.undirected, known[name][0])
    yield GRID, partial(gallery.grid, (1024, 1024))


def depths(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield the largest and the mean depth by order; for random orders one result per seed."""
    answer = {order: sg.dependence_depth(graph, priority=order) for order in ORDERS}
    drawn = [sg.dependence_depth(graph, priority="random", seed=seed) for seed in range(RANDOM_ORDERS)]
    yield {"problem": "depth", "depths": {**answer, "random": drawn}}


def size_graphs(options: Options) -> Graphs:
    """Yield every graph that is large enough; small ones with --quick."""
    return six_graphs(options) if options.quick else data.large_graphs(options)


def sizes(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield set sizes by order."""
    orders = (*ORDERS, "random")
    result = {order: int(sg.maximal_independent_set(graph, priority=order).sum()) for order in orders}
    yield {"problem": "sizes", "sizes": result}


def depth_table(lines: list[Line]) -> str:
    """Show the depths of the orders, next to the paper's."""
    result = {line["graph"]: line["depths"] for line in lines if line["problem"] == "depth"}
    shown = [graph for graph in PAPER if graph in result] or list(result)
    rows = []
    for order in ("ecl", "degree", "high_degree"):
        rows.append([f"`{order}`", *("{} / {:.3f}".format(*result[graph][order]) for graph in shown)])
    cells = []
    for graph in shown:
        largest, means = zip(*result[graph]["random"], strict=True)
        cells.append(f"{min(largest)}-{max(largest)} / {min(means):.2f}-{max(means):.2f}")
    rows.append([f"`random`, {RANDOM_ORDERS} seeds", *cells])
    for label, column in (("the paper: ECL", 0), ("the paper: random", 1)):
        rows.append([label, *(PAPER[graph][column] if graph in PAPER else "" for graph in shown)])
    return markdown(["largest / mean depth", *shown], rows)


def size_table(lines: list[Line]) -> str:
    """Show the mean set sizes of each order, relative to those of random orders."""
    sizes = {line["graph"]: line["sizes"] for line in lines if line["problem"] == "sizes"}.values()
    means = {order: geometric_mean(one[order] / one["random"] for one in sizes) for order in ORDERS if sizes}
    rows = [[f"`{order}`", f"{mean:.3f}"] for order, mean in means.items()]
    return markdown([f"geometric mean of {len(sizes)} graphs", "size : size by `random`"], rows)


def report(lines: list[Line]) -> str:
    """Show both tables."""
    return under_headings(2, {"Depth": depth_table(lines), "Set sizes": size_table(lines)})


STUDY = Study(
    __name__,
    (Part("depths", paper_graphs, depths), Part("sizes", size_graphs, sizes)),
    data="all graphs with more than 10,000 vertices",
    report=report,
)
