"""``stablegraph demo``: what the package does, shown on a real graph that comes with it.

Each step computes an answer and verifies it, on the CPU and, where there is one and it helps, on a GPU. A further step
is a function that computes an answer, and an entry in `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

from .. import gallery
from ..coloring import vertex_coloring
from ..coloring.bounds import color_bounds
from ..graph import Graph
from ..independent_set import large_independent_set, maximal_independent_set
from ..parallel import num_threads
from ..parallel.device import cuda_available
from ..verify import explain, is_maximal_independent_set, is_proper_coloring
from .answer_files import Numbers, fingerprint
from .options import compile_ahead, json_option, number_of_threads, save_picture, seed_option
from .terminal import Clock, Facts, console_for, duration, show, working

PICTURE = "stablegraph-demo.png"
_ROUNDS = 20  # of the search for a large set: a third of a second


def _maximal_set(graph: Graph, seed: int = 0) -> tuple[Any, Facts]:
    mask = maximal_independent_set(graph, seed=seed)
    return mask, {"size": int(mask.sum())}


def _large_set(graph: Graph, seed: int = 0) -> tuple[Any, Facts]:
    found = large_independent_set(graph, rounds=_ROUNDS, seed=seed)
    return found.mask, {"size": found.size, "upper_bound": found.upper_bound}


def _coloring(graph: Graph, seed: int = 0) -> tuple[Any, Facts]:
    colors = vertex_coloring(graph, seed=seed)
    return colors, {"colors": int(colors.max()) + 1, "lower_bound": color_bounds(graph)[0]}


@dataclass(frozen=True)
class Step:
    """A computation of the demo."""

    compute: Callable[..., tuple[Any, Facts]]
    predicate: Callable[..., bool]
    shown: str  # of the facts
    told: str
    on_gpu: bool = True


STEPS = {
    "maximal set": Step(
        _maximal_set,
        is_maximal_independent_set,
        "{size:,}",
        "No two of these {size:,} counties touch, and every other county touches one of them.",
    ),
    "large set": Step(
        _large_set,
        is_maximal_independent_set,
        "{size:,}",
        "Searching longer finds {size:,} such counties; it is proved that no choice has more than {upper_bound:,}.",
        on_gpu=False,
    ),
    "coloring": Step(
        _coloring,
        is_proper_coloring,
        "{colors} colors",
        "{colors} colors tell apart all that touch; fewer than {lower_bound} cannot, for so many touch each other.",
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
            answers[name], result = _run(name, step, graph.to(device), graph, seed)
            results.append(result)
    pictures, missing = [], None
    if not no_picture:
        try:
            with clock("draw"), working("drawing"):
                pictures = _draw(graph, answers["maximal set"], answers["coloring"], output)
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


def _run(name: str, step: Step, there: Graph, graph: Graph, seed: int) -> tuple[Numbers, Facts]:
    """The answer of a step on a device, and what is told of it."""
    clock = Clock(compile=0.0)
    compile_ahead(step.compute, there, clock)
    with clock("compute"), working(f"{name}: computing on {there.device}"):
        answer, found = step.compute(there, seed)
    answer = np.asarray(answer.get() if there.device == "cuda" else answer)
    with clock("verify"):
        wrong = explain(step.predicate, graph, answer)
    return answer, {
        "step": name,
        "device": there.device,
        "threads": num_threads() if there.device == "cpu" else None,
        **found,
        "crc32": fingerprint(answer),
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
    console.print(Text(f"{facts['vertices']:,} vertices, {facts['edges']:,} edges; read in {read}", style="dim"))
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for heading in ("", "", "found", "crc32", "compile", "compute", "verify", "correct"):
        table.add_column(heading, justify="left" if heading in ("", "crc32") else "right", no_wrap=True)
    for row in facts["results"]:
        seconds, threads = row["seconds"], row["threads"]
        table.add_row(
            row["step"],
            "GPU" if threads is None else f"{threads} thread{'s' if threads > 1 else ''}",
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
