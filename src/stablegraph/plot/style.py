"""What figures have in common: their colours, the check of what is drawn, and Matplotlib, imported late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._arguments import host_array, unmasked
from ..graph import Graph, as_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.float64]

MAX_DRAWN = 20_000  # vertices; a drawing of more is a grey cloud, and its layout takes minutes

MEMBER = "#D9480F"
OTHER = "#8CA6BD"
EDGE = "#B4C2CE"
EDGE_OF_MEMBER = "#F0A37F"
INK = "#243240"
FAINT = "#6B7B8A"
PAPER = "#FCFBF8"
FEW_COLORS = ("#D9480F", "#2A7F9E", "#EDB93D", "#3D3B72", "#86B36B", "#C27BA6", "#8A5A44", "#9AA7B3")
MANY_COLORS = ("#3D3B72", "#2A7F9E", "#86B36B", "#EDB93D", "#D9480F")


def require_matplotlib() -> None:
    """Say how to get Matplotlib if it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(
                'figures need Matplotlib: pip install "stablegraph[plot]"', name="matplotlib"
            ) from None
        raise


def axes(ax: Axes | None) -> Axes:
    """The axes to draw in: those given, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, new = plt.subplots(figsize=(7, 7), facecolor=PAPER, layout="constrained")
    return new


def room_for_each(count: int, ax: Axes) -> float:
    """The side, in points (1/72 inch), of the square that each of so many vertices has to itself in a drawing."""
    box = ax.get_window_extent()
    across = float(np.sqrt(box.width * box.height) / ax.figure.dpi * 72)
    return across / max(float(np.sqrt(count)), 1.0)


def palette(count: int) -> npt.NDArray[np.float64]:
    """One colour (red, green, blue, alpha) for each of so many classes: distinct if they are few, else a scale."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba_array

    if count <= len(FEW_COLORS):
        return np.asarray(to_rgba_array(FEW_COLORS[:count]))
    scale = LinearSegmentedColormap.from_list("classes", MANY_COLORS)
    return np.asarray(scale(np.linspace(0, 1, count)))


def even_bars(ax: Axes) -> None:
    """Axes of bars: no frame, faint numbers, lines through the bars."""
    ax.set_facecolor(PAPER)
    ax.tick_params(colors=FAINT, length=0, which="both")
    ax.tick_params(axis="y", labelsize=8)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.grid(axis="y", color=PAPER, linewidth=0.8)
    for side in ax.spines.values():
        side.set_visible(False)


def write_column(figure: Any, left: float, lines: Any) -> None:
    """Text beside a drawing: (inches below the top, text, points, weight, colour) each."""
    height = figure.get_size_inches()[1]
    for down, text, points, weight, colour in lines:
        figure.text(left, 1 - down / height, text, fontsize=points, fontweight=weight, color=colour)


def checked_graph(graph: Any) -> Graph:
    """A Graph from anything that is one."""
    return graph if isinstance(graph, Graph) else as_graph(graph)


def checked_mask(graph: Graph, mask: Any) -> Mask:
    """The members of a set, one bool a vertex."""
    given: Mask = host_array(mask, "mask")
    if given.dtype != bool or given.shape != (graph.num_vertices,):
        raise ValueError(
            f"mask must be a bool array of shape ({graph.num_vertices},), got {given.dtype} of shape {given.shape}"
        )
    return given


def checked_colors(graph: Graph, colors: Any, name: str = "colors") -> npt.NDArray[np.int64]:
    """The colors of the vertices, or other numbers from 0 on with this name."""
    given = host_array(colors, name)
    if given.dtype.kind not in "iu" or given.shape != (graph.num_vertices,):
        raise ValueError(
            f"{name} must be integers of shape ({graph.num_vertices},), got {given.dtype} of shape {given.shape}"
        )
    if (given < 0).any():
        v = int((given < 0).argmax())
        raise ValueError(f"vertex {v} has no {name[:-1]}, but {given[v]}: {name} are numbers from 0 on")
    return given.astype(np.int64)


def checked_positions(graph: Graph, positions: Any) -> Positions:
    """Where the vertices of a graph are that is not too large to be drawn: as given, or by `layout`."""
    n = graph.num_vertices
    if n > MAX_DRAWN:
        raise ValueError(
            f"a drawing of {n:,} vertices shows nothing (at most {MAX_DRAWN:,} are drawn); show its matrix, or draw "
            "graph.subgraph(...)"
        )
    if positions is None:
        from .stress import layout

        return layout(graph)
    given = np.asarray(unmasked(positions, "positions"), np.float64)
    if given.shape != (n, 2) or not np.isfinite(given).all():
        raise ValueError(f"positions must be finite numbers of shape ({n}, 2), got shape {given.shape}")
    return given


def drawing_height(positions: Positions) -> float:
    """Inches that a drawing 6.5 inches wide is high."""
    wide, high = np.ptp(positions, axis=0) if len(positions) else (1, 1)
    return float(np.clip(6.5 * high / max(wide, 1e-9), 4.6, 6.5))
