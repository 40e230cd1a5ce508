"""Spanning forest of a graph without weights: edges are united with the position of the edge as its time.

Result: the minimum spanning forest in the order of forest_state.py if all weights are equal. It is unique.

Rule: an edge is in the forest  <=>  no path of earlier edges connects its ends. The time of an edge is the position of
its upper entry, so edges come by (smaller end, larger end). The oracle is `minimum_spanning_forest` in
tests/support/naive.py. In the code: `unite`.

Links with times: edges can be united in any order, by all workers at once. Links are never shortened, so the trees of
every earlier time remain visible: `root_before` climbs only along links that are earlier than an edge. If both ends of
the edge have the same root, the edge closes a cycle. Otherwise one of the two roots is linked to the other. If it has a
later link already, this link is replaced and then united in turn, because it may connect other trees. Any order leads
to the same edges; if edges come nearly in the order of their times, few links are replaced. Which of two roots is
linked depends on their hashes. So the paths are expected to be short for every numbering, and links never form a cycle.
When all edges up to a time have been united, their links are final. `contract` then makes each tree one vertex, and
later edges are united between these vertices.

Idea: most edges need not be united.

1. The first edge of each vertex, to the first neighbor in its row, is in the forest (Borůvka). So each vertex is linked
   to its first neighbor without a time (`join_first`), and each tree of these links becomes one vertex
   (`flatten_trees`).
2. The edges of the first rows are united, then those of twice as many, and so on, until one tree has most vertices of a
   sample. Workers take the rows in blocks in turn, so that edges come nearly in order (`unite_rows`).
3. The rows of this tree's vertices are not read any more. All other vertices unite their edges to each other, and the
   first of their edges to this tree (`unite_others`).
4. The first edge of a vertex to a smaller neighbor u is stored in row u. A search for this entry would miss the caches.
   So the first edges are marked by one pass over the rows of first neighbors, row u being compared with the first
   neighbors of the vertices in it (`choose_first`). Then the marked entries are copied.

State: ``parent[v]`` is the root of the tree of v at the last contraction. At such a root, ``links[r]`` is one number
that contains the time of the link and the vertex to which it leads; if there is no link, the time `never` and r. It
only decreases. Other entries of ``links`` are not used. ``firsts.neighbors[v]``, the first neighbor of v; and a bit for
each entry, set if its edge is in the forest (`chosen`).

Cost: for each edge a few steps of both climbs, O(log n) expected. Two launches for each part of the rows, and six. At
worst two passes over the upper entries, of which one unites them; in most graphs each of the two reads a part. Work
memory: 17 bytes per vertex (25 with 64-bit indices) and one bit per entry.

Sources: X. Ding, Y. Gu, Y. Sun, "New Algorithms for Incremental Minimum Spanning Trees and Temporal Graph
Applications", arXiv 2504.04619, 2025 (links with times); A. Goel, S. Khanna, D. Larkin, R. Tarjan, "Disjoint Set Union
with Randomized Linking", SODA 2014 (the random order); O. Borůvka, "O jistém problému minimálním", 1926; the skipped
tree is from M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling", IPDPS 2018.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from .._core.csr.arrays import index_type, mark_forest
from .._core.csr.patterns import steps_of_rows
from .._core.engines.union import link_to_roots
from .._core.runtime import Rows, chunk_bounds, count_ones, hash32, kernel, lower_bound, prefetch, rule, worker_count
from .._core.runtime.array_types import Bytes, Int64s, UInt32s, Vertices
from .._core.runtime.atomics import atomic_compare_and_swap, atomic_or
from .._core.runtime.partitioning import ENTRIES_PER_CALL, PREFETCH_DISTANCE
from ..graph import Graph

_BLOCK = 512  # entries or vertices that a worker takes at a time
_SAMPLES = 1024  # vertices, to find a large tree
_FIRST_ROWS = 1.5  # entries per vertex in the first rows; then most graphs without an order have a large tree
_LONG = 64  # entries of a row whose first upper entry is searched


# ---- Links with times

_WORD = 32  # bits


class Trees(NamedTuple):
    """The trees of the edges so far."""

    parent: Vertices  # (n,)
    links: Int64s  # (n,)
    shift: int  # the lowest bit of the time in a link


@rule
def never(trees):
    """Return the time of a root's link, which is later than all edges."""
    return (1 << (63 - trees.shift)) - 1


