"""``stablegraph bfs``: how far vertices are from the sources of a search, and shortest paths there."""

from __future__ import annotations

import click
import numpy as np

from .. import __version__
from .answer_files import fingerprint, vertices_from, write_answer
from .options import check_output, graph_file, read, size_line, threads_line, verify_option
from .terminal import Clock, Facts, show, shown_name, working


@click.command("bfs")
@graph_file
@click.option("--sources", metavar="VERTICES", required=True, help="Where the search begins: 3,7,10-12 or @FILE.")
@verify_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write distances and parents: .npz (with the vertices' names), .npy, or else one line a vertex.",
)
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    sources: str,
    verify: bool,
    output: str | None,
) -> None:
    """Run a breadth-first search from some of the vertices.

    Of a directed graph arcs are followed. The parent of a vertex is the one before it on a shortest path from a source,
    of several the smallest. A source has distance 0 and is its own parent; both are -1 where no path leads. They do not
    depend on the number of threads.
    """
    from ..parallel import num_threads
    from ..traversal import breadth_first_search
    from ..verify import explain, is_bfs_tree

    check_output(output, file, as_json)
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock)
    n = graph.num_vertices
    begin = vertices_from(sources, "--sources", n)
    with clock("compute"), working("searching"):
        distance, parents = breadth_first_search(graph, begin)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_bfs_tree, graph, begin, distance, parents, smallest=True)
    answer = np.stack([distance, parents], axis=1)
    reached, farthest = int(np.count_nonzero(distance >= 0)), int(distance.max(initial=-1))
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "sources": sources,
        "reached": reached,
        "share": reached / n if n else None,
        "farthest": farthest if reached else None,
        "farthest_vertex": int(distance.argmax()) if reached else None,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(answer),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
    }
    if output is not None:
        made = {name: facts[name] for name in ("sources", "reached", "farthest", "crc32")}
        write_answer(output, "distances parents", answer, {"stablegraph": __version__, **made}, graph.nodes)
    lines = {
        "reached": f"{reached:,} vertices" + (f"  ({reached / n:.1%})" if n else ""),
        "farthest": f"vertex {facts['farthest_vertex']}, at distance {farthest:,}" if reached else "none",
        "verified": "not asked for" if not verify else "yes: shortest paths" if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)
