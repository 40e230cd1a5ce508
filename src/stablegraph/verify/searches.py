"""SciPy's graph searches for the verifiers, with a proof that their results are correct.

SciPy's graph routines accept int32 indices. For other indices, SciPy 1.11 only prints an error, and then returns
results that it has not computed: searches that reach nothing, and no components. A verifier that trusted them would
refuse correct results and accept wrong ones. Therefore this module makes matrices with int32 indices, and NumPy proves
each result, by a sweep over the arcs, before it is used:

* a search is correct if its vertices are the start and exactly the vertices to which an arc leads from an earlier one;
* components are correct if both ends of every edge are in the same one, and if a search from their first vertices
  reaches all vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy


def adjacency(n: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray | None = None) -> Any:
    """Return the adjacency matrix of arcs with int32 indices; SciPy's routines refuse larger graphs."""
    kind = np.int32 if max(n, tails.size) < 2**31 else np.int64
    values = np.ones(tails.size) if weights is None else weights
    return scipy.sparse.csr_array((values, (tails.astype(kind), heads.astype(kind))), shape=(n, n))


def unreached(n: int, tails: np.ndarray, heads: np.ndarray, firsts: np.ndarray) -> int | None:
    """Return the smallest vertex without a path from the first vertices of groups that no arc leaves, or None."""
    tails = np.concatenate([tails, np.full(firsts.size, n)])  # an additional vertex with arcs to all first vertices
    heads = np.concatenate([heads, firsts])
    order = scipy.sparse.csgraph.breadth_first_order(adjacency(n + 1, tails, heads), n, return_predecessors=False)
    place = np.full(n + 1, n + 1)
    place[order] = np.arange(order.size)
    reached = np.zeros(n + 1, bool)
    reached[n] = True
    reached[heads[place[tails] < place[heads]]] = True
    _require(np.array_equal(reached, place <= n), "breadth_first_order")
    return None if reached.all() else int(reached.argmin())


def tree_from(n: int, u: np.ndarray, v: np.ndarray, firsts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the parents in a breadth-first tree of undirected edges, and the place of each vertex in the search.

    The root is an additional vertex n, whose children are the first vertices of all components.
    """
    tails, heads = np.concatenate([u, v, np.full(firsts.size, n)]), np.concatenate([v, u, firsts])
    order, parents = scipy.sparse.csgraph.breadth_first_order(adjacency(n + 1, tails, heads), n)
    place, children = np.zeros(n + 1, np.int64), np.arange(n)
    place[order] = np.arange(order.size)
    keys = parents[:n].astype(np.int64) * (n + 1) + children
    right = order.size == n + 1 and bool(np.isin(keys, tails.astype(np.int64) * (n + 1) + heads).all())
    _require(right and bool((place[parents[:n]] < place[:n]).all()), "breadth_first_order")
    return parents, place


def components(n: int, u: np.ndarray, v: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the number of components of an undirected graph, given its edges, and the component of each vertex."""
    count, labels = scipy.sparse.csgraph.connected_components(adjacency(n, u, v), directed=False)
    firsts = np.unique(labels, return_index=True)[1]
    right = firsts.size == count and np.array_equal(labels[u], labels[v])
    right = right and unreached(n, np.concatenate([u, v]), np.concatenate([v, u]), firsts) is None
    _require(right, "connected_components")
    return count, labels


def arc_on_a_cycle(tails: np.ndarray, heads: np.ndarray, groups: np.ndarray, count: int) -> tuple[int, int] | None:
    """Return an arc on a cycle of groups, given arcs between different groups, or None."""
    tail_groups, head_groups = groups[tails], groups[heads]
    arcs_out = np.bincount(tail_groups, minlength=count).tolist()
    before = tail_groups[np.argsort(head_groups, kind="stable")].tolist()
    begins = np.concatenate([[0], np.cumsum(np.bincount(head_groups, minlength=count))]).tolist()
    done = [group for group in range(count) if arcs_out[group] == 0]
    for group in done:  # the list grows during the loop
        for other in before[begins[group] : begins[group + 1]]:
            arcs_out[other] -= 1
            if arcs_out[other] == 0:
                done.append(other)
    left = np.array(arcs_out) > 0
    if not left.any():
        return None
    arc_from = np.full(count, -1)  # each remaining group has an arc to another one; following these arcs finds a cycle
    stays = np.flatnonzero(left[tail_groups] & left[head_groups])
    arc_from[tail_groups[stays]] = stays
    group, seen = int(left.argmax()), set()
    while group not in seen:
        seen.add(group)
        group = int(head_groups[arc_from[group]])
    return int(tails[arc_from[group]]), int(heads[arc_from[group]])


def _require(right: bool, routine: str) -> None:
    if not right:
        raise RuntimeError(
            f"scipy.sparse.csgraph.{routine} of SciPy {scipy.__version__} gave a wrong answer, so nothing can be "
            "verified; install another version of SciPy"
        )
