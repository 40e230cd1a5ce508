"""Interface to PyAMG: conversion of hierarchies, aggregates and smoothers.

`to_pyamg` converts a hierarchy to a `pyamg.MultilevelSolver` with its own smoothers, so that all accelerators and
cycles of PyAMG can be used. `predefined_aggregates` and `mis2_aggregation` find aggregates for
`pyamg.smoothed_aggregation_solver` and for custom setups. `use_gauss_seidel` installs parallel Gauss-Seidel sweeps, by
points or by clusters, as smoothers in any PyAMG hierarchy.

Matrices are not copied, except those that PyAMG stores in formats other than CSR.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.option_names import Aggregation
from .._core.unknown_options import suggests_options
from ..coarsening.api import aggregate, aggregation_operator
from ..conversion import as_graph
from ..solvers.api import Multigrid, smoothed_aggregation
from ..solvers.cycle import Smoother
from ..solvers.gauss_seidel import GaussSeidel, gauss_seidel

__all__ = ["mis2_aggregation", "predefined_aggregates", "to_pyamg", "use_gauss_seidel"]


@suggests_options
def to_pyamg(hierarchy: Multigrid, coarse_solver: Any = "pinv") -> Any:
    """Convert a hierarchy to a PyAMG solver with smoothers of the same kind.

    Parameters
    ----------
    hierarchy : Multigrid
        Hierarchy from `smoothed_aggregation`. Its matrices are shared and must not be changed. PyAMG does not support
        a `nullspace`: project it out of the right-hand sides yourself.
    coarse_solver : str, callable or tuple
        PyAMG's solver for the coarsest level.

    Returns
    -------
    pyamg.MultilevelSolver

    Raises
    ------
    ImportError
        If PyAMG is not installed.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> from stablegraph.interop.pyamg import to_pyamg
    >>> A = sg.gallery.laplacian((40, 40))
    >>> solver = to_pyamg(sg.smoothed_aggregation(A))  # doctest: +SKIP
    >>> x = solver.solve(np.ones(1600), accel="cg")  # doctest: +SKIP
    """
    pyamg = _pyamg()
    levels = []
    for level in hierarchy.levels:
        copy = pyamg.MultilevelSolver.Level()
        copy.A, copy.B = level.A, level.B
        if level.P is not None:
            copy.P, copy.R = level.P, level.R
        levels.append(copy)
    solver = pyamg.MultilevelSolver(levels, coarse_solver=coarse_solver)
    for level, source_level in zip(levels[:-1], hierarchy.levels, strict=False):
        _smooth(level, hierarchy._maker(source_level))  # smoothers have work memory, so they cannot be shared
    solver.symmetric_smoothing = True
    return solver


def predefined_aggregates(A: Any, B: Any = None, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the aggregates of all levels, for the argument `aggregate` of PyAMG's solvers.

    Parameters
    ----------
    A : sparse array or matrix
    B : float array (n, k), optional
        The near-nullspace. Pass it to PyAMG, too, because it determines the number of unknowns on coarser levels.
    **options
        Options of `smoothed_aggregation`, which finds the aggregates: ``aggregate``, ``strength``, ``coarse_size`` ...

    Returns
    -------
    list of ("predefined", {"AggOp": csr_array})
        One for each level except the coarsest.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.interop.pyamg import predefined_aggregates
    >>> A = sg.gallery.laplacian((40, 40))
    >>> [(name, operator["AggOp"].shape) for name, operator in predefined_aggregates(A)]
    [('predefined', (1600, ...))]

    ``pyamg.smoothed_aggregation_solver(A, aggregate=predefined_aggregates(A))`` then uses them.
    """
    levels = smoothed_aggregation(A, B, **options).levels
    return [("predefined", {"AggOp": _operator(level.labels)}) for level in levels[:-1]]


