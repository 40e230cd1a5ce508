"""Backend information for NetworkX: the name of the backend, and its functions.

NetworkX calls this module on every ``import networkx`` if stablegraph is installed. Therefore it imports neither NumPy
nor Numba. The backend itself, networkx_backend/, is imported by the first call that uses it.
"""

from __future__ import annotations

from typing import Any

# Notes on functions, in addition to NetworkX's own documentation.
FUNCTIONS = {
    "ancestors": "",
    "bfs_edges": "Without `sort_neighbors`; `reverse` for undirected graphs only.",
    "bfs_layers": "",
    "bfs_tree": "Without `sort_neighbors`; `reverse` for undirected graphs only.",
    "bridges": "Undirected graphs without parallel edges and loops, without `root`; ascending by place in the graph.",
    "condensation": "Without `scc`.",
    "connected_components": "",
    "core_number": "Undirected graphs.",
    "descendants": "",
    "dijkstra_path": "As for single_source_dijkstra.",
    "dijkstra_path_length": "As for single_source_dijkstra.",
    "dominating_set": "Undirected graphs. An independent set as well, by many neighbors first.",
    "from_pandas_edgelist": "A Graph or DiGraph, with no edge attribute or one of numbers.",
    "from_scipy_sparse_array": "A Graph or DiGraph, of a CSR array in canonical format.",
    "greedy_color": (
        "Undirected graphs without parallel edges, strategies 'largest_first' (the same colors), 'smallest_last', "
        "'random_sequential' and 'saturation_largest_first', without `interchange`."
    ),
    "has_bridges": "As for bridges.",
    "is_bipartite": "Undirected graphs.",
    "is_coloring": "Of integers.",
    "is_connected": "",
    "is_dominating_set": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "k_core": "Undirected graphs, with all attributes.",
    "leiden_communities": "Undirected graphs, weights that are not negative; theta has no effect.",
    "leiden_partitions": "As for leiden_communities: parts of the communities, each inside one of the next level.",
    "louvain_communities": "As for leiden_communities; other communities than NetworkX's for the same seed.",
    "louvain_partitions": "As for louvain_communities.",
    "maximal_independent_set": "Distributed as NetworkX's: greedy, in a random order.",
    "maximal_matching": "Greedy, in a random order of the edges.",
    "maximum_independent_set": "By exact reductions and local search: larger sets, but no proved ratio.",
    "maximum_spanning_edges": "Kruskal's edges in his order, on graphs without parallel edges.",
    "maximum_spanning_tree": "Kruskal's tree, edge by edge, on graphs without parallel edges.",
    "minimum_spanning_edges": "Kruskal's edges in his order, on graphs without parallel edges.",
    "minimum_spanning_tree": "Kruskal's tree, edge by edge, on graphs without parallel edges.",
    "modularity": "Undirected graphs, weights that are not negative.",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "shortest_path": "From a source to all nodes, by `weight`; otherwise as for single_source_dijkstra.",
    "shortest_path_length": "From a source; to a target by `weight`; otherwise as for single_source_dijkstra.",
    "single_source_dijkstra": "`weight` names an attribute, at least 0; no parallel edges; possibly other paths.",
    "single_source_dijkstra_path": "As for single_source_dijkstra.",
    "single_source_dijkstra_path_length": "As for single_source_dijkstra.",
    "single_source_shortest_path_length": "",
    "strongly_connected_components": "",
    "to_scipy_sparse_array": "All nodes in their order (no `nodelist`), of graphs without parallel edges.",
    "weakly_connected_components": "",
}

PARAMETERS = {
    "maximal_independent_set": {
        "priority : str, optional": 'The order: "random", or "degree" for larger sets; see stablegraph\'s function.'
    },
}


def get_info() -> dict[str, Any]:
    """Return the backend information; this is the entry point ``networkx.backend_info``."""
    functions = {
        name: {"additional_docs": note, "additional_parameters": PARAMETERS.get(name, {})}
        for name, note in FUNCTIONS.items()
    }
    return {
        "backend_name": "stablegraph",
        "project": "stablegraph",
        "package": "stablegraph",
        "short_summary": "Independent sets, colorings, communities, components, forests, searches on all cores.",
        "functions": functions,
    }
