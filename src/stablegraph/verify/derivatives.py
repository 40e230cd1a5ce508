"""Verification of star and acyclic colorings, and of plans for sparse derivatives, by their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from .._core.texts import short_repr
from .._core.unknown_options import suggests_options
from .._core.validation import host_array, is_sparse
from ..conversion import as_pattern, undirected
from ..graph import Graph
from .checks import ends_of_entries, integer_each, vertex, vertices
from .coloring import explain_coloring

_MULTIPLIER = 0x9E3779B97F4A7C15  # odd, so that the products of different entries differ


@suggests_options
def is_star_coloring(graph: Any, colors: ArrayLike) -> bool:
    """Return whether adjacent vertices differ and no path on four vertices has only two colors.

    >>> import stablegraph as sg
    >>> sg.is_star_coloring(sg.gallery.grid((4,)), [0, 1, 0, 1])  # a path with two colors
    False

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    colors : (n,) integer array
        The color of every vertex, from 0 on.

    Returns
    -------
    bool
        Whether it is a star coloring. If not, `explain` names two adjacent vertices or the inner edge of a path.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or the colors are not n integers.

    Notes
    -----
    A sort of the entries, on the CPU. Work memory: about 80 bytes per entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_star_coloring(path, [0, 1, 0, 2])
    True
    >>> sg.explain(sg.is_star_coloring, path, [0, 1, 0, 1])
    'vertices 1 and 2 are the inner ones of a path on four vertices with only the colors 1 and 0'
    """
    return explain_star_coloring(graph, colors) is None


@suggests_options
def explain_star_coloring(graph: Any, colors: ArrayLike) -> str | None:
    """Explain why a coloring is not a star coloring, or return None. Parameters are those of `is_star_coloring`."""
    sentence, graph, array = _checked(graph, colors)
    if sentence is not None:
        return sentence
    u, v, _, near, far = _incidences(graph, array)
    numbers = np.bincount(near)
    wrong = np.flatnonzero((numbers[near] > 1) & (numbers[far] > 1))
    if not wrong.size:
        return None
    one, other = u[wrong[0]], v[wrong[0]]
    names = vertices(graph, one, other)
    return f"{names} are the inner ones of a path on four vertices with only the colors {array[one]} and {array[other]}"


@suggests_options
def is_acyclic_coloring(graph: Any, colors: ArrayLike) -> bool:
    """Return whether adjacent vertices differ and every cycle has at least three colors.

    >>> import stablegraph as sg
    >>> sg.is_acyclic_coloring(sg.gallery.grid((2, 2)), [0, 1, 2, 0])
    True

    Parameters
    ----------
    graph, colors
        As for `is_star_coloring`.

    Returns
    -------
    bool
        Whether it is an acyclic coloring. If not, `explain` names two adjacent vertices, or the colors of a cycle and a
        vertex of its component.

    Raises
    ------
    ValueError, TypeError
        As for `is_star_coloring`.

    Notes
    -----
    The components of the subgraphs of two colors, by SciPy, on the CPU. Work memory: about 120 bytes per entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.is_acyclic_coloring(cycle, [0, 1, 0, 2])
    True
    >>> sg.explain(sg.is_acyclic_coloring, cycle, [0, 1, 0, 1])
    'the vertices of colors 0 and 1 around vertex 0 contain a cycle'
    """
    return explain_acyclic_coloring(graph, colors) is None


@suggests_options
def explain_acyclic_coloring(graph: Any, colors: ArrayLike) -> str | None:
    """Explain why a coloring is not acyclic, or return None. Parameters are those of `is_acyclic_coloring`."""
    sentence, graph, array = _checked(graph, colors)
    if sentence is not None:
        return sentence
    u, v, keys, near, far = _incidences(graph, array)
    if not u.size:
        return None
    # Each component of a subgraph of two colors is a tree if and only if it has one edge less than vertices.
    joined = scipy.sparse.coo_array((np.ones(near.size, np.int8), (near, far)), shape=(keys.size, keys.size))
    count, labels = scipy.sparse.csgraph.connected_components(joined.tocsr(), directed=False)
    excess = np.bincount(labels[near], minlength=count) // 2 - np.bincount(labels, minlength=count)
    wrong = np.flatnonzero(excess[labels[near]] >= 0)
    if not wrong.size:
        return None
    one, other = u[wrong[0]], v[wrong[0]]
    return f"the vertices of colors {array[one]} and {array[other]} around {vertex(graph, one)} contain a cycle"


@suggests_options
def is_compression_plan(pattern: Any, plan: Any) -> bool:
    """Return whether a plan recovers every entry of a pattern exactly.

    >>> import stablegraph as sg
    >>> pattern = [[1, 1, 0], [0, 1, 1]]
    >>> sg.is_compression_plan(pattern, sg.jacobian_coloring(pattern))
    True

    Parameters
    ----------
    pattern : Graph, sparse array or matrix, dense array, or another pattern
        The entries that may be nonzero, as for `jacobian_coloring`.
    plan : CompressionPlan
        From `jacobian_coloring` or `hessian_coloring`.

    Returns
    -------
    bool
        Whether each entry is recovered. If not, `explain` names the first entry that is not.

    Raises
    ------
    TypeError
        If `plan` is no CompressionPlan.

    Notes
    -----
    A 64-bit integer that depends on its position is put on each entry (symmetrically for symmetric plans), the columns
    and rows of each color are added up, and the recovered entries are compared. A wrong plan passes with a probability
    of about 1e-15 per entry. Work memory: about 100 bytes per entry and 8 per element of the products.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> pattern = np.array([[1, 1, 0], [0, 1, 1]])
    >>> plan = sg.jacobian_coloring(pattern)
    >>> sg.is_compression_plan(pattern, plan)
    True
    >>> sg.explain(sg.is_compression_plan, np.ones((2, 3)), plan)
    'entry (0, 2) is not in the pattern of the plan'
    """
    return explain_compression_plan(pattern, plan) is None


@suggests_options
def explain_compression_plan(pattern: Any, plan: Any) -> str | None:
    """Explain which entry a plan does not recover, or return None. Parameters are those of `is_compression_plan`."""
    if not all(hasattr(plan, name) for name in ("mode", "column_colors", "row_colors", "indptr", "indices")):
        raise TypeError(
            f"plan must be a CompressionPlan of jacobian_coloring or hessian_coloring, got {short_repr(plan)}"
        )
    pattern = as_pattern(pattern)
    if isinstance(pattern, Graph):
        pattern = pattern.to("cpu").to_scipy()
    entries = scipy.sparse.coo_array(pattern if is_sparse(pattern) else host_array(pattern, "pattern"))
    if entries.shape != plan.shape:
        return f"the pattern has shape {entries.shape}, but the plan is for {plan.shape}"
    i, j = (np.asarray(ends).astype(np.int64) for ends in (entries.row, entries.col))
    wanted = np.unique(i * plan.shape[1] + j)
    rows = np.repeat(np.arange(plan.shape[0]), np.diff(plan.indptr))
    stored = rows * plan.shape[1] + plan.indices
    extra, missing = np.setdiff1d(stored, wanted), np.setdiff1d(wanted, stored)
    for keys, words in ((missing, "is not in the pattern of the plan"), (extra, "of the plan is not in the pattern")):
        if keys.size:
            return f"entry {divmod(int(keys[0]), plan.shape[1])} {words}"
    columns = plan.indices.astype(np.int64)
    first, second = rows, columns
    if plan.mode in ("star", "acyclic"):
        first, second = np.minimum(rows, columns), np.maximum(rows, columns)
    values = ((first * plan.shape[1] + second + 1).astype(np.uint64) * np.uint64(_MULTIPLIER)).view(np.int64)
    sums = _sums(plan, rows, columns, values)
    wrong = np.flatnonzero(plan.values(sums if plan.mode == "both" else sums[0]) != values)
    if not wrong.size:
        return None
    e = wrong[0]
    return f"entry ({rows[e]}, {columns[e]}) is not recovered from the products"


def _sums(plan: Any, rows: Any, columns: Any, values: Any) -> list[np.ndarray]:
    """Return the sums of the columns, and of the rows, of each color, in arithmetic modulo 2**64."""
    sums = []
    for colors, count, ends, others, size in (
        (plan.column_colors, plan.num_column_colors, columns, rows, plan.shape[0]),
        (plan.row_colors, plan.num_row_colors, rows, columns, plan.shape[1]),
    ):
        if colors is not None:
            total = np.zeros((size, count), np.int64)
            used = colors[ends] >= 0
            np.add.at(total, (others[used], colors[ends[used]]), values[used])
            sums.append(total if colors is plan.column_colors else total.T)
    return sums


def _checked(graph: Any, colors: ArrayLike) -> tuple[str | None, Any, Any]:
    """Return why a coloring is not proper, or None; the graph in host memory without repeated entries, and colors."""
    graph = undirected(graph).to("cpu")
    sentence = explain_coloring(graph, colors)
    return sentence, graph, integer_each(colors, graph, "colors").astype(np.int64)


def _incidences(graph: Graph, colors: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the ends of all distinct edges in both directions, and the pairs of a vertex and a color around it.

    The pairs are sorted keys. For each direction (u, v), `near` is the number of the pair of u and v's color, and `far`
    that of v and u's color.
    """
    n = graph.num_vertices
    u, v = (ends.astype(np.int64) for ends in ends_of_entries(graph))
    u, v = np.divmod(np.unique(u * n + v), n) if n else (u, v)
    u, v = u[u != v], v[u != v]
    compact = np.unique(colors, return_inverse=True)[1].reshape(-1) if n else colors
    keys, near = np.unique(u * n + compact[v], return_inverse=True)
    far = np.searchsorted(keys, v * n + compact[u])
    return u, v, keys, near.reshape(-1), far
