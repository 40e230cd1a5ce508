"""Verifiers for graphs in partitions: each partition checks its own vertices, with the values of its ghosts.

They run the verifiers of one machine on the rows of a partition, with NumPy reductions that share no code with the
algorithms. Of several errors, the result is the one that the verifier of one machine finds first, in the same words.
Connected components are verified with a different method from that of `connected_components`: the smallest vertex is
propagated along the edges between partitions, and SciPy finds the components inside a partition.

Other verifiers search from the first vertex of each label. Suppose that the vertices of a label are connected by steps
of one or two edges, and that two partitions have the label. Then each of them has it at a boundary vertex or at a
ghost. So the partitions agree on the first vertices of only these labels. Once a labeling is known to be wrong, the
explanation needs the first vertex of `every` label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..._core.runtime import Array
from ...graph import Graph
from ...verify.checks import FoundTree, tree_faults, vertex
from ...verify.coloring import color_faults
from ...verify.components import different_labels
from ...verify.independent_set import two_members_too_near, vertex_that_could_join, within
from ...verify.searches import adjacency
from ..graph import DistributedGraph
from ..messages import apply_ghost_updates, pack_boundary_updates, pack_changes, scatter_values, with_ghost_values
from ..partition import Partition, local_bounds, owned_mask
from ..supersteps import Supersteps
from ..tasks import first_of

# Searches from the first vertex of each label


class Representatives(NamedTuple):
    """Labels of a partition's owned vertices, ascending, and the first known vertex of each."""

    labels: Array
    vertices: Array

    def are_owned(self, part: Partition) -> Any:
        """Return a mask of the labels whose first vertex is in this partition."""
        return (self.vertices >= part.start) & (self.vertices < part.stop)

    def vertex_of(self, label: Any) -> int:
        """Return the first vertex of a label."""
        return int(self.vertices[np.searchsorted(self.labels, label)])


def search_labels(
    run: Supersteps, begin: Callable[..., Any], extend: Callable[..., Any], check: Callable[..., Any], every: bool
) -> list[Any]:
    """Search from the first vertices of labels; return the counts of the step `check`.

    The states have `labels` and `representatives`. The step `begin` receives the first vertices on which all partitions
    agree. It and the steps `extend` report whether they have sent something.
    """
    run.step(_send_representatives, every)
    active = run.step(begin, run.run_on_one_worker(merge_representatives))
    while any(active):
        active = run.step(extend)
    return run.step(check)


def _send_representatives(part: Partition, state: Any, inbox: Any, every: bool) -> Any:
    """Find the first owned vertex of each label, and send those that other partitions need."""
    labels = state.labels
    distinct, places = np.unique(labels[part.owned], return_index=True)
    result = Representatives(distinct, part.ids[part.owned][places].astype(np.int64))
    state = state._replace(representatives=result)
    if every:
        return state, result, None
    shared = np.isin(distinct, labels[part.ghosts()]) | np.isin(distinct, labels[part.boundary])
    return state, Representatives(result.labels[shared], result.vertices[shared]), None


def merge_representatives(messages: list[Representatives]) -> Representatives:
    """Return the first vertex of each label over all partitions."""
    labels, vertices = (np.concatenate(column) for column in zip(*messages, strict=True))
    distinct, places = np.unique(labels, return_index=True)  # partitions ascend
    return Representatives(distinct, vertices[places])


def with_agreed(part: Partition, local: Representatives, agreed: Representatives) -> tuple[Representatives, Any]:
    """Replace first vertices by those that all partitions agree on.

    Return them, and a mask of the ones in this partition.
    """
    vertices, shared = local.vertices.copy(), np.isin(local.labels, agreed.labels)
    vertices[shared] = agreed.vertices[np.searchsorted(agreed.labels, local.labels[shared])]
    result, sources = Representatives(local.labels, vertices), np.zeros(part.size, bool)
    sources[part.local(vertices[result.are_owned(part)])] = True
    return result, sources


def closure(tails: Any, heads: Any, reached: Any) -> Any:
    """Return a mask of all vertices that can be reached along arcs from those in the mask `reached`."""
    sources, size = np.flatnonzero(reached), reached.size
    arcs = np.concatenate([tails, np.full(sources.size, size)]), np.concatenate([heads, sources])
    result = np.zeros(size + 1, bool)
    result[breadth_first_order(adjacency(size + 1, *arcs), size, return_predecessors=False)] = True
    return result[:size]


def extremes_of(labels: Any) -> tuple[int, int, bool] | None:
    """Return the first and the last of some labels, and whether they ascend; None if there are no labels."""
    return (int(labels[0]), int(labels[-1]), bool((np.diff(labels) > 0).all())) if labels.size else None


