"""Slow oracles of communities: plain Python on dictionaries, one sub-round after another.

They share with the library only the arrays of a Graph, and the formulas of its rules.
"""

from collections import defaultdict
from fractions import Fraction
from math import frexp, ldexp

from .naive import hash32, hash_seed

TINY, THETA = 2.0**-40, 0.1


def draw(x, salt):
    """Return the random bits of a vertex or community for a salt."""
    return hash32(hash32(x) ^ salt)


def turn(v, salt):
    """Return the key of a vertex in the random order of a step."""
    return draw(v, salt) >> 5, v


def salt_of(seed, level, step):
    """Return the salt of a step on a level; `seed` includes the number of the iteration."""
    return hash32(hash32(hash32(seed) + level) + step + 0x9E3779B9)


def worth(links, rate, mass):
    """Return the worth of a community for a vertex."""
    return float(links) - rate * float(mass)


class Level:
    """A level: the links of each vertex as a dictionary, and the masses and sizes of vertices."""

    def __init__(self, links, mass, size):
        self.links, self.mass, self.size = links, mass, size
        self.n = len(links)


def fixed_point(weights):
    """Return the weights as integers, and the shift."""
    exact = [Fraction(w) for w in weights.tolist()]
    largest = max(exact, default=0)
    if largest == 0:
        return [0] * len(exact), 0
    shift, bound = 1100, largest * len(exact) * 2**1100
    while bound > 2**44:
        shift, bound = shift - 1, bound / 2
    if shift >= 0 and all(w.denominator == 1 for w in exact) and weights.dtype.kind in "biu":
        return [int(w) for w in exact], 0
    unit = Fraction(2) ** shift
    return [round(w * unit) for w in exact], shift  # ties to even


def first_level(graph, objective):
    """Return the first level, the shift of the weights, and the sum of all weights."""
    n, indptr, indices = graph.num_vertices, graph.indptr.tolist(), graph.indices.tolist()
    weights, shift = [1] * len(indices), 0
    if graph.weights is not None:
        weights, shift = fixed_point(graph.weights)
    links, strength = [defaultdict(int) for _ in range(n)], [0] * n
    for v in range(n):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if graph.weights is None:
                links[v][u] = 1  # repeated entries count once
            else:
                links[v][u] += weights[e]
    for v in range(n):
        strength[v] = sum(links[v].values()) + links[v].get(v, 0)
        links[v] = {u: w for u, w in links[v].items() if u != v and w > 0}
    mass = strength if objective == "modularity" else [1] * n
    return Level(links, mass, [1] * n), shift, sum(strength)


def _scaled(number, shift):
    """Return number * 2**shift; above 2**900, all powers of two have the same results, as links are rounded away."""
    exponent = frexp(number)[1]
    return ldexp(number, min(shift, 900 - exponent))


def totals(level, label, values):
    """Return the sums of some values by community."""
    sums = defaultdict(int)
    for v in range(level.n):
        sums[label[v]] += values[v]
    return sums


def sums_by_label(level, v, label):
    """Return the sum of the links of v to each community around it."""
    sums = defaultdict(int)
    for u, w in level.links[v].items():
        sums[label[u]] += w
    return sums


def best_move(level, v, label, total, used, scale, limit, crowds):
    """Return the best community for v, the gain and the slack."""
    members, rate = label[v], scale * float(level.mass[v])
    sums = sums_by_label(level, v, label)
    own_links, own_mass = sums.pop(members, 0), total[members] - level.mass[v]
    stay = worth(own_links, rate, own_mass)
    open_to = [c for c in sums if not limit or used[c] + level.size[v] <= limit]
    best = min(
        open_to,
        key=lambda c: (-worth(sums[c], rate, total[c]), draw(c, hash32(v) & 1 if crowds else 0)),
        default=members,
    )
    value, links, mass = stay, own_links, own_mass
    if best != members and worth(sums[best], rate, total[best]) > stay:
        value, links, mass = worth(sums[best], rate, total[best]), sums[best], total[best]
    else:
        best = members
    if value < 0.0 and total[v] == 0:
        best, value, links, mass = v, 0.0, 0, 0
    gain = value - stay
    others = [worth(sums[c], rate, total[c]) for c in open_to if c != best] + [stay] * (best != members) + [0.0]
    slack = int(max(value - max(others), 0.0))
    if best == members:
        return members, 0.0, slack
    if not gain > TINY * (float(own_links + links) + rate * float(own_mass + mass)):
        return members, 0.0, 0
    return best, gain, slack


