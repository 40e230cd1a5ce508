"""The NetworkX backend "stablegraph": the functions that NetworkX finds in `backend` by their names.

NetworkX converts a graph once (`convert_from_nx`), keeps the result with the graph, and calls the function of this
backend with it. Nodes are names outside and numbers inside, in the order of the graph; answers hold names and Python's
own numbers, in the order in which NetworkX gives them. limits.py has the arguments that are not supported.
"""

from types import SimpleNamespace

from .coloring import greedy_color, is_coloring
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
    "maximal_independent_set",
    "maximum_independent_set",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
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

# Not this module itself: it has the modules beside it, too, and NetworkX's `bipartite.sets` would be found in sets.py.
backend = SimpleNamespace(**{name: refuses_unsupported(name, globals()[name]) for name in __all__})
