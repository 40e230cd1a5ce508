"""Figures from results: a graph with its independent set, or its matrix with the set in front.

A drawing shows a graph of up to some thousands of vertices. A larger one is shown as its matrix, with the members of
the set put first: that no two of them are adjacent is then an empty square.

Matplotlib is imported when a figure is drawn, not before. Colours can be told apart with any kind of colour vision, and
in grey: members of the set are dark and large, all others light and small. Figures bring their own light background, so
that they can be read on a dark page too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse import csgraph

from .graph import Graph, as_graph
from .verify import is_independent_set, is_maximal_independent_set

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Positions = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MAX_DRAWN = 20_000  # vertices; a drawing of more is a grey cloud, and its layout takes minutes
_PIVOTS = 200  # vertices from which distances are measured: all of them in a small graph
_ROUNDS = 150

_MEMBER = "#D9480F"
_OTHER = "#8CA6BD"
_EDGE = "#B4C2CE"
_EDGE_OF_MEMBER = "#F0A37F"
_INK = "#243240"
_FAINT = "#6B7B8A"
_PAPER = "#FCFBF8"


def layout(graph: Any) -> Positions:
    """Positions for drawing a graph: distances on paper as near as can be to distances in the graph.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Loops and duplicates are ignored; so are the directions of a directed Graph.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        Edges are about one unit long. Connected components lie side by side, the largest first.

    Notes
    -----
    Sparse stress minimisation [1]_: every vertex is pulled and pushed to its graph distance from its neighbours and
    from at most 200 pivots, starting from classical scaling of the distances to them [2]_. Nothing in it is random:
    the same graph gets the same picture on the same machine. Cost: one breadth-first search per pivot and 150
    rounds over n times the pivots; n = 1,000 takes a second, n = 10,000 some ten seconds.

    References
    ----------
    .. [1] M. Ortmann, M. Klimenta, U. Brandes, "A sparse stress model", Journal of Graph Algorithms and Applications
       21 (2017).
    .. [2] U. Brandes, C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph
       Drawing 2006.

    Examples
    --------
    >>> from stablegraph import from_edges, plot
    >>> square = from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> plot.layout(square).shape
    (4, 2)
    """
    adjacency = _simple_adjacency(_graph(graph))
    if adjacency.shape[0] == 0:
        return np.zeros((0, 2))
    count, component = csgraph.connected_components(adjacency, directed=False)
    order = np.argsort(component, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(component, minlength=count))[:-1])
    parts.sort(key=lambda part: (-part.size, part[0]))
    drawings = [_stress_layout(adjacency[part][:, part]) for part in parts]
    positions = np.zeros((adjacency.shape[0], 2))
    for part, drawing in zip(parts, _side_by_side(drawings), strict=True):
        positions[part] = drawing
    return positions


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
    _require_matplotlib()
    from matplotlib.collections import LineCollection

    graph = _graph(graph)
    mask = _checked_mask(graph, mask)
    n = graph.num_vertices
    if n > MAX_DRAWN:
        raise ValueError(
            f"a drawing of {n:,} vertices shows nothing (at most {MAX_DRAWN:,} are drawn); use plot_matrix, or draw "
            "graph.subgraph(...)"
        )
    if positions is None:
        positions = layout(graph)
    positions = np.asarray(positions, np.float64)
    if positions.shape != (n, 2) or not np.isfinite(positions).all():
        raise ValueError(f"positions must be finite numbers of shape ({n}, 2), got shape {positions.shape}")
    ax = _axes(ax)

    upper = sp.coo_array(sp.triu(_simple_adjacency(graph), 1))
    ends = np.stack([positions[upper.row], positions[upper.col]], axis=1)
    tinted = mask[upper.row] | mask[upper.col]
    room = _points_across(ax) / max(np.sqrt(n), 1)  # the side of the square that each vertex has to itself
    width = float(np.clip(room / 11, 0.2, 1.2))
    alpha = float(np.clip(2.0 / np.sqrt(max(upper.nnz / max(n, 1), 1)), 0.1, 1))
    for chosen, colour in ((~tinted, _EDGE), (tinted, _EDGE_OF_MEMBER)):
        ax.add_collection(LineCollection(list(ends[chosen]), colors=colour, linewidths=width, alpha=alpha, zorder=1))
    size = float(np.clip(room / 2.7, 0.8, 8)) ** 2
    ax.scatter(*positions[~mask].T, s=size * 0.25, c=_OTHER, linewidths=0, zorder=2)
    ax.scatter(*positions[mask].T, s=size, c=_MEMBER, edgecolors=_PAPER, linewidths=size**0.5 / 12, zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.02)
    ax.set_axis_off()
    return ax


def plot_matrix(graph: Any, mask: Any, *, ax: Axes | None = None, cells: int = 300) -> Axes:
    """Show the matrix of a graph of any size, the members of a set first.

    The square in the upper left corner belongs to the members; it is empty if and only if the set is independent.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
    mask : array of bool, shape (n,)
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    cells : int
        The picture has at most this many rows and columns; each shows how many entries it stands for (darker: more).

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
    _require_matplotlib()
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    graph = _graph(graph)
    mask = _checked_mask(graph, mask)
    n, members = graph.num_vertices, int(np.count_nonzero(mask))
    ax = _axes(ax)
    place = np.empty(n, np.int64)
    place[np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])] = np.arange(n)
    cells = max(min(cells, n), 1)
    # Cells are even on both sides of the set's edge, so that no cell holds entries of the members and of others.
    inside = int(np.clip(round(cells * members / max(n, 1)), 1 if members else 0, cells - (1 if members < n else 0)))
    edges = np.concatenate(
        [np.linspace(0, members, inside + 1)[: inside or None], np.linspace(members, n, cells - inside + 1)]
    )
    edges = np.unique(edges)
    cell = np.searchsorted(edges, place, side="right") - 1
    count = np.zeros((edges.size - 1) ** 2)
    block = 1 << 22  # entries at a time, to keep the work memory small
    for start in range(0, graph.num_entries, block):
        stop = min(start + block, graph.num_entries)
        rows = np.searchsorted(graph.indptr, np.arange(start, stop), side="right") - 1
        columns = np.asarray(graph.indices[start:stop])
        apart = rows != columns
        where = cell[rows[apart]] * (edges.size - 1) + cell[columns[apart]]
        count += np.bincount(where, minlength=count.size)
    shape = (edges.size - 1, edges.size - 1)
    dense = count.reshape(shape) / np.outer(np.diff(edges), np.diff(edges))
    shown = np.ma.masked_equal(dense, 0)
    colours = LinearSegmentedColormap.from_list("ink", ["#C9D6E2", "#5C7C99", _INK])
    top = float(np.quantile(dense[dense > 0], 0.98)) if (dense > 0).any() else 1.0
    ax.pcolormesh(edges, edges, shown, cmap=colours, vmin=0, vmax=top, rasterized=True)
    ax.add_patch(Rectangle((0, 0), members, members, fill=False, edgecolor=_MEMBER, linewidth=1.6))
    ax.set(xlim=(0, max(n, 1)), ylim=(max(n, 1), 0), xticks=[], yticks=[], aspect="equal", facecolor=_PAPER)
    for side in ax.spines.values():
        side.set_color(_EDGE)
    if members:
        ax.set_xlabel("the set first, then all others", color=_FAINT, fontsize=9)
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
    _require_matplotlib()
    from matplotlib.ticker import MaxNLocator

    graph = _graph(graph)
    mask = _checked_mask(graph, mask)
    ax = _axes(ax)
    degrees = np.asarray(graph.degrees())
    bins = _degree_bins(int(degrees.max(initial=0)))
    bin_of = np.searchsorted(bins, degrees, side="right") - 1
    count = np.bincount(bin_of, minlength=len(bins) - 1)
    members = np.bincount(bin_of[mask], minlength=len(bins) - 1)
    used = np.flatnonzero(count)
    shown = np.arange(used[0], used[-1] + 1) if used.size else used  # gaps between them too: the axis stays even
    place = np.arange(shown.size)
    ax.bar(place, count[shown], width=0.8, color=_EDGE, linewidth=0)
    ax.bar(place, members[shown], width=0.8, color=_MEMBER, linewidth=0)
    labels = [f"{bins[b]}" if bins[b + 1] - bins[b] == 1 else f"{bins[b]}-{bins[b + 1] - 1}" for b in shown]
    ax.set_xticks(place, labels, fontsize=8 if shown.size < 12 else 7, rotation=0 if len("".join(labels)) < 30 else 40)
    ax.set_facecolor(_PAPER)
    ax.tick_params(colors=_FAINT, length=0)
    ax.tick_params(axis="y", labelsize=8)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.grid(axis="y", color=_PAPER, linewidth=0.8)
    for side in ax.spines.values():
        side.set_visible(False)
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
    _require_matplotlib()
    from matplotlib.figure import Figure

    graph = _graph(graph)
    mask = _checked_mask(graph, mask)
    n, size = graph.num_vertices, int(np.count_nonzero(mask))
    if positions is None and n <= MAX_DRAWN:
        positions = layout(graph)
    height = 6.3
    if n <= MAX_DRAWN:
        wide, high = np.ptp(positions, axis=0) if n else (1, 1)
        height = float(np.clip(6.5 * high / max(wide, 1e-9), 4.6, 6.5))
    figure = Figure(figsize=(10.5, height), dpi=150, facecolor=_PAPER)
    if n <= MAX_DRAWN:
        plot_independent_set(graph, mask, positions, ax=figure.add_axes((0.01, 0.01, 0.64, 0.98)))
    else:
        plot_matrix(graph, mask, ax=figure.add_axes((0.03, 0.07, 0.59, 0.88)))

    left = 0.68
    share = f" ({size / n:.0%})" if n else ""
    column = (  # inches below the top
        (0.60, title, 15, "bold", _INK),
        (0.90, f"{n:,} vertices, {graph.num_edges:,} edges", 10, "normal", _FAINT),
        (1.45, f"{size:,} vertices{share}", 15, "bold", _MEMBER),
        *((1.75 + 0.23 * line, text, 10, "normal", _INK) for line, text in enumerate(_claim(graph, mask))),
        (2.80, "In the set", 10, "bold", _MEMBER),
        (2.80, "                   of all vertices of each degree", 10, "normal", _FAINT),
    )
    for down, text, points, weight, colour in column:
        figure.text(left, 1 - down / height, text, fontsize=points, fontweight=weight, color=colour)
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


