"""Graphs in partitions, on the workers of a Dask cluster: the same functions, and the same answers bit for bit."""

from .building import from_edges, from_graph, read_graph
from .forest import DistributedForest
from .gallery import grid, rmat, uniform_random
from .graph import DistributedGraph
from .tables import from_table, to_parquet

__all__ = [
    "DistributedForest",
    "DistributedGraph",
    "from_edges",
    "from_graph",
    "grid",
    "read_graph",
    "rmat",
    "uniform_random",
]
