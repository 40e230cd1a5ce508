"""Figures of communities: the graph in their colors, or its matrix sorted by community, and their sizes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.dispatch import suggests_options
from ..coarsening.api import coarse_graph
from ..coloring.api import vertex_coloring
from ..conversion import as_graph
from ..graph import Graph
from ..verify import is_community_labeling
from .checks import (
    checked_graph,
    checked_names,
    checked_positions,
    class_sizes,
    graph_and_colors,
    undirected,
    with_shared_docs,
)
from .matrix import plot_color_matrix
from .page import (
    EDGE,
    FEW_COLORS,
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


@with_shared_docs
@suggests_options
def plot_communities(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its communities: adjacent ones have different colors, and up to 8 all have different ones.

    Edges inside a community have its color, and edges between communities are gray.

    {parameters: small graph}
    labels : array of integers, shape (n,)
        The community of each vertex, numbered from 0 without gaps, as from `communities`.
    {positions, names, ax, returns, raises}

    Examples
    --------
    >>> from stablegraph import communities, gallery, plot
    >>> graph = gallery.load("us-counties")
    >>> axes = plot.plot_communities(graph, communities(graph)[1])  # doctest: +SKIP
    >>> axes.figure.savefig("communities.png")  # doctest: +SKIP
    """
    graph, labels = graph_and_colors(undirected(checked_graph(graph)), labels, "labels")
    positions, texts = checked_positions(graph, positions), checked_names(graph, names)
    ax = axes(ax)
    drawing = Drawing(ax, graph, positions)
    colors = _colors_of(graph, labels)
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    inside = labels[drawing.rows] == labels[drawing.columns]
    thin = drawing.width(14, 0.2, 1)
    drawing.add_edges(~inside, colors=EDGE, linewidths=thin, alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=paint[drawing.rows[inside]], linewidths=2 * thin, alpha=0.6, zorder=2)
    size = drawing.width(2.4, 1, 12) ** 2
    ax.scatter(*positions.T, s=size, c=paint, edgecolors=PAPER, linewidths=size**0.5 / 14, zorder=3)
    drawing.add_names(texts, size**0.5 / 2)
    return drawing.finish()


def _colors_of(graph: Graph, labels: Any) -> Any:
    """Return a color number for each vertex: its community if they are few, else one that adjacent ones differ in."""
    if labels.max(initial=-1) < len(FEW_COLORS):
        return labels
    plain = graph._replace(weights=None)
    return vertex_coloring(as_graph(coarse_graph(plain, labels), weights=False))[labels]


@with_shared_docs
@suggests_options
def plot_community_sizes(labels: Any, *, ax: Axes | None = None) -> Axes:
    """Show the sizes of the communities, the largest first; up to 8 have their numbers and colors.

    {parameters}
    labels : array of integers, shape (n,)
    {ax, returns, raises}
    """
    all_sizes = class_sizes(labels, "labels")
    order = np.argsort(-all_sizes, kind="stable")
    order = order[all_sizes[order] > 0]
    sizes, are_few = all_sizes[order], all_sizes.size <= len(FEW_COLORS)
    ax = axes(ax)
    place = np.arange(1, sizes.size + 1)
    color = palette(all_sizes.size)[order] if are_few and sizes.size else OTHER
    ax.bar(place, sizes, width=0.8 if sizes.size <= 40 else 1.0, color=color, linewidth=0)
    if sizes.size and sizes[0] > 100 * sizes[-1]:
        ax.set_yscale("log")
        ax.set_ylim(0.5, 2 * sizes[0])
    else:
        integer_ticks(ax.yaxis, 4)
    ax.set_xlim(0.4, max(sizes.size, 1) + 0.6)
    if are_few:
        ax.set_xticks(place, order.tolist())
    else:
        integer_ticks(ax.xaxis, 8)
    ax.tick_params(axis="x", labelsize=8)
    return even_bars(ax)


@with_shared_docs
@suggests_options
def communities_figure(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the matrix sorted by community (or the graph), and the sizes of the communities.

    The text states whether all communities are connected, which this function verifies.

    {parameters: graph}
    labels : array of integers, shape (n,)
    positions : array of float, shape (n, 2), or dict, optional
        If given, such as ``layout(graph)``, the graph is drawn instead of its matrix.
    {names}
    {title, returns, raises}
    """
    graph, labels = graph_and_colors(undirected(checked_graph(graph)), labels, "labels")
    where = None if positions is None else checked_positions(graph, positions)
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    connected = is_community_labeling(as_graph(graph, weights=False), labels)
    return figure_with_column(
        graph,
        where,
        partial(plot_color_matrix, graph, labels)
        if where is None
        else partial(plot_communities, graph, labels, where, names=names),
        partial(plot_community_sizes, labels),
        title=title,
        headline=f"{sizes.size:,} communit{'y' if sizes.size == 1 else 'ies'}",
        claim=[
            f"The largest has {counted(int(sizes.max(initial=0)), 'vertex').replace('vertexs', 'vertices')}.",
            "Each is connected." if connected else "Some are not connected.",
        ],
        caption=[("Sizes of the communities", "bold", INK)],
    )
