"""Colorings of vertices, their bounds, classes and steps."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import networkx as nx
import numpy as np

from stablegraph._core.option_names import Order, Ties

from ..support import naive, naive_colorings
from .cases import Numbers, Options, Targets, equal, must
from .input_graphs import InputGraph
from .sets import draw_order, draw_seed
from .verifiers import changed_values, verifier

TARGETS = Targets()

WITH_ORACLE = ("largest_first", "largest_log_first", "saturation", "incidence", "natural", "random")


def _draw_lists(random: Random, n: int, k: int) -> dict[int, list[int]]:
    return {
        random.randrange(n): random.sample(range(k), random.randint(1, k)) for _ in range(random.randint(0, n // 2))
    }


def draw_limits(random: Random, n: int) -> Options:
    """Draw constraints, which may be impossible."""
    k = random.randint(1, 6)
    options: Options = {}
    if random.random() < 0.4:
        options["colors"] = k
    if random.random() < 0.6:
        room = random.randint(1 + n // (k + 1), n + 1)
        options["capacity"] = random.choice([room, [room + random.randint(-1, 2) for _ in range(k)]])
    if random.random() < 0.3:
        options["rooms"] = {f"r{i}": random.choice([1, 2, 2, 5]) for i in range(random.randint(1, 1 + n // k))}
    if options.keys() & {"capacity", "rooms"} and random.random() < 0.3:
        options["sizes"] = Numbers(random.choice([0, 1, 1, 2]) for _ in range(n))
    if random.random() < 0.2:
        options["gap"] = random.randint(2, 3)
    for name in ("allowed", "forbidden"):
        if n and random.random() < 0.3:
            options[name] = _draw_lists(random, n, k)
    if n and (random.random() < 0.3 or not options):
        vertices = random.sample(range(n), random.randint(1, min(n, 3)))
        options["fixed"] = {v: random.randrange(k) for v in vertices}
        if "rooms" in options:  # some in rooms of an earlier plan
            rooms = sorted(options["rooms"])
            options["fixed"] |= {
                v: (color, random.choice(rooms)) for v, color in options["fixed"].items() if random.random() < 0.6
            }
    return options


def _draw_coloring(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {"distance": random.choice([1, 1, 2]), "seed": draw_seed(random)}
    if random.random() < 0.1:
        options = {"algorithm": "mis", "seed": options["seed"]}
    else:
        options["order"] = draw_order(random, get_args(Order), input_graph.n)
        options["ties"] = random.choice(get_args(Ties))
        if random.random() < 0.2:
            plain = input_graph.plain()
            colors = naive.first_fit(plain, random.sample(range(input_graph.n), input_graph.n), options["distance"])
            options["fixed"] = Numbers(color * 3 if random.random() < 0.5 else -1 for color in colors)
            return options
    reduce = random.choice(["none", "none", "quick", "thorough", None])
    return {**options, "reduce": reduce, "balance": random.random() < 0.3}


@TARGETS.of(
    "vertex_coloring",
    _draw_coloring,
    graph="undirected",
    wrong="distance: count, algorithm: choice, order: order, ties: choice, reduce: choice, balance: truth, "
    "fixed: fixed, colors: size, seed: seed",
)
def _check_coloring(graph: Any, options: Options, colors: Any) -> None:
    distance, n = options.get("distance", 1), graph.num_vertices
    must(colors.dtype == np.int32 and colors.shape == (n,), f"colors of {colors.dtype} {colors.shape}")
    neighbors = naive.simple_adjacency(graph)
    for v in range(n):
        for u in naive.distances_within(neighbors, v, distance):
            must(colors[v] != colors[u], f"vertices {u} and {v} have color {colors[v]}")
    fixed = options.get("fixed")
    if fixed is None:
        equal(np.unique(colors), np.arange(colors.max(initial=-1) + 1), "colors in use")
    if "algorithm" in options:
        first = naive.luby_coloring(graph, options["seed"])
    else:
        order = options["order"]
        if isinstance(order, str) and order not in WITH_ORACLE:
            return
        order = naive.coloring_order(graph, order, options["ties"], options["seed"])
        first = naive.first_fit(graph, order, distance, fixed)
    if fixed is not None or (options["reduce"] == "none" and not options["balance"]):
        equal(colors, first, "colors")
    must(colors.max(initial=-1) <= max(first, default=-1), "more colors than by first fit")


_SEARCHED = 20  # vertices of graphs with constraints that may be impossible

_OR_NONE = """\
try:
    answer = sg.vertex_coloring(graph, {options})
except ValueError as error:
    answer = np.array(-1)
