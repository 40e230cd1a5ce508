"""Oracles for colorings with constraints: the definition, and a search through all colorings."""

from collections import Counter

from . import naive

_MAX_STEPS = 20_000


def violates_no_constraint(
    graph, colors, distance=1, capacity=None, sizes=None, allowed=None, forbidden=None, fixed=None, rooms=None, gap=1
):
    """Return whether a coloring is proper and satisfies the constraints, given as dicts and lists."""
    neighbors = naive.simple_adjacency(graph)
    near = [naive.distances_within(neighbors, v, distance) for v in range(len(neighbors))]
    return all(
        all(abs(int(colors[v]) - int(colors[u])) >= gap for u in near[v])
        and may_have(v, colors[v], allowed, forbidden, fixed)
        for v in range(len(neighbors))
    ) and fits(colors, capacity, sizes, rooms, fixed)


def may_have(v, color, allowed=None, forbidden=None, fixed=None):
    """Return whether a color is permitted for a vertex."""
    return (
        color in (allowed or {}).get(v, [color])
        and color not in (forbidden or {}).get(v, [])
        and color_of((fixed or {}).get(v, color)) == color
    )


def color_of(value):
    """Return a fixed color, which may be a pair with a room."""
    return value[0] if isinstance(value, tuple) else value


def have_rooms(sizes, seats):
    """Return whether vertices of these sizes can have a room each, by trying all assignments."""
    if not sizes or len(sizes) > len(seats):
        return not sizes
    return any(
        seats[i] >= sizes[0] and have_rooms(sizes[1:], seats[:i] + seats[i + 1 :])
        for i in range(len(seats))
        if seats[i] not in seats[:i]
    )


def fits(colors, capacity=None, sizes=None, rooms=None, fixed=None):
    """Return whether each color has the capacity and the rooms for its vertices, some in the rooms that are fixed."""
    sizes = None if sizes is None else list(sizes)
    if rooms is not None:
        for color in set(colors):
            members = {v: 1 if sizes is None else sizes[v] for v, one in enumerate(colors) if one == color}
            free = dict(rooms)
            for v in [v for v in members if isinstance((fixed or {}).get(v), tuple)]:
                if members.pop(v) > free.pop(fixed[v][1], -1):
                    return False
            if not have_rooms(list(members.values()), list(free.values())):
                return False
    loads = Counter()
    for v, color in enumerate(colors):
        loads[color] += 1 if sizes is None else sizes[v]
    if isinstance(capacity, list):
        return all(color < len(capacity) and load <= capacity[color] for color, load in loads.items())
    return capacity is None or all(load <= capacity for load in loads.values())


def constrained_coloring_exists(graph, distance=1, colors=None, capacity=None, sizes=None, rooms=None, gap=1, **lists):
    """Return whether there is a coloring; None if there are too many to try."""
    neighbors = naive.simple_adjacency(graph)
    near = [naive.distances_within(neighbors, v, distance) for v in range(len(neighbors))]
    n = len(near)
    if colors is None:
        colors = len(capacity) if isinstance(capacity, list) else (n + 6) * gap
    steps, partial = 0, []

    def extend():
        nonlocal steps
        v = len(partial)
        steps += 1
        if v == n or steps > _MAX_STEPS:
            return v == n
        for color in range(colors):
            if may_have(v, color, **lists) and all(u >= v or abs(partial[u] - color) >= gap for u in near[v]):
                partial.append(color)
                if fits(partial, capacity, sizes, rooms, lists.get("fixed")) and extend():
                    return True
                partial.pop()
        return False

    exists = extend()
    return None if steps > _MAX_STEPS and not exists else exists