def sub_round(level, members, label, total, active, slack, scale, salt, crowds, fixed=()):
    """Do one sub-round: change labels, masses, slacks and active vertices; return the number of moves."""
    proposals = {}
    for v in members:
        active.discard(v)
        new, gain, slack[v] = best_move(level, v, label, total, None, scale, 0, crowds)
        if new != label[v]:
            proposals[v] = (new, gain)
    arrivals, first = defaultdict(int), {}
    for v, (new, _) in proposals.items():
        arrivals[new] += level.mass[v]
        first[new] = min(first.get(new, v), v, key=lambda u: turn(u, salt))
    moved = {}
    for v, (new, gain) in proposals.items():
        others = float(arrivals[new] - level.mass[v])
        before = (float(draw(v, salt)) * 2.0**-32) * others + float(level.mass[v])
        if crowds and first[new] != v and scale * float(level.mass[v]) * before >= gain:
            active.add(v)
        else:
            moved[v] = label[v]
    for v, old in moved.items():
        label[v] = proposals[v][0]
        total[old] -= level.mass[v]
        total[label[v]] += level.mass[v]
    losses = defaultdict(int)
    for v, old in moved.items():
        for u, w in level.links[v].items():
            if label[u] != label[v] and u not in active and u not in fixed:
                losses[u] += 2 * w if label[u] == old else w
    for u, loss in losses.items():
        slack[u] -= loss
        if slack[u] < 0:
            active.add(u)
    return len(moved)


def move_in_turn(level, label, total, used, active, scale, limit, salt, fixed, crowds):
    """Move active vertices one after another; return the number of moves."""
    moves = 0
    while active:
        for v in sorted(active, key=lambda v: turn(v, salt)):
            active.discard(v)
            new, _, _ = best_move(level, v, label, total, used, scale, limit, crowds)
            if new != label[v]:
                for sums, value in ((total, level.mass[v]), (used, level.size[v])):
                    sums[label[v]] -= value
                    sums[new] += value
                label[v] = new
                moves += 1
                active |= {u for u in level.links[v] if label[u] != new and u not in fixed}
    return moves


def local_moving(level, label, fixed, scale, limit, seed, depth, crowds):
    """Move vertices to better communities; return the number of moves."""
    active = set(range(level.n)) - fixed
    total, used = totals(level, label, level.mass), totals(level, label, level.size)
    if limit:
        return move_in_turn(level, label, total, used, active, scale, limit, salt_of(seed, depth, 32), fixed, crowds)
    moves, slack = 0, {}
    for sweep in range(32):
        salt, listed = salt_of(seed, depth, sweep), sorted(active)
        classes = 16 if crowds else 8
        groups = [[v] for v in sorted(listed, key=lambda v: turn(v, salt))]
        if len(listed) >= 8 * classes:
            groups = [[v for v in listed if draw(v, salt) % classes == k] for k in range(classes)]
        for members in groups:
            moves += sub_round(level, members, label, total, active, slack, scale, salt, crowds, fixed)
    return moves


