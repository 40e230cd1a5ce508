"""Clusters with at most one record per source: Kruskal's order, with the set of sources of each cluster.

Result: a label for each vertex. Vertices with equal labels have different sources and are connected. It depends only on
the graph, its weights and the sources.

Rule: edges are added in the order of (weight, the largest first; smaller end; larger end). An edge joins the clusters
of its ends  <=>  they differ, and no source has vertices in both. Clusters of an earlier result are joined before all
edges. The oracle is `one_per_source` in tests/support/naive.py. In the code: the branch of `_join_clusters` that
changes `clusters.of`.

Idea: edges need no graph. A repeated edge joins nothing that its first occurrence in the order did not join. The sort
by weight runs on all threads; only edges of equal weight are also sorted by their ends. One thread joins the clusters.
It stores the cluster of each vertex directly, and changes those of the smaller cluster, which happens at most log n
times to a vertex. The sources of a cluster are 62 bits, one for each source modulo 62. Clusters without a common bit
have no common source. If there are more than 62 sources, a common bit may be due to different sources. A cluster with
at least k / 62 vertices, for k sources, therefore has a row of k bits. There are few of them, so that the rows take at
most 8 bytes per vertex. The vertices of a smaller cluster are looked up one by one: in the row of the other cluster, or
among its vertices if there are at most 32, or otherwise in a hash table with every vertex under its cluster and its
source, in chains. Chains would cost about three random accesses for each change of a vertex's cluster.

State: see `Clusters` and `Sources`. A cluster is the number of one of its vertices; `after` links its vertices to a
ring.

Cost: a sort of the edges, O(n log n) changes of a vertex's cluster, and two random accesses for each edge; with k > 62
sources, up to k / 62 words or vertices for each edge that is refused. Work memory: 40 bytes per edge, and 28 per
vertex; 40 with more than 62 sources, and 56 with more than about 2,000.

Source: J. Kruskal, "On the Shortest Spanning Subtree of a Graph and the Traveling Salesman Problem", Proceedings of the
AMS 7(1), 1956.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Int64Table, Vertices, chunked, hash32, kernel, prefetch, rule
from .._core.runtime.partitioning import ITEMS_PER_CALL, PREFETCH_DISTANCE
from .._core.vertex_names import shown_vertex
from .kruskal import order_of_keys
from .weights import order_of_weights

_BITS = 62  # without the sign bit
_PIECE = 1 << 16  # weights whose keys are computed at a time
_COMPARED = 32  # the number of vertices up to which clusters are compared vertex by vertex


class Clusters(NamedTuple):
    """The clusters of the vertices."""

    of: Vertices  # (n,): the cluster of each vertex
    after: Vertices  # (n,): the next vertex of its cluster; the last one leads to the first one
    facts: Int64s  # (2 n,): of cluster c, at 2 c its number of vertices, and then the bits of its sources


class Sources(NamedTuple):
    """The source of each vertex; if the bits are not enough, rows of large clusters, and the vertices of small ones.

    The chains are those of a hash table of vertices by cluster and source.
    """

    of: Vertices  # (n,)
    first: Vertices  # (a power of two,): the first vertex of each chain, or -1; empty if bits are enough
    after: Vertices  # (n,): the next vertex of the chain, or -1
    row: Vertices  # (n,): the row of each cluster in `table`, or -1 for a cluster with fewer vertices than columns
    table: Int64Table  # a bit for each source; at most n vertices / columns are rows
    used: Int64s  # (1,): the number of rows that are used


@rule
def chain_of(cluster, source, sources):
    """Return the chain of the vertices with this cluster and source."""
    return hash32(int(cluster) + hash32(int(source))) & (sources.first.size - 1)


@rule
def put_in_chain(v, clusters, sources):
    """Make v the first vertex of its chain."""
    chain = chain_of(clusters.of[v], sources.of[v], sources)
    sources.after[v] = sources.first[chain]
    sources.first[chain] = v


@rule
def take_out_of_chain(v, clusters, sources):
    """Remove v from its chain."""
    chain = chain_of(clusters.of[v], sources.of[v], sources)
    u = sources.first[chain]
    if u == v:
        sources.first[chain] = sources.after[v]
    else:
        while sources.after[u] != v:
            u = sources.after[u]
        sources.after[u] = sources.after[v]


@rule
def put_in_row(v, row, sources):
    """Set the bit of the source of v."""
    sources.table[row, sources.of[v] // _BITS] |= 1 << int(sources.of[v] % _BITS)


@rule
def give_row(b, clusters, sources):
    """Give a row to cluster b."""
    row = sources.used[0]
    sources.row[b], sources.used[0] = row, row + 1
    put_in_row(b, row, sources)
    v = clusters.after[b]
    while v != b:
        put_in_row(v, row, sources)
        v = clusters.after[v]


@rule
def share_a_source(a, b, clusters, sources):
    """Return whether a vertex of cluster b has the source of a vertex of cluster a, which is not larger."""
    v, found, row = a, False, sources.row[b]
    if sources.row[a] >= 0:
        for word in range(sources.table.shape[1]):
            if sources.table[sources.row[a], word] & sources.table[row, word] != 0:
                return True
        return False
    while not found:
        source = sources.of[v]
        if row >= 0:
            found = (sources.table[row, source // _BITS] >> int(source % _BITS)) & 1 != 0
        elif sources.first.size == 0:
            found, u = sources.of[b] == source, clusters.after[b]
            while u != b and not found:
                found, u = sources.of[u] == source, clusters.after[u]
        else:
            u = sources.first[chain_of(b, source, sources)]
            while u >= 0 and not (clusters.of[u] == b and sources.of[u] == source):
                u = sources.after[u]
            found = u >= 0
        v = clusters.after[v]
        if v == a:
            break
    return found


@kernel(by="single")
def _fill_chains(start: int, end: int, clusters: Clusters, sources: Sources):
    """Put the vertices of a range into their chains."""
    for v in range(start, end):
        put_in_chain(v, clusters, sources)


@kernel(by="single")
def _join_clusters(start: int, end: int, us: Vertices, vs: Vertices, clusters: Clusters, sources: Sources):
    """Join the clusters of the ends of each edge, unless they have a common source."""
    facts, has_chains, has_rows = clusters.facts, sources.first.size > 0, sources.row.size > 0
    for i in range(start, end):
        ahead = min(i + PREFETCH_DISTANCE, end - 1)
        prefetch(clusters.of, us[ahead])
        prefetch(clusters.of, vs[ahead])
        soon = min(i + PREFETCH_DISTANCE // 2, end - 1)
        prefetch(clusters.facts, 2 * int(clusters.of[us[soon]]))
        prefetch(clusters.facts, 2 * int(clusters.of[vs[soon]]))
        a, b = clusters.of[us[i]], clusters.of[vs[i]]
        if a == b:
            continue
        if facts[2 * int(a)] > facts[2 * int(b)]:
            a, b = b, a
        place, size, bits = 2 * int(b), facts[2 * int(a)] + facts[2 * int(b)], facts[2 * int(a) + 1]
        if bits & facts[place + 1] == 0 or (has_rows and not share_a_source(a, b, clusters, sources)):
            if has_rows and sources.row[b] < 0 and size >= sources.table.shape[1]:
                give_row(b, clusters, sources)
            v = a
            while clusters.of[v] == a:
                if has_chains and sources.row[a] < 0:
                    take_out_of_chain(v, clusters, sources)
                clusters.of[v] = b
                if has_rows and sources.row[b] >= 0:
                    put_in_row(v, sources.row[b], sources)
                elif has_chains:
                    put_in_chain(v, clusters, sources)
                v = clusters.after[v]
            v = clusters.after[a]
            clusters.after[a] = clusters.after[b]
            clusters.after[b] = v
            facts[place], facts[place + 1] = size, facts[place + 1] | bits


def one_per_source(
    us: np.ndarray, vs: np.ndarray, weights: np.ndarray, sources: np.ndarray, groups: Any = None, nodes: Any = None
) -> Any:
    """Return the label of each vertex: the number of some vertex with the same label.

    Parameters
    ----------
    us, vs : (m,)
        The ends of each edge, int32 or int64, in any order; loops and repeated edges are permitted.
    weights : (m,)
        Real numbers of at most 64 bits, without NaN.
    sources : (n,)
        The source of each vertex, from 0 on.
    groups : (n,), optional
        The smallest vertex in the earlier cluster of each vertex.
    nodes : optional
        The names of the vertices, for the message.

    Raises
    ------
    ValueError
        If two vertices of an earlier cluster have the same source.
    """
    n, kind = sources.size, us.dtype
    vertices, sources = np.arange(n, dtype=kind), sources.astype(kind, copy=False)
    facts = np.ones(2 * n, np.int64)
    np.left_shift(1, sources % _BITS, out=facts[1::2], dtype=np.int64)
    clusters = Clusters(vertices.copy(), vertices.copy(), facts)
    words = -(-(int(sources.max(initial=0)) + 1) // _BITS)
    m, size = n if words > 1 else 0, 1 << n.bit_length() if words > _COMPARED else 0
    table = np.zeros((m // words, words), np.int64)
    chained = np.full(size, -1, kind), np.empty(n if size else 0, kind)
    chains = Sources(sources, *chained, np.full(m, -1, kind), table, np.zeros(1, np.int64))
    for start, end in chunked(chained[1].size, ITEMS_PER_CALL):
        _fill_chains(start, end, clusters, chains)
    if groups is not None:
        joined = np.flatnonzero(groups != vertices)
        _join_along(groups[joined].astype(kind), joined.astype(kind), clusters, chains)
        if (apart := clusters.of[joined] != clusters.of[groups[joined]]).any():
            name = shown_vertex(int(joined[apart.argmax()]), nodes)
            raise ValueError(f"start has the id {name} in a cluster with another record of the same source")
    order = order_of_weights(weights, maximum=True)
    pieces = range(0, us.size + 1, _PIECE)  # a piece at a time, so that temporary arrays remain in cache
    in_order = _order_of_edges(us, vs, np.concatenate([order.keys(slice(start, start + _PIECE)) for start in pieces]))
    _join_along(us[in_order], vs[in_order], clusters, chains)
    return clusters.of


def _order_of_edges(us: np.ndarray, vs: np.ndarray, keys: np.ndarray) -> Any:
    """Return the order of the edges: by key, then by the smaller end, then by the larger end."""
    order = order_of_keys(keys.copy())
    ordered = keys[order]
    begins = np.append(True, ordered[1:] != ordered[:-1])  # whether the key is another one than that before
    tied = np.flatnonzero(~(begins & np.append(begins[1:], True)))
    edges, place = order[tied], np.arange(tied.size)
    ends = us[edges], vs[edges]
    for key in (np.maximum(*ends), np.minimum(*ends), np.cumsum(begins)[tied]) if tied.size else ():
        place = place[order_of_keys(key[place])]
    order[tied] = edges[place]
    return order


def _join_along(us: np.ndarray, vs: np.ndarray, clusters: Clusters, sources: Sources) -> None:
    for start, end in chunked(us.size, ITEMS_PER_CALL):
        _join_clusters(start, end, us, vs, clusters, sources)
