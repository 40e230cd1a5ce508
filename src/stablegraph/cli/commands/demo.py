"""``stablegraph demo``: demonstrate the package on a real graph that is included in it.

Each step computes an answer and verifies it, on the CPU and, if one is available and the step supports it, on a GPU. To
add a step, add an entry to `STEPS`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from rich.text import Text

import stablegraph as sg

from ..._core.runtime.cuda.gpu_code import cuda_available
from ..._core.texts import printable
from .. import options
from ..frame import command
from ..job import Job, Report, picture_format, picture_of, write_file
from ..terminal import Clock, Facts, console_for, duration, table

PICTURE = "stablegraph-demo.png"
_ROUNDS = 20  # of the search for a large set: a third of a second
_TOLERANCE = 1e-10  # of the solution, which is shown with six digits

Result = tuple[tuple[Any, ...], Facts]  # the answer as arguments of its verifier, and facts about it


def _maximal_set(graph: sg.Graph, seed: int = 0) -> Result:
    mask = sg.maximal_independent_set(graph, seed=seed)
    return (mask,), {"size": int(mask.sum())}


def _large_set(graph: sg.Graph, seed: int = 0) -> Result:
    best = sg.large_independent_set(graph, rounds=_ROUNDS, seed=seed)
    return (best.mask,), {"size": best.size, "upper_bound": best.upper_bound}


def _color_counties(graph: sg.Graph, seed: int = 0) -> Result:
    colors = sg.vertex_coloring(graph, seed=seed)
    return (colors,), {"colors": int(colors.max()) + 1, "lower_bound": sg.color_bounds(graph)[0]}


def _components(graph: sg.Graph, seed: int = 0) -> Result:
    return _component_answer(graph, *sg.connected_components(graph))


def _strong_components(graph: sg.Graph, seed: int = 0) -> Result:
    return _component_answer(graph, *sg.strongly_connected_components(graph))


def _component_answer(graph: sg.Graph, count: int, labels: Any) -> Result:
    return (labels,), {"components": count, "largest": int(graph.xp.bincount(labels).max())}


def _connect_counties(graph: sg.Graph, seed: int = 0) -> Result:
    forest = sg.minimum_spanning_forest(graph)
    return (forest,), {"edges": forest.nnz, "weight": sg.total_weight(forest)}


def _search_from_hub(graph: sg.Graph, seed: int = 0) -> Result:
    source = int(graph.degrees.argmax())
    distance, parent = sg.breadth_first_search(graph, source)
    start = graph.nodes[source] if graph.nodes else source
    return (source, distance, parent), {
        "start": str(start),
        "reached": int((distance >= 0).sum()),
        "farthest": int(distance.max()),
    }


def _with_miles(graph: sg.Graph) -> sg.Graph:
    """Return the graph with the distances between counties as weights."""
    where = sg.gallery.positions("us-counties").astype(np.float64)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    across = where[rows] - where[graph.indices]
    return sg.as_graph((graph.indptr, graph.indices, np.sqrt(across[:, 0] ** 2 + across[:, 1] ** 2)))


def _aggregate_counties(graph: sg.Graph, seed: int = 0) -> Result:
    count, labels = sg.aggregate(graph)
    return (labels,), {"aggregates": count, "mean_size": graph.num_vertices / count}


def _resistance(graph: sg.Graph, seed: int = 0) -> Result:
    """Compute the potentials of a current between two distant vertices; every edge is a resistor of one ohm."""
    start = int(graph.degrees.argmax())
    end = int(sg.breadth_first_search(graph, start)[0].argmax())
    current = np.zeros(graph.num_vertices)
    current[[start, end]] = 1, -1
    residuals: list[float] = []
    hierarchy = sg.smoothed_aggregation(_conductances(graph), nullspace=np.ones(graph.num_vertices), coarse_size=50)
    potential = hierarchy.solve(current, tol=_TOLERANCE, residuals=residuals).round(6)
    return (start, end, potential), {
        "ohms": float(potential[start] - potential[end]),
        "iterations": len(residuals) - 1,
        "ends": [str(graph.nodes[v]) if graph.nodes else str(v) for v in (start, end)],
    }


def _conductances(graph: sg.Graph) -> Any:
    return scipy.sparse.csgraph.laplacian(graph.simple().to_scipy().astype(np.float64))


def _unbalanced(graph: sg.Graph, start: int, end: int, potential: Any) -> str | None:
    """Check Kirchhoff's law: the currents at each vertex except for the two ends add up to zero."""
    currents = _conductances(graph) @ potential
    currents[[start, end]] -= 1, -1
    worst = int(np.abs(currents).argmax())
    return None if abs(currents[worst]) < 1e-4 else f"at vertex {worst}, {currents[worst]:.2g} amperes are lost"


