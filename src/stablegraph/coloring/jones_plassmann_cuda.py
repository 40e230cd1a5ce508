"""First fit in an order on a GPU; jones_plassmann.cu says how, in_order.py what.

Orders are compared edge by edge: by degree, its digits, hash, id, or a number for each vertex. Orders that have to be
found first (smallest last, saturation) are such numbers, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..independent_set.greedy.order import make_order, monotone_bits
from ..parallel.cuda_source import CudaSource
from .degeneracy import smallest_last
from .order import visiting_order

SOURCE = CudaSource(__file__, "jones_plassmann.cu")

_BY_ID, _BY_DEGREE, _BY_DIGITS, _BY_HASH, _BY_NUMBER = range(5)
_NAMED = {"natural": _BY_ID, "largest_first": _BY_DEGREE, "largest_log_first": _BY_DIGITS, "random": _BY_HASH}
_LONG_ROWS, _SHORT_ROWS = 1, 2
_LEFT = 2  # the place in `lengths` of whether vertices are left
_TURNS = 4096  # of a thread through its vertices in one launch, so that Ctrl-C is heard
_SHORT, _CHUNK = 29, 1024  # entries, as in the source
_COLOR = np.uint32((1 << 31) - 1)  # of the state of a colored vertex


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """The colors as int32; those of `fixed` that are not negative stay, and their vertices are ahead of all others."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    run, ids = SOURCE.for_graph(graph), graph.indices.dtype
    by, hashed, degree_ptr, less, numbers = _comparison(graph, order, ties, seed)
    head = (
        n, graph.indptr, graph.indices, by, int(hashed), int(seed), degree_ptr, less, numbers,
        0 if fixed is None else fixed,
    )  # fmt: skip
    states, words = xp.empty(n, np.uint32), xp.empty(n + entries // 32 + 1, np.uint32)
    lengths = xp.zeros(3, np.int64)
    waits = listed = watched = counts = extra = 0
    phases = [_SHORT_ROWS]
    if graph._scanned().longest_row > _SHORT:
        most = min(n, entries // (_SHORT + 1))  # rows that are long
        waits = xp.empty(entries, ids)
        listed, watched, counts = xp.empty((3, most), ids)
        extra = xp.empty(2 * (entries // _CHUNK), ids)
        # Where degrees are lengths of rows, less a constant, no short row is ahead of a long one.
        apart = by == _BY_DEGREE and degree_ptr is graph.indptr
        phases = [_LONG_ROWS, _SHORT_ROWS] if apart else [_LONG_ROWS | _SHORT_ROWS]
    run("start", n, *head, states, words, listed, watched, counts, extra, lengths)
    if phases[0] & _LONG_ROWS:
        run("list_waits", entries // 4, *head, words, waits, listed, counts, extra, lengths)
    eager = int(not hashed)  # ids in turn: whom a vertex waits for are mostly near it
    while True:
        for which in phases:
            threads = entries if which & _LONG_ROWS else n
            run(
                "color", threads, n, which, eager, _TURNS, graph.indptr, graph.indices, states, words, waits, listed,
                watched, counts, lengths,
            )  # fmt: skip
        if int(lengths[_LEFT]) == 0:
            break
        lengths[_LEFT] = 0
    states &= _COLOR
    return states.view(np.int32)


def _comparison(graph: Graph, order: str | np.ndarray, ties: str, seed: int) -> tuple[Any, ...]:
    """What decides first, whether hashes settle ties, degrees (see `make_order`), and a number for each vertex."""
    if isinstance(order, str) and order in _NAMED:
        by = _NAMED[order]
        hashed = by == _BY_HASH or (ties == "hash" and by != _BY_ID)
        if by in (_BY_ID, _BY_HASH):
            return by, hashed, 0, 0, 0
        known = make_order(graph, "degree", seed)
        return by, hashed, known.degree_ptr, int(known.offset), 0
    return _BY_NUMBER, ties == "hash", 0, 0, _numbers(graph, order, ties, seed)


def _numbers(graph: Graph, order: str | np.ndarray, ties: str, seed: int) -> Any:
    """A number for each vertex, the larger the earlier; vertices with equal ones are in the order of ties."""
    xp, n = graph.xp, graph.num_vertices
    if not isinstance(order, str):
        return xp.asarray(monotone_bits(order))
    if order == "smallest_last_in_rounds":
        return smallest_last(graph, exact=False)[0].astype(np.uint64)
    numbers = xp.empty(n, np.uint64)
    numbers[visiting_order(graph, order, ties, seed)] = xp.arange(n, 0, -1, dtype=np.uint64)
    return numbers
