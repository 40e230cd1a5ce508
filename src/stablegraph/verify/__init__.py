"""Verification of results: public predicates, and explanations that name the first violation.

Every ``is_x(graph, result, ...)`` returns whether a result is correct. Every ``explain_x(graph, result, ...)`` returns
None for a correct result, otherwise one sentence with the vertices that violate the rule. ``is_x`` is true if and only
if the explanation is None, and ``explain(is_x, graph, result, ...)`` returns the explanation for any predicate. If
vertices have names, sentences use the names, and sets of vertices may be given by names.

The checks share no code with the algorithms: they are NumPy reductions over the rows of the CSR arrays, so that the
same mistake in a kernel and in its check is unlikely. For a graph on a GPU, checks without a search (sets and colorings
at distance 1, sets at distance 2, distances and parents) run on the GPU with CuPy. For all other checks, and for the
explanation of a wrong set, the graph is copied to host memory. Loops, duplicate entries and weights (including explicit
zeros) have no influence: every entry is an edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.unknown_options import suggests_options
from .bridges import explain_bridge_list, is_bridge_list
from .coarsening import explain_aggregation, is_aggregation
from .coloring import explain_coloring, is_proper_coloring
from .communities import explain_community_labeling, is_community_labeling
from .components import (
    explain_component_labeling,
    explain_strong_component_labeling,
    is_component_labeling,
    is_strong_component_labeling,
)
from .cores import explain_core_labeling, is_core_labeling
from .derivatives import (
    explain_acyclic_coloring,
    explain_compression_plan,
    explain_star_coloring,
    is_acyclic_coloring,
    is_compression_plan,
    is_star_coloring,
)
from .forest import (
    explain_minimum_spanning_forest,
    explain_spanning_forest,
    is_minimum_spanning_forest,
    is_spanning_forest,
)
from .independent_set import (
    explain_independent_set,
    explain_maximal_independent_set,
    is_independent_set,
    is_maximal_independent_set,
)
from .matching import explain_matching, explain_maximal_matching, is_matching, is_maximal_matching
from .one_per_source import explain_one_per_source, is_one_per_source
from .shortest_paths import explain_shortest_path_tree, is_shortest_path_tree
from .traversal import explain_bfs_tree, is_bfs_tree

__all__ = [
    "explain",
    "explain_acyclic_coloring",
    "explain_aggregation",
    "explain_bfs_tree",
    "explain_bridge_list",
    "explain_coloring",
    "explain_community_labeling",
    "explain_component_labeling",
    "explain_compression_plan",
    "explain_core_labeling",
    "explain_independent_set",
    "explain_matching",
    "explain_maximal_independent_set",
    "explain_maximal_matching",
    "explain_minimum_spanning_forest",
    "explain_one_per_source",
    "explain_shortest_path_tree",
    "explain_spanning_forest",
    "explain_star_coloring",
    "explain_strong_component_labeling",
    "is_acyclic_coloring",
    "is_aggregation",
    "is_bfs_tree",
    "is_bridge_list",
    "is_community_labeling",
    "is_component_labeling",
    "is_compression_plan",
    "is_core_labeling",
    "is_independent_set",
    "is_matching",
    "is_maximal_independent_set",
    "is_maximal_matching",
    "is_minimum_spanning_forest",
    "is_one_per_source",
    "is_proper_coloring",
    "is_shortest_path_tree",
    "is_spanning_forest",
    "is_star_coloring",
    "is_strong_component_labeling",
]

_EXPLANATIONS: dict[Callable[..., bool], Callable[..., str | None]] = {
    is_independent_set: explain_independent_set,
    is_maximal_independent_set: explain_maximal_independent_set,
    is_proper_coloring: explain_coloring,
    is_star_coloring: explain_star_coloring,
    is_acyclic_coloring: explain_acyclic_coloring,
    is_compression_plan: explain_compression_plan,
    is_community_labeling: explain_community_labeling,
    is_component_labeling: explain_component_labeling,
    is_core_labeling: explain_core_labeling,
    is_strong_component_labeling: explain_strong_component_labeling,
    is_aggregation: explain_aggregation,
    is_bfs_tree: explain_bfs_tree,
    is_bridge_list: explain_bridge_list,
    is_one_per_source: explain_one_per_source,
    is_shortest_path_tree: explain_shortest_path_tree,
    is_matching: explain_matching,
    is_maximal_matching: explain_maximal_matching,
    is_spanning_forest: explain_spanning_forest,
    is_minimum_spanning_forest: explain_minimum_spanning_forest,
}


@suggests_options
def explain(predicate: Callable[..., bool], graph: Any, *answer: Any, **options: Any) -> str | None:
    """Explain why a result is wrong.

    >>> import stablegraph as sg
    >>> sg.explain(sg.is_independent_set, sg.gallery.grid((3,)), [0, 1])
    'vertices 0 and 1 are adjacent and both in the set'

    Parameters
    ----------
    predicate : function
        One of the predicates, such as `is_maximal_independent_set`.
    graph : Graph, or anything `as_graph` takes
        The graph.
    *answer, **options
        The arguments of the predicate after the graph.

    Returns
    -------
    None or str
        None if the result is correct, otherwise a sentence that names the first violation.

    Raises
    ------
    ValueError, TypeError
        If `predicate` is not one of the predicates, or if the predicate raises one.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> print(sg.explain(sg.is_independent_set, path, [0, 2]))
    None
    >>> print(sg.explain(sg.is_independent_set, path, [0, 1]))
    vertices 0 and 1 are adjacent and both in the set
    >>> print(sg.explain(sg.is_maximal_independent_set, path, [1]))
    vertex 3 could join: it is not in the set and has no neighbor in it
    """
    explainer = _EXPLANATIONS.get(predicate)
    if explainer is None:
        known = ", ".join(sorted(f.__name__ for f in _EXPLANATIONS))
        name = getattr(predicate, "__name__", repr(predicate))
        raise ValueError(f"explain knows {known}, not {name}")
    return explainer(graph, *answer, **options)
