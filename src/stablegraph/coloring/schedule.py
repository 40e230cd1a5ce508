"""Color classes, and schedules: from conflicts to rounds of tasks that can run in parallel.

Tasks that must not run at the same time (two elements that add to the same node, two rows that update the same unknown)
make a graph: a vertex for each task, an edge for each conflict. The tasks of one color have no conflicts, so each color
is a round, and few colors are few rounds. Red-black Gauss-Seidel is the regular case. It is right for tasks that read
all they need before they write; if running them makes new conflicts, color those left again.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, ACM TOPC 5(2), 2018, which takes maximal independent
sets one after another for rounds. First fit gives such rounds too: every vertex has a neighbor of each lower color.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arguments import on_gpu, one_array
from ..names import Order, Reduction
from ..parallel.primitives import exclusive_scan, histogram, sort_by_key
from ..typing import ArrayLike, GraphLike, Numbers
from ..unknown_options import suggests_options


def checked_colors(colors: Any) -> Any:
    """Colors as a NumPy or CuPy array of integers, if they are colors."""
    if not on_gpu(colors):
        colors = np.asarray(one_array(colors, "colors"))
        colors = colors if colors.size else colors.astype(np.int32)
    if colors.dtype.kind not in "iu":
        raise TypeError(f"colors must be integers, got {colors.dtype}")
    if colors.ndim != 1:
        raise ValueError(f"colors must have one dimension, got shape {colors.shape}")
    if colors.size and int(colors.min()) < 0:
        v = int(colors.argmin())
        raise ValueError(f"position {v} has color {colors[v]}: colors must not be negative")
    return colors


def color_classes(colors: ArrayLike | Sequence[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The vertices of each color.

    Parameters
    ----------
    colors : integer array (n,)
        None negative.

    Returns
    -------
    offsets : int64 array (K + 1,)
        K is one more than the largest color.
    vertices : int64 array (n,)
        Those of color c are ``vertices[offsets[c]:offsets[c + 1]]``, ascending.

    Raises
    ------
    ValueError
        If a color is negative, or `colors` has more than one dimension.
    TypeError
        If `colors` are not integers.

    Notes
    -----
    A counting sort, in parallel: the same result for any number of threads. Work memory: 24 bytes a vertex, and 8 a
    color for each thread.

    Examples
    --------
    >>> from stablegraph.coloring.schedule import color_classes
    >>> color_classes([1, 0, 1, 2])
    (array([0, 1, 3, 4]), array([1, 0, 2, 3]))
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
    seed: int = 0,
) -> list[npt.NDArray[np.int64]]:
    """Put tasks into rounds, so that the tasks of one round can run side by side.

    Parameters
    ----------
    conflicts : Graph, or anything that `as_graph` takes
        Undirected: a vertex for each task, an edge between two that must not run at the same time. Loops and repeated
        entries are ignored.
    distance, order, reduce, balance, seed
        As for `vertex_coloring`, whose colors are the rounds. ``reduce="thorough"`` finds fewer rounds and takes far
        longer; `balance` evens out the number of tasks per round; with ``distance=2`` tasks with a common neighbor are
        in different rounds, too.

    Returns
    -------
    list of int64 arrays
        The tasks of each round, ascending. Each task is in one of them, and none is empty. The rounds are the same on
        every machine.

    Raises
    ------
    ValueError, TypeError
        As for `vertex_coloring`.

    See Also
    --------
    bipartite_coloring : Where conflicts come from what tasks share (``uses[t, r]`` is stored if task t needs resource
        r), the graph need not be made: ``color_classes(bipartite_coloring(uses, side="rows"))`` gives such rounds.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.coloring.schedule import schedule
    >>> chain = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> schedule(chain)
    [array([1, 3]), array([0, 2])]
    >>> one_conflict = sg.from_edges([0], [1], n=6, symmetrize=True)
    >>> [len(tasks) for tasks in schedule(one_conflict)]
    [5, 1]
    >>> [len(tasks) for tasks in schedule(one_conflict, balance=True)]
    [3, 3]
    """
    from . import vertex_coloring

    colors = vertex_coloring(conflicts, distance=distance, order=order, reduce=reduce, balance=balance, seed=seed)
    offsets, tasks = color_classes(colors)
    return [tasks[start:end] for start, end in pairwise(offsets.tolist())]
