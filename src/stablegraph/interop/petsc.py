"""Preconditioners of PETSc's type "python", for petsc4py and packages that are built on it.

The classes are contexts: call ``pc.setPythonContext(SmoothedAggregation())`` after ``pc.setType("python")``, or pass
the options ``-pc_type python -pc_python_type stablegraph.interop.petsc.SmoothedAggregation``. Matrices must be real and
belong to one process. This module does not import petsc4py; it only uses the objects that PETSc passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..solvers.api import smoothed_aggregation
from ..solvers.gauss_seidel import gauss_seidel

__all__ = ["GaussSeidel", "SmoothedAggregation"]


class _Context(ABC):
    """Base class with the methods that PETSc calls; the options are those of the function that makes the solver."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._rows: tuple[Any, Any] | None = None  # of the matrix for which the solver was made
        self._solver: Any = None
        self._operator: LinearOperator | None = None

    def setUp(self, pc: Any) -> None:
        """Make the solver for the preconditioner's matrix; update it if only the values of the matrix have changed."""
        _, matrix = pc.getOperators()
        if matrix.getComm().getSize() > 1:
            raise ValueError("the matrix is spread over processes, this preconditioner is for one: use -pc_type gamg")
        indptr, indices, values = matrix.getValuesCSR()
        A = sp.csr_array((values, indices, indptr), shape=matrix.getSize())
        if self._rows and all(map(np.array_equal, self._rows, (indptr, indices))):
            self._solver.update(A)
        else:
            self._solver = self._made(A, matrix)
        self._rows = indptr, indices
        self._operator = self._solver.aspreconditioner()

    def apply(self, pc: Any, x: Any, y: Any) -> None:
        """Apply the preconditioner to the vector x, and store the result in y."""
        y.setArray(self._operator @ x.getArray(readonly=True))

    @abstractmethod
    def _made(self, A: Any, matrix: Any) -> Any: ...


class SmoothedAggregation(_Context):
    """One V-cycle of multigrid, set up by `smoothed_aggregation`.

    Parameters
    ----------
    **options
        Options of `smoothed_aggregation`. By default the block size and the near-nullspace are those of the PETSc
        matrix (``setBlockSize``, ``setNearNullSpace``).

    Examples
    --------
    >>> from stablegraph.interop.petsc import SmoothedAggregation
    >>> ksp.setType("cg")  # doctest: +SKIP
    >>> ksp.getPC().setType("python")  # doctest: +SKIP
    >>> ksp.getPC().setPythonContext(SmoothedAggregation(smoother="gauss_seidel"))  # doctest: +SKIP
    """

    def _made(self, A: Any, matrix: Any) -> Any:
        modes = matrix.getNearNullSpace()
        size = matrix.getBlockSize()
        known: dict[str, Any] = {"block_size": size} if size > 1 else {}
        if modes:
            columns = [np.ones(A.shape[0])] if modes.hasConstant() else []
            known["B"] = np.column_stack([*columns, *(vector.getArray(readonly=True) for vector in modes.getVecs())])
        return smoothed_aggregation(A, **known | self._options)


class GaussSeidel(_Context):
    """Symmetric Gauss-Seidel sweeps on all threads, set up by `gauss_seidel`.

    Parameters
    ----------
    **options
        Options of `gauss_seidel`, such as ``clusters="mis2"``.

    Examples
    --------
    >>> from stablegraph.interop.petsc import GaussSeidel
    >>> pc.setPythonContext(GaussSeidel(clusters="mis2"))  # doctest: +SKIP
    """

    def _made(self, A: Any, matrix: Any) -> Any:
        return gauss_seidel(A, **self._options)
