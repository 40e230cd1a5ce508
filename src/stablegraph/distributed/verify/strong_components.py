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

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from ...verify.searches import adjacency, arc_on_a_cycle
from ..graph import DistributedGraph
from ..messages import Changes, apply_ghost_updates, pack_boundary_updates, scatter_values, with_ghost_values
from ..partition import Partition
from ..supersteps import Supersteps
from ..workers import gather
from .label_search import Representatives, first_of_each, shared_representatives, with_agreed
from .local_checks import first_told, label_of_two

_BYTES_AN_ARC = 64  # of the task that finds a cycle


class _Reached(NamedTuple):
    """The vertices that are reached from, and those that reach, the first vertex of their label."""

    labels: Any  # (k,)
    firsts: Any = None
    forward: Any = None
    backward: Any = None


class _Peeled(NamedTuple):
    labels: Any  # (k,)
    done: Any  # (k,): vertices whose labels have been removed
    told: Any  # (k,): the part of `done` that neighbors have received


def explain_strong_component_labeling(graph: DistributedGraph, labels: Any) -> str | None:
    """Run `stablegraph.verify.explain_strong_component_labeling` for a graph in partitions."""
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels", "i")
    run.step(_hear_labels)
    found = _searched(run, False)
    if first_told(found, 0) or first_told(found, 1) or _is_given_twice(run, found):
        found = _searched(run, True)
        return first_told(found, 0) or first_told(found, 1)
    run.step(_begin_to_peel)
    left = None
    while True:
        run.step(_peel)
        now = sum(run.step(_take_away, run.run_on_one_worker(_clear_everywhere), left=sum))
        if not now:
            return None
        if now == left:
            return _cycle(run)
        left = now


def _hear_labels(part: Partition, state: Any, inbox: Any) -> Any:
    return _Reached(with_ghost_values(part, state, inbox)), None, None


# The vertices of each label are strongly connected


def _searched(run: Supersteps, every: bool) -> list[Any]:
    """Search from the first vertices; return the findings of the partitions.

    The partitions first agree on the first vertices: of every label, or of only those in several partitions.
    """
    run.step(_offer_firsts, every)
    talk = run.step(_start, run.run_on_one_worker(first_of_each))
    while any(talk):
        talk = run.step(_go_on)
    return run.step(_judge_reach)


def _offer_firsts(part: Partition, state: _Reached, inbox: Any, every: bool) -> Any:
    firsts, told = shared_representatives(part, state.labels, every)
    return state._replace(firsts=firsts), told, None


def _start(part: Partition, state: _Reached, inbox: Any, agreed: Representatives) -> Any:
    firsts, begun = with_agreed(part, state.firsts, agreed)
    nothing = np.zeros(part.size, bool)
    return _search(part, state._replace(firsts=firsts, forward=nothing, backward=nothing), begun, begun)


def _go_on(part: Partition, state: _Reached, inbox: dict[int, tuple[Changes, Changes]]) -> Any:
    forward, backward = state.forward.copy(), state.backward.copy()
    for way, reached in enumerate((forward, backward)):
        apply_ghost_updates(part, {q: messages[way] for q, messages in inbox.items()}, reached)
    return _search(part, state, forward, backward)


def _search(part: Partition, state: _Reached, forward: Any, backward: Any) -> Any:
    """Extend both searches within this partition, and pack the vertices that are new compared with `state`."""
    ends, begins = part.reversed_graph._rows(), part.reversed_graph.indices
    tails, heads = part.graph._rows(), part.graph.indices
    forward = _closure(state.labels, begins, ends, forward)
    backward = _closure(state.labels, heads, tails, backward)
    messages = (
        pack_boundary_updates(part, forward & ~state.forward, forward),
        pack_boundary_updates(part, backward & ~state.backward, backward),
    )
    return (
        state._replace(forward=forward, backward=backward),
        messages,
        any(m.values.size for m in messages),
    )


def _closure(labels: Any, tails: Any, heads: Any, reached: Any) -> Any:
    """Return a mask of all vertices that can be reached from those in `reached`, along arcs between equal labels."""
    within, starts, size = labels[tails] == labels[heads], np.flatnonzero(reached), reached.size
    tails = np.concatenate([tails[within], np.full(starts.size, size)])
    heads = np.concatenate([heads[within], starts])
    result = np.zeros(size + 1, bool)
    result[breadth_first_order(adjacency(size + 1, tails, heads), size, return_predecessors=False)] = True
    return result[:size]


