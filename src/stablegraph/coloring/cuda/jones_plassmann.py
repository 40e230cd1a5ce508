"""First fit in an order on a GPU: the driver of jones_plassmann.cu; result as in first_fit.py.

If hashes break ties and there are more than `_MAX_IN_PLACE` vertices, the waiting vertices are listed in the first few
rounds. With ties by id this does not help: the chains are far longer than these rounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Array, CudaSource, report
from ..._core.runtime.cuda.gpu_memory import WorkMemory, barrier_words
from ...graph import Graph
from ...independent_set.greedy.order import make_order, monotone_bits
from ..degeneracy import smallest_last
from ..order import visiting_order

# ---- Orders: the data for order.cuh, with which a GPU compares two vertices without sorting all of them: by degree, by
# its number of digits, by hash, by id, or by a number for each vertex. Orders that must be computed first (smallest
# last, saturation) are also such numbers.

BY_ID, BY_DEGREE, BY_DIGITS, BY_HASH, BY_NUMBER = range(5)
_NAMED = {"natural": BY_ID, "largest_first": BY_DEGREE, "largest_log_first": BY_DIGITS, "random": BY_HASH}


class Comparison(NamedTuple):
    """The parameters of a kernel that compares vertices; 0 for arrays that the order does not need."""

    by: int
    hashed: int  # whether hashes break ties, otherwise ids
    seed: int
    degree_ptr: Array  # (n + 1,): its differences, minus `less`, are the degrees
    less: int
    numbers: int | Array  # uint64 (n,): larger numbers come earlier
    fixed: int | Array  # int32 (n,): fixed colors, -1 for none; these vertices are ahead of all others


def comparison(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Comparison:
    """Return the parameters for comparing vertices in an order."""
    by, hashed = kind_of_order(order, ties)
    degree_ptr: Any = 0
    numbers: Any = 0
    less = 0
    if by in (BY_DEGREE, BY_DIGITS):
        known = make_order(graph, "degree", seed)
        degree_ptr, less = known.degree_ptr, int(known.offset)
    elif by == BY_NUMBER:
        numbers = priority_numbers(graph, order, ties, seed)
    return Comparison(by, int(hashed), int(seed), degree_ptr, less, numbers, 0 if fixed is None else fixed)


def kind_of_order(order: str | np.ndarray, ties: str) -> tuple[int, bool]:
    """Return the kind of an order, and whether hashes break ties."""
    by = _NAMED.get(order, BY_NUMBER) if isinstance(order, str) else BY_NUMBER
    return by, by == BY_HASH or (ties == "hash" and by != BY_ID)


def priority_numbers(graph: Graph, order: str | np.ndarray, ties: str, seed: int) -> Any:
    """Return a number for each vertex, larger for earlier vertices; equal numbers are in the order of ties."""
    xp, n = graph.xp, graph.num_vertices
    if not isinstance(order, str):
        return xp.asarray(monotone_bits(order))
    if order == "smallest_last_in_rounds":
        return smallest_last(graph)[0].astype(np.uint64)
    numbers = xp.empty(n, np.uint64)
    numbers[visiting_order(graph, order, ties, seed)] = xp.arange(n, 0, -1).astype(np.uint64)
    return numbers


# ---- First fit

SOURCE = CudaSource(
    __file__,
    "jones_plassmann.cu",
    also=("order.cuh",),
    block=512,
    cooperative=True,
    variants=({"HAS_LONG": 0}, {"HAS_LONG": 1}),
)

_WAITING = 2  # index in `lengths` of the first list of waiting vertices
_MAX_IN_PLACE = 4 << 20  # vertices
_ROUNDS = 4  # lists
TURNS = 4096  # visits of a thread to its vertices per launch; bounds the latency of Ctrl-C
SHORT, _CHUNK = 29, 1024  # entries, as in jones_plassmann.cu


def color_in_order(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    n, entries = graph.num_vertices, graph.num_entries
    order_of = comparison(graph, order, ties, fixed, seed)
    has_long = graph._scanned().longest_row > SHORT
    # If degrees are the lengths of rows, minus a constant, no short row is ahead of a long one.
    apart = not has_long or (order_of.by == BY_DEGREE and order_of.degree_ptr is graph.indptr)
    rounds = _ROUNDS if apart and order_of.hashed and n > _MAX_IN_PLACE else 0
    work = WorkMemory(**work_sizes(graph, has_long, rounds))
    colors = graph.xp.empty(n, np.int32)
    run, first = SOURCE.for_graph(graph, HAS_LONG=int(has_long)), 1
    while True:
        run(
            "color", max(n, entries * has_long), n, graph.indptr, graph.indices, *order_of, first, int(apart), rounds,
            TURNS, colors, work.words, work.waits, work.listed, work.watched, work.counts, work.extra, work.waiting,
            work.lengths, barrier_words(), report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return colors
        first = 0


def work_sizes(graph: Graph, has_long: bool, rounds: int) -> dict[str, int]:
    """Return the sizes of the work arrays in bytes; `has_long`: whether there are long rows."""
    n, entries, id_size = graph.num_vertices, graph.num_entries, graph.indices.dtype.itemsize
    room = min(n, entries // (SHORT + 1)) * has_long  # maximum number of long rows
    return {
        "words": 4 * (n + (entries // 16 + 1) * has_long),
        "waits": id_size * entries * has_long,
        "listed": id_size * room,
        "watched": id_size * room,
        "counts": id_size * room,
        "extra": 2 * id_size * (entries // _CHUNK) * has_long,
        "waiting": 2 * id_size * n * (rounds > 0),
        "lengths": 8 * (_WAITING + rounds),
    }
