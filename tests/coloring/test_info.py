"""Every key of the info of a coloring, for pairs of values of all options, against its definition by brute force."""

import re
from itertools import combinations
from typing import get_args

import networkx as nx
import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.option_names import Order, Reduction, Ties
from stablegraph.coloring.api import ALGORITHMS
from tests.support import naive, naive_colorings
from tests.support.cases import covering_rows

SMALL = {
    "empty": ([], [], 0),
    "vertices": ([], [], 2),
    "edge": ([0], [1], 2),
    "loops": ([0, 1, 1, 1, 2], [0, 1, 2, 2, 3], 5),
    "cycle": ([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], 5),
    "clique": ([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], 5),
    "bipartite": ([0, 0, 1], [2, 3, 3], 4),
}
LIMITS = ("fixed", "allowed", "forbidden", "capacity", "rooms", "gap")
VALUES = {  # of each option, for n vertices; None: not passed
    "distance": lambda n: [None, 2],
    "order": lambda n: [None, *get_args(Order), ["natural", "smallest_last"], np.arange(n)],
    "ties": lambda n: [None, *get_args(Ties)],
    "reduce": lambda n: [None, *get_args(Reduction)],
    "balance": lambda n: [False, True],
    "fixed": lambda n: [None, {}, {0: 2}, {n - 1: 0, 0: 5}] if n > 1 else [None],
    "colors": lambda n: [None, None, 3, 5, 8],
    "capacity": lambda n: [None, None, 1, 3, [2, 0, 3, 2, 2, 2, 2]],
    "sizes": lambda n: [None, None, np.arange(n) % 3],
    "allowed": lambda n: [None, None, {0: [1, 2, 5]}] if n else [None],
    "forbidden": lambda n: [None, None, {1: [0]}] if n > 1 else [None],
    "rooms": lambda n: [None, None, {"hall": 2, "lab": 1}, dict.fromkeys(range(4), 1)],
    "gap": lambda n: [None, None, 2],
    "seed": lambda n: [0, 7],
}
INFOS = [
    (name, algorithm, {option: values[i] for (option, values), i in zip(choices.items(), row, strict=True)})
    for name, (_, _, n) in SMALL.items()
    for algorithm, entry in ALGORITHMS.items()
    for choices in [{option: VALUES[option](n) for option in entry.options}]
    for row in covering_rows([len(values) for values in choices.values()])
]


def _number_of(colors, gap):
    return len(set(colors)) if gap == 1 else max(colors, default=-1) + 1


def _has_coloring(graph, fewer, palette, distance, limits, colors=()):
    """Return whether there is a coloring within the constraints with at most `fewer` different colors."""
    if _number_of(colors, limits.get("gap", 1)) > fewer:
        return False
    v, rows = len(colors), naive.simple_adjacency(graph)
    if v == len(rows):
        return naive_colorings.violates_no_constraint(graph, list(colors), distance, **limits)
    near = [u for u in naive.distances_within(rows, v, distance) if u < v]
    return any(
        _has_coloring(graph, fewer, palette, distance, limits, (*colors, color))
        for color in palette
        if all(colors[u] != color for u in near)
    )