def _require_matplotlib() -> None:
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(
                'figures need Matplotlib: pip install "stablegraph[plot]"', name="matplotlib"
            ) from None
        raise


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, new = plt.subplots(figsize=(7, 7), facecolor=_PAPER, layout="constrained")
    return new


def _points_across(ax: Axes) -> float:
    """The mean side of the drawing in points (1/72 inch)."""
    box = ax.get_window_extent()
    return float(np.sqrt(box.width * box.height) / ax.figure.dpi * 72)


def _degree_bins(largest: int) -> list[int]:
    """Borders of the bars: each degree has its own while there are few, then each bar is twice as wide as the last."""
    if largest <= 16:
        return list(range(largest + 2))
    bins = list(range(5))
    while bins[-1] <= largest:
        bins.append(2 * bins[-1])
    return bins


def _checked_mask(graph: Graph, mask: Any) -> Mask:
    given: Mask = np.asarray(mask)
    if given.dtype != bool or given.shape != (graph.num_vertices,):
        raise ValueError(
            f"mask must be a bool array of shape ({graph.num_vertices},), got {given.dtype} of shape {given.shape}"
        )
    return given


def _graph(graph: Any) -> Graph:
    return graph if isinstance(graph, Graph) else as_graph(graph)


def _simple_adjacency(graph: Graph) -> Any:
    """The symmetric pattern without loops and duplicates, as a SciPy CSR array of ones."""
    n = graph.num_vertices
    rows = np.repeat(np.arange(n, dtype=graph.indices.dtype), np.diff(graph.indptr))
    columns = np.asarray(graph.indices)
    apart = rows != columns
    rows, columns = rows[apart], columns[apart]
    both = sp.coo_array(
        (np.ones(2 * rows.size), (np.concatenate([rows, columns]), np.concatenate([columns, rows]))), shape=(n, n)
    )
    adjacency = sp.csr_array(both)
    adjacency.data[:] = 1
    return adjacency


