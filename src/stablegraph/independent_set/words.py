"""Words that say who goes first, drawn anew for every round: the orders of independent sets at a distance.

Smaller words are first. With b bits for the numbers up to n + 1, and h 32 bits of the generator xorshift64*::

    random    hash * 2**b + v + 1, modulo 2**32                      32 bits (63 from 2**31 vertices on)
    degree    class of degree, hash, v + 1, in 7, 56 - b and b bits  63 bits

where the hash is h(h(v) xor h(r)) in round r; the seed, the hash of the caller's, moves the rounds. For seed 0 the
random words are those of Kokkos Kernels. They depend on the number of vertices and never on the dtypes of arrays.
Classes of degree are four to each power of two: finer ones give no larger sets, and there is chance left among the
members of a class, without which a grid, say, would take many rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, float32_bits, rule, wrapping_multiply
from ..parallel.device import array_module

IN = 0  # the word of a member; the largest word is that of vertices that are out
WORD_ORDERS = ("random", "degree")

_NARROW, _WIDE, _BELOW_CLASS = 2**32 - 1, 2**63 - 1, 2**56 - 1


@rule
def _scrambled(x):
    """Bits 16 to 47 of xorshift64*, for a number below 2**38."""
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    return ((wrapping_multiply(x, 2685821657736338717) - 1) >> 16) & _NARROW


@rule
def fresh_word(v, drawn, bits, kept, degrees):
    """The word of a vertex in the round that `drawn` belongs to; `degrees` are empty for the random order."""
    word = (_scrambled(_scrambled(v) ^ drawn) << bits) & kept | (v + 1)
    if degrees.size:
        quarters = (float32_bits(np.float32(max(int(degrees[at(v)]), 1))) >> 21) - (127 << 2)
        word |= min(int(quarters), 127) << 56
    return word


@dataclass(frozen=True)
class Words:
    """How words are drawn for a graph."""

    dtype: Any
    out: int  # the largest word
    bits: int
    kept: int  # the bits that a hash may have, after its shift
    degrees: Any
    seed: int  # the hash of the caller's

    def draw(self, number: int) -> tuple[Any, ...]:
        """What `fresh_word` needs in a round beside the vertex."""
        return _scrambled((self.seed + number) % 2**32), self.bits, self.kept, self.degrees


def make_words(graph: Graph, priority: str, seed: int) -> Words:
    """The words of one of `WORD_ORDERS`."""
    n = graph.num_vertices
    bits = (n + 1).bit_length()
    if priority == "degree":
        return Words(np.int64, _WIDE, bits, _BELOW_CLASS, graph.degrees(), seed)
    nothing = array_module(graph.device).empty(0, graph.indices.dtype)
    if n < 2**31:
        return Words(np.uint32, _NARROW, bits, _NARROW, nothing, seed)
    return Words(np.int64, _WIDE, bits, _WIDE, nothing, seed)
