"""Checking answers: public predicates, and sentences that name the first thing wrong.

Every ``is_x(graph, answer, ...)`` says whether an answer is right; ``explain_x(graph, answer, ...)`` says why it is
not: None, or one sentence with the vertices that break the rule. ``is_x`` is "the explanation is None", and
``explain(is_x, graph, answer, ...)`` is the explanation for any of them. Where vertices
have names, sentences call them by these, and sets of vertices may be given by them.

The checks share nothing with the algorithms: they are NumPy reductions over the rows of the CSR arrays, so that a
mistake in a kernel cannot hide behind the same mistake here. Those that need no search (sets and colorings at distance
1, sets at distance 2, distances and parents) are CuPy's for a graph on a GPU; for the others it is copied to host
memory, as it is to name what is wrong with a set. Loops, duplicate entries and weights (also explicit zeros)
do not matter: an entry is an edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .coarsening import explain_aggregation, is_aggregation
from .coloring import explain_coloring, is_proper_coloring
from .components import (
    explain_component_labeling,
    explain_strong_component_labeling,
    is_component_labeling,
    is_strong_component_labeling,
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
from .traversal import explain_bfs_tree, is_bfs_tree

__all__ = [
    "explain",
    "explain_aggregation",
    "explain_bfs_tree",
    "explain_coloring",
    "explain_component_labeling",
    "explain_independent_set",
    "explain_maximal_independent_set",
    "explain_minimum_spanning_forest",
    "explain_spanning_forest",
    "explain_strong_component_labeling",
    "is_aggregation",
    "is_bfs_tree",
    "is_component_labeling",
    "is_independent_set",
    "is_maximal_independent_set",
    "is_minimum_spanning_forest",
    "is_proper_coloring",
    "is_spanning_forest",
    "is_strong_component_labeling",
]

_EXPLANATIONS: dict[Callable[..., bool], Callable[..., str | None]] = {
    is_independent_set: explain_independent_set,
    is_maximal_independent_set: explain_maximal_independent_set,
    is_proper_coloring: explain_coloring,
    is_component_labeling: explain_component_labeling,
    is_strong_component_labeling: explain_strong_component_labeling,
    is_aggregation: explain_aggregation,
    is_bfs_tree: explain_bfs_tree,
    is_spanning_forest: explain_spanning_forest,
    is_minimum_spanning_forest: explain_minimum_spanning_forest,
}


def explain(predicate: Callable[..., bool], graph: Any, *answer: Any, **options: Any) -> str | None:
    """Say what is wrong with an answer.

    Parameters
    ----------
    predicate : function
        One of the predicates, such as `is_maximal_independent_set`.
    graph : Graph, or anything `as_graph` takes
        The graph.
    *answer, **options
        What the predicate takes after the graph.

    Returns
    -------
    None or str
        None if the answer is right, else a sentence that names the first violation.

    Raises
    ------
    ValueError
        If `predicate` is none of them, and where the predicate raises it.

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
