"""``stablegraph bfs``: distances from the sources of a search, and shortest paths."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from .answer import Answer, Job, answering, share
from .cluster import on_a_cluster
from .options import graph_on_a_device, output_option, verify_option


@answering(
    "bfs",
    graph_on_a_device,
    click.option(
        "--sources", metavar="VERTICES", required=True, help="Where the search starts: 3,7,10-12, names, or @FILE."
    ),
    on_a_cluster,
    verify_option,
    output_option("distances and parents", "two numbers a line"),
)
def command(job: Job, sources: str) -> Answer:
    """Run a breadth-first search from one or several vertices.

    In a directed graph the search follows the arcs. With --directed, the lines of an edge list and the rows of a table
    are arcs. The parent of a vertex is the vertex before it on a shortest path from a source; if there are several, it
    is the smallest. A source has distance 0 and is its own parent; both are -1 for unreachable vertices. The answer
    does not depend on the number of threads.

    Example: stablegraph bfs graph.mtx.gz --sources 0,7 -o paths.npz
    """
    import numpy as np

    from ..traversal.api import breadth_first_search
    from ..verify import explain, is_bfs_tree
    from .answer_files import vertices_from

    graph = job.read()
    start: Any = vertices_from(sources, "--sources", graph)
    distance, parents = job.compute(partial(breadth_first_search, sources=start), "searching")
    n, reached, farthest = graph.num_vertices, int(np.count_nonzero(distance >= 0)), int(distance.max(initial=-1))
    last = int(distance.argmax()) if reached else None
    named = "" if graph.nodes is None or last is None else f" ({graph.nodes[last]} in the file)"
    return Answer(
        np.stack([distance, parents], axis=1),
        "distances parents",
        facts={
            "sources": sources,
            "reached": reached,
            "share": reached / n if n else None,
            "farthest": farthest if reached else None,
            "farthest_vertex": last,
        },
        lines={
            "reached": f"{reached:,} vertices{share(reached, n)}",
            "farthest": f"vertex {last}{named}, at distance {farthest:,}" if reached else "none",
        },
        about=("sources", "reached", "farthest"),
        check=partial(explain, is_bfs_tree, graph, start, distance, parents, smallest=True),
        right="shortest paths",
    )