@dataclass(frozen=True)
class DemoStep:
    """A computation of the demo."""

    compute: Callable[..., Result]
    predicate: Callable[..., bool] | None  # the verifier; None for Kirchhoff's law
    shown: str  # format of the facts
    sentence: str  # format of a sentence about the facts
    on_gpu: bool = True
    graph_for: Callable[[sg.Graph], sg.Graph] = lambda graph: graph


STEPS = {
    "maximal set": DemoStep(
        _maximal_set,
        sg.is_maximal_independent_set,
        "{size:,}",
        "No two of these {size:,} counties touch, and every other county touches one of them.",
    ),
    "large set": DemoStep(
        _large_set,
        sg.is_maximal_independent_set,
        "{size:,}",
        "Searching longer finds {size:,} such counties; it is proved that no choice has more than {upper_bound:,}.",
        on_gpu=False,
    ),
    "coloring": DemoStep(
        _color_counties,
        sg.is_proper_coloring,
        "{colors} colors",
        "{colors} colors are enough for neighbors to differ; at least {lower_bound} are necessary, since "
        "{lower_bound} counties all touch each other.",
    ),
    "components": DemoStep(
        _components,
        sg.is_component_labeling,
        "{components}",
        "{largest:,} counties are connected; with islands and the like there are {components} components.",
    ),
    "strong components": DemoStep(
        _strong_components,
        sg.is_strong_component_labeling,
        "{components}",
        "If three of four borders were one-way, {largest:,} counties could still reach one another.",
        graph_for=sg.gallery.with_directions,
    ),
    "spanning forest": DemoStep(
        _connect_counties,
        sg.is_minimum_spanning_forest,
        "{weight:,.0f} mi",
        "{weight:,.0f} miles of lines from county to county, {edges:,} of them, join each part; no shorter ones do.",
        graph_for=_with_miles,
    ),
    "search": DemoStep(
        _search_from_hub,
        sg.is_bfs_tree,
        "{farthest} borders",
        "From {start}, which has the most neighbors, {reached:,} can be reached over at most {farthest} borders.",
    ),
    "aggregates": DemoStep(
        _aggregate_counties,
        sg.is_aggregation,
        "{aggregates:,}",
        "{aggregates:,} groups of neighbors, {mean_size:.1f} counties on average, are the vertices of a coarser map.",
    ),
    "multigrid": DemoStep(
        _resistance,
        None,
        "{ohms:.3f} ohms",
        "If each border were a resistor of one ohm, the resistance between {ends[0]} and {ends[1]} would be "
        "{ohms:.3f} ohms; multigrid finds it in {iterations} steps.",
        on_gpu=False,
        graph_for=lambda graph: sg.largest_component(graph)[0],
    ),
}


@command(
    "demo",
    options.output(
        "The picture (.png, .svg or .pdf); the one of the coloring has -colors in its name.",
        "pictures",
        default=PICTURE,
        show_default=True,
    ),
    options.flag("--no-picture", "Draw nothing."),
    options.seed,
    options.threads,
    options.json,
)
def demo(job: Job, no_picture: bool, seed: int) -> Report:
    """Compute, verify and draw answers for a real graph.

    Example: stablegraph demo --no-picture
    """
    from ...io.target import checked_target

    with contextlib.suppress(ModuleNotFoundError):  # without Matplotlib nothing is drawn
        if not no_picture and picture_format(str(job.output)):
            list(map(checked_target, _names(str(job.output))))
    with job.clock("read"):
        graph = sg.gallery.load("us-counties")
    answers, results = {}, []
    for name, step in STEPS.items():
        for device in ("cpu", "cuda") if step.on_gpu and cuda_available() else ("cpu",):
            answers[name], result = _run_step(name, step, graph, device, seed)
            results.append(result)
    pictures, missing = [], None
    if not no_picture:
        try:
            with job.clock("draw", "drawing"):
                pictures = _draw(graph, answers["maximal set"][0], answers["coloring"][0], str(job.output))
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
        "seconds": job.clock.seconds,
    }
    return Report(facts, partial(_print_steps, facts, missing), exit_code=int(not facts["verified"]))


