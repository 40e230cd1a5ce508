"""The hierarchy of smoothed aggregation: a sequence of ever smaller matrices.

Result: levels, from the finest to the coarsest; bit for bit the same for any number of threads.

Rule: on each level, connect nodes (strength.py), aggregate them, divide the near-nullspace among the aggregates (T),
smooth it (P), and compute the next level's matrix P' A P (coarse_level.py). Rows of P that would make the next level
dense are not smoothed (hubs, coarse_level.py). If the next level is still too large, it is refused before it is filled.

The hierarchy ends if few unknowns remain, after the maximum number of levels, or if the next level would be hardly
smaller; in the last two cases the last level's `note` gives the reason. A node without neighbors needs no coarser
level, and is in no aggregate (label -1). In the code: `build_levels`.

Idea: data that depends only on patterns is stored in a level's `LevelPlan`. New values then need only the second half
of the work.

Cost and work memory: those of the steps, mostly of the products.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import Pattern, index_type
from .._core.csr.facts import Scan
from .._core.csr.patterns import transposed
from .._core.option_names import Aggregation
from .._core.progress import timed
from .._core.runtime import Array
from .._core.runtime.arrays import contains, count_up
from ..coarsening.api import ALGORITHMS
from ..conversion import as_graph
from ..graph import Graph
from .coarse_level import (
    Partition,
    coarse_matrix,
    hubs_of,
    label_pattern,
    smoothed_patterns,
    smoothed_values,
    tentative_values,
    with_transpose,
    without_hubs,
    without_single,
)
from .linalg.block_csr import entry_pattern, matrix, node_pattern, pattern_of, transposed_values, with_diagonal
from .linalg.spectral import inverse_diagonal, spectral_radius
from .linalg.vectors import Vector, block_sizes
from .strength import Filter, filter_of, filtered, strong_pattern

_WORTH_A_LEVEL = 0.8  # maximum size of the next level, relative to this level's unknowns


Matrix = sp.csr_array | sp.bsr_array  # CSR if blocks would be 1 x 1


class LevelPlan(NamedTuple):
    """The patterns, of blocks, from which the next level's matrix is computed for this level's values."""

    damping: float
    kept: Filter | None  # the entries that smooth P: strong ones outside rows of hubs; None if all do
    aggregates: Partition
    P: Pattern
    R: Pattern
    origins: Array  # of the entries of R in P
    coarse: Pattern | None  # of the next level's matrix


@dataclass(frozen=True)
class Level:
    """A matrix of a hierarchy, and its connection to the next level."""

    A: Matrix
    B: Any  # its near-nullspace, float64 (n, k)
    inverse_diagonal: Vector
    rho: float  # approximately the largest eigenvalue of D^-1 A
    P: Matrix | None = None  # from the next level to this one; None on the coarsest
    R: Matrix | None = None  # its transpose
    labels: Any = None  # the aggregate of each node, int32, or -1
    plan: LevelPlan | None = field(default=None, repr=False)
    seconds: dict[str, float] = field(default_factory=dict)  # of the setup, by phase
    note: str | None = None  # why a hierarchy ends early

    @property
    def device(self) -> str:
        """The device of the matrix: "cpu" or "cuda"."""
        return getattr(self.A, "device", "cpu")


def build_levels(
    A: Matrix,
    B: Any,
    *,
    strength: float | None = None,
    aggregate: Aggregation = "mis2",
    block_size: int = 1,
    damping: float = 1.4,
    coarse_size: int = 500,
    max_levels: int = 20,
    diagonal: tuple[Vector, float] | None = None,
) -> list[Level]:
    """Set up a hierarchy.

    Parameters
    ----------
    A : csr_array or bsr_array (n, n) of float64
        With ascending int32 indices, a symmetric pattern, and a diagonal without zeros; blocks have `block_size` rows
        and columns.
    B : float64 (n, k)
        The near-nullspace of A.
    strength : float or None
        The threshold of strong connections on the finest level; it is halved on each coarser level.
    aggregate : str
        An algorithm of `aggregate`.
    block_size : int
        The number of unknowns of a node. On coarser levels it is k.
    damping : float
        The prolongator is smoothed with the factor damping / rho; with 0 it is not smoothed.
    coarse_size : int
        The maximum number of unknowns of the last level.
    max_levels : int
        The maximum number of levels.
    diagonal : optional
        The result of `inverse_diagonal` for A, if it is known.

    Returns
    -------
    list of Level
        From the finest to the coarsest.
    """
    levels: list[Level] = []
    width = block_size
    while True:
        level = _measured(A, B, None if levels else diagonal)
        levels.append(level)
        if A.shape[0] <= coarse_size:
            return levels
        if len(levels) == max_levels:
            levels[-1] = replace(level, note=f"reached the maximum of {max_levels} levels")
            return levels
        with timed(level.seconds, "strength"):
            nodes = node_pattern(A, width)
            strong = nodes if strength is None else strong_pattern(A, nodes, strength * 0.5 ** (len(levels) - 1))
        with timed(level.seconds, "aggregation"):
            count, labels, complete = _aggregated_nodes(strong, aggregate)
        if count == 0 or count * B.shape[1] > _WORTH_A_LEVEL * A.shape[0]:
            levels[-1] = replace(level, note=f"{A.shape[0]:,} unknowns would become {count * B.shape[1]:,}")
            return levels
        # From this point on, patterns are those of the matrix: of nodes if it has blocks for them, else of unknowns.
        rows = width // block_sizes(A)[0]
        with timed(level.seconds, "tentative"):
            aggregates = partition(count, labels if rows == 1 else labels.repeat(rows), complete)
        with timed(level.seconds, "prolongator"):
            if rows > 1:
                strong = pattern_of(A) if strong is nodes else entry_pattern(strong, rows)
            plan = _planned(A, strong, aggregates, rows, damping)
        levels[-1], A, B = _with_next_level(level, labels, plan)
        width = B.shape[1]


def refresh_levels(levels: list[Level], A: Matrix, diagonal: tuple[Vector, Any] | None = None) -> list[Level]:
    """Return the hierarchy for new values in the same pattern; keep the aggregates and patterns."""
    refreshed: list[Level] = []
    for old in levels:
        level = replace(_measured(A, old.B, None if refreshed else diagonal), note=old.note)
        if old.plan is not None:
            level, A, _ = _with_next_level(level, old.labels, old.plan)
        refreshed.append(level)
    return refreshed


def partition(count: int, labels: Any, complete: bool = False) -> Partition:
    """Return the aggregates of labels; -1 means none, which does not occur if the labels are `complete`."""
    pattern = Pattern(count_up(labels, labels.size + 1, np.int32), labels) if complete else label_pattern(labels)
    return Partition(pattern, transposed(pattern, count))


def _measured(A: Matrix, B: Any, diagonal: tuple[Vector, float] | None = None) -> Level:
    seconds: dict[str, float] = {}
    with timed(seconds, "spectrum"):
        inverse, bound = inverse_diagonal(A) if diagonal is None else diagonal
        rho = spectral_radius(A, inverse, bound)
    return Level(A, B, inverse, rho, seconds=seconds)


def _aggregated_nodes(strong: Pattern, algorithm: Aggregation) -> tuple[int, Any, bool]:
    """Aggregate the nodes that have neighbors; also return whether all nodes have neighbors."""
    graph = _graph_of(strong)
    count, labels, _ = ALGORITHMS[algorithm](graph)
    complete = not contains(graph.degrees, 0)
    if not complete:
        count, labels = without_single(labels, graph.degrees, count)
    return count, labels, complete


def _graph_of(strong: Pattern) -> Graph:
    """Return the graph of a pattern without checks.

    The finest matrix has been checked. All patterns are symmetric, with ascending rows and a full diagonal.
    """
    n, entries = strong.rows, int(strong.indices.size)
    if strong.indptr.dtype != index_type(entries):
        return as_graph((strong.indptr, strong.indices))
    known = Scan(
        broken_rows=0, outside=False, descents=0, repeats=0, loops=n, loop_rows=n, longest_row=n, forward=0, backward=0,
        begin=0, end=entries,
    )  # fmt: skip
    return Graph._trusted(strong.indptr, strong.indices, scan=known)


def _planned(A: Matrix, strong: Pattern, aggregates: Partition, rows: int, damping: float) -> LevelPlan:
    """Plan the prolongator without its values; a node has `rows` rows of the patterns."""
    pattern = pattern_of(A)
    if damping == 0:
        patterns = with_transpose(aggregates.pattern, aggregates.size)
    else:
        patterns = smoothed_patterns(strong, aggregates)
    hubs = hubs_of(pattern, patterns.P, aggregates.size)
    if hubs is not None:
        strong = without_hubs(strong, hubs)
        patterns = smoothed_patterns(with_diagonal(strong), aggregates)
    kept = None if damping == 0 or strong.indices is pattern.indices else filter_of(A, strong, rows)
    return LevelPlan(damping, kept, aggregates, *patterns, None)


def _with_next_level(level: Level, labels: Any, plan: LevelPlan) -> tuple[Level, Matrix, Any]:
    """Return the level with its prolongator, and the next level's matrix and near-nullspace."""
    A, height, columns, count = level.A, block_sizes(level.A)[0], level.B.shape[1], plan.aggregates.size
    with timed(level.seconds, "tentative"):
        T, coarse_B = tentative_values(level.B, plan.aggregates, height)
    with timed(level.seconds, "prolongator"):
        if plan.damping == 0:
            data = T.ravel()
        else:
            smoother, inverse, rho = _smoother(level, plan)
            data = smoothed_values(smoother, inverse, plan.damping / rho, plan.aggregates, T, plan.P)
        P = matrix(plan.P, data, height, columns, count)
        R = matrix(plan.R, transposed_values(plan.R, plan.origins, data, columns, height), columns, height, plan.P.rows)
    with timed(level.seconds, "product"):
        coarse_A = coarse_matrix(A, P, R, plan.coarse, coarse_B)
    level = replace(level, P=P, R=R, labels=labels, plan=plan._replace(coarse=pattern_of(coarse_A)))
    return level, coarse_A, coarse_B


def _smoother(level: Level, plan: LevelPlan) -> tuple[Matrix, Vector, float]:
    """Return the matrix that smooths the prolongator, with its inverse diagonal and its spectral radius."""
    if plan.kept is None:
        return level.A, level.inverse_diagonal, level.rho
    strong = filtered(level.A, plan.kept)
    inverse, bound = inverse_diagonal(strong)
    return strong, inverse, spectral_radius(strong, inverse, bound)
