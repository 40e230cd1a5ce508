"""Breadth-first search, in partitions.

Result: distances, and as the parent of each vertex the smallest of its neighbors that are one step nearer, as on one
machine.

Rule: that of traversal/breadth_first.py. In the code: `_reach`.

Idea: a level is a superstep. A partition has its rows turned round, so that the row of a ghost has the vertices here
that it leads to: a partition that is told that a ghost has been reached goes on from there. So the boundary tells a bit
for each vertex that has been reached in a level, and parents are known where they are needed.

State: distances, and parents by local number, for the vertices of a partition; distances of ghosts as they are told.

Cost: as many rounds as levels, and two more. Each entry is read once. Work memory: 8 bytes a vertex (16 if ids take 64
bits), and the rows turned round, which are kept with the graph: as much as the graph.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import distinct_vertices
from ..csr.arrays import index_type
from ..graph import Graph
from ..parallel import atomic_min, kernel
from ..parallel.groups import Rows
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps, hear, tell


class _Tree(NamedTuple):
    distance: Any  # (k,): k where a vertex is not reached
    parent: Any  # (k,): local numbers, k where there is none
    frontier: Any  # own vertices that were reached last


@kernel
def _reach(i, frontier, rows: Rows, level, distance, parent):
    """Reach the neighbors of the i-th vertex of the frontier that are not nearer; the smallest is the parent."""
    u = frontier[i]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if distance[v] >= level:
            distance[v] = level
            atomic_min(parent, v, u)


def breadth_first_search(graph: DistributedGraph, sources: Any, *, return_info: bool = False) -> tuple[Any, ...]:
    """`stablegraph.breadth_first_search` for a graph in partitions: distances and parents as Dask arrays."""
    starts = np.sort(distinct_vertices(np.atleast_1d(np.asarray(sources)), "sources", graph.num_vertices))
    run = Supersteps(graph, "bfs")
    back = graph.kept(turned_round)
    level, reached = 1, sum(run.step(_begin, starts, each=back, left=sum))
    while reached:
        level += 1
        reached = sum(run.step(_go_on, level, each=back, left=sum))
    run.step(_close)
    tree = graph.labels_array(run.answers(_distances)), graph.labels_array(run.answers(_parents))
    return (*tree, run.info) if return_info else tree


def turned_round(part: Partition) -> Graph:
    """The rows of all vertices, with the owned vertices that they lead to."""
    return part.into._replace(weights=None).transpose()


def _begin(part: Partition, state: Any, inbox: Any, sources: Any, back: Graph) -> Any:
    kind = index_type(part.num_vertices)
    distance: Any = np.full(part.size, part.num_vertices, kind)
    parent: Any = np.full(part.size, part.size, kind)
    places = part.local(sources)
    places = (
        places[(places < part.size) & (part.ids[np.minimum(places, part.size - 1)] == sources)]
        if part.size
        else places[:0]
    )
    distance[places], parent[places] = 0, places
    return _level(part, distance, parent, places.astype(part.graph.indices.dtype), 1, back)


def _go_on(part: Partition, state: _Tree, inbox: Any, level: int, back: Graph) -> Any:
    distance, told = state.distance.copy(), np.zeros(part.size, bool)
    ghosts = hear(part, inbox, told).astype(state.frontier.dtype)
    distance[ghosts] = level - 1
    frontier = np.concatenate([state.frontier, ghosts])
    return _level(part, distance, state.parent.copy(), frontier, level, back)


def _level(part: Partition, distance: Any, parent: Any, frontier: Any, level: int, back: Graph) -> Any:
    """Reach what is beside the frontier, and tell which boundary vertices are new."""
    _reach(frontier.size, frontier, Rows(back.indptr, back.indices), level, distance, parent)
    new = distance == level
    new[: part.owned.start] = new[part.owned.stop :] = False
    frontier = np.flatnonzero(new).astype(frontier.dtype)
    return _Tree(distance, parent, frontier), tell(part, new, new), int(frontier.size)


def _close(part: Partition, state: _Tree, inbox: Any) -> Any:
    """-1 for what is not reached, and the ids of parents."""
    distance, parent = state.distance[part.owned].copy(), state.parent[part.owned]
    reached = distance < part.num_vertices
    distance[~reached] = -1
    ids = np.full(parent.size, -1, distance.dtype)
    ids[reached] = part.ids[parent[reached]]
    return _Tree(distance, ids, None), None, None


def _distances(part: Partition, state: _Tree) -> Any:
    return state.distance


def _parents(part: Partition, state: _Tree) -> Any:
    return state.parent
