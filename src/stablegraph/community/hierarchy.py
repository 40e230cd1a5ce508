"""Leiden and Louvain: levels, iterations, and the steps after the last one.

Result: communities numbered by their smallest vertices; a function of the graph, the options and the seed. With Leiden
and Louvain alike every community is connected. Without a number of iterations, no vertex can improve the objective by
moving.

Rule: on each level, vertices move (moving.py); communities are divided into parts (Leiden: refinement.py; Louvain:
their connected pieces); the parts become the vertices of the next level (coarse_level.py). An *iteration* ends when no
level would be smaller. The next one starts from its communities on the first level, with other random numbers. In the
code: `iterate`, and `find_communities`. The oracle is `communities` in tests/support/naive_communities.py.

Idea: the exact objective (quality.py) is compared after each iteration, and the best communities are kept. Without a
number of iterations, they are repeated until two in a row do not raise the objective; then single vertices move on the
first level, one after another (`settle`), until none can. All these steps raise the objective, so they end.

Cost: 15 to 25 passes over the rows for three iterations. Work memory: 140 bytes per vertex and up to 36 per entry (12
for a coarser level, 12 for its rows before they are moved together, and a copy of a graph with loops), and 8 more with
weights.

Sources: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports 9, 2019; V. Blondel, J.-L.
Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large networks", 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .._core.runtime.device import array_module, device_of
from ..graph import Graph
from . import coarse_level as _coarsening
from . import moving, refinement
from .coarse_level import coarse_labels, sums_by_part
from .cuda import moving as moving_cuda
from .cuda import refinement as refinement_cuda
from .cuda import rows as rows_cuda
from .moving import FIXED
from .quality import Base, Score, base_level, links_between, sum_of_squares
from .refinement import connected_pieces, named_by_smallest, numbered
from .rules import Communities, Level, Terms, Workspace, by_level, salt_of

# The steps on a level, each with its form for CPUs and its form for GPUs.
move_vertices = by_level(moving_cuda.move_vertices)(moving.move_vertices)
wish_to_move = by_level(moving_cuda.wish_to_move)(moving.wish_to_move)
move_in_turn = by_level(moving_cuda.move_in_turn)(moving.move_in_turn)
refine = by_level(refinement_cuda.refine)(refinement.refine)
coarse_level = by_level(rows_cuda.coarse_level)(_coarsening.coarse_level)

_MAX_SCALE = 1e100  # larger resolutions have the same result, and could overflow
_MAX_EXPONENT = 900  # of the scale; links are then lost to rounding, and products with two masses do not overflow
_SETTLE = 2_000  # the step of `salt_of` in `settle`
_QUIET = 2  # iterations in a row without a rise: another one may rise, as its refinement is random


@dataclass(frozen=True)
class Options:
    """The checked options of `communities`."""

    parts: Any  # divides communities into the vertices of the next level: `refined_parts` or `connected_parts`
    objective: str
    resolution: float
    iterations: int | None
    limit: int  # the maximum size of a community; 0: any size
    seed: int  # its hash


@dataclass
class Trace:
    """What happened: for `return_info`."""

    detailed: bool = False  # whether `levels` and `objectives` are wanted
    iterations: int = 0
    moves: int = 0
    rounds: int = 0
    levels: list[Any] = field(default_factory=list)
    objectives: list[Fraction] = field(default_factory=list)


@dataclass(frozen=True)
class Problem:
    """The first level with everything that does not change."""

    base: Base
    options: Options
    fixed: Any  # vertices that stay, int64
    terms: Terms

    def score(self, level: Level, label: Any) -> Fraction:
        """Return the objective of the communities of a level."""
        total = sums_by_part(level.mass, label, int(label.size))
        inside = self.base.links - links_between(level, label)
        n = int(self.base.level.mass.size)
        unit = Fraction(2) ** self.base.shift
        score = Score(self.options.objective, self.base.links, inside, sum_of_squares(total), n, unit)
        return score.value(Fraction(self.options.resolution))


def make_problem(graph: Graph, fixed: Any, options: Options) -> Problem:
    """Check the weights of a graph, and build the first level."""
    base = base_level(graph, options.objective, options.limit > 0)
    return Problem(base, options, graph.xp.asarray(fixed), terms_of(base, options))


def with_resolution(problem: Problem, resolution: float) -> Problem:
    """Return the same problem with another resolution."""
    options = replace(problem.options, resolution=resolution)
    return replace(problem, options=options, terms=terms_of(problem.base, options))


def terms_of(base: Base, options: Options) -> Terms:
    """Return the numbers in the worth of a community."""
    resolution = min(options.resolution, _MAX_SCALE)
    if options.objective == "modularity":
        return Terms(resolution / max(float(base.links), 1.0), options.limit, 0)
    mantissa, exponent = np.frexp(resolution)
    return Terms(float(np.ldexp(mantissa, min(int(exponent) + base.shift, _MAX_EXPONENT))), options.limit, 1)


def communities_of(level: Level, label: Any) -> Communities:
    """Return the communities with their masses and sizes."""
    n = int(label.size)
    used = sums_by_part(level.sizes, label, n) if level.sizes.size else level.sizes
    return Communities(label, sums_by_part(level.mass, label, n), used)


@by_level(rows_cuda.tables_of)
def tables_of(level: Level, space: Workspace) -> Any:
    """Return the tables for the rows of a level."""
    n, longest = int(level.mass.size), int((level.indptr[1:] - level.indptr[:-1]).max())
    return space.tables(n + int(level.indices.size), longest, n)


def refined_parts(level: Level, communities: Communities, terms: Terms, tables: Any, seed: int, depth: int) -> Any:
    """Return well-connected parts of communities (Leiden)."""
    return refine(level, communities.label, communities.total, terms.scale, tables, seed, depth)


def connected_parts(level: Level, communities: Communities, terms: Terms, tables: Any, seed: int, depth: int) -> Any:
    """Return the connected pieces of communities (Louvain)."""
    return connected_pieces(level, communities.label, np.empty(0, np.int64))


def iterate(
    problem: Problem, label: Any, number: int, trace: Trace, space: Workspace
) -> tuple[Any, Fraction, int, int]:
    """Do one iteration from the communities of the first level.

    Return the new ones, the objective, and the numbers of moves and of sub-rounds.
    """
    options, level = problem.options, problem.base.level
    xp = array_module(device_of(label))
    seed = options.seed + number
    finer: list[Any] = []  # for each level, the number of each vertex's part
    fixed = problem.fixed
    moves = rounds = 0
    while True:
        n = int(label.size)
        active = xp.ones(n, np.uint8)
        active[fixed] = FIXED
        communities, tables = communities_of(level, label.copy()), tables_of(level, space)
        moved, sub_rounds = move_vertices(level, communities, active, problem.terms, tables, seed, len(finer))
        moves, rounds = moves + moved, rounds + sub_rounds
        label = communities.label
        parts, part = numbered(options.parts(level, communities, problem.terms, tables, seed, len(finer)))
        if trace.detailed:
            trace.objectives.append(problem.score(level, label))
        if parts == n:
            break
        if trace.detailed:
            trace.levels.append(part[trace.levels[-1]] if finer else part)
        label = coarse_labels(label, parts, part)
        level = coarse_level(level, parts, part, space)
        fixed = xp.unique(part[fixed]) if fixed.size else fixed
        finer.append(part)
    objective = problem.score(level, label)
    for part in reversed(finer):
        label = label[part]
    return label, objective, moves, rounds


def settle(problem: Problem, label: Any, space: Workspace) -> tuple[Any, int]:
    """Move single vertices of the first level until none can improve the objective; return the number of moves.

    A vertex becomes a singleton under its own name, so it must not be the name of its community: names are the smallest
    vertices and the largest ones in turn.
    """
    level, terms = problem.base.level, problem.terms
    n = int(label.size)
    xp = array_module(device_of(label))
    tables = tables_of(level, space)
    moves = quiet = turn = 0
    while quiet < 2:
        label = (
            named_by_smallest(label) if turn % 2 == 0 else (n - 1 - named_by_smallest(label[::-1].copy()))[::-1].copy()
        )
        communities = communities_of(level, label)
        active = wish_to_move(level, communities, terms, tables)
        active[problem.fixed] = FIXED
        salt = salt_of(problem.options.seed, turn, _SETTLE)
        moved = move_in_turn(level, communities, active, terms, tables, salt)
        quiet = 0 if moved else quiet + 1
        moves, turn = moves + moved, turn + 1
    return xp.ascontiguousarray(label), moves


def find_communities(problem: Problem, start: Any, trace: Trace) -> tuple[int, Any]:
    """Return the number of communities, and the community of each vertex."""
    base, options, fixed = problem.base, problem.options, problem.fixed
    if start.size == 0:
        return 0, start
    label, objective, quiet, space = named_by_smallest(start), None, 0, Workspace()
    while quiet < _QUIET if options.iterations is None else trace.iterations < options.iterations:
        found = Trace(trace.detailed)
        new, value, moves, rounds = iterate(problem, label, trace.iterations, found, space)
        trace.iterations += 1
        trace.moves, trace.rounds = trace.moves + moves, trace.rounds + rounds
        rises = objective is None or value > objective
        if rises:
            label, objective = named_by_smallest(new), value
            trace.levels, trace.objectives = found.levels, found.objectives
        quiet = 0 if rises else quiet + 1
        if moves == 0 and options.iterations is not None:
            break
    while True:
        pieces = connected_pieces(base.level, label, fixed)
        count, labels = numbered(pieces)
        if options.iterations is not None:
            break
        label, moved = settle(problem, pieces, space)
        trace.moves += moved
        if moved == 0:
            break
    return count, labels
