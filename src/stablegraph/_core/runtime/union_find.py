"""Union-find on an array of parents, for one worker and for concurrent workers.

State: ``parent[v]`` leads from every vertex towards the root of its tree; a root is its own parent, ``parent[r] == r``.

`unite` links the larger root below the smaller vertex. If all links are made by `unite`, no parent is therefore larger
than its vertex, and the root of a tree is its smallest vertex, for every schedule.

Paths are shortened during the climb by plain writes of an ancestor as the parent. Such writes may race, and a later one
may undo an earlier one. That costs only time, since every written value is an ancestor. Roots are linked by
compare-and-swap.

Sources: M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure", SEA
2010 (Rem's algorithm with splicing); R. Tarjan, J. van Leeuwen, "Worst-case Analysis of Set Union Algorithms", Journal
of the ACM 31(2), 1984 (path halving).
"""

from __future__ import annotations

from .atomics import atomic_compare_and_swap, atomic_min
from .declaration import rule


@rule
def find(v, parent):
    """Return the root of v's tree and halve the path to it. Other workers may shorten paths, but not link roots."""
    p = parent[v]
    above = parent[p]
    while above != p:
        parent[v] = above
        v = above
        p = parent[v]
        above = parent[p]
    return p


@rule
def unite(u, v, parent):
    """Unite the trees of u and v, concurrently with other workers: Rem's algorithm, climbing on the larger side."""
    p, q = parent[u], parent[v]
    while p != q:
        if p < q:
            u, v, p, q = v, u, q, p
        above = parent[p]
        if above == p:
            above = atomic_compare_and_swap(parent, p, p, q)
            if above == p:
                break
        else:
            parent[u] = above
        u, p = p, above


@rule
def flatten(v, parent):
    """Link v directly to its root and return the root, concurrently with workers that do the same for other vertices.

    No parent may be larger than its vertex. Paths are shortened by atomic minima, which never undo a link to a root.
    """
    above = parent[v]
    root = parent[above]
    while root != above:  # rarely; every step also shortens the next climb
        higher = parent[root]
        atomic_min(parent, above, higher)
        above, root = root, higher
    parent[v] = root
    return root
