"""Edge weights as integer keys in the same order, so that one kernel supports every dtype; and checks of weights.

The *key* of an entry is a 64-bit integer computed from the bits of its weight. Integers are their own keys. Floats are
converted from sign and magnitude to two's complement, which makes -0.0 and 0.0 equal and orders infinities correctly.
For a maximum spanning forest, all bits are inverted. Kernels read the user's array, viewed as int32 or int64, and
compute keys when they need them. Nothing is copied, except for dtypes of less than 32 bits.

An edge is stored twice, and both entries must have the same weight. This is checked as in csr/facts.py, with two hashes
a and b of a vertex and one hash h of a key. If the weights agree, the sums over all entries of a(u) b(v) h(key) and of
b(u) a(v) h(key) are equal; otherwise they differ, except with a probability of about 2**-58. A graph with unsorted rows
or repeated entries is first rebuilt: with sorted rows, and with the best one of repeated entries. Then the position of
the upper entry of an edge (from its smaller to its larger end) orders edges by (smaller end, larger end), which breaks
ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.build import build_rows
from .._core.csr.facts import first_hash, second_hash
from .._core.csr.merge import merged_rows
from .._core.runtime import CudaSource, Rows, by_device, edge_chunk_bounds, kernel, rule, worker_count
from .._core.runtime.arithmetic import wrapping_add, wrapping_multiply
from .._core.runtime.array_types import Int64Table, Integers
from .._core.vertex_names import shown_entry
from ..graph import Graph

LARGEST_KEY = 2**63 - 1
_LOW_32 = 0xFFFF_FFFF
SYMMETRIC = "symmetric_weights"  # the name of a cached fact of a graph
_KEYS = "weight_keys"  # another one: the least and the largest of the keys (before `bias`) and 0
_WIDTH = 8  # int64 of results per worker: a cache line


class Weights(NamedTuple):
    """The weights of a graph's entries, in the form that kernels read."""

    bits: Integers  # (number of entries,): the weights, viewed as int32 or int64
    flip: int  # the mask of the magnitude for floats, or 0 for integers
    bias: int  # applied last: the sign bit for unsigned integers; inverted for a maximum spanning forest


@rule
def key_of(bits, flip, bias):
    """Return the key for the bits of a weight."""
    negative = (bits >> 63) & flip
    return ((bits ^ negative) + (negative & 1)) ^ bias


@rule
def key_at(e, weights):
    """Return the key of entry e."""
    return key_of(weights.bits[e], weights.flip, weights.bias)


@rule
def hash_of_key(key):
    """Return a hash of all 64 bits of a key."""
    return second_hash(wrapping_add(first_hash((key >> 32) & _LOW_32), key & _LOW_32))


@kernel(by="workers")
def compare_directions(worker, workers, rows: Rows, weights: Weights, results: Int64Table):
    """Compute both sums over a worker's share of the rows, and the extreme keys."""
    indptr, indices = rows.indptr, rows.indices
    start, end = edge_chunk_bounds(indptr, indptr.size - 1, worker, workers)
    forward = 0
    backward = 0
    lowest = 0
    highest = 0
    for u in range(start, end):
        sum_first = 0
        sum_second = 0
        for e in range(indptr[u], indptr[u + 1]):
            key = key_at(e, weights)
            lowest = min(lowest, key)
            highest = max(highest, key)
            hashed = hash_of_key(key)
            first = first_hash(indices[e])
            sum_first = wrapping_add(sum_first, wrapping_multiply(hashed, first))
            sum_second = wrapping_add(sum_second, wrapping_multiply(hashed, second_hash(first)))
        first = first_hash(u)
        forward = wrapping_add(forward, wrapping_multiply(first, sum_second))
        backward = wrapping_add(backward, wrapping_multiply(second_hash(first), sum_first))
    results[worker, 0] = forward
    results[worker, 1] = backward
    results[worker, 2] = lowest
    results[worker, 3] = highest