def _run_step(name: str, step: DemoStep, counties: sg.Graph, device: str, seed: int) -> tuple[list[Any], Facts]:
    """Compute the answer of a step on a device; return it with facts about it."""
    clock = Clock()
    graph = step.graph_for(counties)
    on_device = graph.to(device)
    with clock("compute", f"{name}: computing on {device}"):
        parts, facts = step.compute(on_device, seed)
    answer = [part.get() if hasattr(part, "get") else part for part in parts]  # from a GPU
    with clock("verify"):
        wrong = sg.explain(step.predicate, graph, *answer) if step.predicate else _unbalanced(graph, *answer)
    return answer, {
        "step": name,
        "device": device,
        "threads": sg.num_threads() if device == "cpu" else None,
        **facts,
        "crc32": sg.fingerprint([part for part in answer if hasattr(part, "shape")]),
        "verified": wrong is None,
        "reason": wrong,
        "seconds": clock.seconds,
    }


def _names(output: str) -> list[str]:
    """Return the names of the two pictures."""
    path = Path(output)
    return [output, str(path.with_name(f"{path.stem}-colors{path.suffix}"))]


def _draw(graph: sg.Graph, mask: Any, colors: Any, output: str) -> list[str]:
    """Draw the set and the coloring; return the names of the files."""
    from ...plot import coloring_figure, independent_set_figure

    where, title = sg.gallery.positions("us-counties"), "Counties of the US"
    figures = [
        independent_set_figure(graph, mask, where, title=title),
        coloring_figure(graph, colors, where, title=title),
    ]
    names = _names(output)
    for name, picture in zip(names, [picture_of(figure, output) for figure in figures], strict=True):
        write_file(name, picture)
    return names


def _print_steps(facts: Facts, missing: str | None) -> None:
    console = console_for()
    console.print()
    console.print(Text("The counties of the United States, joined where they touch", style="bold"))
    read = duration(facts["seconds"]["read"])
    size = f"{facts['vertices']:,} vertices, {facts['edges']:,} edges"
    console.print(Text(f"{size}; read in {read}; {sg.num_threads()} threads on the CPU", style="dim"))
    console.print()
    rows = [
        (
            row["step"],
            {"cpu": "CPU", "cuda": "GPU"}[row["device"]],
            STEPS[row["step"]].shown.format(**row),
            row["crc32"],
            *(duration(row["seconds"][part]) for part in ("compute", "verify")),
            Text("yes", style="green") if row["verified"] else Text("no", style="red"),
        )
        for row in facts["results"]
    ]
    console.print(table(("", "", ">found", "crc32", ">compute", ">verify", ">right"), rows))
    if any(row["device"] == "cuda" for row in facts["results"]):
        note = "First times on a GPU include the translation of its code by the driver, which keeps it."
        console.print(Text(note, style="dim"))
    console.print()
    for row in facts["results"]:
        if row["reason"]:
            console.print(Text(f"Wrong: {row['step']} on {row['device']}: {row['reason']}", style="red"))
    if facts["verified"]:
        for row in facts["results"]:
            if row["device"] == "cpu":
                console.print(STEPS[row["step"]].sentence.format(**row))
        console.print("Run it again, with more or fewer threads, on another machine: the same answers, the same crc32.")
    if facts["pictures"]:
        console.print(Text.assemble("Pictures are in ", (printable(" and ".join(facts["pictures"])), "bold"), "."))
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
