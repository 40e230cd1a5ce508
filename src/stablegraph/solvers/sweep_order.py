"""In which order a Gauss-Seidel sweep goes through the rows: by color, in a color by cluster, in a cluster by number.

Clusters of one color have no entry between them, so they can be swept side by side with one and the same result. Colors
are given by first fit: clusters come in the order of their smallest rows, and each takes the lowest color that no
cluster beside it has. That order also keeps what is near in the matrix near in memory. The graph of the clusters is
never made: a cluster looks at the entries of its rows, and at the colors that their columns have so far.

State: a cluster is a chain of rows, from `heads[label]` along `following` to -1, ascending. `colors[v]` is `_NO_COLOR`
until the cluster of v has its color. `marks[c]` is the smallest row of the cluster that saw color c last.

Cost: O(n + m) on one thread, in steps between which Ctrl-C is heard. Work memory: three numbers a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import at, in_steps, kernel
from ..parallel.primitives import exclusive_scan, histogram
from ..rows import read_only

_NO_COLOR = 2**31 - 1


class SweepOrder(NamedTuple):
    """Rows in the order of a forward sweep."""

    rows: Any  # (n,) of the dtype of the graph's indices
    begins: Any  # (clusters + 1,) of the same dtype: cluster k is rows[begins[k]:begins[k + 1]]
    offsets: list[int]  # (colors + 1): color c is the clusters offsets[c] .. offsets[c + 1] - 1


@kernel(by="single")
def chain_rows(first, beyond, labels, heads, following):
    """Put rows before the chains of their clusters, the last row first."""
    for v in range(beyond - 1, first - 1, -1):
        label = labels[at(v)]
        following[at(v)] = heads[at(label)]
        heads[at(label)] = v


@kernel(by="single")
def color_clusters(first, beyond, labels, heads, following, indptr, indices, marks, colors):
    """Color the clusters whose smallest rows are in the range."""
    most = marks.size - 1
    for v in range(first, beyond):
        if heads[at(labels[at(v)])] == v:
            row = v
            while row >= 0:
                for e in range(indptr[at(row)], indptr[at(row + 1)]):
                    marks[at(min(colors[at(indices[at(e)])], most))] = v
                row = int(following[at(row)])
            color = 0
            while marks[at(color)] == v:
                color += 1
            row = v
            while row >= 0:
                colors[at(row)] = color
                row = int(following[at(row)])


@kernel(by="single")
def line_up(first, beyond, labels, heads, following, colors, next_row, next_cluster, rows, begins):
    """Write the clusters whose smallest rows are in the range behind those of their colors."""
    for v in range(first, beyond):
        if heads[at(labels[at(v)])] == v:
            color = colors[at(v)]
            begins[at(next_cluster[at(color)])] = next_row[at(color)]
            next_cluster[at(color)] += 1
            row = v
            while row >= 0:
                rows[at(next_row[at(color)])] = row
                next_row[at(color)] += 1
                row = int(following[at(row)])


def sweep_order(graph: Graph, count: int, labels: Any) -> SweepOrder:
    """The order for clusters given by labels from 0 to count - 1; rows of one cluster need not be near one another."""
    n, dtype = graph.num_vertices, graph.indices.dtype
    labels, heads, following = read_only(labels), np.full(count, -1, dtype), np.empty(n, dtype)
    for first, beyond in reversed(list(in_steps(n))):
        chain_rows(first, beyond, labels, heads, following)
    marks, colors = np.full(count + 2, -1, dtype), np.full(n, _NO_COLOR, np.int32)
    for first, beyond in in_steps(n):
        color_clusters(first, beyond, labels, heads, following, graph.indptr, graph.indices, marks, colors)
    number = int(colors.max(initial=-1)) + 1
    next_row, offsets = exclusive_scan(histogram(colors, number)), exclusive_scan(histogram(colors[heads], number))
    rows, begins = np.empty(n, dtype), np.full(count + 1, n, dtype)
    next_cluster = offsets.copy()
    for first, beyond in in_steps(n):
        line_up(first, beyond, labels, heads, following, colors, next_row, next_cluster, rows, begins)
    return SweepOrder(read_only(rows), read_only(begins), offsets.tolist())
