"""The public functions: maximal and weighted matchings, and their edges as pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from .._core.csr.arrays import INT32_MAX
from .._core.csr.groups import entries_of_pairs
from .._core.csr.merge import exact_sum
from .._core.dispatch import dispatches_on_graph
from .._core.runtime import by_device
from .._core.typing import ArrayLike, GraphLike, Labels
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, host_array, seed_hash
from ..conversion import undirected
from ..forest.weights import Weights, checked, order_of
from ..graph import Graph
from . import rounds
from .cuda import rounds as rounds_cuda
from .cuda import spread_rounds

__all__ = ["matched_pairs", "maximal_matching", "weighted_matching"]


def _checked_weights(graph: Graph) -> tuple[Graph, Weights | None]:
    """Return the graph without repeated entries, and its checked weights if it has weights."""
    graph = checked(graph, maximum=True)
    return graph, None if graph.weights is None else order_of(graph, maximum=True).weights


def _matched_weights(graph: Graph, mate: Any) -> Any:
    """Return the weights of the matched edges."""
    return graph.weights[entries_of_pairs(graph._rows(), graph.indices, mate, None)]


_with_weights = by_device(_checked_weights, _checked_weights, spread_rounds.with_weights)
_weights_of_pairs = by_device(_matched_weights, _matched_weights, spread_rounds.weights_of_pairs)
_find_partners = by_device(rounds.find_partners, rounds_cuda.find_partners, spread_rounds.find_partners)
_mark_alone = by_device(rounds.mark_alone, rounds_cuda.mark_alone)


@overload
def maximal_matching(graph: GraphLike, *, seed: int = 0, return_info: Literal[False] = False) -> Labels: ...


@overload
def maximal_matching(
    graph: GraphLike, *, seed: int = 0, return_info: Literal[True]
) -> tuple[Labels, dict[str, Any]]: ...


@overload
def maximal_matching(
    graph: GraphLike, *, seed: int = 0, return_info: bool
) -> Labels | tuple[Labels, dict[str, Any]]: ...


@dispatches_on_graph
def maximal_matching(
    graph: GraphLike, *, seed: int = 0, return_info: bool = False
) -> Labels | tuple[Labels, dict[str, Any]]:
    """Find a maximal matching: edges without common ends, to which no further edge can be added.

    >>> import stablegraph as sg
    >>> sg.maximal_matching(sg.gallery.grid((5,)))  # the mate of each vertex, or -1
    array([-1,  2,  1,  4,  3], dtype=int32)

    Maximal is not maximum: the matching has at least half of the maximum number of edges, and usually 70 to 90 %.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Weights, loops and repeated entries do not matter.
    seed : int
        Seed for all hashes; any integer, 0 by default. Other seeds give other matchings of about the same size.
    return_info : bool
        Also return statistics of the run.

    Returns
    -------
    mate : int32 (n,)
        The other end of the matched edge of each vertex; -1 for a vertex without one. A CuPy array for a graph on a
        GPU.
    info : dict
        With ``return_info=True``: "size", the number of matched edges; "rounds", the number of parallel rounds;
        "undecided", the number of undecided vertices at the beginning and after each round. If the last one is not 0,
        one thread has finished the remaining edges.

    Raises
    ------
    ValueError
        If the graph is directed, its pattern is not symmetric, or it has 2**31 vertices or more.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    weighted_matching : Prefer heavy edges.
    matched_pairs : List the matched edges.
    is_maximal_matching : Check a matching by an independent method.

    Notes
    -----
    Deterministic: the matching depends only on the graph and the seed, not on threads, devices or dtypes. It is the
    matching of the serial greedy algorithm that visits the edges (u, v) by the larger ``h(u) ^ h(v)``, where h is a
    one-to-one hash of 31 bits. Cost: about 10 rounds, in which each entry is read two to three times. Work memory: 9
    bytes per vertex.

    References
    ----------
    F. Manne, R. H. Bisseling, "A Parallel Approximation Algorithm for the Weighted Maximum Matching Problem", PPAM
    2007. G. E. Blelloch, J. T. Fineman, J. Shun, "Greedy Sequential Maximal Independent Set and Matching are Parallel
    on Average", SPAA 2012.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], symmetrize=True)
    >>> mate = sg.maximal_matching(cycle)
    >>> mate
    array([ 4,  2,  1, -1,  0], dtype=int32)
    >>> sg.matched_pairs(mate).tolist()
    [[0, 4], [1, 2]]
    """
    hashed, return_info = seed_hash(seed), boolean(return_info, "return_info")
    mate, info = _match(undirected(graph), None, hashed)
    return (mate, info) if return_info else mate


@overload
def weighted_matching(graph: GraphLike, *, seed: int = 0, return_info: Literal[False] = False) -> Labels: ...


@overload
def weighted_matching(
    graph: GraphLike, *, seed: int = 0, return_info: Literal[True]
) -> tuple[Labels, dict[str, Any]]: ...


@overload
def weighted_matching(
    graph: GraphLike, *, seed: int = 0, return_info: bool
) -> Labels | tuple[Labels, dict[str, Any]]: ...


@dispatches_on_graph
def weighted_matching(
    graph: GraphLike, *, seed: int = 0, return_info: bool = False
) -> Labels | tuple[Labels, dict[str, Any]]:
    """Find a matching of large weight: that of the greedy algorithm, which takes the heaviest edges first.

    >>> import stablegraph as sg
    >>> sg.weighted_matching(sg.from_edges([0, 1, 2], [1, 2, 3], [2, 3, 2], symmetrize=True))
    array([-1,  2,  1, -1], dtype=int32)

    Its weight is at least half of the maximum weight of a matching, and usually 85 to 95 %. NetworkX's
    ``max_weight_matching`` finds the maximum, in cubic time.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. The weights may be integers, booleans or floats of at
        most 64 bits, equal in both directions. An edge of negative weight is never matched; one of weight 0 is. Without
        weights, all edges have weight one, and the matching is that of `maximal_matching`. Loops are ignored. Of
        repeated entries, only the heaviest is used.
    seed : int
        Seed for the hashes that decide between edges of equal weight; any integer, 0 by default.
    return_info : bool
        Also return statistics of the run.

    Returns
    -------
    mate : int32 (n,)
        The other end of the matched edge of each vertex; -1 for a vertex without one. A CuPy array for a graph on a
        GPU.
    info : dict
        With ``return_info=True``: the entries of `maximal_matching`'s, and "weight", the sum of the matched weights: an
        int, exact, for integers and booleans, a float for floats, in double precision; without weights the "size".

    Raises
    ------
    ValueError
        If the graph is directed, its pattern is not symmetric, or it has 2**31 vertices or more; if a weight is NaN or
        complex, or the weights of (u, v) and (v, u) differ. For NaN and different weights, the message names the entry.
        With `return_info`, if the sum of finite weights overflows.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    maximal_matching : Ignore the weights.
    matched_pairs : List the matched edges.
    is_maximal_matching : Check a matching by an independent method, with ``weighted=True`` also the bound of one half.

    Notes
    -----
    Deterministic: the matching depends only on the graph, the weights and the seed, not on threads, devices or dtypes.
    Edges of equal weight are visited as by `maximal_matching`, so the matching is unique. It is locally dominant: each
    unmatched edge of weight 0 or more has a neighboring matched edge that is at least as heavy.

    Cost: about 10 rounds, in which each entry is read two to three times. If weights rise along paths so that a round
    decides few vertices, the remaining edges are sorted and matched by one thread, for a graph on a GPU in host memory.
    The first call for a Graph takes one more pass to check its weights. Work memory: 9 bytes per vertex, and 60 for
    each edge that is sorted. A graph with unsorted rows or repeated entries is first copied into sorted rows without
    repetition.

    References
    ----------
    R. Preis, "Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General Graphs", STACS 1999. F.
    Manne, R. H. Bisseling, "A Parallel Approximation Algorithm for the Weighted Maximum Matching Problem", PPAM 2007.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], [2, 3, 2], symmetrize=True)
    >>> mate, info = sg.weighted_matching(path, return_info=True)
    >>> mate, info["weight"]
    (array([-1,  2,  1, -1], dtype=int32), 3)
    """
    hashed, return_info = seed_hash(seed), boolean(return_info, "return_info")
    graph, weights = _with_weights(undirected(graph, weights=True))
    mate: Labels
    mate, info = _match(graph, weights, hashed)
    if not return_info:
        return mate
    weight = info["size"] if weights is None else exact_sum(_weights_of_pairs(graph, mate))
    return mate, {**info, "weight": weight}


def _match(graph: Graph, weights: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    """Return the mates by weights in the form of the graph's device, or None; and statistics."""
    if graph.num_vertices > INT32_MAX:
        raise ValueError(f"matchings support at most {INT32_MAX} vertices, got {graph.num_vertices}")
    mate, undecided = _find_partners(graph, weights, seed)
    size = (graph.num_vertices - _mark_alone(mate)) // 2
    return mate, {"size": size, "rounds": len(undecided) - 1, "undecided": undecided}


