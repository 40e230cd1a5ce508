"""``stablegraph components``: which vertices hang together. What it tells of labels, ``stablegraph scc`` tells, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import numpy as np

from .. import __version__
from .answer_files import fingerprint, write_answer
from .options import check_output, graph_file, options, read, size_line, threads_line, verify_option
from .terminal import Clock, Facts, show, shown_name, working

labels_output = options(
    verify_option,
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the labels: .npz (with the vertices' names), .npy, or else one line a vertex.",
    ),
)


@click.command("components")
@graph_file
@click.option(
    "--algorithm",
    type=click.Choice(["union", "fastsv"]),
    default="union",
    show_default=True,
    help="How they are found; it changes the time, not the result.",
)
@labels_output
def command(**asked: Any) -> None:
    """Find the connected components.

    Of a directed graph they are the weak ones, for which directions do not count. They are numbered from 0 by their
    smallest vertices, and do not depend on the number of threads.
    """
    from ..components import connected_components
    from ..verify import is_component_labeling

    show_components(connected_components, is_component_labeling, "connected components", **asked)


def show_components(
    find: Callable[..., tuple[int, Any]],
    predicate: Callable[..., bool],
    what: str,
    *,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    algorithm: str,
    verify: bool,
    output: str | None,
) -> None:
    """Label the vertices of a graph in a file; check, write and describe the labels."""
    from ..parallel import num_threads
    from ..verify import explain

    check_output(output, file, as_json)
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock)
    with clock("compute"), working("computing"):
        count, labels = find(graph, algorithm=algorithm)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(predicate, graph, labels)
    n, sizes = graph.num_vertices, np.bincount(labels)
    largest = int(sizes.max(initial=0))
    single = int(np.count_nonzero(sizes == 1))
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "components": count,
        "largest": largest,
        "largest_share": largest / n if n else None,
        "single_vertices": single,
        "algorithm": algorithm,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(labels),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
    }
    if output is not None:
        made = {name: facts[name] for name in ("components", "algorithm", "crc32")}
        write_answer(output, "labels", labels, {"stablegraph": __version__, **made}, graph.nodes)
    lines = {
        "components": f"{count:,}  ({single:,} of a single vertex)",
        "largest": f"{largest:,} vertices" + (f"  ({largest / n:.1%})" if n else ""),
        "algorithm": algorithm,
        "verified": "not asked for" if not verify else f"yes: the {what}" if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        click.get_current_context().exit(1)
