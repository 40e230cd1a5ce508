"""The best community for a vertex: the rule of local moving, in sub-rounds and in a queue."""

from __future__ import annotations

from .._core.runtime import hash32, rule
from .links import add_link, clear, key_at, mask_of
from .rules import draw, is_gain, worth


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
