"""``stablegraph components`` and ``stablegraph scc``: the connected and the strongly connected components."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from ..._core.option_names import ComponentAlgorithm, ComponentLabel, StrongAlgorithm
from ..._core.texts import counted
from .. import options
from ..answers import KINDS, Answer
from ..clusters import is_table, with_earlier_clusters, write_clusters
from ..frame import command
from ..job import Job


@command(
    "components",
    options.graph_on_device,
    options.algorithm(ComponentAlgorithm),
    options.choice(
        "--label",
        ComponentLabel,
        "number",
        "Labels are numbers of components, or the smallest vertex of each; -o then writes tables with the columns id, "
        "cluster (the smallest id) and size.",
    ),
    options.input_file(
        "--start",
        "Components of an earlier run, as -o wrote them; the graph then needs to contain only the added edges.",
    ),
    options.cluster,
    options.verify,
    options.labels_output,
)
def components(job: Job, algorithm: str, label: ComponentLabel, start: str | None) -> Answer:
    """Find the connected components.

    In a directed graph these are the weakly connected components, which ignore directions. Components are numbered from
    0 by their smallest vertices, and do not depend on the number of threads.

    Example: stablegraph components graph.mtx.gz -o labels.txt
    """
    graph = job.read()
    if start is not None:
        with job.clock("start", "adding the earlier components"):
            job.graph = with_earlier_clusters(graph, start)
    answer = _labels(job, "components", algorithm, partial(sg.connected_components, label=label))
    answer.facts |= {"label": label, "start": start}
    if start is not None:
        answer.size = {"vertices": len(job.graph), "edges": graph.num_edges}
        answer.title = f"{len(job.graph):,} vertices, {counted(graph.num_edges, 'edge', 'edges')} added to {start}"
    if label == "smallest" and job.output is not None and is_table(job.output):
        answer.write = partial(write_clusters, job.output, job.graph, answer.values)
    return answer


@command(
    "scc",
    options.graph_on_device,
    options.algorithm(StrongAlgorithm),
    options.cluster,
    options.verify,
    options.labels_output,
)
def strong_components(job: Job, algorithm: str) -> Answer:
    """Find the strongly connected components of a directed graph.

    Two vertices are in one component if each can be reached from the other along arcs. Components are numbered from 0
    by their smallest vertices, and do not depend on the number of threads. The lines of an edge list and the rows of a
    table are arcs, even without --directed; an edge of an undirected graph is two arcs.

    Example: stablegraph scc arcs.txt -o labels.txt
    """
    job.read(directed=True)
    return _labels(job, "scc", algorithm, sg.strongly_connected_components)


def _labels(job: Job, kind: str, algorithm: str, find: Callable[..., tuple[int, Any]]) -> Answer:
    """Compute the components of either kind, and describe them."""
    count, labels = job.compute(partial(find, algorithm=algorithm))
    n, sizes = job.graph.num_vertices, np.bincount(labels)
    largest = int(sizes.max(initial=0))
    facts = {
        "components": count,
        "largest": largest,
        "largest_share": largest / n if n else None,
        "single_vertices": int(np.count_nonzero(sizes == 1)),
        "algorithm": algorithm,
    }
    return Answer(KINDS[kind], labels, facts, stored=("components", "algorithm"))
