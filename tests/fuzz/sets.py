"""Independent sets, and the dependence depths of orders."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, get_args

import numpy as np

from stablegraph._core import option_names as names
from stablegraph.independent_set.api import ALGORITHMS

from ..support import naive, set_oracles
from .cases import Numbers, Options, Targets, Vertices, equal, must
from .input_graphs import InputGraph

TARGETS = Targets()

_INFINITE = 2**1024 - 2**970  # the smallest number that is rounded to an infinite float64
_OR_TEXT = """\
try:
    answer = sg.large_independent_set(graph, {options})
except ValueError as error:
    answer = str(error)
"""
PRIORITIES = get_args(names.Priority)
_USUAL = 4  # the default algorithm is drawn this many times as often as each other one


def draw_seed(random: Random) -> int:
    return random.choice([0, 1, -1, random.randint(0, 2**32), random.randint(-(2**70), 2**70)])


def draw_numbers(random: Random, n: int) -> Numbers:
    return Numbers(random.choice([random.randint(-3, 3), random.uniform(-1, 1)]) for _ in range(n))


def draw_some(random: Random, n: int) -> Vertices:
    return Vertices(random.sample(range(n), random.randint(0, n // 2)))


def draw_order(random: Random, known: tuple[str, ...], n: int) -> Any:
    return draw_numbers(random, n) if random.random() < 0.2 else random.choice(known)


def draw_weights(random: Random, n: int) -> Numbers:
    """Draw weights, many of them equal or nearly equal."""
    draw = random.choice(
        [
            lambda: random.randint(0, 3),
            lambda: 2**62 + random.randint(0, 9),
            lambda: random.randint(0, 9) / 3,
            lambda: 1 + random.randint(0, 9) * 2.0**-52,
            lambda: random.choice([0.0, 5e-324, 1e-300, 1.0, 1e300]),
        ]
    )
    return Numbers(draw() for _ in range(n))


def _draw_extremes(random: Random, n: int) -> Numbers:
    """Draw weights near the limits of 64-bit numbers, or of very different magnitudes."""
    draw = random.choice(
        [
            lambda: 1.7976931348623157e308 / random.randint(1, 9),
            lambda: 5e-324 * random.randint(0, 9),
            lambda: 10.0 ** random.uniform(-323, 308),
            lambda: random.randint(1, 9) * 2.0 ** random.randint(-70, 0),
            lambda: random.randint(1, 9) / 10,
            lambda: random.random(),
            lambda: (2**63 - 1) // random.randint(1, 9),
            lambda: random.choice([1, 2**61, 2**62 - 1, 2**62, 2**63 - 1]),
        ]
    )
    return Numbers(draw() for _ in range(n))


def _draw_set(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {"distance": random.choice([1, 1, 1, 1, 2, 2, 3, 5])}
    if options["distance"] > 1:
        options["priority"] = draw_order(random, get_args(names.DistancePriority), input_graph.n)
        options["seed"] = draw_seed(random)
    elif random.random() < 0.2:
        options["seed"] = draw_seed(random)
    else:
        options["algorithm"] = random.choice([*["priority"] * _USUAL, *get_args(names.SetAlgorithm)[1:]])
        drawn = {
            "priority": lambda: draw_order(random, PRIORITIES, input_graph.n),
            "synchronous": lambda: random.random() < 0.3,
            "adaptive": lambda: random.random() < 0.5,
            "seed": lambda: draw_seed(random),
        }
        has = ALGORITHMS[options["algorithm"]].options
        options |= {option: draw() for option, draw in drawn.items() if option in has}
    if ("algorithm" not in options and random.random() < 0.4) or list(options) == ["distance", "seed"]:
        options["weights"] = draw_weights(random, input_graph.n)
        options["priority"] = random.choice(get_args(names.WeightedPriority))
    if random.random() < 0.5:
        graph, distance = input_graph.plain(), options["distance"]
        options["exclude"] = draw_some(random, input_graph.n)
        keys = [random.random() for _ in range(input_graph.n)]
        if distance == 1:
            chosen = naive.greedy_independent_set(graph, keys, exclude=options["exclude"])
        else:
            chosen = naive.set_at_distance(graph, distance, exclude=options["exclude"])[0]
        members = np.flatnonzero(chosen).tolist()
        options["include"] = Vertices(random.sample(members, random.randint(0, len(members))))
    return options


def _keys(graph: Any, priority: Any, seed: int) -> Any:
    return naive.priority_key(graph, priority, seed)


@TARGETS.of(
    "maximal_independent_set",
    _draw_set,
    stable=lambda options: options.get("algorithm") != "locked",
    graph="undirected",
    wrong="distance: count, algorithm: choice, priority: order, weights: numbers, seed: seed if any, "
    "include: vertices, exclude: vertices, synchronous: truth, adaptive: truth",
)
def _check_set(graph: Any, options: Options, mask: Any) -> None:
    distance, algorithm = options["distance"], options.get("algorithm", "priority")
    include, exclude = options.get("include", []), options.get("exclude", [])
    seed, priority = options.get("seed", 0), options.get("priority", "degree")
    must(mask.dtype == bool and mask.shape == (graph.num_vertices,), f"a mask of {mask.dtype} {mask.shape}")
    must(naive.is_maximal_independent(graph, mask, distance, exclude), "the set is not independent and maximal")
    must(not include or mask[list(include)].all(), "an included vertex is missing")
    if "weights" in options:
        keys = naive.weight_key(graph, options["weights"], priority, seed)
        equal(mask, naive.greedy_set_at_distance(graph, keys, distance, include, exclude), "set")
    elif distance > 1 and not isinstance(priority, str):
        keys = _keys(graph, priority, seed)
        equal(mask, naive.greedy_set_at_distance(graph, keys, distance, include, exclude), "set")
    elif distance > 1:
        equal(mask, naive.set_at_distance(graph, distance, priority, seed, include, exclude)[0], "set")
    elif algorithm in ("priority", "lexicographic"):
        priority = "natural" if algorithm == "lexicographic" else priority
        equal(mask, naive.greedy_independent_set(graph, _keys(graph, priority, seed), include, exclude), "set")
    elif algorithm in set_oracles.ORACLES:
        more = {"adaptive": options["adaptive"]} if "adaptive" in options else {}
        oracle = set_oracles.ORACLES[algorithm]
        equal(mask, oracle(graph, naive.hash_seed(seed), include=include, exclude=exclude, **more)[0], "set")


def _draw_large(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {"rounds": random.choice([0, 0, 1, 3]), "seed": draw_seed(random)}
    if random.random() < 0.3:
        keys = [random.random() for _ in range(input_graph.n)]
        members = np.flatnonzero(naive.greedy_independent_set(input_graph.plain(), keys)).tolist()
        options["include"] = Vertices(random.sample(members, random.randint(0, len(members))))
    if random.random() < 0.5:
        options["weights"] = draw_weights(random, input_graph.n)
    return options


@TARGETS.of(
    "large_independent_set",
    _draw_large,
    graph="undirected",
    wrong="rounds: whole, seed: seed, weights: numbers, include: vertices",
)
def _check_large(graph: Any, options: Options, result: Any) -> None:
    include, neighbors = list(options.get("include", [])), naive.simple_adjacency(graph)
    removed = set(include).union(*(neighbors[v] for v in include))
    remaining = [around - removed if v not in removed else set() for v, around in enumerate(neighbors)]
    if "weights" in options:
        _check_weight(remaining, list(options["weights"]), removed, include, result)
    if isinstance(result, str):
        return
    mask = np.asarray(result.mask)
    must(naive.is_independent(graph, mask), "the set is not independent")
    must(naive.is_maximal_independent(graph, mask), "the set is not maximal")
    must(result.size == mask.sum(), f"its size is {mask.sum()}, not {result.size}")
    must(mask[include].all() if include else True, "an included vertex is missing")
    if "weights" in options:
        return
    best = naive.independence_number(remaining) - len(removed) + len(include)
    must(mask.sum() <= best <= result.upper_bound, f"{result.size} <= {best} <= {result.upper_bound} does not hold")
    must(result.optimal == (result.size == result.upper_bound), "optimal is not size == upper_bound")


def _check_weight(remaining: Any, weights: list[Any], removed: set[int], include: list[int], result: Any) -> None:
    """Compare the weight and the bound with the largest weight, in exact arithmetic."""
    exact = [Fraction(weight) for weight in weights]
    free = [Fraction(0) if v in removed else weight for v, weight in enumerate(exact)]
    chosen = naive.heaviest_independent_set(remaining, free)
    best = sum(weight for weight, member in zip(free, chosen, strict=True) if member) + sum(exact[v] for v in include)
    if isinstance(result, str):
        must(best >= _INFINITE and "scale the weights" in result, f"the largest weight is {best}, but {result}")
        return
    weight = sum(exact[v] for v in np.flatnonzero(result.mask).tolist())
    must(best <= result.upper_bound, f"the bound {result.upper_bound} is below {best}")
    must(result.weight == (float(weight) if isinstance(result.weight, float) else weight), f"the weight is {weight}")
    must(not result.optimal or weight == best, "the set is not optimal")


def _draw_extreme(random: Random, input_graph: InputGraph) -> Options:
    return {**_draw_large(random, input_graph), "weights": _draw_extremes(random, input_graph.n)}


TARGETS.of("large_independent_set", _draw_extreme, code=_OR_TEXT)(_check_large)


def _draw_depth(random: Random, input_graph: InputGraph) -> Options:
    return {"priority": draw_order(random, PRIORITIES, input_graph.n), "seed": draw_seed(random)}


@TARGETS.of("dependence_depth", _draw_depth, graph="undirected", wrong="priority: order, seed: seed")
def _check_depth(graph: Any, options: Options, result: Any) -> None:
    depths = naive.dependence_depths(graph, _keys(graph, options["priority"], options["seed"]))
    equal(result, (max(depths), sum(depths) / len(depths)) if depths else (0, 0.0), "depths")