def sums_of_directions(graph: Graph, weights: Weights) -> tuple[int, int, int, int]:
    """Return the sums in both directions, and the bounds of the keys before `bias`: min(0, keys), max(0, keys)."""
    workers = worker_count(graph.device, graph.num_entries)
    results = graph.xp.zeros((workers, _WIDTH), np.int64)
    compare_directions(workers, Rows(graph.indptr, graph.indices), weights._replace(bias=0), results)
    forward, backward = results[:, :2].sum(axis=0).tolist()  # modulo 2**64, like the sums of the workers
    return forward, backward, int(results[:, 2].min()), int(results[:, 3].max())


SOURCE = CudaSource(
    __file__,
    "cuda/weights.cu",
    also=("../_core/csr/cuda/rows.cuh", "../_core/csr/cuda/hashes.cuh", "cuda/keys.cuh"),
    variants=({"BITS": np.dtype(np.int32)}, {"BITS": np.dtype(np.int64)}),
)


def sums_on_gpu(graph: Graph, weights: tuple[Any, int, int]) -> tuple[int, int, int, int]:
    """Compute the same on a GPU, except for `bias`: min(0, keys) and max(0, keys) are those of the keys before it."""
    bits, flip, _ = weights
    n, entries, results = graph.num_vertices, graph.num_entries, graph.xp.zeros(4, np.int64)
    run = SOURCE.for_graph(graph, BITS=bits.dtype)
    run("compare_directions", entries, n, entries, graph.indptr, graph.indices, bits, int(flip), results)
    forward, backward, lowest, highest = results.tolist()
    return forward, backward, lowest, highest


sums_of_weights = by_device(sums_of_directions, sums_on_gpu)


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a graph's entries by weight."""

    dtype: Any  # of the weights
    weights: Weights

    def keys(self, entries: Any) -> Any:
        """Return the keys of some entries, int64."""
        bits, flip, bias = self.weights
        return key_of(bits[entries].astype(np.int64), flip, bias)

    def from_bits(self, bits: Any, dtype: Any = None) -> Any:
        """Return the weights with these bits, in their own dtype or in another one."""
        return bits.view(_seen_as(self.dtype)).astype(self.dtype if dtype is None else dtype, copy=False)

    @property
    def infinity(self) -> int:
        """Return the key of infinity, the largest of all floats except for NaN, before `bias`."""
        return int(np.array(np.inf, self.dtype).view(self.weights.bits.dtype))


def type_of_weights(dtype: Any | None) -> Any:
    """Return the dtype of a forest's weights for the dtype of the graph's weights, or None without weights."""
    if dtype is None:
        return np.dtype(np.int8)
    return np.dtype(np.float32 if dtype == np.float16 else dtype)  # sparse matrices cannot hold float16


def order_of(graph: Graph, maximum: bool) -> Order:
    """Return the order of a graph's entries: lighter or heavier entries first; without weights, all weights are 1."""
    if graph.weights is None:
        ones = graph.xp.ones(graph.num_entries, np.int32)
        return Order(type_of_weights(None), Weights(ones, 0, -1 if maximum else 0))
    return order_of_weights(graph.weights, maximum)


def order_of_weights(weights: Any, maximum: bool) -> Order:
    """Return the order of some weights: lighter or heavier ones first."""
    inverted = -1 if maximum else 0
    dtype = type_of_weights(weights.dtype)
    weights = weights.astype(_seen_as(dtype), copy=False)
    sign = 1 << 8 * weights.dtype.itemsize - 1
    flip = sign - 1 if dtype.kind == "f" else 0
    bias = -sign if weights.dtype.kind == "u" else 0
    return Order(dtype, Weights(weights.view(f"i{weights.dtype.itemsize}"), flip, bias ^ inverted))