"""


def _draw_with_limits(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {
        "distance": random.choice([1, 1, 2]),
        "seed": draw_seed(random),
        "balance": random.random() < 0.3,
    }
    options["order"] = draw_order(random, get_args(Order), input_graph.n)
    options["reduce"] = random.choice(["none", "none", "quick"])
    n = input_graph.n
    return options | (draw_limits(random, n) if n <= _SEARCHED else {"capacity": n, "forbidden": {0: [0]}})


@TARGETS.of("vertex_coloring", _draw_with_limits, code=_OR_NONE)
def _check_limits(graph: Any, options: Options, colors: Any) -> None:
    names = ("capacity", "sizes", "allowed", "forbidden", "fixed", "rooms", "gap")
    limits = {name: options[name] for name in names if name in options}
    distance, count = options["distance"], options.get("colors")
    if colors.ndim == 0:
        exists = naive_colorings.constrained_coloring_exists(graph, distance, count, **limits)
        must(not exists, "a coloring exists")
        return
    must(colors.dtype == np.int32 and colors.shape == (graph.num_vertices,), f"colors of {colors.dtype} {colors.shape}")
    must(naive_colorings.violates_no_constraint(graph, colors.tolist(), distance, **limits), "a constraint is violated")
    must(count is None or colors.max(initial=-1) < count, "too many colors")


def _draw_steps(random: Random, input_graph: InputGraph) -> Options:
    order = draw_order(random, WITH_ORACLE, input_graph.n)
    ties = random.choice(get_args(Ties))
    return {"order": order, "ties": ties, "shortcuts": random.random() < 0.5, "seed": draw_seed(random)}


@TARGETS.of(
    "coloring_steps", _draw_steps, graph="undirected", wrong="order: order, ties: choice, shortcuts: truth, seed: seed"
)
def _check_steps(graph: Any, options: Options, steps: int) -> None:
    order = naive.coloring_order(graph, options["order"], options["ties"], options["seed"])
    equal(steps, naive.coloring_steps(graph, order, options["shortcuts"]), "steps")


@TARGETS.of("color_bounds", graph="undirected")
def _check_bounds(graph: Any, options: Options, bounds: tuple[int, int]) -> None:
    neighbors = naive.simple_adjacency(graph)
    reference = nx.Graph((v, u) for v, around in enumerate(neighbors) for u in around)
    reference.add_nodes_from(range(len(neighbors)))
    clique = max((len(result) for result in nx.find_cliques(reference)), default=0)
    degeneracy = max(nx.core_number(reference).values(), default=-1)
    must(bool(neighbors) <= bounds[0] <= clique, f"lower bound {bounds[0]}, the largest clique is {clique}")
    equal(bounds[1], degeneracy + 1, "upper bound")


@TARGETS.of("core_numbers", graph="undirected")
def _check_cores(graph: Any, options: Options, numbers: Any) -> None:
    equal(numbers, naive.core_numbers(naive.simple_adjacency(graph)), "core numbers")


def _draw_cores(random: Random, input_graph: InputGraph) -> Options:
    numbers = naive.core_numbers(naive.simple_adjacency(input_graph.plain()))
    return {"answer": changed_values(random, numbers, 4)}


@verifier(TARGETS, "is_core_labeling", _draw_cores, wrong="answer: labels")
def _cores(graph: Any, options: Options) -> bool:
    return list(options["answer"]) == naive.core_numbers(naive.simple_adjacency(graph))


def _draw_classes(random: Random, input_graph: InputGraph) -> Options:
    return {"colors": Numbers(random.randint(0, random.choice([2, 9])) for _ in range(input_graph.n))}


@TARGETS.of("color_classes", _draw_classes, code="answer = sg.color_classes({colors})", wrong="colors: labels")
def _check_classes(graph: Any, options: Options, classes: Any) -> None:
    offsets, vertices = classes
    colors = list(options["colors"])
    must(offsets.size == max(colors, default=-1) + 2, f"{offsets.size - 1} classes")
    for color in range(offsets.size - 1):
        expected = [v for v, one in enumerate(colors) if one == color]
        equal(vertices[offsets[color] : offsets[color + 1]], expected, f"class {color}")


@TARGETS.of("schedule", graph="undirected")
def _check_schedule(graph: Any, options: Options, rounds: Any) -> None:
    neighbors = naive.simple_adjacency(graph)
    equal(sorted(v for tasks in rounds for v in tasks.tolist()), range(graph.num_vertices), "tasks")
    for tasks in rounds:
        must(tasks.size and not any(neighbors[v] & set(tasks.tolist()) for v in tasks.tolist()), "tasks in conflict")


def _draw_table(random: Random, input_graph: InputGraph) -> Options:
    rooms = {f"r{i}": random.choice([3, 3, 4, 6]) for i in range(random.randint(1, 4))}
    sizes = Numbers(random.randint(0, 3) for _ in range(input_graph.n))
    kept = range(input_graph.n)[: random.randint(0, 1)]  # all rooms are large enough
    fixed = {v: (random.randint(0, 3), random.choice(sorted(rooms))) for v in kept}
    return {"rooms": rooms, "sizes": sizes, "gap": random.choice([1, 1, 2]), "fixed": fixed}


@TARGETS.of(
    "schedule_table",
    _draw_table,
    code="limits = {'rooms': {rooms}, 'sizes': {sizes}, 'fixed': {fixed}}\n"
    "rounds = sg.schedule(graph, gap={gap}, **limits)\n"
    "answer = rounds, sg.schedule_table(sg.as_graph(graph, weights=False), rounds, **limits).to_pydict()",
)
def _check_table(graph: Any, options: Options, answer: Any) -> None:
    rounds, table = [tasks.tolist() for tasks in answer[0]], answer[1]
    equal([rounds[slot].count(v) for v, slot in enumerate(table["slot"])], [1] * graph.num_vertices, "slots")
    must(len(set(zip(table["slot"], table["room"], strict=True))) == graph.num_vertices, "a room is taken twice")
    seats = [options["rooms"][room] for room in table["room"]]
    must(all(many >= size for many, size in zip(seats, options["sizes"], strict=True)), "a room is too small")
    for v, place in options["fixed"].items():
        equal((table["slot"][v], table["room"][v]), place, "the kept slot and room")
    limits = {"rooms": options["rooms"], "sizes": options["sizes"], "gap": options["gap"], "fixed": options["fixed"]}
    must(naive_colorings.violates_no_constraint(graph, table["slot"], **limits), "a constraint is violated")
