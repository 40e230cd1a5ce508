"""Sparse systems of some thousands of unknowns, as on a coarsest level that is larger than usual: by SciPy's SuperLU.

The matrix is scaled first by the roots of its diagonal, as for dense elimination. If it is Hermitian and positive
definite, pivots are taken from the diagonal in an order of minimum degree, so that the applied inverse is symmetric up
to rounding errors; otherwise rows are exchanged.

**Singular matrices.** A shift of some rounding errors on the diagonal makes the factors of a positive semidefinite
matrix exist. Where v is a vector of length 1 in the null space, the pivot of the last unknown k in it is
shift / v_k**2, at most about n times the shift, and all other pivots are far above. So a pivot below 10 n times the
shift belongs to an unknown that depends on the ones before it: its equation and its column are taken out, it stays
zero, and the rest is factored anew. A consistent system is then solved by one of its solutions, as by dense
elimination.

SuperLU runs on one thread, in an order that depends only on the pattern: the results on a machine are always the same
bits. Memory and time are those of the factors, which have about n**1.33 entries for three-dimensional grids. Ctrl-C
waits for SuperLU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from .vectors import Vector

_SHIFT = 64 * float(np.finfo(np.float64).eps)
_ATTEMPTS = 20  # how often more unknowns may turn out to be dependent; once is usual
_ROUNDING = 1e-10


class SparseSolver:
    """The factors of a sparse matrix. `solve` may be called from several threads at once."""

    def __init__(self, A: Any) -> None:
        n = A.shape[0]
        diagonal = np.abs(A.diagonal())
        self.scale = np.ones(n)
        np.divide(1.0, np.sqrt(diagonal), out=self.scale, where=diagonal > 0)
        by_scale = sp.diags_array(self.scale)
        matrix = sp.csc_array(by_scale @ sp.csc_array(A) @ by_scale)
        self._definite = abs(matrix - matrix.conj().T).max() <= _ROUNDING * abs(matrix).max()
        self._matrix = sp.csc_array(matrix + _SHIFT * sp.eye_array(n))
        self.dependent = np.zeros(n, bool)  # equations that are left out
        self.left_zero = np.zeros(n, bool)  # unknowns that are
        for _ in range(_ATTEMPTS):
            try:
                self._factor()
            except RuntimeError:  # a pivot that is exactly zero
                break
            pivots = self._factors.U.diagonal()
            if self._definite and pivots.real.min() < -_SHIFT * n:
                self._definite = False
                continue
            small = np.abs(pivots) <= 10 * n * _SHIFT
            if not small.any():
                return
            self._leave_out(small)
        raise np.linalg.LinAlgError(
            f"the coarsest level, of {n:,} unknowns, is singular: a smaller coarse_size avoids it"
        )

    @property
    def rank(self) -> int:
        """How many unknowns are not left at zero."""
        return int(np.count_nonzero(~self.left_zero))

    def _factor(self) -> None:
        if self._definite:
            on_diagonal = {"SymmetricMode": True}
            self._factors = splu(self._matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=on_diagonal)
        else:
            self._factors = splu(self._matrix, permc_spec="COLAMD")

    def _leave_out(self, small: Any) -> None:
        """Take out the rows and columns of these pivots, each pair with a 1 in its place."""
        rows, columns = np.argsort(self._factors.perm_r)[small], np.argsort(self._factors.perm_c)[small]
        self.dependent[rows] = self.left_zero[columns] = True
        n = self.scale.size
        stays = sp.diags_array((~self.dependent).astype(float)) @ self._matrix
        stays = stays @ sp.diags_array((~self.left_zero).astype(float))
        ones = sp.csc_array((np.ones(rows.size), (rows, columns)), shape=(n, n))
        self._matrix = sp.csc_array(stays + ones)

    def solve(self, b: Vector, x: Vector) -> None:
        """Solve A x = b; x gets the solution, or one whose other unknowns are zero where A is singular."""
        right = self.scale * b
        right[self.dependent] = 0.0
        np.multiply(self._factors.solve(right), self.scale, out=x)

    def __getstate__(self) -> Any:  # of copies, and in pickles: SuperLU's own factors stay where they are
        return {name: value for name, value in self.__dict__.items() if name != "_factors"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._factor()
