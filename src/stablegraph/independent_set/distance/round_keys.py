"""Round keys: random numbers by which vertices at a distance are compared, drawn anew for every round.

Result: a key for each vertex in each round, no two of them equal; a function of vertex, round, seed and degree alone.
For seed 0 the random keys are those of Kokkos Kernels.

Rule: u is ahead of v  <=>  key(u) < key(v). With b bits for the numbers up to n + 1, and h 32 bits of the generator
xorshift64*::

    random    hash * 2**b + v + 1, modulo 2**32                      32 bits (63 from 2**31 vertices on)
    degree    class of degree, hash, v + 1, in 7, 56 - b and b bits  63 bits

where the hash is h(h(v) xor h(r)) in round r; the seed, the hash of the caller's, moves the rounds. In the code:
`draw_key`.

Idea: the width of keys depends on the number of vertices and never on the dtypes of arrays. Classes of degree are four
to each power of two: finer ones give no larger sets, and there is chance left among the members of a class, without
which a grid, say, would take many rounds.

Cost: two hashes a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...graph import Graph
from ...parallel import float32_bits, rule, wrapping_multiply

IN = 0  # the key of a member; the largest key is that of vertices that are out

_NARROW, _WIDE, _BELOW_CLASS = 2**32 - 1, 2**63 - 1, 2**56 - 1


class RoundKeys(NamedTuple):
    """How keys are drawn in one round."""

    out: Any  # the largest key
    hashed_round: Any  # the hash of the round's number
    bits: Any  # how many the number of a vertex takes
    kept: Any  # the bits that a hash may have, after its shift
    degrees: Any  # (n,), or empty for the random order


@rule
def _scrambled(x):
    """Bits 16 to 47 of xorshift64*, for a number below 2**38."""
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    return ((wrapping_multiply(x, 2685821657736338717) - 1) >> 16) & _NARROW


@rule
def _random_key(v, keys):
    """The key of a vertex in a round, without its class of degree."""
    return (_scrambled(_scrambled(v) ^ keys.hashed_round) << keys.bits) & keys.kept | (v + 1)


@rule
def _class_of_degree(degree):
    """What the degree adds to a key."""
    quarters = (float32_bits(np.float32(max(degree, 1))) >> 21) - (127 << 2)
    return min(int(quarters), 127) << 56


@rule
def draw_key(v, name, keys):
    """The key of vertex v in a round; its name is its number in the whole graph, v itself unless this is a part."""
    key = _random_key(name, keys)
    if keys.degrees.size:
        key |= _class_of_degree(keys.degrees[v])
    return key


@dataclass(frozen=True)
class KeySource:
    """The keys of all rounds."""

    dtype: Any
    seed: int  # the hash of the caller's
    any_round: RoundKeys

    @property
    def out(self) -> int:
        """The largest key."""
        return int(self.any_round.out)

    def keys(self, number: int) -> RoundKeys:
        """How keys are drawn in a round."""
        return self.any_round._replace(hashed_round=_scrambled((self.seed + number) % 2**32))


def key_source(graph: Graph, priority: str, seed: int) -> KeySource:
    """The keys of one of `names.DistancePriority`."""
    degrees = graph.degrees if priority == "degree" else graph.xp.empty(0, graph.indices.dtype)
    return keys_of(graph.num_vertices, degrees, priority, seed)


def keys_of(n: int, degrees: Any, priority: str, seed: int) -> KeySource:
    """The same for n vertices; `degrees` are empty for the random order."""
    bits = (n + 1).bit_length()
    if priority == "degree":
        return KeySource(np.int64, seed, RoundKeys(_WIDE, 0, bits, _BELOW_CLASS, degrees))
    if n < 2**31:
        return KeySource(np.uint32, seed, RoundKeys(_NARROW, 0, bits, _NARROW, degrees))
    return KeySource(np.int64, seed, RoundKeys(_WIDE, 0, bits, _WIDE, degrees))
