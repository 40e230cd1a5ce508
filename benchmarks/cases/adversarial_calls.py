"""Calls of every public function that accepts a graph, with default and with other options, together with their inputs.

The inputs of a call (a matrix, a set to verify, a file to read) are made before it is timed. The answer is judged after
the timing, by the public verifier if there is one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import csgraph
from stablegraph._core import option_names as names
from stablegraph.coloring.order import ORDERS

SHIFT = 0.01  # on the diagonal of Laplacian matrices, to make them positive definite
_MAX_SEEDS = 10**6  # maximum number of entries of a compressed Jacobian
FORMATS = get_args(names.Format)


class Given:
    """A graph and the other inputs of calls, each made at its first use."""

    def __init__(self, graph: sg.Graph) -> None:
        self.graph = graph
        self._folder = tempfile.TemporaryDirectory(prefix="adversarial-")

    @property
    def directed(self) -> bool:
        return self.graph.directed

    @property
    def fresh(self) -> sg.Graph:
        """Return a new graph object without cached properties."""
        return sg.as_graph((self.graph.indptr, self.graph.indices), directed=self.directed)

    @property
    def csr(self) -> tuple[Any, Any]:
        return self.graph.indptr, self.graph.indices

    @cached_property
    def pattern(self) -> Any:
        return self.graph.to_scipy()

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the edges, each edge once."""
        rows = np.repeat(np.arange(self.graph.num_vertices, dtype=np.int32), np.diff(self.graph.indptr))
        once = slice(None) if self.directed else rows < self.graph.indices
        return rows[once], self.graph.indices[once]

    @cached_property
    def lengths(self) -> np.ndarray:
        """Return a random number for each edge."""
        return np.random.default_rng(1).random(self.ends[0].size)

    @cached_property
    def upper(self) -> tuple[Any, Any]:
        """Return CSR arrays with each edge once: an unsymmetric pattern."""
        half = sg.from_edges(*self.ends, n=self.graph.num_vertices, directed=True)
        return half.indptr, half.indices

    @cached_property
    def weighted(self) -> sg.Graph:
        return sg.from_edges(*self.ends, self.lengths, n=self.graph.num_vertices, symmetrize=True)

    @cached_property
    def weighted_matrix(self) -> Any:
        return self.weighted.to_scipy()

    @cached_property
    def equal_weights(self) -> sg.Graph:
        return sg.as_graph((*self.csr, np.ones(self.graph.num_entries, np.int32)))

    @cached_property
    def matrix(self) -> Any:
        """Return a slightly shifted Laplacian; for a directed graph, a matrix with its pattern and a heavy diagonal."""
        n = self.graph.num_vertices
        pattern = -self.pattern.astype(np.float64)
        lengths = np.diff(self.graph.indptr).astype(np.float64)
        return sp.csr_array(pattern + sp.diags_array(lengths + (1 if self.directed else SHIFT), shape=(n, n)))

    @cached_property
    def hierarchy(self) -> Any:
        return sg.smoothed_aggregation(self.matrix)

    @cached_property
    def sweeper(self) -> Any:
        return sg.gauss_seidel(self.matrix)

    @cached_property
    def right(self) -> np.ndarray:
        return np.sin(np.arange(self.graph.num_vertices))

    @property
    def zeros(self) -> np.ndarray:
        return np.zeros(self.graph.num_vertices)

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.random.default_rng(2).random(self.graph.num_vertices)

    @cached_property
    def names(self) -> np.ndarray:
        """Return a distinct number for each vertex."""
        return np.arange(self.graph.num_vertices)

    @cached_property
    def half(self) -> np.ndarray:
        """Mark every second vertex, and the hub."""
        mask = np.arange(self.graph.num_vertices) % 2 == 0
        mask[self.hub] = True
        return mask

    @cached_property
    def hub(self) -> int:
        """Return a vertex of largest degree."""
        return int(np.diff(self.graph.indptr).argmax())

    @cached_property
    def leaf(self) -> int:
        """Return a vertex of small degree: a neighbor of the hub or, in a directed graph, the tail of an arc."""
        degrees = np.diff(self.graph.indptr)
        begin, end = self.graph.indptr[self.hub : self.hub + 2]
        near = np.flatnonzero(degrees) if self.directed else self.graph.indices[begin:end]
        return int(near[degrees[near].argmin()])

    @cached_property
    def independent(self) -> Any:
        return sg.maximal_independent_set(self.graph)

    @cached_property
    def independent_2(self) -> Any:
        return sg.maximal_independent_set(self.graph, distance=2)

    @cached_property
    def independent_3(self) -> Any:
        return sg.maximal_independent_set(self.graph, distance=3)

    @cached_property
    def colors(self) -> Any:
        return sg.vertex_coloring(self.graph, order="natural", reduce="none")

    @cached_property
    def plan(self) -> Any:
        return sg.jacobian_coloring(self.pattern)

    @cached_property
    def fixed(self) -> np.ndarray:
        """Keep the first color, and no other."""
        return np.where(self.colors == 0, 0, -1)

    @cached_property
    def fixed_hub(self) -> np.ndarray:
        """Return a color for the hub, and -1 for the other vertices."""
        return np.where(self.names == self.hub, 0, -1)

    @cached_property
    def compressed(self) -> Any:
        return self.plan.compress(self.pattern)

    @cached_property
    def labels(self) -> Any:
        return sg.connected_components(self.graph)[1]

    @cached_property
    def strong_labels(self) -> Any:
        return sg.strongly_connected_components(self.graph)[1]

    @cached_property
    def aggregates(self) -> Any:
        return sg.aggregate(self.graph)[1]

    @cached_property
    def forest(self) -> Any:
        return sg.minimum_spanning_forest(self.weighted)

    @cached_property
    def tree(self) -> tuple[Any, Any]:
        return sg.breadth_first_search(self.graph, self.hub)

    def path(self, form: str) -> Path:
        return Path(self._folder.name) / f"written.{form}"

    def file(self, form: str) -> Path:
        path = Path(self._folder.name) / f"graph.{form}"
        if not path.exists():
            sg.write_graph(path, self.graph, format=form)
        return path


