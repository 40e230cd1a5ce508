"""The parts of a figure: colors, axes, a drawing of a graph, bars, and the complete figure with a column of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..graph import Graph
from .checks import checked_names, checked_positions
from .multilevel import Positions, edges_once

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MEMBER = "#D9480F"
OTHER = "#8CA6BD"
EDGE = "#B4C2CE"
EDGE_OF_MEMBER = "#F0A37F"
INK = "#243240"
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

    _, new = plt.subplots(figsize=(7, 7), facecolor=PAPER, layout="constrained")
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
                color=INK,
                parse_math=False,
                path_effects=[withStroke(linewidth=size / 4, foreground=PAPER)],
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
    ax.set_facecolor(PAPER)
    ax.tick_params(colors=FAINT, length=0, which="both")
    ax.tick_params(axis="y", labelsize=8)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.grid(axis="y", color=PAPER, linewidth=0.8)
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
    figure = Figure(figsize=(_WIDTH, height), dpi=150, facecolor=PAPER)
    draw(ax=figure.add_axes(_MATRIX if positions is None else _DRAWING))
    lines = (  # distance from the top in inches, text, size in points, weight, color
        (_TITLE, title, 15, "bold", INK),
        (_SIZE, f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges", 10, "normal", FAINT),
        (_HEADLINE, headline, 15, "bold", MEMBER),
        *((_CLAIM + _LINE_HEIGHT * line, text, 10, "normal", INK) for line, text in enumerate(claim)),
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
