"""Figures of spanning forests: the graph with the edges of the forest highlighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.dispatch import suggests_options
from .checks import checked_graph, checked_names, checked_positions
from .page import Drawing, axes
from .shared_docs import with_shared_docs
from .style import EDGE, INK, MEMBER

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    positions, texts = checked_positions(graph, positions), checked_names(graph, names)
    ax = axes(ax)
    drawing = Drawing(ax, graph, positions)
    low, high = np.minimum(edges.row, edges.col).astype(np.int64), np.maximum(edges.row, edges.col)
    inside = np.isin(drawing.rows.astype(np.int64) * n + drawing.columns, low * n + high)
    drawing.add_edges(~inside, colors=EDGE, linewidths=drawing.width(16, 0.2, 0.8), alpha=drawing.alpha, zorder=1)
    drawing.add_edges(inside, colors=MEMBER, linewidths=drawing.width(8, 0.5, 1.8), zorder=2)
    size = drawing.width(5, 0.5, 5)
    ax.scatter(*positions.T, s=size**2, c=INK, linewidths=0, zorder=3)
    drawing.add_names(texts, size / 2)
    return drawing.finish()
