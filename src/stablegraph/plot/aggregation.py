"""Figures of aggregates: the graph with its aggregates as patches, and the number of aggregates of each size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.dispatch import suggests_options
from ..coarsening.api import coarse_graph
from ..coloring.api import vertex_coloring
from ..conversion import as_graph
from ..graph import Graph
from ..traversal.api import breadth_first_search
from ..verify import is_aggregation
from . import checks
from .checks import (
    by_number,
    checked_graph,
    checked_names,
    checked_positions,
    class_sizes,
    graph_and_colors,
    require_matplotlib,
    undirected,
    with_shared_docs,
)
from .page import (
    EDGE,
    FAINT,
    INK,
    OTHER,
    PAPER,
    Drawing,
    axes,
    counted,
    even_bars,
    figure_with_column,
    integer_ticks,
    palette,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PART = 1500  # vertices that are drawn if a graph has too many


@with_shared_docs
@suggests_options
def plot_aggregates(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its aggregates as patches; adjacent aggregates have different colors.

    {parameters: small graph}
    labels : array of integers, shape (n,)
        The aggregate of each vertex, numbered from 0 without gaps, as from `aggregate`.
    {positions, names, ax, returns, raises}

    Examples
    --------
    >>> from stablegraph import aggregate, gallery, plot
    >>> graph = gallery.delaunay(500)
    >>> axes = plot.plot_aggregates(graph, aggregate(graph)[1])  # doctest: +SKIP
    >>> axes.figure.savefig("aggregates.png")  # doctest: +SKIP
    """
    graph, labels = graph_and_colors(undirected(checked_graph(graph)), labels, "labels")
    positions, texts = checked_positions(graph, positions), checked_names(graph, names)
    ax = axes(ax)
    drawing = Drawing(ax, graph, positions, margin=0.03)
    colors = vertex_coloring(as_graph(coarse_graph(graph, labels), weights=False))
    paint = palette(int(colors.max(initial=-1)) + 1)[colors[labels]]
    inside = labels[drawing.rows] == labels[drawing.columns]
    wide, thin = drawing.width(1.6, 1.5, 22), drawing.width(16, 0.2, 1)
    # A patch consists of the wide edges within an aggregate. The graph itself is drawn above the patches in thin lines.
    drawing.add_edges(inside, colors=paint[drawing.rows[inside]], linewidths=wide, capstyle="round", zorder=1)
    ax.scatter(*positions.T, s=wide**2, c=paint, linewidths=0, zorder=1)
    drawing.add_edges(~inside, colors=EDGE, linewidths=thin, zorder=0)
    drawing.add_edges(inside, colors=PAPER, linewidths=thin, alpha=0.7, zorder=2)
    ax.scatter(*positions.T, s=(1.8 * thin) ** 2, c=PAPER, linewidths=0, zorder=3)
    drawing.add_names(texts, thin)
    return drawing.finish()


@with_shared_docs
@suggests_options
def plot_aggregate_sizes(labels: Any, *, ax: Axes | None = None) -> Axes:
    """Show the number of aggregates of each size.

    Sizes above the 98th percentile (and 16) share the last bar.

    {parameters}
    labels : array of integers, shape (n,)
    {ax, returns, raises}
    """
    require_matplotlib()
    sizes = class_sizes(labels, "labels")
    last = int(max(16, np.percentile(sizes, 98))) if sizes.size else 1
    last = min(last, int(sizes.max(initial=1)))
    ax = axes(ax)
    counts = np.bincount(np.minimum(sizes, last), minlength=last + 1)[1:]
    ax.bar(np.arange(1, last + 1), counts, width=0.8, color=OTHER, linewidth=0)
    ax.set_xlim(0.4, last + 0.6)
    integer_ticks(ax.xaxis, 8)
    if sizes.max(initial=0) > last:
        ax.text(last, counts[-1], "and more ", ha="right", va="bottom", fontsize=8, color=FAINT)
    integer_ticks(ax.yaxis, 4)
    ax.tick_params(axis="x", labelsize=8)
    return even_bars(ax)


@with_shared_docs
@suggests_options
def aggregates_figure(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the graph with its aggregates as patches, and the number of aggregates of each size.

    If the graph has more than 20,000 vertices, only the aggregates near the middle vertex are shown. The text states
    whether the aggregates are connected, which this function verifies.

    {parameters: graph}
    labels : array of integers, shape (n,)
    positions : array of float, shape (n, 2), or dict, optional
        As in `plot_aggregates`.
    {names}
    {title, returns, raises}
    """
    graph, labels = graph_and_colors(undirected(checked_graph(graph)), labels, "labels")
    n, sizes = graph.num_vertices, np.bincount(labels)
    drawn = np.arange(n) if n <= checks.MAX_DRAWN else _around_the_middle(graph, labels)
    part = graph if drawn.size == n else graph.subgraph(drawn)
    shown = np.unique(labels[drawn], return_inverse=True)[1]
    where = checked_positions(part, None if positions is None else np.asarray(by_number(graph, positions))[drawn])
    claim = [f"of {sizes.min()} to {sizes.max():,} vertices, {n / sizes.size:.2f} on average;"] if n else []
    claim.append("each is connected." if is_aggregation(graph, labels, connected=True) else _claim(graph, labels))
    if part is not graph:
        claim.append(f"{drawn.size:,} vertices of them are drawn.")
    return figure_with_column(
        graph,
        where,
        partial(plot_aggregates, part, shown, where, names=names),
        partial(plot_aggregate_sizes, labels),
        title=title,
        headline=counted(sizes.size, "aggregate"),
        claim=claim,
        caption=[("Aggregates of each size", "bold", INK)],
    )


def _claim(graph: Graph, labels: Any) -> str:
    """Return the line of the figure about aggregates that are not connected."""
    near = is_aggregation(graph, labels)
    return "some are not connected, but all are near." if near else "some fall apart."


def _around_the_middle(graph: Graph, labels: Any) -> Any:
    """Return the vertices of the aggregates nearest to the middle one, up to the number that can be shown."""
    coarse = coarse_graph(graph, labels)
    distance = breadth_first_search(coarse, int(labels[graph.num_vertices // 2]))[0]
    nearest = np.argsort(np.where(distance < 0, coarse.num_vertices, distance), kind="stable")
    chosen = np.zeros(coarse.num_vertices, bool)
    chosen[nearest[np.cumsum(np.bincount(labels)[nearest]) <= _PART]] = True
    chosen[nearest[:1]] = True
    return np.flatnonzero(chosen[labels])
