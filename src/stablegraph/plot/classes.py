"""Figures of classes of vertices: colorings, communities and aggregates.

The graph in their colors, or its matrix sorted by class, and the sizes of the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.unknown_options import suggests_options
from ..coarsening.api import coarse_graph
from ..coloring.api import vertex_coloring
from ..conversion import as_graph
from ..graph import Graph
from ..traversal.api import breadth_first_search
from ..verify import is_aggregation, is_community_labeling, is_proper_coloring
from . import checks
from .checks import (
    by_number,
    checked_graph,
    checked_positions,
    class_sizes,
    graph_and_colors,
    require_matplotlib,
    undirected,
    with_shared_docs,
)
from .matrix import plot_color_matrix
from .page import (
    EDGE,
    FAINT,
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

_LABELED = 24  # maximum number of bars with numbers below them


@with_shared_docs
@suggests_options
def plot_coloring(
    graph: Any, colors: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its coloring.

    {parameters: small graph}
    colors : array of integers, shape (n,)
        Up to eight colors are easy to distinguish; more are shown on a scale, on which similar numbers look similar.
    {positions, names, ax, returns, raises}

    See Also
    --------
    plot_color_matrix : for graphs of any size.
    """
    graph, colors = graph_and_colors(graph, colors)
    drawing = Drawing(graph, positions, names, ax)
    drawing.add_edges(colors=EDGE, linewidths=drawing.width(14, 0.2, 1), alpha=drawing.alpha, zorder=1)
    size = drawing.width(2.1, 1, 12) ** 2
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    drawing.add_points(s=size, c=paint, edgecolors=PAPER, linewidths=size**0.5 / 14, zorder=2)
    return drawing.finish(size**0.5 / 2)


@with_shared_docs
@suggests_options
def plot_color_sizes(colors: Any, *, ax: Axes | None = None) -> Axes:
    """Show the number of vertices of each color.

    The scale is logarithmic if the largest number is more than a hundred times the smallest.

    {parameters}
    colors : array of integers, shape (n,)
    {ax, returns, raises}
    """
    require_matplotlib()
    from matplotlib.ticker import LogLocator, NullLocator

    sizes = class_sizes(colors, "colors")
    count = sizes.size
    ax = axes(ax)
    ax.bar(np.arange(count), sizes, width=0.8 if count <= _LABELED else 1.0, color=palette(count), linewidth=0)
    if count and sizes.max() > 100 * sizes[sizes > 0].min():
        ax.set_yscale("log")
        ax.set_ylim(0.5, 2 * sizes.max())
        ax.yaxis.set_major_locator(LogLocator(numticks=6))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        integer_ticks(ax.yaxis, 4)
    if count <= _LABELED:
        ax.set_xticks(np.arange(count), [str(color) for color in range(count)], fontsize=8 if count <= 12 else 7)
    else:
        integer_ticks(ax.xaxis, 6)
        ax.tick_params(axis="x", labelsize=8)
    ax.set_xlim(-0.6, max(count, 1) - 0.4)
    return even_bars(ax)


