"""Groups of vertices: by labels (the smallest vertex of each), matched pairs (their entries), and by degree (lists).

Result: for each vertex, the smallest vertex with the same label, or the number of such vertices before it; the same for
any number of threads.

Rule: the minimum over all vertices with the label. In the code: the atomic minimum of `lower_smallest`.

Idea: only a vertex with another label than the vertex before it can be the smallest. On a CPU, vertices are visited in
ascending order, so a minimum is written about once per group and worker.

Cost: two passes over the labels. Work memory: one number per vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engines.union import number_trees
from ..runtime import Int32s, Vertices, array_module, atomic_min, device_of, kernel, rule
from .arrays import index_type


@kernel
def lower_smallest(v, labels: Vertices, smallest: Int32s):
    """Lower the smallest vertex with the label of v to v; the plain reads first avoid most atomic operations."""
    label = labels[v]
    if (v == 0 or labels[v - 1] != label) and v < smallest[label]:
        atomic_min(smallest, label, v)


@kernel
def _copy_smallest(v, labels: Vertices, smallest: Int32s, result: Vertices):
    """Copy the smallest vertex with the label of v."""
    result[v] = smallest[labels[v]]


def smallest_members(labels: Any) -> Any:
    """Return for each vertex the smallest vertex with the same label.

    Parameters
    ----------
    labels : int32 or int64 array (n,)
        Of the type of vertices, each from 0 to n.
    """
    n = int(labels.size)
    smallest = array_module(device_of(labels)).full(n + 1, n, index_type(n))
    result = np.empty_like(labels)
    lower_smallest(n, labels, smallest)
    _copy_smallest(n, labels, smallest, result)
    return result


def by_smallest_vertex(labels: Any) -> tuple[int, Any]:
    """Count the different labels, and number them by the smallest vertex that has them."""
    return number_trees(smallest_members(labels).astype(index_type(labels.size), copy=False))


def as_groups(labels: np.ndarray) -> np.ndarray:
    """Return integer labels as an array for `smallest_members`; labels that are out of range are numbered again."""
    n = int(labels.size)
    if n and (int(labels.min()) < 0 or int(labels.max()) >= n):
        labels = np.unique(labels, return_inverse=True)[1]
    return np.ascontiguousarray(labels, index_type(n))


def entries_of_pairs(rows: Any, indices: Any, mate: Any, weights: Any | None) -> Any:
    """Return the positions of the upper entries of matched edges, ascending by row; of repeated ones, the heaviest.

    `rows` and `indices` are the ends of each entry, and `mate` is the partner of each vertex.
    """
    xp = array_module(device_of(indices))
    entries = xp.flatnonzero((rows < indices) & (mate[rows] == indices))
    tails = rows[entries]
    is_last = xp.ones(tails.size, bool)
    is_last[:-1] = tails[1:] != tails[:-1]
    if weights is not None and not is_last.all():
        entries = entries[xp.lexsort(xp.stack([weights[entries], tails]))]
    return entries[is_last]


class DegreeLists(NamedTuple):
    """Doubly linked lists of the nodes of each degree; -1 ends a list."""

    first: Int32s  # of each degree
    after: Int32s  # (n,)
    before: Int32s  # (n,)
    degree: Int32s  # (n,)


@rule
def unlink(lists, v):
    """Remove node v from the list of its degree."""
    before, after = lists.before[v], lists.after[v]
    if before < 0:
        lists.first[lists.degree[v]] = after
    else:
        lists.after[before] = after
    if after >= 0:
        lists.before[after] = before


@rule
def link(lists, v, degree):
    """Insert node v as the first one of its degree."""
    after = lists.first[degree]
    lists.degree[v] = degree
    lists.before[v] = -1
    lists.after[v] = after
    lists.first[degree] = v
    if after >= 0:
        lists.before[after] = v


@kernel(by="single")
def link_in_order(order: Int32s, lists: DegreeLists):
    """Insert all nodes, one after another."""
    for place in range(order.size):
        link(lists, order[place], lists.degree[order[place]])


def linked_by_degree(degrees: Any, order: Any) -> DegreeLists:
    """Return the nodes of each degree, from the last one to the first one in the order."""
    size = max(degrees.size, int(degrees.max(initial=0)) + 1)
    after, before = np.empty((2, degrees.size), np.int32)
    lists = DegreeLists(np.full(size, -1, np.int32), after, before, degrees.astype(np.int32))
    link_in_order(order.astype(np.int32), lists)
    return lists
