"""``stablegraph demo``: demonstrate the package on a real graph that is included in it.

Each step computes an answer and verifies it, on the CPU and, if one is available and the step supports it, on a GPU. To
add a step, add an entry to `demo_steps.STEPS`.
"""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stablegraph as sg

from ..._core.texts import printable
from .. import options
from ..frame import command
from ..job import Job, Report, picture_format, picture_of, write_file
from ..terminal import Clock, Facts, console_for, duration

if TYPE_CHECKING:
    from .demo_steps import Step

PICTURE = "stablegraph-demo.png"


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
    from ..._core.runtime.cuda.gpu_code import cuda_available
    from ...io.target import checked_target
    from .demo_steps import STEPS

    with contextlib.suppress(ModuleNotFoundError):  # without Matplotlib nothing is drawn
        if not no_picture and picture_format(str(job.output)):
            list(map(checked_target, _names(str(job.output))))
    with job.clock("read"):
        graph = sg.gallery.load("us-counties")
    answers, results = {}, []
    for name, step in STEPS.items():
        for device in ("cpu", "cuda") if step.on_gpu and cuda_available() else ("cpu",):
            answers[name], result = _run(name, step, graph, device, seed)
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
    return Report(facts, partial(_print_steps, facts, missing), is_wrong=not facts["verified"])


def _run(name: str, step: Step, counties: sg.Graph, device: str, seed: int) -> tuple[list[Any], Facts]:
    """Compute the answer of a step on a device; return it with facts about it."""
    clock = Clock()
    graph = step.graph_for(counties)
    on_device = graph.to(device)
    with clock("compute", f"{name}: computing on {device}"):
        parts, facts = step.compute(on_device, seed)
    answer = [part.get() if hasattr(part, "get") else part for part in parts]  # from a GPU
    with clock("verify"):
        wrong = step.wrong(graph, *answer)
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
    from rich.table import Table
    from rich.text import Text

    from .demo_steps import STEPS

    console = console_for()
    console.print()
    console.print(Text("The counties of the United States, joined where they touch", style="bold"))
    read = duration(facts["seconds"]["read"])
    size = f"{facts['vertices']:,} vertices, {facts['edges']:,} edges"
    console.print(Text(f"{size}; read in {read}; {sg.num_threads()} threads on the CPU", style="dim"))
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
