"""Verifiers for graphs in partitions: each partition checks its own vertices, with the values of its ghosts.

They run the verifiers of one machine on the rows of a partition, with NumPy reductions that share no code with the
algorithms. Of several errors, the result is the one that the verifier of one machine finds first, in the same words.
Connected components are verified with a different method from that of `connected_components`: the smallest vertex is
propagated along the edges between partitions, and SciPy finds the components inside a partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from .._core.validation import distinct_vertices, integer
from ..graph import Graph
from ..verify.checks import vertex, vertices
from ..verify.coloring import pair_of_one_color
from ..verify.independent_set import two_members_too_near, vertex_that_could_join, within
from .conditions import mask_of, vertex_pieces
from .graph import DistributedGraph
from .halo import scatter_values, with_ghost_values
from .messages import apply_ghost_updates, changes, pack_boundary_updates
from .numbering import local_bounds
from .partition import Partition
from .supersteps import Supersteps
from .workers import gather

_ENTRIES_AT_ONCE = 1 << 22


def _entries(graph: Graph) -> Iterator[tuple[Any, Any]]:
    """Yield the tails and heads of entries, some rows at a time.

    Arrays for all entries would fill a worker's memory.
    """
    row, most = 0, graph.num_entries
    while graph.indptr[row] < most:
        (end,) = local_bounds(graph.indptr, [min(int(graph.indptr[row]) + _ENTRIES_AT_ONCE, most)])
        tails = np.repeat(np.arange(row, end, dtype=graph.indices.dtype), np.diff(graph.indptr[row : end + 1]))
        yield tails, graph.indices[graph.indptr[row] : graph.indptr[end]]
        row = end


def _named(part: Partition) -> Graph:
    """Return the local graph with the ids as names of its vertices."""
    return part.graph._replace(nodes=part.ids)


def first_told(found: list[Any], place: Any) -> str | None:
    """Return the first explanation of a kind, by partition."""
    return next((sentence for told in found if (sentence := _at(told, place)) is not None), None)


def _at(told: Any, place: Any) -> str | None:
    sentence: str | None = told.get(place) if isinstance(told, dict) else told[place]
    return sentence


def _checked_distance(distance: Any, most: int) -> int:
    k = integer(distance, "distance", least=1)
    if k > most:
        raise ValueError(f"distance must be at most {most} for a graph in partitions, got {k}")
    return k


# Independent sets


def explain_independent_set(graph: DistributedGraph, mask: Any, distance: int = 1) -> str | None:
    """Run `stablegraph.verify.explain_independent_set` for a graph in partitions, at distance 1 and 2."""
    return _explain_set(graph, mask, _checked_distance(distance, 2))[1]


def explain_maximal_independent_set(
    graph: DistributedGraph, mask: Any, distance: int = 1, exclude: Any = None
) -> str | None:
    """Run `stablegraph.verify.explain_maximal_independent_set` for a graph in partitions, at distance 1 and 2."""
    found = _explain_set(graph, mask, _checked_distance(distance, 2), exclude)
    return next((told for told in found if told), None)


def _explain_set(graph: DistributedGraph, mask: Any, k: int, exclude: Any = None) -> tuple[str | None, ...]:
    """Return explanations of an excluded member, of members too near each other, and of a vertex that could join."""
    run, excluded = Supersteps(graph, "verify"), vertex_pieces(graph, exclude, "exclude")
    scatter_values(run, mask, "mask", "b")
    found = run.step(_judge_set, k, each=excluded)
    forbidden, too_near = first_told(found, 0), first_told(found, 1)
    if k == 2:
        found = run.step(_judge_second_step, each=excluded)
    return forbidden, too_near, first_told(found, 2)


def _judge_set(part: Partition, state: Any, inbox: Any, k: int, excluded: Any) -> Any:
    members = with_ghost_values(part, state, inbox)
    graph = _named(part)
    too_near = two_members_too_near(graph, members, k)
    reached = within(graph, members, 1)
    could_join = vertex_that_could_join(graph, reached, _need_none(part, excluded), 1) if k == 1 else None
    wrong, forbidden = np.flatnonzero(members[part.owned] & mask_of(part, excluded)), None
    if wrong.size:
        forbidden = f"{vertex(graph, wrong[0] + part.owned.start)} is excluded but in the set"
    return reached, pack_boundary_updates(part, reached, reached), (forbidden, too_near, could_join)


def _need_none(part: Partition, excluded: Any) -> Any:
    """Return a mask of the vertices that need no member near them in this partition: ghosts and excluded vertices."""
    return part.with_owned(mask_of(part, excluded), True)


def _judge_second_step(part: Partition, state: Any, inbox: Any, excluded: Any) -> Any:
    graph = _named(part)
    reached = within(graph, with_ghost_values(part, state, inbox), 1)
    return None, None, (None, None, vertex_that_could_join(graph, reached, _need_none(part, excluded), 2))


# Colorings


def explain_coloring(graph: DistributedGraph, colors: Any, distance: int = 1) -> str | None:
    """Run `stablegraph.verify.explain_coloring` for a graph in partitions, at distance 1."""
    _checked_distance(distance, 1)
    run = Supersteps(graph, "verify")
    scatter_values(run, colors, "colors", "i")
    found = run.step(_judge_colors)
    return first_told(found, 0) or first_told(found, 1)


def _judge_colors(part: Partition, state: Any, inbox: Any) -> Any:
    graph, colors = _named(part), with_ghost_values(part, state, inbox)
    none = np.flatnonzero(colors[part.owned] < 0) + part.owned.start
    without = None
    if none.size:
        v = int(none[0])
        without = f"{vertex(graph, v)} has no color, but {int(colors[v])}: colors are numbers from 0 on"
    pair = pair_of_one_color(graph, colors, 1)
    alike = None
    if pair is not None:
        alike = f"{vertices(graph, *pair)} are adjacent, but both have color {int(colors[pair[0]])}"
    return None, None, (without, alike)


# Components


def explain_component_labeling(graph: DistributedGraph, labels: Any) -> str | None:
    """Run `stablegraph.verify.explain_component_labeling` for a graph in partitions.

    The smallest vertex of each component is propagated, so the number of rounds grows with the number of partitions on
    a path. Labels that ascend with the smallest vertices, like those of `connected_components`, are checked by
    partitions. Other labelings are checked by one task, which receives a label for each component.
    """
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels", "i")
    apart = first_told(run.step(_judge_labels), 0)
    if apart is not None:
        return apart
    while any(run.step(_spread_smallest)):
        pass
    extremes = [found for found in run.step(_judge_roots) if found is not None]
    ascending = all(sorted_ for _, _, sorted_ in extremes)
    if ascending and all(one[1] < other[0] for one, other in pairwise(extremes)):
        return None
    twice = gather(graph.client, [run.run_on_one_worker(label_of_two)])[0]
    if twice is None:
        return None
    label, first, second = twice
    return f"vertices {first} and {second} both have label {label}, but are not connected"


def _judge_labels(part: Partition, state: Any, inbox: Any) -> Any:
    graph, labels = _named(part), with_ghost_values(part, state, inbox)
    told = None
    for tails, heads in _entries(graph):
        apart = labels[tails] != labels[heads]
        if apart.any():
            u, v = tails[apart.argmax()], heads[apart.argmax()]
            told = f"{vertices(graph, u, v)} are adjacent, but have different labels, {labels[u]} and {labels[v]}"
            break
    pattern = part.pattern
    ones = np.ones(pattern.num_entries, np.int8)
    matrix = sp.csr_array((ones, pattern.indices, pattern.indptr), shape=(part.size, part.size))
    count, groups = connected_components(matrix, directed=False)
    smallest = np.empty(count, np.int64)
    smallest[groups[::-1]] = part.ids[::-1]  # of several values for one place, the last one is kept
    state = labels[part.owned], groups, smallest
    return state, _tell_smallest(part, groups, smallest, np.ones(count, bool)), (told,)


def _spread_smallest(part: Partition, state: Any, inbox: Any) -> Any:
    """Update the smallest vertex of each group; return whether one has changed."""
    labels, groups, before = state
    told, smallest = np.full(part.size, part.num_vertices, before.dtype), before.copy()
    apply_ghost_updates(part, inbox, told)
    ghosts = np.flatnonzero(told < part.num_vertices)
    np.minimum.at(smallest, groups[ghosts], told[ghosts])
    changed = smallest != before
    return (labels, groups, smallest), _tell_smallest(part, groups, smallest, changed), bool(changed.any())


def _tell_smallest(part: Partition, groups: Any, smallest: Any, changed: Any) -> Any:
    """Pack the changed smallest vertices of the groups of the boundary."""
    beside = groups[part.boundary]
    return changes(changed[beside], smallest[beside])


def _judge_roots(part: Partition, state: Any, inbox: Any) -> Any:
    """Check the labels of the smallest vertices of components: report the first, the last, and whether they ascend."""
    labels, groups, smallest = state
    roots = np.flatnonzero(smallest[groups[part.owned]] == part.ids[part.owned])
    found = labels[roots]
    box = (found, part.ids[roots + part.owned.start])
    if not found.size:
        return state, box, None
    return state, box, (int(found[0]), int(found[-1]), bool((np.diff(found) > 0).all()))


def label_of_two(boxes: list[Any]) -> tuple[int, int, int] | None:
    """Find a label of two components, and return it with the smallest vertex of each."""
    labels, roots = (np.concatenate(column) for column in zip(*boxes, strict=True))
    order = np.argsort(labels, kind="stable")
    same = np.flatnonzero(labels[order][1:] == labels[order][:-1])
    if not same.size:
        return None
    second = int(order[same + 1].min())  # the smallest vertex that is not connected to the first one of its label
    first = int(np.flatnonzero(labels == labels[second])[0])
    return int(labels[second]), int(roots[first]), int(roots[second])


# Searches


def explain_bfs_tree(
    graph: DistributedGraph, sources: Any, distance: Any, parent: Any, *, smallest: bool = False
) -> str | None:
    """Run `stablegraph.verify.explain_bfs_tree` for a graph in partitions."""
    starts = np.sort(distinct_vertices(np.atleast_1d(np.asarray(sources)), "sources", graph.num_vertices))
    run = Supersteps(graph, "verify")
    scatter_values(run, distance, "distance", "i")
    run.step(_keep_and_offer, each=graph.pieces(parent, "parent", "i"))
    found = run.step(_judge_tree, starts, smallest)
    return next((told for place in range(8) if (told := first_told(found, place))), None)


def _keep_and_offer(part: Partition, state: Any, inbox: Any, values: Any) -> Any:
    """Store the distances, including those of ghosts, and send the parents of the boundary."""
    parents = part.with_owned(np.asarray(values).astype(np.int64), 0)
    return (
        (with_ghost_values(part, state, inbox), parents),
        pack_boundary_updates(part, np.ones(part.size, bool), parents),
        None,
    )


def _judge_tree(part: Partition, state: Any, inbox: Any, sources: Any, smallest: bool) -> Any:
    steps, parents = state[0].astype(np.int64), with_ghost_values(part, state[1], inbox)
    graph, n, own = _named(part), part.num_vertices, ~part.ghosts()
    begin = np.isin(part.ids, sources)
    reached, exists = steps >= 0, (parents >= 0) & (parents < n)
    joined, nearer = np.zeros(part.size, bool), np.zeros(part.size, bool)
    for ends, begins in _entries(part.into):
        of_parent = part.ids[begins] == parents[ends]
        joined[ends[of_parent]] = True
        nearer[ends[of_parent & (steps[begins] == steps[ends] - 1)]] = True

    def told(v: Any) -> str:
        return f"{vertex(graph, v)} has distance {int(steps[v])} and parent {int(parents[v])}"

    def first(broken: Any, words: str) -> str | None:
        broken = broken & own
        return f"{told(int(broken.argmax()))}, {words}" if broken.any() else None

    sentences = [
        first(begin & ((steps != 0) | (parents != part.ids)), "but is a source"),
        first(~reached & ((steps != -1) | (parents != -1)), "but without a distance both must be -1"),
        first(~begin & (steps == 0), "but is no source"),
        first(reached & ~exists, "which is no vertex"),
        first(~begin & reached & ~joined, "but no edge leads from it"),
        first(~begin & reached & ~nearer, "which is not one step nearer"),
    ]
    far = better = None
    for tails, heads in _entries(graph):
        wrong = reached[tails] & (~reached[heads] | (steps[heads] > steps[tails] + 1))
        if far is None and wrong.any():
            u, v = tails[wrong.argmax()], heads[wrong.argmax()]
            far = f"{told(v)}, but an edge leads there from {vertex(graph, u)}, which has distance {int(steps[u])}"
        wrong = reached[tails] & (steps[heads] == steps[tails] + 1) & (part.ids[tails] < parents[heads])
        if smallest and better is None and wrong.any():
            u, v = tails[wrong.argmax()], heads[wrong.argmax()]
            better = f"{told(v)}, but {vertex(graph, u)} is smaller and as near"
    return None, None, [*sentences, far, better]
