"""The table of pinned calls: every public function with its options.

The name of a call consists of the function and its options. When an option is renamed, its lines in the lists are
renamed and keep their checksums.
"""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, get_args

import numpy as np

import stablegraph as sg
from stablegraph import csgraph, gallery
from stablegraph._core import option_names as names
from stablegraph.independent_set.api import ALGORITHMS

from ..support.partitioned import fetched
from .graphs import Subject

EVERY = 10**9  # default limit of a call: the maximum number of entries of its graphs
LARGE, GRIDS, MEDIUM, SMALL, TINY = 3 * 10**7, 6 * 10**6, 1_200_000, 100_000, 4_000
SEEDS = [0, 12345]
PARTITIONS = 3  # of a graph, for `--device partitions` and `--device cards`


class Call(NamedTuple):
    """A call with its name, and the maximum and minimum number of entries of the graphs that it is made for."""

    name: str
    answer: Callable[[Subject], Any]
    limit: int = EVERY
    least: int = 0
    on_gpu: bool = False  # whether the function supports graphs on a GPU


# Functions that run on a GPU: all except for `large_independent_set`, which supports only the CPU.
_ON_GPU = {
    "maximal_independent_set",
    "vertex_coloring",
    "connected_components",
    "strongly_connected_components",
    "largest_component",
    "subgraph",
    "breadth_first_search",
    "reachable",
    "minimum_spanning_forest",
    "aggregate",
    "maximal_matching",
    "weighted_matching",
}
_GRAPHS = ("graph", "arcs", "own", "ties", "apart", "given")


class Of:
    """An option whose value is a form of the graph."""

    def __init__(self, form: str) -> None:
        self.form = form

    def __str__(self) -> str:
        return self.form


def _text_of(value: Any) -> str:
    """Format a value for the name of a call: without spaces."""
    if isinstance(value, (list, tuple)):
        return "+".join(map(_text_of, value))
    if isinstance(value, dict):
        return ",".join(f"{key}:{_text_of(one)}" for key, one in value.items())
    return str(value)


def _on_device(value: Any, device: str) -> Any:
    """Copy a graph to a device, or divide it into partitions or over GPUs; return any other value unchanged."""
    if not isinstance(value, sg.Graph):
        return value
    if device == "partitions":
        from stablegraph.cluster.workers import InProcess

        return sg.distributed.from_graph(value, PARTITIONS, directed=value.directed, client=InProcess())
    return value.to("cuda:all" if device == "cards" else device)


def _whole_again(answer: Any, graph: Any) -> Any:
    """Convert a sparse matrix of a graph without fractional weights to integers: CuPy's matrices are floating-point.

    An answer in partitions is fetched.
    """
    if graph is not None and not isinstance(graph, sg.Graph):
        import dask

        with dask.config.set(scheduler="sync"):
            return fetched(answer)
    if not hasattr(answer, "indptr") or isinstance(answer, sg.Graph):
        return answer
    are_whole = graph.weights is None or graph.weights.dtype.kind in "iu"
    return answer.get().astype(np.int64) if are_whole else answer


def _argument(subject: Subject, value: Any) -> Any:
    """Return the argument for a value of the table."""
    if isinstance(value, Of):
        return getattr(subject, value.form)
    if isinstance(value, (list, tuple)):
        return type(value)(_argument(subject, one) for one in value)
    return value


def pinned(
    function: str,
    form: str = "graph",
    limit: int = EVERY,
    *,
    positional: str | None = None,
    then: Callable[[Any], Any] = lambda answer: answer,
    **choices: list[Any],
) -> Iterator[Call]:
    """Yield a call for each combination of choices, which form its name; `then` converts its answer to arrays."""
    for values in itertools.product(*choices.values()):
        options = dict(zip(choices, values, strict=True))
        name = " ".join([function, *([f"of={form}"] if form != "graph" else [])])
        name += "".join(f" {option}={_text_of(value)}" for option, value in options.items())

        def answer(subject: Subject, options: dict[str, Any] = options) -> Any:
            arguments = {
                option: _on_device(_argument(subject, value), subject.device) for option, value in options.items()
            }
            leading = [_on_device(getattr(subject, form), subject.device)] if form else []
            leading += [arguments.pop(positional)] if positional else []
            called: Any = sg
            for part in function.split("."):
                called = getattr(called, part)
            result = called(*leading, **arguments)
            return then(result if subject.device == "cpu" else _whole_again(result, leading[0] if leading else None))

        yield Call(name, answer, limit, on_gpu=function in _ON_GPU and form in _GRAPHS)


# ----------------------------------------------------------------------------------------------------- independent sets


def _what_was_done(answer: Any) -> Any:
    mask, info = answer
    return mask, [info.get(key) for key in ("rounds", "undecided", "edges")]


