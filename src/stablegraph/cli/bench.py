"""``stablegraph bench``: measure the speed of this machine."""

from __future__ import annotations

import math
import time
from typing import get_args

import click

from .._core.option_names import Priority
from .choices import FileName
from .clock import Clock
from .options import (
    device,
    device_option,
    directed_option,
    direction,
    input_options,
    json_option,
    number_of_threads,
    read,
    seed_option,
    size_line,
    symmetrize_option,
)
from .terminal import Facts, console_for, duration, show, shown_name, working


@click.command("bench")
@click.argument("file", type=FileName(), required=False)
@click.option("--graph", "name", metavar="NAME", help="A benchmark graph (G2, G3, R4, DE, RM, KR) instead of FILE.")
@click.option("--repeat", type=click.IntRange(1), default=5, show_default=True, help="Timed calls per priority.")
@seed_option
@input_options
@symmetrize_option
@directed_option
@number_of_threads
@device_option
@json_option
def command(
    file: str | None,
    name: str | None,
    repeat: int,
    seed: int,
    source_format: str | None,
    symmetrize: bool,
    directed: bool,
    as_json: bool,
) -> None:
    """Time the independent set on this machine, in edge sweeps.

    An edge sweep is the time in which all threads, or the GPU, read every edge once. Without FILE and --graph, the
    graph is G2, a grid of 1024 x 1024 points.

    Example: stablegraph bench graph.npz --repeat 9
    """
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from .. import gallery
    from .._core.reference_kernels import edge_sweep_seconds, ping_pong_ns
    from .._core.runtime import num_threads
    from .._core.runtime.device import wait_for
    from ..independent_set.api import maximal_independent_set
    from ..verify import is_maximal_independent_set

    if file is not None and name is not None:
        raise click.UsageError("give FILE or --graph, not both")
    clock = Clock()
    if file is not None:
        graph = read(file, source_format, symmetrize, clock, directed=direction(directed, symmetrize, False))
        title = shown_name(file)
    else:
        title = "G2" if name is None else name
        with working(f"generating {title}"):
            graph = gallery.benchmark_graph(title)
    rows: list[Facts] = []
    there = device()
    with working("measuring"):
        graph = graph.to(there)
        round_trip = ping_pong_ns() if there == "cpu" else math.nan
        sweep = edge_sweep_seconds(graph, repeat)
        for priority in get_args(Priority):
            mask = maximal_independent_set(graph, priority=priority, seed=seed)
            if not is_maximal_independent_set(graph, mask):
                raise RuntimeError(f"the set by {priority} is not a maximal independent set")
            seconds = []
            for _ in range(repeat):
                start = time.perf_counter()
                maximal_independent_set(graph, priority=priority, seed=seed)
                wait_for(there)
                seconds.append(time.perf_counter() - start)
            middle, best = float(np.median(seconds)), min(seconds)
            size = int(mask.sum())
            rows.append(
                {"priority": priority, "size": size, "seconds": middle, "seconds_min": best, "sweeps": middle / sweep}
            )
    facts: Facts = {
        "graph": title,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "threads": num_threads(),
        "device": there,
        "sweep_seconds": sweep,
        "round_trip_ns": None if math.isnan(round_trip) else round_trip,
        "repeat": repeat,
        "seed": seed,
        "results": rows,
    }
    if as_json:
        show(True, facts, {})
        return
    table = Table(box=None, padding=(0, 2), title_justify="left", header_style="dim")
    for heading in ("order", "set size", "time", "edge sweeps"):
        table.add_column(heading, justify="left" if heading == "order" else "right")
    for row in rows:
        table.add_row(row["priority"], f"{row['size']:,}", duration(row["seconds"]), f"{row['sweeps']:.2f}")
    console = console_for()
    console.print(Text(f"{title}: {size_line(graph)}", style="bold"))
    console.print(table)
    cores = "" if math.isnan(round_trip) else f"; a cache line goes there and back in {round_trip:.0f} ns"
    threads = "the GPU" if there == "cuda" else f"{num_threads()} thread{'s' if num_threads() > 1 else ''}"
    console.print(Text(f"  One edge sweep takes {duration(sweep)} on {threads}{cores}.", style="dim"))
    console.print(Text(f"  Medians of {repeat} calls; every set was verified.", style="dim"))