@suggests_options
def matched_pairs(mate: ArrayLike | Sequence[int]) -> npt.NDArray[np.signedinteger[Any]]:
    """List the edges of a matching.

    >>> import stablegraph as sg
    >>> sg.matched_pairs([2, -1, 0]).tolist()
    [[0, 2]]

    Parameters
    ----------
    mate : integer array (n,)
        The other end of the matched edge of each vertex, or -1, as from `maximal_matching`.

    Returns
    -------
    array (k, 2), of the dtype of `mate`
        The ends of the matched edges, the smaller one first, in ascending order. In host memory.

    Raises
    ------
    ValueError
        If `mate` is not an array of one dimension, a number is not a vertex or -1, or the mate of a vertex has another
        mate.
    TypeError
        If the numbers are not integers.
    """
    mates = host_array(mate, "mate")
    if mates.ndim != 1:
        raise ValueError(f"mate must have one dimension, got shape {mates.shape}")
    if not mates.size:
        return np.empty((0, 2), np.int32)
    if mates.dtype.kind not in "iu":
        raise TypeError(f"mate must be integers, got {mates.dtype}")
    wrong = (mates < -1) | (mates >= mates.size)
    if wrong.any():
        v = int(wrong.argmax())
        raise ValueError(f"the mate of vertex {v} is {mates[v]}, which is not one of the {mates.size} vertices")
    matched = np.flatnonzero(mates >= 0)
    partners = mates[matched]
    wrong = (partners == matched) | (mates[partners] != matched)
    if wrong.any():
        u, v = int(matched[wrong.argmax()]), int(partners[wrong.argmax()])
        raise ValueError(f"the mate of vertex {u} is {v}, but that of vertex {v} is {mates[v]}")
    upper = matched < partners
    return np.stack([matched[upper].astype(mates.dtype), partners[upper]], axis=1)
