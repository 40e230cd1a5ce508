"""Color classes, and schedules: turn conflicts into rounds of tasks that can run in parallel.

Tasks that must not run at the same time (two elements that add to the same node, two rows that update the same unknown)
form a graph: a vertex for each task, an edge for each conflict. The tasks of one color have no conflicts, so each color
is a round, and few colors mean few rounds. Red-black Gauss-Seidel is the regular case. Schedules are suitable for tasks
that read everything they need before they write. If running tasks creates new conflicts, color the remaining tasks
again.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, ACM TOPC 5(2), 2018, which uses a sequence of
maximal independent sets as rounds. First fit also gives maximal rounds: every vertex has a neighbor of each lower
color.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.option_names import Order, Reduction
from .._core.runtime.device import of_package
from .._core.runtime.primitives import exclusive_scan, histogram, sort_by_key
from .._core.typing import ArrayLike, GraphLike, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import host_array, on_gpu
from .._core.vertex_names import shown_vertex
from .._core.vertex_values import in_vertex_order
from ..graph import Graph
from .constraints import checked_rooms, checked_sizes, kept_rooms


def checked_colors(colors: Any) -> Any:
    """Validate colors, and return them as a NumPy or CuPy array of integers."""
    colors = of_package(colors)
    if not on_gpu(colors):
        colors = host_array(colors, "colors")
        colors = colors if colors.size else colors.astype(np.int32)
    if colors.dtype.kind not in "iu":
        raise TypeError(f"colors must be integers, got {colors.dtype}")
    if colors.ndim != 1:
        raise ValueError(f"colors must have one dimension, got shape {colors.shape}")
    if colors.size and int(colors.min()) < 0:
        v = int(colors.argmin())
        raise ValueError(f"position {v} has color {colors[v]}: colors must not be negative")
    return colors


@suggests_options
def color_classes(colors: ArrayLike | Sequence[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Group the vertices by color.

    >>> import stablegraph as sg
    >>> sg.color_classes([1, 0, 1, 2])
    (array([0, 1, 3, 4]), array([1, 0, 2, 3]))

    Parameters
    ----------
    colors : integer array (n,)
        The color of each vertex; not negative.

    Returns
    -------
    offsets : int64 array (K + 1,)
        K is one more than the largest color.
    vertices : int64 array (n,)
        The vertices of color c are ``vertices[offsets[c]:offsets[c + 1]]``, ascending.

    Raises
    ------
    ValueError
        If a color is negative, or `colors` has more than one dimension.
    TypeError
        If `colors` are not integers.

    Notes
    -----
    A parallel counting sort; the result is the same for any number of threads. Work memory: 24 bytes per vertex, and 8
    per color for each thread.
    """
    checked = checked_colors(colors)
    number = 1 + int(checked.max()) if checked.size else 0
    return exclusive_scan(histogram(checked, number)), sort_by_key(checked)


