"""The matrix of a graph of any size, with rows and columns sorted by class: the set and its complement, or the colors.

A class in which no two vertices are adjacent is an empty square on the diagonal. Cells never cross the border between
two classes, so that an empty square is recognizable as empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..graph import Graph
from .page import Ink, axes, checked_graph, figure_function, graph_and_colors, graph_and_set, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLOCK = 1 << 22  # entries per step, to limit the work memory


@figure_function
def plot_matrix(graph: Any, mask: Any = None, *, ax: Axes | None = None, cells: int = 300) -> Axes:
    """Show the matrix of a graph of any size, with the members of a set first.

    The square in the upper left corner contains the members; it is empty if and only if the set is independent. Without
    a set, rows and columns keep their order.

    {parameters: graph}
    {mask or none}
    {cells}
    {ax, returns, raises}
    """
    if mask is None:
        graph, ax = checked_graph(graph), axes(ax)
        _show_density(ax, graph, np.zeros(graph.num_vertices, np.int64), 1, cells)
        return ax
    graph, mask = graph_and_set(graph, mask)
    from matplotlib.patches import Rectangle

    members = int(np.count_nonzero(mask))
    ax = axes(ax)
    _show_density(ax, graph, np.where(mask, 0, 1), 2, cells)
    ax.add_patch(Rectangle((0, 0), members, members, fill=False, edgecolor=Ink.MEMBER, linewidth=1.6))
    if members:
        ax.set_xlabel("the set first, then all other vertices", color=Ink.FAINT, fontsize=9)
    return ax


@figure_function
def plot_color_matrix(graph: Any, colors: Any, *, ax: Axes | None = None, cells: int = 300) -> Axes:
    """Show the matrix of a graph of any size, sorted by color.

    Each color has a square on the diagonal, which is empty if and only if no two adjacent vertices have that color.
    If there are more colors than cells, several colors share one.

    {parameters: graph}
    colors : array of integers, shape (n,)
    {cells}
    {ax, returns, raises}
    """
    graph, colors = graph_and_colors(graph, colors)
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    ax = axes(ax)
    count = int(colors.max(initial=-1)) + 1
    borders = _show_density(ax, graph, colors, count, cells)
    squares = [Rectangle((begin, begin), end - begin, end - begin) for begin, end in pairwise(borders.tolist())]
    paint = palette(count)
    ax.add_collection(PatchCollection(squares, facecolors=paint, linewidths=0, alpha=0.3, zorder=0.5))
    ax.add_collection(
        PatchCollection(squares, facecolors="none", edgecolors=paint, linewidths=1.4 if count < 16 else 0.8, zorder=2)
    )
    if count:
        ax.set_xlabel("one square a color", color=Ink.FAINT, fontsize=9)
    return ax


def _show_density(ax: Axes, graph: Graph, classes: Any, count: int, cells: int) -> npt.NDArray[np.int64]:
    """Show the entries with vertices sorted by class, and return the borders of the classes."""
    from matplotlib.colors import LinearSegmentedColormap

    n = graph.num_vertices
    borders = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=count))]).astype(np.int64)
    place = np.empty(n, np.int64)
    place[np.argsort(classes, kind="stable")] = np.arange(n)
    edges = _cell_edges(borders, max(min(cells, n), 1))
    dense = _density(graph, place, edges)
    ink = LinearSegmentedColormap.from_list("ink", ["#C9D6E2", "#5C7C99", Ink.TEXT])
    top = float(np.quantile(dense[dense > 0], 0.98)) if (dense > 0).any() else 1.0
    shown = np.ma.masked_equal(dense, 0)
    ax.pcolormesh(edges, edges, shown, cmap=ink, vmin=0, vmax=top, rasterized=True, zorder=1)
    ax.set(xlim=(0, max(n, 1)), ylim=(max(n, 1), 0), xticks=[], yticks=[], aspect="equal", facecolor=Ink.PAPER)
    for side in ax.spines.values():
        side.set_color(Ink.EDGE)
    return borders


def _cell_edges(borders: npt.NDArray[np.int64], cells: int) -> npt.NDArray[np.float64]:
    """Return the borders of about `cells` cells, even within each class; they include those of the classes if possible.

    If there are more classes than cells, the borders of the classes are ignored.
    """
    n = int(borders[-1])
    if borders.size - 1 > cells or n == 0:
        return np.linspace(0, max(n, 1), cells + 1)
    parts = [
        np.linspace(begin, end, max(round(cells * (end - begin) / n), 1) + 1)
        for begin, end in pairwise(borders.tolist())
        if end > begin
    ]
    return np.unique(np.concatenate(parts))


def entry_blocks(graph: Graph) -> Iterator[tuple[Any, Any]]:
    """Yield the rows and the columns of the entries of a graph, block by block."""
    for start in range(0, graph.num_entries, _BLOCK):
        stop = min(start + _BLOCK, graph.num_entries)
        rows = np.searchsorted(graph.indptr, np.arange(start, stop), side="right") - 1
        yield rows, np.asarray(graph.indices[start:stop])


def _density(graph: Graph, place: Any, edges: Any) -> npt.NDArray[np.float64]:
    """Compute the fraction of each cell that is filled with entries, without loops."""
    side = edges.size - 1
    cell = np.searchsorted(edges, place, side="right") - 1
    count = np.zeros(side * side)
    for rows, columns in entry_blocks(graph):
        apart = rows != columns
        where = cell[rows[apart]] * side + cell[columns[apart]]
        count += np.bincount(where, minlength=count.size)
    dense: npt.NDArray[np.float64] = count.reshape(side, side) / np.outer(np.diff(edges), np.diff(edges))
    return dense
