"""Graphs and matrices for examples, tests and benchmarks, each defined by a rule and, if it is random, a seed.

* Meshes: `grid` and `laplacian` (5, 7, 9 or 27 points), `elasticity_3d` (trilinear hexahedra, with rigid-body modes).
* Random graphs: `uniform_random`, `random_regular`, `rmat`, `kronecker`, `delaunay`.
* Directed graphs: `with_directions` makes arcs of the edges of any of these.
* By name: `benchmark_graph` (the six graphs for which speed is reported) and `load` (a real graph that ships with the
  package; `positions` returns coordinates for drawing it).

Points of a mesh are numbered row by row, the last axis fastest, like the entries of a NumPy array. All graphs are built
by operations on whole arrays, and directly in CSR form with sorted rows if the rule defines the rows. Random numbers
come from ``numpy.random.default_rng(seed)``. Each docstring states the order of the draws, which is part of the rule.
`grid` and `random_regular` also make graphs on GPUs, each of which computes its rows: these do not use a generator.

reference_kernels.py measures the units of time of this machine, to which the times of benchmarks are compared.
"""

from .grids import elasticity_3d, grid, laplacian
from .named import benchmark_graph, load, positions, with_directions
from .random import delaunay, kronecker, rmat, uniform_random
from .regular import random_regular

__all__ = [
    "benchmark_graph",
    "delaunay",
    "elasticity_3d",
    "grid",
    "kronecker",
    "laplacian",
    "load",
    "positions",
    "random_regular",
    "rmat",
    "uniform_random",
    "with_directions",
]
