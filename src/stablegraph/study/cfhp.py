"""Strong components by divide and conquer of all parts at once: CFHP, with several pivots.

Result: for each vertex a representative vertex of its component, the same for all vertices of the component.

Rule: with D the set of vertices reachable from a pivot, and P the set of vertices that reach it,

    D & P = the strong component of the pivot

and every other component is contained in one of D - P, P - D, and the remaining vertices. Each of these sets is divided
again. The oracle is `strong_components` in tests/support/naive.py. In the code: `_divide`, where ``before == behind``.

Idea: one pivot per part is not enough: of a thousand disjoint cycles it finds one, and the other cycles stay one part.
The algorithm therefore uses several pivots: a few in the whole graph, then sixteen times as many on each level, finally
all vertices. Each vertex gets the lowest pivot that reaches it and the lowest pivot that it reaches. If both are the
same, the vertex is in the component of this pivot; vertices with different pairs are in different components.

There is no recursion: every vertex has the number of its part, and all parts are divided together. A level:

1. Trim: a vertex without incoming or without outgoing arcs inside its part is a component (`_count_arcs`). Its arcs are
   removed from the counts of its neighbors; one that loses its last incoming or outgoing arc is trimmed next
   (`_remove_arcs`). Loops do not count.
2. The live vertices of the lowest ranks become pivots. A rank is the vertex's number with well-mixed bits.
3. Propagate the lowest ranks along the arcs, and against them, without leaving a part (engines/frontier.py).
4. Vertices with the same rank from both directions are finished; all other vertices get new parts, determined by their
   old parts and both ranks.

State: parts[v] is -1 when v's component is known, otherwise a hash of all ranks that v has received. Two parts may have
the same hash: they are then divided as one part, which only costs time. keys[v]: the result, -1 until it is known.
forward[v] and backward[v]: the lowest ranks of this level, or a number above all ranks. listed[v]: whether v is on a
worklist; if another thread missed a write, a final pass over all arcs detects it.

Cost: O(log n) expected levels, each with a few passes over the arcs of live vertices. Work memory: 44 bytes per vertex
(64 with 64-bit indices), and the transposed graph.

Sources: D. Coppersmith, L. Fleischer, B. Hendrickson, A. Pinar, "A Divide-and-Conquer Algorithm for Identifying
Strongly Connected Components", IBM Research Report, 2003; R. Cichra, bachelor's thesis, CTU Prague, 2024, in which each
round finds one component. Growing batches of pivots: G. Blelloch, Y. Gu, J. Shun, Y. Sun, "Parallelism in Randomized
Incremental Algorithms", SPAA 2016.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.engines.frontier import Frontier, push, without_levels
from .._core.runtime import Rows, array_module, device_of, hash32, kernel, rule, wrapping_multiply
from .._core.runtime.array_types import Bools, Int32s, Int64s, Offsets, Vertices
from .._core.runtime.atomics import atomic_add, atomic_and, atomic_compare_and_swap, atomic_min, atomic_or
from ..graph import Graph

_FIRST_PIVOTS = 8  # ranks below this number are pivots on the first level
_GROWTH = 16  # factor from each level to the next
_MIXER = 0x9E3779B97F4A7C15 >> 1 | 1  # odd, so that multiplication is bijective and can be undone
_UNMIXER = pow(_MIXER, -1, 1 << 63)


class Trimming(NamedTuple):
    """The rows of incoming arcs, the numbers of arcs that each vertex still has inside its part, and the result."""

    indptr: Offsets
    indices: Vertices
    out: Offsets  # (n,): arcs that leave it
    into: Offsets  # (n,): arcs that enter it
    parts: Int32s  # (n,)
    keys: Int32s  # (n,)


class Ranks(NamedTuple):
    """The lowest ranks, and which vertices are on a worklist."""

    parts: Int32s  # (n,)
    lowest: Int32s
    listed: Int32s


@rule
def _rank(v, bits):
    """Return the rank of v, a number below 2**bits that no other vertex has."""
    x = wrapping_multiply(v, _MIXER) & ((1 << bits) - 1)
    return x ^ (x >> ((bits + 1) >> 1))


@rule
def _vertex_of(rank, bits):
    """Return the vertex of a rank."""
    return wrapping_multiply(rank ^ (rank >> ((bits + 1) >> 1)), _UNMIXER) & ((1 << bits) - 1)


@rule
def _arcs_inside(v, indptr, indices, parts):
    """Count the arcs of v's row that stay inside its part."""
    part, arcs = parts[v], 0
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        arcs += int((parts[u] == part) & (u != v))
    return arcs


@kernel
def _count_arcs(i, live: Int64s, rows: Rows, trimming: Trimming, bare: Bools):
    """Count the arcs of the i-th live vertex; without incoming or without outgoing arcs it is a component."""
    v = live[i]
    trimming.out[v] = out = _arcs_inside(v, rows.indptr, rows.indices, trimming.parts)
    trimming.into[v] = into = _arcs_inside(v, trimming.indptr, trimming.indices, trimming.parts)
    bare[i] = (out == 0) | (into == 0)
    if (out == 0) | (into == 0):
        trimming.keys[v] = v


