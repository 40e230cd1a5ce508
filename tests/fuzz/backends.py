"""The NetworkX backend: views of graphs and of views, and changes between calls."""

from __future__ import annotations

from random import Random
from typing import Any

from .cases import Options, Targets, must
from .input_graphs import InputGraph

TARGETS = Targets()


def _draw_calls(random: Random, input_graph: InputGraph) -> Options:
    kind = random.choice(["DiGraph", "MultiDiGraph"] if input_graph.directed else ["Graph", "MultiGraph"])
    return {"kind": kind, "seed": random.randrange(10**6), "steps": random.randint(1, 8)}


@TARGETS.of(
    "networkx_backend",
    _draw_calls,
    code="from tests.support.networkx_calls import differences\n"
    "given = sg.as_graph(graph, directed=True)\n"
    "arcs = list(zip(given._rows().tolist(), given.indices.tolist(), strict=True))\n"
    "answer = differences({kind}, given.num_vertices, arcs, {seed}, {steps})",
    directed=True,
    stable=lambda options: False,
)
def _check_calls(graph: Any, options: Options, result: Any) -> None:
    must(not result, f"{len(result)} answers differ from NetworkX: {result[:1]}")
