"""Oracles for colorings with constraints: the definition, and a search through all colorings."""

from collections import Counter

from . import naive

_MAX_STEPS = 20_000


def violates_no_constraint(
    graph, colors, distance=1, capacity=None, sizes=None, allowed=None, forbidden=None, fixed=None
):
    """Return whether a coloring is proper and satisfies the constraints, given as dicts and lists."""
    neighbors = naive.simple_adjacency(graph)
    near = [naive.distances_within(neighbors, v, distance) for v in range(len(neighbors))]
    return all(
        colors[v] not in [colors[u] for u in near[v]] and may_have(v, colors[v], allowed, forbidden, fixed)
        for v in range(len(neighbors))
    ) and fits(colors, capacity, sizes)


def may_have(v, color, allowed=None, forbidden=None, fixed=None):
    """Return whether a color is permitted for a vertex."""
    return (
        color in (allowed or {}).get(v, [color])
        and color not in (forbidden or {}).get(v, [])
        and (fixed or {}).get(v, color) == color
    )


def fits(colors, capacity=None, sizes=None):
    """Return whether each color has the capacity for its vertices."""
    loads = Counter()
    for v, color in enumerate(colors):
        loads[color] += 1 if sizes is None else sizes[v]
    if isinstance(capacity, list):
        return all(color < len(capacity) and load <= capacity[color] for color, load in loads.items())
    return capacity is None or all(load <= capacity for load in loads.values())


def constrained_coloring_exists(graph, distance=1, colors=None, capacity=None, sizes=None, **lists):
    """Return whether there is a coloring; None if there are too many to try."""
    neighbors = naive.simple_adjacency(graph)
    near = [naive.distances_within(neighbors, v, distance) for v in range(len(neighbors))]
    n = len(near)
    if colors is None:
        colors = len(capacity) if isinstance(capacity, list) else n + 6
    steps, partial = 0, []

    def extend():
        nonlocal steps
        v = len(partial)
        steps += 1
        if v == n or steps > _MAX_STEPS:
            return v == n
        for color in range(colors):
            if may_have(v, color, **lists) and all(u >= v or partial[u] != color for u in near[v]):
                partial.append(color)
                if fits(partial, capacity, sizes) and extend():
                    return True
                partial.pop()
        return False

    exists = extend()
    return None if steps > _MAX_STEPS and not exists else exists