def label_of_two_components(run: Supersteps, extremes: list[Any]) -> tuple[int, int, int] | None:
    """Find a label of two components, and return it with the smallest vertex of each; None if there is none.

    `extremes` are those of the labels of each partition's components, in the order of their smallest vertices. Labels
    that ascend with these are distinct. Otherwise one task compares the labels and vertices in the messages.
    """
    extremes = [one for one in extremes if one is not None]
    if all(ascend for _, _, ascend in extremes) and all(low[1] < high[0] for low, high in pairwise(extremes)):
        return None
    result: tuple[int, int, int] | None = run.compute_on_one_worker(_find_label_of_two)
    return result


def _find_label_of_two(messages: list[Any]) -> tuple[int, int, int] | None:
    labels, roots = (np.concatenate(column) for column in zip(*messages, strict=True))
    order = np.argsort(labels, kind="stable")
    same = np.flatnonzero(labels[order][1:] == labels[order][:-1])
    if not same.size:
        return None
    second = int(order[same + 1].min())  # the smallest vertex that is not connected to the first one of its label
    first = int(np.flatnonzero(labels == labels[second])[0])
    return int(labels[second]), int(roots[first]), int(roots[second])


_ENTRIES_AT_ONCE = 1 << 22


def _entries(graph: Graph) -> Iterator[tuple[Any, Any]]:
    """Yield the tails and heads of entries, some rows at a time.

    Arrays for all entries would fill a worker's memory.
    """
    row, size = 0, graph.num_entries
    while graph.indptr[row] < size:
        (end,) = local_bounds(graph.indptr, [min(int(graph.indptr[row]) + _ENTRIES_AT_ONCE, size)])
        tails = np.repeat(np.arange(row, end, dtype=graph.indices.dtype), np.diff(graph.indptr[row : end + 1]))
        yield tails, graph.indices[graph.indptr[row] : graph.indptr[end]]
        row = end


def _graph_of_ids(part: Partition) -> Graph:
    """Return the local graph with the ids as names of its vertices."""
    return part.graph._replace(nodes=part.ids)


def _first_of_kinds(results: list[Any], *kinds: int) -> str | None:
    """Return the first explanation of the first kind that occurs; each result has one explanation of each kind."""
    return first_of(result[kind] for kind in kinds for result in results)


# Independent sets


def explain_independent_set(graph: DistributedGraph, mask: Any, k: int) -> str | None:
    """Run `stablegraph.verify.explain_independent_set` for a graph in partitions, at distance 1 and 2."""
    return _explain_set(graph, mask, None, k)[1]


def explain_maximal_independent_set(graph: DistributedGraph, mask: Any, exclude: Any, k: int) -> str | None:
    """Run `stablegraph.verify.explain_maximal_independent_set` for a graph in partitions, at distance 1 and 2."""
    return first_of(_explain_set(graph, mask, exclude, k))


def _explain_set(graph: DistributedGraph, mask: Any, exclude: Any, k: int) -> tuple[str | None, ...]:
    """Return explanations of an excluded member, of members too near each other, and of a vertex that could join."""
    run, excluded = Supersteps(graph, "verify"), graph.split_vertices(exclude)
    run.step(_send_members, each=graph.split_vertices(mask))
    results = run.step(_check_set, k, each=excluded)
    could_join = results if k == 1 else run.step(_check_second_step, each=excluded)
    return _first_of_kinds(results, 0), _first_of_kinds(results, 1), _first_of_kinds(could_join, 2)


def _send_members(part: Partition, state: Any, inbox: Any, vertices: Any) -> Any:
    members = part.with_owned(owned_mask(part, vertices), False)
    return members, pack_boundary_updates(part, members, members), None


def _check_set(part: Partition, state: Any, inbox: Any, k: int, excluded: Any) -> Any:
    members = with_ghost_values(part, state, inbox)
    graph = _graph_of_ids(part)
    too_near = two_members_too_near(graph, members, k)
    reached = within(graph, members, 1)
    could_join = vertex_that_could_join(graph, reached, _need_none(part, excluded), 1) if k == 1 else None
    wrong, forbidden = np.flatnonzero(members[part.owned] & owned_mask(part, excluded)), None
    if wrong.size:
        forbidden = f"{vertex(graph, wrong[0] + part.owned.start)} is excluded but in the set"
    return reached, pack_boundary_updates(part, reached, reached), (forbidden, too_near, could_join)


def _need_none(part: Partition, excluded: Any) -> Any:
    """Return a mask of the vertices that need no member near them in this partition: ghosts and excluded vertices."""
    return part.with_owned(owned_mask(part, excluded), True)


def _check_second_step(part: Partition, state: Any, inbox: Any, excluded: Any) -> Any:
    graph = _graph_of_ids(part)
    reached = within(graph, with_ghost_values(part, state, inbox), 1)
    return None, None, (None, None, vertex_that_could_join(graph, reached, _need_none(part, excluded), 2))


# Colorings


def explain_coloring(graph: DistributedGraph, colors: Any) -> str | None:
    """Run `stablegraph.verify.explain_coloring` for a graph in partitions, at distance 1 and without constraints."""
    run = Supersteps(graph, "verify")
    scatter_values(run, colors, "colors")
    return _first_of_kinds(run.step(_check_colors), 0, 1)


