"""The parts of figures: arguments with their documentation and checks, colors, axes, a drawing, and a whole page.

A page has the drawing of a graph, or its matrix, and a column with text above bars. `figure_function` replaces each
``{name}`` in a docstring by a text that several figures share.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._core.texts import printable
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, host_array, unmasked
from .._core.vertex_names import refuse_other_order, shown_vertex
from .._core.vertex_values import in_vertex_order
from ..conversion import as_graph
from ..graph import Graph
from .multilevel import Positions, edges_once, layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


_Function = TypeVar("_Function", bound=Callable[..., object])

_RAISES = """Raises
------
ValueError
    If an array does not fit the graph, or the graph is too large to be drawn.
ModuleNotFoundError
    If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``."""

_PARAMETERS = """Parameters
----------"""

_GRAPH = f"""{_PARAMETERS}
graph : Graph or anything `as_graph` takes"""

_TEXTS = {
    "parameters": _PARAMETERS,
    "parameters: graph": _GRAPH,
    "parameters: small graph": f"""{_GRAPH}
    At most 20,000 vertices.""",
    "mask": """mask : array of bool, shape (n,)
    True for the members of the set.""",
    "mask or none": """mask : array of bool, shape (n,), optional
    True for the members of the set. Without it only the graph is shown.""",
    "positions, names, ax, returns, raises": """positions : array of float, shape (n, 2), or dict, optional
    Where the vertices are; a dict has the names for keys, as NetworkX's layouts have. `layout(graph)` if not given.
{names}
{ax, returns, raises}""",
    "names": """names : bool, optional
    Whether names are drawn next to the vertices: `graph.nodes`, or numbers if there are none. By default they are drawn
    if vertices have names and are at most 100.""",
    "cells": """cells : int
    The picture has about this many rows and columns; each shows its number of entries (darker: more).""",
    "ax, returns, raises": f"""ax : matplotlib Axes, optional
    Where to draw; a new figure if not given.

Returns
-------
matplotlib Axes

{_RAISES}""",
    "title, returns, raises": f"""title : str
    Stands above the figure, such as the name of the graph.

Returns
-------
matplotlib Figure
    Not tied to a window: ``figure.savefig("picture.png")`` writes it to a file.

{_RAISES}""",
}


def figure_function(function: _Function) -> _Function:
    """Let unknown options of a function suggest the closest, and replace the names in braces in its docstring."""
    text = inspect.getdoc(function)
    if text is not None:  # python -OO removes docstrings
        for name, shared in _TEXTS.items():
            text = text.replace(f"{{{name}}}", shared)
        function.__doc__ = text
    return suggests_options(function)


Mask = npt.NDArray[np.bool_]

MAX_NAMED = 100  # vertices; the names of more vertices hide each other and the graph
MAX_DRAWN = 20_000  # vertices; a drawing of more is a gray cloud
THINNEST, ACROSS = 0.2, 468.0  # points: the thinnest line, and the width of the drawing in a complete figure


def require_matplotlib() -> None:
    """Raise an error that says how to install Matplotlib if it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(
                'figures need Matplotlib: pip install "stablegraph[plot]"', name="matplotlib"
            ) from None
        raise


def checked_graph(graph: Any) -> Graph:
    """Convert an object to a Graph, and check that Matplotlib is installed."""
    require_matplotlib()
    return graph if isinstance(graph, Graph) else as_graph(graph)


def undirected(graph: Graph) -> Graph:
    """Return the graph, with each arc as an edge if it is directed."""
    return as_graph(graph, symmetrize=True, weights=False) if graph.directed else graph


def graph_and_set(graph: Any, mask: Any) -> tuple[Graph, Mask]:
    """Return a graph and the members of a set, one bool per vertex."""
    graph = checked_graph(graph)
    array: Mask = host_array(in_vertex_order(mask, "mask", graph), "mask")
    if array.dtype != bool or array.shape != (graph.num_vertices,):
        raise ValueError(
            f"mask must be a bool array of shape ({graph.num_vertices},), got {array.dtype} of shape {array.shape}"
        )
    return graph, array


