"""Strong components, in partitions.

Result: labels 0, 1, .. by the smallest vertices, as on one machine.

Rule: two vertices have the same label  <=>  each can be reached from the other along arcs. In the code: `_split`, where
the largest vertex that reaches v and the largest one that v reaches are the same one, v is in its component.

Idea: vertices hand on the largest vertex that reaches them along arcs, and the largest that they reach against arcs.
Within a partition this goes on until nothing changes; the boundary tells what has. When all have heard, vertices whose
two values are one are done; arcs between vertices with other values lie in no component, and go; and it begins again
on what is left. The first time only one vertex is handed on, which has many arcs both ways: most graphs have one large
component, and then a bit for each direction is all that a boundary vertex tells. When little is left, one task finishes
with the algorithm of one machine. Then components that lie in several partitions are numbered as groups of connected
components are (components.py).

State: for each vertex here the largest one of its component, or -1; the two values; the arcs that are left, as rows
that lead to vertices of its own, along and against arcs.

Cost: each round is linear in what a partition has. Each time as many rounds as the values change partitions on their
ways; then three, or six if one task finishes. Each boundary vertex tells each change of a value, 4 bytes (8 from 2**31
vertices on) but for the first time. The largest vertex of each piece that is left is done each time, so there is an
end, but long paths through many partitions take many rounds.

Work memory: 24 bytes a vertex, 4 an arc, and the two kinds of rows, which are kept with the graph.

Reference: the idea of two values is that of ECL-SCC, as on a GPU (see `stablegraph.strongly_connected_components`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import choice
from ..components.strong import strongly_connected_components as at_home
from ..csr.build import build_rows
from ..graph import Graph
from ..parallel import atomic_max, kernel
from ..parallel.groups import Rows
from .boxes import Changes, ghosts_told, hear, tell
from .components import Groups, connected_components, labeled, later_groups, starts_of
from .graph import DistributedGraph
from .partition import Partition
from .residual import Residual, renumbered
from .supersteps import Supersteps, little

_FEW = 1 << 10  # vertices whose values have changed: one thread is faster then
_ROUNDS = (
    16  # by all threads, before one ends it in linear time: along a path, they would replace values again and again
)

_Box = tuple[Changes, Changes]


class _State(NamedTuple):
    done: Any  # (k,): the largest vertex of its component, -1 for those that are not done
    forth: Graph  # arcs that are left, to vertices of its own
    back: Graph  # the same turned round, from vertices of its own
    forward: Any = None  # (k,): the largest vertex that reaches it
    backward: Any = None  # the largest that it reaches
    pivot: int | None = None  # if only one vertex is handed on: values are 1 where it comes, 0 elsewhere


class _Left(NamedTuple):
    """What a partition tells the client."""

    vertices: int
    arcs: int
    pivot: tuple[int, int]  # arcs in times arcs out of the vertex with most, and the vertex


@kernel(types="int64[] int32[] int32[] T[] bool[]", T="int32 int64")
def _hand_on(i, frontier, rows: Rows, value, changed):
    """Hand the value of the i-th vertex of the frontier on along its row."""
    u = frontier[i]
    largest = value[u]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if value[v] < largest and atomic_max(value, v, largest) < largest:
            changed[v] = True


@kernel(by="single", types="int64[] int32[] int32[] T[] int64[]", T="int32 int64")
def _hand_on_from_largest(frontier, rows: Rows, value, stack):
    """Hand values on from vertices in falling order of these, until nothing changes: so each is replaced once."""
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


def strongly_connected_components(
    graph: DistributedGraph, *, algorithm: str = "auto", return_info: bool = False
) -> tuple[Any, ...]:
    """`stablegraph.strongly_connected_components` for a graph in partitions: the count, and labels as a Dask array."""
    choice(algorithm, "algorithm", ["auto"], where=" for a graph in partitions")
    if not graph.directed:
        return connected_components(graph, return_info=return_info)
    run = Supersteps(graph, "strong")
    against = zip(graph.kept(turned_round), graph.kept(turned_back), strict=True)
    left = _all_left(run.step(_begin, each=list(against), left=_vertices))
    pivot: int | None = left.pivot[1]
    while left.arcs > little(graph):
        talk = run.step(_spread, pivot)
        while any(talk):
            talk = run.step(_spread_on)
        left = _all_left(run.step(_split, left=_vertices))
        pivot = None
    if left.arcs:
        run.step(_give)
        run.step(_settle, run.at_one(_finish))
    starts = starts_of(run.step(_group))
    count, labels = labeled(run, run.at_one(_join, starts), starts)
    return (count, labels, run.info) if return_info else (count, labels)


def _all_left(found: list[_Left]) -> _Left:
    vertices, arcs, pivots = zip(*found, strict=True)
    return _Left(sum(vertices), sum(arcs), max(pivots, key=lambda pivot: (pivot[0], -pivot[1])))


def _vertices(found: list[_Left]) -> int:
    return sum(left.vertices for left in found)


def turned_round(part: Partition) -> Graph:
    """The rows of all vertices, with the owned vertices that they lead to."""
    return part.into._replace(weights=None).transpose()


def turned_back(part: Partition) -> Graph:
    """The rows of all vertices, with the owned vertices that lead to them."""
    return part.graph._replace(weights=None).transpose()


def _begin(part: Partition, state: Any, inbox: Any, turned: tuple[Graph, Graph]) -> Any:
    return _without_ends(part, _State(np.full(part.size, -1, part.ids.dtype), *turned))


def _without_ends(part: Partition, state: _State) -> Any:
    """Vertices of its own that have no arcs in, or none out, are done."""
    into = np.bincount(state.forth.indices, minlength=part.size)[part.owned]
    away = np.bincount(state.back.indices, minlength=part.size)[part.owned]
    done = state.done.copy()
    own, ids = done[part.owned], part.ids[part.owned]
    ended = (own < 0) & ((into == 0) | (away == 0))
    own[ended] = ids[ended]
    ends = done >= 0
    state = state._replace(done=done, forth=_kept(state.forth, ~ends), back=_kept(state.back, ~ends))
    product = np.where(own < 0, into * away, 0)
    best = int(product.argmax()) if product.size else 0
    pivot = (int(product[best]), int(ids[best])) if product.size else (0, 0)
    return state, None, _Left(int(np.count_nonzero(own < 0)), state.back.num_entries, pivot)


def _kept(graph: Graph, stays: Any, values: Any = None) -> Graph:
    """The entries between vertices that stay, and whose values are equal."""
    rows, columns = graph._rows(), graph.indices
    kept = stays[rows] & stays[columns]
    for one in values or ():
        kept &= one[rows] == one[columns]
    if kept.all():
        return graph
    indptr = np.zeros_like(graph.indptr)
    np.cumsum(np.bincount(rows[kept], minlength=graph.num_vertices), out=indptr[1:])
    return Graph._trusted(indptr, columns[kept], directed=True)


def _spread(part: Partition, state: _State, inbox: Any, pivot: int | None) -> Any:
    """Begin: everyone with itself, or only one vertex."""
    if pivot is None:
        values = part.ids.copy()
        frontier = np.flatnonzero(state.done < 0)
    else:
        values = (part.ids == pivot).astype(part.ids.dtype)
        frontier = np.flatnonzero(values)
    state = state._replace(forward=values, backward=values, pivot=pivot)
    return _until_nothing_changes(part, state, values.copy(), values.copy(), frontier, frontier)


def _spread_on(part: Partition, state: _State, inbox: dict[int, _Box]) -> Any:
    heard = []
    for way, before in enumerate((state.forward, state.backward)):
        values = before.copy()
        told = {q: boxes[way] for q, boxes in inbox.items()}
        hear(part, told, values)
        heard.append((values, ghosts_told(part, told)))
    (forward, begun), (backward, ended) = heard
    return _until_nothing_changes(part, state, forward, backward, begun, ended)


def _until_nothing_changes(part: Partition, state: _State, forward: Any, backward: Any, begun: Any, ended: Any) -> Any:
    """Hand values on in this partition, and tell which of the boundary have changed."""
    boxes = []
    for values, rows, frontier, before in (
        (forward, state.forth, begun, state.forward),
        (backward, state.back, ended, state.backward),
    ):
        hand_on(values, rows, frontier)
        boxes.append(tell(part, values != before, values if state.pivot is None else values.astype(bool)))
    told = any(box.values.size for box in boxes)
    return state._replace(forward=forward, backward=backward), tuple(boxes), told


def hand_on(values: Any, graph: Graph, frontier: Any) -> None:
    """Hand the values of a frontier on along arcs until nothing changes."""
    rows = Rows(graph.indptr, graph.indices)
    for _ in range(_ROUNDS):
        if frontier.size <= _FEW:
            break
        changed = np.zeros(values.size, bool)
        _hand_on(frontier.size, frontier, rows, values, changed)
        frontier = np.flatnonzero(changed)
    falling = frontier[np.argsort(values[frontier])[::-1]]
    _hand_on_from_largest(falling, rows, values, np.empty(values.size, np.int64))


def _split(part: Partition, state: _State, inbox: Any) -> Any:
    """Who is done; arcs between others with different values lie in no component."""
    done, forward, backward = state.done.copy(), state.forward, state.backward
    found = (done < 0) & (forward == backward)
    if state.pivot is None:
        done[found] = forward[found]
    else:
        done[found & (forward == 1)] = state.pivot
    stays, values = done < 0, (forward, backward)
    return _without_ends(
        part,
        _State(done, _kept(state.forth, stays, values), _kept(state.back, stays, values)),
    )


def _give(part: Partition, state: _State, inbox: Any) -> Any:
    """What is left, for one task to finish."""
    ids = part.ids[part.owned][state.done[part.owned] < 0]
    heads, tails = part.ids[state.back._rows()], part.ids[state.back.indices]
    return state, Residual(ids, ids, tails, heads), None


def _finish(boxes: list[Residual]) -> tuple[Any, Any]:
    """The vertices that all partitions have left, and the largest one of the component of each."""
    ids, _, tails, heads = renumbered(boxes)
    rows = build_rows(tails, heads, ids.size)
    count, labels = at_home(Graph._trusted(rows.indptr, rows.indices, directed=True))
    largest = np.zeros(count, ids.dtype)
    np.maximum.at(largest, labels, ids)
    return ids, largest[labels]


def _settle(part: Partition, state: _State, inbox: Any, finished: tuple[Any, Any]) -> Any:
    ids, largest = finished
    done = state.done.copy()
    left = np.flatnonzero(done < 0)
    places = np.minimum(np.searchsorted(ids, part.ids[left]), ids.size - 1)
    done[left] = np.where(ids[places] == part.ids[left], largest[places], part.ids[left])
    return state._replace(done=done), None, None


def _group(part: Partition, state: _State, inbox: Any) -> Any:
    """Number components by their smallest vertices here; those that go on elsewhere have a ghost in them."""
    components, places, labels = np.unique(state.done[part.owned], return_index=True, return_inverse=True)
    numbers = np.empty(components.size, np.int64)
    numbers[np.argsort(places)] = np.arange(components.size)
    public = np.isin(components, state.done[part.ghosts()])
    everywhere = part.with_owned(numbers[labels], 0)
    return Groups(everywhere, components.size), (components[public], numbers[public]), components.size


def _join(boxes: list[Any], starts: list[int]) -> tuple[Any, Any]:
    """The groups whose component has an earlier one, as `labeled` needs them."""
    components, groups = (np.concatenate(column) for column in zip(*boxes, strict=True))
    groups += np.repeat(starts[:-1], [numbers.size for _, numbers in boxes])
    _, places = np.unique(components, return_inverse=True)
    firsts = np.full(components.size, starts[-1])
    np.minimum.at(firsts, places, groups)
    order = np.argsort(groups)
    return later_groups(groups[order], firsts[places][order])
