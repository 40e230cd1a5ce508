"""Orders of the vertices, as the algorithms see them: one byte a vertex, and an exact rule for equal bytes.

An order is strict. It compares what the priority says, then a 32-bit hash of (vertex + seed), where the seed is the
hash of the caller's, then the id; the larger one is ahead::

    degree       -(number of neighbours), hash, id
    random       hash, id
    ecl          the byte of ECL-MIS v1.3, id
    natural      -id
    high-degree  number of neighbours, id
    values       the caller's number, hash, id

The byte is a monotone image of the order in 1..253 (0 and 255 are kept for vertices that are decided), so nearly all
comparisons need nothing else; `outranks` settles the rest. How finely the bytes resolve the order changes the time,
never the result. They are therefore fitted to a sample: for "degree" the range of degrees is spread over the bytes
logarithmically, together with the hash, or for "high-degree" the id (a float's bits are, piecewise linearly, its
logarithm).

The order "degree" depends on each vertex's own degree alone; "ecl" also on the average degree (see PATENTS.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, float32_bits, hash32, kernel, rule
from ..parallel.device import array_module, device_of

OUT, IN = 0, 255
_TOP = 253  # undecided vertices have bytes 1..253; 254 stands for "stronger, whatever its byte"

BY_DEGREE, BY_HASH, BY_ID, BY_SMALLER_ID, BY_LARGER_DEGREE, BY_VALUE = range(6)

NAMED_ORDERS = {
    "degree": BY_DEGREE,
    "ecl": BY_ID,
    "random": BY_HASH,
    "natural": BY_SMALLER_ID,
    "high-degree": BY_LARGER_DEGREE,
}

_SAMPLE = 4096
_ECL_RANGE = 126  # 0xFE / 2 - 1 in ECL-MIS


@rule
def outranks(u, v, rule_of_order, seed, degree_ptr, values):
    """Whether u is ahead of v; only asked when their bytes are equal."""
    u, v = int(u), int(v)
    if rule_of_order == BY_SMALLER_ID:
        return u < v
    if rule_of_order in (BY_DEGREE, BY_LARGER_DEGREE):
        degree_u = degree_ptr[u + 1] - degree_ptr[u]
        degree_v = degree_ptr[v + 1] - degree_ptr[v]
        if degree_u != degree_v:
            return (degree_u < degree_v) == (rule_of_order == BY_DEGREE)
    if rule_of_order == BY_VALUE and values[u] != values[v]:
        return values[u] > values[v]
    if rule_of_order not in (BY_ID, BY_LARGER_DEGREE):
        hash_u, hash_v = hash32(u + seed), hash32(v + seed)
        if hash_u != hash_v:
            return hash_u > hash_v
    return u > v


@kernel(by="workers")
def _degree_bytes(worker, workers, degree_ptr, bounds, offset, seed, highest, span, scale, state):
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(degree_ptr[at(v + 1)]) - int(degree_ptr[at(v)]) - offset
        fraction = np.float32(hash32(v + seed)) * np.float32(2.0**-32)
        bits = float32_bits(np.float32(np.float32(degree + 1) - fraction))
        byte = ((min(max(highest - int(bits), 0), span) * scale) >> 32) + 1
        state[at(v)] = byte if degree > 0 else IN


@kernel(by="workers")
def _high_degree_bytes(worker, workers, degree_ptr, bounds, offset, place, lowest, span, scale, state):
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(degree_ptr[at(v + 1)]) - int(degree_ptr[at(v)]) - offset
        fraction = np.float32(v * place) * np.float32(2.0**-32)  # at most 1
        bits = float32_bits(np.float32(np.float32(degree) + fraction))
        byte = ((min(max(int(bits) - lowest, 0), span) * scale) >> 32) + 1
        state[at(v)] = byte if degree > 0 else IN


@rule
def hash_byte(v, seed):
    """The byte of a vertex in a random order."""
    return ((hash32(v + seed) * _TOP) >> 32) + 1


@kernel(by="workers")
def _hash_bytes(worker, workers, degree_ptr, bounds, offset, seed, state):
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(degree_ptr[at(v + 1)]) - int(degree_ptr[at(v)]) - offset
        state[at(v)] = hash_byte(v, seed) if degree > 0 else IN


@kernel(by="workers")
def _natural_bytes(worker, workers, degree_ptr, bounds, offset, scale, state):
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(degree_ptr[at(v + 1)]) - int(degree_ptr[at(v)]) - offset
        byte = _TOP - min((v * scale) >> 32, _TOP - 1)
        state[at(v)] = byte if degree > 0 else IN


@kernel(by="workers")
def _ecl_bytes(worker, workers, degree_ptr, bounds, offset, seed, average, state):
    scaled = np.float32(_ECL_RANGE) * np.float32(average)
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(degree_ptr[at(v + 1)]) - int(degree_ptr[at(v)]) - offset
        fraction = np.float32(hash32(v + seed)) * np.float32(2.0**-32)
        x = np.float32(degree) - fraction
        state[at(v)] = IN
        if degree > 0:  # without edges the average is zero, and so may be the divisor
            state[at(v)] = 2 * round(np.float32(scaled / np.float32(np.float32(average) + x))) | 1


@dataclass(frozen=True)
class Order:
    """What `outranks` needs beside the two vertices."""

    rule: int
    seed: int  # the hash of the caller's
    degree_ptr: Any  # (n + 1,): differences, less `offset`, are the degrees without loops and duplicates
    offset: int
    values: Any  # uint64 (n,) for BY_VALUE, else empty

    @property
    def arguments(self) -> tuple[int, int, Any, Any]:
        return self.rule, self.seed, self.degree_ptr, self.values


def make_order(graph: Graph, priority: str | np.ndarray, seed: int) -> Order:
    """The order that a priority names (or an array of numbers gives) on a graph."""
    xp = array_module(graph.device)
    offset = graph.simple_degree_offset()
    if offset is None:  # loops or duplicates here and there: degrees are not row lengths
        degrees = graph.degrees()
        degree_ptr = xp.zeros(degrees.size + 1, graph.indptr.dtype)
        xp.cumsum(degrees, out=degree_ptr[1:])
        if graph.device == "cpu":
            degree_ptr.flags.writeable = False  # as indptr is, so that kernels need not be compiled for both
        offset = 0
    else:
        degree_ptr = graph.indptr
    if isinstance(priority, str):
        return Order(NAMED_ORDERS[priority], seed, degree_ptr, offset, xp.empty(0, np.uint64))
    return Order(BY_VALUE, seed, degree_ptr, offset, xp.asarray(_monotone_bits(priority)))


def write_bytes(order: Order, bounds: Any, state: Any) -> None:
    """Give every vertex the byte of its place in the order; vertices without neighbours are in at once."""
    workers, n = bounds.size - 1, state.size
    common = (workers, order.degree_ptr, bounds, order.offset)
    if order.rule == BY_DEGREE:
        _degree_bytes(*common, order.seed, *_degree_window(order), state)
    elif order.rule == BY_LARGER_DEGREE:
        highest, span, scale = _degree_window(order)
        _high_degree_bytes(*common, 2**32 // max(n, 1), highest - span, span, scale, state)
    elif order.rule == BY_HASH:
        _hash_bytes(*common, order.seed, state)
    elif order.rule == BY_SMALLER_ID:
        _natural_bytes(*common, (_TOP << 32) // max(n, 1), state)
    elif order.rule == BY_ID:
        entries = int(order.degree_ptr[-1]) - n * order.offset
        _ecl_bytes(*common, order.seed, float(np.float32(entries) / np.float32(max(n, 1))), state)
    else:
        _write_value_bytes(order, state)


def _degree_window(order: Order) -> tuple[int, int, int]:
    """(highest, span, scale): the bits of the largest degree expected, and what spreads those below over the bytes."""
    step = max(1, (order.degree_ptr.size - 1) // _SAMPLE)
    degrees = order.degree_ptr[1::step] - order.degree_ptr[:-1:step] - order.offset
    degrees = degrees[degrees > 0]
    least, most = (int(degrees.min()), int(degrees.max())) if degrees.size else (1, 1)
    highest = int(float32_bits(np.float32(most + 1)))
    span = highest - int(float32_bits(np.float32(least)))
    return highest, span, (_TOP << 32) // (span + 1)


def _monotone_bits(values: np.ndarray) -> np.ndarray:
    """Unsigned 64-bit integers in the order of numbers of any real dtype (-0.0 counts as 0.0)."""
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
    steps = sample[xp.linspace(0, sample.size - 1, _TOP - 1).astype(np.int64)]
    state[:] = 1 + xp.searchsorted(steps, values, side="right")
    state[order.degree_ptr[1:] - order.degree_ptr[:-1] == order.offset] = IN


@kernel
def draw_hashes(i, vertices, seed, out):
    out[i] = hash32(int(vertices[i]) + seed)


def in_order(order: Order, vertices: Any, state: Any) -> Any:
    """Sort undecided vertices (given in ascending order) so that the one that is ahead of all others comes first."""
    if order.rule == BY_SMALLER_ID:
        return vertices
    xp = array_module(device_of(state))
    keys = []  # the least important first; each sort is stable
    if order.rule not in (BY_ID, BY_LARGER_DEGREE):
        hashes = xp.empty(vertices.size, xp.uint32)
        draw_hashes(vertices.size, vertices, order.seed, hashes)
        keys.append(hashes)
    if order.rule == BY_DEGREE:
        keys.append(order.degree_ptr[vertices] - order.degree_ptr[vertices + 1])
    if order.rule == BY_LARGER_DEGREE:
        keys.append(order.degree_ptr[vertices + 1] - order.degree_ptr[vertices])
    if order.rule == BY_VALUE:
        keys.append(order.values[vertices])
    keys.append(state[vertices])
    ranking = xp.arange(vertices.size)
    for key in keys:
        ranking = ranking[xp.argsort(key[ranking], kind="stable")]
    return vertices[ranking[::-1]]