# All algorithms except for "priority", whose orders have lines, and "locked", whose sets depend on the schedule.
_OTHER_SETS = [name for name in get_args(names.SetAlgorithm) if name not in ("priority", "locked")]
_LIMITS = {"luby_select": LARGE, "karp_wigderson": SMALL}  # of slow algorithms


def _sets() -> Iterator[Call]:
    name = "maximal_independent_set"
    not_drawn = ["natural", "high_degree"]  # orders that do not depend on the seed
    drawn = [order for order in get_args(names.Priority) if order not in not_drawn]
    yield from pinned(name, distance=[1], priority=drawn, seed=SEEDS)
    yield from pinned(name, distance=[1], priority=not_drawn, seed=[0])
    yield from pinned(name, distance=[1], priority=[Of("hashed")], seed=SEEDS)
    weighted: dict[str, Any] = {"weights": [Of("hashed"), Of("fractions")], "priority": ["ratio", "weight"]}
    yield from pinned(name, distance=[1], **weighted, seed=SEEDS)
    yield from pinned(name, distance=[2], **weighted, seed=[0], limit=LARGE)
    yield from pinned(name, distance=[3], **weighted, seed=[0], limit=MEDIUM)
    choices = {"adaptive": [True, False], "seed": SEEDS}
    for algorithm in _OTHER_SETS:
        has = () if algorithm == "karp_wigderson" else ALGORITHMS[algorithm].options  # it takes seconds: once is enough
        chosen = {option: values for option, values in choices.items() if option in has}
        yield from pinned(name, distance=[1], algorithm=[algorithm], **chosen, limit=_LIMITS.get(algorithm, EVERY))
    in_rounds = [algorithm for algorithm in _OTHER_SETS if algorithm not in ("lexicographic", "karp_wigderson")]
    both = {"include": [Of("far")], "exclude": [Of("third")]}
    orders = [*drawn, *not_drawn, Of("hashed")]
    yield from pinned(name, distance=[1], priority=orders, **both, seed=[0], limit=MEDIUM)
    yield from pinned(name, distance=[1], algorithm=in_rounds, **both, limit=MEDIUM)
    yield from pinned(name, distance=[1], algorithm=["karp_wigderson"], **both, limit=TINY)
    yield from pinned(name, distance=[2], priority=["random", "degree"], seed=SEEDS)
    yield from pinned(name, distance=[2], priority=["random", "degree"], **both, seed=[0], limit=MEDIUM)
    yield from pinned(name, distance=[2, 3], priority=[Of("hashed")], seed=[0], limit=MEDIUM)
    yield from pinned(name, distance=[3], priority=["random", "degree"], seed=SEEDS[:1], limit=LARGE)
    yield from pinned(name, distance=[3], priority=["random", "degree"], seed=SEEDS[1:], limit=MEDIUM)
    yield from pinned(name, distance=[4, 7], priority=["random", "degree"], seed=[0], limit=MEDIUM)
    done: dict[str, Any] = {"then": _what_was_done, "return_info": [True], "limit": MEDIUM}
    yield from pinned(name, distance=[1], priority=[*drawn, "high_degree"], synchronous=[True], **done)
    yield from pinned(name, distance=[1], algorithm=in_rounds, **done)
    yield from pinned(name, distance=[2, 3], priority=["random", "degree"], **done)
    yield from pinned("large_independent_set", rounds=[0], seed=[0])
    yield from pinned("large_independent_set", rounds=[3], seed=SEEDS, limit=MEDIUM)
    yield from pinned("large_independent_set", rounds=[3], include=[Of("far")], seed=[0], limit=SMALL)
    yield from pinned("large_independent_set", rounds=[100], seed=SEEDS, limit=TINY)
    by_weight: dict[str, Any] = {"weights": [Of("hashed"), Of("fractions")]}
    yield from pinned("large_independent_set", **by_weight, rounds=[0], seed=[0], limit=LARGE)
    yield from pinned("large_independent_set", **by_weight, rounds=[3], seed=[0], limit=MEDIUM)
    yield from pinned("large_independent_set", **by_weight, rounds=[3], include=[Of("far")], seed=[0], limit=SMALL)
    yield from pinned("dependence_depth", priority=drawn, seed=SEEDS, limit=LARGE)
    yield from pinned("dependence_depth", priority=[*not_drawn, Of("hashed")], seed=[0], limit=LARGE)


# ------------------------------------------------------------------------------------------------------------- coloring