def refine(level, label, scale, seed, depth):
    """Return the part of each vertex."""
    n, mass = level.n, level.mass
    total = totals(level, label, mass)
    inner = [sum(w for u, w in level.links[v].items() if label[u] == label[v]) for v in range(n)]
    part = list(range(n))

    def groups():
        result = defaultdict(list)
        for v in range(n):
            result[part[v]].append(v)
        return result

    def is_connected_well(group):
        whole, its_own = total[label[group[0]]], sum(mass[v] for v in group)
        cut = sum(w for v in group for u, w in level.links[v].items() if label[u] == label[v] and u not in group)
        return worth(cut, scale * float(its_own), whole - its_own) >= 0.0

    for attempt in (0, 1):
        salt = salt_of(seed, depth, 1000 + attempt)
        members = groups()
        single = [v for v in range(n) if members[part[v]] == [v]]
        classes = 1 if attempt else 16
        while classes > 1 and n < classes * 8:
            classes //= 2
        class_of = [draw(v, salt) % classes for v in range(n)]
        for k in range(classes):
            choice, members = {}, groups()
            for v in single:
                if class_of[v] != k or part[v] != v or len(members[v]) != 1:
                    continue
                rate, sums = scale * float(mass[v]), defaultdict(int)
                if worth(inner[v], rate, total[label[v]] - mass[v]) < 0.0:
                    continue
                for u, w in level.links[v].items():
                    if label[u] == label[v]:
                        sums[part[u]] += w
                values = {}
                for p, links in sums.items():
                    group = members[p]
                    value = worth(links, rate, sum(mass[u] for u in group))
                    if value >= 0.0 and is_connected_well(group):
                        fraction = float(draw(p, salt ^ hash32(v))) * 2.0**-32
                        values[p] = value * (1.0 - THETA * fraction)
                if values:
                    choice[v] = min(values, key=lambda p: (-values[p], draw(p, salt)))
            joins = []
            for v, p in choice.items():
                earlier = [u for u, q in choice.items() if q == v and turn(u, salt) < turn(v, salt)]
                moves_first = len(members[p]) == 1 and p in choice and turn(p, salt) < turn(v, salt)
                if not earlier and not moves_first:
                    joins.append(v)
            for v in joins:
                part[v] = choice[v]
    return part


def pieces(level, label, fixed=()):
    """Return the smallest vertex of the connected piece of each vertex inside its community."""
    first = [-1] * level.n
    anchors = defaultdict(set)
    for v in fixed:
        anchors[label[v]].add(v)
    for root in range(level.n):
        stack = [root] if first[root] < 0 else []
        while stack:
            v = stack.pop()
            if first[v] < 0:
                first[v] = root
                stack += [u for u in level.links[v] if label[u] == label[v]]
                stack += anchors[label[v]] if v in anchors[label[v]] else ()
    return first


def named_by_smallest(group):
    """Return for each vertex the smallest vertex of its group."""
    first = {}
    for v, g in enumerate(group):
        first.setdefault(g, v)
    return [first[g] for g in group]


def numbered(group):
    """Return for each vertex the number of its group, in the order of the smallest vertices."""
    number = {}
    return [number.setdefault(g, len(number)) for g in group]


def coarse(level, part):
    """Return the level of numbered parts."""
    count = max(part, default=-1) + 1
    links = [defaultdict(int) for _ in range(count)]
    mass, size = [0] * count, [0] * count
    for v in range(level.n):
        mass[part[v]] += level.mass[v]
        size[part[v]] += level.size[v]
        for u, w in level.links[v].items():
            if part[u] != part[v]:
                links[part[v]][part[u]] += w
    return Level([dict(row) for row in links], mass, size)


def score(level, label, links, objective, resolution, unit):
    """Return the exact objective of communities."""
    inside = links - sum(w for v in range(level.n) for u, w in level.links[v].items() if label[u] != label[v])
    squares = sum(m * m for m in totals(level, label, level.mass).values())
    if objective == "cpm":
        return Fraction(inside, 2) / unit - Fraction(resolution) * Fraction(squares - sum(level.size), 2)
    return Fraction(inside, links) - Fraction(resolution) * Fraction(squares, links**2) if links else Fraction(0)


def settle(level, label, fixed, scale, limit, seed, crowds):
    """Move single vertices until none can improve the objective; return labels and the number of moves."""
    moves = quiet = number = 0
    while quiet < 2:
        label = named_by_smallest(label)
        if number % 2:
            last = {c: max(v for v in range(level.n) if label[v] == c) for c in set(label)}
            label = [last[c] for c in label]
        total, used = totals(level, label, level.mass), totals(level, label, level.size)
        active = {
            v
            for v in range(level.n)
            if v not in fixed and best_move(level, v, label, total, used, scale, limit, crowds)[0] != label[v]
        }
        moved = move_in_turn(
            level, label, total, used, active, scale, limit, salt_of(seed, number, 2000), fixed, crowds
        )
        quiet = 0 if moved else quiet + 1
        moves, number = moves + moved, number + 1
    return label, moves


