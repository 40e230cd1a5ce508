"""Independent sets, colorings, components and searches of sparse graphs and matrices: fast, deterministic, checkable.

The public names are loaded when they are first used, so that importing the package stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Graph": "graph",
    "as_graph": "graph",
    "from_edges": "graph",
    "read_graph": "io",
    "write_graph": "io",
    "maximal_independent_set": "independent_set",
    "large_independent_set": "independent_set",
    "IndependentSet": "independent_set",
    "dependence_depth": "independent_set",
    "vertex_coloring": "coloring",
    "coloring_steps": "coloring",
    "color_bounds": "coloring.bounds",
    "color_classes": "coloring.schedule",
    "schedule": "coloring.schedule",
    "bipartite_coloring": "coloring.jacobian",
    "seed_matrix": "coloring.jacobian",
    "decompress": "coloring.jacobian",
    "Decompression": "coloring.jacobian",
    "connected_components": "components",
    "largest_component": "components",
    "subgraph": "components",
    "strongly_connected_components": "components.strong",
    "condensation": "components.strong",
    "aggregate": "coarsening",
    "aggregation_operator": "coarsening",
    "coarse_graph": "coarsening",
    "minimum_spanning_forest": "forest",
    "total_weight": "forest",
    "breadth_first_search": "traversal",
    "reachable": "traversal",
    "path": "traversal",
    "smoothed_aggregation": "solvers",
    "Multigrid": "solvers",
    "gauss_seidel": "solvers.gauss_seidel",
    "GaussSeidel": "solvers.gauss_seidel",
    "ConvergenceWarning": "solvers",
    "is_independent_set": "verify",
    "is_maximal_independent_set": "verify",
    "is_proper_coloring": "verify",
    "is_component_labeling": "verify",
    "is_strong_component_labeling": "verify",
    "is_aggregation": "verify",
    "is_bfs_tree": "verify",
    "is_spanning_forest": "verify",
    "is_minimum_spanning_forest": "verify",
    "explain": "verify",
    "set_num_threads": "parallel",
    "num_threads": "parallel",
    "show_config": "parallel",
    "warmup": "warm",
    "csgraph": "",
    "gallery": "",
    "plot": "",
}

__all__ = ["__version__", *sorted(_HOME)]

if TYPE_CHECKING:
    from . import csgraph as csgraph
    from . import gallery as gallery
    from . import plot as plot
    from .coarsening import aggregate as aggregate
    from .coarsening import aggregation_operator as aggregation_operator
    from .coarsening import coarse_graph as coarse_graph
    from .coloring import coloring_steps as coloring_steps
    from .coloring import vertex_coloring as vertex_coloring
    from .coloring.bounds import color_bounds as color_bounds
    from .coloring.jacobian import Decompression as Decompression
    from .coloring.jacobian import bipartite_coloring as bipartite_coloring
    from .coloring.jacobian import decompress as decompress
    from .coloring.jacobian import seed_matrix as seed_matrix
    from .coloring.schedule import color_classes as color_classes
    from .coloring.schedule import schedule as schedule
    from .components import connected_components as connected_components
    from .components import largest_component as largest_component
    from .components import subgraph as subgraph
    from .components.strong import condensation as condensation
    from .components.strong import strongly_connected_components as strongly_connected_components
    from .forest import minimum_spanning_forest as minimum_spanning_forest
    from .forest import total_weight as total_weight
    from .graph import Graph as Graph
    from .graph import as_graph as as_graph
    from .graph import from_edges as from_edges
    from .independent_set import IndependentSet as IndependentSet
    from .independent_set import dependence_depth as dependence_depth
    from .independent_set import large_independent_set as large_independent_set
    from .independent_set import maximal_independent_set as maximal_independent_set
    from .io import read_graph as read_graph
    from .io import write_graph as write_graph
    from .parallel import num_threads as num_threads
    from .parallel import set_num_threads as set_num_threads
    from .parallel import show_config as show_config
    from .solvers import ConvergenceWarning as ConvergenceWarning
    from .solvers import Multigrid as Multigrid
    from .solvers import smoothed_aggregation as smoothed_aggregation
    from .solvers.gauss_seidel import GaussSeidel as GaussSeidel
    from .solvers.gauss_seidel import gauss_seidel as gauss_seidel
    from .traversal import breadth_first_search as breadth_first_search
    from .traversal import path as path
    from .traversal import reachable as reachable
    from .verify import explain as explain
    from .verify import is_aggregation as is_aggregation
    from .verify import is_bfs_tree as is_bfs_tree
    from .verify import is_component_labeling as is_component_labeling
    from .verify import is_independent_set as is_independent_set
    from .verify import is_maximal_independent_set as is_maximal_independent_set
    from .verify import is_minimum_spanning_forest as is_minimum_spanning_forest
    from .verify import is_proper_coloring as is_proper_coloring
    from .verify import is_spanning_forest as is_spanning_forest
    from .verify import is_strong_component_labeling as is_strong_component_labeling
    from .warm import warmup as warmup


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'stablegraph' has no attribute {name!r}")
    if not home:
        return importlib.import_module(f".{name}", __name__)
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
