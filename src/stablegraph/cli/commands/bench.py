"""``stablegraph bench``: measure the speed of this machine."""

from __future__ import annotations

import time
from functools import partial
from typing import get_args

import click
import numpy as np
from rich.text import Text

import stablegraph as sg

from ..._core.option_names import Priority
from ..._core.runtime.device import wait_for
from .. import options
from ..choices import FileName
from ..frame import command
from ..job import Job, Report, size_line, threads_line
from ..terminal import Facts, console_for, duration, table, working


@command(
    "bench",
    click.argument("file", type=FileName(), default=""),
    click.option("--graph", "name", metavar="NAME", help="A benchmark graph (G2, G3, R4, DE, RM, KR) instead of FILE."),
    options.number_option("--repeat", 1, 5, "Timed calls per priority."),
    options.seed,
    options.input_format,
    options.symmetrize,
    options.directed,
    options.threads,
    options.device,
    options.json,
)
def bench(job: Job, name: str | None, repeat: int, seed: int) -> Report:
    """Time the independent set on this machine, in edge sweeps.

    An edge sweep is the time in which all threads, or the GPU, read every edge once. Without FILE and --graph, the
    graph is G2, a grid of 1024 x 1024 points.

    Example: stablegraph bench graph.npz --repeat 9
    """
    from ...gallery.reference_kernels import edge_sweep_seconds, ping_pong_ns

    if job.file and name is not None:
        raise click.UsageError("give FILE or --graph, not both")
    title = job.name if job.file else "G2" if name is None else name
    if job.file:
        graph = job.read(directed=False)
    else:
        with working(f"generating {title}"):
            graph = sg.gallery.benchmark_graph(title)
    rows: list[Facts] = []
    with working("measuring"):
        graph = graph.to(job.device)
        round_trip = ping_pong_ns() if job.device == "cpu" else None
        sweep = edge_sweep_seconds(graph, repeat)
        for priority in get_args(Priority):
            mask = sg.maximal_independent_set(graph, priority=priority, seed=seed)
            if not sg.is_maximal_independent_set(graph, mask):
                raise RuntimeError(f"the set by {priority} is not a maximal independent set")
            seconds = []
            for _ in range(repeat):
                start = time.perf_counter()
                sg.maximal_independent_set(graph, priority=priority, seed=seed)
                wait_for(job.device)
                seconds.append(time.perf_counter() - start)
            median = float(np.median(seconds))
            row = {"priority": priority, "size": int(mask.sum()), "seconds": median, "seconds_min": min(seconds)}
            rows.append({**row, "sweeps": median / sweep})
    facts: Facts = {
        "graph": title,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "threads": sg.num_threads(),
        "device": job.device,
        "sweep_seconds": sweep,
        "round_trip_ns": round_trip,
        "repeat": repeat,
        "seed": seed,
        "results": rows,
    }
    return Report(facts, partial(_print, facts, size_line(graph)))


def _print(facts: Facts, size: str) -> None:
    rows = [
        (row["priority"], f"{row['size']:,}", duration(row["seconds"]), f"{row['sweeps']:.2f}")
        for row in facts["results"]
    ]
    console = console_for()
    console.print(Text(f"{facts['graph']}: {size}", style="bold"))
    console.print(table(("order", ">set size", ">time", ">edge sweeps"), rows, left=2))
    round_trip = facts["round_trip_ns"]
    cores = "" if round_trip is None else f"; a cache line goes there and back in {round_trip:.0f} ns"
    processor = "the GPU" if facts["device"] == "cuda" else threads_line()
    console.print(
        Text(f"  One edge sweep takes {duration(facts['sweep_seconds'])} on {processor}{cores}.", style="dim")
    )
    console.print(Text(f"  Medians of {facts['repeat']} calls; every set was verified.", style="dim"))
