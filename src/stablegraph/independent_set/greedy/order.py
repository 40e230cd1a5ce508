"""Orders of the vertices: one byte per vertex, and an exact rule, `outranks`, for equal bytes.

Result: a strict order of all vertices, which depends only on the graph, the priority and the seed. With "degree", the
place of a vertex depends on its own degree; with "ecl", also on the average degree (see PATENTS.md).

Rule: u is ahead of v  <=>  the first of these that differs is larger for u::

    degree       -(number of neighbors), hash, id
    random       hash, id
    ecl          the byte of ECL-MIS v1.3, id
    natural      -id
    high_degree  number of neighbors, id
    values       the user's number, hash, id

The hash is hash32(vertex + seed), where `seed` is the hash of the user's seed. The oracle is `priority_key` in
tests/support/naive.py. In the code: `outranks`, and for "ecl" `ecl_byte` (rules.py).

Idea: the byte is a monotone image of the order in 1..253 (0 and 255 are reserved for decided vertices). Nearly all
comparisons are decided by the bytes, and `outranks` decides between equal bytes. The resolution of the bytes changes
the time, but never the result. Therefore they are fitted to a sample. For "degree", the range of degrees in the sample
is spread over the bytes logarithmically, together with the hash; for "high_degree", together with the id. (The bits of
a float are a piecewise linear approximation of its logarithm.)

To add a priority, change these places; the tests fail until all of them are complete:

- The name: _core/option_names.py, and the docstring of `maximal_independent_set` (independent_set/api.py).
- One machine: `NAMED_ORDERS`; the rule in `outranks` (rules.py) and `sort_by_order`; the bytes in `write_bytes`.
- A GPU: the rule in order.cuh, the bytes in priority.cu, and `variants` and `_write_bytes` in priority_cuda.py.
- Partitions: `_ORDERS` in independent_set/partitioned.py; a new key or tie in rules.py.
- The oracle, `priority_key` in tests/support/naive.py; if the priority ignores the seed, also tests/pins/calls.py.
- The pages algorithms.md, command-line.md, orders.md and determinism.md in docs/.

Cost: a pass over the vertices. Work memory: 25 bytes per vertex for the user's numbers, 8 if only some rows contain
loops or duplicates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import array_module, device_of, float32_bits, hash32, kernel, rule
from ...graph import Graph
from ..rules import (
    BY_DEGREE,
    BY_HASH,
    BY_ID,
    BY_LARGER_DEGREE,
    BY_SMALLER_ID,
    BY_VALUE,
    TOP,
    Order,
    degree_of,
    ecl_byte,
    hash_byte,
)

OUT, IN = 0, 255

NAMED_ORDERS = {
    "degree": BY_DEGREE,
    "ecl": BY_ID,
    "random": BY_HASH,
    "natural": BY_SMALLER_ID,
    "high_degree": BY_LARGER_DEGREE,
}

_SAMPLE = 4096  # vertices; the resolution of the bytes changes only the time


class Window(NamedTuple):
    """The range of degrees in a sample, as bits of floats, which is spread over the bytes."""

    highest: Any
    span: Any  # from the lowest to the highest
    scale: Any  # 2**32 times the number of bytes per step


@rule
def _byte_in(window, steps):
    """Return the byte for a number of steps into a window; negative numbers of steps give 1."""
    return ((min(max(steps, 0), window.span) * window.scale) >> 32) + 1


@kernel(by="workers", types="int64[] int int O[] int uint64[] int int int uint8[]")
def _degree_bytes(worker, workers, bounds, order: Order, window: Window, state):
    """Compute bytes of "degree": larger for smaller (degree + 1 - hash / 2**32), on a logarithmic scale."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        fraction = np.float32(hash32(v + order.seed)) * np.float32(2.0**-32)
        bits = float32_bits(np.float32(np.float32(degree + 1) - fraction))
        state[v] = _byte_in(window, window.highest - int(bits)) if degree > 0 else IN


@kernel(by="workers", types="int64[] int int O[] int uint64[] int int int int uint8[]")
def _high_degree_bytes(worker, workers, bounds, order: Order, window: Window, place, state):
    """Compute bytes of "high_degree": larger for larger (degree + id / n), on a logarithmic scale."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        fraction = np.float32(v * place) * np.float32(2.0**-32)  # at most 1
        bits = float32_bits(np.float32(np.float32(degree) + fraction))
        lowest = window.highest - window.span
        state[v] = _byte_in(window, int(bits) - lowest) if degree > 0 else IN


@kernel(by="workers", types="int64[] int int O[] int uint64[] uint8[]")
def _hash_bytes(worker, workers, bounds, order: Order, state):
    """Compute bytes of "random": larger for larger hashes."""
    for v in range(bounds[worker], bounds[worker + 1]):
        state[v] = hash_byte(v, order.seed) if degree_of(v, order) > 0 else IN


@kernel(by="workers", types="int64[] int int O[] int uint64[] int uint8[]")
def _natural_bytes(worker, workers, bounds, order: Order, scale, state):
    """Compute bytes of "natural": larger for smaller ids."""
    for v in range(bounds[worker], bounds[worker + 1]):
        byte = TOP - min((v * scale) >> 32, TOP - 1)
        state[v] = byte if degree_of(v, order) > 0 else IN


@kernel(by="workers", types="int64[] int int O[] int uint64[] float uint8[]")
def _ecl_bytes(worker, workers, bounds, order: Order, average, state):
    """Compute bytes of "ecl"; these bytes themselves define the order."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        state[v] = IN
        if degree > 0:  # without edges the average is zero, so the divisor may be zero
            state[v] = ecl_byte(degree, hash32(v + order.seed), average)


