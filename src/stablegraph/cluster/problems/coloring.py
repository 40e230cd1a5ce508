"""First-fit colorings in an order, in partitions.

Result: the first-fit coloring in the order, the same as `vertex_coloring` with reduce="none" computes on one machine.

Rule: color(v) = the lowest color that no neighbor of v before it has. In the code: `_color`.

Idea: a partition colors its vertices until each remaining one waits for a ghost without a color, or for a vertex that
does (cluster/problems/sweep.py). It then sends the new colors of its boundary. When few entries remain, one
task finishes. It receives the colors that the remaining vertices must avoid as additional vertices that are colored
already.

State: for each vertex of the partition its color or, if it has none yet, a number above all colors, which is larger the
earlier the vertex is in the order (cluster/problems/sweep.py). A color and the information that it is final
are thus one number, which threads can read while other threads write it. It is a byte if all vertices have few
neighbors: most of the time is spent reading these numbers at random places.

Cost: the number of rounds is the largest number of changes of partition along a chain of waiting vertices, until few
entries remain. Orders by degree with ties by hash have short chains. Ties by id have long chains on regular graphs, but
at most one change for each partition where only ids decide. A color takes 1 or 4 bytes in a message. Each entry is read
twice. Work memory: 2 or 5 bytes per vertex, and 13 for each own vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.build import build_rows
from ..._core.engines.rounds import LINE, Worklists, listed
from ..._core.runtime import Rows, kernel
from ...coloring.first_fit import color_on_one_thread, numbers_to_mark
from ...coloring.rules import NO_COLOR, lowest_free_color
from ...graph import Graph
from ...independent_set.rules import BY_HASH, BY_SMALLER_ID, DIGITS, MANY_NEIGHBORS, NOTHING, VALUES, LocalOrder
from ..gpu_execution import NeedsThreads
from ..graph import DistributedGraph
from ..messages import scatter_values, with_ghost_values
from ..partition import Partition
from ..supersteps import Supersteps, renumber_residual
from .sweep import TYPES, InPartitions, Progress, Ranking, Waits, all_in_order, first_ahead, is_far

_ORDERS = {"largest_first": MANY_NEIGHBORS, "largest_log_first": DIGITS, "natural": NOTHING, "random": NOTHING}
_TIES = {"natural": BY_SMALLER_ID, "random": BY_HASH}  # for orders without a key
# The state of a vertex without a color is this number plus its byte of the order. Smaller numbers are colors.
_WAITING = NO_COLOR - 255
# The same if states are bytes: this number plus half the byte of the order. Every vertex then has fewer neighbors.
_WAITING_IN_BYTES = 1 << 7
_COLORS = np.int64(1 << 31)  # more than there are
_MAX_MARKS = 1 << 28  # of all workers of a launch together
_MIN_GPU_WORKERS = 1 << 14  # workers for which a GPU is worthwhile


@kernel(by="workers", types=f"{TYPES} int32[,] T[]", T="int32 uint8")
def _color(worker, workers, lists: Worklists, waits: Waits, rows: Rows, order: LocalOrder, marks, colors):
    """Color the vertices of a worker's list that wait for no vertex of their partition."""
    start, end = listed(worker, lists)
    for i in range(start, end):
        v = lists.undecided[i if waits.upwards else start + end - 1 - i]
        row_end = rows.indptr[v + 1]
        e = first_ahead(v, waits.places[v - waits.first], row_end, rows, order, colors)
        if e == row_end:
            colors[v] = lowest_free_color(v, rows.indptr[v], row_end, rows.indices, marks[worker], colors)
        waits.places[v - waits.first] = ~e if e < row_end and is_far(rows.indices[e], waits) else e


def vertex_coloring(graph: DistributedGraph, order: Any, ties: str, seed: int) -> tuple[Any, dict[str, Any]]:
    """Compute `stablegraph.vertex_coloring` for a graph in partitions: the colors as a Dask array, and statistics."""
    run = Supersteps(graph, "coloring")
    ties_by = BY_HASH if ties == "hash" else BY_SMALLER_ID
    if isinstance(order, str):
        ranking = Ranking(_ORDERS[order], _TIES.get(order, ties_by), seed)
    else:
        ranking = Ranking(VALUES, ties_by, seed)
        scatter_values(run, order, "order")
    return graph.dask_array(_Coloring().run(run, ranking), np.int32), run.info


class _Coloring(InPartitions):
    def first_states(self, part: Partition, bytes_: Any) -> Any:
        """Return the states before the first step, as bytes if each vertex has few neighbors.

        A vertex may need one color more than it has neighbors.
        """
        if part.size and int(part.degrees.max()) >= _WAITING_IN_BYTES:
            return _WAITING + bytes_.astype(np.int32)
        return _WAITING_IN_BYTES + (bytes_ >> 1)

    def received(self, part: Partition, states: Any, inbox: Any) -> Any:
        return with_ghost_values(part, states, inbox)

    def max_workers(self, part: Partition) -> int:
        maximum = _MAX_MARKS // numbers_to_mark(part.graph)
        if part.graph.device == "cuda" and maximum < _MIN_GPU_WORKERS:
            raise NeedsThreads("each worker would need too many marks")
        return max(1, maximum)

    def decide(
        self, is_first: bool, part: Partition, workers: int, lists: Any, waits: Any, order: Any, states: Any
    ) -> None:
        marks = part.xp.full((workers, numbers_to_mark(part.graph) + 2 * LINE), -1, part.graph.indices.dtype)
        _color(workers, lists, waits, part.rows, order, marks, states)

    def is_done(self, states: Any) -> Any:
        return states < (_WAITING_IN_BYTES if states.dtype == np.uint8 else _WAITING)

    def answers(self, states: Any) -> Any:
        return states

    def facts_around(self, part: Partition, states: Any, tails: Any, heads: Any) -> tuple[Any, Any]:
        """Return the distinct pairs of a remaining vertex and a color that it must avoid."""
        colored = self.is_done(states[heads])
        vertices, taken = np.divmod(np.unique(tails[colored] * _COLORS + states[heads[colored]]), _COLORS)
        return part.ids[vertices], taken.astype(np.int32)

    def finish(self, messages: list[Any], ranking: Ranking) -> tuple[Any, Any]:
        ids, keys, tails, heads = renumber_residual([residual for residual, _, _ in messages])
        vertices = np.searchsorted(ids, np.concatenate([vertices for _, vertices, _ in messages]))
        taken = np.concatenate([taken for _, _, taken in messages])
        shades = np.unique(taken)  # each becomes an additional vertex with this color
        rows = np.concatenate([tails, vertices])
        columns = np.concatenate([heads, ids.size + np.searchsorted(shades, taken)])
        built = build_rows(rows, columns, ids.size + shades.size)
        graph = Graph._trusted(built.indptr, built.indices, directed=True)
        colors = np.full(ids.size + shades.size, NO_COLOR, np.int32)
        colors[ids.size :] = shades
        color_on_one_thread(graph, all_in_order(ranking, ids, keys), colors)
        return ids, colors[: ids.size]

    def result(self, part: Partition, progress: Progress) -> Any:
        return progress.states[part.owned].astype(np.int32)
