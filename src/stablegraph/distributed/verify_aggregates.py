"""A verifier of aggregates in partitions, with the explanations of the verifier for one machine.

From the first vertex of each aggregate, all of its other vertices must be reachable by steps of one edge, or of two
edges with any vertex in the middle. A step of two edges passes through a *meeting*: a pair of an aggregate and the
vertex in the middle. A partition searches with SciPy through its vertices and the meetings at them. It sends which
vertices of its boundary were reached, and the new meetings at the boundary. One bit for each label and partition then
shows that each label from 0 to the largest one has exactly one first vertex.

Cost: one round each time that steps cross to another partition, which is rare in aggregates. About 60 bytes of work
memory per entry. If a labeling is wrong, one task receives the first vertex of each label, to write the explanation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from .._core.validation import boolean
from ..verify.checks import vertex
from ..verify.searches import adjacency
from .graph import DistributedGraph
from .halo import scatter_values, with_ghost_values
from .messages import Changes, apply_ghost_updates, common, pack_boundary_updates
from .partition import Partition
from .representatives import Representatives, first_of_each, shared_representatives, with_agreed
from .supersteps import Supersteps
from .verify import first_told
from .workers import gather


class _State(NamedTuple):
    labels: Any  # int64 (k,)
    firsts: Any = None
    reached: Any = None  # (k,)
    met: Any = None  # a mask of the local meetings that were reached


class _Box(NamedTuple):
    reached: Changes
    places: Any  # the places in the boundary of vertices with new meetings
    labels: Any  # the labels of the aggregates of these meetings

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return self.reached.nbytes + int(self.places.nbytes + self.labels.nbytes)


def explain_aggregation(graph: DistributedGraph, labels: Any, *, connected: bool = False) -> str | None:
    """Run `stablegraph.verify.explain_aggregation` for a graph in partitions."""
    boolean(connected, "connected")
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels", "i")
    found = run.step(_look)
    if (wrong := first_told(found, 0)) is not None:
        return wrong
    count = max(largest for _, largest in found) + 1
    is_gapless = count <= graph.num_vertices  # otherwise a label is missing, and `count` may be huge
    if is_gapless and not any(_searched(run, connected, False)) and _each_once(run, count):
        return None
    missed = next((told for told in _searched(run, connected, True) if told), None)
    run.step(_give_firsts)
    gap: str | None = gather(graph.client, [run.run_on_one_worker(_gap)])[0]
    return gap or missed


def _look(part: Partition, state: Any, inbox: Any) -> Any:
    """Find a vertex without an aggregate, and the largest label."""
    labels = with_ghost_values(part, state, inbox).astype(np.int64)
    own, told = labels[part.owned], None
    if (own < 0).any():
        v = int((own < 0).argmax())
        name = vertex(part.graph._replace(nodes=part.ids), v + part.owned.start)
        told = f"{name} is in no aggregate, but has label {own[v]}: labels are numbers from 0 on"
    return _State(labels), None, (told, int(own.max(initial=-1)))


def _searched(run: Supersteps, connected: bool, every: bool) -> list[str | None]:
    """Search from first vertices; return each partition's explanation of its first vertex that was not reached."""
    run.step(_offer, every)
    talk = run.step(_start, run.run_on_one_worker(first_of_each), connected)
    while any(talk):
        talk = run.step(_go_on, connected)
    return run.step(_judge, connected)


def _offer(part: Partition, state: _State, inbox: Any, every: bool) -> Any:
    firsts, told = shared_representatives(part, state.labels, every)
    return _State(state.labels, firsts), told, None


def _start(part: Partition, state: _State, inbox: Any, agreed: Representatives, connected: bool) -> Any:
    firsts, begun = with_agreed(part, state.firsts, agreed)
    nothing = np.zeros(part.size, bool)
    return _search(part, _State(state.labels, firsts, nothing), begun, [], connected)


def _go_on(part: Partition, state: _State, inbox: dict[int, _Box], connected: bool) -> Any:
    reached, meetings = state.reached.copy(), []
    apply_ghost_updates(part, {q: box.reached for q, box in inbox.items()}, reached)
    for q, box in inbox.items():
        first, _, places = part.sources[q]
        here, which = common(places, box.places)
        meetings.append((first + here, box.labels[which]))
    return _search(part, state, reached, meetings, connected)