def graph_and_colors(graph: Any, colors: Any, name: str = "colors") -> tuple[Graph, npt.NDArray[np.int64]]:
    """Return a graph and the colors of its vertices, or other non-negative numbers with this name."""
    graph = checked_graph(graph)
    array = host_array(in_vertex_order(colors, name, graph), name)
    if array.dtype.kind not in "iu" or array.shape != (graph.num_vertices,):
        raise ValueError(
            f"{name} must be integers of shape ({graph.num_vertices},), got {array.dtype} of shape {array.shape}"
        )
    if (array < 0).any():
        v = int((array < 0).argmax())
        raise ValueError(f"vertex {v} has no {name[:-1]}, but {array[v]}: {name} are numbers from 0 on")
    return graph, array.astype(np.int64)


def class_sizes(numbers: Any, name: str) -> npt.NDArray[np.int64]:
    """Count the vertices of each color, or of each other number with this name."""
    array = host_array(numbers, name)
    return np.bincount(array) if array.size else np.zeros(0, np.int64)


def checked_positions(graph: Graph, positions: Any) -> Positions:
    """Return the given positions, or those of `layout`; raise ValueError if the graph is too large to be drawn."""
    n = graph.num_vertices
    if n > MAX_DRAWN:
        raise ValueError(
            f"a drawing of {n:,} vertices shows nothing (at most {MAX_DRAWN:,} are drawn); show its matrix, or draw "
            "graph.subgraph(...)"
        )
    if positions is None:
        return layout(graph)
    array = np.asarray(unmasked(by_number(graph, positions), "positions"), np.float64)
    if array.shape != (n, 2) or not np.isfinite(array).all():
        raise ValueError(f"positions must be finite numbers of shape ({n}, 2), got shape {array.shape}")
    return array


def drawn_at(graph: Graph, positions: Any = None) -> tuple[Positions | None, str]:
    """Return the positions for a drawing; or None, and the reason why the matrix shows more than a drawing."""
    n, edges = graph.num_vertices, graph.num_edges
    if n > MAX_DRAWN:
        return None, f"{n:,} vertices are too many to be drawn"
    if positions is not None:
        return checked_positions(graph, positions), ""
    too_many = f"its {edges:,} edges would hide each other in a drawing"
    # On average, the neighbors of a vertex are not nearer than if they filled a disc around it.
    if _covered(edges * 2 / 3 * np.sqrt(2 * edges / max(n, 1) / np.pi / max(n, 1)), 1.0) > 1:
        return None, too_many
    where = layout(graph)
    wide, high = np.ptp(where, axis=0) if n else (1.0, 1.0)
    u, v = edges_once(graph)
    length = float(np.hypot(*(where[u] - where[v]).T).sum()) / max(wide, high, 1.0)
    return (None, too_many) if _covered(length, min(wide, high) / max(wide, high, 1.0)) > 1 else (where, "")


def _covered(length: float, flatness: float) -> float:
    """Return how often the thinnest lines cover a drawing; `length` is in multiples of its longer side."""
    return length * THINNEST / ACROSS / max(flatness, THINNEST / ACROSS)


def by_number(graph: Graph, positions: Any) -> Any:
    """Convert a dict of positions by name, as from NetworkX's layouts, to an array; return other values unchanged."""
    if not isinstance(positions, Mapping):
        refuse_other_order(positions, "positions", graph)
        return positions
    nodes = range(graph.num_vertices) if graph.nodes is None else graph.nodes
    missing = next((v for v, name in enumerate(nodes) if name not in positions), None)
    if missing is not None:
        raise ValueError(f"positions has no vertex {shown_vertex(missing, graph.nodes)}")
    places = [positions[name] for name in nodes]
    return np.array(places, np.float64) if places else np.zeros((0, 2))