def _colorings() -> Iterator[Call]:
    name, one, two = "vertex_coloring", {"distance": [1]}, {"distance": [2]}
    by_degree = ["largest_first", "largest_log_first", "smallest_last", "smallest_last_in_rounds"]
    slow = ["saturation", "incidence"]
    for ties in ("id", "hash"):
        seeds = SEEDS if ties == "hash" else [0]
        plain: dict[str, Any] = {"ties": [ties], "reduce": ["none"], "seed": seeds}
        yield from pinned(name, **one, order=[*by_degree, Of("hashed")], **plain)
        yield from pinned(name, **one, order=slow, **plain, limit=MEDIUM)
        yield from pinned(name, **two, order=["largest_first", "smallest_last"], **plain, limit=LARGE)
        yield from pinned(name, **two, order=["largest_log_first", Of("hashed")], **plain, limit=MEDIUM)
        quick: dict[str, Any] = {"ties": [ties], "reduce": ["quick"], "balance": [False, True], "seed": seeds[-1:]}
        yield from pinned(name, **one, order=["largest_first"], **quick, limit=LARGE)
        yield from pinned(name, **one, order=["smallest_last", "natural"], **quick, limit=SMALL)
        yield from pinned(name, **two, order=["largest_first", "natural"], **quick, limit=SMALL)
    plain = {"ties": ["id"], "reduce": ["none"]}
    yield from pinned(name, **one, order=["natural"], **plain)
    yield from pinned(name, **two, order=["natural"], **plain, limit=LARGE)
    yield from pinned(name, **one, order=["random"], **plain, seed=SEEDS)
    yield from pinned(name, **two, order=["random"], **plain, seed=SEEDS, limit=LARGE)
    yield from pinned(name, **one, order=[["natural", "smallest_last", Of("hashed")]], **plain, limit=MEDIUM)
    yield from pinned(name, **one, order=[["natural", "random"]], ties=["hash"], reduce=["quick"], limit=SMALL)
    thorough: dict[str, Any] = {"ties": ["id"], "reduce": ["thorough"], "limit": TINY}
    yield from pinned(name, **one, order=["largest_first"], **thorough, seed=SEEDS)
    yield from pinned(name, **one, order=["smallest_last"], **thorough, balance=[True])
    yield from pinned(name, **two, order=["largest_first"], **thorough, balance=[False, True])
    yield from pinned(name, distance=[1, 2], order=["largest_first"], ties=["id"], seed=[0], limit=MEDIUM)
    yield from pinned(name, algorithm=["mis"], reduce=["none"], seed=SEEDS[:1], limit=LARGE)
    yield from pinned(name, algorithm=["mis"], reduce=["none"], seed=SEEDS[1:], limit=MEDIUM)
    yield from pinned(name, algorithm=["mis"], reduce=["quick"], balance=[False, True], limit=MEDIUM)
    fixed = {"ties": ["id", "hash"], "fixed": [Of("some_colors")]}
    yield from pinned(name, distance=[1, 2], order=["largest_first", "natural"], **fixed, limit=MEDIUM)
    yield from pinned(name, colors=[Of("enough")], limit=MEDIUM)
    yield from pinned(name, capacity=[Of("room")], fixed=[Of("some_colors")], balance=[False, True], limit=SMALL)
    listed: dict[str, Any] = {"distance": [1, 2], "capacity": [Of("room")], "forbidden": [Of("some_lists")]}
    yield from pinned(name, **listed, reduce=["quick", "thorough"], limit=TINY)
    yield from pinned(name, fixed=[Of("some_colors")], reduce=["quick"], limit=SMALL)
    yield from pinned(name, rooms=[Of("rooms")], sizes=[Of("sizes")], gap=[1, 2], limit=TINY)
    yield from pinned(name, gap=[3], reduce=["quick"], limit=TINY)
    stepped: dict[str, Any] = {"ties": ["id", "hash"], "shortcuts": [True, False]}
    yield from pinned("coloring_steps", order=["largest_first", "smallest_last"], **stepped, seed=[0], limit=SMALL)
    del stepped["shortcuts"]
    yield from pinned("coloring_steps", order=["largest_log_first", "smallest_last_in_rounds"], **stepped, limit=SMALL)
    yield from pinned("coloring_steps", order=["natural", "random", Of("hashed")], ties=["id"], limit=TINY)
    yield from pinned("coloring_steps", order=["largest_first"], ties=["hash"], seed=SEEDS[1:], limit=SMALL)
    yield from pinned("color_bounds", limit=LARGE)
    yield from pinned("core_numbers", limit=LARGE)
    yield from pinned("color_classes", "some_colors_from_0")
    yield from pinned("schedule", limit=MEDIUM)


