"""``stablegraph forest`` and ``matching``: a minimum spanning forest, written as a graph; edges without common ends."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from ..._core.option_names import ForestAlgorithm
from ..._core.texts import counted
from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job


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
    graph = job.read(weights=True, directed=False)
    forest = job.compute(partial(sg.minimum_spanning_forest, algorithm=algorithm, maximum=maximum))
    trees = graph.num_vertices - forest.nnz
    facts = {
        "forest_edges": forest.nnz,
        "trees": trees,
        "weight": sg.total_weight(forest),
        "maximum": maximum,
        "algorithm": algorithm,
    }
    return Answer(
        KINDS["forest"],
        forest,
        facts,
        notes={"trees_with_noun": counted(trees, "tree", "trees")},
        checked=(forest, maximum),
        right=f"a {'maximum' if maximum else 'minimum'} spanning forest",
        write=lambda: job.write(_as_graph(job, graph, forest.tocoo())),
    )


def _as_graph(job: Job, graph: sg.Graph, edges: Any) -> sg.Graph:
    """Make an undirected graph of a forest, with the names of the vertices, and with weights if the graph has them.

    A table of edges does not list isolated vertices, so they are dropped for formats that cannot hold them.
    """
    from ...io.detect import SUFFIXES
    from ...io.source import format_suffix
    from ...io.titled_table import SUFFIXES as TEXT_TABLES
    from ...io.titled_table import integers_of_texts

    weights, n = None if graph.weights is None else edges.data, graph.num_vertices
    suffix = format_suffix(job.output or "")
    text = job.target_format is None and suffix in TEXT_TABLES
    table = text or (job.target_format or SUFFIXES.get(suffix)) in ("parquet", "feather")
    nodes: Any = np.arange(n) if text and graph.nodes is None else graph.nodes
    forest = sg.from_edges(edges.row, edges.col, weights, n, symmetrize=True, nodes=nodes)
    if not table or nodes is None:
        return forest
    forest = forest.subgraph(forest.degrees > 0)
    integers = integers_of_texts(forest.nodes) if text else None  # `verify` compares ids as texts
    return forest if integers is None else forest._replace(nodes=integers)


@command(
    "matching",
    options.graph_on_device,
    options.weights,
    options.merge,
    options.seed,
    options.verify,
    options.answer_output("mates", "one number a line: the other end of the vertex's edge, or -1"),
)
def matching(job: Job, seed: int) -> Answer:
    """Find a matching: edges without common ends.

    The heaviest edges are taken first, so that the weight is at least half of the maximum; --no-weights ignores
    weights. Without weights every edge weighs 1, and no further edge can be added. The matching does not depend on the
    number of threads.

    Example: stablegraph matching graph.mtx.gz -o mates.csv
    """
    graph = job.read(weights=True, directed=False)
    mate, info = job.compute(partial(sg.weighted_matching, seed=seed, return_info=True))
    n, size, weight = graph.num_vertices, info["size"], info["weight"]
    return Answer(
        KINDS["matching"],
        mate,
        facts={"matched_edges": size, "weight": weight, "rounds": info["rounds"], "seed": seed},
        notes={"share": 2 * size / n if n else None, "total": None if graph.weights is None else weight},
        options={"weighted": True},
        stored=("matched_edges", "weight", "seed"),
    )