@dataclass(frozen=True)
class Of:
    """Placeholder for the input of that name in a `Given`; a name with a star is replaced by each of its items."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def found(self, arguments: Given) -> Any:
        name, _, form = self.name.lstrip("*").partition(" ")
        value = getattr(arguments, name)
        return value(form) if form else value


@dataclass(frozen=True)
class Call:
    """A function, the names of its inputs, and its options."""

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    of: str = "undirected"  # "undirected", "directed" or "both": the graphs that the call accepts
    fits: Callable[[Given], bool] = lambda given: True

    @property
    def name(self) -> str:
        home = "csgraph." if self.function.__module__ == csgraph.__name__ else ""
        reported = [*self.inputs, *(f"{option}={value!r}" for option, value in self.options.items())]
        return f"{home}{self.function.__qualname__}({', '.join(reported)})"

    def suits(self, directed: bool) -> bool:
        return self.of in ("both", "directed" if directed else "undirected")

    def arguments(self, values: Given) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        for name in self.inputs:
            result = Of(name).found(values)
            positional.extend(result if name.startswith("*") else [result])
        return positional, {
            option: value.found(values) if isinstance(value, Of) else value for option, value in self.options.items()
        }

    def judge(self, arguments: Given, answer: Any) -> str | None:
        """Return the error in an answer, or None if it is correct or cannot be judged."""
        if self.function.__name__.startswith("is_"):
            return None if answer else "a right answer was refused"
        judge = _JUDGES.get(self.function)
        return judge(arguments, answer, self.options) if judge else None


def call(function: Callable[..., Any], *inputs: str, of: str = "undirected", **options: Any) -> Call:
    return Call(function, inputs, options, of)


def _few_colors(arguments: Given) -> bool:
    """Return whether compressed Jacobians are small; they have at least one column per entry of the longest row."""
    largest = _MAX_SEEDS // arguments.graph.num_vertices
    return int(np.diff(arguments.graph.indptr).max()) <= largest and arguments.plan.num_colors < largest


def _set(arguments: Given, mask: Any, options: dict[str, Any]) -> str | None:
    mask = mask[0] if "return_info" in options else mask
    excluded = options["exclude"].found(arguments) if "exclude" in options else None
    return sg.explain(sg.is_maximal_independent_set, arguments.graph, mask, options.get("distance", 1), excluded)


def _coloring(arguments: Given, colors: Any, options: dict[str, Any]) -> str | None:
    return sg.explain(sg.is_proper_coloring, arguments.graph, colors, options.get("distance", 1))


def _forest(arguments: Given, forest: Any, options: dict[str, Any]) -> str | None:
    return sg.explain(sg.is_spanning_forest, arguments.graph, forest)


_JUDGES: dict[Callable[..., Any], Callable[[Given, Any, dict[str, Any]], str | None]] = {
    sg.maximal_independent_set: _set,
    sg.large_independent_set: lambda given, found, options: _set(given, found.mask, {}),
    sg.vertex_coloring: _coloring,
    sg.connected_components: lambda given, found, options: sg.explain(sg.is_component_labeling, given.graph, found[1]),
    sg.strongly_connected_components: lambda given, found, options: sg.explain(
        sg.is_strong_component_labeling, given.graph, found[1]
    ),
    sg.breadth_first_search: lambda given, found, options: sg.explain(
        sg.is_bfs_tree, given.graph, int((found[0] == 0).argmax()), *found
    ),
    sg.aggregate: lambda given, found, options: sg.explain(sg.is_aggregation, given.graph, found[1]),
    sg.minimum_spanning_forest: _forest,
}

DEFAULT = (
    call(sg.as_graph, "csr"),
    call(sg.as_graph, "csr", directed=True, of="directed"),
    call(sg.from_edges, "*ends", symmetrize=True),
    call(sg.from_edges, "*ends", directed=True, of="directed"),
    call(sg.Graph.degrees.fget, "fresh", of="both"),
    call(sg.Graph.check, "graph", of="both"),
    call(sg.Graph.simple, "fresh", of="both"),
    call(sg.Graph.subgraph, "graph", "half", of="both"),
    call(sg.Graph.transpose, "fresh", of="directed"),
    call(sg.maximal_independent_set, "graph"),
    call(sg.maximal_independent_set, "graph", distance=2),
    call(sg.large_independent_set, "graph"),
    call(sg.dependence_depth, "graph"),
    call(sg.vertex_coloring, "graph"),
    call(sg.vertex_coloring, "graph", distance=2),
    call(sg.coloring_steps, "graph"),
    call(sg.color_bounds, "graph"),
    call(sg.color_classes, "colors"),
    call(sg.color_classes, "names"),
    call(sg.schedule, "graph"),
    call(sg.star_coloring, "graph"),
    call(sg.acyclic_coloring, "graph"),
    call(sg.jacobian_coloring, "pattern", of="both"),
    call(sg.jacobian_coloring, "pattern", mode="row", of="directed"),
    call(sg.jacobian_coloring, "pattern", mode="both", of="both"),
    call(sg.hessian_coloring, "graph", mode="acyclic"),
    Call(sg.CompressionPlan.seeds, ("plan",), of="both", fits=_few_colors),
    Call(sg.CompressionPlan.recover, ("plan", "compressed"), of="both", fits=_few_colors),
    call(sg.connected_components, "graph", of="both"),
    call(sg.largest_component, "graph", of="both"),
    call(sg.strongly_connected_components, "graph", of="both"),
    call(sg.condensation, "graph", of="directed"),
    call(sg.breadth_first_search, "graph", "hub", of="both"),
    call(sg.breadth_first_search, "graph", "leaf", of="both"),
    call(sg.reachable, "graph", "half", of="both"),
    call(sg.minimum_spanning_forest, "weighted"),
    call(sg.total_weight, "forest"),
    call(sg.aggregate, "graph"),
    call(sg.aggregation_operator, "aggregates"),
    call(sg.coarse_graph, "graph", "aggregates"),
    call(sg.smoothed_aggregation, "matrix"),
    call(sg.Multigrid.solve, "hierarchy", "right"),
    call(sg.Multigrid.update, "hierarchy", "matrix"),
    call(sg.gauss_seidel, "matrix", of="both"),
    call(sg.GaussSeidel.sweep, "sweeper", "zeros", "right", of="both"),
    call(sg.GaussSeidel.update, "sweeper", "matrix", of="both"),
    call(sg.is_independent_set, "graph", "independent"),
    call(sg.is_maximal_independent_set, "graph", "independent"),
    call(sg.is_proper_coloring, "graph", "colors"),
    call(sg.is_component_labeling, "graph", "labels", of="both"),
    call(sg.is_strong_component_labeling, "graph", "strong_labels", of="both"),
    call(sg.is_aggregation, "graph", "aggregates"),
    call(sg.is_bfs_tree, "graph", "hub", "*tree", of="both"),
    call(sg.is_spanning_forest, "weighted", "forest"),
    call(sg.is_minimum_spanning_forest, "weighted", "forest"),
    call(csgraph.connected_components, "pattern", of="both"),
    call(csgraph.connected_components, "pattern", connection="strong", of="both"),
    call(csgraph.minimum_spanning_tree, "weighted_matrix"),
    call(csgraph.breadth_first_order, "pattern", "hub", of="both"),
    *(call(sg.write_graph, f"path {form}", "graph", format=form) for form in FORMATS),
    *(call(sg.read_graph, f"file {form}") for form in FORMATS),
)

OTHERS = (
    call(sg.as_graph, "upper", symmetrize=True),
    call(sg.from_edges, "*ends", "lengths", symmetrize=True),
    call(sg.from_edges, "*ends", "lengths", symmetrize="sum"),
    *(call(sg.maximal_independent_set, "graph", algorithm=algorithm) for algorithm in get_args(names.SetAlgorithm)[1:]),
    *(
        call(sg.maximal_independent_set, "graph", priority=priority)
        for priority in ("ecl", "random", "natural", "high_degree", Of("numbers"))
    ),
    call(sg.maximal_independent_set, "graph", synchronous=True),
    call(sg.maximal_independent_set, "graph", priority="natural", synchronous=True),
    call(sg.maximal_independent_set, "graph", exclude=Of("half")),
    call(sg.maximal_independent_set, "graph", return_info=True),
    call(sg.maximal_independent_set, "graph", distance=2, priority="degree"),
    call(sg.maximal_independent_set, "graph", distance=3),
    call(sg.maximal_independent_set, "graph", distance=3, priority="degree"),
    call(sg.maximal_independent_set, "graph", distance=6),
    call(sg.large_independent_set, "graph", rounds=0),
    call(sg.dependence_depth, "graph", priority="natural"),
    *(call(sg.vertex_coloring, "graph", order=order) for order in ORDERS if order != "largest_first"),
    call(sg.vertex_coloring, "graph", order=Of("numbers")),
    call(sg.vertex_coloring, "graph", ties="hash"),
    call(sg.vertex_coloring, "graph", reduce="none"),
    call(sg.vertex_coloring, "graph", reduce="thorough"),
    call(sg.vertex_coloring, "graph", balance=True),
    call(sg.vertex_coloring, "graph", fixed=Of("fixed")),
    call(sg.vertex_coloring, "graph", algorithm="mis"),
    call(sg.vertex_coloring, "graph", distance=2, reduce="none"),
    call(sg.vertex_coloring, "graph", distance=2, order="smallest_last", reduce="none"),
    call(sg.vertex_coloring, "graph", distance=2, fixed=Of("fixed_hub")),
    call(sg.vertex_coloring, "graph", distance=2, balance=True),
    call(sg.coloring_steps, "graph", ties="hash", shortcuts=False),
    call(sg.coloring_steps, "graph", ties="hash"),
    call(sg.coloring_steps, "graph", order="natural"),
    call(sg.jacobian_coloring, "pattern", order="natural", of="both"),
    call(sg.jacobian_coloring, "pattern", mode="row", order="natural", of="directed"),
    call(sg.connected_components, "graph", algorithm="fastsv", of="both"),
    *(
        call(sg.strongly_connected_components, "graph", algorithm=algorithm, of="both")
        for algorithm in get_args(names.StrongAlgorithm)[1:]
    ),
    call(sg.condensation, "graph", return_order=True, of="directed"),
    *(
        call(sg.minimum_spanning_forest, "weighted", algorithm=algorithm)
        for algorithm in ("boruvka", "awerbuch_shiloach")
    ),
    *(
        call(sg.minimum_spanning_forest, "equal_weights", algorithm=algorithm)
        for algorithm in get_args(names.ForestAlgorithm)[1:]
    ),
    call(sg.minimum_spanning_forest, "weighted", maximum=True),
    *(call(sg.aggregate, "graph", algorithm=algorithm) for algorithm in get_args(names.Aggregation)[1:]),
    call(sg.aggregate, "matrix", strength=0.1),
    call(sg.coarse_graph, "weighted", "aggregates"),
    *(
        call(sg.smoothed_aggregation, "matrix", **{option: value})
        for option, value in (
            ("smoother", "cluster_gauss_seidel"),
            ("strength", 0.1),
        )
    ),
    call(sg.Multigrid.solve, "hierarchy", "right", cycle="W"),
    *(call(sg.gauss_seidel, "matrix", clusters=method) for method in get_args(names.Aggregation)),
    call(sg.is_independent_set, "graph", "independent_3", distance=3),
    call(sg.is_maximal_independent_set, "graph", "independent_2", distance=2),
    call(sg.is_maximal_independent_set, "graph", "independent_3", distance=3),
    call(sg.is_proper_coloring, "graph", "names", distance=2),
    call(sg.is_aggregation, "graph", "aggregates", connected=True),
    call(sg.is_bfs_tree, "graph", "hub", "*tree", smallest=True, of="both"),
    call(csgraph.connected_components, "pattern", directed=False, of="directed"),
    call(csgraph.breadth_first_order, "pattern", "hub", directed=False, of="directed"),
)

CALLS = {one.name: one for one in (*DEFAULT, *OTHERS)}
