"""A verifier of strong components in partitions: the sentences of one machine, by other means than the algorithm.

Two things are shown, as at home. *No label holds too much*: from the first vertex of each label, along arcs between
equal labels and against them, all vertices with that label are reached. Partitions search with SciPy, and tell a bit
each way. That no label stands in two partitions without arcs between these is checked at the end. *No two labels
belong together*: labels without arcs to others are taken away, in turn, until none is left; those in one partition by
this one alone, the others when all agree.

Cost: as many rounds as paths change partitions, three for each change where labels are taken away. If an answer is
wrong, one task is given the first vertex of each label, or the arcs between labels on cycles, to make the sentence.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from ..verify.components import arc_on_a_cycle
from ..verify.searches import adjacency
from .boxes import Changes, hear, tell
from .exchange import given_values, heard
from .first_vertices import Firsts, first_of_each, offered, with_agreed
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps
from .verify import first_told, label_of_two
from .workers import gather

_BYTES_AN_ARC = 64  # of the task that finds a cycle


class _Reached(NamedTuple):
    """Who is reached from, and who reaches, the first vertex of its label."""

    labels: Any  # (k,)
    firsts: Any = None
    forward: Any = None
    backward: Any = None


class _Peeled(NamedTuple):
    labels: Any  # (k,)
    done: Any  # whose labels have been taken away
    told: Any  # what neighbors know of that


def explain_strong_component_labeling(graph: DistributedGraph, labels: Any) -> str | None:
    """`stablegraph.verify.explain_strong_component_labeling` for a graph in partitions."""
    run = Supersteps(graph, "verify")
    given_values(run, labels, "labels", "i")
    run.step(_hear_labels)
    found = _searched(run, False)
    if first_told(found, 0) or first_told(found, 1) or _is_given_twice(run, found):
        found = _searched(run, True)
        return first_told(found, 0) or first_told(found, 1)
    run.step(_begin_to_peel)
    left = None
    while True:
        run.step(_peel)
        now = sum(run.step(_take_away, run.at_one(_clear_everywhere), left=sum))
        if not now:
            return None
        if now == left:
            return _cycle(run)
        left = now


def _hear_labels(part: Partition, state: Any, inbox: Any) -> Any:
    return _Reached(heard(part, state, inbox)), None, None


# No label holds too much


def _searched(run: Supersteps, every: bool) -> list[Any]:
    """What partitions find when first vertices have been agreed on: of every label, or of those between partitions."""
    run.step(_offer_firsts, every)
    talk = run.step(_start, run.at_one(first_of_each))
    while any(talk):
        talk = run.step(_go_on)
    return run.step(_judge_reach)


def _offer_firsts(part: Partition, state: _Reached, inbox: Any, every: bool) -> Any:
    firsts, told = offered(part, state.labels, every)
    return state._replace(firsts=firsts), told, None


def _start(part: Partition, state: _Reached, inbox: Any, agreed: Firsts) -> Any:
    firsts, begun = with_agreed(part, state.firsts, agreed)
    nothing = np.zeros(part.size, bool)
    return _search(part, state._replace(firsts=firsts, forward=nothing, backward=nothing), begun, begun)


def _go_on(part: Partition, state: _Reached, inbox: dict[int, tuple[Changes, Changes]]) -> Any:
    forward, backward = state.forward.copy(), state.backward.copy()
    for way, reached in enumerate((forward, backward)):
        hear(part, {q: boxes[way] for q, boxes in inbox.items()}, reached)
    return _search(part, state, forward, backward)


def _search(part: Partition, state: _Reached, forward: Any, backward: Any) -> Any:
    """Reach what can be reached here, and tell what is new since `state`."""
    ends, begins = part.into._rows(), part.into.indices
    tails, heads = part.graph._rows(), part.graph.indices
    forward = _closure(state.labels, begins, ends, forward)
    backward = _closure(state.labels, heads, tails, backward)
    boxes = tell(part, forward & ~state.forward, forward), tell(part, backward & ~state.backward, backward)
    return state._replace(forward=forward, backward=backward), boxes, any(box.values.size for box in boxes)


def _closure(labels: Any, tails: Any, heads: Any, reached: Any) -> Any:
    """The vertices that are reached from those that are, along arcs between equal labels."""
    within, starts, size = labels[tails] == labels[heads], np.flatnonzero(reached), reached.size
    tails = np.concatenate([tails[within], np.full(starts.size, size)])
    heads = np.concatenate([heads[within], starts])
    result = np.zeros(size + 1, bool)
    result[breadth_first_order(adjacency(size + 1, tails, heads), size, return_predecessors=False)] = True
    return result[:size]


def _judge_reach(part: Partition, state: _Reached, inbox: Any) -> Any:
    """The first vertex that is not reached, forward and backward; and the labels whose first vertex is here."""
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
    """Whether a label is that of two first vertices; at once clear where labels ascend with these."""
    extremes = [told[2] for told in found if told[2] is not None]
    if all(rises for _, _, rises in extremes) and all(one[1] < other[0] for one, other in pairwise(extremes)):
        return False
    return gather(run.graph.client, [run.at_one(label_of_two)])[0] is not None


# No two labels belong together


def _begin_to_peel(part: Partition, state: _Reached, inbox: Any) -> Any:
    nobody = np.zeros(part.size, bool)
    return _Peeled(state.labels, nobody, nobody), None, None


def _arcs_left(part: Partition, state: _Peeled) -> tuple[Any, Any]:
    """The arcs of its vertices to other labels that have not been taken away."""
    tails, heads = part.graph._rows(), part.graph.indices
    left = (state.labels[tails] != state.labels[heads]) & ~state.done[tails] & ~state.done[heads]
    return tails[left], heads[left]


def _peel(part: Partition, state: _Peeled, inbox: dict[int, Changes]) -> Any:
    """Take away labels that are here only; and tell which others have no arcs here any more."""
    done = state.done.copy()
    hear(part, {q: box for q, box in inbox.items() if box is not None}, done)
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
    """Take groups away that may go and have no arcs out; their arcs in are counted off `arcs_out`."""
    before = tails[np.argsort(heads, kind="stable")].tolist()
    begins = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=may_go.size))]).tolist()
    left, may = arcs_out.tolist(), may_go.tolist()
    done = np.flatnonzero(may_go & (arcs_out == 0)).tolist()
    for group in done:  # grows on the way
        for other in before[begins[group] : begins[group + 1]]:
            left[other] -= 1
            if left[other] == 0 and may[other]:
                done.append(other)
    arcs_out[:] = left
    taken = np.zeros(may_go.size, bool)
    taken[done] = True
    return taken


def _clear_everywhere(boxes: list[Any]) -> Any:
    """The labels that have no arcs out in any partition."""
    labels, clear = (np.concatenate(column) for column in zip(*boxes, strict=True))
    return np.setdiff1d(labels, labels[~clear])


def _take_away(part: Partition, state: _Peeled, inbox: Any, clear: Any) -> Any:
    done = state.done | np.isin(state.labels, clear)
    box = tell(part, done & ~state.told, done)
    return _Peeled(state.labels, done, done), box, int(np.count_nonzero(~done[part.owned]))


def _cycle(run: Supersteps) -> str:
    """The sentence about an arc on a cycle of labels."""
    arcs = sum(run.step(_give_arcs))
    run.check_one_place(_BYTES_AN_ARC * arcs, "the arcs between labels")
    sentence: str = gather(run.graph.client, [run.at_one(_arc_of_the_rest)])[0]
    return sentence


def _give_arcs(part: Partition, state: _Peeled, inbox: Any) -> Any:
    tails, heads = _arcs_left(part, state)
    box = part.ids[tails], part.ids[heads], state.labels[tails], state.labels[heads]
    return state, box, int(tails.size)


def _arc_of_the_rest(boxes: list[Any]) -> str:
    tails, heads, *labels = (np.concatenate(column) for column in zip(*boxes, strict=True))
    vertices, places = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    of_vertices = np.empty(vertices.size, labels[0].dtype)
    of_vertices[places] = np.concatenate(labels)
    distinct, groups = np.unique(of_vertices, return_inverse=True)
    arc = arc_on_a_cycle(places[: tails.size], places[tails.size :], groups, distinct.size)
    assert arc is not None  # every label that is left has an arc to another one
    u, v = arc
    return (
        f"vertices {vertices[u]} and {vertices[v]} can be reached from each other, but have different labels, "
        f"{of_vertices[u]} and {of_vertices[v]}"
    )