def checked_names(graph: Graph, names: Any) -> Sequence[str] | None:
    """Return the texts next to the vertices, or None."""
    n = graph.num_vertices
    wanted = graph.nodes is not None and n <= MAX_NAMED if names is None else boolean(names, "names")
    return [printable(str(name)) for name in (range(n) if graph.nodes is None else graph.nodes)] if wanted else None


class Ink:
    """The colors of figures."""

    MEMBER = "#D9480F"
    OTHER = "#8CA6BD"
    EDGE = "#B4C2CE"
    EDGE_OF_MEMBER = "#F0A37F"
    TEXT = "#243240"
    FAINT = "#6B7B8A"
    PAPER = "#FCFBF8"


FEW_COLORS = ("#D9480F", "#2A7F9E", "#EDB93D", "#3D3B72", "#86B36B", "#C27BA6", "#8A5A44", "#9AA7B3")
MANY_COLORS = ("#3D3B72", "#2A7F9E", "#86B36B", "#EDB93D", "#D9480F")

# In inches: the size of the page, and the distances of the column's lines of text from the top.
_WIDTH, _HEIGHT = 10.5, 6.3
_TITLE, _SIZE, _HEADLINE, _CLAIM, _CAPTION, _BARS = 0.60, 0.90, 1.45, 1.75, 2.80, 3.0
_LINE_HEIGHT = 0.23
_BELOW_BARS = 0.42
_LONGEST_NAME = 24  # letters
_MARGIN_WITH_NAMES = 0.06  # fraction of the drawing, for the names of outer vertices
# In fractions of the page: left, bottom, width and height.
_DRAWING, _MATRIX = (0.01, 0.01, 0.64, 0.98), (0.03, 0.07, 0.59, 0.88)
_COLUMN, _INDENT, _BARS_WIDTH = 0.68, 0.04, 0.265


def palette(count: int) -> npt.NDArray[np.float64]:
    """Return one color (red, green, blue, alpha) per class: distinct colors for few classes, otherwise a scale."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba_array

    if count <= len(FEW_COLORS):
        return np.asarray(to_rgba_array(FEW_COLORS[:count]))
    scale = LinearSegmentedColormap.from_list("classes", MANY_COLORS)
    return np.asarray(scale(np.linspace(0, 1, count)))


def axes(ax: Axes | None) -> Axes:
    """Return the given axes, or create new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, new = plt.subplots(figsize=(7, 7), facecolor=Ink.PAPER, layout="constrained")
    return new


class Drawing:
    """A drawing of a graph in axes without a frame: its edges, and the widths of lines for the room per vertex."""

    def __init__(self, graph: Graph, positions: Any, names: bool | None, ax: Axes | None, margin: float = 0.02) -> None:
        self.positions, self._names = checked_positions(graph, positions), checked_names(graph, names)
        self.ax = axes(ax)
        self.rows, self.columns = edges_once(graph)
        self.ends = self.positions[np.stack([self.rows, self.columns], axis=1)]
        self.alpha = float(np.clip(2.0 / np.sqrt(max(len(self.ends) / max(graph.num_vertices, 1), 1)), 0.1, 1))
        box = self.ax.get_window_extent()
        across = float(np.sqrt(box.width * box.height) / self.ax.figure.dpi * 72)
        self.room = across / max(float(np.sqrt(graph.num_vertices)), 1.0)
        self._margin = margin

    def width(self, part: float, low: float, high: float) -> float:
        """Return the side of a vertex's square divided by `part`, in points (1/72 inch), between `low` and `high`."""
        return float(np.clip(self.room / part, low, high))

    def add_edges(self, chosen: Any = slice(None), **style: Any) -> None:
        """Draw all edges, or the chosen ones."""
        from matplotlib.collections import LineCollection

        self.ax.add_collection(LineCollection(list(self.ends[chosen]), **style))

    def add_points(self, chosen: Any = slice(None), **style: Any) -> None:
        """Draw all vertices, or the chosen ones."""
        self.ax.scatter(*self.positions[chosen].T, **style)

    def _add_names(self, names: Sequence[str], above: float) -> None:
        """Write the names `above` points above the vertices."""
        from matplotlib.patheffects import withStroke

        self._margin = max(self._margin, _MARGIN_WITH_NAMES)
        size = self.width(7.5, 4, 8)
        for name, place in zip(names, self.positions, strict=True):
            self.ax.annotate(
                name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}",
                place,
                xytext=(0, above + 1),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=size,
                color=Ink.TEXT,
                parse_math=False,
                path_effects=[withStroke(linewidth=size / 4, foreground=Ink.PAPER)],
                zorder=4,
            )

    def finish(self, above: float) -> Axes:
        """Write the names of the vertices; hide the axes, and make their scales equal to keep the graph's form."""
        if self._names is not None:
            self._add_names(self._names, above)
        self.ax.set_aspect("equal")
        self.ax.margins(self._margin)
        self.ax.set_axis_off()
        return self.ax