def _check_info(graph, colors, info, how):
    options = {name: value for name, value in how.items() if value is not None}
    n, used = graph.num_vertices, np.unique(colors)
    distance, count = options.get("distance", 1), options.get("colors")
    limits = {name: options[name] for name in LIMITS if name in options}
    limits |= {"sizes": options["sizes"]} if "sizes" in options and {"rooms", "capacity"} & options.keys() else {}
    gap, sizes = options.get("gap", 1), list(options.get("sizes", [1] * n))
    is_limited = bool(limits.keys() - {"fixed"}) or count is not None or "sizes" in options
    is_limited |= "fixed" in options and (options["balance"] or options.get("reduce", "none") != "none")
    assert info.keys() == {
        *("colors", "lower_bound", "upper_bound", "reason", "optimal", "smallest", "largest", "suggestion")
    }
    assert info["colors"] == _number_of(colors.tolist(), gap) and info["optimal"] == (
        info["colors"] == info["lower_bound"]
    )
    loads = np.zeros(max(int(colors.max(initial=-1)) + 1, count or 0), int)
    np.add.at(loads, colors, options.get("sizes", np.ones(n, int)))
    loads = loads if count is not None else loads[used]
    assert (info["smallest"], info["largest"]) == (loads.min(initial=n) if loads.size else 0, loads.max(initial=0))

    lower = info["lower_bound"]
    palette = sorted({*range(n + 1), *options.get("fixed", {}).values(), 1, 2, 5} if count is None else range(count))
    if not isinstance(options.get("capacity", 0), int):
        palette = [color for color in palette if color < len(options["capacity"])]
    palette = palette if gap == 1 else [color for color in palette if color < lower - 1]
    assert not n or not _has_coloring(graph, lower - 1, palette, distance, limits)

    cores = nx.core_number(nx.Graph((v, u) for v, row in enumerate(naive.simple_adjacency(graph)) for u in row))
    assert info["upper_bound"] == (
        None if is_limited or distance == 2 else max(cores.values(), default=0) + 1 if n else 0
    )

    if found := re.search(
        r": (\d+) vertices need a room with (\d+) seats or more, and there (?:is|are) (\d+)$", info["reason"]
    ):
        needed, seats, many = map(int, found.groups())
        assert needed == sum(size >= seats for size in sizes) and lower == -(-needed // many)
        assert many == sum(number >= seats for number in options["rooms"].values())
        return
    number, why = re.fullmatch(r"at least (\d+) colors?: (.*)", info["reason"]).groups()
    assert int(number) == lower
    rows = naive.simple_adjacency(graph)
    size = (lower - 1) // gap + 1
    cliques = (group for group in combinations(range(n), size) if all(u in rows[v] for v, u in combinations(group, 2)))
    fewer = sorted(
        options.get("capacity", [n] * n) if not isinstance(options.get("capacity"), int) else [options["capacity"]] * n
    )[::-1][: max(lower - 1, 0)]
    assert {
        "the graph has no vertices": lambda: n == lower == 0,
        "a vertex needs a color": lambda: n > 0 and lower == 1,
        f"{number} vertices are pairwise adjacent": lambda: distance == 1 and any(cliques),
        f"{size} vertices are pairwise adjacent, with a gap of {gap}": lambda: distance == 1 and any(cliques),
        f"a vertex and its neighbors are {size} vertices, with a gap of {gap}": lambda: size == 1 + max(map(len, rows)),
        f"color {lower - 1} is fixed": lambda: max(options["fixed"].values()) == lower - 1,
        f"a vertex and its neighbors are {number} vertices": lambda: lower == 1 + max(map(len, rows)),
        f"{number} different colors are fixed": lambda: len({*options["fixed"].values()}) == lower,
        "fewer colors do not have the capacity for all vertices": lambda: (
            sum(fewer) < sum(options.get("sizes", [1] * n))
        ),
    }[why]()

    if info["suggestion"] is not None:
        more = eval(f"dict({info['suggestion']})")
        orders = options.get("order") if isinstance(options.get("order"), list) else [options.get("order")]
        assert options.get("reduce", "quick") != more.get("reduce", "")
        assert not any(isinstance(order, str) and order == more.get("order") for order in orders)
        assert sg.vertex_coloring(graph, **{**options, **more}).size == n and not info["optimal"]


@pytest.mark.parametrize("step", [pytest.param(4, id="quick"), pytest.param(1, id="all", marks=pytest.mark.slow)])
def test_every_key_of_info_has_its_meaning_with_all_options(step):
    answered = 0
    for name, algorithm, how in INFOS[::step]:
        u, v, n = SMALL[name]
        graph = sg.from_edges(u, v, n=n, drop_duplicates=False, symmetrize=True)
        how = {"algorithm": algorithm, **how}
        options = {option: value for option, value in how.items() if value is not None}
        try:
            colors, info = sg.vertex_coloring(graph, return_info=True, **options)
        except ValueError:
            continue
        answered += 1
        try:
            _check_info(graph, colors, info, how)
        except (AssertionError, KeyError, ValueError) as error:
            error.add_note(f"{name}: {options}: {colors}, {info}")
            raise
    assert answered > len(INFOS[::step]) / 3
