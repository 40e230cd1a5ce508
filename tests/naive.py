"""Slow, obvious oracles: plain Python on sets, sharing nothing with the library but the arrays of a Graph."""

import numpy as np


def simple_adjacency(graph):
    """The neighbours of each vertex as a list of sets: no loops, no duplicates."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    return [set(indices[indptr[v] : indptr[v + 1]]) - {v} for v in range(len(indptr) - 1)]


def hash32(x):
    """The 32-bit hash of ECL-MIS."""
    x &= 0xFFFFFFFF
    for _ in range(2):
        x = ((x >> 16) ^ x) * 0x45D9F3B & 0xFFFFFFFF
    return (x >> 16) ^ x


def ecl_byte(degree, hashed, entries, n):
    """The priority byte of ECL-MIS v1.3; every step in single precision."""
    if degree == 0:
        return 0xFE
    single = np.float32
    average = single(entries) / single(n)
    x = single(degree) - single(hashed) * single(2.0**-32)
    return 2 * int(np.rint(single(126) * average / (average + x))) | 1


def priority_key(graph, priority="degree", seed=0):
    """A sortable key for each vertex; the smallest key comes first in the order."""
    degrees = [len(neighbours) for neighbours in simple_adjacency(graph)]
    n, entries = len(degrees), sum(degrees)
    vertices = range(n)
    hashes = [hash32(v + seed) for v in vertices]
    if not isinstance(priority, str):
        values = np.asarray(priority).tolist()
        return [(-values[v], -hashes[v], -v) for v in vertices]
    if priority == "degree":
        return [(degrees[v], -hashes[v], -v) for v in vertices]
    if priority == "ecl":
        return [(-ecl_byte(degrees[v], hashes[v], entries, n), -v) for v in vertices]
    if priority == "random":
        return [(-hashes[v], -v) for v in vertices]
    if priority == "natural":
        return list(vertices)
    if priority == "high-degree":
        return [(-degrees[v], -v) for v in vertices]
    raise ValueError(priority)


def greedy_independent_set(graph, keys, include=(), exclude=()):
    """The set that is built by visiting vertices from the smallest key on, those in `include` before all others."""
    neighbours = simple_adjacency(graph)
    first, banned = set(include), set(exclude)
    members = set()
    for v in sorted(range(len(neighbours)), key=lambda v: (v not in first, keys[v])):
        if v not in banned and not neighbours[v] & members:
            members.add(v)
    mask = np.zeros(len(neighbours), bool)
    mask[sorted(members)] = True
    return mask


def in_rounds(graph, keys_in_round, include=(), exclude=()):
    """The set, and who is left, at first and after each round: those join whose key is below all their neighbours'.

    `keys_in_round(i)` has a key for each vertex. At first all are left; the first round takes those away too that need
    no decision.
    """
    neighbours = simple_adjacency(graph)
    everybody = set(range(len(neighbours)))
    members = set(include)
    left = everybody - set(exclude) - members - {u for v in members for u in neighbours[v]}
    lefts = [everybody]
    while lefts[-1]:
        keys = keys_in_round(len(lefts) - 1)
        joined = {v for v in left if all(keys[v] < keys[u] for u in neighbours[v] & left)}
        members |= joined
        left = left - joined - {u for v in joined for u in neighbours[v]}
        lefts.append(left)
    mask = np.zeros(len(neighbours), bool)
    mask[sorted(members)] = True
    return mask, lefts


def luby(graph, seed=0, include=(), exclude=()):
    """Rounds in which the largest numbers join, drawn anew for each."""
    n = len(simple_adjacency(graph))

    def keys(i):
        return [(-hash32(v + hash32(seed + i)), -v) for v in range(n)]

    return in_rounds(graph, keys, include, exclude)


def distances_within(neighbours, v, k):
    """All vertices other than v that at most k edges lead to."""
    seen, border = {v}, {v}
    for _ in range(k):
        border = {w for u in border for w in neighbours[u]} - seen
        seen |= border
    return seen - {v}


def is_independent(graph, mask, k=1):
    neighbours = simple_adjacency(graph)
    members = set(np.flatnonzero(mask).tolist())
    return not any(distances_within(neighbours, v, k) & members for v in members)


def is_maximal_independent(graph, mask, k=1, exclude=()):
    neighbours = simple_adjacency(graph)
    members, banned = set(np.flatnonzero(mask).tolist()), set(exclude)
    others = set(range(len(neighbours))) - members - banned
    covered = all(distances_within(neighbours, v, k) & members for v in others)
    return covered and not members & banned and is_independent(graph, mask, k)


def dependence_depths(graph, keys):
    """1 for a vertex that nobody is ahead of, else 1 more than the deepest neighbour ahead of it."""
    neighbours = simple_adjacency(graph)
    depth = {}
    for v in sorted(range(len(neighbours)), key=keys.__getitem__):
        depth[v] = 1 + max((depth[u] for u in neighbours[v] if u in depth), default=0)
    return [depth[v] for v in range(len(neighbours))]
