"""Figures of aggregates: the graph with each of them as a patch, and how many there are of each size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import host_array
from ..coarsening import coarse_graph
from ..coloring import vertex_coloring
from ..graph import Graph, as_graph
from ..traversal import breadth_first_search
from ..verify import is_aggregation
from . import style
from .stress import edges_once
from .style import (
    EDGE,
    FAINT,
    INK,
    MEMBER,
    OTHER,
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

_PART = 1500  # vertices that are drawn of a graph with too many


def plot_aggregates(graph: Any, labels: Any, positions: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw a graph with its aggregates as patches; two that touch have different colours.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        At most 20,000 vertices.
    labels : array of integers, shape (n,)
        The aggregate of each vertex, numbered from 0 without gaps, as from `aggregate`.
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
        If the labels or the positions do not fit the graph, or the graph is too large to be drawn.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.

    Examples
    --------
    >>> from stablegraph import aggregate, gallery, plot
    >>> graph = gallery.delaunay(500)
    >>> axes = plot.plot_aggregates(graph, aggregate(graph)[1])  # doctest: +SKIP
    >>> axes.figure.savefig("aggregates.png")  # doctest: +SKIP
    """
    require_matplotlib()
    from matplotlib.collections import LineCollection

    graph = _undirected(graph)
    labels = checked_colors(graph, labels, "labels")
    positions = checked_positions(graph, positions)
    ax = axes(ax)
    colors = vertex_coloring(as_graph(coarse_graph(graph, labels), weights=False))
    paint = palette(int(colors.max(initial=-1)) + 1)[colors[labels]]
    rows, columns = edges_once(graph)
    ends = np.stack([positions[rows], positions[columns]], axis=1)
    inside = labels[rows] == labels[columns]
    room = room_for_each(graph.num_vertices, ax)
    width = float(np.clip(room / 1.6, 1.5, 22))
    thin = float(np.clip(room / 16, 0.2, 1))
    patches = {"linewidths": width, "capstyle": "round", "zorder": 1}
    ax.add_collection(LineCollection(list(ends[inside]), colors=paint[rows[inside]], **patches))
    ax.scatter(*positions.T, s=width**2, c=paint, linewidths=0, zorder=1)
    ax.add_collection(LineCollection(list(ends[~inside]), colors=EDGE, linewidths=thin, zorder=0))
    ax.add_collection(LineCollection(list(ends[inside]), colors=PAPER, linewidths=thin, alpha=0.7, zorder=2))
    ax.scatter(*positions.T, s=(1.8 * thin) ** 2, c=PAPER, linewidths=0, zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.03)
    ax.set_axis_off()
    return ax


def plot_aggregate_sizes(labels: Any, *, ax: Axes | None = None) -> Axes:
    """Show how many aggregates there are of each size.

    Parameters
    ----------
    labels : array of integers, shape (n,)
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes
        Sizes beyond the 98th percentile (and 16) share the last bar.

    Raises
    ------
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.
    """
    require_matplotlib()
    from matplotlib.ticker import MaxNLocator

    labels = host_array(labels, "labels")
    sizes = np.bincount(labels) if labels.size else np.zeros(0, np.int64)
    last = int(max(16, np.percentile(sizes, 98))) if sizes.size else 1
    last = min(last, int(sizes.max(initial=1)))
    ax = axes(ax)
    counts = np.bincount(np.minimum(sizes, last), minlength=last + 1)[1:]
    ax.bar(np.arange(1, last + 1), counts, width=0.8, color=OTHER, linewidth=0)
    ax.set_xlim(0.4, last + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    if sizes.max(initial=0) > last:
        ax.text(last, counts[-1], "and more ", ha="right", va="bottom", fontsize=8, color=FAINT)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    ax.tick_params(axis="x", labelsize=8)
    even_bars(ax)
    return ax


def aggregates_figure(graph: Any, labels: Any, positions: Any = None, *, title: str = "") -> Figure:
    """A finished figure: the graph with its aggregates as patches, and how many there are of each size.

    Of a graph with more than 20,000 vertices it shows the aggregates around the middle one. It says in words whether
    the aggregates are connected, which is verified here.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
    labels : array of integers, shape (n,)
    positions : array of float, shape (n, 2), optional
        As in `plot_aggregates`.
    title : str
        The name of the graph.

    Returns
    -------
    matplotlib Figure
        Not tied to a window: ``figure.savefig("aggregates.png")``.

    Raises
    ------
    ValueError
        If the labels or the positions do not fit the graph.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    graph = _undirected(graph)
    labels = checked_colors(graph, labels, "labels")
    n, sizes = graph.num_vertices, np.bincount(labels)
    drawn = np.arange(n) if n <= style.MAX_DRAWN else _around_the_middle(graph, labels)
    part = graph if drawn.size == n else graph.subgraph(drawn)
    shown = np.unique(labels[drawn], return_inverse=True)[1]
    positions = checked_positions(part, None if positions is None else np.asarray(positions)[drawn])
    height = drawing_height(positions)
    figure = Figure(figsize=(10.5, height), dpi=150, facecolor=PAPER)
    plot_aggregates(part, shown, positions, ax=figure.add_axes((0.01, 0.01, 0.64, 0.98)))

    told = [f"of {sizes.min()} to {sizes.max():,} vertices, {n / sizes.size:.2f} on average;"] if n else []
    told.append("each is connected." if is_aggregation(graph, labels, connected=True) else _claim(graph, labels))
    if part is not graph:
        told.append(f"{drawn.size:,} vertices of them are drawn.")
    left = 0.68
    column = (  # inches below the top
        (0.60, title, 15, "bold", INK),
        (0.90, f"{n:,} vertices, {graph.num_edges:,} edges", 10, "normal", FAINT),
        (1.45, f"{sizes.size:,} aggregate{'s' if sizes.size != 1 else ''}", 15, "bold", MEMBER),
        *((1.75 + 0.23 * line, text, 10, "normal", INK) for line, text in enumerate(told)),
        (2.80, "Aggregates of each size", 10, "bold", INK),
    )
    write_column(figure, left, column)
    low, high = 0.42 / height, 1 - 3.0 / height
    plot_aggregate_sizes(labels, ax=figure.add_axes((left + 0.04, low, 0.265, high - low)))
    return figure


def _undirected(graph: Any) -> Graph:
    graph = checked_graph(graph)
    return as_graph(graph, symmetrize=True, weights=False) if graph.directed else graph


def _claim(graph: Graph, labels: Any) -> str:
    """What aggregates are that are not connected, in a line of the figure."""
    near = is_aggregation(graph, labels)
    return "some are not connected, but all are near." if near else "some fall apart."


def _around_the_middle(graph: Graph, labels: Any) -> Any:
    """The vertices of the aggregates that are fewest steps away from the middle one, as many as can be seen."""
    coarse = coarse_graph(graph, labels)
    distance = breadth_first_search(coarse, int(labels[graph.num_vertices // 2]))[0]
    nearest = np.argsort(np.where(distance < 0, coarse.num_vertices, distance), kind="stable")
    chosen = np.zeros(coarse.num_vertices, bool)
    chosen[nearest[np.cumsum(np.bincount(labels)[nearest]) <= _PART]] = True
    chosen[nearest[:1]] = True
    return np.flatnonzero(chosen[labels])