def join_small(level, label, fixed, scale, limit, minimum):
    """Let the smallest community that may join another one do so, until none is too small, or none may."""
    label = numbered(label)
    while True:
        size, mass = totals(level, label, level.size), totals(level, label, level.mass)
        held = {label[v] for v in fixed}
        for c in sorted(size, key=lambda c: (size[c], c)):
            links = defaultdict(int)
            for v in range(level.n):
                if label[v] == c and size[c] < minimum:
                    for other, w in sums_by_label(level, v, label).items():
                        links[other] += w if other != c else 0
            choices = [d for d in links if d != c and not {c, d} <= held and (not limit or size[c] + size[d] <= limit)]
            if choices:
                rate = scale * float(mass[c])
                best = min(choices, key=lambda d: (-worth(links[d], rate, mass[d]), d))
                label = numbered([best if d == c else d for d in label])
                break
        else:
            return label


def inherit_labels(new, old):
    """Return for each vertex the number that its new community inherits, or a number above all old ones."""
    overlaps = defaultdict(int)
    for a, b in zip(new, old, strict=False):
        overlaps[a, b] += b >= 0
    number, above = {}, max([-1, *old]) + 1
    for a, b in sorted(overlaps, key=lambda pair: (-overlaps[pair], pair[1], pair[0])):
        if overlaps[a, b] and a not in number and b not in number.values():
            number[a] = b
    for a in sorted(set(new) - set(number)):
        number[a], above = above, above + 1
    return [number[a] for a in new]


def communities(
    graph,
    algorithm="leiden",
    objective="modularity",
    resolution=1.0,
    iterations=3,
    start=None,
    fixed=(),
    max_size=None,
    seed=0,
    min_size=1,
):
    """Return the number of communities and the label of each vertex."""
    base, shift, links = first_level(graph, objective)
    limit, hashed = max_size or 0, hash_seed(seed)
    bounded = min(float(resolution), 1e100)
    scale = bounded / max(float(links), 1.0) if objective == "modularity" else _scaled(bounded, shift)
    label = named_by_smallest(range(base.n) if start is None else list(start))
    if base.n == 0:
        return 0, []
    best, done, quiet = None, 0, 0
    while quiet < 2 if iterations is None else done < iterations:
        level, stay, now = base, set(fixed), list(label)
        vertex_of, depth, moves = list(range(base.n)), 0, 0
        while True:
            moves += local_moving(level, now, stay, scale, limit, hashed + done, depth, objective == "cpm")
            part = refine(level, now, scale, hashed + done, depth) if algorithm == "leiden" else pieces(level, now)
            part = numbered(part)
            if max(part) + 1 == level.n:
                break
            first = {}
            for v in range(level.n):
                first[now[v]] = min(first.get(now[v], level.n), part[v])
            names = {part[v]: first[now[v]] for v in range(level.n)}
            now = [names[p] for p in range(len(names))]
            level, stay, depth = coarse(level, part), {part[v] for v in stay}, depth + 1
            vertex_of = [part[v] for v in vertex_of]
        value = score(level, now, links, objective, resolution, Fraction(2) ** shift)
        done += 1
        rises = best is None or value > best
        if rises:
            best, label = value, named_by_smallest([now[v] for v in vertex_of])
        quiet = 0 if rises else quiet + 1
        if moves == 0 and iterations is not None:
            break
    while True:
        label = pieces(base, label, fixed)
        if iterations is not None:
            break
        moved_label, moves = settle(base, label, set(fixed), scale, limit, hashed, objective == "cpm")
        if moves == 0:
            break
        label = moved_label
    labels = join_small(base, label, fixed, scale, limit, min_size or 1)
    return max(labels) + 1, labels