def _derivatives() -> Iterator[Call]:
    orders = ["largest_first", "natural"]
    for form, limit in (("matrix", LARGE), ("pattern", MEDIUM)):
        for mode, colors in (("column", "column_colors"), ("row", "row_colors")):
            yield from pinned("jacobian_coloring", form, limit, then=attrgetter(colors), mode=[mode], order=orders)
        yield from pinned(
            "jacobian_coloring",
            form,
            SMALL,
            then=attrgetter("row_colors", "column_colors"),
            mode=["both"],
            order=orders,
        )
    for mode in ("column", "row"):
        yield Call(f"CompressionPlan.recover mode={mode}", lambda s, mode=mode: _recovered(s.pattern, mode), SMALL)
    for name in ("star_coloring", "acyclic_coloring"):
        yield from pinned(name, limit=MEDIUM)
        yield from pinned(name, order=["natural", "largest_first", "smallest_last", "incidence"], limit=SMALL)
        yield from pinned(name, order=["random"], seed=SEEDS, limit=SMALL)
    for mode in get_args(names.HessianMode):
        yield from pinned("hessian_coloring", limit=SMALL, then=attrgetter("places", "entries", "rounds"), mode=[mode])


def _recovered(pattern: Any, mode: str) -> Any:
    values = pattern.astype(float)
    values.data[:] = np.arange(values.nnz)
    plan = sg.jacobian_coloring(values, mode)
    return plan.recover(plan.compress(values))


# -------------------------------------------------------------------------------- components, searches, forests, coarse


def _clusters_by_source(s: Subject, k: int) -> Any:
    """Return the smallest vertex in the cluster of each vertex, with at most one vertex of each of k sources."""
    import pyarrow as pa

    rows = np.repeat(np.arange(s.ties.num_vertices), np.diff(s.ties.indptr))
    pairs = pa.table({"u": rows, "v": s.ties.indices, "w": s.ties.weights})
    records = pa.table({"id": np.arange(s.ties.num_vertices), "source": s.hashed % k})
    return sg.cluster_pairs(pairs, records, sources="source")["cluster"].to_numpy()


def _components() -> Iterator[Call]:
    for form in ("graph", "arcs"):
        yield from pinned("connected_components", form, algorithm=list(get_args(names.ComponentAlgorithm)))
        yield from pinned("connected_components", form, LARGE, label=["smallest"])
        yield from pinned("connected_components", form, MEDIUM, start=[Of("labels")])
        yield from pinned("largest_component", form, LARGE)
        yield from pinned("subgraph", form, LARGE, positional="vertices", vertices=[Of("third"), Of("shuffled")])
    algorithms = list(get_args(names.StrongAlgorithm))
    yield from pinned("bridges", limit=LARGE)
    for k in (3, 100):
        yield Call(f"cluster_pairs of=ties sources={k}", lambda s, k=k: _clusters_by_source(s, k), MEDIUM)
    yield from pinned("strongly_connected_components", "arcs", algorithm=algorithms)
    yield from pinned("strongly_connected_components", algorithm=["auto"])
    yield from pinned("strongly_connected_components", algorithm=algorithms[1:], limit=MEDIUM)
    yield from pinned("condensation", "arcs", return_order=[True, False])


def _communities() -> Iterator[Call]:
    name = "communities"
    for form, limit in (("graph", MEDIUM), ("apart", SMALL)):
        yield from pinned(name, form, limit, algorithm=list(get_args(names.CommunityAlgorithm)), seed=SEEDS)
    yield from pinned(name, "graph", SMALL, objective=["cpm"], resolution=[0.5, 0.05], seed=[0])
    yield from pinned(name, "graph", SMALL, iterations=[None], resolution=[0.5, 1.0, 4.0], seed=[0])
    yield from pinned(name, "graph", SMALL, max_size=[20], seed=[0])
    yield from pinned(name, "graph", SMALL, min_size=[6], resolution=[4.0], seed=[0])
    yield from pinned(name, "graph", SMALL, min_size=[6], objective=["cpm"], resolution=[0.5], seed=[0])
    yield from pinned(name, "graph", SMALL, start=[Of("labels")], fixed=[Of("third")], seed=[0])
    yield Call("inherit_labels", _inherited, SMALL)
    for form in ("graph", "apart"):
        for function in ("modularity", "potts"):
            yield from pinned(function, form, MEDIUM, positional="labels", labels=[Of("labels")])