@with_shared_docs
@suggests_options
def coloring_figure(
    graph: Any, colors: Any, positions: Any = None, *, distance: int = 1, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the matrix sorted by color (or the graph), and the number of vertices of each color.

    The text states whether the coloring is proper, which this function verifies.

    {parameters: graph}
    colors : array of integers, shape (n,)
    positions : array of float, shape (n, 2), or dict, optional
        If given, such as ``layout(graph)``, the graph is drawn instead of its matrix.
    distance : {1, 2}
        The distance of the coloring.
    {names}
    {title, returns, raises}

    Examples
    --------
    >>> from stablegraph import gallery, plot, vertex_coloring
    >>> graph = gallery.delaunay(1000)
    >>> figure = plot.coloring_figure(graph, vertex_coloring(graph))  # doctest: +SKIP
    >>> figure.savefig("colors.png")  # doctest: +SKIP
    """
    graph, colors = graph_and_colors(graph, colors)
    return _matrix_or_drawing(
        graph,
        colors,
        positions,
        partial(plot_coloring, names=names),
        plot_color_sizes,
        title=title,
        headline=counted(np.unique(colors).size, "color"),
        claim=_claim_of_colors(undirected(graph), colors, distance),
        caption=[("Vertices of each color", "bold", INK)],
    )


def _matrix_or_drawing(
    graph: Graph, classes: Any, positions: Any, draw: Callable[..., Axes], bars: Callable[..., Axes], **texts: Any
) -> Figure:
    """Create the figure of classes: their matrix, or the drawing at these positions, and bars."""
    where = None if positions is None else checked_positions(graph, positions)
    picture = partial(plot_color_matrix, graph, classes) if where is None else partial(draw, graph, classes, where)
    return figure_with_column(graph, where, picture, partial(bars, classes), **texts)


def _claim_of_colors(graph: Graph, colors: Any, distance: int) -> tuple[str, ...]:
    """Return the lines of the figure about the coloring, after verifying it."""
    proper = is_proper_coloring(graph, colors, distance)
    if distance == 2:
        return (
            ("Vertices with the same color are more", "than two steps apart.")
            if proper
            else ("Some vertices with the same color are", "within two steps of each other.")
        )
    if proper:
        return "No two adjacent vertices have the", "same color."
    return "Some adjacent vertices have the", "same color."


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
    drawing = Drawing(graph, positions, names, ax)
    colors = _colors_of(graph, labels)
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    inside = labels[drawing.rows] == labels[drawing.columns]
    thin = drawing.width(14, 0.2, 1)
    drawing.add_edges(~inside, colors=EDGE, linewidths=thin, alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=paint[drawing.rows[inside]], linewidths=2 * thin, alpha=0.6, zorder=2)
    size = drawing.width(2.4, 1, 12) ** 2
    drawing.add_points(s=size, c=paint, edgecolors=PAPER, linewidths=size**0.5 / 14, zorder=3)
    return drawing.finish(size**0.5 / 2)


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
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    connected = is_community_labeling(as_graph(graph, weights=False), labels)
    return _matrix_or_drawing(
        graph,
        labels,
        positions,
        partial(plot_communities, names=names),
        plot_community_sizes,
        title=title,
        headline=f"{sizes.size:,} communit{'y' if sizes.size == 1 else 'ies'}",
        claim=[
            f"The largest has {counted(int(sizes.max(initial=0)), 'vertex').replace('vertexs', 'vertices')}.",
            "Each is connected." if connected else "Some are not connected.",
        ],
        caption=[("Sizes of the communities", "bold", INK)],
    )


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
    drawing = Drawing(graph, positions, names, ax, margin=0.03)
    colors = vertex_coloring(as_graph(coarse_graph(graph, labels), weights=False))
    paint = palette(int(colors.max(initial=-1)) + 1)[colors[labels]]
    inside = labels[drawing.rows] == labels[drawing.columns]
    wide, thin = drawing.width(1.6, 1.5, 22), drawing.width(16, 0.2, 1)
    # A patch consists of the wide edges within an aggregate. The graph itself is drawn above the patches in thin lines.
    drawing.add_edges(inside, colors=paint[drawing.rows[inside]], linewidths=wide, capstyle="round", zorder=1)
    drawing.add_points(s=wide**2, c=paint, linewidths=0, zorder=1)
    drawing.add_edges(~inside, colors=EDGE, linewidths=thin, zorder=0)
    drawing.add_edges(inside, colors=PAPER, linewidths=thin, alpha=0.7, zorder=2)
    drawing.add_points(s=(1.8 * thin) ** 2, c=PAPER, linewidths=0, zorder=3)
    return drawing.finish(thin)


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
    claim.append(
        "each is connected." if is_aggregation(graph, labels, connected=True) else _claim_of_aggregates(graph, labels)
    )
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


def _claim_of_aggregates(graph: Graph, labels: Any) -> str:
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
