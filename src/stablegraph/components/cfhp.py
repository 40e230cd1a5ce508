"""Strong components by divide and conquer, all parts at once: CFHP.

Result: for each vertex a vertex of its component, the same for all of its vertices.

Idea: D is what can be reached from a pivot, P what the pivot can be reached from. D and P have one component in common,
and every other component lies wholly in one of D without P, P without D, and the rest. Each of these is divided again.

There is no recursion: every vertex has the number of its part, and all parts are divided at once. A level:

1. Trim each part: a vertex without an arc in or an arc out inside its part is a component (trimming.py).
2. Every part takes the vertex with the smallest hash as its pivot.
3. Search forward and backward from all pivots at once, never leaving a part (spreading.py).
4. Who was found by both is done; the others get new parts by old part and by whether they were found by one or none.

State: parts[v] is -1 when v's component is known, else its part. found[v] has bit 1 when v was reached forward in this
level, bit 2 backward.

Cost: O(log n) levels are expected, each with a few looks at the arcs of those who are left. Work memory: some 40 bytes
a vertex (60 with 64-bit indices), and the transposed graph.

Sources: D. Coppersmith, L. Fleischer, B. Hendrickson, A. Pinar, "A Divide-and-Conquer Algorithm for Identifying
Strongly Connected Components", IBM Research Report, 2003; R. Cichra, bachelor's thesis, CTU Prague, 2024, where each
round finds one component.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..construction import index_type
from ..graph import Graph
from ..parallel import at, atomic_min, atomic_or, hash32, kernel
from ..parallel.device import array_module, device_of
from ..parallel.primitives import compact, exclusive_scan
from .spreading import ROOM, Spreading, hand_over, keep
from .trimming import Trimming

_FORWARD, _BACKWARD = 1, 2
_KINDS = 3  # found by neither search, by the one, by the other


@kernel
def _lowest_hash(i, live, parts, lowest):
    v = int(live[at(i)])
    part, hashed = int(parts[at(v)]), hash32(v)
    if hashed < lowest[at(part)]:
        atomic_min(lowest, part, hashed)


@kernel
def _choose_pivots(i, live, parts, lowest, pivots):
    """Of vertices with equal hashes, which only ids beyond 32 bits have, the smallest."""
    v = int(live[at(i)])
    part = int(parts[at(v)])
    if hash32(v) == lowest[at(part)]:
        atomic_min(pivots, part, v)


@kernel(by="workers")
def _spread(worker, workers, count, budget, bit, indptr, indices, parts, found, current, own, following, length):
    """Mark with `bit` what can be reached inside the parts."""
    i, beyond = count * worker // workers, count * (worker + 1) // workers
    bottom, depth = worker * ROOM, 0
    while budget > 0 and (depth > 0 or i < beyond):
        if depth > 0:
            depth -= 1
            v = int(own[at(bottom + depth)])
        else:
            v = int(current[at(i)])
            i += 1
        part = parts[at(v)]
        first, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        budget -= 1 + end - first
        for e in range(first, end):
            u = int(indices[at(e)])
            if parts[at(u)] == part and found[at(u)] & bit == 0 and atomic_or(found, u, bit) & bit == 0:
                depth = keep(u, depth, bottom, own, following, length)
    hand_over(bottom, bottom + depth, own, following, length)
    hand_over(i, beyond, current, following, length)


@kernel
def _divide(i, live, pivots, found, parts, keys, wanted):
    """Finish the i-th live vertex, or give it a part by what it was and by which search found it."""
    v = int(live[at(i)])
    part, kind = int(parts[at(v)]), int(found[at(v)])
    if kind == _FORWARD | _BACKWARD:
        keys[at(v)] = pivots[at(part)]
        parts[at(v)] = -1
    else:
        parts[at(v)] = _KINDS * part + kind
        wanted[at(_KINDS * part + kind)] = 1


@kernel
def _renumber(i, live, numbers, parts):
    v = int(live[at(i)])
    parts[at(v)] = numbers[at(parts[at(v)])]


def _pivots(live: Any, parts: Any, count: int) -> Any:
    """The pivot of each of the parts; for a part in which nobody is left, n."""
    xp = array_module(device_of(parts))
    lowest, pivots = xp.full(count, 2**32, np.int64), xp.full(count, parts.size, np.int64)
    _lowest_hash(live.size, live, parts, lowest)
    _choose_pivots(live.size, live, parts, lowest, pivots)
    return pivots


def components(graph: Graph, reached: Any | None = None, members: Any | None = None) -> Any:
    """A vertex of its component for each vertex.

    `members` may tell which vertices (not 0) are known to be in one component, and `reached` all that they reach.
    """
    xp, n, back = array_module(graph.device), graph.num_vertices, graph.transpose()
    parts, keys = xp.zeros(n, index_type(_KINDS * n)), xp.full(n, -1, index_type(n))
    found, spreading = xp.zeros(n, np.int32), Spreading(graph)
    trimming = Trimming(graph, spreading)
    live, count = xp.arange(n), 1
    while True:
        live = trimming.trim(live, parts, keys)
        if not live.size:
            return keys
        pivots = _pivots(live, parts, count)
        forward = backward = pivots[pivots < n]
        if members is not None:  # then the first level is in part done
            forward, backward = forward[:0], compact(members)
            pivots[0] = backward[0]
            found[compact(reached)] = _FORWARD
            members = None
        for bit, starts, rows in ((_FORWARD, forward, graph), (_BACKWARD, backward, back)):
            found[starts] |= bit
            spreading.run(_spread, starts, bit, rows.indptr, rows.indices, parts, found)
        wanted = xp.zeros(_KINDS * count, np.bool_)
        _divide(live.size, live, pivots, found, parts, keys, wanted)
        live = live[parts[live] >= 0]
        numbers = exclusive_scan(wanted)
        _renumber(live.size, live, numbers, parts)
        found[live] = 0
        count = int(numbers[-1])
