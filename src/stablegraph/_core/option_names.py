"""The named values of every option. Signatures, the tables of algorithms and the choices of the command line use them.

Values are words with underscores. `typing.get_args` lists them; the default is first if it is a name.
"""

from __future__ import annotations

from typing import Literal

# Independent sets
SetAlgorithm = Literal["priority", "lexicographic", "luby", "luby_select", "locked", "karp_wigderson", "residual"]
Priority = Literal["degree", "ecl", "random", "natural", "high_degree"]
DistancePriority = Literal["random", "degree"]  # at distance 2 and more

WeightedPriority = Literal["ratio", "weight"]  # with weights

# Colorings
ColoringAlgorithm = Literal["priority", "mis"]
Order = Literal[
    "largest_first",
    "largest_log_first",
    "smallest_last",
    "smallest_last_in_rounds",
    "saturation",
    "incidence",
    "natural",
    "random",
]
Ties = Literal["id", "hash"]
Reduction = Literal["quick", "none", "thorough"]

# Sparse derivatives
JacobianMode = Literal["column", "row", "both"]
SideOrder = Literal["largest_first", "natural"]  # of columns and rows
HessianMode = Literal["star", "acyclic"]
DerivativeLibrary = Literal["numpy", "cupy", "jax", "torch"]
HessianLibrary = Literal["jax", "torch"]

# Components and forests
ComponentAlgorithm = Literal["union", "fastsv"]
ComponentLabel = Literal["number", "smallest"]
StrongAlgorithm = Literal["auto", "tarjan", "forward_backward", "cfhp"]
ForestAlgorithm = Literal["auto", "boruvka", "filter_kruskal", "awerbuch_shiloach"]

# Communities
CommunityAlgorithm = Literal["leiden", "louvain"]
Objective = Literal["modularity", "cpm"]

# Coarsening and solvers
Aggregation = Literal["mis2", "mis2_basic", "kokkos"]
Smoother = Literal["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"]
SolveMethod = Literal["auto", "multigrid", "diagonal", "direct"]
Cycle = Literal["V", "W", "F"]
Acceleration = Literal["cg"]

# Drawings
Layout = Literal["stress", "spectral", "resistance"]

# Graphs and their files
Device = Literal["cpu", "cuda"]
Merge = Literal["min", "max", "sum"]  # of the weights of (u, v) and (v, u)
Format = Literal["mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather", "csv", "tsv"]
