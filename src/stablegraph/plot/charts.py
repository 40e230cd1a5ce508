"""Charts: the matrix of a graph, bars with the sizes of classes and the numbers of degrees, and lines of convergence.

The matrix of a graph of any size has its rows and columns sorted by class: the set and its complement, or the colors. A
class in which no two vertices are adjacent is an empty square on the diagonal. Cells never cross the border between two
classes, so that an empty square is recognizable as empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.validation import host_array, number
from ..graph import Graph
from .page import (
    FEW_COLORS,
    Ink,
    axes,
    checked_graph,
    class_sizes,
    even_bars,
    figure_function,
    graph_and_colors,
    graph_and_set,
    integer_ticks,
    palette,
    require_matplotlib,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LABELED = 24  # maximum number of bars with numbers below them


@figure_function
def plot_degrees(graph: Any, mask: Any = None, *, ax: Axes | None = None) -> Axes:
    """Show the number of vertices of each degree, and the number of them in a set.

    >>> import stablegraph as sg
    >>> sg.plot.plot_degrees(sg.gallery.grid((3,)))
    <Axes...>

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
    ax.bar(place, count[shown], width=0.8, color=Ink.EDGE, linewidth=0)
    ax.bar(place, members[shown], width=0.8, color=Ink.MEMBER, linewidth=0)
    labels = [f"{bins[b]}" if bins[b + 1] - bins[b] == 1 else f"{bins[b]}-{bins[b + 1] - 1}" for b in shown]
    ax.set_xticks(place, labels, fontsize=8 if shown.size < 12 else 7, rotation=0 if len("".join(labels)) < 30 else 40)
    integer_ticks(ax.yaxis, 4)
    return even_bars(ax)


def _degree_bins(largest: int) -> list[int]:
    """Return the borders of the bars: one bar per degree if there are few, otherwise bars of doubling width."""
    if largest <= 16:
        return list(range(largest + 2))
    bins = list(range(5))
    while bins[-1] <= largest:
        bins.append(2 * bins[-1])
    return bins


def _scale_heights(ax: Axes, sizes: Any) -> bool:
    """Make the scale of bars logarithmic if the largest size is more than a hundred times the smallest; return that."""
    is_wide = sizes.size > 0 and bool(sizes.max() > 100 * sizes[sizes > 0].min())
    if is_wide:
        ax.set_yscale("log")
        ax.set_ylim(0.5, 2 * sizes.max())
    else:
        integer_ticks(ax.yaxis, 4)
    return is_wide


@figure_function
def plot_color_sizes(colors: Any, *, ax: Axes | None = None) -> Axes:
    """Show the number of vertices of each color.

    >>> import stablegraph as sg
    >>> sg.plot.plot_color_sizes([0, 1, 0])
    <Axes...>

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
    if _scale_heights(ax, sizes):
        ax.yaxis.set_major_locator(LogLocator(numticks=6))
        ax.yaxis.set_minor_locator(NullLocator())
    if count <= _LABELED:
        ticks = np.arange(0, count, 1 if count <= 15 else 5)  # more labels would touch each other
        ax.set_xticks(ticks, [str(color) for color in ticks], fontsize=8 if count <= 12 else 7)
    else:
        integer_ticks(ax.xaxis, 6)
        ax.tick_params(axis="x", labelsize=8)
    ax.set_xlim(-0.6, max(count, 1) - 0.4)
    return even_bars(ax)


@figure_function
def plot_community_sizes(labels: Any, *, ax: Axes | None = None) -> Axes:
    """Show the sizes of the communities, the largest first; up to 8 have their numbers and colors.

    >>> import stablegraph as sg
    >>> sg.plot.plot_community_sizes([0, 0, 1])
    <Axes...>

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
    color = palette(all_sizes.size)[order] if are_few and sizes.size else Ink.OTHER
    ax.bar(place, sizes, width=0.8 if sizes.size <= 40 else 1.0, color=color, linewidth=0)
    _scale_heights(ax, sizes)
    ax.set_xlim(0.4, max(sizes.size, 1) + 0.6)
    if are_few:
        ax.set_xticks(place, order.tolist())
    else:
        integer_ticks(ax.xaxis, 8)
    ax.tick_params(axis="x", labelsize=8)
    return even_bars(ax)


