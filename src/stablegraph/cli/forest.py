"""``stablegraph forest``: compute the minimum spanning forest of a graph, and write it as a graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .._core.option_names import ForestAlgorithm
from .._core.representation import counted
from .answer import Answer, Job, answering
from .choices import FileName
from .cluster import on_a_cluster
from .components import algorithm_option
from .options import graph_on_a_device, merge_option, target_format_option, verify_option, weight_options, write

if TYPE_CHECKING:
    from ..graph import Graph


@answering(
    "forest",
    graph_on_a_device,
    weight_options,
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
        help="Write the forest: .csv, .tsv, .parquet or .feather (a table of edges between the file's ids), or an "
        "undirected graph in the format of the suffix.",
    ),
    target_format_option,
)
def command(
    job: Job, merge: str | None, maximum: bool, algorithm: ForestAlgorithm, target_format: str | None
) -> Answer:
    """Find the minimum spanning forest.

    The forest consists of the edges of least total weight that connect all vertices of each component; without weights
    every edge weighs 1. Ties are broken by the ends of the edges, so there is exactly one such forest, and it does not
    depend on the number of threads.

    Example: stablegraph forest graph.mtx.gz -o forest.mtx
    """
    from ..forest.api import minimum_spanning_forest, total_weight
    from ..verify import explain, is_minimum_spanning_forest

    graph = job.read(merge=merge, weights=True, directed=False)
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
        write=lambda output: write(output, _as_graph(edges, graph, output, target_format), target_format, job.clock),
    )


def shown_weight(weight: float) -> str:
    """Return a total weight as text: all digits of an integer, ten digits of other numbers."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"


def _as_graph(edges: Any, graph: Graph, output: str, target_format: str | None) -> Graph:
    """Make an undirected graph of a forest, with the names of the vertices, and with weights if the graph has them.

    A table of edges does not list isolated vertices, so they are dropped for formats that cannot hold them.
    """
    import numpy as np

    from ..conversion import from_edges
    from ..io.detect import SUFFIXES
    from ..io.source import format_suffix
    from ..io.titled_table import SUFFIXES as TEXT_TABLES
    from ..io.titled_table import integers_of_texts

    weights, n, suffix = None if graph.weights is None else edges.data, graph.num_vertices, format_suffix(output)
    text = target_format is None and suffix in TEXT_TABLES
    table = text or (target_format or SUFFIXES.get(suffix)) in ("parquet", "feather")
    nodes: Any = np.arange(n) if text and graph.nodes is None else graph.nodes
    forest = from_edges(edges.row, edges.col, weights, n, symmetrize=True, nodes=nodes)
    if not table or nodes is None:
        return forest
    forest = forest.subgraph(forest.degrees > 0)
    integers = integers_of_texts(forest.nodes) if text else None  # `verify` compares ids as texts
    return forest if integers is None else forest._replace(nodes=integers)
