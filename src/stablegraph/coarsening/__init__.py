"""Coarsening: aggregates of neighboring vertices, and the smaller graph whose vertices they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._arguments import boolean, choice, host_array
from ..conversion import as_graph, in_order, undirected
from ..csr.arrays import index_type
from ..elsewhere import or_elsewhere
from ..graph import Graph
from ..names import Aggregation
from ..parallel.cuda_source import by_device
from ..typing import ArrayLike, GraphLike, Labels
from ..unknown_options import suggests_options
from . import aggregation
from .quotient import quotient, weighted_quotient
from .strength import strong_connections

__all__ = ["aggregate", "aggregation_operator", "coarse_graph"]

_around_one_set = by_device(aggregation.around_one_set, ".aggregation_cuda", __package__)
_around_two_sets = by_device(aggregation.around_two_sets, ".aggregation_cuda", __package__)
# Each takes a graph with sorted rows and no repeated entry; loops are ignored.
ALGORITHMS: dict[Aggregation, Callable[[Graph], tuple[int, Any]]] = {
    "mis2": partial(_around_two_sets, induced=True, moves=False),
    "mis2_basic": _around_one_set,
    "kokkos": partial(_around_two_sets, induced=False, moves=True),
}


@or_elsewhere
def aggregate(
    graph: GraphLike, *, algorithm: Aggregation = "mis2", strength: float | GraphLike | None = None
) -> tuple[int, Labels]:
    """Partition the vertices into small aggregates around the members of distance-2 independent sets.

    Each aggregate has a root, and its other vertices are at most two steps away from it. A vertex without neighbors is
    an aggregate of its own.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops, repeated entries and the order inside rows do
        not matter.
    algorithm : {"mis2", "mis2_basic", "kokkos"}
        - "mis2": the members of a maximal independent set at distance 2 are roots and take their neighbors; so do
          those of a second such set, among the vertices that are left, if they have at least two of these as
          neighbors; a vertex left then joins the aggregate with most of its neighbors. (Kelley and Rajamanickam's
          Algorithm 3.)
        - "kokkos": what Kokkos Kernels computes, bit for bit. Fewer, more even aggregates: their second set has fewer
          members, and vertices that are beside two roots may change sides. In rare cases an aggregate is not connected.
        - "mis2_basic": one set alone; a vertex left joins its first neighbor's aggregate (Algorithm 2). Few large
          aggregates, not as good for multigrid.
    strength : float, Graph or matrix, optional
        Which connections count. A number theta, at least 0 and below 1: those for which
        ``abs(a_ij) >= theta * sqrt(abs(a_ii * a_jj))``, for a matrix or a graph with weights. Or a graph of the
        connections that count, with the same vertices. All, if not given.

    Returns
    -------
    count : int
        The number of aggregates.
    labels : int32 (n,)
        The aggregate of each vertex. Aggregates are numbered from 0 by their roots, those of the first set before those
        of the second. A CuPy array for a graph on a GPU; int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If the algorithm is unknown, the graph is directed or its pattern not symmetric, or the strength does not fit.
    TypeError
        If the strength is neither a number nor a graph.

    See Also
    --------
    aggregation_operator : The labels as a matrix.
    coarse_graph : The graph of the aggregates.
    is_aggregation : Check such labels with other means.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype. Cost: two distance-2 sets and
    five or six edge sweeps; together some 10 to 25 on two threads. Rows that are not sorted, or have repeated entries,
    are copied and sorted first. Work memory: some 40 bytes a vertex.

    References
    ----------
    B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
    Coarsening", IPDPS 2022. N. Bell, S. Dalton, L. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid
    Methods", SIAM Journal on Scientific Computing 34(4), 2012.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((9,))
    >>> count, labels = sg.aggregate(path)
    >>> count, labels.tolist()
    (2, [0, 0, 0, 0, 1, 1, 1, 1, 1])
    """
    return ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)](in_order(_connections(graph, strength)))


def aggregation_operator(labels: ArrayLike | Sequence[int]) -> sp.csr_array[np.int32, tuple[int, int]]:
    """The matrix that takes values on aggregates to their vertices (PyAMG's ``AggOp``).

    Parameters
    ----------
    labels : integer array (n,)
        The aggregate of each vertex, numbered from 0 without gaps.

    Returns
    -------
    csr_array (n, count) of int32
        One 1 in each row v, in column ``labels[v]``. In host memory, also for labels on a GPU.

    Raises
    ------
    TypeError
        If the labels are not integers.
    ValueError
        If they are not one-dimensional, one is negative, or a number below the largest is not used.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.aggregation_operator([1, 0, 1]).toarray()
    array([[0, 1],
           [1, 0],
           [0, 1]], dtype=int32)
    """
    count, labels = checked_labels(labels)
    n = labels.size
    indptr = np.arange(n + 1, dtype=labels.dtype)
    return sp.csr_array((np.ones(n, np.int32), labels, indptr), shape=(n, count))


@suggests_options
def coarse_graph(
    graph: GraphLike, labels: ArrayLike | Sequence[int], *, count: bool = False, loops: bool = False
) -> Graph:
    """The graph whose vertices are the aggregates: adjacent, if a vertex of one is adjacent to one of the other.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Undirected.
    labels : integer array (n,)
        The aggregate of each vertex, numbered from 0 without gaps, as `aggregate` gives them; any partition will do.
    count : bool
        Weigh each edge by the number of edges between the two aggregates, whatever the weights of `graph`.
    loops : bool
        Keep the edges inside an aggregate, as a loop that weighs as much as they do together, each edge once: what
        Louvain and Leiden need, because modularity is then that of the graph itself.

    Returns
    -------
    Graph
        Each edge once, sorted, without loops unless `loops` asks for them. With weights, if `graph` has weights or
        `count` asks for them: each is the sum of those of all entries between the two aggregates. (With
        `aggregation_operator` as P, ``P.T @ A @ P`` has the same entries off the diagonal, and on it those inside
        aggregates, where an edge counts twice.) Sums of integers and booleans are int64, those of uint64 are uint64;
        floats keep their dtype.

    Raises
    ------
    TypeError
        If the labels are not integers, or `count` or `loops` is no bool.
    ValueError
        If they do not fit the graph, one is negative, or a number below the largest is not used; if a sum of weights
        does not fit its dtype.
    MemoryError
        If the work memory is not free, before it is taken.

    Notes
    -----
    Without weights a parallel product of patterns: see quotient.py. With weights integers are sorted and summed on all
    threads; SciPy sums floats, on one thread. Entries that are stored twice count once with `count`.

    Work memory, in host memory: without weights 24 bytes a vertex, four for each entry between aggregates, 12 for each
    aggregate and thread, up to 4 MB a thread, and up to three times the result. With weights or `count` 13 bytes for
    each entry of `graph`, and then, for each entry between aggregates, 36 bytes and three times the size of a weight,
    with the result included.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 4], symmetrize=True)
    >>> coarse = sg.coarse_graph(path, [0, 0, 1, 2, 2])
    >>> coarse.num_vertices, coarse.num_edges
    (3, 2)
    >>> sg.coarse_graph(path, [0, 0, 0, 1, 1], count=True, loops=True).to_scipy().toarray()
    array([[2, 1],
           [1, 1]])
    """
    count, loops = boolean(count, "count"), boolean(loops, "loops")
    graph = as_graph(graph, weights=not count)
    parts, labels = checked_labels(labels, graph.num_vertices)
    host = (in_order(graph) if count else graph).to("cpu")
    if not count and host.weights is None:
        return quotient(host, parts, labels, loops=loops).to(graph.device)
    return weighted_quotient(host, parts, labels, count=count, loops=loops).to(graph.device)


def _connections(graph: Any, strength: Any) -> Graph:
    """The graph of the connections that count."""
    if strength is None:
        return undirected(graph)
    if isinstance(strength, Real):
        return strong_connections(graph, strength)
    strong, n = undirected(strength), undirected(graph).num_vertices
    if strong.num_vertices != n:
        raise ValueError(f"strength is a graph of {strong.num_vertices} vertices, but the graph has {n}")
    return strong


def checked_labels(labels: Any, n: int | None = None) -> tuple[int, np.ndarray]:
    """How many aggregates there are, and the aggregate of each vertex, in host memory."""
    array = host_array(labels, "labels")
    if array.ndim != 1 or n not in (None, array.size):
        wanted = "one-dimensional" if n is None else f"one number for each of the {n} vertices"
        raise ValueError(f"labels must be {wanted}, got shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    if array.size and array.min() < 0:
        v = int(array.argmin())
        raise ValueError(f"vertex {v} is in no aggregate, but has label {array[v]}: labels are numbers from 0 on")
    if array.size and array.max() >= array.size:
        v = int(array.argmax())
        raise ValueError(f"vertex {v} has label {array[v]}, but {array.size} vertices have at most as many aggregates")
    array = array.astype(index_type(array.size), copy=False)
    sizes = np.bincount(array)
    if array.size and not sizes.all():
        raise ValueError(f"no vertex has label {int((sizes == 0).argmax())}: labels must be numbered without gaps")
    return sizes.size, array
