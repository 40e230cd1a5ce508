"""Conversion of a Graph to NetworkX and PyTorch, and its description in one line. (This module is below graph.py.)"""

from __future__ import annotations

from typing import Any

from .csr.arrays import on_host
from .texts import counted, in_units


def networkx_graph(graph: Any) -> Any:
    """Return a NetworkX Graph or DiGraph with the same names; of duplicate entries only the last one is kept."""
    import networkx as nx

    result = nx.DiGraph() if graph.directed else nx.Graph()
    names = range(graph.num_vertices) if graph.nodes is None else list(graph.nodes)
    result.add_nodes_from(names)
    u, v = on_host(graph._rows()), on_host(graph.indices)
    once = slice(None) if graph.directed else u <= v
    ends = [u[once].tolist(), v[once].tolist()]
    if graph.nodes is not None:
        ends = [[names[x] for x in end] for end in ends]
    if graph.weights is None:
        result.add_edges_from(zip(*ends, strict=True))
    else:
        result.add_weighted_edges_from(zip(*ends, on_host(graph.weights)[once].tolist(), strict=True))
    return result


def tensors_of(graph: Any) -> tuple[Any, Any]:
    """Return the edge index and the weights, or None, as tensors of PyTorch."""
    import torch

    weights = None if graph.weights is None else torch.from_dlpack(graph.weights.copy())
    return torch.from_dlpack(graph.edge_index), weights


def one_line(graph: Any) -> str:
    """Return the description of a graph in one line."""
    return f"<Graph: {', '.join(described(graph).values())}>"


def described(graph: Any) -> dict[str, str]:
    """Return a graph's size, degrees, kind, device and memory.

    Debuggers call this often, so only facts that are known or take O(n) are included.
    """
    n, simple, scan = graph.num_vertices, graph._is_simple(), graph._scan
    edges_known = simple or graph._degrees is not None or (scan is not None and scan.descents == 0)
    degrees_known = graph._degrees is not None or (
        (simple or scan is not None) and graph._simple_degree_offset() is not None
    )
    parts = getattr(graph, "parts", [graph])  # of a graph on several GPUs
    if parts[0] is not graph:
        lengths = {"rows": f"at most {scan.longest_row} entries per row"}
    elif n:
        what = "degrees" if degrees_known else "entries per row"
        spread = graph.degrees if degrees_known else graph.indptr[1:] - graph.indptr[:-1]
        lengths = {what: f"{what} {int(spread.min())} to {int(spread.max())}"}
    else:
        lengths = {}
    kind = "arc" if graph.directed else "edge"
    size = (graph.num_edges, kind, f"{kind}s") if edges_known else (graph.num_entries, "entry", "entries")
    arrays = [array for part in parts for array in (part.indptr, part.indices, part.weights) if array is not None]
    weights = parts[0].weights
    return {
        "vertices": counted(n, "vertex", "vertices"),
        "edges": counted(*size),
        "kind": "directed" if graph.directed else "undirected",
        **lengths,
        "weights": "unweighted" if weights is None else f"{weights.dtype} weights",
        "device": graph.device,
        "memory": in_units(sum(int(array.nbytes) for array in arrays)),
    }
