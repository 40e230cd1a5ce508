"""``stablegraph demo``: what the package does, shown on a real graph that comes with it.

Each step computes an answer and verifies it, on the CPU and, where there is one and it helps, on a GPU. A further step
is a function that computes an answer, and an entry in `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text
from scipy.sparse.csgraph import laplacian

from .. import gallery
from ..coarsening import aggregate
from ..coloring import vertex_coloring
from ..coloring.bounds import color_bounds
from ..components import connected_components, largest_component
from ..components.strong import strongly_connected_components
from ..forest import minimum_spanning_forest, total_weight
from ..graph import Graph, as_graph
from ..independent_set import large_independent_set, maximal_independent_set
from ..parallel import num_threads
from ..parallel.device import array_module, cuda_available
from ..solvers import smoothed_aggregation
from ..traversal import breadth_first_search
from ..verify import (
    explain,
    is_aggregation,
    is_bfs_tree,
    is_component_labeling,
    is_maximal_independent_set,
    is_minimum_spanning_forest,
    is_proper_coloring,
    is_strong_component_labeling,
)
from .answer_files import Numbers, fingerprint
from .options import compile_ahead, json_option, number_of_threads, save_picture, seed_option
from .terminal import Clock, Facts, console_for, duration, show, working

PICTURE = "stablegraph-demo.png"
_ROUNDS = 20  # of the search for a large set: a third of a second
_TOLERANCE = 1e-10  # of the solution; six digits of it are told


Found = tuple[tuple[Any, ...], Facts]  # an answer as its verifier takes it, and what is told of it


def _maximal_set(graph: Graph, seed: int = 0) -> Found:
    mask = maximal_independent_set(graph, seed=seed)
    return (mask,), {"size": int(mask.sum())}


def _large_set(graph: Graph, seed: int = 0) -> Found:
    found = large_independent_set(graph, rounds=_ROUNDS, seed=seed)
    return (found.mask,), {"size": found.size, "upper_bound": found.upper_bound}


def _coloring(graph: Graph, seed: int = 0) -> Found:
    colors = vertex_coloring(graph, seed=seed)
    return (colors,), {"colors": int(colors.max()) + 1, "lower_bound": color_bounds(graph)[0]}


def _components(graph: Graph, seed: int = 0) -> Found:
    return _parts(graph, *connected_components(graph))


def _strong_components(graph: Graph, seed: int = 0) -> Found:
    return _parts(graph, *strongly_connected_components(graph))


def _parts(graph: Graph, count: int, labels: Any) -> Found:
    return (labels,), {"components": count, "largest": int(array_module(graph.device).bincount(labels).max())}


def _forest(graph: Graph, seed: int = 0) -> Found:
    forest = minimum_spanning_forest(graph)
    return (forest,), {"edges": forest.nnz, "weight": total_weight(forest)}


def _search(graph: Graph, seed: int = 0) -> Found:
    source = int(graph.degrees().argmax())
    distance, parent = breadth_first_search(graph, source)
    start = graph.nodes[source] if graph.nodes else source
    return (source, distance, parent), {
        "start": str(start),
        "reached": int((distance >= 0).sum()),
        "farthest": int(distance.max()),
    }


def _with_miles(graph: Graph) -> Graph:
    """The graph with the distances between counties as weights."""
    where = gallery.positions("us-counties").astype(np.float64)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    across = where[rows] - where[graph.indices]
    return as_graph((graph.indptr, graph.indices, np.sqrt(across[:, 0] ** 2 + across[:, 1] ** 2)))


def _aggregates(graph: Graph, seed: int = 0) -> Found:
    count, labels = aggregate(graph)
    return (labels,), {"aggregates": count, "mean_size": graph.num_vertices / count}


def _resistance(graph: Graph, seed: int = 0) -> Found:
    """Every edge is a resistor of one ohm: the potentials of a current from one vertex to the farthest."""
    start = int(graph.degrees().argmax())
    end = int(breadth_first_search(graph, start)[0].argmax())
    current = np.zeros(graph.num_vertices)
    current[[start, end]] = 1, -1
    residuals: list[float] = []
    hierarchy = smoothed_aggregation(_conductances(graph), nullspace=np.ones(graph.num_vertices), coarse_size=50)
    potential = hierarchy.solve(current, tol=_TOLERANCE, residuals=residuals).round(6)
    return (start, end, potential), {
        "ohms": float(potential[start] - potential[end]),
        "iterations": len(residuals) - 1,
        "ends": [str(graph.nodes[v]) if graph.nodes else str(v) for v in (start, end)],
    }


def _conductances(graph: Graph) -> Any:
    return laplacian(graph.simple().to_scipy().astype(np.float64))


def _unbalanced(graph: Graph, start: int, end: int, potential: Any) -> str | None:
    """Kirchhoff's law: as much flows out of a vertex as into it, but for the two ends."""
    rest = _conductances(graph) @ potential
    rest[[start, end]] -= 1, -1
    worst = int(np.abs(rest).argmax())
    return None if abs(rest[worst]) < 1e-4 else f"at vertex {worst}, {rest[worst]:.2g} amperes are lost"


