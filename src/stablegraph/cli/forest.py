"""``stablegraph forest``: the minimum spanning forest of a graph, written as a graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..exports import counted
from ..names import ForestAlgorithm
from .answer import Answer, Job, answering
from .choices import FileName
from .cluster import on_a_cluster
from .components import algorithm_option
from .options import graph_on_a_device, merge_option, target_format_option, verify_option, write

if TYPE_CHECKING:
    from ..graph import Graph


@answering(
    "forest",
    graph_on_a_device,
    merge_option,
    click.option("--maximum", is_flag=True, help="Find the maximum spanning forest instead."),
    algorithm_option(ForestAlgorithm),
    on_a_cluster,
    verify_option,
    click.option(
        "-o",
        "--output",
        type=FileName(),
        metavar="FILE",
        help="Write the forest: an undirected graph; the suffix is the format.",
    ),
    target_format_option,
)
def command(
    job: Job, merge: str | None, maximum: bool, algorithm: ForestAlgorithm, target_format: str | None
) -> Answer:
    """Find the minimum spanning forest.

    It has the edges of least total weight that connect all vertices of each component; without weights every edge
    weighs 1. Ties are broken by the ends of the edges, so there is exactly one such forest, whatever the number of
    threads.

    Example: stablegraph forest graph.mtx.gz -o forest.mtx
    """
    from ..forest import minimum_spanning_forest, total_weight
    from ..verify import explain, is_minimum_spanning_forest

    graph = job.read(merge=merge, weights=True, undirected=True)
    forest = job.compute(partial(minimum_spanning_forest, algorithm=algorithm, maximum=maximum))
    weight, trees = total_weight(forest), graph.num_vertices - forest.nnz
    edges = forest.tocoo()
    return Answer(
        edges,
        "",
        facts={
            "forest_edges": forest.nnz,
            "trees": trees,
            "weight": weight,
            "maximum": maximum,
            "algorithm": algorithm,
        },
        lines={
            "forest": f"{forest.nnz:,} edges, {counted(trees, 'tree', 'trees')}",
            "weight": shown_weight(weight),
            "algorithm": algorithm,
        },
        check=partial(explain, is_minimum_spanning_forest, graph, forest, maximum),
        right=f"a {'maximum' if maximum else 'minimum'} spanning forest",
        write=lambda output: write(output, _as_graph(edges, graph), target_format, job.clock),
    )


def shown_weight(weight: float) -> str:
    """A total weight: all digits of an integer, and of another number as many as matter."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"


def _as_graph(edges: Any, graph: Graph) -> Graph:
    """The forest as an undirected graph, with the names of the vertices, and weights if the graph has any."""
    from ..conversion import from_edges

    weights = None if graph.weights is None else edges.data
    return from_edges(edges.row, edges.col, weights, graph.num_vertices, symmetrize=True, nodes=graph.nodes)
