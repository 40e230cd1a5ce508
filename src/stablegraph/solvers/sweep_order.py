"""In which order a Gauss-Seidel sweep goes through the rows: by color, in a color by cluster, in a cluster by number.

Clusters of one color have no entry between them, so they can be swept side by side with one and the same result. Colors
are given by first fit: clusters come in the order of their smallest rows, the last one first, and each takes the lowest
color that no cluster beside it has. That keeps what is near in the matrix near in memory. (Single rows come the first
one first; mostly each takes fewer iterations this way than the other way round.) The graph of the clusters is never
made: a cluster looks at the entries of its rows, and at the colors that their columns have so far.

State: `members[begins[k]:begins[k + 1]]` are the rows of cluster k, ascending; row v is in `cluster_of[v]`. `colors[k]`
is `_NO_COLOR` until cluster k has its color. `low_colors[v]` is the color of the cluster of v if that is below 63, else
63: one byte a row, so that they stay in the cache. The low colors that a cluster finds around it are bits of one word;
only where all are taken, `marks[c]` says which cluster saw color c last.

Cost: O(n + m) on one thread, in steps between which Ctrl-C is heard. Work memory: four numbers a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..coloring import vertex_coloring
from ..coloring.schedule import color_classes
from ..graph import Graph
from ..parallel import at, in_steps, kernel, leading_zeros, prefetch, rule
from ..parallel.primitives import exclusive_scan
from ..rows import read_only

_NO_COLOR = 2**31 - 1
_IN_REGISTER = 63
_FIRST = np.uint64(1 << 63)
_AHEAD_BY = 32  # rows: they are asked for so long before they are looked at
_LINE = 15  # entries of 4 bytes later the next cache line has begun
_STEP = 1 << 25  # entries and rows that one thread goes through between two chances to be interrupted


class SweepOrder(NamedTuple):
    """Rows in the order of a forward sweep."""

    rows: Any  # (n,) of the dtype of the graph's indices
    begins: Any  # (clusters + 1,) of the same dtype: cluster k is rows[begins[k]:begins[k + 1]]
    offsets: list[int]  # (colors + 1): color c is the clusters offsets[c] .. offsets[c + 1] - 1


@kernel(by="single")
def number_clusters(first, beyond, labels, numbers, sizes, cluster_of, found):
    """Number the clusters by their smallest rows, and count their rows; `found[0]` clusters are numbered so far."""
    for v in range(first, beyond):
        label = labels[at(v)]
        if numbers[at(label)] < 0:
            numbers[at(label)] = found[0]
            found[0] += 1
        k = numbers[at(label)]
        cluster_of[at(v)] = k
        sizes[at(k)] += 1


@kernel(by="single")
def deal_rows(first, beyond, cluster_of, places, members):
    """Put rows behind the ones that their clusters have."""
    for v in range(first, beyond):
        k = cluster_of[at(v)]
        members[at(places[at(k)])] = v
        places[at(k)] += 1


@rule(inline=False)
def lowest_beyond_register(k, begins, members, cluster_of, indptr, indices, marks, colors):
    """The lowest color from `_IN_REGISTER` on that no cluster beside cluster k has."""
    most = marks.size - 1
    for p in range(begins[at(k)], begins[at(k + 1)]):
        v = members[at(p)]
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            marks[at(min(colors[at(cluster_of[at(indices[at(e)])])], most))] = k
    color = _IN_REGISTER
    while marks[at(color)] == k:
        color += 1
    return color


@kernel(by="single")
def color_clusters(first, beyond, begins, members, cluster_of, indptr, indices, marks, low_colors, colors):
    """Color the clusters from the last one in the range to the first."""
    for k in range(beyond - 1, first - 1, -1):
        taken = np.uint64(0)
        for p in range(begins[at(k)], begins[at(k + 1)]):
            prefetch(indptr, int(members[at(max(p - 2 * _AHEAD_BY, 0))]))
            soon = int(indptr[at(members[at(max(p - _AHEAD_BY, 0))])])
            prefetch(indices, soon)
            prefetch(indices, soon + _LINE)
            v = members[at(p)]
            for e in range(indptr[at(v)], indptr[at(v + 1)]):
                taken |= _FIRST >> np.uint64(low_colors[at(indices[at(e)])])
        color = leading_zeros(~taken)
        if color >= _IN_REGISTER:
            color = lowest_beyond_register(k, begins, members, cluster_of, indptr, indices, marks, colors)
        colors[at(k)] = color
        for p in range(begins[at(k)], begins[at(k + 1)]):
            low_colors[at(members[at(p)])] = min(color, _IN_REGISTER)


@kernel(by="single")
def count_colors(first, beyond, begins, colors, rows_of, clusters_of):
    """How many rows and clusters each color has."""
    for k in range(first, beyond):
        rows_of[at(colors[at(k)])] += begins[at(k + 1)] - begins[at(k)]
        clusters_of[at(colors[at(k)])] += 1


@kernel(by="single")
def line_up(first, beyond, begins, members, colors, next_row, next_cluster, new_begins, rows):
    """Write clusters, in turn, behind those of their colors."""
    for k in range(first, beyond):
        color = colors[at(k)]
        place = int(next_row[at(color)])
        new_begins[at(next_cluster[at(color)])] = place
        next_cluster[at(color)] += 1
        for p in range(begins[at(k)], begins[at(k + 1)]):
            rows[at(place)] = members[at(p)]
            place += 1
        next_row[at(color)] = place


def point_order(graph: Graph) -> SweepOrder:
    """The order for single rows."""
    n, dtype = graph.num_vertices, graph.indices.dtype
    offsets, rows = color_classes(vertex_coloring(graph, order="natural", reduce="none"))
    return SweepOrder(read_only(rows.astype(dtype)), read_only(np.arange(n + 1, dtype=dtype)), offsets.tolist())


def cluster_order(graph: Graph, count: int, labels: Any) -> SweepOrder:
    """The order for clusters given by labels from 0 to count - 1; rows of one cluster need not be near one another."""
    n, dtype, labels = graph.num_vertices, graph.indices.dtype, read_only(labels)
    numbers, sizes, found = np.full(count, -1, dtype), np.zeros(count, dtype), np.zeros(1, dtype)
    cluster_of, members = np.empty(n, dtype), np.empty(n, dtype)
    for first, beyond in in_steps(n):
        number_clusters(first, beyond, labels, numbers, sizes, cluster_of, found)
    begins = exclusive_scan(sizes).astype(dtype)
    places = begins.copy()
    for first, beyond in in_steps(n):
        deal_rows(first, beyond, cluster_of, places, members)

    marks, low_colors = np.full(count + _IN_REGISTER + 2, -1, dtype), np.full(n, _IN_REGISTER, np.uint8)
    colors = np.full(count, _NO_COLOR, np.int32)
    step = max(1, _STEP * count // max(1, n + graph.num_entries))
    for first, beyond in reversed(list(in_steps(count, step))):
        color_clusters(
            first, beyond, begins, members, cluster_of, graph.indptr, graph.indices, marks, low_colors, colors
        )

    number = int(colors.max(initial=-1)) + 1
    rows_of, clusters_of = np.zeros(number, dtype), np.zeros(number, dtype)
    for first, beyond in in_steps(count):
        count_colors(first, beyond, begins, colors, rows_of, clusters_of)
    next_row, offsets = exclusive_scan(rows_of), exclusive_scan(clusters_of)
    rows, new_begins, next_cluster = np.empty(n, dtype), np.full(count + 1, n, dtype), offsets.copy()
    for first, beyond in in_steps(count, step):
        line_up(first, beyond, begins, members, colors, next_row, next_cluster, new_begins, rows)
    return SweepOrder(read_only(rows), read_only(new_begins), offsets.tolist())
