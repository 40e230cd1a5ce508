"""Graphs and matrices to try things on: made by a rule, the same for everybody who names the same rule and seed.

* Meshes: `grid` and `laplacian` (5, 7, 9 or 27 points), `elasticity_3d` (trilinear hexahedra, with rigid-body modes).
* Random graphs: `uniform_random`, `rmat`, `kronecker`, `delaunay`.
* Directed: `with_directions` makes arcs of the edges of any of these.
* By name: `benchmark_graph` (the six graphs on which speed is quoted) and `load` (a real graph that ships with the
  package; `positions` tells where to draw its vertices).

Points of a mesh are numbered row by row, the last axis fastest, as NumPy numbers the entries of an array. Everything
is built by whole-array operations, straight into CSR form with sorted rows where the rule gives the rows. Random draws
come from ``numpy.random.default_rng(seed)``, in an order that each docstring tells: the order is part of the rule.
"""

from .elasticity import elasticity_3d
from .grids import grid, laplacian
from .named import benchmark_graph, load, positions, with_directions
from .random import delaunay, kronecker, rmat, uniform_random

__all__ = [
    "benchmark_graph",
    "delaunay",
    "elasticity_3d",
    "grid",
    "kronecker",
    "laplacian",
    "load",
    "positions",
    "rmat",
    "uniform_random",
    "with_directions",
]