@suggests_options
def mis2_aggregation(C: Any, algorithm: Aggregation = "mis2") -> tuple[Any, Any]:
    """Return the aggregates of one level like PyAMG's ``standard_aggregation``, for custom setups.

    Parameters
    ----------
    C : sparse array or matrix (n, n)
        Strength of connection. Only its pattern is used; an entry in one direction is enough.
    algorithm : {"mis2", "mis2_basic", "kokkos"}
        As in `aggregate`.

    Returns
    -------
    AggOp : csr_array (n, count) of int32
        The aggregation operator. Rows of nodes without connections are empty; if all are empty, there is one column.
    Cpts : integer array (count,)
        A root of each aggregate: the vertex with the most neighbors in it, and the smallest of several such vertices.
        The dtype is that of the indices of `C`, like in `AggOp`, because PyAMG's compiled code requires equal types.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.interop.pyamg import mis2_aggregation
    >>> AggOp, Cpts = mis2_aggregation(sg.gallery.laplacian((9,)))
    >>> AggOp.indices.tolist(), Cpts.tolist()
    ([0, 0, 0, 0, 1, 1, 1, 1, 1], [1, 5])
    """
    index = C.indptr.dtype if hasattr(C, "indptr") else np.dtype(np.int32)
    graph = as_graph(C, weights=False, symmetrize=True)
    rows, n = graph._rows(), graph.num_vertices
    connected = np.zeros(n, bool)
    connected[rows[rows != graph.indices]] = True
    if not connected.any():
        return sp.csr_array((n, 1), dtype=np.int32), np.empty(0, index)
    labels = np.full(n, -1, index)
    _, labels[connected] = np.unique(aggregate(graph, algorithm=algorithm)[1][connected], return_inverse=True)
    inside = np.bincount(rows[labels[rows] == labels[graph.indices]], minlength=n)
    best_first = np.lexsort((-inside, labels))
    _, first = np.unique(labels[best_first], return_index=True)
    roots = best_first[first].astype(index)
    return _operator(labels), roots if connected.all() else roots[1:]


@suggests_options
def use_gauss_seidel(solver: Any, clusters: Any = "mis2", *, sweeps: int = 1) -> None:
    """Make a PyAMG hierarchy smooth by parallel Gauss-Seidel: forward before, backward after the coarser levels.

    Parameters
    ----------
    solver : pyamg.MultilevelSolver
        Any real solver. It is modified.
    clusters : None or str
        As in `gauss_seidel`: single rows, or aggregates of each level's matrix.
    sweeps : int
        Number of sweeps.

    Raises
    ------
    ValueError
        `gauss_seidel` refuses the matrix of a level.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.interop.pyamg import use_gauss_seidel
    >>> A = sg.gallery.laplacian((40, 40))
    >>> import pyamg  # doctest: +SKIP
    >>> solver = pyamg.smoothed_aggregation_solver(A)  # doctest: +SKIP
    >>> use_gauss_seidel(solver)  # doctest: +SKIP
    """
    for level in solver.levels[:-1]:
        _smooth(level, gauss_seidel(level.A, clusters=clusters, symmetric=False, sweeps=sweeps))
    solver.symmetric_smoothing = True


def _smooth(level: Any, smoother: Smoother | GaussSeidel) -> None:
    """Install a smoother of this package on a level of a PyAMG hierarchy."""
    level.presmoother = _on_vectors(lambda x, b: smoother.before(x, b, False))
    level.postsmoother = _on_vectors(smoother.after)


def _on_vectors(smooth: Callable[[Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    """Adapt a smoother for contiguous vectors to PyAMG's calls, with a matrix and with vectors or single columns."""

    def call(_: Any, x: Any, b: Any) -> None:
        vector = np.ascontiguousarray(x).ravel()
        smooth(vector, np.ascontiguousarray(b, np.float64).ravel())
        if not np.may_share_memory(vector, x):
            x[...] = vector.reshape(x.shape)

    return call


def _operator(labels: Any) -> Any:
    """Return the aggregation operator of a level; rows of nodes without an aggregate are empty.

    Both of its index arrays have the dtype of the labels, because PyAMG's compiled code requires equal types.
    """
    inside = labels >= 0
    operator = aggregation_operator(labels[inside])
    if not inside.all():
        indptr = np.concatenate([[0], np.cumsum(inside)])
        operator = type(operator)((operator.data, operator.indices, indptr), shape=(labels.size, operator.shape[1]))
    operator.indptr, operator.indices = (part.astype(labels.dtype) for part in (operator.indptr, operator.indices))
    return operator


def _pyamg() -> Any:
    try:
        return importlib.import_module("pyamg")
    except ImportError:
        raise ImportError("PyAMG is not installed; install the extra: pip install 'stablegraph[pyamg]'") from None