@figure_function
def plot_aggregate_sizes(labels: Any, *, ax: Axes | None = None) -> Axes:
    """Show the number of aggregates of each size.

    >>> import stablegraph as sg
    >>> sg.plot.plot_aggregate_sizes([0, 0, 1])
    <Axes...>

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
    ax.bar(np.arange(1, last + 1), counts, width=0.8, color=Ink.OTHER, linewidth=0)
    ax.set_xlim(0.4, last + 0.6)
    integer_ticks(ax.xaxis, 8)
    if sizes.max(initial=0) > last:
        ax.text(last, counts[-1], "and more ", ha="right", va="bottom", fontsize=8, color=Ink.FAINT)
    integer_ticks(ax.yaxis, 4)
    ax.tick_params(axis="x", labelsize=8)
    return even_bars(ax)


@figure_function
def plot_convergence(
    residuals: Sequence[float] | Mapping[str, Sequence[float]], *, target: float | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the norms of residuals over the iterations.

    >>> import stablegraph as sg
    >>> sg.plot.plot_convergence([1.0, 0.1, 0.001])
    <Axes...>

    {parameters}
    residuals : list of float, or dict of such lists
        As filled by `Multigrid.solve`. Each entry of a dict is one line, labeled with its key.
    target : float, optional
        The norm to be reached, drawn as a horizontal line.
    {ax, returns, raises}

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> residuals = []
    >>> x = sg.smoothed_aggregation(sg.gallery.laplacian((20, 20))).solve(np.ones(400), residuals=residuals)
    >>> ax = sg.plot.plot_convergence(residuals)
    """
    require_matplotlib()
    ax = axes(ax)
    courses = residuals if isinstance(residuals, Mapping) else {"": residuals}
    for place, (name, course) in enumerate(courses.items()):
        ink = FEW_COLORS[place % len(FEW_COLORS)]
        sizes = np.array([number(size, "each residual") for size in host_array(course, "residuals").ravel().tolist()])
        sizes = np.where(sizes > 0, sizes, np.nan)  # the residual 0 has no logarithm
        ax.plot(sizes, color=ink, linewidth=1.8, marker="o", markersize=3.5)
        if name and sizes.size:
            ax.annotate(name, (sizes.size - 1, sizes[-1]), (6, 0), textcoords="offset points", color=ink, fontsize=9)
    if target is not None and number(target, "target") > 0:
        ax.axhline(number(target, "target"), color=Ink.FAINT, linewidth=0.8, linestyle="--")
    ax.set_yscale("log")
    ax.set_facecolor(Ink.PAPER)
    ax.set_xlabel("iterations", color=Ink.FAINT, fontsize=9)
    ax.set_ylabel("norm of the residual", color=Ink.FAINT, fontsize=9)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.tick_params(colors=Ink.FAINT, labelsize=8, which="both", length=0)
    ax.grid(axis="y", color=Ink.FAINT, alpha=0.2, linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(Ink.FAINT)
    return ax


@figure_function
def convergence_figure(
    residuals: Sequence[float] | Mapping[str, Sequence[float]], *, target: float | None = None, title: str = ""
) -> Figure:
    """Create a figure with `plot_convergence` and a title.

    >>> import stablegraph as sg
    >>> sg.plot.convergence_figure([1.0, 0.1, 0.001])
    <Figure ... with 1 Axes>

    {parameters}
    residuals, target
        As in `plot_convergence`.
    {title, returns, raises}
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(6.5, 4.2), facecolor=Ink.PAPER, layout="constrained")
    ax = plot_convergence(residuals, target=target, ax=figure.add_subplot())
    ax.set_title(title, color=Ink.TEXT, fontsize=11, loc="left")
    return figure  # type: ignore[no-any-return]


_BLOCK = 1 << 22  # entries per step, to limit the work memory


@figure_function
def plot_matrix(graph: Any, mask: Any = None, *, ax: Axes | None = None, cells: int = 300) -> Axes:
    """Show the matrix of a graph of any size, with the members of a set first.

    >>> import stablegraph as sg
    >>> sg.plot.plot_matrix(sg.gallery.grid((3,)))
    <Axes...>

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

    >>> import stablegraph as sg
    >>> sg.plot.plot_color_matrix(sg.gallery.grid((3,)), [0, 1, 0])
    <Axes...>

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
        ax.set_xlabel("one square per color", color=Ink.FAINT, fontsize=9)
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
