"""To PyAMG and from it: hierarchies, aggregates and smoothers in the forms that it takes.

A hierarchy becomes a `pyamg.MultilevelSolver` with its own smoothers, so that all of PyAMG's accelerators and cycles
can be used on it. Aggregates go into `pyamg.smoothed_aggregation_solver` as its "predefined" ones. And Gauss-Seidel
sweeps, by points or by clusters, smooth on the levels of any hierarchy of PyAMG's, on all threads.

Matrices are not copied, except those that PyAMG keeps in other formats than CSR.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..coarsening import aggregate, aggregation_operator
from ..conversion import as_graph
from ..names import Aggregation
from ..solvers import Multigrid, smoothed_aggregation
from ..solvers.cycle import Smoother
from ..solvers.gauss_seidel import GaussSeidel, gauss_seidel
from ..unknown_options import suggests_options

__all__ = ["mis2_aggregation", "predefined_aggregates", "to_pyamg", "use_gauss_seidel"]


@suggests_options
def to_pyamg(hierarchy: Multigrid, coarse_solver: Any = "pinv") -> Any:
    """A hierarchy as PyAMG's solver, with smoothers of the same kind.

    Parameters
    ----------
    hierarchy : Multigrid
        As `smoothed_aggregation` gives it. Its matrices are shared, and not to be changed. PyAMG has no place for a
        `nullspace`: project it out of what you hand in.
    coarse_solver : str, callable or tuple
        What PyAMG solves with on the coarsest level.

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
    for level, own in zip(levels[:-1], hierarchy.levels, strict=False):
        _smooth(level, hierarchy._maker(own))  # smoothers have work memory, so they are not shared
    solver.symmetric_smoothing = True
    return solver


def predefined_aggregates(A: Any, B: Any = None, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    """Aggregates of all levels, as the argument `aggregate` of PyAMG's solvers takes them.

    Parameters
    ----------
    A : sparse matrix
    B : float array (n, k), optional
        The near-nullspace, which PyAMG must be given, too, as it says how many unknowns coarser levels have.
    **options
        Of `smoothed_aggregation`, which finds the aggregates: ``aggregate``, ``strength``, ``coarse_size`` ...

    Returns
    -------
    list of ("predefined", {"AggOp": csr_array})
        One for each level but the coarsest.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.interop.pyamg import predefined_aggregates
    >>> A = sg.gallery.laplacian((40, 40))
    >>> [(name, operator["AggOp"].shape) for name, operator in predefined_aggregates(A)]
    [('predefined', (1600, ...))]

    ``pyamg.smoothed_aggregation_solver(A, aggregate=predefined_aggregates(A))`` then builds on them.
    """
    levels = smoothed_aggregation(A, B, **options).levels
    return [("predefined", {"AggOp": _operator(level.labels)}) for level in levels[:-1]]


@suggests_options
def mis2_aggregation(C: Any, algorithm: Aggregation = "mis2") -> tuple[Any, Any]:
    """Aggregates of one level, in the form of PyAMG's ``standard_aggregation``: for setups of your own.

    Parameters
    ----------
    C : sparse matrix (n, n)
        Strength of connection. Its pattern counts, whether an entry stands in one direction or in both.
    algorithm : {"mis2", "mis2_basic", "kokkos"}
        As in `aggregate`.

    Returns
    -------
    AggOp : csr_array (n, count) of int32
        The aggregation operator. Rows of nodes without connections are empty; if all are, there is one column.
    Cpts : integer array (count,)
        A root of each aggregate: the smallest of those that have most neighbors in it. Of the type of the indices of
        `C`, as are those of `AggOp`, because PyAMG's own code takes one type only.

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
    """Let a hierarchy of PyAMG's smooth by parallel Gauss-Seidel: forward before, backward after coarser levels.

    Parameters
    ----------
    solver : pyamg.MultilevelSolver
        Of any kind, real. It is changed.
    clusters : None or str
        As in `gauss_seidel`: single rows, or aggregates of each level's matrix.
    sweeps : int
        How many.

    Raises
    ------
    ValueError
        As `gauss_seidel`, for a level's matrix that it refuses.

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
    """Make a smoother of ours that of a level of PyAMG's."""
    level.presmoother = _on_vectors(lambda x, b: smoother.before(x, b, False))
    level.postsmoother = _on_vectors(smoother.after)


def _on_vectors(smooth: Callable[[Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    """A smoother for contiguous vectors as PyAMG calls it: with the matrix, and with vectors or single columns."""

    def call(_: Any, x: Any, b: Any) -> None:
        vector = np.ascontiguousarray(x).ravel()
        smooth(vector, np.ascontiguousarray(b, np.float64).ravel())
        if not np.may_share_memory(vector, x):
            x[...] = vector.reshape(x.shape)

    return call


def _operator(labels: Any) -> Any:
    """The aggregation operator of a level; rows of nodes that are in no aggregate are empty.

    Its index arrays are both of the type of the labels: PyAMG's compiled code takes no mixture.
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
