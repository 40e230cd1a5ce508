"""The lines that decide about communities.

A vertex v of mass m(v) with links of total weight L to a community of mass M (without v) has there the *worth*

    L - (scale * m(v)) * M

For modularity, a mass is a weighted degree, and `scale` is the resolution divided by the sum of all masses. For the
constant Potts model, a mass is a number of vertices, and `scale` is the resolution in units of the fixed-point weights.
Moving a vertex changes the objective in proportion to the difference of two worths.

Links and masses are integers below 2**53, which float64 holds exactly. The expression has three operations in this
order; kernels are compiled without fused multiply-add, so every device computes the same bits. Multiplying all weights
by a power of two changes no comparison.

A vertex moves to the community of the largest worth, in sub-rounds and in a queue (`best_move`).
"""

from __future__ import annotations

from .._core.runtime import hash32, rule
from .links import add_link, clear, key_at, mask_of

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


@rule
def best_move(v, level, communities, terms, tables, base):
    """Return the community that v should move to, and the gain: its own community and 0 if no move is a gain."""
    label, total, used, weights = communities.label, communities.total, communities.used, level.weights
    first, end = level.indptr[v], level.indptr[v + 1]
    mask = mask_of(end - first, tables)
    count = 0
    if weights.size:
        for e in range(first, end):
            count = add_link(label[level.indices[e]], weights[e], count, mask, tables, base)
    else:
        for e in range(first, end):
            count = add_link(label[level.indices[e]], 1, count, mask, tables, base)
    own = label[v]
    own_links = 0
    for i in range(count):
        place = tables.slots[base + i]
        if key_at(place, tables, base) == own:
            own_links = tables.sums[base + place]
    tie = hash32(v) & 1 if terms.crowds else 0  # two orders of equal communities: with one, many vertices meet in one
    rate = terms.scale * float(level.mass[v])
    own_mass = total[own] - level.mass[v]
    stay = worth(own_links, rate, own_mass)
    best, best_worth, best_links, best_mass = own, stay, 0, 0
    for i in range(count):
        place = tables.slots[base + i]
        c = key_at(place, tables, base)
        links = tables.sums[base + place]
        clear(place, tables, base)
        if c != own and (terms.limit == 0 or used[c] + level.sizes[v] <= terms.limit):
            value = worth(links, rate, total[c])
            if value > best_worth or (value == best_worth and best != own and draw(c, tie) < draw(best, tie)):
                best, best_worth, best_links, best_mass = c, value, links, total[c]
    if best_worth < 0.0 and total[v] == 0:  # a singleton, under a name that no other vertex can take now
        best, best_worth, best_links, best_mass = v, 0.0, 0, 0
    gain = best_worth - stay
    if best == own or not is_gain(gain, own_links + best_links, rate, own_mass + best_mass):
        return int(own), 0.0
    return int(best), gain


def salt_of(seed: int, level: int, step: int) -> int:
    """Return the salt of one step on one level; `seed` is the hash of the seed plus the number of the iteration."""
    mixed: int = hash32(hash32(hash32(seed & 0xFFFFFFFF) + level) + step + 0x9E3779B9)
    return mixed