@rule
def link_at(time, target, trees):
    """Return the link to a vertex at a time."""
    return (np.int64(time) << trees.shift) | target


@rule
def time_of(link, trees):
    """Return the time of a link."""
    return link >> trees.shift


@rule
def target_of(link, trees):
    """Return the vertex to which a link leads."""
    return link & ((1 << trees.shift) - 1)


@rule
def root_before(v, time, trees):
    """Return the root of v's tree before a time."""
    link = trees.links[v]
    while time_of(link, trees) < time:
        v = target_of(link, trees)
        link = trees.links[v]
    return v


@rule
def unite(u, v, time, trees):
    """Unite the trees of two vertices at a time, and then the trees that a replaced link united."""
    u, v = trees.parent[u], trees.parent[v]
    while u != v:
        u, v = root_before(u, time, trees), root_before(v, time, trees)
        if u != v:
            if hash32(u) < hash32(v):
                u, v = v, u
            link, new = trees.links[u], link_at(time, v, trees)
            is_later = time_of(link, trees) > time  # if not, another worker has just linked u
            if is_later and atomic_compare_and_swap(trees.links, u, link, new) == link:
                time = time_of(link, trees)
                u = target_of(link, trees) if time < never(trees) else v


@rule
def choose(e, chosen):
    """Set the bit of an entry."""
    atomic_or(chosen, int(e) // _WORD, 1 << (int(e) & (_WORD - 1)))


@kernel
def contract(v, trees: Trees, chosen: UInt32s):
    """Make the root of v's tree its parent; if v was a root itself, choose the entry that is the time of its link.

    If another worker has already done this for the earlier parent, the climb starts at the same root.
    """
    parent = trees.parent[v]
    time = time_of(trees.links[v], trees)
    if parent == v and time < never(trees):
        choose(time, chosen)
    trees.parent[v] = root_before(trees.parent[parent], never(trees), trees)


# ---- Edges that need not be united


class Firsts(NamedTuple):
    """The first neighbors of the vertices."""

    neighbors: Vertices  # (n,): the first neighbor, if it is smaller than the vertex; otherwise n
    flags: Bytes  # (n,): 1 for vertices in this list


@rule
def first_entry(v, rows):
    """Return the first entry of a row that is no loop, or the end of the row."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    while e < end and rows.indices[e] == v:
        e += 1
    return e


@kernel(by="workers")
def join_first(worker, workers, rows: Rows, firsts: Firsts, trees: Trees, chosen: UInt32s):
    """Link the vertices of a worker's share to their first neighbors, or to the parents of those in the share.

    Of two vertices that choose each other, the smaller one is a root.
    """
    n = firsts.flags.size
    start, end = chunk_bounds(n, worker, workers)
    for v in range(start, end):
        e, parent, smaller = first_entry(v, rows), v, n
        if e < rows.indptr[v + 1]:
            u = rows.indices[e]
            if u < v:
                parent, smaller = trees.parent[u] if u >= start else u, u
                if firsts.flags[u] == 0:  # a write would take the cache line from other cores
                    firsts.flags[u] = 1
            else:
                choose(e, chosen)
                if rows.indices[first_entry(u, rows)] != v:
                    parent = u
        firsts.neighbors[v] = smaller
        trees.parent[v] = parent
        trees.links[v] = link_at(never(trees), v, trees)


@kernel(by="workers")
def flatten_trees(worker, workers, parent: Vertices):
    """Link the vertices of a worker's share directly to their roots, except for vertices on long paths."""
    start, end = chunk_bounds(parent.size, worker, workers)
    link_to_roots(start, end, parent)


@kernel(by="workers")
def unite_rows(worker, workers, start: int, end: int, rows: Rows, trees: Trees):
    """Unite the edges whose smaller ends are from `start` to `end`."""
    first, last = rows.indptr[start], rows.indptr[end]
    for block in range(first + worker * _BLOCK, last, workers * _BLOCK):
        u = lower_bound(rows.indptr, start, end, block + 1) - 1
        for e in range(block, min(block + _BLOCK, last)):
            prefetch(trees.parent, rows.indices[min(e + PREFETCH_DISTANCE, last - 1)])
            while rows.indptr[u + 1] <= e:
                u += 1
            if rows.indices[e] > u:
                unite(u, rows.indices[e], e, trees)


@kernel(by="workers")
def unite_others(worker, workers, first: int, last: int, start: int, large: int, rows: Rows, trees: Trees):
    """Unite the edges of the vertices from `first` to `last` to vertices from `start` on, except inside a large tree.

    After the first edge of a vertex to the large tree, its other edges to this tree close cycles.
    """
    for block in range(first + worker * _BLOCK, last, workers * _BLOCK):
        for v in range(block, min(block + _BLOCK, last)):
            if trees.parent[v] != large:
                joined = False
                for e in range(rows.indptr[v], rows.indptr[v + 1]):
                    u = rows.indices[e]
                    if u >= start:
                        is_large = trees.parent[u] == large
                        if u > v and not (is_large and joined):
                            unite(v, u, e, trees)
                        elif u < v and is_large and not joined:
                            unite(v, u, lower_bound(rows.indices, rows.indptr[u], rows.indptr[u + 1], v), trees)
                        joined |= is_large


@rule
def first_candidate(u, rows, firsts):
    """Return the first entry of row u that may lead to a vertex with the first neighbor u, or the end of the row."""
    start, end = rows.indptr[u], rows.indptr[u + 1]
    if firsts.flags[u] == 0:
        return end
    return lower_bound(rows.indices, start, end, u) if end - start >= _LONG else start


@kernel(by="workers")
def choose_first(worker, workers, rows: Rows, firsts: Firsts, chosen: UInt32s, counts: Int64s):
    """Choose the first edges of vertices in a worker's share of the entries, and count all chosen entries."""
    start, end = chunk_bounds(chosen.size, worker, workers)
    u = lower_bound(rows.indptr, 0, firsts.flags.size, start * _WORD + 1) - 2  # the row before that of the first entry
    first, total = 0, 0
    for i in range(start, end):
        bits = np.int64(chosen[i])
        e, stop = i * _WORD, min((i + 1) * _WORD, rows.indices.size)
        while e < stop:
            while rows.indptr[u + 1] <= e:
                u += 1
                first = first_candidate(u, rows, firsts)
            row_end = min(rows.indptr[u + 1], stop)
            for k in range(max(e, first), row_end):
                bits |= np.int64(firsts.neighbors[rows.indices[k]] == u) << (k & (_WORD - 1))
            e = row_end
        chosen[i] = bits
        total += count_ones(bits)
    counts[worker] = total


@kernel(by="workers", types="O[] V[] uint32[] int64[] V[] V[]")
def write_forest(worker, workers, rows: Rows, chosen, starts, forest: Rows):
    """Copy the chosen entries of a worker's share to the worker's start, and write the start of each row."""
    start, end = chunk_bounds(chosen.size, worker, workers)
    u, k = lower_bound(rows.indptr, 0, rows.indptr.size, start * _WORD), starts[worker]
    for i in range(start, end):
        bits = np.int64(chosen[i])
        while u < rows.indptr.size and rows.indptr[u] < (i + 1) * _WORD:
            forest.indptr[u] = k + count_ones(bits & ((1 << (rows.indptr[u] - i * _WORD)) - 1))
            u += 1
        while bits != 0:
            forest.indices[k] = rows.indices[i * _WORD + count_ones((bits & -bits) - 1)]
            bits &= bits - 1
            k += 1


def fits(graph: Graph) -> bool:
    """Return whether a time and a vertex fit into a link, and vertices have different hashes."""
    return graph.num_vertices <= 2**32 and graph.num_vertices.bit_length() + graph.num_entries.bit_length() < 63


def spanning_forest(graph: Graph) -> Any:
    """Return the forest of a graph with sorted rows: each edge once, from its smaller end, with ones of int8."""
    n, words, rows = graph.num_vertices, graph.num_entries // _WORD + 1, Rows(graph.indptr, graph.indices)
    ids, bits = rows.indices.dtype, np.zeros(4 * words + n, np.uint8)
    numbers = np.empty(8 * n + 2 * ids.itemsize * n, np.uint8)  # one array, so that the allocator keeps its pages
    links, parent, neighbors = np.split(numbers, (8 * n, 8 * n + ids.itemsize * n))
    trees = Trees(parent.view(ids), links.view(np.int64), n.bit_length())
    firsts, chosen = Firsts(neighbors.view(ids), bits[4 * words :]), bits[: 4 * words].view(np.uint32)
    join_first(worker_count("cpu", n + rows.indices.size), rows, firsts, trees, chosen)
    flatten_trees(worker_count("cpu", n), trees.parent)
    start, large = 0, _large_tree(trees.parent)
    for end in _ends_of_parts(rows):
        if large == n:
            workers = worker_count("cpu", int(rows.indptr[end] - rows.indptr[start]))
            for first, last in steps_of_rows(rows.indptr[: end + 1], start, ENTRIES_PER_CALL):
                unite_rows(workers, first, last, rows, trees)
            contract(n, trees, chosen)
            start, large = end, _large_tree(trees.parent)
    if start < n:
        workers = worker_count("cpu", n - start)
        for first, last in steps_of_rows(rows.indptr, start, ENTRIES_PER_CALL):
            unite_others(workers, first, last, start, large, rows, trees)
        contract(n, trees, chosen)
    return _matrix_of(rows, firsts, chosen)


def _ends_of_parts(rows: Rows) -> list[int]:
    """Return the ends of parts of the rows, each with as many entries as all earlier ones, except for the last part."""
    n, entries, parts = rows.indptr.size - 1, int(_FIRST_ROWS * (rows.indptr.size - 1)), []
    while 0 < 2 * entries < rows.indices.size:
        parts.append(entries)
        entries *= 2
    return [*np.searchsorted(rows.indptr, np.array(parts, rows.indptr.dtype)).tolist(), n]


def _large_tree(parent: Any) -> int:
    """Return the root of the tree of more than half of a sample of vertices, or the number of vertices.

    The parents are roots, so this is faster than `largest_tree` of engines/union.py, which counts in small ones.
    """
    sample = np.sort(parent[:: max(parent.size // _SAMPLES, 1)])
    middle = sample[sample.size // 2 : sample.size // 2 + 1]  # the root, if there is one; empty without vertices
    return int(middle[0]) if 2 * np.count_nonzero(sample == middle) > sample.size else parent.size


def _matrix_of(rows: Rows, firsts: Firsts, chosen: Any) -> Any:
    """Return the matrix of the chosen edges and the first edges."""
    n, ids, workers = rows.indptr.size - 1, rows.indices.dtype, worker_count("cpu", rows.indices.size)
    counts = np.empty(workers, np.int64)
    choose_first(workers, rows, firsts, chosen, counts)
    size = int(counts.sum())
    forest = Rows(np.empty(n + 1, np.promote_types(ids, index_type(size))), np.empty(size, ids))
    write_forest(workers, rows, chosen, counts.cumsum() - counts, forest)
    return mark_forest(scipy.sparse.csr_array((np.ones(size, np.int8), forest.indices, forest.indptr), shape=(n, n)))
