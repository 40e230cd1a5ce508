"""Round keys: random numbers for comparing vertices at a distance, newly drawn for every round.

Result: a key for each vertex in each round, which depends only on the vertex, the round, the seed and the degree. No
two keys of a round are equal. For seed 0 the random keys are those of Kokkos Kernels.

Rule: u is ahead of v  <=>  key(u) < key(v). Let b be the number of bits for the numbers up to n + 1, and h the function
that returns 32 bits of the generator xorshift64*::

    random    hash * 2**b + v + 1, modulo 2**32                      32 bits (63 for 2**31 or more vertices)
    degree    class of degree, hash, v + 1, in 7, 56 - b and b bits  63 bits

where the hash is h(h(v) xor h(r)) in round r. The hash of the user's seed is added to the number of the round. In the
code: `draw_key`.

Idea: the width of keys depends on the number of vertices and never on the dtypes of arrays. There are four classes of
degree per power of two. Finer classes do not give larger sets. Within a class the order is random; otherwise a grid,
for example, would take many rounds.

Cost: two hashes per key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Offsets, float32_bits, rule, wrapping_multiply
from ..._core.runtime.device import empty_array
from ...graph import Graph

IN = 0  # the key of a member; vertices that are out have the largest key

_NARROW, _WIDE, _BELOW_CLASS = 2**32 - 1, 2**63 - 1, 2**56 - 1


class RoundKeys(NamedTuple):
    """The parameters for drawing the keys of one round."""

    out: int  # the largest key
    hashed_round: int  # the hash of seed + round
    bits: int  # the number of bits for a vertex
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


@dataclass(frozen=True)
class KeySource:
    """The keys of all rounds."""

    dtype: Any
    seed: int  # the hash of the user's seed
    any_round: RoundKeys

    @property
    def out(self) -> int:
        """Return the largest key."""
        return int(self.any_round.out)

    def keys(self, number: int) -> RoundKeys:
        """Return the parameters for drawing the keys of a round."""
        return self.any_round._replace(hashed_round=_scrambled((self.seed + number) % 2**32))


def key_source(graph: Graph, priority: str, seed: int) -> KeySource:
    """Return the source of keys for one of `names.DistancePriority`."""
    degrees = graph.degrees if priority == "degree" else empty_array(graph.device, graph.indices.dtype)
    return keys_of(graph.num_vertices, degrees, priority, seed)


def keys_of(n: int, degrees: Any, priority: str, seed: int) -> KeySource:
    """Return the source of keys for n vertices; `degrees` is empty for the random order."""
    bits = (n + 1).bit_length()
    if priority == "degree":
        return KeySource(np.int64, seed, RoundKeys(_WIDE, 0, bits, _BELOW_CLASS, degrees))
    if n < 2**31:
        return KeySource(np.uint32, seed, RoundKeys(_NARROW, 0, bits, _NARROW, degrees))
    return KeySource(np.int64, seed, RoundKeys(_WIDE, 0, bits, _WIDE, degrees))
