"""Graphs in partitions, on the workers of a Dask cluster: the same functions, and the same answers bit for bit."""

from .building import from_edges, from_graph, read_graph
from .graph import DistributedGraph

__all__ = ["DistributedGraph", "from_edges", "from_graph", "read_graph"]