def make_order(graph: Graph, priority: str | np.ndarray, seed: int) -> Order:
    """Return the order on a graph for the name of a priority or an array of numbers."""
    xp = graph.xp
    offset = graph._simple_degree_offset()
    if offset is None:  # some rows contain loops or duplicates, so degrees are not row lengths
        degrees = graph.degrees
        degree_ptr = xp.zeros(degrees.size + 1, graph.indptr.dtype)
        xp.cumsum(degrees, out=degree_ptr[1:])
        offset = 0
    else:
        degree_ptr = graph.indptr
    if isinstance(priority, str):
        return Order(NAMED_ORDERS[priority], seed, degree_ptr, offset, xp.empty(0, np.uint64))
    return Order(BY_VALUE, seed, degree_ptr, offset, xp.asarray(monotone_bits(priority)))


def write_bytes(order: Order, bounds: Any, state: Any) -> None:
    """Write the byte of every vertex for its place in the order; vertices without neighbors are in at once."""
    workers, n = bounds.size - 1, state.size
    if order.by == BY_DEGREE:
        _degree_bytes(workers, bounds, order, _window(order), state)
    elif order.by == BY_LARGER_DEGREE:
        _high_degree_bytes(workers, bounds, order, _window(order), 2**32 // max(n, 1), state)
    elif order.by == BY_HASH:
        _hash_bytes(workers, bounds, order, state)
    elif order.by == BY_SMALLER_ID:
        _natural_bytes(workers, bounds, order, (TOP << 32) // max(n, 1), state)
    elif order.by == BY_ID:
        entries = int(order.degree_ptr[-1]) - n * order.offset
        _ecl_bytes(workers, bounds, order, float(np.float32(entries) / np.float32(max(n, 1))), state)
    else:
        _write_value_bytes(order, state)


def _window(order: Order) -> Window:
    """Return the window from the smallest to the largest degree of a sample."""
    step = max(1, (order.degree_ptr.size - 1) // _SAMPLE)
    degrees = order.degree_ptr[1::step] - order.degree_ptr[:-1:step] - order.offset
    degrees = degrees[degrees > 0]
    smallest, largest = (int(degrees.min()), int(degrees.max())) if degrees.size else (1, 1)
    lowest, highest = np.array([smallest, largest + 1], np.float32).view(np.int32).tolist()
    span = highest - lowest
    return Window(highest, span, (TOP << 32) // (span + 1))


def monotone_bits(values: np.ndarray) -> np.ndarray:
    """Map numbers of any real dtype to unsigned 64-bit integers in the same order (-0.0 counts as 0.0)."""
    if values.dtype.kind in "bu":
        return values.astype(np.uint64)
    if values.dtype.kind == "i":
        return values.astype(np.int64).view(np.uint64) ^ np.uint64(1 << 63)
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    negative = (bits >> np.uint64(63)).astype(bool)
    return np.where(negative, ~bits, bits ^ np.uint64(1 << 63))


def _write_value_bytes(order: Order, state: Any) -> None:
    values = order.values
    if values.size == 0:
        return
    xp = array_module(device_of(values))
    sample = xp.sort(values[:: max(1, values.size // _SAMPLE)])
    steps = sample[xp.linspace(0, sample.size - 1, TOP - 1).astype(np.int64)]
    state[:] = 1 + xp.searchsorted(steps, values, side="right")
    state[order.degree_ptr[1:] - order.degree_ptr[:-1] == order.offset] = IN


@kernel(types="V[] int uint32[]")
def draw_hashes(i, vertices, seed, out):
    """Compute the hash of a vertex and a seed."""
    out[i] = hash32(vertices[i] + seed)


def sort_by_order(order: Order, vertices: Any, state: Any) -> Any:
    """Sort undecided vertices by the order, first vertex first; the input is ascending by id."""
    if order.by == BY_SMALLER_ID:
        return vertices
    xp = array_module(device_of(state))
    keys = []  # the least significant key first; each sort is stable
    if order.by not in (BY_ID, BY_LARGER_DEGREE):
        hashes = xp.empty(vertices.size, xp.uint32)
        draw_hashes(vertices.size, vertices, order.seed, hashes)
        keys.append(hashes)
    if order.by == BY_DEGREE:
        keys.append(order.degree_ptr[vertices] - order.degree_ptr[vertices + 1])
    if order.by == BY_LARGER_DEGREE:
        keys.append(order.degree_ptr[vertices + 1] - order.degree_ptr[vertices])
    if order.by == BY_VALUE:
        keys.append(order.values[vertices])
    keys.append(state[vertices])
    ranking = xp.arange(vertices.size)
    for key in keys:
        ranking = ranking[xp.argsort(key[ranking], kind="stable")]
    return vertices[ranking[::-1]]