@suggests_options
def schedule(
    conflicts: GraphLike,
    *,
    distance: int = 1,
    order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None,
    reduce: Reduction | None = None,
    balance: bool = False,
    fixed: ArrayLike | Sequence[int] | Mapping[Any, int | tuple[int, Any]] | None = None,
    colors: int | None = None,
    capacity: int | ArrayLike | Sequence[int] | None = None,
    sizes: ArrayLike | Sequence[int] | Mapping[Any, int] | None = None,
    allowed: ArrayLike | Mapping[Any, Any] | None = None,
    forbidden: ArrayLike | Mapping[Any, Any] | None = None,
    rooms: Mapping[Any, int] | None = None,
    gap: int = 1,
    seed: int = 0,
) -> list[npt.NDArray[np.int64]]:
    """Assign tasks to rounds so that the tasks of a round can run in parallel.

    >>> import stablegraph as sg
    >>> sg.schedule(sg.gallery.grid((4,)))
    [array([1, 3]), array([0, 2])]

    Parameters
    ----------
    conflicts : Graph, or anything that `as_graph` takes
        Undirected: a vertex for each task, an edge between two tasks that must not run at the same time. Loops and
        repeated entries are ignored.
    distance, order, reduce, balance, fixed, colors, capacity, sizes, allowed, forbidden, rooms, gap, seed
        As for `vertex_coloring`, whose colors are the rounds. ``reduce="thorough"`` finds fewer rounds and takes far
        longer. `balance` makes the numbers of tasks per round more equal. With ``distance=2``, tasks with a common
        neighbor are also in different rounds. `colors` is the number of rounds, and `capacity` limits the tasks of a
        round. With `rooms`, each task of a round has a room of its own with enough seats for its size. With ``gap=2``,
        tasks in conflict are not in consecutive rounds.

    Returns
    -------
    list of int64 arrays
        The tasks of each round, ascending. Each task is in exactly one round. Round i has the tasks of color i, and is
        empty only if constraints leave it empty. The rounds are the same on every machine.

    Raises
    ------
    ValueError, TypeError
        As for `vertex_coloring`.

    See Also
    --------
    schedule_table : The rounds and the rooms as a table.
    jacobian_coloring : Color tasks by shared resources without building the graph: if ``uses[t, r]`` is stored for each
        task t that needs resource r, ``color_classes(jacobian_coloring(uses, "row").row_colors)`` gives such rounds.

    Examples
    --------
    >>> import stablegraph as sg
    >>> chain = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.schedule(chain)
    [array([1, 3]), array([0, 2])]
    >>> one_conflict = sg.from_edges([0], [1], n=6, symmetrize=True)
    >>> [len(tasks) for tasks in sg.schedule(one_conflict)]
    [5, 1]
    >>> [len(tasks) for tasks in sg.schedule(one_conflict, balance=True)]
    [3, 3]
    >>> [tasks.tolist() for tasks in sg.schedule(one_conflict, capacity=2, fixed={5: 0})]
    [[0, 5], [1, 2], [3, 4]]
    """
    options = dict(locals())
    from .api import vertex_coloring

    rounds = vertex_coloring(options.pop("conflicts"), **options)
    offsets, tasks = color_classes(rounds)
    return [tasks[start:end] for start, end in pairwise(offsets.tolist())]


