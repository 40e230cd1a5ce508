"""A verifier of strong components in partitions, with the explanations of one machine.

It uses a different method from the algorithm that finds them.

As on one machine, two properties are checked. *The vertices of each label are strongly connected*: from the first
vertex of each label, a search along arcs between equal labels, and one against them, reach all vertices with that
label. Partitions search with SciPy, and a message has one bit per direction. A last check ensures that no label is in
two partitions without arcs between them. *Different labels are different components*: labels without arcs to other
labels are removed repeatedly, until none is left. A label in only one partition is removed by this partition, a label
in several when all of these agree.

Cost: one round each time that paths cross to another partition, and three while labels are removed. If a labeling is
wrong, one task receives the first vertex of each label, or the arcs between labels on cycles, to write the explanation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Array
from ...verify.searches import arc_on_a_cycle
from ..graph import DistributedGraph
from ..messages import (
    Changes,
    apply_ghost_updates,
    pack_boundary_updates,
    scatter_values,
    with_ghost_fields,
    with_ghost_values,
)
from ..partition import Partition
from ..supersteps import Supersteps
from ..tasks import first_of
from .local_checks import Representatives, closure, extremes_of, label_of_two_components, search_labels, with_agreed

_BYTES_AN_ARC = 64  # of the task that finds a cycle


class _Reached(NamedTuple):
    """The vertices that are reached from, and those that reach, the first vertex of their label."""

    labels: Array  # (k,)
    representatives: Any = None
    forward: Any = None
    backward: Any = None


class _Removed(NamedTuple):
    labels: Array  # (k,)
    done: Array  # (k,): vertices whose labels have been removed
    sent: Array  # (k,): the part of `done` that neighbors have received


def explain_strong_component_labeling(graph: DistributedGraph, labels: Any) -> str | None:
    """Run `stablegraph.verify.explain_strong_component_labeling` for a graph in partitions."""
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels")
    run.step(_store_labels)
    results = _search_labels(run, False)
    if any(forward or backward for forward, backward, _ in results) or _has_label_of_two(run, results):
        results = _search_labels(run, True)
        return first_of(result[way] for way in (0, 1) for result in results)
    run.step(_begin_to_remove)
    before = None
    while True:
        run.step(_remove_local_labels)
        removable = run.run_on_one_worker(_labels_without_arcs)
        remaining = sum(run.step(_remove_shared_labels, removable, left=sum))
        if not remaining:
            return None
        if remaining == before:
            return _cycle(run)
        before = remaining


def _store_labels(part: Partition, state: Any, inbox: Any) -> Any:
    return _Reached(with_ghost_values(part, state, inbox)), None, None


# The vertices of each label are strongly connected


def _search_labels(run: Supersteps, every: bool) -> list[Any]:
    """Search from the first vertices; return the findings of the partitions."""
    return search_labels(run, _reach_agreed, _reach_sent, _explain_unreached, every)


def _reach_agreed(part: Partition, state: _Reached, inbox: Any, agreed: Representatives) -> Any:
    representatives, sources = with_agreed(part, state.representatives, agreed)
    unmarked = np.zeros(part.size, bool)
    return _reach_within(part, _Reached(state.labels, representatives, unmarked, unmarked), sources, sources)


def _reach_sent(part: Partition, state: _Reached, inbox: dict[int, dict[str, Changes]]) -> Any:
    reached = with_ghost_fields(part, state, inbox, "forward", "backward")
    return _reach_within(part, state, reached.forward, reached.backward)


def _reach_within(part: Partition, state: _Reached, forward: Any, backward: Any) -> Any:
    """Extend both searches within this partition, and pack the vertices that are new compared with `state`."""
    ends, begins = part.reversed_graph._rows(), part.reversed_graph.indices
    tails, heads = part.graph._rows(), part.graph.indices
    forward = _closure_within(state.labels, begins, ends, forward)
    backward = _closure_within(state.labels, heads, tails, backward)
    messages = {
        "forward": pack_boundary_updates(part, forward & ~state.forward, forward),
        "backward": pack_boundary_updates(part, backward & ~state.backward, backward),
    }
    is_active = any(message.values.size for message in messages.values())
    return state._replace(forward=forward, backward=backward), messages, is_active


def _closure_within(labels: Any, tails: Any, heads: Any, reached: Any) -> Any:
    """Return a mask of the vertices that can be reached from those in `reached`, along arcs between equal labels."""
    within = labels[tails] == labels[heads]
    return closure(tails[within], heads[within], reached)


def _explain_unreached(part: Partition, state: _Reached, inbox: Any) -> Any:
    """Find the first vertices that were not reached, forward and backward; send the first vertices in this partition.

    Report also the extremes of the labels of the latter.
    """
    messages: list[str | None] = []
    for reached, forward in ((state.forward, True), (state.backward, False)):
        unreached, message = np.flatnonzero(~reached[part.owned]), None
        if unreached.size:
            v = int(unreached[0]) + part.start
            label = state.labels[part.owned][unreached[0]]
            first = state.representatives.vertex_of(label)
            start, end = (first, v) if forward else (v, first)
            message = (
                f"vertices {first} and {v} both have label {label}, but no path leads from {start} to {end} "
                "along vertices with this label"
            )
        messages.append(message)
    labels, vertices = (column[state.representatives.are_owned(part)] for column in state.representatives)
    order = np.argsort(vertices)
    return state, (labels[order], vertices[order]), (*messages, extremes_of(labels[order]))


def _has_label_of_two(run: Supersteps, results: list[Any]) -> bool:
    """Return whether a label has two first vertices."""
    return label_of_two_components(run, [extremes for _, _, extremes in results]) is not None


# Different labels are different components


def _begin_to_remove(part: Partition, state: _Reached, inbox: Any) -> Any:
    unmarked = np.zeros(part.size, bool)
    return _Removed(state.labels, unmarked, unmarked), None, None


def _remaining_arcs(part: Partition, state: _Removed) -> tuple[Any, Any]:
    """Return the remaining arcs of the partition's vertices, to other labels that have not been removed."""
    tails, heads = part.graph._rows(), part.graph.indices
    remaining = (state.labels[tails] != state.labels[heads]) & ~state.done[tails] & ~state.done[heads]
    return tails[remaining], heads[remaining]


