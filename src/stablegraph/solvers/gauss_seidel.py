"""Multicolor Gauss-Seidel for one matrix: the public function and its result.

sweeps.py contains the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from .._core.option_names import Aggregation
from .._core.progress import timed
from .._core.texts import facts_as_html
from .._core.typing import ArrayLike, GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice, integer, listed, unmasked
from ..coarsening.api import ALGORITHMS, aggregate, checked_labels
from ..conversion import as_graph
from ..graph import Graph
from .checked_matrix import checked_matrix
from .linalg.vectors import Vector
from .sweep_order import PermutedRows, SweepOrder, cluster_order, permuted_rows, point_order
from .sweeps import sweeps_over_rows

__all__ = ["GaussSeidel", "gauss_seidel"]


class GaussSeidel:
    """Gauss-Seidel sweeps for one matrix; made by `gauss_seidel`.

    Attributes
    ----------
    shape : (int, int)
        Of the matrix.
    num_clusters, num_colors : int
        In point Gauss-Seidel every row is a cluster.
    symmetric : bool
        Whether a sweep consists of a forward and a backward sweep.
    sweeps : int
        The number of sweeps that `sweep` and the preconditioner make.
    nbytes : int
        Used memory, in bytes.
    seconds : dict of str to float
        The time of each phase of the setup.

    Notes
    -----
    Only `update` changes the object, and it has no work memory, so several threads may sweep at once. It can be copied
    and pickled.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.gauss_seidel(sg.gallery.laplacian((20, 20)), clusters="mis2")
    <GaussSeidel: 400 rows, ... clusters, ... colors, symmetric, 1 sweep, ... bytes, setup ... s (checks ..., ...)>
    """

    def __init__(
        self, order: SweepOrder, rows: PermutedRows, symmetric: bool, sweeps: int, seconds: dict[str, float]
    ) -> None:
        n = order.rows.size
        self.shape = (n, n)
        self.num_clusters, self.num_colors = order.begins.size - 1, len(order.offsets) - 1
        self.symmetric, self.sweeps, self.seconds = symmetric, sweeps, seconds
        self._rows, self._sweeps = rows, sweeps_over_rows(order, rows)

    def __repr__(self) -> str:
        return f"<GaussSeidel: {', '.join(self._described().values())}>"

    def _repr_html_(self) -> str:
        return facts_as_html("Gauss-Seidel", self._described())

    def _described(self) -> dict[str, str]:
        phases = ", ".join(f"{phase} {seconds:.3f}" for phase, seconds in self.seconds.items())
        return {
            "size": f"{self.shape[0]:,} rows",
            "clusters": f"{self.num_clusters:,} clusters",
            "colors": f"{self.num_colors:,} colors",
            "order": "symmetric" if self.symmetric else "forward",
            "sweeps": f"{self.sweeps} sweep{'s' if self.sweeps > 1 else ''}",
            "memory": f"{self.nbytes:,} bytes",
            "time": f"setup {sum(self.seconds.values()):.3f} s ({phases})",
        }

    @property
    def _dtype(self) -> Any:
        return self._rows.data.dtype

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self._sweeps.order.rows, self._sweeps.order.begins, *self._rows))

    @suggests_options
    def sweep(self, x: Vector, b: Any) -> Vector:
        """Improve the solution x of A x = b by sweeps, in place.

        Parameters
        ----------
        x : float64 array (n,) or (n, k)
            Contiguous; complex128 if A is complex. Several columns are swept one after another.
        b : real array of the shape of `x`
            Must not share memory with `x`.

        Returns
        -------
        array
            `x` itself.

        Raises
        ------
        TypeError
            If `x` is not a float64 array (complex128 for a complex matrix), or if `b` is complex but the matrix is not.
        ValueError
            If the shapes do not fit, or `x` is not contiguous, read-only, or overlaps with `b`.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> A = sg.gallery.laplacian(3)
        >>> sg.gauss_seidel(A, symmetric=False).sweep(np.zeros(3), np.array([1.0, 0.0, 1.0]))
        array([0.5, 0.5, 0.5])
        """
        b = self._checked(x, b)
        if x.ndim == 1:
            self.before(x, b)
            return x
        for k in range(x.shape[1]):
            column: Any = np.ascontiguousarray(x[:, k])
            self.before(column, np.ascontiguousarray(b[:, k]))
            x[:, k] = column
        return x

    @suggests_options
    def aspreconditioner(self) -> scipy.sparse.linalg.LinearOperator:
        """Return the sweeps from x = 0 as an operator for SciPy's solvers (their option ``M``).

        Returns
        -------
        scipy.sparse.linalg.LinearOperator (n, n)
            Symmetric positive definite if A is and the sweeps are symmetric, as conjugate gradients require.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> from scipy.sparse.linalg import cg
        >>> A = sg.gallery.laplacian((30, 30))
        >>> x, failed = cg(A, np.ones(900), M=sg.gauss_seidel(A, clusters="mis2").aspreconditioner())
        >>> failed
        0
        """
        return scipy.sparse.linalg.LinearOperator(
            self.shape, matvec=self._sweep_from_zero, matmat=self._sweep_from_zero, dtype=self._dtype
        )

    def _sweep_from_zero(self, b: Any) -> Vector:
        return self.sweep(np.zeros(b.shape, self._dtype), b)

    @suggests_options
    def update(self, A: Any) -> None:
        """Replace the values of the matrix; clusters, colors and the order of rows are kept.

        Parameters
        ----------
        A : sparse array or matrix
            With exactly the same pattern as the original matrix.

        Raises
        ------
        ValueError
            If the patterns differ, or for values that `gauss_seidel` would refuse. The object is then unchanged.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> A = sg.gallery.laplacian(3)
        >>> smoother = sg.gauss_seidel(A, symmetric=False)
        >>> smoother.update(2 * A)
        >>> smoother.sweep(np.zeros(3), np.array([2.0, 0.0, 2.0]))
        array([0.5, 0.5, 0.5])
        """
        (A, _, _), old = checked_matrix(A), self._rows
        if A.shape == self.shape:
            if A.dtype != self._dtype:
                raise TypeError(
                    f"A is {A.dtype}, the matrix that this was made for {self._dtype}; call gauss_seidel anew"
                )
            new = permuted_rows(A, self._sweeps.order.rows)
            if np.array_equal(new.indptr, old.indptr) and np.array_equal(new.indices, old.indices):
                self._rows, self._sweeps = new, sweeps_over_rows(self._sweeps.order, new)
                return
        raise ValueError("A has another pattern than the matrix that this was made for; call gauss_seidel anew")

    # The interface of smoothers, for contiguous vectors, which are not checked.

    def before(self, x: Vector, b: Vector, zero: bool = False) -> None:
        """Run all sweeps; if they are not symmetric, only forward ones. If `zero` is set, x counts as zero."""
        if zero:
            x[:] = 0
        for _ in range(self.sweeps):
            self._sweeps.forward(x, b)
            if self.symmetric:
                self._sweeps.backward(x, b)

    def after(self, x: Vector, b: Vector) -> None:
        """Run the adjoint of `before`: if the sweeps are not symmetric, only backward ones."""
        for _ in range(self.sweeps):
            if self.symmetric:
                self._sweeps.forward(x, b)
            self._sweeps.backward(x, b)

    def _checked(self, x: Any, b: Any) -> Vector:
        """Return b as an array of the type of x; raise an error if x or b cannot be swept."""
        kind = self._dtype
        if not isinstance(x, np.ndarray) or x.dtype != kind:
            received = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
            raise TypeError(f"x must be a {kind} NumPy array, as it is changed in place; got {received}")
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[0]:
            raise ValueError(f"x must have shape ({self.shape[0]},) or ({self.shape[0]}, k), got {x.shape}")
        if not (x.flags.c_contiguous and x.flags.writeable):
            raise ValueError("x must be contiguous and writeable, as it is changed in place; pass a copy of it")
        b = listed(b, "b")
        if np.iscomplexobj(b) and kind.kind != "c":
            raise TypeError("b is complex, but sweeps are real: sweep its real and its imaginary part")
        right_side: Vector = np.ascontiguousarray(unmasked(b, "b"), kind)
        if right_side.shape != x.shape:
            raise ValueError(f"b must have the shape of x, {x.shape}, got {right_side.shape}")
        if np.may_share_memory(x, right_side):
            raise ValueError("x and b share memory, but x changes while b is read; pass a copy of one of them")
        return right_side


@suggests_options
def gauss_seidel(
    A: GraphLike,
    *,
    clusters: Aggregation | ArrayLike | Sequence[int] | None = None,
    symmetric: bool = True,
    sweeps: int = 1,
) -> GaussSeidel:
    """Set up parallel Gauss-Seidel sweeps for a sparse matrix: by points, or by clusters of rows.

    >>> import numpy as np, stablegraph as sg
    >>> sg.gauss_seidel(sg.gallery.laplacian((3,))).sweep(np.zeros(3), np.ones(3)).round(3)
    array([1., 1., 1.])

    Parameters
    ----------
    A : sparse array or matrix (n, n), dense array, or Graph with weights
        Real or complex, in any format, without zeros on the diagonal. Its pattern need not be symmetric. It is copied.
    clusters : None, str, or integer array (n,)
        Groups of rows. The rows of a cluster are swept one after another, and the clusters of one color in parallel:

        - None: single rows (point multicolor Gauss-Seidel).
        - "mis2", "kokkos" or "mis2_basic": the aggregates of `aggregate` (cluster multicolor Gauss-Seidel). As a
          preconditioner this usually needs fewer iterations.
        - an array: the cluster of each row, numbered from 0 without gaps. Any partition is accepted.
    symmetric : bool
        Whether a sweep is one forward and one backward, as conjugate gradients require.
    sweeps : int
        The number of sweeps that `GaussSeidel.sweep` and the preconditioner make.

    Returns
    -------
    GaussSeidel
        With `sweep`, `aspreconditioner` and `update`. Its `repr` shows the numbers of colors, clusters and bytes, and
        the time of each phase of the setup.

    Raises
    ------
    ValueError
        If A is not square, an entry is NaN or infinite, or a diagonal entry is zero or missing (the message names the
        row); if the clusters do not fit A, or `sweeps` is less than 1.
    TypeError
        If A is on a GPU or not a matrix, the clusters are not integers, or `symmetric` is not a boolean.

    See Also
    --------
    aggregate : The clusters.
    smoothed_aggregation : Multigrid, which can use these sweeps as a smoother.

    Notes
    -----
    Deterministic: the result is bit for bit the same for any number of threads. It equals that of one thread that
    sweeps the rows in the order of colors, then clusters (by their smallest rows), then rows. Memory: 12 bytes per
    entry, 16 to 28 per row.

    References
    ----------
    B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
    Coarsening", IPDPS 2022, Algorithm 4.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> A = sg.gallery.laplacian((10, 10))
    >>> smoother = sg.gauss_seidel(A, clusters="mis2")
    >>> b, x = np.ones(100), np.zeros(100)
    >>> for _ in range(50):
    ...     x = smoother.sweep(x, b)
    >>> bool(np.linalg.norm(b - A @ x) < 0.1 * np.linalg.norm(b))
    True
    """
    symmetric, sweeps = boolean(symmetric, "symmetric"), integer(sweeps, "sweeps", minimum=1)
    seconds: dict[str, float] = {}
    with timed(seconds, "checks"):
        matrix, _, facts = checked_matrix(A)
    with timed(seconds, "graph"):
        if facts is not None and facts.forward == facts.backward:
            graph = Graph._trusted(matrix.indptr, matrix.indices, scan=facts)
        else:
            graph = as_graph(matrix, symmetrize=True, weights=False)
    with timed(seconds, "clusters"):
        partition = _clusters(graph, clusters)
    with timed(seconds, "order"):
        order = point_order(graph) if partition is None else cluster_order(graph, *partition)
    with timed(seconds, "rows"):
        rows = permuted_rows(matrix, order.rows)
    return GaussSeidel(order, rows, symmetric, sweeps, seconds)


def _clusters(graph: Graph, clusters: Any) -> tuple[int, Any] | None:
    """Return the number of clusters and the cluster of each row; None for single rows."""
    if clusters is None:
        return None
    if isinstance(clusters, str):
        return aggregate(graph, algorithm=choice(clusters, "clusters", ALGORITHMS, otherwise=", None, or labels"))
    return checked_labels(clusters, graph.num_vertices)