def _check_colors(part: Partition, state: Any, inbox: Any) -> Any:
    return None, None, color_faults(_graph_of_ids(part), with_ghost_values(part, state, inbox), 1, part.owned)


# Components


def explain_component_labeling(graph: DistributedGraph, labels: Any) -> str | None:
    """Run `stablegraph.verify.explain_component_labeling` for a graph in partitions.

    The smallest vertex of each component is propagated, so the number of rounds grows with the number of partitions on
    a path. Labels that ascend with the smallest vertices, like those of `connected_components`, are checked by
    partitions. Other labelings are checked by one task, which receives a label for each component.
    """
    run = Supersteps(graph, "verify")
    scatter_values(run, labels, "labels")
    different = _first_of_kinds(run.step(_check_labels), 0)
    if different is not None:
        return different
    while any(run.step(_spread_smallest)):
        pass
    same = label_of_two_components(run, run.step(_send_roots))
    if same is None:
        return None
    label, first, second = same
    return f"vertices {first} and {second} both have label {label}, but are not connected"


def _check_labels(part: Partition, state: Any, inbox: Any) -> Any:
    graph, labels = _graph_of_ids(part), with_ghost_values(part, state, inbox)
    message = different_labels(graph, labels, _entries(graph))
    pattern = part.pattern
    ones = np.ones(pattern.num_entries, np.int8)
    matrix = sp.csr_array((ones, pattern.indices, pattern.indptr), shape=(part.size, part.size))
    count, groups = connected_components(matrix, directed=False)
    smallest = np.empty(count, np.int64)
    smallest[groups[::-1]] = part.ids[::-1]  # of several values for one place, the last one is kept
    state = labels[part.owned], groups, smallest
    return state, _pack_smallest(part, groups, smallest, np.ones(count, bool)), (message,)


def _spread_smallest(part: Partition, state: Any, inbox: Any) -> Any:
    """Update the smallest vertex of each group; return whether one has changed."""
    labels, groups, before = state
    received, smallest = np.full(part.size, part.num_vertices, before.dtype), before.copy()
    apply_ghost_updates(part, inbox, received)
    ghosts = np.flatnonzero(received < part.num_vertices)
    np.minimum.at(smallest, groups[ghosts], received[ghosts])
    changed = smallest != before
    return (labels, groups, smallest), _pack_smallest(part, groups, smallest, changed), bool(changed.any())


def _pack_smallest(part: Partition, groups: Any, smallest: Any, changed: Any) -> Any:
    """Pack the changed smallest vertices of the groups of the boundary."""
    of_boundary = groups[part.boundary]
    return pack_changes(changed[of_boundary], smallest[of_boundary])


def _send_roots(part: Partition, state: Any, inbox: Any) -> Any:
    """Send the smallest vertices of components with their labels, and report the extremes of these labels."""
    labels, groups, smallest = state
    roots = np.flatnonzero(smallest[groups[part.owned]] == part.ids[part.owned])
    return state, (labels[roots], part.ids[roots + part.owned.start]), extremes_of(labels[roots])


# Searches


def explain_bfs_tree(
    graph: DistributedGraph, starts: Any, distance: Any, parent: Any, smallest: bool, limit: int
) -> str | None:
    """Run `stablegraph.verify.explain_bfs_tree` for a graph in partitions."""
    run = Supersteps(graph, "verify")
    scatter_values(run, distance, "distance")
    run.step(_send_parents, each=graph.split(parent, "parent"))
    return _first_of_kinds(run.step(_check_tree, starts, smallest, limit), *range(9))


def _send_parents(part: Partition, state: Any, inbox: Any, values: Any) -> Any:
    """Store the distances, including those of ghosts, and send the parents of the boundary."""
    parents = part.with_owned(np.asarray(values).astype(np.int64), 0)
    return (
        (with_ghost_values(part, state, inbox), parents),
        pack_boundary_updates(part, np.ones(part.size, bool), parents),
        None,
    )


def _check_tree(part: Partition, state: Any, inbox: Any, sources: Any, smallest: bool, limit: int) -> Any:
    steps, parents = state[0].astype(np.int64), with_ghost_values(part, state[1], inbox)
    graph, n, is_owned = _graph_of_ids(part), part.num_vertices, ~part.ghosts()
    exists, joined, nearer = (parents >= 0) & (parents < n), np.zeros(part.size, bool), np.zeros(part.size, bool)
    for ends, begins in _entries(part.reversed_graph):
        of_parent = part.ids[begins] == parents[ends]
        joined[ends[of_parent]] = True
        nearer[ends[of_parent & (steps[begins] == steps[ends] - 1)]] = True
    tree = FoundTree(part.ids, np.isin(part.ids, sources), steps, parents, exists, joined, nearer)
    return None, None, tree_faults(graph, tree, is_owned, limit, smallest, _entries(graph), lambda v: int(parents[v]))
