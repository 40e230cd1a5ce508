"""Preconditioners of PETSc's type "python", for petsc4py and whatever is built on it.

The classes are contexts: ``pc.setPythonContext(SmoothedAggregation())`` behind ``pc.setType("python")``, or in options
``-pc_type python -pc_python_type stablegraph.interop.petsc.SmoothedAggregation``. Matrices are real, and in one
process. Nothing of petsc4py is imported here: who has a preconditioner of PETSc's has it already.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..solvers import smoothed_aggregation
from ..solvers.gauss_seidel import gauss_seidel

__all__ = ["GaussSeidel", "SmoothedAggregation"]


class _Context(ABC):
    """What PETSc calls; the options are those of the function that makes the solver."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._rows: tuple[Any, Any] | None = None  # of the matrix that the solver was made for
        self._solver: Any = None
        self._operator: LinearOperator | None = None

    def setUp(self, pc: Any) -> None:
        """Make the solver for the matrix to be preconditioned with; where only its values have changed, update it."""
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
        """What the preconditioner makes of the vector x, into y."""
        y.setArray(self._operator @ x.getArray(readonly=True))

    @abstractmethod
    def _made(self, A: Any, matrix: Any) -> Any: ...


class SmoothedAggregation(_Context):
    """One V-cycle of multigrid, as `smoothed_aggregation` sets it up.

    Parameters
    ----------
    **options
        Of `smoothed_aggregation`. Where they do not say otherwise, the block size and the near-nullspace are those that
        the matrix has in PETSc (``setBlockSize``, ``setNearNullSpace``).

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
    """Symmetric Gauss-Seidel sweeps on all threads, as `gauss_seidel` sets them up.

    Parameters
    ----------
    **options
        Of `gauss_seidel`: ``clusters="mis2"``, for one.

    Examples
    --------
    >>> from stablegraph.interop.petsc import GaussSeidel
    >>> pc.setPythonContext(GaussSeidel(clusters="mis2"))  # doctest: +SKIP
    """

    def _made(self, A: Any, matrix: Any) -> Any:
        return gauss_seidel(A, **self._options)
