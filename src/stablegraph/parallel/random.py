"""Random numbers without a state: a hash of what the number is for.

The same bits come out on every target, for every order of execution and every dtype of the caller's arrays, because
the arithmetic is done in 64-bit integers and masked explicitly. A seed is hashed before it is added to anything: added
as it is, near seeds would draw the same numbers, moved along the vertices. The hash of 0 is 0, so that seed 0 gives the
fingerprints that the papers publish.
"""

from __future__ import annotations

from functools import lru_cache

from .declaration import rule

_MULTIPLIER = 0x45D9F3B
_LOW_32 = 0xFFFFFFFF


@rule
def hash32(x):
    """32 well-mixed bits from a non-negative integer below 2**32 (the hash of ECL-MIS and ECL-GC)."""
    x = int(x) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    return (x >> 16) ^ x


@lru_cache(maxsize=256)
def hash_seed(seed: int) -> int:
    """32 bits from all those of an integer of any size and sign; hash32(seed) if it is from 0 to 2**32 - 1."""
    hashed = 0
    for low in reversed(range(0, seed.bit_length() + 32, 32)):  # with a word for the sign
        hashed = hash32(hashed ^ (seed >> low & _LOW_32))
    return hashed
