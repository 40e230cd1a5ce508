"""Figures of colorings: the graph, or its matrix sorted by color, and the number of vertices of each color."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.dispatch import suggests_options
from ..graph import Graph
from ..verify import is_proper_coloring
from .checks import (
    checked_names,
    checked_positions,
    class_sizes,
    graph_and_colors,
    require_matplotlib,
    undirected,
    with_shared_docs,
)
from .matrix import plot_color_matrix
from .page import EDGE, INK, PAPER, Drawing, axes, counted, even_bars, figure_with_column, integer_ticks, palette

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
    positions, texts = checked_positions(graph, positions), checked_names(graph, names)
    ax = axes(ax)
    drawing = Drawing(ax, graph, positions)
    drawing.add_edges(colors=EDGE, linewidths=drawing.width(14, 0.2, 1), alpha=drawing.alpha, zorder=1)
    size = drawing.width(2.1, 1, 12) ** 2
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    ax.scatter(*positions.T, s=size, c=paint, edgecolors=PAPER, linewidths=size**0.5 / 14, zorder=2)
    drawing.add_names(texts, size**0.5 / 2)
    return drawing.finish()


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
    where = None if positions is None else checked_positions(graph, positions)
    return figure_with_column(
        graph,
        where,
        partial(plot_color_matrix, graph, colors)
        if where is None
        else partial(plot_coloring, graph, colors, where, names=names),
        partial(plot_color_sizes, colors),
        title=title,
        headline=counted(np.unique(colors).size, "color"),
        claim=_claim(undirected(graph), colors, distance),
        caption=[("Vertices of each color", "bold", INK)],
    )


def _claim(graph: Graph, colors: Any, distance: int) -> tuple[str, ...]:
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
