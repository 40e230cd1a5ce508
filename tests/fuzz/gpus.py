"""Graphs on several emulated GPUs: the answers of the CPU, for random graphs, options, numbers of GPUs and schedules.

Options that several GPUs do not support must be refused by a sentence that says so.
"""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import numpy as np

from stablegraph._core import option_names as names

from ..support.emulated_cuda import COMPILER
from .cases import Code, Options, Targets, equal, must
from .input_graphs import InputGraph
from .sets import draw_numbers, draw_seed, draw_some, draw_weights

TARGETS = Targets()

_CODE = """\
from tests.support.emulated_cuda import emulated_cuda
def without_seconds(answer):
    del answer[1]["seconds"]
    return answer[0], list(answer[1]), *answer[1].values()
given = sg.as_graph(graph)
def call(graph):
    answer = {call}
    return [np.asarray(part) for part in (answer if isinstance(answer, tuple) else (answer,))]
answer = []
try:
    answer.append(call(given))
    with emulated_cuda({schedule}, cards={cards}):
        answer.append(call(given.to("cuda:all")))
except (ValueError, NotImplementedError) as error:
    answer.append(f"{type(error).__name__}: {error}")
"""


def _draw_set(random: Random, n: int) -> str:
    distance = random.choice([1, 2])
    known = names.Priority if distance == 1 else names.DistancePriority
    options = {"priority": repr(random.choice(get_args(known))), "seed": str(draw_seed(random))}
    kind = random.random()
    if kind < 0.2:
        options["priority"] = f"np.array({list(draw_numbers(random, n))}, float)"
    elif kind < 0.4:
        options["weights"] = f"np.array({list(draw_weights(random, n))} or [], float)"
        options["priority"] = repr(random.choice(get_args(names.WeightedPriority)))
    if random.random() < 0.4:
        options["exclude"] = f"np.array({list(draw_some(random, n))}, int)"
    if n and random.random() < 0.4:
        options["include"] = str([random.randrange(n)])
    if distance == 1 and random.random() < 0.4:
        options["synchronous"] = str(random.random() < 0.5)
    text = ", ".join(f"{name}={value}" for name, value in options.items())
    if random.random() < 0.6:
        return f"sg.maximal_independent_set(graph, {distance}, {text})"
    return f"without_seconds(sg.maximal_independent_set(graph, {distance}, {text}, return_info=True))"


def _draw_call(random: Random, input_graph: InputGraph) -> Options:
    n, seed = input_graph.n, draw_seed(random)
    order, ties = random.choice(get_args(names.Order)), random.choice(get_args(names.Ties))
    algorithm, priority = random.choice(get_args(names.Aggregation)), random.choice(get_args(names.DistancePriority))
    calls = [
        _draw_set(random, n),
        f"sg.vertex_coloring(graph, order={order!r}, ties={ties!r}, reduce='none', seed={seed})",
        f"sg.aggregate(graph, algorithm={algorithm!r}, priority={priority!r}, return_roots=True)",
        f"sg.aggregate(graph, algorithm={algorithm!r}, priority=np.array({list(draw_numbers(random, n))}, float))",
        f"sg.maximal_matching(graph, seed={seed})",
        f"sg.weighted_matching(graph, seed={seed})",
        f"sg.connected_components(graph, label={random.choice(get_args(names.ComponentLabel))!r})",
        "sg.minimum_spanning_forest(graph).indices",
        *(f"sg.{name}(graph, {[random.randrange(3) for _ in range(n)]})" for name in ("modularity", "potts")),
        "graph.simple().to('cpu').indices",
        "graph.to('cpu').indices",
        "graph.degrees",
    ]
    if n:
        sources = sorted({random.randrange(n) for _ in range(random.randint(1, 3))})
        calls.append(f"sg.breadth_first_search(graph, {sources}, max_distance={random.choice([None, 1, 3])})")
    call = random.choice([calls[0], *calls])
    return {"call": Code(call), "schedule": random.randrange(1000), "cards": random.randint(2, 5)}


def _check_gpus(graph: Any, options: Options, answer: Any) -> None:
    if isinstance(answer[0], str):
        return  # refused for every graph
    if isinstance(answer[1], str):
        must("several GPUs" in answer[1], answer[1])
        return
    for expected, found in zip(*answer, strict=True):
        must(found.dtype == expected.dtype, f"{found.dtype}, expected {expected.dtype}")
        equal(np.asarray(found), expected, options["call"])


if COMPILER is not None:
    TARGETS.of("several_gpus", _draw_call, code=_CODE, weights=True, stable=lambda options: False)(_check_gpus)