def _inherited(s: Any) -> Any:
    new, old = (sg.communities(s.graph, seed=seed)[1] for seed in (1, 0))
    return sg.inherit_labels(new, old[: old.size * 3 // 4])


def _searches() -> Iterator[Call]:
    for form in ("graph", "arcs"):
        yield from pinned("breadth_first_search", form, positional="sources", sources=[Of("few")])
        yield from pinned("breadth_first_search", form, MEDIUM, positional="sources", sources=[Of("third"), 0])
        yield from pinned("reachable", form, positional="sources", sources=[Of("few")])
        yield from pinned("reachable", form, MEDIUM, positional="sources", sources=[Of("few")], max_distance=[2])
        yield Call(f"bfs_path of={form}", lambda s, form=form: _longest(getattr(s, form), s.few))
    few: dict[str, Any] = {"positional": "sources", "sources": [Of("few")]}
    yield from pinned("shortest_paths", "apart", MEDIUM, **few, max_distance=[None, 0.75])
    yield Call("shortest_paths of=ties", lambda s: sg.shortest_paths(s.ties, s.few, weights=s.ties.weights + 3), MEDIUM)


def _longest(graph: sg.Graph, sources: Any) -> Any:
    distance, parent = sg.breadth_first_search(graph, sources)
    return sg.bfs_path(parent, int(distance.argmax())) if distance.size else None


def _forests() -> Iterator[Call]:
    name = "minimum_spanning_forest"
    algorithms = list(get_args(names.ForestAlgorithm))
    yield from pinned(name, "ties", algorithm=algorithms)
    yield from pinned(name, "apart", algorithm=["auto", "boruvka"], maximum=[True])
    yield from pinned(name, "apart", MEDIUM, algorithm=algorithms[1:])
    yield from pinned(name, "ties", MEDIUM, algorithm=algorithms[1:], maximum=[True])
    yield from pinned(name, "graph", algorithm=["auto", "boruvka"], limit=LARGE)
    yield from pinned(name, "given", algorithm=["auto"], symmetrize=[True, "min", "max", "sum"], limit=MEDIUM)
    for form in ("ties", "apart"):
        yield Call(f"total_weight of={form}", lambda s, form=form: _weight(getattr(s, form)), MEDIUM)
    for form in ("graph", "apart"):
        yield from pinned("mutual_reachability", form, MEDIUM, positional="min_samples", min_samples=[3])
    yield Call("single_linkage of=graph", lambda s: sg.single_linkage(sg.minimum_spanning_forest(s.graph)), MEDIUM)
    yield Call("single_linkage of=apart", lambda s: sg.single_linkage(sg.minimum_spanning_forest(s.apart)), MEDIUM)


def _weight(graph: sg.Graph) -> Any:
    return sg.total_weight(sg.minimum_spanning_forest(graph)), sg.total_weight(graph.to_scipy())


def _matchings() -> Iterator[Call]:
    yield from pinned("maximal_matching", seed=SEEDS)
    for form in ("ties", "apart"):
        yield from pinned("weighted_matching", form, seed=SEEDS, limit=LARGE)
    done = {"then": lambda answer: (answer[0], [answer[1][key] for key in ("rounds", "undecided", "size", "weight")])}
    yield from pinned("weighted_matching", "ties", return_info=[True], limit=MEDIUM, **done)
    yield Call("matched_pairs", lambda s: sg.matched_pairs(sg.maximal_matching(s.graph)), MEDIUM)
    yield from pinned("bipartition", then=lambda answer: answer[0] if answer[1] is None else answer[1])


def _coarsening() -> Iterator[Call]:
    algorithms = list(get_args(names.Aggregation))
    yield from pinned("aggregate", algorithm=algorithms)
    yield from pinned("aggregate", algorithm=algorithms, return_roots=[True], limit=MEDIUM)
    yield from pinned("aggregate", algorithm=algorithms, priority=["degree", Of("hashed")], limit=MEDIUM)
    yield from pinned("aggregate", "matrix", MEDIUM, algorithm=algorithms, strength=[0.25])
    yield from pinned("aggregate", "own", MEDIUM, algorithm=["mis2"], strength=[0.0, 0.1])
    yield from pinned("aggregate", "graph", MEDIUM, algorithm=algorithms, strength=[Of("sparser")])
    yield from pinned("aggregation_operator", "labels", LARGE)
    yield from pinned("coarse_graph", "graph", LARGE, positional="labels", labels=[Of("labels")])
    yield from pinned("coarse_graph", "ties", MEDIUM, positional="labels", labels=[Of("labels")])


# -------------------------------------------------------------------------------------------------------------- solvers


def _solvers() -> Iterator[Call]:
    smoothers: list[Any] = list(get_args(names.Smoother))
    changed: list[Any] = [("chebyshev", {"degree": 3}), ("jacobi", {"sweeps": 2}), ("gauss_seidel", {"sweeps": 2})]
    yield from _multigrid(GRIDS)
    several = {"coarse_size": [50]}  # several levels, even for small graphs
    yield from _multigrid(SMALL, 500, **several, smoother=[*smoothers, *changed])
    yield from _multigrid(SMALL, 500, **several, aggregate=["mis2_basic", "kokkos"])
    yield from _multigrid(SMALL, 500, **several, strength=[0.1])
    yield from _multigrid(SMALL, 500, **several, max_levels=[2], solve={"cycle": "W"})
    yield from _multigrid(SMALL, 500, coarse_size=[5], damping=[1.0], solve={"cycle": "F"})
    yield from _multigrid(SMALL, coarse_size=[5], smoother=["gauss_seidel"], solve={"accel": None, "maxiter": 5})
    yield from _multigrid(SMALL, form="own", **several, solve={"maxiter": 20})
    yield from _multigrid(SMALL, form="doubled", **several, block_size=[2])
    yield from _multigrid(SMALL, form="laplacian", **several, nullspace=[Of("ones")])
    yield Call(
        "solve of=matrix method=diagonal",
        lambda s: sg.solve(s.matrix, _right_side(s.matrix.shape[0]), method="diagonal"),
        MEDIUM,
    )
    for clusters in (None, *get_args(names.Aggregation), Of("labels")):
        for symmetric, sweeps in ((True, 1), (False, 2)):
            name = f"gauss_seidel of=matrix clusters={clusters} symmetric={symmetric} sweeps={sweeps}"
            if sweeps == 2 and clusters not in (None, "mis2"):
                continue
            limit = LARGE if clusters in (None, "mis2") and symmetric else MEDIUM
            yield Call(name, lambda s, of=(clusters, symmetric, sweeps): _swept(s, "matrix", *of), limit)
    name = "gauss_seidel of=own clusters=mis2 symmetric=True sweeps=1"
    yield Call(name, lambda s: _swept(s, "own", "mis2", True, 1), MEDIUM)


def _multigrid(
    limit: int, least: int = 0, form: str = "matrix", solve: dict[str, Any] | None = None, **choices: Any
) -> Iterator[Call]:
    """Yield solutions and their residuals, whether the solver converges or not."""
    settings = {"maxiter": 50, **(solve or {})}
    label = "".join(f" solve.{option}={value}" for option, value in (solve or {}).items())

    def solved(solver: sg.Multigrid) -> Any:
        residuals: list[float] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.ConvergenceWarning)
            x = solver.solve(_right_side(solver.shape[0]), residuals=residuals, **settings)
        return x, np.array(residuals)

    for call in pinned("smoothed_aggregation", form, limit, then=solved, **choices):
        yield call._replace(name=call.name + label, least=least)


def _swept(subject: Subject, form: str, clusters: Any, symmetric: bool, sweeps: int) -> Any:
    A = getattr(subject, form)
    labels = _argument(subject, clusters)
    b = _right_side(A.shape[0] if form == "matrix" else A.num_vertices)
    return sg.gauss_seidel(A, clusters=labels, symmetric=symmetric, sweeps=sweeps).sweep(np.zeros(b.size), b)


def _right_side(n: int) -> np.ndarray:
    return (np.arange(n) * 7919 % 101 - 50) / 64.0


# --------------------------------------------------------------------------------------------- SciPy's names, verifiers


def _scipy_names() -> Iterator[Call]:
    for directed, connection in ((True, "weak"), (True, "strong"), (False, "weak")):
        name = f"csgraph.connected_components of=arcs directed={directed} connection={connection}"
        options = {"directed": directed, "connection": connection}
        yield Call(name, lambda s, o=options: csgraph.connected_components(s.arcs.to_scipy(), **o), MEDIUM)
    for form in ("own", "ties"):
        name = f"csgraph.minimum_spanning_tree of={form}"
        yield Call(name, lambda s, f=form: csgraph.minimum_spanning_tree(getattr(s, f).to_scipy()), MEDIUM)
    for directed in (True, False):
        name = f"csgraph.breadth_first_order of=arcs directed={directed}"
        yield Call(name, lambda s, d=directed: csgraph.breadth_first_order(s.arcs.to_scipy(), 0, d), MEDIUM)
        name = f"csgraph.breadth_first_tree of=arcs directed={directed}"
        yield Call(name, lambda s, d=directed: csgraph.breadth_first_tree(s.arcs.to_scipy(), 0, d), MEDIUM)
    for function in (csgraph.reverse_cuthill_mckee, csgraph.maximum_bipartite_matching):
        name = f"csgraph.{function.__name__} of=arcs"
        yield Call(name, lambda s, f=function: f(s.arcs.to_scipy()), MEDIUM)


def _changed(array: Any) -> Iterator[Any]:
    """Yield the array, and versions with one change; the pins record which of them are accepted."""
    yield array
    for place in np.unique(np.arange(array.size) * 7919 % max(array.size, 1))[:: max(array.size // 8, 1)]:
        changed = array.copy()
        changed[place] = not changed[place] if array.dtype == bool else changed[place] + 1
        yield changed


def _verdicts(function: str, graph: Any, answer: Any, *leading: Any, **options: Any) -> list[bool]:
    predicate = getattr(sg, function)
    return [predicate(graph, *leading, changed, **options) for changed in _changed(answer)]


def _verifiers() -> Iterator[Call]:
    for function in ("is_independent_set", "is_maximal_independent_set"):
        for k in (1, 2, 3):

            def sets(s: Subject, function: str = function, k: int = k) -> Any:
                mask = sg.maximal_independent_set(s.graph, distance=k)
                return _verdicts(function, s.graph, mask, distance=k)

            yield Call(f"{function} distance={k}", sets, SMALL)
    for distance in (1, 2):

        def colors(s: Subject, distance: int = distance) -> Any:
            answer = sg.vertex_coloring(s.graph, distance=distance, ties="id", reduce="none")
            return _verdicts("is_proper_coloring", s.graph, answer, distance=distance)

        yield Call(f"is_proper_coloring distance={distance}", colors, SMALL)
    for function, find in (
        ("is_component_labeling", sg.connected_components),
        ("is_strong_component_labeling", sg.strongly_connected_components),
    ):
        yield Call(f"{function} of=arcs", lambda s, f=function, g=find: _verdicts(f, s.arcs, g(s.arcs)[1]), SMALL)
    for objective in (None, "modularity"):

        def parts(s: Subject, objective: str | None = objective) -> Any:
            labels = sg.communities(s.apart, iterations=None)[1]
            return _verdicts("is_community_labeling", s.apart, labels, objective=objective)

        yield Call(f"is_community_labeling of=apart objective={objective}", parts, SMALL)
    for connected in (False, True):
        name = f"is_aggregation connected={connected}"
        yield Call(name, lambda s, c=connected: _verdicts("is_aggregation", s.graph, s.labels, connected=c), SMALL)
    for smallest in (False, True):
        name = f"is_bfs_tree of=arcs smallest={smallest}"
        yield Call(name, lambda s, m=smallest: _judged_trees(s.arcs, s.few, m), SMALL)
    for weighted in (False, True):

        def mates(s: Subject, weighted: bool = weighted) -> Any:
            return _verdicts("is_maximal_matching", s.ties, sg.weighted_matching(s.ties), weighted=weighted)

        yield Call(f"is_maximal_matching of=ties weighted={weighted}", mates, SMALL)
    yield Call("is_core_labeling", lambda s: _verdicts("is_core_labeling", s.graph, sg.core_numbers(s.graph)), SMALL)
    yield Call("is_shortest_path_tree of=ties", lambda s: _judged_paths(s.ties, s.few), SMALL)
    yield Call("is_bridge_list", lambda s: [sg.is_bridge_list(s.graph, sg.bridges(s.graph)[k:]) for k in (0, 1)], SMALL)
    yield Call("is_matching", lambda s: _verdicts("is_matching", s.graph, sg.maximal_matching(s.graph)), SMALL)
    for function in ("is_spanning_forest", "is_minimum_spanning_forest"):
        yield Call(f"{function} of=ties", lambda s, f=function: _judged_forests(f, s.ties), SMALL)


def _judged_trees(graph: sg.Graph, sources: Any, smallest: bool) -> list[bool]:
    distance, parent = sg.breadth_first_search(graph, sources)
    judged = [sg.is_bfs_tree(graph, sources, changed, parent, smallest=smallest) for changed in _changed(distance)]
    return judged + _verdicts("is_bfs_tree", graph, parent, sources, distance, smallest=smallest)


def _judged_paths(graph: sg.Graph, sources: Any) -> list[bool]:
    options: dict[str, Any] = {"weights": graph.weights + 3, "smallest": True}
    distance, parent = sg.shortest_paths(graph, sources, weights=options["weights"])
    judged = [sg.is_shortest_path_tree(graph, sources, changed, parent, **options) for changed in _changed(distance)]
    return judged + _verdicts("is_shortest_path_tree", graph, parent, sources, distance, **options)


def _judged_forests(function: str, graph: sg.Graph) -> list[bool]:
    lightest, heaviest = sg.minimum_spanning_forest(graph), sg.minimum_spanning_forest(graph, maximum=True)
    fewer = lightest[: graph.num_vertices].copy()
    fewer.data = fewer.data + (np.arange(fewer.nnz) % 5 == 4)
    return [getattr(sg, function)(graph, forest) for forest in (lightest, heaviest, fewer)]


# ------------------------------------------------------------------------------------------ graphs, files, and no graph


def _graphs() -> Iterator[Call]:
    yield Call("graph", lambda s: s.given)
    yield Call("graph of=graph", lambda s: s.graph)
    yield Call("graph of=arcs", lambda s: s.arcs)
    yield Call("graph.simple", lambda s: s.given.simple(), LARGE)
    yield Call("graph.transpose of=arcs", lambda s: s.arcs.transpose(), LARGE)
    yield Call("graph.degrees", lambda s: s.graph.degrees, LARGE)
    yield Call(
        "graph facts", lambda s: [(g.num_edges, g.has_loops, g.has_duplicates, g.is_sorted) for g in (s.given, s.arcs)]
    )
    for how in (True, "min", "max", "sum"):
        yield Call(f"as_graph of=given symmetrize={how}", lambda s, h=how: sg.as_graph(s.given, symmetrize=h), MEDIUM)
        options = {"symmetrize": how, "drop_loops": how == "min"}
        name = f"from_edges symmetrize={how} drop_loops={how == 'min'}"
        yield Call(name, lambda s, o=options: _from_edges(s, o["symmetrize"] is not True, **o), SMALL)
    for drop in (False, True):
        options = {"directed": True, "drop_duplicates": drop}
        name = f"from_edges directed=True drop_duplicates={drop}"
        yield Call(name, lambda s, o=options: _from_edges(s, not o["drop_duplicates"], **o), MEDIUM)
    for format in ("mtx", "snap", "dimacs", "metis", "egr"):
        for form in ("graph", "arcs", "ties"):
            name = f"write_graph+read_graph of={form} format={format}"
            yield Call(name, lambda s, o=(form, format): _to_file_and_back(getattr(s, o[0]), o[1]), SMALL)


def _from_edges(subject: Subject, weighted: bool, **options: Any) -> sg.Graph:
    """Build a graph from most of the entries (every seventh left out) in a mixed order; weights of one edge differ."""
    graph = subject.graph
    numbers = np.arange(graph.num_entries)
    entries = np.argsort(numbers * 48_271 % 10_007, kind="stable")[numbers % 7 != 6]
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    weights = numbers[: entries.size] % 11 if weighted else None
    return sg.from_edges(rows[entries], graph.indices[entries], weights, graph.num_vertices, **options)


def _to_file_and_back(graph: sg.Graph, format: str) -> tuple[bytes, sg.Graph]:
    file = io.BytesIO()
    sg.write_graph(file, graph, format=format)
    return file.getvalue(), sg.read_graph(io.BytesIO(file.getvalue()), format=format)


def _without_graph() -> Iterator[Call]:
    def of(name: str, answer: Callable[[], Any]) -> Call:
        return Call(name, lambda _: answer())

    for shape, stencils in ((9, [None]), ((7, 5), [5, 9]), ((4, 3, 5), [7, 27])):
        for stencil in stencils:
            options = f"shape={_text_of(shape)} stencil={stencil}"
            yield of(f"gallery.grid {options}", lambda a=(shape, stencil): gallery.grid(*a))
            yield of(f"gallery.laplacian {options}", lambda a=(shape, stencil): gallery.laplacian(*a))
    for seed in SEEDS:
        yield of(
            f"gallery.uniform_random n=3000 picks=4 seed={seed}", lambda s=seed: gallery.uniform_random(3000, 4, s)
        )
        yield of(f"gallery.rmat scale=10 seed={seed}", lambda s=seed: gallery.rmat(10, seed=s))
        yield of(f"gallery.kronecker scale=9 seed={seed}", lambda s=seed: gallery.kronecker(9, seed=s))
        yield of(f"gallery.delaunay points=900 seed={seed}", lambda s=seed: gallery.delaunay(900, s))
        yield of(f"gallery.random_regular n=900 seed={seed}", lambda s=seed: gallery.random_regular(900, seed=s))
    for clamped in (False, True):
        name = f"gallery.elasticity_3d shape=4+3+5 clamped={clamped}"
        yield of(name, lambda c=clamped: _elasticity((4, 3, 5), c))
    yield of("gallery.positions name=us-counties", lambda: gallery.positions("us-counties"))


def _elasticity(shape: tuple[int, int, int], clamped: bool) -> Any:
    """Return a rounded system: NumPy may add products in another order on another processor."""
    matrix, modes = gallery.elasticity_3d(shape, clamped=clamped)
    return matrix.indptr, matrix.indices, matrix.data.round(12) + 0.0, modes


CALLS = [
    call
    for group in (
        _graphs,
        _sets,
        _colorings,
        _derivatives,
        _components,
        _communities,
        _searches,
        _forests,
        _matchings,
        _coarsening,
        _solvers,
        _scipy_names,
        _verifiers,
    )
    for call in group()
]
WITHOUT_GRAPH = list(_without_graph())
