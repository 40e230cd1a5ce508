"""Strongly connected components, in partitions.

Result: labels 0, 1, .. by the smallest vertices, as on one machine.

Rule: two vertices have the same label <=> each can be reached from the other along arcs. If the largest vertex that
reaches v is also the largest vertex that v reaches, then v is in its component. In the code: `_split_arcs`.

Idea: vertices propagate the largest vertex that reaches them along arcs, and the largest vertex that they reach against
arcs. Within a partition this continues until nothing changes; then the changed values of the boundary are sent. When no
value changes in any partition, vertices whose two values are equal are done. Arcs between vertices with different
values are in no component, and are removed. Then the procedure is repeated on the remaining vertices. The first time
only one vertex is propagated, which has many arcs in both directions. Most graphs have one large component, so a
boundary vertex then needs only one bit per direction in a message. When few arcs remain, one task finishes with the
algorithm of one machine. Finally, components in several partitions are numbered like groups of connected components
(components.py).

State: for each vertex of the partition the largest vertex of its component, or -1; the two values; the remaining arcs,
as rows that lead to owned vertices, along and against arcs.

Cost: each round is linear in the size of the partition. The number of rounds of a repetition is the largest number of
partitions that a value passes through. Three more rounds follow at the end, or six if one task finishes. A boundary
vertex sends each change of a value, at 4 bytes (8 from 2**31 vertices on), except in the first repetition. Each
repetition completes at least the largest vertex of each remaining piece, so the algorithm terminates, but long paths
through many partitions take many rounds.

Work memory: 24 bytes per vertex, 4 per arc, and the two kinds of rows, which are kept with the graph.

Reference: the idea of two values is that of ECL-SCC, a GPU algorithm (see `stablegraph.strongly_connected_components`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.build import build_rows
from ..._core.runtime import Array, Bools, Int64s, Integers, Rows, atomic_max, kernel
from ...components.forward_backward import directed_components
from ...graph import Graph
from ..graph import DistributedGraph
from ..messages import Changes, messages_named, pack_boundary_updates, updated_ghosts, with_ghost_fields
from ..partition import Partition
from ..supersteps import Residual, Supersteps, max_entries_of_one_task, renumber_residual
from .components import Groups, connected_components, labeled, later_groups, starts_of

_SERIAL_BELOW_CHANGES = 1 << 10  # vertices whose values have changed; up to this number one thread is faster
_ROUNDS = 16  # by all threads, which may replace values repeatedly; then one thread finishes in linear time


class _Arcs(NamedTuple):
    done: Array  # (k,): the largest vertex of its component, -1 for vertices that are not done
    forth: Graph  # the remaining arcs to owned vertices
    back: Graph  # the remaining arcs from owned vertices, reversed
    forward: Any = None  # (k,): the largest vertex that reaches it
    backward: Any = None  # (k,): the largest vertex that it reaches
    pivot: int | None = None  # if only one vertex is propagated: values are 1 where it arrives, otherwise 0


class _Remaining(NamedTuple):
    """The remaining work that a partition reports to the client."""

    vertices: int
    arcs: int
    pivot: tuple[int, int]  # the largest product of arcs in and arcs out of a vertex, and this vertex


@kernel(V="int32", O="int32")
def _propagate(i, frontier: Int64s, rows: Rows, value: Integers, changed: Bools):
    """Propagate the value of the i-th vertex of the frontier along its row."""
    u = frontier[i]
    largest = value[u]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if value[v] < largest and atomic_max(value, v, largest) < largest:
            changed[v] = True


@kernel(by="single", V="int32", O="int32")
def _propagate_from_largest(frontier: Int64s, rows: Rows, value: Integers, stack: Int64s):
    """Propagate values until nothing changes, in descending order of values, so that each is replaced once."""
    for i in range(frontier.size):
        largest = value[frontier[i]]
        stack[0], count = frontier[i], 1
        while count:
            count -= 1
            u = stack[count]
            for e in range(rows.indptr[u], rows.indptr[u + 1]):
                v = rows.indices[e]
                if value[v] < largest:
                    value[v] = largest
                    stack[count] = v
                    count += 1


def strongly_connected_components(graph: DistributedGraph) -> tuple[tuple[int, Any], dict[str, Any]]:
    """Compute `stablegraph.strongly_connected_components` for a graph in partitions: see `connected_components`."""
    if not graph.directed:
        return connected_components(graph, "number")
    run = Supersteps(graph, "strong")
    against = zip(graph.map_once(rows_forward), graph.map_once(rows_backward), strict=True)
    remaining = _sum_remaining(run.step(_begin_arcs, each=list(against), left=_vertices))
    pivot: int | None = remaining.pivot[1]
    while remaining.arcs > max_entries_of_one_task(graph):
        active = run.step(_spread_largest, pivot)
        while any(active):
            active = run.step(_spread_on)
        remaining = _sum_remaining(run.step(_split_arcs, left=_vertices))
        pivot = None
    if remaining.arcs:
        run.step(_send_arcs)
        run.step(_apply_final_components, run.run_on_one_worker(_finish_arcs))
    starts = starts_of(run.step(_group))
    return labeled(run, run.run_on_one_worker(_join_labels, starts), starts), run.info


def _sum_remaining(results: list[_Remaining]) -> _Remaining:
    vertices, arcs, pivots = zip(*results, strict=True)
    return _Remaining(sum(vertices), sum(arcs), max(pivots, key=lambda pivot: (pivot[0], -pivot[1])))


def _vertices(results: list[_Remaining]) -> int:
    return sum(remaining.vertices for remaining in results)


def rows_forward(part: Partition) -> Graph:
    """Return the rows of all vertices, with the owned vertices that they lead to."""
    return part.reversed_graph._replace(weights=None).transpose()


def rows_backward(part: Partition) -> Graph:
    """Return the rows of all vertices, with the owned vertices that lead to them."""
    return part.graph._replace(weights=None).transpose()


def _begin_arcs(part: Partition, state: Any, inbox: Any, reversed_rows: tuple[Graph, Graph]) -> Any:
    return _without_ends(part, _Arcs(np.full(part.size, -1, part.ids.dtype), *reversed_rows))


def _without_ends(part: Partition, state: _Arcs) -> Any:
    """Complete the owned vertices that have no arcs in, or none out."""
    into = np.bincount(state.forth.indices, minlength=part.size)[part.owned]
    away = np.bincount(state.back.indices, minlength=part.size)[part.owned]
    done = state.done.copy()
    owned, ids = done[part.owned], part.ids[part.owned]
    ended = (owned < 0) & ((into == 0) | (away == 0))
    owned[ended] = ids[ended]
    ends = done >= 0
    state = state._replace(
        done=done, forth=_entries_between(state.forth, ~ends), back=_entries_between(state.back, ~ends)
    )
    product = np.where(owned < 0, into * away, 0)
    best = int(product.argmax()) if product.size else 0
    pivot = (int(product[best]), int(ids[best])) if product.size else (0, 0)
    return state, None, _Remaining(int(np.count_nonzero(owned < 0)), state.back.num_entries, pivot)


def _entries_between(graph: Graph, stays: Any, values: Any = None) -> Graph:
    """Return the entries between vertices that stay and have equal values."""
    rows, columns = graph._rows(), graph.indices
    kept = stays[rows] & stays[columns]
    for one in values or ():
        kept &= one[rows] == one[columns]
    if kept.all():
        return graph
    indptr = np.zeros_like(graph.indptr)
    np.cumsum(np.bincount(rows[kept], minlength=graph.num_vertices), out=indptr[1:])
    return Graph._trusted(indptr, columns[kept], directed=True)


def _spread_largest(part: Partition, state: _Arcs, inbox: Any, pivot: int | None) -> Any:
    """Start the propagation of all remaining vertices, or of only one."""
    if pivot is None:
        values = part.ids.copy()
        frontier = np.flatnonzero(state.done < 0)
    else:
        values = (part.ids == pivot).astype(part.ids.dtype)
        frontier = np.flatnonzero(values)
    state = state._replace(forward=values, backward=values, pivot=pivot)
    after = state._replace(forward=values.copy(), backward=values.copy())
    return _until_nothing_changes(part, state, after, frontier, frontier)


def _spread_on(part: Partition, state: _Arcs, inbox: dict[int, dict[str, Changes]]) -> Any:
    after = with_ghost_fields(part, state, inbox, "forward", "backward")
    sources, targets = (updated_ghosts(part, messages_named(inbox, way)) for way in ("forward", "backward"))
    return _until_nothing_changes(part, state, after, sources, targets)


def _until_nothing_changes(part: Partition, state: _Arcs, after: _Arcs, sources: Any, targets: Any) -> Any:
    """Propagate values within the partition; pack those of the boundary that are new compared with `state`."""
    messages = {}
    for way, rows, frontier in (("forward", state.forth, sources), ("backward", state.back, targets)):
        values = getattr(after, way)
        propagate(values, rows, frontier)
        sent = values if state.pivot is None else values.astype(bool)
        messages[way] = pack_boundary_updates(part, values != getattr(state, way), sent)
    return after, messages, any(message.values.size for message in messages.values())


def propagate(values: Any, graph: Graph, frontier: Any) -> None:
    """Propagate the values of a frontier along the rows of `graph` until nothing changes."""
    rows = Rows(graph.indptr, graph.indices)
    for _ in range(_ROUNDS):
        if frontier.size <= _SERIAL_BELOW_CHANGES:
            break
        changed = np.zeros(values.size, bool)
        _propagate(frontier.size, frontier, rows, values, changed)
        frontier = np.flatnonzero(changed)
    falling = frontier[np.argsort(values[frontier])[::-1]]
    _propagate_from_largest(falling, rows, values, np.empty(values.size, np.int64))


def _split_arcs(part: Partition, state: _Arcs, inbox: Any) -> Any:
    """Complete vertices whose two values are equal; remove arcs between remaining vertices with different values."""
    done, forward, backward = state.done.copy(), state.forward, state.backward
    result = (done < 0) & (forward == backward)
    if state.pivot is None:
        done[result] = forward[result]
    else:
        done[result & (forward == 1)] = state.pivot
    stays, values = done < 0, (forward, backward)
    return _without_ends(
        part, _Arcs(done, _entries_between(state.forth, stays, values), _entries_between(state.back, stays, values))
    )


def _send_arcs(part: Partition, state: _Arcs, inbox: Any) -> Any:
    """Send the remaining vertices and arcs to the task that finishes."""
    ids = part.ids[part.owned][state.done[part.owned] < 0]
    heads, tails = part.ids[state.back._rows()], part.ids[state.back.indices]
    return state, Residual(ids, ids, tails, heads), None


def _finish_arcs(messages: list[Residual]) -> tuple[Any, Any]:
    """Return the remaining vertices of all partitions, and the largest vertex of the component of each."""
    ids, _, tails, heads = renumber_residual(messages)
    rows = build_rows(tails, heads, ids.size)
    graph = Graph._trusted(rows.indptr, rows.indices, directed=True)
    count, labels = directed_components(graph)
    largest = np.zeros(count, ids.dtype)
    np.maximum.at(largest, labels, ids)
    return ids, largest[labels]


def _apply_final_components(part: Partition, state: _Arcs, inbox: Any, finished: tuple[Any, Any]) -> Any:
    ids, largest = finished
    done = state.done.copy()
    vertices = np.flatnonzero(done < 0)
    places = np.minimum(np.searchsorted(ids, part.ids[vertices]), ids.size - 1)
    done[vertices] = np.where(ids[places] == part.ids[vertices], largest[places], part.ids[vertices])
    return state._replace(done=done), None, None


def _group(part: Partition, state: _Arcs, inbox: Any) -> Any:
    """Number components by their smallest vertices in the partition; those in several partitions contain a ghost."""
    components, places, labels = np.unique(state.done[part.owned], return_index=True, return_inverse=True)
    numbers = np.empty(components.size, np.int64)
    numbers[np.argsort(places)] = np.arange(components.size)
    public = np.isin(components, state.done[part.ghosts()])
    local_numbers = part.with_owned(numbers[labels], 0)
    return Groups(local_numbers, components.size), (components[public], numbers[public]), components.size


def _join_labels(messages: list[Any], starts: list[int]) -> tuple[Any, Any]:
    """Return the groups with an earlier group in their component, as `labeled` needs them."""
    components, groups = (np.concatenate(column) for column in zip(*messages, strict=True))
    groups += np.repeat(starts[:-1], [numbers.size for _, numbers in messages])
    _, places = np.unique(components, return_inverse=True)
    firsts = np.full(components.size, starts[-1])
    np.minimum.at(firsts, places, groups)
    order = np.argsort(groups)
    return later_groups(groups[order], firsts[places][order])
