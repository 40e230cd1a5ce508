"""Searches that the verifiers leave to SciPy, and the proof that it did them.

SciPy's graph routines take int32 indices. About others, SciPy 1.11 only prints an error, and then returns what nothing
has computed: searches that reach nothing, and no components. A verifier that believed these would refuse right answers
and accept wrong ones. So the matrices made here have int32 indices, and no result is used before NumPy has proved it,
by a sweep over the arcs:

* a search is right if the vertices in its order are its start and those to which an arc leads from an earlier one;
* components are right if every edge lies in one, and if a search from their first vertices reaches all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components


def adjacency(n: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray | None = None) -> Any:
    """The matrix of a graph's arcs, with the indices that SciPy's routines take; those that do not fit it refuses."""
    kind = np.int32 if max(n, tails.size) < 2**31 else np.int64
    values = np.ones(tails.size) if weights is None else weights
    return sp.csr_array((values, (tails.astype(kind), heads.astype(kind))), shape=(n, n))


def unreached(n: int, tails: np.ndarray, heads: np.ndarray, firsts: np.ndarray) -> int | None:
    """The smallest of n vertices to which no path leads from the first vertices of groups that no arc leaves."""
    tails = np.concatenate([tails, np.full(firsts.size, n)])  # one more vertex, with arcs to all first ones
    heads = np.concatenate([heads, firsts])
    order = breadth_first_order(adjacency(n + 1, tails, heads), n, return_predecessors=False)
    place = np.full(n + 1, n + 1)
    place[order] = np.arange(order.size)
    reached = np.zeros(n + 1, bool)
    reached[n] = True
    reached[heads[place[tails] < place[heads]]] = True
    _require(np.array_equal(reached, place <= n), "breadth_first_order")
    return None if reached.all() else int(reached.argmin())


def components(n: int, u: np.ndarray, v: np.ndarray) -> tuple[int, np.ndarray]:
    """The number of components of an undirected graph, given by its edges, and the component of each vertex."""
    count, labels = connected_components(adjacency(n, u, v), directed=False)
    firsts = np.unique(labels, return_index=True)[1]
    right = firsts.size == count and np.array_equal(labels[u], labels[v])
    right = right and unreached(n, np.concatenate([u, v]), np.concatenate([v, u]), firsts) is None
    _require(right, "connected_components")
    return count, labels


def _require(right: bool, routine: str) -> None:
    if not right:
        raise RuntimeError(
            f"scipy.sparse.csgraph.{routine} of SciPy {scipy.__version__} gave a wrong answer, so nothing can be "
            "verified; install another version of SciPy"
        )
