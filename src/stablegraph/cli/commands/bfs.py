"""``stablegraph bfs``: distances from the sources of a search, and shortest paths."""

from __future__ import annotations

from functools import partial
from typing import Any

import stablegraph as sg

from .. import options
from ..frame import command
from ..job import Answer, Job, percentage


@command(
    "bfs",
    options.graph_on_device,
    options.vertices("--sources", "Where the search starts", required=True),
    options.max_distance("End the search at this distance; vertices farther away get -1."),
    options.cluster,
    options.verify,
    options.answer_output("distances and parents", "two numbers a line"),
)
def bfs(job: Job, sources: str, max_distance: int | None) -> Answer:
    """Run a breadth-first search from one or several vertices.

    In a directed graph the search follows the arcs. With --directed, the lines of an edge list and the rows of a table
    are arcs. The parent of a vertex is the vertex before it on a shortest path from a source; if there are several, it
    is the smallest. A source has distance 0 and is its own parent; both are -1 for unreachable vertices. The answer
    does not depend on the number of threads.

    Example: stablegraph bfs graph.mtx.gz --sources 0,7 -o paths.npz
    """
    import numpy as np

    from ..vertex_lists import vertices_from

    graph = job.read()
    start: Any = vertices_from(sources, "--sources", graph)
    distance, parents = job.compute(
        partial(sg.breadth_first_search, sources=start, max_distance=max_distance), "searching"
    )
    n, reached, farthest = graph.num_vertices, int(np.count_nonzero(distance >= 0)), int(distance.max(initial=-1))
    last = int(distance.argmax()) if reached else None
    named = "" if graph.nodes is None or last is None else f" ({graph.nodes[last]} in the file)"
    return Answer(
        np.stack([distance, parents], axis=1),
        "distances parents",
        facts={
            "sources": sources,
            "max_distance": max_distance,
            "reached": reached,
            "share": reached / n if n else None,
            "farthest": farthest if reached else None,
            "farthest_vertex": last,
        },
        lines={
            "reached": f"{reached:,} vertices{percentage(reached, n)}",
            "farthest": f"vertex {last}{named}, at distance {farthest:,}" if reached else "none",
        },
        stored=("sources", "max_distance", "reached", "farthest"),
        check=partial(
            sg.explain, sg.is_bfs_tree, graph, start, distance, parents, smallest=True, max_distance=max_distance
        ),
        right="shortest paths",
    )
