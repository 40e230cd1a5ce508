"""Round keys: numbers for comparing vertices at a distance, newly drawn for every round or fixed.

Result: a key for each vertex in each round, which depends only on the vertex, the round, the seed and the degree, or
on the order. No two keys of a round are equal. For seed 0 the random keys are those of Kokkos Kernels.

Rule: u is ahead of v  <=>  key(u) < key(v). Let b be the number of bits for the numbers up to n + 1, and h the function
that returns 32 bits of the generator xorshift64*::

    random    hash * 2**b + v + 1, modulo 2**32                      32 bits (63 for 2**31 or more vertices)
    degree    class of degree, hash, v + 1, in 7, 56 - b and b bits  63 bits
    an order  the place of v in the order of greedy/order.py, from 1  32 bits (63 for 2**31 or more vertices)

where the hash is h(h(v) xor h(r)) in round r. The hash of the user's seed is added to the number of the round. In the
code: `draw_key`.

Idea: the width of keys depends on the number of vertices and never on the dtypes of arrays. There are four classes of
degree per power of two. Finer classes do not give larger sets. Within a class the order is random; otherwise a grid,
for example, would take many rounds.

Cost: two hashes per key; for an order, a sort of n words. Work memory of the sort: 24 bytes per vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._core.engines.rounds import History, has_stalled
from ..._core.runtime import ArrayT, Offsets, Vertices, float32_bits, kernel, rule, wrapping_multiply
from ..._core.runtime.device import empty_array
from ...graph import Graph
from ..greedy.order import Choice, all_sorted

IN = 0  # the key of a member; vertices that are out have the largest key

_NARROW, _WIDE, _BELOW_CLASS = 2**32 - 1, 2**63 - 1, 2**56 - 1


class RoundKeys(NamedTuple):
    """The parameters for drawing the keys of one round."""

    out: int  # the largest key
    hashed_round: int  # the hash of seed + round
    bits: int  # the number of bits for a vertex; negative: vertices keep their keys
    hash_mask: int  # the mask of the bits of a shifted hash
    degrees: Offsets  # (n,), or empty for the random order


@rule
def _scrambled(x):
    """Return bits 16 to 47 of xorshift64* for a number below 2**38."""
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    return ((wrapping_multiply(x, 2685821657736338717) - 1) >> 16) & _NARROW


@rule
def _random_key(v, keys):
    """Return the key of a vertex in a round, without its class of degree."""
    return (_scrambled(_scrambled(v) ^ keys.hashed_round) << keys.bits) & keys.hash_mask | (v + 1)


@rule
def _class_of_degree(degree):
    """Return the class of a degree, shifted to its bits in a key."""
    quarters = (float32_bits(np.float32(max(degree, 1))) >> 21) - (127 << 2)
    return min(int(quarters), 127) << 56


@rule
def draw_key(v, name, keys):
    """Return the key of vertex v in a round; `name` is its number in the whole graph (v unless partitioned)."""
    key = _random_key(name, keys)
    if keys.degrees.size:
        key |= _class_of_degree(keys.degrees[v])
    return key


@rule
def next_key(v, key, keys):
    """Return the key of vertex v in a round, given its key in the round before."""
    return draw_key(v, v, keys) if keys.bits >= 0 else key


@kernel(T="int64 uint32")
def _number(i, vertices: Vertices, keys: ArrayT):
    """Write the key of a vertex: its place in the order, from 1 on."""
    keys[vertices[i]] = i + 1


@dataclass(frozen=True)
class KeySource:
    """The keys of all rounds."""

    dtype: Any
    seed: int  # the hash of the user's seed
    any_round: RoundKeys
    at_once: bool  # whether vertices that are beaten are out at once, or draw for one more round
    order: Any = None  # all vertices, the first one first, if keys are fixed

    @property
    def out(self) -> int:
        """Return the largest key."""
        return int(self.any_round.out)

    def keys(self, number: int) -> RoundKeys:
        """Return the parameters for drawing the keys of a round."""
        return self.any_round._replace(hashed_round=_scrambled((self.seed + number) % 2**32))

    def write(self, keys: Any) -> None:
        """Write the keys that are fixed."""
        if self.order is not None:
            _number(keys.size, self.order, keys)

    def begin(self, history: History, undecided: list[int], count: Callable[[], int]) -> Callable[[list[int]], bool]:
        """Enter the rounds; return whether a round is the last one. `count` returns how many vertices may join."""
        history.enter("rounds")
        history.undecided = undecided
        if self.order is None:
            return lambda undecided: False
        undecided.append(count())
        return has_stalled


def key_source(graph: Graph, priority: Choice, seed: int, pointers: tuple[Any, int] | None = None) -> KeySource:
    """Return the source of keys for one of `names.DistancePriority`, for weights, or for an array of numbers.

    `pointers` are those of `make_order`.
    """
    if not isinstance(priority, str):
        n, no_degrees = graph.num_vertices, graph._no_vertices()
        out = _NARROW if n < 2**31 else _WIDE
        keys = RoundKeys(out, 0, -1, 0, no_degrees)
        return KeySource(
            np.uint32 if n < 2**31 else np.int64, 0, keys, True, all_sorted(graph, priority, seed, pointers)
        )
    degrees = graph.degrees if priority == "degree" else empty_array(graph.device, graph.indices.dtype)
    return drawn_source(graph.num_vertices, degrees, priority, seed)


def drawn_source(n: int, degrees: Any, priority: str, seed: int) -> KeySource:
    """Return the source of keys for n vertices; `degrees` is empty for the random order."""
    bits = (n + 1).bit_length()
    if priority == "degree":
        return KeySource(np.int64, seed, RoundKeys(_WIDE, 0, bits, _BELOW_CLASS, degrees), True)
    out, dtype = (_NARROW, np.uint32) if n < 2**31 else (_WIDE, np.int64)
    return KeySource(dtype, seed, RoundKeys(out, 0, bits, out, degrees), False)