def _judge_reach(part: Partition, state: _Reached, inbox: Any) -> Any:
    """Find the first vertices that were not reached, forward and backward.

    Return also the labels whose first vertex is in this partition.
    """
    labels, firsts = state.firsts
    sentences: list[str | None] = []
    for reached, forward in ((state.forward, True), (state.backward, False)):
        missed = np.flatnonzero(~reached[part.owned])
        if missed.size:
            v = int(missed[0]) + part.start
            label = state.labels[part.owned][missed[0]]
            first = state.firsts.of(label)
            start, end = (first, v) if forward else (v, first)
            sentences.append(
                f"vertices {first} and {v} both have label {label}, but no path leads from {start} to {end} "
                "along vertices with this label"
            )
        else:
            sentences.append(None)
    here = np.flatnonzero(state.firsts.here(part))
    here = here[np.argsort(firsts[here])]
    found, ascending = labels[here], None
    if found.size:
        ascending = int(found[0]), int(found[-1]), bool((np.diff(found) > 0).all())
    return state, (found, firsts[here]), (*sentences, ascending)


def _is_given_twice(run: Supersteps, found: list[Any]) -> bool:
    """Return whether a label has two first vertices; if labels ascend with these, no further task is needed."""
    extremes = [told[2] for told in found if told[2] is not None]
    if all(rises for _, _, rises in extremes) and all(one[1] < other[0] for one, other in pairwise(extremes)):
        return False
    return gather(run.graph.client, [run.run_on_one_worker(label_of_two)])[0] is not None


# Different labels are different components


def _begin_to_peel(part: Partition, state: _Reached, inbox: Any) -> Any:
    nobody = np.zeros(part.size, bool)
    return _Peeled(state.labels, nobody, nobody), None, None


def _arcs_left(part: Partition, state: _Peeled) -> tuple[Any, Any]:
    """Return the remaining arcs of the partition's vertices, to other labels that have not been removed."""
    tails, heads = part.graph._rows(), part.graph.indices
    left = (state.labels[tails] != state.labels[heads]) & ~state.done[tails] & ~state.done[heads]
    return tails[left], heads[left]


def _peel(part: Partition, state: _Peeled, inbox: dict[int, Changes]) -> Any:
    """Remove labels that are only in this partition; send which other labels have no arcs out in it any more."""
    done = state.done.copy()
    apply_ghost_updates(part, {q: message for q, message in inbox.items() if message is not None}, done)
    state = state._replace(done=done)
    distinct, groups = np.unique(state.labels, return_inverse=True)
    elsewhere = np.zeros(distinct.size, bool)
    elsewhere[groups[part.ghosts()]] = True
    own = np.zeros(distinct.size, bool)
    own[groups[part.owned][~done[part.owned]]] = True
    tails, heads = (groups[ends] for ends in _arcs_left(part, state))
    arcs_out = np.bincount(tails, minlength=distinct.size)
    taken = _in_turn(tails, heads, arcs_out, own & ~elsewhere)
    done[part.owned] |= taken[groups[part.owned]]
    public = np.flatnonzero(own & elsewhere)
    return state, (distinct[public], arcs_out[public] == 0), None


def _in_turn(tails: Any, heads: Any, arcs_out: Any, may_go: Any) -> Any:
    """Remove groups that may be removed and have no arcs out, repeatedly; subtract their arcs in from `arcs_out`."""
    before = tails[np.argsort(heads, kind="stable")].tolist()
    begins = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=may_go.size))]).tolist()
    left, may = arcs_out.tolist(), may_go.tolist()
    done = np.flatnonzero(may_go & (arcs_out == 0)).tolist()
    for group in done:  # the list grows during the loop
        for other in before[begins[group] : begins[group + 1]]:
            left[other] -= 1
            if left[other] == 0 and may[other]:
                done.append(other)
    arcs_out[:] = left
    taken = np.zeros(may_go.size, bool)
    taken[done] = True
    return taken


def _clear_everywhere(messages: list[Any]) -> Any:
    """Return the labels that have no arcs out in any partition."""
    labels, clear = (np.concatenate(column) for column in zip(*messages, strict=True))
    return np.setdiff1d(labels, labels[~clear])


def _take_away(part: Partition, state: _Peeled, inbox: Any, clear: Any) -> Any:
    done = state.done | np.isin(state.labels, clear)
    message = pack_boundary_updates(part, done & ~state.told, done)
    return _Peeled(state.labels, done, done), message, int(np.count_nonzero(~done[part.owned]))


def _cycle(run: Supersteps) -> str:
    """Explain an arc on a cycle of labels."""
    arcs = sum(run.step(_give_arcs))
    run.check_memory_of_one_worker(_BYTES_AN_ARC * arcs, "the arcs between labels")
    sentence: str = gather(run.graph.client, [run.run_on_one_worker(_arc_of_the_rest)])[0]
    return sentence


def _give_arcs(part: Partition, state: _Peeled, inbox: Any) -> Any:
    tails, heads = _arcs_left(part, state)
    message = part.ids[tails], part.ids[heads], state.labels[tails], state.labels[heads]
    return state, message, int(tails.size)


def _arc_of_the_rest(messages: list[Any]) -> str:
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