def _remove_local_labels(part: Partition, state: _Removed, inbox: dict[int, Changes | None]) -> Any:
    """Remove labels that are only in this partition; send which other labels have no arcs out in it any more."""
    done = state.done.copy()
    apply_ghost_updates(part, {q: message for q, message in inbox.items() if message is not None}, done)
    state = state._replace(done=done)
    distinct, groups = np.unique(state.labels, return_inverse=True)
    remote, local = np.zeros((2, distinct.size), bool)
    remote[groups[part.ghosts()]] = True
    local[groups[part.owned][~done[part.owned]]] = True
    tails, heads = (groups[ends] for ends in _remaining_arcs(part, state))
    arcs_out = np.bincount(tails, minlength=distinct.size)
    removed = _remove_groups(tails, heads, arcs_out, local & ~remote)
    done[part.owned] |= removed[groups[part.owned]]
    shared = np.flatnonzero(local & remote)
    return state, (distinct[shared], arcs_out[shared] == 0), None


def _remove_groups(tails: Any, heads: Any, arcs_out: Any, may_remove: Any) -> Any:
    """Remove groups that may be removed and have no arcs out, repeatedly; subtract their arcs in from `arcs_out`."""
    before = tails[np.argsort(heads, kind="stable")].tolist()
    begins = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=may_remove.size))]).tolist()
    remaining, may = arcs_out.tolist(), may_remove.tolist()
    done = np.flatnonzero(may_remove & (arcs_out == 0)).tolist()
    for group in done:  # the list grows during the loop
        for other in before[begins[group] : begins[group + 1]]:
            remaining[other] -= 1
            if remaining[other] == 0 and may[other]:
                done.append(other)
    arcs_out[:] = remaining
    removed = np.zeros(may_remove.size, bool)
    removed[done] = True
    return removed


def _labels_without_arcs(messages: list[Any]) -> Any:
    """Return the labels that have no arcs out in any partition."""
    labels, clear = (np.concatenate(column) for column in zip(*messages, strict=True))
    return np.setdiff1d(labels, labels[~clear])


def _remove_shared_labels(part: Partition, state: _Removed, inbox: Any, removable: Any) -> Any:
    done = state.done | np.isin(state.labels, removable)
    message = pack_boundary_updates(part, done & ~state.sent, done)
    return _Removed(state.labels, done, done), message, int(np.count_nonzero(~done[part.owned]))


def _cycle(run: Supersteps) -> str:
    """Explain an arc on a cycle of labels."""
    arcs = sum(run.step(_send_arcs))
    run.check_memory_of_one_worker(_BYTES_AN_ARC * arcs, "the arcs between labels")
    explanation: str = run.compute_on_one_worker(_explain_arc_on_a_cycle)
    return explanation


def _send_arcs(part: Partition, state: _Removed, inbox: Any) -> Any:
    tails, heads = _remaining_arcs(part, state)
    message = part.ids[tails], part.ids[heads], state.labels[tails], state.labels[heads]
    return state, message, int(tails.size)


def _explain_arc_on_a_cycle(messages: list[Any]) -> str:
    tails, heads, *labels = (np.concatenate(column) for column in zip(*messages, strict=True))
    vertices, places = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    of_vertices = np.empty(vertices.size, labels[0].dtype)
    of_vertices[places] = np.concatenate(labels)
    distinct, groups = np.unique(of_vertices, return_inverse=True)
    arc = arc_on_a_cycle(places[: tails.size], places[tails.size :], groups, distinct.size)
    assert arc is not None  # every remaining label has an arc to another one
    u, v = arc
    return (
        f"vertices {vertices[u]} and {vertices[v]} can be reached from each other, but have different labels, "
        f"{of_vertices[u]} and {of_vertices[v]}"
    )
