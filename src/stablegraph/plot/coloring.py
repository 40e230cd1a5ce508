"""Figures of colorings: the graph, or its matrix color by color, and how many vertices have each color."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import host_array
from ..graph import Graph, as_graph
from ..verify import is_proper_coloring
from .matrix import plot_color_matrix
from .stress import edges_once
from .style import (
    EDGE,
    FAINT,
    INK,
    MEMBER,
    PAPER,
    axes,
    checked_colors,
    checked_graph,
    checked_positions,
    drawing_height,
    even_bars,
    palette,
    require_matplotlib,
    room_for_each,
    write_column,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABELLED = 24  # bars with numbers below them


def plot_coloring(graph: Any, colors: Any, positions: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw a graph with its vertices in their colors.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        At most 20,000 vertices.
    colors : array of integers, shape (n,)
        Up to eight colors are easy to tell apart; more are shown by a scale, on which similar numbers look similar.
    positions : array of float, shape (n, 2), optional
        Where the vertices are; `layout(graph)` if not given.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If the colors or the positions do not fit the graph, or the graph is too large to be drawn.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.

    See Also
    --------
    plot_color_matrix : for graphs of any size.
    """
    require_matplotlib()
    from matplotlib.collections import LineCollection

    graph = checked_graph(graph)
    colors = checked_colors(graph, colors)
    positions = checked_positions(graph, positions)
    ax = axes(ax)
    rows, columns = edges_once(graph)
    ends = np.stack([positions[rows], positions[columns]], axis=1)
    room = room_for_each(graph.num_vertices, ax)
    width = float(np.clip(room / 14, 0.2, 1))
    alpha = float(np.clip(2.0 / np.sqrt(max(len(ends) / max(graph.num_vertices, 1), 1)), 0.1, 1))
    ax.add_collection(LineCollection(list(ends), colors=EDGE, linewidths=width, alpha=alpha, zorder=1))
    size = float(np.clip(room / 2.1, 1, 12)) ** 2
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    ax.scatter(*positions.T, s=size, c=paint, edgecolors=PAPER, linewidths=size**0.5 / 14, zorder=2)
    ax.set_aspect("equal")
    ax.margins(0.02)
    ax.set_axis_off()
    return ax


def plot_color_sizes(colors: Any, *, ax: Axes | None = None) -> Axes:
    """Show how many vertices have each color.

    Parameters
    ----------
    colors : array of integers, shape (n,)
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes
        Heights are on a logarithmic scale where the largest is more than a hundred times the smallest.

    Raises
    ------
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.
    """
    require_matplotlib()
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    colors = host_array(colors, "colors")
    sizes = np.bincount(colors) if colors.size else np.zeros(0, np.int64)
    count = sizes.size
    ax = axes(ax)
    ax.bar(np.arange(count), sizes, width=0.8 if count <= _LABELLED else 1.0, color=palette(count), linewidth=0)
    if count and sizes.max() > 100 * sizes[sizes > 0].min():
        ax.set_yscale("log")
        ax.set_ylim(0.5, 2 * sizes.max())
        ax.yaxis.set_major_locator(LogLocator(numticks=6))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    if count <= _LABELLED:
        ax.set_xticks(np.arange(count), [str(color) for color in range(count)], fontsize=8 if count <= 12 else 7)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        ax.tick_params(axis="x", labelsize=8)
    ax.set_xlim(-0.6, max(count, 1) - 0.4)
    even_bars(ax)
    return ax


def coloring_figure(graph: Any, colors: Any, positions: Any = None, *, distance: int = 1, title: str = "") -> Figure:
    """A finished figure: the graph's matrix color by color (or the graph), and how many vertices have each color.

    It says in words whether the coloring is proper, which is verified here.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
    colors : array of integers, shape (n,)
    positions : array of float, shape (n, 2), optional
        If given, such as ``layout(graph)``, the graph is drawn in place of its matrix.
    distance : {1, 2}
        Of the coloring.
    title : str
        The name of the graph.

    Returns
    -------
    matplotlib Figure
        Not tied to a window: ``figure.savefig("colors.png")``.

    Raises
    ------
    ValueError
        If the colors or the positions do not fit the graph, or it is too large to be drawn.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.

    Examples
    --------
    >>> from stablegraph import gallery, plot, vertex_coloring
    >>> graph = gallery.delaunay(1000)
    >>> figure = plot.coloring_figure(graph, vertex_coloring(graph))  # doctest: +SKIP
    >>> figure.savefig("colors.png")  # doctest: +SKIP
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    graph = checked_graph(graph)
    colors = checked_colors(graph, colors)
    height = 6.3
    if positions is not None:
        positions = checked_positions(graph, positions)
        height = drawing_height(positions)
    figure = Figure(figsize=(10.5, height), dpi=150, facecolor=PAPER)
    if positions is not None:
        plot_coloring(graph, colors, positions, ax=figure.add_axes((0.01, 0.01, 0.64, 0.98)))
    else:
        plot_color_matrix(graph, colors, ax=figure.add_axes((0.03, 0.07, 0.59, 0.88)))

    left, count = 0.68, np.unique(colors).size
    lines = (
        (0.60, title, 15, "bold", INK),
        (0.90, f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges", 10, "normal", FAINT),
        (1.45, f"{count:,} color{'s' if count != 1 else ''}", 15, "bold", MEMBER),
        *((1.75 + 0.23 * line, text, 10, "normal", INK) for line, text in enumerate(_claim(graph, colors, distance))),
        (2.80, "Vertices of each color", 10, "bold", INK),
    )
    write_column(figure, left, lines)
    low, high = 0.42 / height, 1 - 3.0 / height
    plot_color_sizes(colors, ax=figure.add_axes((left + 0.04, low, 0.265, high - low)))
    return figure


def _claim(graph: Graph, colors: Any, distance: int) -> tuple[str, ...]:
    """What the coloring is, in lines of the figure: it claims nothing that is not so."""
    if graph.directed:
        graph = as_graph(graph, symmetrize=True, weights=False)
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
