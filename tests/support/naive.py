"""Slow, simple oracles: plain Python on sets; they share only the arrays of a Graph with the library."""

import heapq
import sys
from fractions import Fraction
from functools import cache
from math import lcm

import numpy as np


def simple_adjacency(graph):
    """Return the neighbors of each vertex as a list of sets: no loops, no duplicates."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    return [set(indices[indptr[v] : indptr[v + 1]]) - {v} for v in range(len(indptr) - 1)]


def hash32(x):
    """Return the 32-bit hash of ECL-MIS."""
    x &= 0xFFFFFFFF
    x = ((x >> 16) ^ x) * 0x45D9F3B & 0xFFFFFFFF
    x = ((x >> 16) ^ x) * 0x45D9F3B & 0xFFFFFFFF
    return (x >> 16) ^ x


def hash_seed(seed):
    """Return the summand of a seed for ids and rounds: its 32-bit words are hashed in turn, sign words first."""
    hashed = 0
    for place in range(-(-seed.bit_length() // 32), -1, -1):
        hashed = hash32(hashed ^ (seed >> 32 * place))
    return hashed


def ecl_byte(degree, hashed, entries, n):
    """Return the priority byte of ECL-MIS v1.3; every step is in single precision."""
    if degree == 0:
        return 0xFE
    single = np.float32
    average = single(entries) / single(n)
    x = single(degree) - single(hashed) * single(2.0**-32)
    return 2 * int(np.rint(single(126) * average / (average + x))) | 1


def priority_key(graph, priority="degree", seed=0):
    """Return a sortable key for each vertex; the smallest key comes first in the order."""
    degrees = [len(neighbors) for neighbors in simple_adjacency(graph)]
    n, entries = len(degrees), sum(degrees)
    vertices = range(n)
    hashes = [hash32(v + hash_seed(seed)) for v in vertices]
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
    if priority == "high_degree":
        return [(-degrees[v], -v) for v in vertices]
    raise ValueError(priority)


def weight_key(graph, weights, by="ratio", seed=0):
    """Return a sortable key for each vertex: by weight / (degree + 1), or by weight; the smallest key comes first."""
    degrees = [len(neighbors) for neighbors in simple_adjacency(graph)]
    divisors = [degree + 1 if by == "ratio" else 1 for degree in degrees]
    ratios = [Fraction(weight) / a for weight, a in zip(np.asarray(weights).tolist(), divisors, strict=True)]
    common = lcm(*(ratio.denominator for ratio in ratios))  # integers are compared faster than fractions
    whole, hashed = [ratio.numerator * (common // ratio.denominator) for ratio in ratios], hash_seed(seed)
    return [(-ratio, -hash32(v + hashed), -v) for v, ratio in enumerate(whole)]


def greedy_set_at_distance(graph, keys, k=1, include=(), exclude=()):
    """Return the set built by visiting the vertices in `include`, then all others by ascending key."""
    neighbors = simple_adjacency(graph)
    first, banned, members, near = set(map(int, include)), set(map(int, exclude)), set(), set()
    for v in sorted(range(len(neighbors)), key=lambda v: (v not in first, keys[v])):
        if v not in banned and v not in near:
            members.add(v)
            near |= distances_within(neighbors, v, k) | {v}
    return mask_of(len(neighbors), members)


def mask_of(n, members):
    """Return the vertices as a mask."""
    mask = np.zeros(n, bool)
    mask[sorted(members)] = True
    return mask


def undecided(neighbors, members, exclude=()):
    """Return the vertices that may still join: neither members, nor next to one, nor excluded."""
    return set(range(len(neighbors))) - set(exclude) - members - {u for v in members for u in neighbors[v]}


def greedy_independent_set(graph, keys, include=(), exclude=()):
    """Return the set built by visiting the vertices in `include`, then all others by ascending key."""
    neighbors = simple_adjacency(graph)
    first, banned = set(include), set(exclude)
    members = set()
    for v in sorted(range(len(neighbors)), key=lambda v: (v not in first, keys[v])):
        if v not in banned and not neighbors[v] & members:
            members.add(v)
    return mask_of(len(neighbors), members)


def in_rounds(graph, keys_in_round, include=(), exclude=()):
    """Build a set in rounds; vertices join whose key is below the keys of all their neighbors.

    `keys_in_round(i)` returns a key for each vertex. Also return the undecided vertices: at first all vertices, then
    those after each round. The first round also removes the vertices that need no decision.
    """
    neighbors = simple_adjacency(graph)
    members = set(include)
    remaining = undecided(neighbors, members, exclude)
    lefts = [set(range(len(neighbors)))]
    while lefts[-1]:
        keys = keys_in_round(len(lefts) - 1)
        joined = {v for v in remaining if all(keys[v] < keys[u] for u in neighbors[v] & remaining)}
        members |= joined
        remaining = remaining - joined - {u for v in joined for u in neighbors[v]}
        lefts.append(remaining)
    return mask_of(len(neighbors), members), lefts


def luby(graph, seed=0, include=(), exclude=(), hashed=None):
    """Run rounds in which the largest numbers join; the numbers are drawn anew for each round."""
    n = len(simple_adjacency(graph))
    hashed = hash_seed(seed) if hashed is None else hashed

    def keys(i):
        return [(-hash32(v + hash32(hashed + i)), -v) for v in range(n)]

    return in_rounds(graph, keys, include, exclude)


def distances_within(neighbors, v, k):
    """Return all vertices except for v within k edges of v."""
    seen, border = {v}, {v}
    for _ in range(k):
        border = {w for u in border for w in neighbors[u]} - seen
        seen |= border
    return seen - {v}


def is_independent(graph, mask, k=1):
    neighbors = simple_adjacency(graph)
    members = set(np.flatnonzero(mask).tolist())
    return not any(distances_within(neighbors, v, k) & members for v in members)


def is_maximal_independent(graph, mask, k=1, exclude=()):
    neighbors = simple_adjacency(graph)
    members, banned = set(np.flatnonzero(mask).tolist()), set(exclude)
    others = set(range(len(neighbors))) - members - banned
    covered = all(distances_within(neighbors, v, k) & members for v in others)
    return covered and not members & banned and is_independent(graph, mask, k)


def components(neighbors, among=None):
    """Return the connected components, as sets, among some of the vertices."""
    remaining, result = set(range(len(neighbors)) if among is None else among), []
    while remaining:
        reached, frontier = set(), {min(remaining)}
        while frontier:
            reached |= frontier
            frontier = {u for v in frontier for u in neighbors[v] if u in remaining} - reached
        remaining -= reached
        result.append(reached)
    return result


def connected_components(graph):
    """Return their count, and labels in the order of their smallest vertices; for a directed graph, weak components."""
    around = simple_adjacency(graph)
    for v, neighbors in enumerate(simple_adjacency(graph)):
        for u in neighbors:
            around[u].add(v)
    result = components(around)
    numbers = {v: number for number, component in enumerate(result) for v in component}
    return len(result), [numbers[v] for v in range(len(around))]


def breadth_first(graph, sources, max_distance=None):
    """Return distances and smallest parents, level by level; -1 for vertices that are unreachable or too far."""
    neighbors = simple_adjacency(graph)
    distance, parent = [-1] * len(neighbors), [-1] * len(neighbors)
    level, frontier = 0, set(sources)
    for v in frontier:
        distance[v], parent[v] = 0, v
    while frontier and level != max_distance:
        level += 1
        following = {u: v for v in sorted(frontier, reverse=True) for u in neighbors[v] if distance[u] < 0}
        for u, v in following.items():
            distance[u], parent[u] = level, v
        frontier = set(following)
    return distance, parent


def rows_of(graph):
    """Return the row of each entry."""
    return np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))


def shortest_paths(graph, sources, weights, max_distance=None):
    """Return distances, None without a path, and parents: Dijkstra's algorithm with a heap, then steps on tight arcs.

    A distance beyond the range of the weights' dtype is an OverflowError.
    """
    rows = [[] for _ in range(graph.num_vertices)]
    for u, v, weight in zip(rows_of(graph).tolist(), graph.indices.tolist(), weights.tolist(), strict=True):
        rows[u].append((v, weight))
    largest = 2**62 - 1 if weights.dtype.kind in "iub" else sys.float_info.max
    limit = largest if max_distance is None else min(largest, max_distance)
    distance, heap = {}, [(0, v) for v in sources]
    while heap:
        d, v = heapq.heappop(heap)
        if v not in distance and d <= limit:
            distance[v] = d
            for u, weight in rows[v]:
                heapq.heappush(heap, (d + weight, u))
        elif v not in distance and max_distance is None:
            raise OverflowError
    parent, frontier = {v: v for v in sources}, set(sources)
    while frontier:
        found = {}
        for v in frontier:
            for u, weight in rows[v]:
                if u not in parent and u in distance and distance[v] + weight == distance[u]:
                    found[u] = min(v, found.get(u, v))
        parent |= found
        frontier = set(found)
    every = range(graph.num_vertices)
    return [distance.get(v) for v in every], [parent.get(v, -1) for v in every]


def minimum_spanning_forest(graph, maximum=False):
    """Return its edges (u, v, weight), u < v, sorted: by Kruskal, ties by (u, v), the best of repeated entries."""
    best = {}
    weights = [1] * graph.num_entries if graph.weights is None else graph.weights.tolist()
    for u in range(graph.num_vertices):
        for e in range(int(graph.indptr[u]), int(graph.indptr[u + 1])):
            edge = u, int(graph.indices[e])
            if edge[0] < edge[1]:
                best[edge] = (max if maximum else min)(best.get(edge, weights[e]), weights[e])
    trees, forest = {v: {v} for v in range(graph.num_vertices)}, []
    for (u, v), weight in sorted(best.items(), key=lambda item: (-item[1] if maximum else item[1], item[0])):
        if trees[u] is not trees[v]:
            trees[u] |= trees[v]
            trees.update(dict.fromkeys(trees[v], trees[u]))
            forest.append((u, v, weight))
    return sorted(forest)


def single_linkage(n, edges):
    """Return the rows (a, b, distance, size) of joins: edges (u, v, distance) by distance, then trees at infinity."""
    clusters, rows = {v: {v} for v in range(n)}, []
    edges = sorted((distance, min(u, v), max(u, v)) for u, v, distance in edges)
    while len(clusters) > 1:
        first, second = sorted(clusters, key=lambda number: min(clusters[number]))[:2]
        distance, u, v = edges.pop(0) if edges else (float("inf"), min(clusters[first]), min(clusters[second]))
        a, b = sorted(number for number, cluster in clusters.items() if {u, v} & cluster)
        clusters[n + len(rows)] = clusters.pop(a) | clusters.pop(b)
        rows.append((a, b, distance, len(clusters[n + len(rows)])))
    return rows


def weight_of_entries(graph):
    """Return the weight of each entry, 1.0 without weights; of repeated entries, the smallest one."""
    weights = [1.0] * len(graph.indices) if graph.weights is None else graph.weights.tolist()
    rows = np.repeat(np.arange(len(graph.indptr) - 1), np.diff(graph.indptr)).tolist()
    smallest = {}
    for u, v, weight in zip(rows, graph.indices.tolist(), weights, strict=True):
        smallest[u, v] = min(float(weight), smallest.get((u, v), float("inf")))
    return smallest


def mutual_reachability(graph, min_samples):
    """Return the largest of the distance and the core distances of both ends for each entry."""
    distance, core = weight_of_entries(graph), []
    for w in range(len(graph.indptr) - 1):
        ranked = sorted(d for (u, v), d in distance.items() if u == w != v)
        core.append(ranked[min_samples - 1] if len(ranked) >= min_samples else float("inf"))
    return {(u, v): max(d, core[u], core[v]) for (u, v), d in distance.items()}


def strong_components(graph):
    """Return the count and labels, by smallest vertex, of the sets of mutually reachable vertices."""
    neighbors = simple_adjacency(graph)
    reach = [distances_within(neighbors, v, len(neighbors)) | {v} for v in range(len(neighbors))]
    leaders = [min(u for u in reach[v] if v in reach[u]) for v in range(len(neighbors))]
    numbers = {v: number for number, v in enumerate(sorted(set(leaders)))}
    return len(numbers), [numbers[v] for v in leaders]


def is_bipartite(neighbors, component):
    """Return whether a connected component has no odd cycle: no edge joins vertices at distances of equal parity."""
    side = {min(component): 0}
    for v in (order := [min(component)]):
        for u in neighbors[v] - side.keys():
            side[u] = 1 - side[v]
            order.append(u)
    return all(side[v] != side[u] for v in component for u in neighbors[v])


def bridges(neighbors):
    """Return the edges without which their ends are not connected, with the smaller end first."""
    found = []
    for u, v in sorted((u, v) for u, row in enumerate(neighbors) for v in row if u < v):
        reached, ahead = {u}, [u]
        while ahead:
            w = ahead.pop()
            new = neighbors[w] - reached - ({v} if w == u else set())
            reached |= new
            ahead += new
        if v not in reached:
            found.append([u, v])
    return found


def one_per_source(n, edges, sources, earlier=()):
    """Return the clusters, as sets, that edges (u, v, score) and earlier clusters give with one vertex per source."""
    clusters = [set(cluster) for cluster in earlier]
    clusters += [{v} for v in range(n) if not any(v in cluster for cluster in clusters)]
    for _, u, v in sorted((-score, min(u, v), max(u, v)) for u, v, score in edges):
        one, other = (next(cluster for cluster in clusters if w in cluster) for w in (u, v))
        if one is not other and not {sources[w] for w in one} & {sources[w] for w in other}:
            clusters.remove(other)
            one |= other
    return clusters


def core_numbers(neighbors):
    """Return for each vertex the largest k so that it survives the removal of vertices with less than k neighbors."""
    numbers = [0] * len(neighbors)
    for k in range(1, len(neighbors)):
        alive = set(range(len(neighbors)))
        while few := {v for v in alive if len(neighbors[v] & alive) < k}:
            alive -= few
        for v in alive:
            numbers[v] = k
    return numbers


def maximum_independent_set(neighbors):
    """Return a maximum set by branching on vertices with many neighbors, per component. Only for tiny graphs."""

    def largest(live):
        parts = components(neighbors, live)
        if len(parts) > 1:
            return set().union(*(largest(part) for part in parts))
        degree = {v: len(neighbors[v] & live) for v in live}
        for v in sorted(live):
            if degree[v] <= 1:
                return {v} | largest(live - neighbors[v] - {v})
        if not live:
            return set()
        v = max(sorted(live), key=degree.get)
        return max(largest(live - {v}), {v} | largest(live - neighbors[v] - {v}), key=len)

    return mask_of(len(neighbors), largest(set(range(len(neighbors)))))


def heaviest_independent_set(neighbors, weights):
    """Return a set of largest weight by branching on vertices with many neighbors, per component."""
    exact = [Fraction(weight) for weight in weights]
    common = lcm(*(weight.denominator for weight in exact))
    whole = [weight.numerator * (common // weight.denominator) for weight in exact]

    @cache
    def heaviest(live):
        """Return the weight and the set."""
        parts = components(neighbors, live)
        if len(parts) > 1:
            pairs = [heaviest(frozenset(part)) for part in parts]
            return sum(weight for weight, _ in pairs), set().union(*(members for _, members in pairs))
        if len(live) <= 1:
            return sum(whole[v] for v in live), set(live)
        v = max(sorted(live), key=lambda v: len(neighbors[v] & live))
        weight, members = heaviest(live - neighbors[v] - {v})
        return max(heaviest(live - {v}), (whole[v] + weight, {v} | members), key=lambda pair: pair[0])

    return mask_of(len(neighbors), heaviest(frozenset(range(len(neighbors))))[1])


def independence_number(neighbors):
    return int(maximum_independent_set(neighbors).sum())


def dependence_depths(graph, keys):
    """Return 1 for a vertex without neighbors ahead of it, otherwise 1 more than the deepest neighbor ahead."""
    neighbors = simple_adjacency(graph)
    depth = {}
    for v in sorted(range(len(neighbors)), key=keys.__getitem__):
        depth[v] = 1 + max((depth[u] for u in neighbors[v] if u in depth), default=0)
    return [depth[v] for v in range(len(neighbors))]


def first_fit(graph, vertices, distance=1, fixed=None):
    """Give every vertex in turn the smallest color that no vertex within the distance has."""
    neighbors = simple_adjacency(graph)
    colors = [-1] * len(neighbors) if fixed is None else list(fixed)
    for v in vertices:
        if colors[v] < 0:
            taken = {colors[u] for u in distances_within(neighbors, v, distance)}
            colors[v] = min(set(range(len(taken) + 1)) - taken)
    return colors


def coloring_order(graph, order="largest_first", ties="id", seed=0):
    """Return all vertices in the order in which they are colored."""
    neighbors = simple_adjacency(graph)
    degrees = [len(around) for around in neighbors]
    hashed = [(-hash32(v + hash_seed(seed)), -v) for v in range(len(degrees))]
    tie = hashed if ties == "hash" else list(range(len(degrees)))
    largest_first = sorted(range(len(degrees)), key=lambda v: (-degrees[v], tie[v]))
    if not isinstance(order, str):
        values = np.asarray(order).tolist()
        return sorted(range(len(degrees)), key=lambda v: (-values[v], tie[v]))
    if order == "natural":
        return list(range(len(degrees)))
    if order == "random":
        return sorted(range(len(degrees)), key=hashed.__getitem__)
    if order == "largest_first":
        return largest_first
    if order == "largest_log_first":
        return sorted(range(len(degrees)), key=lambda v: (-degrees[v].bit_length(), tie[v]))
    taken, colors = [], {}
    while len(taken) < len(degrees):
        remaining = [v for v in largest_first if v not in colors]
        around = [[colors[u] for u in neighbors[v] if u in colors] for v in remaining]
        wanted = [len(set(result)) if order == "saturation" else len(result) for result in around]
        best = wanted.index(max(wanted))
        taken.append(remaining[best])
        colors[remaining[best]] = min(set(range(len(degrees))) - set(around[best]))
    return taken


def coloring_steps(graph, vertices, shortcuts):
    """Count steps on frozen sets of possible colors until each set has one color; roots have theirs before."""
    neighbors = simple_adjacency(graph)
    rank = {v: i for i, v in enumerate(vertices)}
    ahead = {v: {u for u in neighbors[v] if rank[u] < rank[v]} for v in vertices}
    sets = {v: set(range(len(ahead[v]) + 1)) for v in vertices}
    steps = 0
    while any(ahead.values()):
        before = {v: set(sets[v]) for v in sets}
        colored = {v for v in ahead if not ahead[v]}
        for v in set(ahead) - colored:
            union = set()
            for u in sorted(ahead[v], key=rank.__getitem__):
                if len(before[u]) == 1:
                    sets[v] -= before[u] & sets[v] or {max(sets[v])}
                    ahead[v].discard(u)
                elif shortcuts and not before[u] & sets[v]:
                    sets[v].discard(max(sets[v]))
                    ahead[v].discard(u)
                else:
                    union |= before[u]
            if not ahead[v] or (shortcuts and min(sets[v]) not in union):
                sets[v] = {min(sets[v])}
                ahead[v].clear()
        steps += 1
    return steps


def luby_coloring(graph, seed=0):
    """Color by maximal independent sets of the remaining vertices, one set per color."""
    colors = np.full(graph.num_vertices, -1)
    while (colors < 0).any():
        color = colors.max() + 1
        draw = hash32(hash_seed(seed) + int(color))
        colors[luby(graph, hashed=draw, exclude=np.flatnonzero(colors >= 0).tolist())[0]] = color
    return colors.tolist()


def kokkos_hash(x):
    """Return 32 bits of an xorshift* generator, as Kokkos Kernels draws priorities."""
    x ^= x >> 12
    x ^= (x << 25) % 2**64
    x ^= x >> 27
    return ((x * 2685821657736338717 - 1) >> 16) & 0xFFFFFFFF


def distance_two_set(graph, rows=None, columns=None):
    """Return the maximal independent set at distance 2 of Kokkos Kernels: the smallest number within two steps joins.

    With `rows` only these vertices are candidates; with `columns` only steps through these vertices count. Numbers are
    drawn anew for each round and depend on the vertex ids.
    """
    neighbors, n = simple_adjacency(graph), graph.num_vertices
    everybody = set(range(n))
    remaining, through = set(everybody if rows is None else rows), set(everybody if columns is None else columns)
    around = [(neighbors[v] | {v}) & through for v in range(n)]
    members, drawn = set(), 0
    while remaining:
        draw = kokkos_hash(drawn)
        numbers = {v: (kokkos_hash(kokkos_hash(v) ^ draw) << (n + 1).bit_length() | v + 1) % 2**32 for v in remaining}
        numbers = {v: min(number, 2**32 - 2) for v, number in numbers.items()}
        minimum = {w: min((numbers[v] for v in (neighbors[w] | {w}) & remaining), default=None) for w in through}
        covered = {w for w in through if (neighbors[w] | {w}) & members}
        remaining = {v for v in remaining if not around[v] & covered}  # they still had a number in this round
        joined = {v for v in remaining if all(minimum[w] == numbers[v] for w in around[v])}
        members |= joined
        remaining -= joined
        drawn += 1
    return members


def set_at_distance(graph, k, priority="random", seed=0, include=(), exclude=()):
    """Build a maximal independent set at distance k in rounds; also return the number of undecided vertices after each.

    The vertex with the smallest word within k steps joins. With "random", other vertices see a nearby new member one
    round later; with "degree", immediately.
    """
    neighbors = simple_adjacency(graph)
    n = len(neighbors)
    near = [distances_within(neighbors, v, k) for v in range(n)]
    bits, begin = (n + 1).bit_length(), hash_seed(seed)

    def word(v, drawn):
        hashed = kokkos_hash(kokkos_hash(v) ^ kokkos_hash((begin + drawn) % 2**32))
        if priority == "random":
            return (hashed << bits | v + 1) % 2**32
        fraction, exponent = np.frexp(max(len(neighbors[v]), 1))  # four classes for each power of two
        return int(exponent), int(8 * fraction), hashed, v

    members = set(include)
    contenders = undecided(near, members, exclude)
    beaten, lefts = set(), [n]
    while lefts[-1]:
        words = {v: word(v, len(lefts) - 1) for v in contenders | beaten}
        joined = {v for v in contenders if all(words[v] <= words[u] for u in near[v] & words.keys())}
        members |= joined
        contenders -= joined
        beaten = {v for v in contenders if near[v] & joined}
        contenders -= beaten
        beaten = set() if priority == "degree" else beaten
        lefts.append(len(contenders | beaten))
    return mask_of(n, members), lefts


def set_among(graph, priority, rows=None, columns=None):
    """Return the maximal independent set at distance 2 in an order, with seed 0; arguments as of `distance_two_set`."""
    if isinstance(priority, str) and priority == "random":
        return distance_two_set(graph, rows, columns)
    neighbors, n = simple_adjacency(graph), graph.num_vertices
    through = set(range(n) if columns is None else columns)
    near = [neighbors[v].union(*(neighbors[w] for w in neighbors[v] & through)) - {v} for v in range(n)]
    contenders, members, drawn = set(range(n) if rows is None else rows), set(), 0
    keys = None if isinstance(priority, str) else priority_key(graph, priority)
    while contenders:
        if isinstance(priority, str):
            parts = np.frexp([max(len(around), 1) for around in neighbors])  # four classes for each power of two
            hashes = [kokkos_hash(kokkos_hash(v) ^ kokkos_hash(drawn)) for v in range(n)]
            keys = [(int(parts[1][v]), int(8 * parts[0][v]), hashes[v], v) for v in range(n)]
        joined = {v for v in contenders if all(keys[v] < keys[u] for u in near[v] & contenders)}
        members |= joined
        contenders -= joined.union(*(near[v] for v in joined))
        drawn += 1
    return members


def aggregates(graph, algorithm, priority="random"):
    """Return the aggregate of each vertex."""
    return aggregates_and_roots(graph, algorithm, priority)[0]


def aggregates_and_roots(graph, algorithm, priority="random"):
    """Return labels by the roots of the first and the second phase, and then of the remaining vertices; the roots."""
    neighbors, n = [sorted(around) for around in simple_adjacency(graph)], graph.num_vertices
    roots, labels = sorted(set_among(graph, priority)), [-1] * n
    for label, root in enumerate(roots):
        for v in (root, *neighbors[root]):
            labels[v] = label
    if algorithm == "mis2_basic":
        after = [
            label if label >= 0 else next(labels[u] for u in neighbors[v] if labels[u] >= 0)
            for v, label in enumerate(labels)
        ]
        return after, roots
    free = {v for v in range(n) if labels[v] < 0}
    for root in sorted(set_among(graph, priority, free, free if algorithm == "mis2" else None)):
        taken = free & set(neighbors[root])
        if len(taken) >= 2:
            for v in (root, *taken):
                labels[v] = len(roots)
            roots.append(root)
    sizes = [labels.count(label) for label in range(len(roots))]
    after = list(labels)
    for v in set(range(n)) - set(roots):
        if algorithm == "mis2" and labels[v] >= 0:
            continue
        links, seen = {}, set()
        for u in neighbors[v]:
            if algorithm == "kokkos" and len(links) == 8 and labels[u] not in (-1, labels[v], *links):
                break
            if labels[u] not in (-1, labels[v]):
                links[labels[u]] = links.get(labels[u], 0) + 1
                seen.add(u)
        if algorithm == "mis2":
            after[v] = min(links, key=lambda label: (-links[label], sizes[label], label))
            continue
        best = (0, 0, 0)
        if labels[v] >= 0:
            best = (1, sum(labels[u] == labels[v] for u in neighbors[v]), -sizes[labels[v]])
        for label, count in links.items():
            offer = (int(roots[label] in seen), count, -sizes[label])
            if offer > best:
                best, after[v] = offer, label
    return after, roots
