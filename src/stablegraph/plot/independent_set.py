"""Figures of independent sets: the graph or its matrix, and the members' share of all vertices of each degree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import Graph, as_graph
from ..verify import is_independent_set, is_maximal_independent_set
from . import style
from .matrix import plot_matrix
from .stress import edges_once
from .style import (
    EDGE,
    EDGE_OF_MEMBER,
    FAINT,
    INK,
    MEMBER,
    OTHER,
    PAPER,
    Mask,
    axes,
    checked_graph,
    checked_mask,
    checked_positions,
    drawing_height,
    even_bars,
    require_matplotlib,
    room_for_each,
    write_column,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_independent_set(graph: Any, mask: Any, positions: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw a graph with the members of a set highlighted.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        At most 20,000 vertices.
    mask : array of bool, shape (n,)
        The members, drawn dark and large. Edges that lead to one are tinted.
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
        If the mask or the positions do not fit the graph, or the graph is too large to be drawn.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.

    See Also
    --------
    plot_matrix : for graphs of any size.

    Examples
    --------
    >>> from stablegraph import from_edges, maximal_independent_set, plot
    >>> path = from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> axes = plot.plot_independent_set(path, maximal_independent_set(path))  # doctest: +SKIP
    >>> axes.figure.savefig("path.png")  # doctest: +SKIP
    """
    require_matplotlib()
    from matplotlib.collections import LineCollection

    graph = checked_graph(graph)
    mask = checked_mask(graph, mask)
    n = graph.num_vertices
    positions = checked_positions(graph, positions)
    ax = axes(ax)

    rows, columns = edges_once(graph)
    ends = np.stack([positions[rows], positions[columns]], axis=1)
    tinted = mask[rows] | mask[columns]
    room = room_for_each(n, ax)
    width = float(np.clip(room / 11, 0.2, 1.2))
    alpha = float(np.clip(2.0 / np.sqrt(max(len(ends) / max(n, 1), 1)), 0.1, 1))
    for chosen, colour in ((~tinted, EDGE), (tinted, EDGE_OF_MEMBER)):
        ax.add_collection(LineCollection(list(ends[chosen]), colors=colour, linewidths=width, alpha=alpha, zorder=1))
    size = float(np.clip(room / 2.7, 0.8, 8)) ** 2
    ax.scatter(*positions[~mask].T, s=size * 0.25, c=OTHER, linewidths=0, zorder=2)
    ax.scatter(*positions[mask].T, s=size, c=MEMBER, edgecolors=PAPER, linewidths=size**0.5 / 12, zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.02)
    ax.set_axis_off()
    return ax


def plot_degrees(graph: Any, mask: Any, *, ax: Axes | None = None) -> Axes:
    """Show how many vertices of each degree there are, and how many of them are members of a set.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
    mask : array of bool, shape (n,)
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If the mask does not fit the graph.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.
    """
    require_matplotlib()
    from matplotlib.ticker import MaxNLocator

    graph = checked_graph(graph)
    mask = checked_mask(graph, mask)
    ax = axes(ax)
    degrees = np.asarray(graph.degrees())
    bins = _degree_bins(int(degrees.max(initial=0)))
    bin_of = np.searchsorted(bins, degrees, side="right") - 1
    count = np.bincount(bin_of, minlength=len(bins) - 1)
    members = np.bincount(bin_of[mask], minlength=len(bins) - 1)
    used = np.flatnonzero(count)
    shown = np.arange(used[0], used[-1] + 1) if used.size else used  # gaps between them too: the axis stays even
    place = np.arange(shown.size)
    ax.bar(place, count[shown], width=0.8, color=EDGE, linewidth=0)
    ax.bar(place, members[shown], width=0.8, color=MEMBER, linewidth=0)
    labels = [f"{bins[b]}" if bins[b + 1] - bins[b] == 1 else f"{bins[b]}-{bins[b + 1] - 1}" for b in shown]
    ax.set_xticks(place, labels, fontsize=8 if shown.size < 12 else 7, rotation=0 if len("".join(labels)) < 30 else 40)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    even_bars(ax)
    return ax


def independent_set_figure(graph: Any, mask: Any, positions: Any = None, *, title: str = "") -> Figure:
    """A finished figure: the graph (or its matrix, if it is large) with the set, and the set's share by degree.

    It says in words whether the set is independent and maximal, which is verified here.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
    mask : array of bool, shape (n,)
    positions : array of float, shape (n, 2), optional
        As in `plot_independent_set`.
    title : str
        The name of the graph.

    Returns
    -------
    matplotlib Figure
        Not tied to a window: ``figure.savefig("set.png")``.

    Raises
    ------
    ValueError
        If the mask or the positions do not fit the graph.
    ModuleNotFoundError
        If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    graph = checked_graph(graph)
    mask = checked_mask(graph, mask)
    n, size = graph.num_vertices, int(np.count_nonzero(mask))
    height = 6.3
    if n <= style.MAX_DRAWN:
        positions = checked_positions(graph, positions)
        height = drawing_height(positions)
    figure = Figure(figsize=(10.5, height), dpi=150, facecolor=PAPER)
    if n <= style.MAX_DRAWN:
        plot_independent_set(graph, mask, positions, ax=figure.add_axes((0.01, 0.01, 0.64, 0.98)))
    else:
        plot_matrix(graph, mask, ax=figure.add_axes((0.03, 0.07, 0.59, 0.88)))

    left = 0.68
    share = f" ({size / n:.0%})" if n else ""
    column = (  # inches below the top
        (0.60, title, 15, "bold", INK),
        (0.90, f"{n:,} vertices, {graph.num_edges:,} edges", 10, "normal", FAINT),
        (1.45, f"{size:,} vertices{share}", 15, "bold", MEMBER),
        *((1.75 + 0.23 * line, text, 10, "normal", INK) for line, text in enumerate(_claim(graph, mask))),
        (2.80, "In the set", 10, "bold", MEMBER),
        (2.80, "                   of all vertices of each degree", 10, "normal", FAINT),
    )
    write_column(figure, left, column)
    low, high = 0.42 / height, 1 - 3.0 / height
    plot_degrees(graph, mask, ax=figure.add_axes((left + 0.04, low, 0.265, high - low)))
    return figure


def _claim(graph: Graph, mask: Mask) -> tuple[str, ...]:
    """What the chosen vertices are, in lines of the figure: it claims nothing that is not so."""
    if graph.directed:
        graph = as_graph(graph, symmetrize=True, weights=False)
    if is_maximal_independent_set(graph, mask):
        return (
            "form a maximal independent set: no two",
            "are adjacent, and each other vertex has",
            "a neighbour among them.",
        )
    if is_independent_set(graph, mask):
        return (
            "form an independent set: no two are",
            "adjacent. It is not maximal: others",
            "have no neighbour among them.",
        )
    return "do not form an independent set: some", "of them are adjacent."


def _degree_bins(largest: int) -> list[int]:
    """Borders of the bars: each degree has its own while there are few, then each bar is twice as wide as the last."""
    if largest <= 16:
        return list(range(largest + 2))
    bins = list(range(5))
    while bins[-1] <= largest:
        bins.append(2 * bins[-1])
    return bins
