"""Slow, simple oracles for the independent set algorithms that do not compute the greedy set of an order.

Each receives a graph, the hash of the caller's seed, and the vertices that must or must not be in the set. It returns
the mask, then the number of undecided vertices at first (all vertices) and after each round, then the counts of its
algorithm.
"""

from math import ceil, log2

from . import naive
from .remember import remember


@remember
def luby(graph, hashed=0, include=(), exclude=()):
    """Run `naive.luby` with the hash of the seed."""
    mask, remaining = naive.luby(graph, include=include, exclude=exclude, hashed=hashed)
    return mask, [len(vertices) for vertices in remaining]


@remember
def luby_select(graph, hashed=0, adaptive=True, include=(), exclude=()):
    """Run rounds in which a few vertices are drawn; also count undecided vertices and visited entries."""
    neighbors = naive.simple_adjacency(graph)
    n, key = len(neighbors), [(len(around), v) for v, around in enumerate(neighbors)]
    members = set(include) | {v for v in range(n) if not neighbors[v] and v not in exclude}
    remaining = naive.undecided(neighbors, members, exclude)
    draw, undecided = 0, [n]
    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(n)]
    entries = sum(len(rows[v]) for v in include)

    def until(v, result):
        """Return the number of entries that v visits until it finds one of these vertices."""
        return next((i for i, u in enumerate(rows[v], 1) if u in result), len(rows[v]))

    while remaining:
        selected = set()
        if not adaptive or 2 * len(remaining) >= n:
            for _ in range(64):
                noise = naive.hash32(hashed + draw)
                selected = {v for v in remaining if naive.hash32(v + noise) * 2 * len(neighbors[v]) < 2**32}
                draw += 1
                if selected:
                    break
        selected = selected or remaining
        joined = {v for v in selected if all(key[u] < key[v] for u in neighbors[v] & selected)}
        members |= joined
        entries += sum(until(v, {u for u in neighbors[v] & selected if key[u] > key[v]}) for v in selected)
        entries += sum(until(v, joined) for v in remaining - joined)
        remaining = remaining - joined - {u for v in joined for u in neighbors[v]}
        undecided.append(len(remaining))
    return naive.mask_of(n, members), undecided, entries


@remember
def residual(graph, hashed=0, include=(), exclude=()):
    """Run rounds in which vertices with few undecided neighbors join; also count undecided vertices."""
    neighbors = naive.simple_adjacency(graph)
    members = set(include)
    remaining = naive.undecided(neighbors, members, exclude)
    undecided = []
    while True:
        members |= {v for v in remaining if not neighbors[v] & remaining}
        remaining -= members
        undecided.append(len(remaining))
        if not remaining:
            break
        key = {v: (len(neighbors[v] & remaining), -naive.hash32(v + hashed), -v) for v in remaining}
        limit = max(2, min(degree for degree, _, _ in key.values()))
        joined = {v for v in remaining if key[v][0] <= limit and all(key[v] < key[u] for u in neighbors[v] & remaining)}
        members |= joined
        remaining -= joined | {u for v in joined for u in neighbors[v]}
    return naive.mask_of(len(neighbors), members), [len(neighbors), *undecided[1:]]


def edges_inside(neighbors, chosen):
    return sum(len(neighbors[u] & chosen) for u in chosen) // 2


def heavy_find(neighbors, undecided):
    """Return K, its heavy vertices, and the edges in K at each step."""
    share = len(undecided) / max(1, ceil(log2(len(undecided))))
    i = max(1, ceil(log2(len(undecided))))
    steps, degree = [], {u: len(neighbors[u] & undecided) for u in undecided}  # in the induced graph of its keys
    while True:
        i -= 1
        steps.append(sum(degree.values()) // 2)
        least = 2**i - 1
        heavy = {u for u in degree if degree[u] >= least}
        if len(heavy) >= share or i == 0:
            return set(degree), heavy, steps
        for u in heavy:
            del degree[u]
        for u in heavy:
            for w in neighbors[u] & degree.keys():
                degree[w] -= 1


def score(neighbors, remaining, chosen):
    """Compute the score by pairs, as in its definition; common neighbors are charged for adjacent pairs, too."""
    degree = {u: len(neighbors[u] & remaining) for u in chosen}
    total = sum(1 + degree[u] for u in chosen)
    for u in chosen:
        for w in chosen:
            if u < w:
                total -= len(neighbors[u] & neighbors[w] & remaining)
                if w in neighbors[u]:
                    total -= 1 + max(degree[u], degree[w])
    return total


def score_find(neighbors, remaining, heavy, seed):
    largest = max(len(neighbors[u] & remaining) for u in remaining)
    if largest == 0:
        return heavy
    size = max(1, len(heavy) // (8 * largest))
    best = None
    for draw in range(8):
        salt = naive.hash32(draw + seed)
        ranked = sorted(heavy, key=lambda v: (naive.hash32(v + salt), v))
        chosen = set(ranked[:size])
        value = score(neighbors, remaining, chosen)
        if best is None or value > best[0]:
            best = value, chosen
    return best[1]


@remember
def karp_wigderson(graph, hashed=0, include=(), exclude=()):
    """Run HEAVYFIND, SCOREFIND and INDFIND; also count undecided vertices and the edges visited by the steps."""
    neighbors = naive.simple_adjacency(graph)
    n = len(neighbors)
    members = set(include)
    remaining = naive.undecided(neighbors, members, exclude)
    sizes, edges = [n], 0
    while remaining:
        remainder, heavy, steps = heavy_find(neighbors, remaining)
        candidates = score_find(neighbors, remainder, heavy, naive.hash32(len(sizes) - 1 + hashed))
        edges += sum(steps) + 8 * steps[-1] + edges_inside(neighbors, candidates) + steps[0]
        joined = {v for v in candidates if not any(u < v for u in neighbors[v] & candidates)}
        members |= joined
        before = len(remaining)
        remaining -= joined | {u for v in joined for u in neighbors[v]}
        assert before - len(remaining) >= score(neighbors, remainder, candidates)  # the score is a lower bound
        sizes.append(len(remaining))
    return naive.mask_of(n, members), sizes, edges


# By the algorithm's name; "locked" has none, as its set depends on the schedule.
ORACLES = {"luby": luby, "luby_select": luby_select, "karp_wigderson": karp_wigderson, "residual": residual}
