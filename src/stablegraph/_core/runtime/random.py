"""Stateless random numbers: a hash of the purpose of each number, such as a vertex and a round.

The bits are the same on every target, for every order of execution and every dtype of the user's arrays, because the
arithmetic uses 64-bit integers with explicit masks. A seed is hashed before it is added to anything; otherwise, nearby
seeds would give the same numbers, shifted along the vertices. The hash of 0 is 0, so that seed 0 reproduces the
fingerprints in the papers.
"""

from __future__ import annotations

from functools import lru_cache

from .declaration import rule

_MULTIPLIER = 0x45D9F3B
_LOW_32 = 0xFFFFFFFF


@rule
def hash32(x):
    """Return 32 well-mixed bits for a non-negative integer below 2**32 (the hash of ECL-MIS and ECL-GC)."""
    x = int(x) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    return (x >> 16) ^ x


@lru_cache(maxsize=256)
def hash_seed(seed: int) -> int:
    """Return 32 bits that depend on all bits of an integer of any size and sign; hash32(seed) for 0 to 2**32 - 1."""
    hashed = 0
    for low in reversed(range(0, seed.bit_length() + 32, 32)):  # includes a word for the sign
        hashed = hash32(hashed ^ (seed >> low & _LOW_32))
    return hashed