def key_range(graph: Graph, order: Order) -> tuple[int, int]:
    """Return a lower and an upper bound for all keys."""
    bits, _, bias = order.weights
    if bits.dtype.itemsize == 4:
        return -(2**31), 2**31 - 1
    lowest, highest = graph.facts.get(_KEYS, (-(2**63), 2**63 - 1))
    if lowest < 0 <= highest and bias not in (0, -1):  # the sign bit is inverted
        return -(2**63), 2**63 - 1
    ends = (lowest ^ bias, highest ^ bias)
    return min(ends), max(ends)


def _seen_as(dtype: Any) -> Any:
    """Return the dtype itself, or int32 for dtypes of less than 32 bits."""
    return dtype if dtype.itemsize >= 4 else np.dtype(np.int32)


def check_type(dtype: Any) -> None:
    """Raise a ValueError for dtypes of weights that have no keys."""
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise ValueError(f"the weights must be real numbers of at most 64 bits, got {dtype}: convert them first")


def checked(graph: Graph, maximum: bool) -> Graph:
    """Return the graph, or one with the same edges, with sorted rows, no repeated entries and checked weights.

    Raises a ValueError if a weight is NaN, or if the two entries of an edge have different weights.
    """
    weights = graph.weights
    if weights is not None:
        check_type(weights.dtype)
    if not graph.is_sorted or graph.has_duplicates:
        return checked(tidied(graph, maximum), maximum)
    if weights is None or graph.facts.get(SYMMETRIC):
        return graph
    order = order_of(graph, maximum=False)
    check_sums(graph, order, sums_of_weights(graph, order.weights))
    return graph


def check_sums(graph: Graph, order: Order, sums: tuple[int, int, int, int]) -> None:
    """Raise a ValueError if the sums of all rows show a NaN, or an edge with different weights; remember the sums."""
    forward, backward, lowest, highest = sums
    if order.dtype.kind == "f" and not -order.infinity <= lowest <= highest <= order.infinity:
        raise ValueError(where_nan(graph.to("cpu")))
    if (forward - backward) % 2**63 != 0:
        raise ValueError(_where_different(graph.to("cpu")))
    graph._remember(**{SYMMETRIC: True, _KEYS: (lowest, highest)})


def tidied(graph: Graph, maximum: bool) -> Graph:
    """Return the same graph with sorted rows and, of repeated entries, only the first one in the order."""
    if graph.weights is None:
        return graph._with_sorted_rows()
    if graph.weights.dtype.kind == "f" and bool(graph.xp.isnan(graph.weights).any()):
        raise ValueError(where_nan(graph.to("cpu")))
    return Graph._trusted(*merged_rows(graph, "max" if maximum else "min"), nodes=graph.nodes)


def where_nan(graph: Graph) -> str:
    """Return the error message for the first weight that is NaN."""
    e = int(np.isnan(graph.weights).argmax())
    return (
        f"the weight of entry {shown_entry(_row_of(graph, e), graph.indices[e], graph.nodes)} is NaN, which is neither "
        "lighter nor heavier than other weights; drop the entry or give it a number"
    )


def _where_different(graph: Graph) -> str:
    transposed = build_rows(
        graph.indices, graph._rows(), graph.num_vertices, drop_duplicates=False, positions=True
    ).positions  # the position of the reversed entry of every entry
    e = int((graph.weights != graph.weights[transposed]).argmax())
    u, v = _row_of(graph, e), int(graph.indices[e])
    different = of_different(u, v, graph.weights[e], graph.weights[transposed[e]], graph.nodes)
    return f"{different}; pass as_graph(graph, symmetrize='max'), or 'min' or 'sum' instead of 'max'"


def of_different(u: int, v: int, weight: Any, other: Any, nodes: Any) -> str:
    """Return the description of an edge whose entries have different weights."""
    return f"entry {shown_entry(u, v, nodes)} has weight {weight}, but {shown_entry(v, u, nodes)} has {other}"


def _row_of(graph: Graph, entry: int) -> int:
    return int(np.searchsorted(graph.indptr, entry, side="right")) - 1