@dataclass(frozen=True)
class Step:
    """A computation of the demo."""

    compute: Callable[..., Found]
    wrong: Callable[..., str | None]  # what is wrong with an answer for a graph
    shown: str  # of the facts
    told: str
    on_gpu: bool = True
    graph_for: Callable[[Graph], Graph] = lambda graph: graph


STEPS = {
    "maximal set": Step(
        _maximal_set,
        partial(explain, is_maximal_independent_set),
        "{size:,}",
        "No two of these {size:,} counties touch, and every other county touches one of them.",
    ),
    "large set": Step(
        _large_set,
        partial(explain, is_maximal_independent_set),
        "{size:,}",
        "Searching longer finds {size:,} such counties; it is proved that no choice has more than {upper_bound:,}.",
        on_gpu=False,
    ),
    "coloring": Step(
        _coloring,
        partial(explain, is_proper_coloring),
        "{colors} colors",
        "{colors} colors tell apart all that touch; fewer than {lower_bound} cannot, for so many touch each other.",
    ),
    "components": Step(
        _components,
        partial(explain, is_component_labeling),
        "{components}",
        "{largest:,} counties hang together; with islands and the like there are {components} such parts.",
    ),
    "strong components": Step(
        _strong_components,
        partial(explain, is_strong_component_labeling),
        "{components}",
        "Were three of four borders open one way only, {largest:,} counties could still reach one another.",
        graph_for=gallery.with_directions,
    ),
    "spanning forest": Step(
        _forest,
        partial(explain, is_minimum_spanning_forest),
        "{weight:,.0f} mi",
        "{weight:,.0f} miles of lines from county to county, {edges:,} of them, join each part; no shorter ones do.",
        graph_for=_with_miles,
    ),
    "search": Step(
        _search,
        partial(explain, is_bfs_tree),
        "{farthest} borders",
        "From {start}, which touches most others, {reached:,} can be reached over at most {farthest} borders.",
    ),
    "aggregates": Step(
        _aggregates,
        partial(explain, is_aggregation),
        "{aggregates:,}",
        "{aggregates:,} groups of neighbours, {mean_size:.1f} counties on average, are the vertices of a coarser map.",
    ),
    "multigrid": Step(
        _resistance,
        _unbalanced,
        "{ohms:.3f} ohms",
        "Were each border a resistor of one ohm, {ohms:.3f} ohms would lie between {ends[0]} and {ends[1]}, as "
        "{iterations} steps of multigrid find.",
        on_gpu=False,
        graph_for=lambda graph: largest_component(graph)[0],
    ),
}


@click.command("demo")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default=PICTURE,
    show_default=True,
    help="The picture (.png, .svg or .pdf); that of the coloring has -colors in its name.",
)
@click.option("--no-picture", is_flag=True, help="Draw nothing.")
@seed_option
@number_of_threads
@json_option
@click.pass_context
def command(ctx: click.Context, output: str, no_picture: bool, seed: int, as_json: bool) -> None:
    """Compute, verify and draw answers for a real graph."""
    clock = Clock()
    with clock("read"):
        graph = gallery.load("us-counties")
    answers, results = {}, []
    for name, step in STEPS.items():
        for device in ("cpu", "cuda") if step.on_gpu and cuda_available() else ("cpu",):
            answers[name], result = _run(name, step, graph, device, seed)
            results.append(result)
    pictures, missing = [], None
    if not no_picture:
        try:
            with clock("draw"), working("drawing"):
                pictures = _draw(graph, answers["maximal set"][0], answers["coloring"][0], output)
        except ModuleNotFoundError as error:
            missing = str(error)
    same = all(len({row["crc32"] for row in results if row["step"] == name}) == 1 for name in STEPS)
    facts: Facts = {
        "graph": "us-counties",
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "seed": seed,
        "results": results,
        "verified": same and all(row["verified"] for row in results),
        "pictures": pictures,
        "seconds": clock.facts(),
    }
    if as_json:
        show(True, facts, {})
    else:
        _tell(facts, missing)
    if not facts["verified"]:
        ctx.exit(1)


