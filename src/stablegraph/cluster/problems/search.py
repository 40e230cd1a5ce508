"""Breadth-first search, in partitions.

Result: distances, and as the parent of each vertex the smallest neighbor that is one step nearer, as on one machine.

Rule: that of traversal/breadth_first.py. In the code: `_reach`.

Idea: a level is a superstep. If few entries lead out of a partition from the new boundary vertices, the message lists
their targets, so no partition needs the rows of ghosts. Otherwise the message has only one bit for each boundary vertex
that was reached. In the receiving partitions, the unreached boundary vertices then search their own rows for a vertex
of the previous level. If a level is large, or most vertices are boundary vertices, all unreached vertices do this: most
of them soon find such a neighbor, and the first one is the parent.

State: one byte per vertex, including ghosts: 0 until it is reached, then 1 or 2 for an even or an odd level; and for
each level the owned vertices and their parents. The arrays of earlier levels are shared with earlier states.

Cost: the number of levels plus two rounds. Each entry is read once or twice; the entries of unreached boundary
vertices, once in each level whose messages have only bits. Each level scans one byte for each own vertex. Work memory:
9 bytes per vertex (17 if ids take 64 bits).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import Array, Bytes, Int32s, Int64s, Rows, UInt32s, kernel, rule
from ..._core.runtime.primitives import compact, exclusive_scan
from ..gpu_execution import device_agnostic
from ..graph import DistributedGraph
from ..messages import Changes, common_places, pack_changes, words_of
from ..partition import Partition, Source, take
from ..supersteps import Supersteps

_NEW = 3
_EXPANSION_COST = 4  # expanding a vertex costs as much as the search of this number of unreached vertices
_ALWAYS_LISTED = 16  # entries; up to this number are always listed
_PART = 32  # and up to 1 / _PART of the number of boundary vertices


class _Search(NamedTuple):
    reached: Bytes  # (k,)
    levels: tuple[_Level, ...]
    left: int  # the number of owned vertices that are not reached and have neighbors


class _Level(NamedTuple):
    vertices: Array  # owned vertices, ascending
    parents: Array  # by local number


class _Message(NamedTuple):
    new: Changes  # the boundary vertices that were reached
    targets: Array | None  # the ids of their neighbors in other partitions, ascending; None if there are too many


class _Tree(NamedTuple):
    distances: Int32s  # of owned vertices
    parents: Int32s  # by id


@rule
def _of_level(level):
    """Return the byte of the vertices of a finished level."""
    return 1 + (level & 1)


@kernel
def _mark_reached(i, places: Int32s, words: UInt32s, byte: int, reached: Bytes):
    """Mark the i-th ghost of a neighbor as reached, if its bit is set."""
    place = int(places[i])
    bit = (int(words[place >> 5]) >> (place & 31)) & 1
    reached[i] = bit * byte + (1 - bit) * int(reached[i])


@kernel(each=8)
def _find_level(group, byte: int, reached: Bytes, bits: Bytes):
    """Write one bit for each of eight vertices: whether it has this byte."""
    result = 0
    for i in range(min(8, reached.size - 8 * group)):
        result |= int(reached[8 * group + i] == byte) << i
    bits[group] = result


@kernel(V="int32", O="int32")
def _look_back(i, vertices: Int32s, rows: Rows, before: Bytes, parents: Int32s):
    """Find the parent of the i-th vertex, its first neighbor of the previous level; -1 if there is none."""
    v = vertices[i]
    parents[i] = -1
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if (int(before[u >> 3]) >> (u & 7)) & 1:
            parents[i] = u
            break


@kernel(V="int32", O="int32")
def _reach(i, frontier: Int32s, rows: Rows, reached: Bytes):
    """Reach the neighbors of the i-th vertex of the frontier."""
    u = frontier[i]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if reached[v] == 0:
            reached[v] = _NEW


@kernel(V="int32", O="int32")
def _copy_rows(i, vertices: Int32s, rows: Rows, starts: Int64s, heads: Int32s):
    """Copy the row of the i-th vertex to its place in `heads`."""
    start = rows.indptr[vertices[i]]
    for e in range(start, rows.indptr[vertices[i] + 1]):
        heads[starts[i] + e - start] = rows.indices[e]


@kernel(V="int32", O="int32")
def _find_parent(i, vertices: Int32s, byte: int, rows: Rows, reached: Bytes, parents: Int32s):
    """Find the parent of the i-th new vertex of a level."""
    e = rows.indptr[vertices[i]]
    while reached[rows.indices[e]] != byte:
        e += 1
    parents[i] = rows.indices[e]


@kernel
def _write_level(i, vertices: Int32s, level: int, vertices_found: Int32s, first: int, ids: Int32s, tree: _Tree):
    """Write the i-th vertex of a level into the tree."""
    own_place = vertices[i] - first
    tree.distances[own_place] = level
    tree.parents[own_place] = ids[vertices_found[i]]


def breadth_first_search(graph: DistributedGraph, starts: Any, limit: int) -> tuple[tuple[Any, Any], dict[str, Any]]:
    """Compute `stablegraph.breadth_first_search` for a graph in partitions: distances and parents; statistics."""
    run = Supersteps(graph, "bfs")
    level, reached = 1, sum(run.step(_reach_sources, starts, left=sum))
    while reached and level < limit:
        level += 1
        reached = sum(run.step(_reach_level, level, left=sum))
    run.step(_make_tree, limit)
    return (graph.labels_array(run.answers(_distances)), graph.labels_array(run.answers(_parents))), run.info


@device_agnostic
def _reach_sources(part: Partition, state: Any, inbox: Any, sources: Any) -> Any:
    places = part.local(sources)
    is_local = part.ids[np.minimum(places, part.size - 1)] == sources if part.size else places < 0
    local = places[is_local].astype(part.graph.indices.dtype)
    reached = part.xp.zeros(part.size, np.uint8)
    reached[local] = _of_level(0)
    owned = local[(local >= part.owned.start) & (local < part.owned.stop)]
    indptr = part.owned_sides[-1].indptr  # of the entries that lead to owned vertices
    lonely = indptr[1:] == indptr[:-1]
    remaining = lonely.size - owned.size - int(lonely.sum()) + int(lonely[owned - part.first].sum())
    search = _Search(reached, (_Level(owned, owned),), remaining)
    return _next(part, search, 1, [] if local.size == owned.size else [None])


@device_agnostic
def _reach_level(part: Partition, state: _Search, inbox: dict[int, _Message], level: int) -> Any:
    reached = state.reached.copy()
    for q, message in inbox.items() if state.left else ():
        _mark_ghosts(part.sources[q], message.new, _of_level(level - 1), reached)
    return _next(part, state._replace(reached=reached), level, [message.targets for message in inbox.values()])


def _mark_ghosts(source: Source, new: Changes, byte: int, reached: Any) -> None:
    """Mark the ghosts of one neighbor that were reached."""
    ghosts = reached[source.first : source.stop]
    if new.places is None:
        _mark_reached(ghosts.size, source.places, words_of(new), byte, ghosts)
    else:
        ghosts[common_places(source.places, new.places)[0]] = byte


def _next(part: Partition, state: _Search, level: int, targets: list[Any]) -> Any:
    """Find the vertices of a level, and pack the changes of the boundary.

    The array `state.reached` is a copy that this function may change.
    """
    reached, frontier = state.reached, state.levels[-1].vertices
    looking = part.boundary.size if any(ids is None for ids in targets) else 0
    if not state.left:
        new = _Level(frontier[:0], frontier[:0])
    elif _EXPANSION_COST * frontier.size + looking > state.left:
        new = _search_backward(part, level, reached)
    else:
        new = _search_forward(part, level, reached, frontier, targets)
    message = _pack_level(part, reached)
    reached[new.vertices] = _of_level(level)
    size = int(new.vertices.size)
    return _Search(reached, (*state.levels, new), state.left - size), message, size


def _search_backward(part: Partition, level: int, reached: Any) -> _Level:
    """Find the vertices of a level by letting all unreached vertices look for a neighbor of the previous level."""
    new = _with_parent(part, part.owned_vertices(reached[part.owned] == 0), level, reached)
    reached[new.vertices] = _NEW
    return new


def _with_parent(part: Partition, looking: Any, level: int, reached: Any) -> _Level:
    """Return those of some vertices that have a neighbor of the previous level."""
    before = part.xp.empty(-(-part.size // 8), np.uint8)
    _find_level(before.size, _of_level(level - 1), reached, before)
    parents = np.empty_like(looking)
    _look_back(looking.size, looking, part.reversed_rows, before, parents)
    places = compact(parents >= 0)
    return _Level(take(places, looking), take(places, parents))


def _search_forward(part: Partition, level: int, reached: Any, frontier: Any, targets: list[Any]) -> _Level:
    """Find the vertices of a level from the previous one, in this partition and from the targets in messages.

    If a message has only bits, the unreached boundary vertices look for a neighbor of the previous level.
    """
    _reach(frontier.size, frontier, part.rows, reached)
    for ids in targets:
        if ids is not None:
            owned = ids[(ids >= part.start) & (ids < part.stop)] - part.start + part.first
            reached[owned[reached[owned] == 0]] = _NEW
    if any(ids is None for ids in targets):
        waiting = take(compact(take(part.boundary, reached) == 0), part.boundary)
        reached[_with_parent(part, waiting, level, reached).vertices] = _NEW
    new = part.owned_vertices(reached[part.owned] == _NEW)
    parents = np.empty_like(new)
    _find_parent(new.size, new, _of_level(level - 1), part.reversed_rows, reached, parents)
    return _Level(new, parents)


def _pack_level(part: Partition, reached: Any) -> _Message:
    """Pack the new vertices of the boundary, and their neighbors in other partitions."""
    new = take(part.boundary, reached) == _NEW
    return _Message(pack_changes(new, new), _targets(part, part.boundary[compact(new)], reached))


def max_targets(boundary: int) -> int:
    """Return the maximal number of targets that are listed, so that their size is about one bit per boundary vertex."""
    return max(_ALWAYS_LISTED, boundary // _PART)


def _targets(part: Partition, tails: Any, reached: Any) -> Any:
    limit, rows = max_targets(part.boundary.size), part.rows
    if not tails.size:
        return part.ids[:0]
    if tails.size > limit:
        return None
    starts = exclusive_scan(rows.indptr[tails + 1] - rows.indptr[tails])
    if int(starts[-1]) > limit:
        return None
    heads = part.xp.empty(int(starts[-1]), rows.indices.dtype)
    _copy_rows(tails.size, tails, rows, starts, heads)
    remote = (heads < part.owned.start) | (heads >= part.owned.stop)
    known = reached[heads]
    unreported = (known == 0) | (known == _NEW)  # the owner has not reported them as reached
    return part.ids[np.unique(heads[remote & unreported])]


@device_agnostic
def _make_tree(part: Partition, state: _Search, inbox: Any, limit: int) -> Any:
    """Compute distances up to the limit and the ids of parents; -1 for other vertices."""
    tree = _Tree(*part.xp.full((2, part.stop - part.start), -1, index_type(part.num_vertices)))
    for level, (vertices, parents) in enumerate(state.levels[: limit + 1]):
        _write_level(vertices.size, vertices, level, parents, part.first, part.ids, tree)
    return tree, None, None


def _distances(part: Partition, tree: _Tree) -> Any:
    return tree.distances


def _parents(part: Partition, tree: _Tree) -> Any:
    return tree.parents