def _search(part: Partition, state: _State, begun: Any, told: list[Any], connected: bool) -> Any:
    """Extend the search within this partition; pack the vertices and meetings that are new compared with `state`."""
    distinct, groups = np.unique(state.labels, return_inverse=True)
    tails, heads = part.graph._rows(), part.graph.indices
    if connected:
        within = groups[tails] == groups[heads]
        steps, meetings = (heads[within], tails[within]), np.empty(0, np.int64)
    else:  # an aggregate has a meeting at each of its vertices and at their neighbors
        own = np.arange(part.owned.start, part.owned.stop)
        members = np.concatenate([tails, heads, own])
        middles = np.concatenate([heads, tails, own]).astype(np.int64)
        meetings, numbers = np.unique(middles * distinct.size + groups[members], return_inverse=True)
        steps = np.concatenate([members, part.size + numbers]), np.concatenate([part.size + numbers, members])
    size = part.size + meetings.size
    before = np.zeros(size, bool)
    before[: part.size] = state.reached
    before[part.size :] = False if state.met is None else state.met
    after = before.copy()
    after[: part.size] |= begun
    for middles, labels in told:
        after[part.size + _places_of(meetings, middles, labels, distinct)] = True
    after = _closure(size, *steps, after)
    new = meetings[after[part.size :] & ~before[part.size :]]
    middles = new // max(distinct.size, 1)
    places = np.minimum(np.searchsorted(part.boundary, middles), max(part.boundary.size - 1, 0))
    shared = part.boundary[places] == middles if part.boundary.size else np.zeros(new.size, bool)
    reached = after[: part.size]
    box = _Box(
        pack_boundary_updates(part, reached & ~state.reached, reached),
        places[shared],
        distinct[new[shared] % max(distinct.size, 1)],
    )
    state = state._replace(reached=reached, met=after[part.size :])
    return state, box, bool(box.reached.values.size or box.places.size)


def _places_of(meetings: Any, middles: Any, labels: Any, distinct: Any) -> Any:
    """Return the places of meetings from other partitions among the local ones, for those that exist."""
    groups = np.minimum(np.searchsorted(distinct, labels), distinct.size - 1)
    wanted = (middles * distinct.size + groups)[distinct[groups] == labels]
    places = np.minimum(np.searchsorted(meetings, wanted), meetings.size - 1)
    return places[meetings[places] == wanted]


def _closure(size: int, tails: Any, heads: Any, reached: Any) -> Any:
    """Return a mask of all vertices that can be reached from those in `reached`."""
    starts = np.flatnonzero(reached)
    arcs = np.concatenate([tails, np.full(starts.size, size)]), np.concatenate([heads, starts])
    result = np.zeros(size + 1, bool)
    result[breadth_first_order(adjacency(size + 1, *arcs), size, return_predecessors=False)] = True
    return result[:size]


def _judge(part: Partition, state: _State, inbox: Any, connected: bool) -> Any:
    missed, told = np.flatnonzero(~state.reached[part.owned]), None
    if missed.size:
        label = state.labels[part.owned][missed[0]]
        steps = (
            "no path inside it joins them"
            if connected
            else "no steps of two edges inside it lead from one to the other"
        )
        pair = f"vertices {state.firsts.of(label)} and {int(missed[0]) + part.start}"
        told = f"{pair} are both in aggregate {label}, but {steps}"
    return state, None, told


def _each_once(run: Supersteps, count: int) -> bool:
    """Return whether each label has exactly one first vertex."""
    run.step(_mark_labels, count)
    once: bool = gather(run.graph.client, [run.run_on_one_worker(_cover, count)])[0]
    return once


def _mark_labels(part: Partition, state: _State, inbox: Any, count: int) -> Any:
    marks = np.zeros(count, bool)
    marks[state.firsts.labels[state.firsts.here(part)]] = True
    return state, np.packbits(marks), None


def _cover(boxes: list[Any], count: int) -> bool:
    seen = np.zeros(-(-count // 8), np.uint8)
    for box in boxes:
        if (seen & box).any():
            return False
        seen |= box
    return bool(np.unpackbits(seen, count=count).all())


def _give_firsts(part: Partition, state: _State, inbox: Any) -> Any:
    return state, state.firsts, None


def _gap(boxes: list[Representatives]) -> str | None:
    """Explain the first label without a vertex, and name the first vertex of the next label."""
    used, vertices = first_of_each(boxes)
    gaps = np.flatnonzero(used != np.arange(used.size))
    if not gaps.size:
        return None
    return (
        f"no vertex has label {gaps[0]}, but vertex {vertices[gaps[0]]} has label {used[gaps[0]]}: "
        "labels must have no gaps"
    )
