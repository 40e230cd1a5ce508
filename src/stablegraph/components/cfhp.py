"""Strong components by divide and conquer, all parts at once: CFHP, with several pivots.

Result: for each vertex a vertex of its component, the same for all of its vertices.

Idea: D is what can be reached from a pivot, P what the pivot can be reached from. D and P have one component in common,
and every other component lies wholly in one of D without P, P without D, and the rest. Each of these is divided again.

One pivot a part is not enough: of a thousand circles that have nothing to do with each other it finds one, and the rest
stays one part. So there are several, first a few in the whole graph, and sixteen times as many on each level, in the
end everybody. Each vertex then learns the lowest pivot that reaches it and the lowest one that it reaches. Where both
are the same, that is the component; and vertices that learn different things are in different components.

There is no recursion: every vertex has the number of its part, and all parts are divided at once. A level:

1. Trim: a vertex without an arc in or an arc out inside its part is a component (trimming.py).
2. The live vertices of the lowest ranks become pivots. A rank is the vertex's number with its bits well mixed.
3. Spread the lowest ranks along the arcs, and against them, never leaving a part (spreading.py).
4. Who learned the same from both is done; the others get new parts by what they were and what they learned.

State: parts[v] is -1 when v's component is known, else a hash of all that v has learned. Two parts may happen to get
one number: then they are divided as one, which costs time and nothing else. forward[v] and backward[v]: the lowest
ranks learned in this level, or a number above all ranks. listed[v]: whether v is on a list of those who have something
to tell; a write that another thread missed is found at the end, by a look at all arcs.

Cost: O(log n) levels are expected, each with a few looks at the arcs of those who are left. Work memory: 44 bytes a
vertex (64 with 64-bit indices), and the transposed graph.

Sources: D. Coppersmith, L. Fleischer, B. Hendrickson, A. Pinar, "A Divide-and-Conquer Algorithm for Identifying
Strongly Connected Components", IBM Research Report, 2003; R. Cichra, bachelor's thesis, CTU Prague, 2024, where each
round finds one component. Growing batches of pivots: G. Blelloch, Y. Gu, J. Shun, Y. Sun, "Parallelism in Randomized
Incremental Algorithms", SPAA 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..construction import index_type
from ..graph import Graph
from ..parallel import at, atomic_and, atomic_min, atomic_or, hash32, kernel, rule, wrapping_multiply
from ..parallel.device import array_module
from ..parallel.primitives import compact
from .spreading import ROOM, Spreading, hand_over, keep
from .trimming import Trimming

_FIRST_PIVOTS = 8  # ranks below it are pivots on the first level
_GROWTH = 16
_MIXER = 0x9E3779B97F4A7C15 >> 1 | 1
_UNMIXER = pow(_MIXER, -1, 1 << 63)


@rule
def _rank(v, bits):
    """A number below 2**bits that no other vertex has."""
    x = wrapping_multiply(v, _MIXER) & ((1 << bits) - 1)
    return x ^ (x >> ((bits + 1) >> 1))


@rule
def _vertex_of(rank, bits):
    return wrapping_multiply(rank ^ (rank >> ((bits + 1) >> 1)), _UNMIXER) & ((1 << bits) - 1)


@kernel
def _begin_level(i, live, bits, limit, forward, backward):
    """Pivots have learned their own ranks, others nothing."""
    v = int(live[at(i)])
    rank = _rank(v, bits)
    learned = rank if rank < limit else 1 << bits
    forward[at(v)] = learned
    backward[at(v)] = learned


@kernel
def _has_news(i, live, indptr, indices, parts, lowest, listed, wanted):
    """Whether the i-th live vertex knows a lower rank than one that it leads to, inside its part."""
    v = int(live[at(i)])
    part, rank, news = parts[at(v)], lowest[at(v)], False
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = indices[at(e)]
        news |= (parts[at(u)] == part) & (lowest[at(u)] > rank)
    listed[at(v)] = int(news)
    wanted[at(i)] = news


@kernel(by="workers")
def _spread(worker, workers, size, budget, indptr, indices, parts, lowest, listed, current, own, following, length):
    """Tell the news to those that one leads to; they have news then."""
    i, beyond = size * worker // workers, size * (worker + 1) // workers
    bottom, depth = worker * ROOM, 0
    while budget > 0 and (depth > 0 or i < beyond):
        if depth > 0:
            depth -= 1
            v = int(own[at(bottom + depth)])
        else:
            v = int(current[at(i)])
            i += 1
        atomic_and(listed, v, 0)
        part, rank = parts[at(v)], int(lowest[at(v)])
        first, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        budget -= 1 + end - first
        for e in range(first, end):
            u = int(indices[at(e)])
            is_news = parts[at(u)] == part and lowest[at(u)] > rank and atomic_min(lowest, u, rank) > rank
            if is_news and atomic_or(listed, u, 1) == 0:
                depth = keep(u, depth, bottom, own, following, length)
    hand_over(bottom, bottom + depth, own, following, length)
    hand_over(i, beyond, current, following, length)


@kernel
def _divide(i, live, bits, forward, backward, parts, keys):
    """Finish the i-th live vertex, or give it a part by what it was and what it has learned."""
    v = int(live[at(i)])
    before, behind = int(forward[at(v)]), int(backward[at(v)])
    if before == behind and before < 1 << bits:
        keys[at(v)] = _vertex_of(before, bits)
        parts[at(v)] = -1
    else:
        parts[at(v)] = hash32(hash32(hash32(int(parts[at(v)])) + before) + behind) >> 1


def components(graph: Graph, reached: Any | None = None, members: Any | None = None) -> Any:
    """A vertex of its component for each vertex.

    `members` may tell which vertices (not 0) are known to be in one component, and `reached` all that they reach.
    """
    xp, n, back = array_module(graph.device), graph.num_vertices, graph.transpose()
    bits, limit = max(1, (n - 1).bit_length()), _FIRST_PIVOTS
    parts, listed, keys = xp.zeros(n, np.int32), xp.zeros(n, np.int32), xp.full(n, -1, index_type(n))
    forward, backward = (xp.empty(n, index_type(1 << bits)) for _ in range(2))
    spreading = Spreading(graph)
    trimming = Trimming(graph, spreading)
    live = trimming.trim(xp.arange(n), parts, keys)
    while live.size:
        if members is None:
            _begin_level(live.size, live, bits, min(limit, 1 << bits), forward, backward)
            limit *= _GROWTH
        else:  # what is known takes the place of the first level's pivots
            member = compact(members)
            forward[:] = backward[:] = 1 << bits
            forward[compact(reached)] = backward[member] = _rank(int(member[0]), bits)
            members = None
        for rows, lowest in ((graph, forward), (back, backward)):
            given = rows.indptr, rows.indices, parts, lowest, listed
            wanted = xp.empty(live.size, np.bool_)
            _has_news(live.size, live, *given, wanted)
            while bool(wanted.any()):
                spreading.run(_spread, live[wanted], *given)
                _has_news(live.size, live, *given, wanted)
        _divide(live.size, live, bits, forward, backward, parts, keys)
        live = trimming.trim(live[parts[live] >= 0], parts, keys)
    return keys