@suggests_options
def schedule_table(
    conflicts: Graph,
    rounds: Sequence[Any] | ArrayLike,
    *,
    sizes: ArrayLike | Sequence[int] | Mapping[Any, int] | None = None,
    rooms: Mapping[Any, int] | None = None,
    fixed: ArrayLike | Sequence[int] | Mapping[Any, int | tuple[int, Any]] | None = None,
) -> Any:
    """Return the round and the room of each task as a table.

    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((3,))
    >>> sg.schedule_table(path, sg.schedule(path)).to_pydict()
    {'id': [0, 1, 2], 'slot': [1, 0, 1]}

    Parameters
    ----------
    conflicts : Graph
        The graph, for the names of the tasks.
    rounds : list of integer arrays, or integer array (n,)
        The answer of `schedule`, or of `vertex_coloring`.
    sizes, rooms, fixed
        As for `vertex_coloring`; `fixed` matters only with rooms in it.

    Returns
    -------
    pyarrow.Table
        A row for each task, in the order of the vertices: `id`, its name or number; `slot`, its round; with `rooms`
        also `room`: the fixed one; then, in each round, from the largest other task on (of equal ones the first), each
        task has the smallest free room that is large enough (of equal ones the first).

    Raises
    ------
    ValueError
        If the rounds do not contain each task once, a round has no rooms for its tasks, or a task with a fixed room is
        in another round.
    TypeError
        If an argument has the wrong type.
    ModuleNotFoundError
        If pyarrow is missing.

    See Also
    --------
    is_proper_coloring : Check the rounds, also with their rooms.

    Notes
    -----
    Deterministic. Cost: a sort of the tasks, and a copy of the list of rooms for each round.

    Examples
    --------
    >>> import stablegraph as sg
    >>> exams = sg.from_edges(["Math", "Math"], ["Art", "Music"], symmetrize=True)
    >>> limits = {"sizes": {"Math": 90, "Art": 20, "Music": 30}, "rooms": {"hall": 120, "lab": 25}}
    >>> table = sg.schedule_table(exams, sg.schedule(exams, **limits), **limits)
    >>> for row in table.to_pylist():
    ...     print(row)
    {'id': 'Math', 'slot': 0, 'room': 'hall'}
    {'id': 'Art', 'slot': 1, 'room': 'lab'}
    {'id': 'Music', 'slot': 1, 'room': 'hall'}

    A plan in which an exam keeps its slot and its room:

    >>> limits["fixed"] = {"Art": (2, "hall")}
    >>> sg.schedule_table(exams, sg.schedule(exams, **limits), **limits).to_pylist()[1]
    {'id': 'Art', 'slot': 2, 'room': 'hall'}
    """
    from ..tables import checked_graph, id_column
    from ..tables.columns import pyarrow_module

    pa, graph = pyarrow_module(), checked_graph(conflicts, "schedule_table(graph, rounds)")
    slots = slots_of(graph, rounds)
    columns = {"id": id_column(graph.num_vertices, graph.nodes), "slot": pa.array(slots)}
    if rooms is not None:
        columns["room"] = id_column(slots.size, rooms_of(graph, slots, sizes, rooms, fixed))
    return pa.table(columns)


def slots_of(graph: Graph, rounds: Any) -> np.ndarray:
    """Return the round of each vertex, given the rounds or the colors."""
    n = graph.num_vertices
    if isinstance(rounds, (list, tuple)) and any(np.ndim(one) for one in rounds):
        tasks = np.concatenate([host_array(one, "rounds") for one in rounds]).astype(np.int64)
        if not np.array_equal(np.sort(tasks), np.arange(n)):
            raise ValueError(f"rounds must contain each of the {n} vertices once; pass the answer of schedule")
        return np.repeat(np.arange(len(rounds)), [len(one) for one in rounds])[np.argsort(tasks)]
    colors = checked_colors(in_vertex_order(rounds, "rounds", graph))
    if colors.shape != (n,):
        raise ValueError(f"rounds must have one color for each of the {n} vertices, got shape {colors.shape}")
    return host_array(colors, "rounds").astype(np.int64)


def rooms_of(graph: Graph, slots: np.ndarray, sizes: Any, rooms: Any, fixed: Any = None) -> list[Any]:
    """Return the name of the room of each vertex."""
    seats, amounts = checked_rooms(rooms), checked_sizes(sizes, graph)
    names = sorted(seats, key=seats.__getitem__)
    free: dict[int, list[Any]] = {}
    chosen: list[Any] = [None] * slots.size
    kept = kept_rooms(graph, fixed, sizes, rooms)
    for v, (color, room) in kept.items():
        if slots[v] != color:
            name = f"vertex {shown_vertex(v, graph.nodes)} has the fixed round {color}"
            raise ValueError(f"{name}, but is in round {slots[v]}: pass fixed to schedule, too")
        chosen[v] = room
        free.setdefault(int(slots[v]), names.copy()).remove(room)
    for v in (v for v in np.argsort(-amounts, kind="stable").tolist() if v not in kept):
        left = free.setdefault(int(slots[v]), names.copy())
        place = bisect_left(left, int(amounts[v]), key=seats.__getitem__)
        if place == len(left):
            name = f"vertex {shown_vertex(v, graph.nodes)} of size {amounts[v]}"
            raise ValueError(f"no room for {name} is free in round {slots[v]}: pass rooms and sizes to schedule, too")
        chosen[v] = left.pop(place)
    return chosen
