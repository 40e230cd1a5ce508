"""``stablegraph demo``: demonstrate the package on a real graph that is included in it.

Each step computes an answer and verifies it, on the CPU and, if one is available and the step supports it, on a GPU. To
add a step, add an entry to `demo_steps.STEPS`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._core.printable import printable
from .choices import FileName
from .clock import Clock
from .options import json_option, number_of_threads, save_picture, seed_option
from .terminal import Facts, console_for, duration, show

if TYPE_CHECKING:
    from ..graph import Graph
    from .demo_steps import Step

PICTURE = "stablegraph-demo.png"


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=FileName(),
    metavar="FILE",
    default=PICTURE,
    show_default=True,
    help="The picture (.png, .svg or .pdf); the one of the coloring has -colors in its name.",
)
@click.option("--no-picture", is_flag=True, help="Draw nothing.")
@seed_option
@number_of_threads
@json_option
@click.pass_context
def command(ctx: click.Context, output: str, no_picture: bool, seed: int, as_json: bool) -> None:
    """Compute, verify and draw answers for a real graph.

    Example: stablegraph demo --no-picture
    """
    from .. import gallery
    from .._core.runtime.gpu_code import cuda_available
    from .demo_steps import STEPS

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
            with clock("draw", "drawing"):
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
        "seconds": clock.seconds,
    }
    if as_json:
        show(True, facts, {})
    else:
        _show_steps(facts, missing)
    if not facts["verified"]:
        ctx.exit(1)


def _run(name: str, step: Step, counties: Graph, device: str, seed: int) -> tuple[list[Any], Facts]:
    """Compute the answer of a step on a device; return it with facts about it."""
    from .._core.runtime import num_threads
    from .answer_files import fingerprint

    clock = Clock()
    graph = step.graph_for(counties)
    on_device = graph.to(device)
    with clock("compute", f"{name}: computing on {device}"):
        found, facts = step.compute(on_device, seed)
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
        "seconds": clock.seconds,
    }


def _draw(graph: Graph, mask: Any, colors: Any, output: str) -> list[str]:
    """Draw the set and the coloring; return the names of the files."""
    from .. import gallery
    from ..plot import coloring_figure, independent_set_figure

    where, title = gallery.positions("us-counties"), "Counties of the US"
    save_picture(independent_set_figure(graph, mask, where, title=title), output)
    path = Path(output)
    second = str(path.with_name(f"{path.stem}-colors{path.suffix}"))
    save_picture(coloring_figure(graph, colors, where, title=title), second)
    return [output, second]


def _show_steps(facts: Facts, missing: str | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from .._core.runtime import num_threads
    from .demo_steps import STEPS

    console = console_for()
    console.print()
    console.print(Text("The counties of the United States, joined where they touch", style="bold"))
    read = duration(facts["seconds"]["read"])
    size = f"{facts['vertices']:,} vertices, {facts['edges']:,} edges"
    console.print(Text(f"{size}; read in {read}; {num_threads()} threads on the CPU", style="dim"))
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for heading in ("", "", "found", "crc32", "compute", "verify", "right"):
        table.add_column(heading, justify="left" if heading in ("", "crc32") else "right", no_wrap=True)
    for row in facts["results"]:
        seconds = row["seconds"]
        table.add_row(
            row["step"],
            {"cpu": "CPU", "cuda": "GPU"}[row["device"]],
            STEPS[row["step"]].shown.format(**row),
            row["crc32"],
            *(duration(seconds[part]) for part in ("compute", "verify")),
            Text("yes", style="green") if row["verified"] else Text("no", style="red"),
        )
    console.print(table)
    if any(row["device"] == "cuda" for row in facts["results"]):
        console.print(
            Text(
                "First times on a GPU include the translation of its code by the driver, which keeps it.",
                style="dim",
            )
        )
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
