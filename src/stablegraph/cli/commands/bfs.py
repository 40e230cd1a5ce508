"""``stablegraph bfs``: distances from the sources of a search, and shortest paths."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job


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
    from ..vertex_lists import vertices_from

    graph = job.read()
    start: Any = vertices_from(sources, "--sources", graph)
    find = partial(sg.breadth_first_search, sources=start, max_distance=max_distance)
    distance, parents = job.compute(find, "searching")
    n, reached = graph.num_vertices, int(np.count_nonzero(distance >= 0))
    last = int(distance.argmax()) if reached else None
    facts = {
        "sources": sources,
        "max_distance": max_distance,
        "reached": reached,
        "share": reached / n if n else None,
        "farthest": None if last is None else int(distance[last]),
        "farthest_vertex": last,
    }
    return Answer(
        KINDS["bfs"],
        np.stack([distance, parents], axis=1),
        facts,
        notes={"name": None if graph.nodes is None or last is None else str(graph.nodes[last])},
        checked=(start, distance, parents),
        options={"smallest": True, "max_distance": max_distance},
        stored=("sources", "max_distance", "reached", "farthest"),
    )
