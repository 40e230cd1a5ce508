"""The lines that decide about communities: scalars in, scalars out.

A vertex v of mass m(v) with links of total weight L to a community of mass M (without v) has there the *worth*

    L - (scale * m(v)) * M

For modularity, a mass is a weighted degree, and `scale` is the resolution divided by the sum of all masses. For the
constant Potts model, a mass is a number of vertices, and `scale` is the resolution in units of the fixed-point weights.
Moving a vertex changes the objective in proportion to the difference of two worths.

Links and masses are integers below 2**53, which float64 holds exactly. The expression has three operations in this
order; kernels are compiled without fused multiply-add, so every device computes the same bits. Multiplying all weights
by a power of two changes no comparison.
"""

from __future__ import annotations

from .._core.runtime import hash32, rule

TINY = 2.0**-40  # gains below this fraction of the compared terms do not count: far above the rounding error
THETA = 0.1  # refinement reduces the worth of each part by a random fraction up to this one
NEVER = 2**63 - 1  # after all turns
UNIT = 2.0**-32  # times a draw: below 1
_VERTEX_BITS = 36
_DROPPED_BITS = 5  # of a hash, so that it fits into a word with a vertex


@rule
def worth(links, rate, mass):
    """Return the worth of a community for a vertex; `rate` is ``scale * float(mass of the vertex)``."""
    return float(links) - rate * float(mass)


@rule
def is_gain(gain, links, rate, masses):
    """Return whether a difference of two worths is above the rounding error; `links` and `masses` are their sums."""
    return gain > TINY * (float(links) + rate * float(masses))


@rule
def draw(x, salt):
    """Return 32 random bits for a vertex or community and a salt, which is a hash."""
    return hash32(hash32(x) ^ salt)


@rule
def precedes(gain_u, u, gain_v, v):
    """Return whether u moves before v: the larger gain, then the smaller hash, then the smaller number."""
    if gain_u != gain_v:
        return gain_u > gain_v
    hash_u, hash_v = hash32(u), hash32(v)
    return hash_u < hash_v or (hash_u == hash_v and u < v)


@rule
def turn(v, salt):
    """Return a distinct word for each vertex: the random order in which vertices join parts."""
    return ((draw(v, salt) >> _DROPPED_BITS) << _VERTEX_BITS) | v


@rule
def varied(value, part, v, salt):
    """Return the worth of a part for v in refinement, reduced by a random fraction for each pair."""
    return value * (1.0 - THETA * (float(draw(part, salt ^ hash32(v))) * UNIT))


def salt_of(seed: int, level: int, step: int) -> int:
    """Return the salt of one step on one level; `seed` is the hash of the seed plus the number of the iteration."""
    mixed: int = hash32(hash32(hash32(seed & 0xFFFFFFFF) + level) + step + 0x9E3779B9)
    return mixed
