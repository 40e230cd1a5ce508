"""Figures of graphs with a highlighted part: an independent set, or a spanning forest.

For sets also: the matrix, and the members' share of all vertices of each degree.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.unknown_options import suggests_options
from ..graph import Graph
from ..verify import is_independent_set, is_maximal_independent_set
from .checks import (
    Mask,
    checked_graph,
    drawn_at,
    graph_and_set,
    undirected,
    with_shared_docs,
)
from .matrix import plot_matrix
from .page import (
    EDGE,
    EDGE_OF_MEMBER,
    FAINT,
    INK,
    MEMBER,
    OTHER,
    PAPER,
    Drawing,
    axes,
    even_bars,
    figure_with_column,
    integer_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@with_shared_docs
@suggests_options
def plot_independent_set(
    graph: Any, mask: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with the members of a set highlighted.

    {parameters: small graph}
    mask : array of bool, shape (n,)
        The members, drawn dark and large. Edges to a member are tinted.
    {positions, names, ax, returns, raises}

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
    graph, mask = graph_and_set(graph, mask)
    drawing = Drawing(graph, positions, names, ax)
    tinted = mask[drawing.rows] | mask[drawing.columns]
    width = drawing.width(11, 0.2, 1.2)
    for chosen, ink in ((~tinted, EDGE), (tinted, EDGE_OF_MEMBER)):
        drawing.add_edges(chosen, colors=ink, linewidths=width, alpha=drawing.alpha, zorder=1)
    size = drawing.width(2.7, 0.8, 8) ** 2
    drawing.add_points(~mask, s=size * 0.25, c=OTHER, linewidths=0, zorder=2)
    drawing.add_points(mask, s=size, c=MEMBER, edgecolors=PAPER, linewidths=size**0.5 / 12, zorder=3)
    return drawing.finish(size**0.5 / 2)


@with_shared_docs
@suggests_options
def plot_degrees(graph: Any, mask: Any = None, *, ax: Axes | None = None) -> Axes:
    """Show the number of vertices of each degree, and the number of them in a set.

    {parameters: graph}
    {mask or none}
    {ax, returns, raises}
    """
    graph = checked_graph(graph)
    graph, mask = graph_and_set(graph, np.zeros(graph.num_vertices, bool) if mask is None else mask)
    ax = axes(ax)
    degrees = np.asarray(graph.degrees)
    bins = _degree_bins(int(degrees.max(initial=0)))
    bin_of = np.searchsorted(bins, degrees, side="right") - 1
    count = np.bincount(bin_of, minlength=len(bins) - 1)
    members = np.bincount(bin_of[mask], minlength=len(bins) - 1)
    used = np.flatnonzero(count)
    shown = np.arange(used[0], used[-1] + 1) if used.size else used  # includes gaps, so that the axis is even
    place = np.arange(shown.size)
    ax.bar(place, count[shown], width=0.8, color=EDGE, linewidth=0)
    ax.bar(place, members[shown], width=0.8, color=MEMBER, linewidth=0)
    labels = [f"{bins[b]}" if bins[b + 1] - bins[b] == 1 else f"{bins[b]}-{bins[b + 1] - 1}" for b in shown]
    ax.set_xticks(place, labels, fontsize=8 if shown.size < 12 else 7, rotation=0 if len("".join(labels)) < 30 else 40)
    integer_ticks(ax.yaxis, 4)
    return even_bars(ax)


@with_shared_docs
@suggests_options
def independent_set_figure(
    graph: Any, mask: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the graph, or its matrix, with the set, and the set's share by degree.

    The matrix is shown if a drawing would not be legible: for more than 20,000 vertices, or, without given positions,
    if the edges would cover the drawing more than once. A line below the matrix states the reason. The text also states
    whether the set is independent and maximal, which this function verifies.

    {parameters: graph}
    {mask}
    positions : array of float, shape (n, 2), or dict, optional
        As in `plot_independent_set`.
    {names}
    {title, returns, raises}
    """
    graph, mask = graph_and_set(graph, mask)
    n, size = graph.num_vertices, int(np.count_nonzero(mask))
    where, why_not = drawn_at(graph, positions)
    return figure_with_column(
        graph,
        where,
        partial(_matrix_instead, graph, mask, why_not)
        if where is None
        else partial(plot_independent_set, graph, mask, where, names=names),
        partial(plot_degrees, graph, mask),
        title=title,
        headline=f"{size:,} vertices" + (f" ({size / n:.0%})" if n else ""),
        claim=_claim(undirected(graph), mask),
        caption=(
            ("In the set", "bold", MEMBER),
            ("                   of all vertices of each degree", "normal", FAINT),
        ),
    )


def _matrix_instead(graph: Graph, mask: Mask, why_not: str, ax: Axes) -> None:
    plot_matrix(graph, mask, ax=ax).set_xlabel(f"the matrix, the set first: {why_not}", color=FAINT, fontsize=9)


def _claim(graph: Graph, mask: Mask) -> tuple[str, ...]:
    """Return the lines of the figure about the chosen vertices, after verifying them."""
    if is_maximal_independent_set(graph, mask):
        return (
            "form a maximal independent set: no two",
            "are adjacent, and each other vertex has",
            "a neighbor among them.",
        )
    if is_independent_set(graph, mask):
        return (
            "form an independent set: no two are",
            "adjacent. It is not maximal: more vertices",
            "have no neighbor in it.",
        )
    return "do not form an independent set: some", "of them are adjacent."


def _degree_bins(largest: int) -> list[int]:
    """Return the borders of the bars: one bar per degree if there are few, otherwise bars of doubling width."""
    if largest <= 16:
        return list(range(largest + 2))
    bins = list(range(5))
    while bins[-1] <= largest:
        bins.append(2 * bins[-1])
    return bins


@with_shared_docs
@suggests_options
def plot_forest(
    graph: Any, forest: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with the edges of a forest highlighted.

    {parameters: small graph}
    forest : sparse matrix, shape (n, n)
        With an entry for each edge of the forest, in one direction or in both, as from `minimum_spanning_forest`.
    {positions, names, ax, returns, raises}

    Examples
    --------
    >>> from stablegraph import gallery, minimum_spanning_forest, plot
    >>> graph = gallery.delaunay(300)
    >>> axes = plot.plot_forest(graph, minimum_spanning_forest(graph))  # doctest: +SKIP
    >>> axes.figure.savefig("forest.png")  # doctest: +SKIP
    """
    graph = checked_graph(graph)
    n, edges = graph.num_vertices, forest.tocoo()
    if edges.shape != (n, n):
        raise ValueError(f"forest must have shape ({n}, {n}), got {edges.shape}")
    drawing = Drawing(graph, positions, names, ax)
    low, high = np.minimum(edges.row, edges.col).astype(np.int64), np.maximum(edges.row, edges.col)
    inside = np.isin(drawing.rows.astype(np.int64) * n + drawing.columns, low * n + high)
    drawing.add_edges(~inside, colors=EDGE, linewidths=drawing.width(16, 0.2, 0.8), alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=MEMBER, linewidths=drawing.width(8, 0.5, 1.8), zorder=2)
    size = drawing.width(5, 0.5, 5)
    drawing.add_points(s=size**2, c=INK, linewidths=0, zorder=3)
    return drawing.finish(size / 2)
