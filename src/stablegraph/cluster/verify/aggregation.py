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

from ..._core.runtime import Array, Int64s
from ...verify.checks import missing_steps, vertex
from ..graph import DistributedGraph
from ..messages import (
    Changes,
    apply_ghost_updates,
    common_places,
    pack_boundary_updates,
    scatter_values,
    with_ghost_values,
)
from ..partition import Partition
from ..supersteps import Supersteps
from ..tasks import first_of
from .local_checks import Representatives, closure, merge_representatives, search_labels, with_agreed


class _Searched(NamedTuple):
    labels: Int64s  # (k,)
    connected: bool  # whether steps have one edge
    representatives: Any = None
    reached: Any = None  # (k,)
    met: Any = None  # a mask of the local meetings that were reached


class _Message(NamedTuple):
    reached: Changes
    places: Array  # the places in the boundary of vertices with new meetings
    labels: Array  # the labels of the aggregates of these meetings

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return self.reached.nbytes + int(self.places.nbytes + self.labels.nbytes)


def explain_aggregation(graph: DistributedGraph, labels: Any, connected: bool) -> str | None:
    """Run `stablegraph.verify.explain_aggregation` for a graph in partitions."""
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels")
    results = run.step(_check_labels, connected)
    negative: str | None = first_of(message for message, _ in results)
    if negative is not None:
        return negative
    count = max(largest for _, largest in results) + 1
    is_gapless = count <= graph.num_vertices  # otherwise a label is missing, and `count` may be huge
    if is_gapless and not any(_search_labels(run, False)) and _has_each_label_once(run, count):
        return None
    unreached = first_of(_search_labels(run, True))
    run.step(_send_all_representatives)
    gap: str | None = run.compute_on_one_worker(_explain_gap)
    return gap or unreached


def _search_labels(run: Supersteps, every: bool) -> list[str | None]:
    """Search from first vertices; return each partition's explanation of its first vertex that was not reached."""
    return search_labels(run, _search_agreed, _search_sent, _explain_unreached, every)


def _check_labels(part: Partition, state: Any, inbox: Any, connected: bool) -> Any:
    """Find a vertex without an aggregate, and the largest label."""
    labels = with_ghost_values(part, state, inbox).astype(np.int64)
    owned, message = labels[part.owned], None
    if (owned < 0).any():
        v = int((owned < 0).argmax())
        name = vertex(part.graph._replace(nodes=part.ids), v + part.owned.start)
        message = f"{name} is in no aggregate, but has label {owned[v]}: labels are numbers from 0 on"
    return _Searched(labels, connected), None, (message, int(owned.max(initial=-1)))


def _search_agreed(part: Partition, state: _Searched, inbox: Any, agreed: Representatives) -> Any:
    representatives, sources = with_agreed(part, state.representatives, agreed)
    unmarked = np.zeros(part.size, bool)
    return _search_within(part, _Searched(state.labels, state.connected, representatives, unmarked), sources, [])


def _search_sent(part: Partition, state: _Searched, inbox: dict[int, _Message]) -> Any:
    reached, meetings = state.reached.copy(), []
    apply_ghost_updates(part, {q: message.reached for q, message in inbox.items()}, reached)
    for q, message in inbox.items():
        first, _, places = part.sources[q]
        ghosts, which = common_places(places, message.places)
        meetings.append((first + ghosts, message.labels[which]))
    return _search_within(part, state, reached, meetings)


def _search_within(part: Partition, state: _Searched, sources: Any, remote_meetings: list[Any]) -> Any:
    """Extend the search within this partition; pack the vertices and meetings that are new compared with `state`."""
    distinct, groups = np.unique(state.labels, return_inverse=True)
    tails, heads = part.graph._rows(), part.graph.indices
    if state.connected:
        within = groups[tails] == groups[heads]
        steps, meetings = (heads[within], tails[within]), np.empty(0, np.int64)
    else:  # an aggregate has a meeting at each of its vertices and at their neighbors
        owned = np.arange(part.owned.start, part.owned.stop)
        members = np.concatenate([tails, heads, owned])
        middles = np.concatenate([heads, tails, owned]).astype(np.int64)
        meetings, numbers = np.unique(middles * distinct.size + groups[members], return_inverse=True)
        steps = np.concatenate([members, part.size + numbers]), np.concatenate([part.size + numbers, members])
    size = part.size + meetings.size
    before = np.zeros(size, bool)
    before[: part.size] = state.reached
    before[part.size :] = False if state.met is None else state.met
    after = before.copy()
    after[: part.size] |= sources
    for middles, labels in remote_meetings:
        after[part.size + _places_of(meetings, middles, labels, distinct)] = True
    after = closure(*steps, after)
    new = meetings[after[part.size :] & ~before[part.size :]]
    middles = new // max(distinct.size, 1)
    places = np.minimum(np.searchsorted(part.boundary, middles), max(part.boundary.size - 1, 0))
    shared = part.boundary[places] == middles if part.boundary.size else np.zeros(new.size, bool)
    reached = after[: part.size]
    message = _Message(
        pack_boundary_updates(part, reached & ~state.reached, reached),
        places[shared],
        distinct[new[shared] % max(distinct.size, 1)],
    )
    state = state._replace(reached=reached, met=after[part.size :])
    return state, message, bool(message.reached.values.size or message.places.size)


def _places_of(meetings: Any, middles: Any, labels: Any, distinct: Any) -> Any:
    """Return the places of meetings from other partitions among the local ones, for those that exist."""
    groups = np.minimum(np.searchsorted(distinct, labels), distinct.size - 1)
    wanted = (middles * distinct.size + groups)[distinct[groups] == labels]
    places = np.minimum(np.searchsorted(meetings, wanted), meetings.size - 1)
    return places[meetings[places] == wanted]


def _explain_unreached(part: Partition, state: _Searched, inbox: Any) -> Any:
    unreached, message = np.flatnonzero(~state.reached[part.owned]), None
    if unreached.size:
        label = state.labels[part.owned][unreached[0]]
        pair = f"vertices {state.representatives.vertex_of(label)} and {int(unreached[0]) + part.start}"
        message = f"{pair} are both in aggregate {label}, but {missing_steps(state.connected)}"
    return state, None, message


def _has_each_label_once(run: Supersteps, count: int) -> bool:
    """Return whether each label has exactly one first vertex."""
    run.step(_mark_labels, count)
    once: bool = run.compute_on_one_worker(_cover, count)
    return once


def _mark_labels(part: Partition, state: _Searched, inbox: Any, count: int) -> Any:
    marks, representatives = np.zeros(count, bool), state.representatives
    marks[representatives.labels[representatives.are_owned(part)]] = True
    return state, np.packbits(marks), None


def _cover(messages: list[Any], count: int) -> bool:
    seen = np.zeros(-(-count // 8), np.uint8)
    for message in messages:
        if (seen & message).any():
            return False
        seen |= message
    return bool(np.unpackbits(seen, count=count).all())


def _send_all_representatives(part: Partition, state: _Searched, inbox: Any) -> Any:
    return state, state.representatives, None


def _explain_gap(messages: list[Representatives]) -> str | None:
    """Explain the first label without a vertex, and name the first vertex of the next label."""
    used, vertices = merge_representatives(messages)
    gaps = np.flatnonzero(used != np.arange(used.size))
    if not gaps.size:
        return None
    return (
        f"no vertex has label {gaps[0]}, but vertex {vertices[gaps[0]]} has label {used[gaps[0]]}: "
        "labels must have no gaps"
    )
