"""Slow oracles for colorings of derivatives: definitions in plain Python, and first fit by definition."""

from itertools import combinations


def has_two_colored_path(neighbors, colors):
    """Return whether a path on four colored vertices has at most two colors; uncolored vertices have None."""
    for v, around in enumerate(neighbors):
        for w in around:
            for u in around - {w}:
                start = {colors[u], colors[v], colors[w]}
                if None in start or len(start) == 3:
                    continue
                for x in neighbors[w] - {v, u}:
                    if colors[x] is not None and len(start | {colors[x]}) < 3:
                        return True
    return False


def has_two_colored_cycle(neighbors, colors):
    """Return whether two colors induce a cycle."""
    used = sorted({color for color in colors if color is not None})
    for pair in combinations(used, 2):
        chosen = {v for v, color in enumerate(colors) if color in pair}
        edges = sum(len(neighbors[v] & chosen) for v in chosen) // 2
        if edges > len(chosen) - _count_components(neighbors, chosen):
            return True
    return False


def _count_components(neighbors, chosen):
    unseen, count = set(chosen), 0
    while unseen:
        count += 1
        stack = [unseen.pop()]
        while stack:
            near = neighbors[stack.pop()] & unseen
            unseen -= near
            stack.extend(near)
    return count


def is_proper(neighbors, colors):
    return not any(colors[v] is not None and colors[v] == colors[w] for v in range(len(colors)) for w in neighbors[v])


def first_fit_by_definition(neighbors, order, is_wrong):
    """Give each vertex in the order the lowest color for which the colored part is proper and not wrong."""
    colors = [None] * len(neighbors)
    for v in order:
        colors[v] = 0
        while not is_proper(neighbors, colors) or is_wrong(neighbors, colors):
            colors[v] += 1
    return colors