def _stress_layout(adjacency: Any) -> Positions:
    """Positions of one connected component."""
    n = adjacency.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    if n == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    pivots, distances = _distances_from_pivots(adjacency)
    positions = _classical_scaling(distances)
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    columns = adjacency.indices

    # How many vertices a pivot stands for, as seen from each vertex: those nearer to it than half way.
    region = distances.argmin(axis=0)
    weight = np.empty_like(distances)
    for p in range(pivots.size):
        inner = np.sort(distances[p, region == p])
        weight[p] = np.searchsorted(inner, distances[p] / 2, side="right")
    neighbour = distances <= 1
    with np.errstate(divide="ignore"):
        weight = np.where(neighbour, 0.0, weight / distances**2)
    total = weight.sum(axis=0) + np.bincount(rows, minlength=n)

    for _ in range(_ROUNDS):
        pull = np.zeros_like(positions)
        for axis in range(2):
            pull[:, axis] = np.bincount(rows, positions[columns, axis], minlength=n) + positions[pivots, axis] @ weight
        step = positions[rows] - positions[columns]
        step /= np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-9)[:, None]
        away = positions[None, :, :] - positions[pivots][:, None, :]
        scale = weight * distances / np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-9)
        for axis in range(2):
            pull[:, axis] += np.bincount(rows, step[:, axis], minlength=n) + np.einsum(
                "pv,pv->v", scale, away[..., axis]
            )
        positions = pull / total[:, None]
    return _upright(positions)


