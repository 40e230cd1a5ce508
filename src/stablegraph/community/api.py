"""The public functions: communities of undirected graphs, and their objectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from .._core.csr.arrays import INT32_MAX
from .._core.dispatch import dispatches_on_graph
from .._core.option_names import CommunityAlgorithm, Objective
from .._core.runtime import by_device
from .._core.runtime.concurrency import call_concurrently
from .._core.runtime.device import place_of
from .._core.typing import ArrayLike, GraphLike, Labels, Vertices
from .._core.validation import (
    boolean,
    choice,
    column,
    host_array,
    integer,
    number,
    seed_hash,
    single_array,
    vertices_of,
)
from .._core.vertex_values import in_vertex_order
from ..conversion import undirected
from .cuda import spread_quality
from .hierarchy import (
    Options,
    Trace,
    connected_parts,
    find_communities,
    make_problem,
    refined_parts,
    with_resolution,
)
from .quality import as_float, exact_score
from .refinement import intersected
from .small import join_small

__all__ = ["communities", "modularity", "potts"]

_exact_score = by_device(exact_score, exact_score, spread_quality.exact_score)
# How communities are divided into the vertices of the next level.
ALGORITHMS: dict[CommunityAlgorithm, Callable[..., Any]] = {"leiden": refined_parts, "louvain": connected_parts}
OBJECTIVES: tuple[Objective, ...] = ("modularity", "cpm")
_TOGETHER = 1 << 16  # vertices and entries from which several resolutions are computed at the same time


class _CommunityOptions(TypedDict, total=False):
    """The options of `communities`, for type checkers and editors."""

    algorithm: CommunityAlgorithm
    objective: Objective
    iterations: int | None
    start: ArrayLike | Sequence[int] | Mapping[Any, int] | None
    fixed: Vertices | None
    max_size: int | None
    min_size: int | None
    seed: int


@overload
def communities(
    graph: GraphLike,
    *,
    resolution: float = 1.0,
    return_info: Literal[False] = False,
    **options: Unpack[_CommunityOptions],
) -> tuple[int, Labels]: ...


@overload
def communities(
    graph: GraphLike, *, resolution: float = 1.0, return_info: Literal[True], **options: Unpack[_CommunityOptions]
) -> tuple[int, Labels, dict[str, Any]]: ...


@overload
def communities(
    graph: GraphLike, *, resolution: float = 1.0, return_info: bool, **options: Unpack[_CommunityOptions]
) -> tuple[int, Labels] | tuple[int, Labels, dict[str, Any]]: ...


@overload
def communities(
    graph: GraphLike,
    *,
    resolution: Sequence[float] | ArrayLike,
    return_info: Literal[False] = False,
    **options: Unpack[_CommunityOptions],
) -> list[tuple[int, Labels]]: ...


@overload
def communities(
    graph: GraphLike,
    *,
    resolution: Sequence[float] | ArrayLike,
    return_info: Literal[True],
    **options: Unpack[_CommunityOptions],
) -> list[tuple[int, Labels, dict[str, Any]]]: ...


@dispatches_on_graph
def communities(
    graph: GraphLike,
    *,
    algorithm: CommunityAlgorithm = "leiden",
    objective: Objective = "modularity",
    resolution: float | Sequence[float] | ArrayLike = 1.0,
    iterations: int | None = 3,
    start: ArrayLike | Sequence[int] | Mapping[Any, int] | None = None,
    fixed: Vertices | None = None,
    max_size: int | None = None,
    min_size: int | None = None,
    seed: int = 0,
    return_info: bool = False,
) -> Any:
    """Find communities: groups of vertices with many edges inside and few between them.

    >>> import stablegraph as sg
    >>> sg.communities(sg.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetrize=True))
    (2, array([0, 0, 0, 1, 1, 1], dtype=int32))

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Its weights are similarities, not distances: a larger
        weight is a closer link, and an edge of weight 0 is none. They must be finite, not negative, and equal in both
        directions. A loop counts twice in the degree of its vertex, and once in its community. Repeated entries count
        once without weights; with weights they are summed.
    algorithm : {"leiden", "louvain"}
        - "leiden": vertices move to better communities; communities are refined into well-connected parts, which are
          the vertices of the next level.
        - "louvain": the same without refinement. Faster, but the objective is lower.
    objective : {"modularity", "cpm"}
        What the communities maximize: `modularity`, or the constant Potts model, `potts`.
    resolution : float, or a sequence of floats
        At least 0; larger values give more and smaller communities. With "cpm" it is a density: communities are denser
        inside and sparser between them. With 0 they are the connected components. With a sequence, the graph is
        prepared once, and a list with the answer for each value is returned.
    iterations : int or None
        The maximum number of iterations; each starts from the best result before. None repeats them until two in a row
        do not raise the objective, and then moves single vertices until none can improve the objective.
    start : integer array (n,) or dict, optional
        The communities to start with, by any numbers; a dict ``{name: number}`` has one for every vertex.
        By default each vertex is a community.
    fixed : bool array (n,), integer array, or names, optional
        Vertices that stay together or apart as in `start`, which is then required.
    max_size : int, optional
        The maximum number of vertices of a community. Local moving then uses one thread.
    min_size : int, optional
        The minimum number of vertices of a community, if it has neighbors: at the end, the smallest community joins the
        neighboring one with which the objective is largest (of equal ones, that with the smallest number), until none
        is too small. A community without neighbors stays as it is, and so does one that `max_size` or `fixed` keeps
        from all its neighbors.
    seed : int
        Seed for all hashes; any integer, 0 by default.
    return_info : bool
        Also return what happened.

    Returns
    -------
    count : int
        The number of communities.
    labels : int32 (n,)
        The community of each vertex. Communities are numbered from 0 by their smallest vertices. A CuPy array for a
        graph on a GPU. For a sequence of resolutions, a list: for each value the tuple ``(count, labels)`` (or with
        `info`) that a call with only this value returns.
    info : dict
        Only with ``return_info=True``: "objective", the value of `modularity` or `potts`; "iterations", "moves" and
        "rounds" (sub-rounds of local moving), totals of the call; "levels", labels of finer and finer partitions in the
        reverse order, each inside the next one, the last one being the communities; "objectives", the value after local
        moving on each level, for the weights in fixed point. Levels are those of the iteration with the best result.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, a weight is negative, infinite or NaN, or differs between
        the directions; if an option is invalid, or `start` has a community with more than `max_size` vertices; with
        `return_info`, if the objective is larger than the largest float64.
    TypeError
        If an option has a wrong type.

    See Also
    --------
    modularity, potts : Compute the objectives.
    is_community_labeling : Check communities with an independent method.
    coarse_graph : Build the graph of the communities.

    Notes
    -----
    Deterministic: a function of the graph, the options and the seed, for any number of threads, on every device, for
    every order of the entries and every dtype of equal weights. It is not a function of the graph's shape: another
    numbering of the vertices gives other communities, as another seed does. Weights that differ in their last bits are
    other weights.

    Every community is connected by edges with positive weights (if vertices are `fixed`: when fixed vertices of the
    same community count as connected). With ``iterations=None`` and without `min_size`, no vertex can improve the
    objective by moving to another community or becoming a singleton, except by less than 2**-40 of the compared terms;
    no limit on the number of rounds is the reason to stop. These guarantees refer to the weights as 64-bit fixed-point
    integers: multiplied by a power of two, so that the number of entries times the largest weight is at most 2**44, and
    rounded. Integers below that bound are not changed. Gains are compared in float64, by one expression without fused
    multiply-add.

    Cost: with three iterations 150 to 900 ns per edge on one thread, for each resolution. Work memory: 140 bytes per
    vertex and up to 36 per entry, as much as the coarser graphs need; with weights 8 more. More than half as many
    resolutions as threads are computed at the same time, each on one thread and with this work memory.

    References
    ----------
    V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific
    Reports 9, 2019. V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large
    networks", Journal of Statistical Mechanics, 2008.

    Examples
    --------
    >>> import stablegraph as sg
    >>> two_triangles = sg.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetrize=True)
    >>> sg.communities(two_triangles)
    (2, array([0, 0, 0, 1, 1, 1], dtype=int32))
    >>> for count, labels in sg.communities(two_triangles, resolution=[0.1, 1.0, 10.0]):
    ...     print(count, labels)
    1 [0 0 0 0 0 0]
    2 [0 0 0 1 1 1]
    6 [0 1 2 3 4 5]
    """
    parts = ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)]
    is_single = not isinstance(resolution, (list, tuple)) and np.ndim(resolution) == 0
    values = [checked_resolution(value) for value in ([resolution] if is_single else column(resolution, "resolution"))]
    if not values:
        raise ValueError("resolution must be a number or a sequence of at least one number, got an empty sequence")
    options = Options(
        parts,
        choice(objective, "objective", OBJECTIVES),
        values[0],
        None if iterations is None else integer(iterations, "iterations", minimum=1),
        0 if max_size is None else min(integer(max_size, "max_size", minimum=1), INT32_MAX),
        seed_hash(seed),
    )
    minimum = 1 if min_size is None else integer(min_size, "min_size", minimum=1)
    if options.limit and minimum > options.limit:
        raise ValueError(f"min_size must be at most max_size, got min_size={minimum} and max_size={options.limit}")
    boolean(return_info, "return_info")
    graph = undirected(graph, weights=True)
    n = graph.num_vertices
    if n > INT32_MAX:
        raise ValueError(f"communities supports at most {INT32_MAX} vertices, got {n}")
    start = in_vertex_order(start, "start", graph)
    place = graph.to("cpu") if options.limit else graph  # of the computation
    label = place.xp.arange(n) if start is None else numbers_of_labels(start, "start", place)
    if start is not None and options.limit:
        check_sizes(start, label, options.limit)
    stay = np.empty(0, np.int64)
    if fixed is not None:
        if start is None:
            raise ValueError("fixed vertices keep their label of start: pass start=")
        stay = vertices_of(graph, fixed, "fixed")
    problem, label = make_problem(place, stay, options), label.astype(np.int32)

    def answer(value: float) -> tuple[Any, ...]:
        one, trace = with_resolution(problem, value), Trace(detailed=return_info)
        count, labels = join_small(one, *find_communities(one, label, trace), minimum)
        info = (_info(graph, place, count, labels, one.options, trace),) if return_info else ()
        return count, graph.xp.asarray(labels), *info

    if is_single:
        return answer(values[0])
    calls = [partial(answer, value) for value in values]
    if place.device == "cpu" and n + graph.num_entries >= _TOGETHER:
        return call_concurrently(calls)
    return [call() for call in calls]


def _info(graph: Any, place: Any, count: int, labels: Any, options: Options, trace: Trace) -> dict[str, Any]:
    """Return what happened, with labels on the device of `graph`; `place` is the same graph where it was computed."""
    finer = [intersected(level, labels) for level in trace.levels]
    levels = [graph.xp.asarray(level) for level in finer if level.max() >= count]
    return {
        "objective": as_float(exact_score(place, labels, options.objective).value(Fraction(options.resolution))),
        "iterations": trace.iterations,
        "moves": trace.moves,
        "rounds": trace.rounds,
        "levels": [*levels, graph.xp.asarray(labels)],
        "objectives": [as_float(value) for value in trace.objectives],
    }


@dispatches_on_graph
def modularity(graph: GraphLike, labels: ArrayLike | Sequence[int], *, resolution: float = 1.0) -> float:
    """Compute the modularity of a partition: the weight inside communities, compared with a random graph.

    >>> import stablegraph as sg
    >>> round(sg.modularity(sg.gallery.grid((4,)), [0, 0, 1, 1]), 4)
    0.1667

    It is the sum over all communities of ``inside / all - resolution * (degrees / (2 * all))**2``, where `all` is the
    sum of the weights of all edges, `inside` of those inside the community, and `degrees` the sum of the weighted
    degrees of its vertices. A loop counts once in `all` and in `inside`, and twice in the degree of its vertex.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `communities`.
    labels : integer array (n,)
        The community of each vertex, by any numbers.
    resolution : float
        At least 0.

    Returns
    -------
    float
        Its error is below 1e-12, or 1e-12 times the resolution if that is above 1; 0 for a graph without edges.

    Raises
    ------
    ValueError, TypeError
        As for `communities`; if the labels are not n integers.

    Notes
    -----
    Sums of integers: the weights have 88 bits or more in fixed point. The result is the same for any number of threads.
    Cost: two or three sweeps over the edges, in host memory. Work memory: 16 bytes per vertex; with weights 24 per
    entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> two_triangles = sg.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetrize=True)
    >>> round(sg.modularity(two_triangles, [0, 0, 0, 1, 1, 1]), 4)
    0.3571
    """
    return _objective(graph, labels, "modularity", resolution)


@dispatches_on_graph
def potts(graph: GraphLike, labels: ArrayLike | Sequence[int], *, resolution: float = 1.0) -> float:
    """Compute the constant Potts objective of a partition: the weight inside communities, minus that of equal density.

    >>> import stablegraph as sg
    >>> sg.potts(sg.gallery.grid((4,)), [0, 0, 1, 1], resolution=0.5)
    1.0

    It is the sum over all communities of ``inside - resolution * size * (size - 1) / 2``, where `inside` is the sum of
    the weights of the edges inside the community, with loops, and `size` its number of vertices.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `communities`.
    labels : integer array (n,)
        The community of each vertex, by any numbers.
    resolution : float
        At least 0: the density at which a community is worth nothing.

    Returns
    -------
    float
        Its error is below 1e-12 times the sum of the absolute values of its terms, or below 5e-324.

    Raises
    ------
    ValueError, TypeError
        As for `communities`; if the labels are not n integers, or the value is larger than the largest float64.

    Notes
    -----
    As for `modularity`.

    Examples
    --------
    >>> import stablegraph as sg
    >>> two_triangles = sg.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetrize=True)
    >>> sg.potts(two_triangles, [0, 0, 0, 1, 1, 1], resolution=0.5)
    3.0
    """
    return _objective(graph, labels, "cpm", resolution)


def _objective(graph: Any, labels: Any, objective: str, resolution: Any) -> float:
    """Return an objective, rounded once."""
    exact = Fraction(checked_resolution(resolution))
    graph = undirected(graph, weights=True)
    numbers = numbers_of_labels(labels, "labels", graph).astype(np.int32)
    return as_float(_exact_score(graph, numbers, objective).value(exact))


def checked_resolution(resolution: Any) -> float:
    """Return a resolution as a float that is finite and not negative."""
    return number(resolution, "resolution", minimum=0.0, below=np.inf)


def numbers_of_labels(labels: Any, name: str, graph: Any) -> Any:
    """Return labels as numbers below n, in the order of the given labels, on the device of the graph."""
    labels = in_vertex_order(labels, name, graph)
    n, stays = graph.num_vertices, graph.device.startswith("cuda") and place_of(labels) == "cuda"
    array = graph.xp.asarray(single_array(labels, name)) if stays else host_array(labels, name)
    if array.shape != (n,):
        raise ValueError(f"{name} must be one number for each of the {n} vertices, got shape {array.shape}")
    if n and array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got {array.dtype}")
    return graph.xp.unique(graph.xp.asarray(array), return_inverse=True)[1]


def check_sizes(start: Any, numbers: np.ndarray, limit: int) -> None:
    """Raise ValueError if a community of `start` is too large; `numbers` are its labels as numbers."""
    sizes = np.bincount(numbers)
    if sizes.size and sizes.max() > limit:
        name = host_array(start, "start")[(numbers == sizes.argmax()).argmax()]
        raise ValueError(f"start has {sizes.max()} vertices with label {name}, but max_size is {limit}")
