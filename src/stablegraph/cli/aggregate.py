"""``stablegraph aggregate``: small groups of neighbouring vertices, their sizes, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import __version__
from .answer_files import fingerprint, write_answer
from .components import labels_output
from .options import check_output, compile_ahead, graph_file, read, save_picture, size_line, threads_line
from .terminal import Clock, Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph


@click.command("aggregate")
@graph_file
@click.option(
    "--method",
    type=click.Choice(["mis2", "mis2-basic", "kokkos"]),
    default="mis2",
    show_default=True,
    help="Around two distance-2 sets, around one, or as Kokkos Kernels does it.",
)
@click.option(
    "--strength", type=float, metavar="THETA", help="Only entries with |a_ij| >= THETA sqrt(|a_ii a_jj|) connect."
)
@labels_output
@click.option("--plot", "picture", metavar="FILE", help="Draw the aggregates (the middle ones of a large graph).")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    method: str,
    strength: float | None,
    verify: bool,
    output: str | None,
    picture: str | None,
) -> None:
    """Partition the vertices into small aggregates.

    Each has a root, and its other vertices are at most two steps away. They are numbered from 0 by their roots, and do
    not depend on the number of threads.
    """
    from ..coarsening import aggregate
    from ..parallel import num_threads
    from ..verify import explain, is_aggregation

    check_output(output, file, as_json)
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock, weights=strength is not None)
    compile_ahead(_aggregate_small, graph, clock, method=method, strength=strength)
    with clock("compute"), working("computing"):
        count, labels = aggregate(graph, method=method, strength=strength)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_aggregation, graph, labels, connected=method != "kokkos")
    n, sizes = graph.num_vertices, np.bincount(labels)
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "aggregates": count,
        "mean_size": n / count if count else None,
        "aggregates_of_size": np.bincount(sizes).tolist(),
        "method": method,
        "strength": strength,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(labels),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
        "picture": picture,
    }
    if output is not None:
        made = {name: facts[name] for name in ("aggregates", "method", "strength", "crc32")}
        write_answer(output, "labels", labels, {"stablegraph": __version__, **made}, graph.nodes)
    if picture is not None:
        from ..plot import aggregates_figure

        with working("drawing"):
            save_picture(aggregates_figure(graph, labels, title=shown_name(Path(file).name)), picture)
    lines = {
        "aggregates": f"{count:,}",
        "sizes": _told_sizes(sizes),
        "method": method if strength is None else f"{method}, strength {strength:g}",
        "verified": "not asked for"
        if not verify
        else "yes: near each other, without gaps"
        if not wrong
        else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    if picture is not None:
        lines["picture"] = picture
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)


def _aggregate_small(small: Graph, method: str, strength: float | None) -> None:
    """The same on a small graph, with weights if there is a strength."""
    from ..coarsening import aggregate
    from ..graph import as_graph

    if strength is not None:
        small = as_graph((small.indptr, small.indices, np.ones(small.num_entries)))
    aggregate(small, method=method, strength=strength)


def _told_sizes(sizes: Any) -> str:
    if not sizes.size:
        return "none"
    tenth, half, nine_tenths = np.percentile(sizes, [10, 50, 90], method="lower")
    return (
        f"{sizes.min():,} to {sizes.max():,} vertices, {sizes.mean():.2f} on average; "
        f"10% have at most {tenth:,}, half {half:,}, 90% {nine_tenths:,}"
    )
