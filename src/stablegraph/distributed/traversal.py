"""Breadth-first search, in partitions.

Result: distances, and as the parent of each vertex the smallest of its neighbors that are one step nearer, as on one
machine.

Rule: that of traversal/breadth_first.py. In the code: `_reach`.

Idea: a level is a superstep. A partition has its rows turned round, so that the row of a ghost has the vertices here
that it leads to: a partition that is told that a ghost has been reached goes on from there. So the boundary tells a bit
for each vertex that has been reached in a level. The parent of a new vertex is the first of the level before in its
row: none of its neighbors was reached earlier.

State: a byte a vertex, ghosts among them: 0 until it is reached, then 1 or 2 for an even or an odd level; and for each
level its own vertices and their parents. A state shares those of earlier levels with the states before it.

Cost: as many rounds as levels, and two more. Each entry is read once or twice; a level goes through a byte for each own
vertex. Work memory: 9 bytes a vertex (17 if ids take 64 bits), and the rows turned round, which are kept with the graph
and take as much as it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import distinct_vertices
from ..csr.arrays import index_type
from ..graph import Graph
from ..parallel import kernel, rule
from ..parallel.groups import Rows
from .boxes import changes, ghosts_told
from .copies import at
from .graph import DistributedGraph
from .on_gpu import anywhere
from .partition import Partition
from .supersteps import Supersteps

_NEW = 3


class _Search(NamedTuple):
    reached: Any  # uint8 (k,)
    levels: tuple[_Level, ...]


class _Level(NamedTuple):
    vertices: Any  # own ones, ascending
    parents: Any  # by local number


class _Tree(NamedTuple):
    distances: Any  # of own vertices
    parents: Any  # by id


@rule
def _of_level(level):
    """The byte of vertices of a level that is done."""
    return 1 + (level & 1)


@kernel
def _reach(i, frontier, rows: Rows, reached):
    """Reach the neighbors of the i-th vertex of the frontier."""
    u = frontier[i]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if reached[v] == 0:
            reached[v] = _NEW


@kernel
def _adopt(i, vertices, level, rows: Rows, reached, parents):
    """The parent of the i-th new vertex of a level."""
    e = rows.indptr[vertices[i]]
    while reached[rows.indices[e]] != _of_level(level - 1):
        e += 1
    parents[i] = rows.indices[e]


@kernel
def _enter(i, vertices, level, found, first, ids, tree: _Tree):
    """The i-th vertex of a level in the tree."""
    own = vertices[i] - first
    tree.distances[own] = level
    tree.parents[own] = ids[found[i]]


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


def turned_round(part: Partition) -> Graph | None:
    """The rows of all vertices, with the owned vertices that they lead to; None if these are the rows as they are."""
    if part.incoming is None and not part.sources:
        return None  # nobody else has an end of an edge, so each is there from both
    return part.into._replace(weights=None).transpose()


@anywhere
def _begin(part: Partition, state: Any, inbox: Any, sources: Any, back: Graph | None) -> Any:
    places = part.local(sources)
    there = part.ids[np.minimum(places, part.size - 1)] == sources if part.size else places < 0
    frontier = places[there].astype(part.graph.indices.dtype)
    reached = part.xp.zeros(part.size, np.uint8)
    reached[frontier] = _of_level(0)
    own = frontier[(frontier >= part.owned.start) & (frontier < part.owned.stop)]
    return _go_to(part, 1, reached, (_Level(own, own),), frontier, back)


@anywhere
def _go_on(part: Partition, state: _Search, inbox: Any, level: int, back: Graph | None) -> Any:
    reached, ghosts = state.reached.copy(), ghosts_told(part, inbox)
    reached[ghosts] = _of_level(level - 1)
    last = state.levels[-1].vertices
    return _go_to(part, level, reached, state.levels, np.concatenate([last, ghosts.astype(last.dtype)]), back)


def _go_to(
    part: Partition, level: int, reached: Any, levels: tuple[_Level, ...], frontier: Any, back: Graph | None
) -> Any:
    """Reach what is beside the frontier, and tell which boundary vertices are new."""
    _reach(frontier.size, frontier, part.rows if back is None else Rows(back.indptr, back.indices), reached)
    new = part.own(reached[part.owned] == _NEW)
    told = at(part.boundary, reached) == _NEW
    parents, into = np.empty_like(new), part.into
    _adopt(new.size, new, level, Rows(into.indptr, into.indices), reached, parents)
    reached[new] = _of_level(level)
    return _Search(reached, (*levels, _Level(new, parents))), changes(told, told), int(new.size)


@anywhere
def _close(part: Partition, state: _Search, inbox: Any) -> Any:
    """Distances and the ids of parents; -1 for what is not reached."""
    tree = _Tree(*part.xp.full((2, part.stop - part.start), -1, index_type(part.num_vertices)))
    for level, (vertices, parents) in enumerate(state.levels):
        _enter(vertices.size, vertices, level, parents, part.first, part.ids, tree)
    return tree, None, None


def _distances(part: Partition, tree: _Tree) -> Any:
    return tree.distances


def _parents(part: Partition, tree: _Tree) -> Any:
    return tree.parents
