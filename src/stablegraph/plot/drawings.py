"""Drawings of graphs with an independent set, a spanning forest, a coloring, communities or aggregates; whole pages.

A page shows the drawing, or the matrix sorted by class, with a chart next to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..coarsening.api import coarse_graph
from ..coloring.api import vertex_coloring
from ..conversion import as_graph
from ..graph import Graph
from ..traversal.api import breadth_first_search
from ..verify import (
    is_aggregation,
    is_community_labeling,
    is_independent_set,
    is_maximal_independent_set,
    is_proper_coloring,
)
from . import page
from .charts import (
    plot_aggregate_sizes,
    plot_color_matrix,
    plot_color_sizes,
    plot_community_sizes,
    plot_degrees,
    plot_matrix,
)
from .page import (
    FEW_COLORS,
    Drawing,
    Ink,
    Mask,
    by_number,
    checked_graph,
    checked_positions,
    counted,
    drawn_at,
    figure_function,
    figure_with_column,
    graph_and_colors,
    graph_and_set,
    palette,
    undirected,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@figure_function
def plot_independent_set(
    graph: Any, mask: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with the members of a set highlighted.

    >>> import stablegraph as sg
    >>> sg.plot.plot_independent_set(sg.gallery.grid((3,)), [True, False, True])
    <Axes...>

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
    for chosen, ink in ((~tinted, Ink.EDGE), (tinted, Ink.EDGE_OF_MEMBER)):
        drawing.add_edges(chosen, colors=ink, linewidths=width, alpha=drawing.alpha, zorder=1)
    size = drawing.width(2.7, 0.8, 8) ** 2
    drawing.add_points(~mask, s=size * 0.25, c=Ink.OTHER, linewidths=0, zorder=2)
    drawing.add_points(mask, s=size, c=Ink.MEMBER, edgecolors=Ink.PAPER, linewidths=size**0.5 / 12, zorder=3)
    return drawing.finish(size**0.5 / 2)


@figure_function
def independent_set_figure(
    graph: Any, mask: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the graph, or its matrix, with the set, and the set's share by degree.

    >>> import stablegraph as sg
    >>> sg.plot.independent_set_figure(sg.gallery.grid((3,)), [True, False, True])
    <Figure ... with 2 Axes>

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
        claim=_claim_of_set(undirected(graph), mask),
        caption=(
            ("In the set", "bold", Ink.MEMBER),
            ("                   of all vertices of each degree", "normal", Ink.FAINT),
        ),
    )


def _matrix_instead(graph: Graph, mask: Mask, why_not: str, ax: Axes) -> None:
    plot_matrix(graph, mask, ax=ax).set_xlabel(f"the matrix, the set first: {why_not}", color=Ink.FAINT, fontsize=9)


def _claim_of_set(graph: Graph, mask: Mask) -> tuple[str, ...]:
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


@figure_function
def plot_forest(
    graph: Any, forest: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with the edges of a forest highlighted.

    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((3,))
    >>> sg.plot.plot_forest(path, sg.minimum_spanning_forest(path))
    <Axes...>

    {parameters: small graph}
    forest : sparse array or matrix, shape (n, n)
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
    drawing.add_edges(~inside, colors=Ink.EDGE, linewidths=drawing.width(16, 0.2, 0.8), alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=Ink.MEMBER, linewidths=drawing.width(8, 0.5, 1.8), zorder=2)
    size = drawing.width(5, 0.5, 5)
    drawing.add_points(s=size**2, c=Ink.TEXT, linewidths=0, zorder=3)
    return drawing.finish(size / 2)


@figure_function
def plot_coloring(
    graph: Any, colors: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its coloring.

    >>> import stablegraph as sg
    >>> sg.plot.plot_coloring(sg.gallery.grid((3,)), [0, 1, 0])
    <Axes...>

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
    drawing.add_edges(colors=Ink.EDGE, linewidths=drawing.width(14, 0.2, 1), alpha=drawing.alpha, zorder=1)
    size = drawing.width(2.1, 1, 12) ** 2
    paint = palette(int(colors.max(initial=-1)) + 1)[colors]
    drawing.add_points(s=size, c=paint, edgecolors=Ink.PAPER, linewidths=size**0.5 / 14, zorder=2)
    return drawing.finish(size**0.5 / 2)


@figure_function
def coloring_figure(
    graph: Any, colors: Any, positions: Any = None, *, distance: int = 1, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the matrix sorted by color (or the graph), and the number of vertices of each color.

    >>> import stablegraph as sg
    >>> sg.plot.coloring_figure(sg.gallery.grid((3,)), [0, 1, 0])
    <Figure ... with 2 Axes>

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
        caption=[("Vertices of each color", "bold", Ink.TEXT)],
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


@figure_function
def plot_communities(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its communities: adjacent ones have different colors, and up to 8 all have different ones.

    >>> import stablegraph as sg
    >>> sg.plot.plot_communities(sg.gallery.grid((4,)), [0, 0, 1, 1])
    <Axes...>

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
    drawing.add_edges(~inside, colors=Ink.EDGE, linewidths=thin, alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=paint[drawing.rows[inside]], linewidths=2 * thin, alpha=0.6, zorder=2)
    size = drawing.width(2.4, 1, 12) ** 2
    drawing.add_points(s=size, c=paint, edgecolors=Ink.PAPER, linewidths=size**0.5 / 14, zorder=3)
    return drawing.finish(size**0.5 / 2)


def _colors_of(graph: Graph, labels: Any) -> Any:
    """Return a color number for each vertex: its community if they are few, else one that adjacent ones differ in."""
    if labels.max(initial=-1) < len(FEW_COLORS):
        return labels
    plain = graph._replace(weights=None)
    return vertex_coloring(as_graph(coarse_graph(plain, labels), weights=False))[labels]


@figure_function
def communities_figure(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the matrix sorted by community (or the graph), and the sizes of the communities.

    >>> import stablegraph as sg
    >>> sg.plot.communities_figure(sg.gallery.grid((4,)), [0, 0, 1, 1])
    <Figure ... with 2 Axes>

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
        caption=[("Sizes of the communities", "bold", Ink.TEXT)],
    )


_PART = 1500  # vertices that are drawn if a graph has too many


@figure_function
def plot_aggregates(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a graph with its aggregates as patches; adjacent aggregates have different colors.

    >>> import stablegraph as sg
    >>> sg.plot.plot_aggregates(sg.gallery.grid((3,)), [0, 0, 1])
    <Axes...>

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
    drawing.add_edges(~inside, colors=Ink.EDGE, linewidths=thin, zorder=0)
    drawing.add_edges(inside, colors=Ink.PAPER, linewidths=thin, alpha=0.7, zorder=2)
    drawing.add_points(s=(1.8 * thin) ** 2, c=Ink.PAPER, linewidths=0, zorder=3)
    return drawing.finish(thin)


@figure_function
def aggregates_figure(
    graph: Any, labels: Any, positions: Any = None, *, names: bool | None = None, title: str = ""
) -> Figure:
    """Create a complete figure: the graph with its aggregates as patches, and the number of aggregates of each size.

    >>> import stablegraph as sg
    >>> sg.plot.aggregates_figure(sg.gallery.grid((3,)), [0, 0, 1])
    <Figure ... with 2 Axes>

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
    drawn = np.arange(n) if n <= page.MAX_DRAWN else _around_the_middle(graph, labels)
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
        caption=[("Aggregates of each size", "bold", Ink.TEXT)],
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