def _run(name: str, step: Step, counties: Graph, device: str, seed: int) -> tuple[list[Any], Facts]:
    """The answer of a step on a device, and what is told of it."""
    clock = Clock(compile=0.0)
    graph = step.graph_for(counties)
    there = graph.to(device)
    compile_ahead(lambda small: step.compute(step.graph_for(small.to("cpu")).to(device)), there, clock)
    with clock("compute"), working(f"{name}: computing on {device}"):
        found, facts = step.compute(there, seed)
    answer = [part.get() if hasattr(part, "get") else part for part in found]  # from a GPU
    with clock("verify"):
        wrong = step.wrong(graph, *answer)
    return answer, {
        "step": name,
        "device": device,
        "threads": num_threads() if device == "cpu" else None,
        **facts,
        "crc32": fingerprint(*answer),
        "verified": wrong is None,
        "reason": wrong,
        "seconds": {part: clock.facts()[part] for part in ("compile", "compute", "verify")},
    }


def _draw(graph: Graph, mask: Numbers, colors: Numbers, output: str) -> list[str]:
    """Write a picture of the set and one of the coloring; their names."""
    from ..plot import coloring_figure, independent_set_figure

    where, title = gallery.positions("us-counties"), "Counties of the US"
    save_picture(independent_set_figure(graph, mask, where, title=title), output)
    path = Path(output)
    second = str(path.with_name(f"{path.stem}-colors{path.suffix}"))
    save_picture(coloring_figure(graph, colors, where, title=title), second)
    return [output, second]


def _tell(facts: Facts, missing: str | None) -> None:
    console = console_for()
    console.print()
    console.print(Text("The counties of the United States, joined where they touch", style="bold"))
    read = duration(facts["seconds"]["read"])
    size = f"{facts['vertices']:,} vertices, {facts['edges']:,} edges"
    console.print(Text(f"{size}; read in {read}; {num_threads()} threads on the CPU", style="dim"))
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for heading in ("", "", "found", "crc32", "compile", "compute", "verify", "right"):
        table.add_column(heading, justify="left" if heading in ("", "crc32") else "right", no_wrap=True)
    for row in facts["results"]:
        seconds = row["seconds"]
        table.add_row(
            row["step"],
            {"cpu": "CPU", "cuda": "GPU"}[row["device"]],
            STEPS[row["step"]].shown.format(**row),
            row["crc32"],
            *(duration(seconds[part]) for part in ("compile", "compute", "verify")),
            Text("yes", style="green") if row["verified"] else Text("no", style="red"),
        )
    console.print(table)
    console.print()
    for row in facts["results"]:
        if row["reason"]:
            console.print(Text(f"Wrong: {row['step']} on {row['device']}: {row['reason']}", style="red"))
    if facts["verified"]:
        for row in facts["results"]:
            if row["device"] == "cpu":
                console.print(STEPS[row["step"]].told.format(**row))
        console.print("Run it again, with more or fewer threads, on another machine: the same answers, the same crc32.")
    if facts["pictures"]:
        console.print(Text.assemble("Pictures are in ", (" and ".join(facts["pictures"]), "bold"), "."))
    elif missing:
        console.print(Text(f"No picture: {missing}"))
    console.print()
    console.print(Text("Next:", style="dim"))
    for name, what in (
        ("stablegraph mis GRAPH -o set.txt", "a set for a graph of yours; --large for a larger one"),
        ("stablegraph color GRAPH --plot PNG", "a coloring, and its picture"),
        ("stablegraph bench", "how fast this machine is"),
        ("stablegraph --help", "all commands"),
    ):
        console.print(Text.assemble(f"  {name:<36}", (what, "dim")))
