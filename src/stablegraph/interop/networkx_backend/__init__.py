"""The NetworkX backend "stablegraph": NetworkX looks up functions in `backend` by their names.

NetworkX converts a graph once (`convert_from_nx`), caches the result with the graph, and passes it to the functions of
this backend. Inside the backend nodes are numbers, in the order of the graph; arguments and results contain the node
names. Results contain Python numbers, and have NetworkX's order. limits.py lists the unsupported arguments.
"""

from types import SimpleNamespace

from .coloring import greedy_color, is_coloring
from .communities import (
    leiden_communities,
    leiden_partitions,
    louvain_communities,
    louvain_partitions,
    modularity,
)
from .components import (
    connected_components,
    is_connected,
    is_weakly_connected,
    node_connected_component,
    number_connected_components,
    number_weakly_connected_components,
    weakly_connected_components,
)
from .forests import maximum_spanning_edges, maximum_spanning_tree, minimum_spanning_edges, minimum_spanning_tree
from .graph import convert_from_nx, convert_to_nx
from .limits import refuses_unsupported, should_run
from .matrices import from_scipy_sparse_array, to_scipy_sparse_array
from .searches import bfs_edges, bfs_layers, bfs_tree, single_source_shortest_path_length
from .sets import dominating_set, is_dominating_set, maximal_independent_set, maximum_independent_set
from .strong import (
    condensation,
    is_strongly_connected,
    number_strongly_connected_components,
    strongly_connected_components,
)
from .suite import on_start_tests
from .tables import from_pandas_edgelist

__all__ = [
    "bfs_edges",
    "bfs_layers",
    "bfs_tree",
    "condensation",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "dominating_set",
    "from_pandas_edgelist",
    "from_scipy_sparse_array",
    "greedy_color",
    "is_coloring",
    "is_connected",
    "is_dominating_set",
    "is_strongly_connected",
    "is_weakly_connected",
    "leiden_communities",
    "leiden_partitions",
    "louvain_communities",
    "louvain_partitions",
    "maximal_independent_set",
    "maximum_independent_set",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "modularity",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "on_start_tests",
    "should_run",
    "single_source_shortest_path_length",
    "strongly_connected_components",
    "to_scipy_sparse_array",
    "weakly_connected_components",
]

# A namespace instead of this module, in which NetworkX would find submodules: `bipartite.sets` would be sets.py.
backend = SimpleNamespace(**{name: refuses_unsupported(name, globals()[name]) for name in __all__})