def integer_ticks(axis: Axis, limit: int) -> None:
    """Show at most `limit` numbers on an axis, all of them integers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=limit, integer=True))


def even_bars(ax: Axes) -> Axes:
    """Format the axes of bars: no frame, faint numbers, grid lines through the bars."""
    ax.set_facecolor(Ink.PAPER)
    ax.tick_params(colors=Ink.FAINT, length=0, which="both")
    ax.tick_params(axis="y", labelsize=8)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.grid(axis="y", color=Ink.PAPER, linewidth=0.8)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def counted(count: int, what: str) -> str:
    """Return a number with its noun: 1 color, 1,234 colors."""
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def figure_with_column(
    graph: Graph,
    positions: Positions | None,
    draw: Callable[..., Any],
    bars: Callable[..., Any],
    *,
    title: str,
    headline: str,
    claim: Sequence[str],
    caption: Sequence[tuple[str, str, str]],
) -> Figure:
    """Create a complete figure: the graph drawn at these positions, or its matrix, and a column with text above bars.

    `draw` and `bars` take the axes as `ax`. The caption of the bars consists of texts at the same position, each with
    its weight and color.
    """
    from matplotlib.figure import Figure

    height = _HEIGHT if positions is None else _drawing_height(positions)
    figure = Figure(figsize=(_WIDTH, height), dpi=150, facecolor=Ink.PAPER)
    draw(ax=figure.add_axes(_MATRIX if positions is None else _DRAWING))
    lines = (  # distance from the top in inches, text, size in points, weight, color
        (_TITLE, title, 15, "bold", Ink.TEXT),
        (_SIZE, f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges", 10, "normal", Ink.FAINT),
        (_HEADLINE, headline, 15, "bold", Ink.MEMBER),
        *((_CLAIM + _LINE_HEIGHT * line, text, 10, "normal", Ink.TEXT) for line, text in enumerate(claim)),
        *((_CAPTION, text, 10, weight, ink) for text, weight, ink in caption),
    )
    for down, text, points, weight, ink in lines:
        figure.text(_COLUMN, 1 - down / height, text, fontsize=points, fontweight=weight, color=ink, parse_math=False)
    low, high = _BELOW_BARS / height, 1 - _BARS / height
    bars(ax=figure.add_axes((_COLUMN + _INDENT, low, _BARS_WIDTH, high - low)))
    return figure


def _drawing_height(positions: Positions) -> float:
    """Return the height in inches of a drawing that is 6.5 inches wide."""
    wide, high = np.ptp(positions, axis=0) if len(positions) else (1, 1)
    return float(np.clip(6.5 * high / max(wide, 1e-9), 4.6, 6.5))