def _distances_from_pivots(adjacency: Any) -> tuple[npt.NDArray[np.int64], Positions]:
    """Pivots spread over the graph, each the farthest from those before it, and hop distances (pivots, n)."""
    n = adjacency.shape[0]
    count = min(n, _PIVOTS)
    pivots = np.zeros(count, np.int64)
    distances = np.zeros((count, n))
    nearest = np.full(n, np.inf)
    pivots[0] = np.argmax(np.diff(adjacency.indptr))
    for p in range(count):
        if p > 0:
            pivots[p] = np.argmax(nearest)
        distances[p] = csgraph.dijkstra(adjacency, indices=pivots[p], unweighted=True)
        np.minimum(nearest, distances[p], out=nearest)
    return pivots, distances


def _classical_scaling(distances: Positions) -> Positions:
    """Two coordinates for each vertex from distances (pivots, n): the main directions of the centred squares."""
    squares = distances.T**2
    squares = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(squares.T @ squares)
    start: Positions = squares @ vectors[:, :-3:-1]
    spread = np.sqrt((start**2).mean(axis=0))
    start = start / np.where(spread > 0, spread, 1) * np.sqrt((distances**2).mean())
    # Vertices with equal distances (twins, leaves of one vertex) would never part: a small push, different for each.
    angle = np.arange(len(start)) * 2.399963  # the golden angle
    return start + 0.05 * np.column_stack([np.cos(angle), np.sin(angle)])


def _upright(positions: Positions) -> Positions:
    """Centred, the longer side across, and mirrored into one of the four positions that are equally good."""
    positions = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(positions.T @ positions)
    positions = positions @ axes[:, ::-1]
    third = (positions**3).sum(axis=0)
    return positions * np.where(third < 0, -1, 1)


def _side_by_side(drawings: list[Positions], gap: float = 1.0) -> list[Positions]:
    """Move drawings into rows, as words on a page about as wide as high."""
    sizes = [np.ptp(drawing, axis=0) + gap for drawing in drawings]
    width = max([size[0] for size in sizes] + [1.3 * np.sqrt(sum(size[0] * size[1] for size in sizes))])
    placed, x, y, height = [], 0.0, 0.0, 0.0
    for drawing, size in zip(drawings, sizes, strict=True):
        if x + size[0] > width * (1 + 1e-9):
            x, y, height = 0.0, y - height, 0.0
        placed.append(drawing - [drawing[:, 0].min(), drawing[:, 1].max()] + [x, y])
        x, height = x + size[0], max(height, size[1])
    return placed
