"""``stablegraph forest``: compute the minimum spanning forest of a graph, and write it as a graph."""

from __future__ import annotations

from functools import partial
from typing import Any

import stablegraph as sg

from ..._core.option_names import ForestAlgorithm
from .. import options
from ..frame import command
from ..job import Answer, Job


@command(
    "forest",
    options.graph_on_device,
    options.weights,
    options.merge,
    options.flag("--maximum", "Find the maximum spanning forest instead."),
    options.algorithm(ForestAlgorithm),
    options.cluster,
    options.verify,
    options.output(
        "Write the forest: .csv, .tsv, .parquet or .feather (a table of edges between the file's ids), or an "
        "undirected graph in the format of the suffix.",
        "graph",
    ),
    options.target_format,
)
def forest(job: Job, maximum: bool, algorithm: ForestAlgorithm) -> Answer:
    """Find the minimum spanning forest.

    The forest consists of the edges of least total weight that connect all vertices of each component; without weights
    every edge weighs 1. Ties are broken by the ends of the edges, so there is exactly one such forest, and it does not
    depend on the number of threads.

    Example: stablegraph forest graph.mtx.gz -o forest.mtx
    """
    from ..._core.texts import counted

    graph = job.read(weights=True, directed=False)
    forest = job.compute(partial(sg.minimum_spanning_forest, algorithm=algorithm, maximum=maximum))
    weight, trees = sg.total_weight(forest), graph.num_vertices - forest.nnz
    return Answer(
        forest,
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
        check=partial(sg.explain, sg.is_minimum_spanning_forest, graph, forest, maximum),
        right=f"a {'maximum' if maximum else 'minimum'} spanning forest",
        write=lambda: job.write(_as_graph(job, graph, forest.tocoo())),
    )


def shown_weight(weight: float) -> str:
    """Return a total weight as text: all digits of an integer, ten digits of other numbers."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"


def _as_graph(job: Job, graph: sg.Graph, edges: Any) -> sg.Graph:
    """Make an undirected graph of a forest, with the names of the vertices, and with weights if the graph has them.

    A table of edges does not list isolated vertices, so they are dropped for formats that cannot hold them.
    """
    import numpy as np

    from ...io.detect import SUFFIXES
    from ...io.source import format_suffix
    from ...io.titled_table import SUFFIXES as TEXT_TABLES
    from ...io.titled_table import integers_of_texts

    weights, n, suffix = (
        None if graph.weights is None else edges.data,
        graph.num_vertices,
        format_suffix(job.output or ""),
    )
    text = job.target_format is None and suffix in TEXT_TABLES
    table = text or (job.target_format or SUFFIXES.get(suffix)) in ("parquet", "feather")
    nodes: Any = np.arange(n) if text and graph.nodes is None else graph.nodes
    forest = sg.from_edges(edges.row, edges.col, weights, n, symmetrize=True, nodes=nodes)
    if not table or nodes is None:
        return forest
    forest = forest.subgraph(forest.degrees > 0)
    integers = integers_of_texts(forest.nodes) if text else None  # `verify` compares ids as texts
    return forest if integers is None else forest._replace(nodes=integers)
