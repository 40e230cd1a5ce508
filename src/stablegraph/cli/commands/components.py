"""``stablegraph components`` and ``stablegraph scc``: the connected and the strongly connected components."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

import stablegraph as sg

from ..._core.option_names import ComponentAlgorithm, ComponentLabel, StrongAlgorithm
from .. import options
from ..choices import FileName
from ..frame import command
from ..job import Answer, Job, percentage


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
    click.option(
        "--start",
        type=FileName(),
        metavar="FILE",
        help="Components of an earlier run, as -o wrote them; the graph then needs to contain only the added edges.",
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
    from ..._core.texts import counted
    from ..clusters import is_table, with_earlier_clusters, write_clusters

    graph = job.read()
    if start is not None:
        with job.clock("start", "adding the earlier components"):
            job.graph = with_earlier_clusters(graph, start)
    find = partial(sg.connected_components, label=label)
    answer = _labels(job, algorithm, find, sg.is_component_labeling, "the connected components")
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
    right = "the strongly connected components"
    return _labels(job, algorithm, sg.strongly_connected_components, sg.is_strong_component_labeling, right)


def _labels(
    job: Job, algorithm: str, find: Callable[..., tuple[int, Any]], predicate: Callable[..., bool], right: str
) -> Answer:
    """Compute the components of either kind, and describe them."""
    import numpy as np

    count, labels = job.compute(partial(find, algorithm=algorithm))
    n, sizes = job.graph.num_vertices, np.bincount(labels)
    largest, single = int(sizes.max(initial=0)), int(np.count_nonzero(sizes == 1))
    return Answer(
        labels,
        "labels",
        facts={
            "components": count,
            "largest": largest,
            "largest_share": largest / n if n else None,
            "single_vertices": single,
            "algorithm": algorithm,
        },
        lines={
            "components": f"{count:,}  ({single:,} of a single vertex)",
            "largest": f"{largest:,} vertices{percentage(largest, n)}",
            "algorithm": algorithm,
        },
        stored=("components", "algorithm"),
        check=partial(sg.explain, predicate, job.graph, labels),
        right=right,
    )