@rule
def _remove_arcs(v, depth, bottom, lists, indptr, indices, arcs, state):
    """Remove v's arcs from its neighbors' counts; claim neighbors that lose their last arc; return the new depth."""
    parts, keys = state.parts, state.keys
    part = parts[v]
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        still_there = parts[u] == part and keys[u] < 0
        if still_there and atomic_add(arcs, u, -1) == 1 and atomic_compare_and_swap(keys, u, -1, u) == -1:
            depth = push(u, depth, bottom, lists)
    return depth


@without_levels()
def _trim(v, depth, bottom, lists, rows: Rows, state: Trimming):
    """Trim a vertex, and find the vertices that lose their last incoming or outgoing arc."""
    depth = _remove_arcs(v, depth, bottom, lists, rows.indptr, rows.indices, state.into, state)
    depth = _remove_arcs(v, depth, bottom, lists, state.indptr, state.indices, state.out, state)
    state.parts[v] = -1
    return depth


@kernel
def _choose_pivots(i, live: Int64s, bits: int, limit: int, forward: Int32s, backward: Int32s):
    """Begin a level: pivots (ranks below `limit`) start with their own rank, all other vertices with none."""
    v = live[i]
    rank = _rank(v, bits)
    lowest = rank if rank < limit else 1 << bits
    forward[v] = lowest
    backward[v] = lowest


@kernel
def _find_unsettled(i, live: Int64s, rows: Rows, level: Ranks, unsettled: Bools):
    """Determine whether an arc of the i-th live vertex leads to a higher rank inside its part."""
    v, lowest = live[i], level.lowest
    part, rank, higher = level.parts[v], lowest[v], False
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        higher |= (level.parts[u] == part) & (lowest[u] > rank)
    level.listed[v] = int(higher)
    unsettled[i] = higher


@without_levels()
def _propagate(v, depth, bottom, lists, rows: Rows, state: Ranks):
    """Propagate the lowest rank along outgoing arcs; a vertex whose rank decreased enters the worklist."""
    parts, lowest, listed = state
    atomic_and(listed, v, 0)
    part, rank = parts[v], lowest[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        fell = parts[u] == part and lowest[u] > rank and atomic_min(lowest, u, rank) > rank
        if fell and atomic_or(listed, u, 1) == 0:
            depth = push(u, depth, bottom, lists)
    return depth


@kernel
def _divide(i, live: Int64s, bits: int, forward: Int32s, backward: Int32s, parts: Int32s, keys: Int32s):
    """Finish the i-th live vertex if its two ranks are equal; otherwise derive a new part from its part and ranks."""
    v = live[i]
    before, after = forward[v], backward[v]
    if before == after and before < 1 << bits:
        keys[v] = _vertex_of(before, bits)
        parts[v] = -1
    else:
        parts[v] = hash32(hash32(hash32(parts[v]) + before) + after) >> 1


def _trimmed(live: Any, frontier: Frontier, rows: Rows, trimming: Trimming) -> Any:
    """Make components of all live vertices that can be trimmed; return the other live vertices."""
    bare = array_module(device_of(live)).empty(live.size, np.bool_)
    _count_arcs(live.size, live, rows, trimming, bare)
    frontier.exhaust(_trim, live[bare], rows, trimming)
    return live[trimming.parts[live] >= 0]


def representatives(graph: Graph) -> Any:
    """Return a representative vertex of its component for each vertex."""
    xp, n, back, frontier = graph.xp, graph.num_vertices, graph.transpose(), Frontier(graph)
    rows, incoming = Rows(graph.indptr, graph.indices), Rows(back.indptr, back.indices)
    bits, limit = max(1, (n - 1).bit_length()), _FIRST_PIVOTS
    parts, listed, keys = xp.zeros(n, np.int32), xp.zeros(n, np.int32), xp.full(n, -1, index_type(n))
    forward, backward = (xp.empty(n, index_type(1 << bits)) for _ in range(2))
    out, into = (xp.empty(n, graph.indptr.dtype) for _ in range(2))
    trimming = Trimming(back.indptr, back.indices, out, into, parts, keys)
    live = _trimmed(xp.arange(n), frontier, rows, trimming)
    while live.size:
        _choose_pivots(live.size, live, bits, min(limit, 1 << bits), forward, backward)
        limit *= _GROWTH
        for direction, lowest in ((rows, forward), (incoming, backward)):
            level, unsettled = Ranks(parts, lowest, listed), xp.empty(live.size, np.bool_)
            _find_unsettled(live.size, live, direction, level, unsettled)
            while bool(unsettled.any()):
                frontier.exhaust(_propagate, live[unsettled], direction, level)
                _find_unsettled(live.size, live, direction, level, unsettled)
        _divide(live.size, live, bits, forward, backward, parts, keys)
        live = _trimmed(live[parts[live] >= 0], frontier, rows, trimming)
    return keys
