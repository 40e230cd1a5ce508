"""Figures of schedules: a row for each slot, and a box for each vertex, with rooms in the column of its room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..coloring.constraints import checked_rooms, checked_sizes
from ..coloring.schedule import rooms_of, slots_of
from .page import Ink, checked_graph, counted, figure_function

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BOXES = 2_000  # vertices or places of rooms; more boxes show nothing
_WIDTH, _ROW, _AROUND = 10.5, 0.26, 1.3  # inches: of the figure, of a row, and of the texts above and below the rows
_LARGEST, _LARGEST_OF_TWO, _SMALLEST = 8.0, 6.0, 4.0  # points: sizes of the texts in boxes, in one line and in two
_LETTER = 0.6  # the width of a letter as a part of its size


@figure_function
def schedule_figure(
    graph: Any,
    rounds: Any,
    *,
    sizes: Any = None,
    rooms: Any = None,
    fixed: Any = None,
    title: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Create a figure of a schedule: a row for each slot, and a box with the name of each vertex.

    >>> import stablegraph as sg
    >>> sg.plot.schedule_figure(sg.gallery.grid((3,)), [[0, 2], [1]])
    <Figure ... with 1 Axes>

    With `rooms`, each room has a column, from the largest on, and the dark part of a box is the part of the seats in
    use. Without rooms, the width of a box is the size of the vertex. A name that does not fit into its box is cut.

    {parameters: graph}
    rounds : list of integer arrays, or integer array (n,)
        The answer of `schedule`, or of `vertex_coloring`.
    sizes, rooms, fixed
        As for `vertex_coloring`; a room is assigned to each vertex as by `schedule_table`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    {title, returns, raises}

    Examples
    --------
    >>> from stablegraph import from_edges, plot, schedule
    >>> exams = from_edges(["Math", "Math"], ["Art", "Music"], symmetrize=True)
    >>> limits = dict(sizes=[90, 20, 30], rooms=dict(hall=120, lab=25))
    >>> figure = plot.schedule_figure(exams, schedule(exams, **limits), **limits)  # doctest: +SKIP
    >>> figure.savefig("timetable.png")  # doctest: +SKIP
    """
    from matplotlib.figure import Figure

    graph = checked_graph(graph)
    slots, amounts = slots_of(graph, rounds), checked_sizes(sizes, graph)
    count = int(slots.max(initial=-1)) + 1
    names = list(map(str, range(len(graph)) if graph.nodes is None else graph.nodes))
    seats = None if rooms is None else checked_rooms(rooms)
    boxes = max(graph.num_vertices, count * (1 if seats is None else len(seats)))
    if boxes > MAX_BOXES:
        raise ValueError(f"a figure of {boxes:,} boxes shows nothing; draw slots with at most {MAX_BOXES:,}")
    if ax is None:
        inches = (_WIDTH, _AROUND + _ROW * max(count, 4))
        ax = Figure(figsize=inches, dpi=150, facecolor=Ink.PAPER, layout="constrained").subplots()
        width = 72 * _WIDTH * 0.85
    else:
        width = 72 * ax.get_window_extent().width / ax.figure.dpi
    if seats is None:
        _draw_rows(ax, width, slots, amounts, names)
        ax.set_xlabel("vertices" if sizes is None else "total size", color=Ink.FAINT, fontsize=9)
    else:
        _draw_columns(ax, width, slots, amounts, names, rooms_of(graph, slots, sizes, seats, fixed), seats)
    step = 1 + count // 60
    ax.set_yticks(range(0, count, step), [f"slot {slot}" for slot in range(0, count, step)])
    ax.set_ylim(max(count, 1) - 0.4, -0.6)
    ax.tick_params(colors=Ink.FAINT, length=0, labelsize=8)
    ax.set_facecolor(Ink.PAPER)
    ax.spines[:].set_visible(False)
    headline = f"{graph.num_vertices:,} {'vertex' if graph.num_vertices == 1 else 'vertices'}, {counted(count, 'slot')}"
    ax.set_title(f"{title}: {headline}" if title else headline, color=Ink.TEXT, fontsize=12, parse_math=False)
    return cast("Figure", ax.figure)


def _draw_rows(ax: Axes, width: float, slots: Any, widths: Any, names: list[str]) -> None:
    """Draw the boxes of each slot next to each other, the largest first."""
    order = np.lexsort((-widths, slots))
    ends = np.cumsum(widths[order])
    starts_of_slots = np.searchsorted(slots[order], slots[order])
    left = ends - widths[order] - np.append(0, ends)[starts_of_slots]
    ax.barh(slots[order], widths[order], left=left, height=0.86, color=Ink.EDGE, edgecolor=Ink.PAPER, linewidth=0.8)
    extent = max(float((left + widths[order]).max(initial=0)), 1.0)
    ax.set_xlim(0, extent)
    for v, start in zip(order.tolist(), left.tolist(), strict=True):
        _write(ax, names[v], start + widths[v] / 2, slots[v], width * widths[v] / extent)


def _draw_columns(
    ax: Axes, width: float, slots: Any, amounts: Any, names: list[str], assigned: list[Any], seats: Mapping[Any, int]
) -> None:
    """Draw each box in the column of its room, with the seats in use in a darker tint."""
    columns = {name: x for x, name in enumerate(sorted(seats, key=lambda name: -seats[name]))}
    place = np.array([columns[name] for name in assigned], float)
    use = amounts / np.maximum([seats[name] for name in assigned], 1)
    ax.barh(slots, 0.94, left=place + 0.03, height=0.86, color=Ink.EDGE, alpha=0.45, linewidth=0)
    ax.barh(slots, 0.94 * use, left=place + 0.03, height=0.86, color=Ink.EDGE, linewidth=0)
    for v, x in enumerate(place.tolist()):
        _write(ax, names[v], x + 0.5, slots[v], width * 0.94 / len(columns))
    room, unit = width * 0.94 / max(len(columns), 1), " seats" if len(columns) <= 12 else ""
    labels = [f"{_shortened(str(name), room, 7)}\n{seats[name]}{unit}" for name in columns]
    ax.set_xticks(np.arange(len(columns)) + 0.5, labels)
    ax.xaxis.tick_top()
    ax.set_xlim(0, max(len(columns), 1))


def _write(ax: Axes, name: str, x: float, y: float, room: float) -> None:
    """Write a name into a box with this width in points: smaller, in two lines, or cut if needed."""
    words = name.split(" ")
    splits = [[" ".join(words[:i]), " ".join(words[i:])] for i in range(1, len(words))]
    two = min(splits, key=lambda lines: max(map(len, lines)), default=[name])
    fits = [room / (_LETTER * max(1, *map(len, lines))) for lines in ([name, ""], [*two, ""])]
    one_size, two_size = min(_LARGEST, fits[0]), min(_LARGEST_OF_TWO, fits[1])
    lines, size = ([name] if one_size >= two_size else two), max(one_size, two_size, _SMALLEST)
    text = "\n".join(_shortened(line, room, size) for line in lines).strip()
    style = {"ha": "center", "va": "center", "linespacing": 0.95, "color": Ink.TEXT, "parse_math": False}
    ax.text(x, y, text, fontsize=size, **style)


def _shortened(name: str, room: float, size: float) -> str:
    """Return the beginning of a name that fits into a width in points at a size of the letters."""
    letters = int(room / (_LETTER * size) + 1e-6)  # rounding
    if len(name) <= letters:
        return name
    return name[: letters - 2] + "\N{HORIZONTAL ELLIPSIS}" if letters > 2 else ""  # as wide as two letters
