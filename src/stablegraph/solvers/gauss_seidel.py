"""Multicolor Gauss-Seidel: rows, or clusters of rows, are colored, and a color is swept in parallel.

Result: that of one thread going through all rows in the sweep's order (sweep_order.py), bit for bit, for any number of
threads.

Rule: row i is relaxed by

    x_i = (b_i - sum of a_ij x_j over j != i) / a_ii

with the entries in the order of the row. A backward sweep goes the same way in reverse. In the code: `relax`.

Idea: rows of a cluster follow one another, clusters of a color have no entry in common, and colors follow one another.
Point multicolor Gauss-Seidel is the case of clusters of one row.

Larger clusters keep more of the order in which a serial sweep would go: preconditioned iterations are fewer. Where rows
are long there are also far fewer colors, so fewer launches, and what rows of a cluster share is still in the cache.

Cost of a sweep: 12 bytes are read for each entry off the diagonal, 16 for each row, besides b, x and the entries of x
that rows read; it is bound by memory. A launch for each color with work for two threads; smaller ones that follow one
another are left to one thread in one launch. No work memory.

Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
Coarsening", IPDPS 2022, Algorithm 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .._core.csr.arrays import read_only
from .._core.html import facts_as_html
from .._core.option_names import Aggregation
from .._core.runtime import kernel, prefetch, rule, worker_count
from .._core.typing import ArrayLike, GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice, integer, unmasked
from ..coarsening.api import ALGORITHMS, aggregate, checked_labels
from ..conversion import as_graph
from ..graph import Graph
from .linalg.permuted_rows import PermutedRows, permuted_rows
from .linalg.vectors import Vector
from .operations import checked_matrix
from .sweep_order import SweepOrder, cluster_order, point_order
from .timing import timed

__all__ = ["GaussSeidel", "gauss_seidel"]

_AHEAD_BY = 48  # prefetch distance for b and x, in rows
_MAX_AT_ONCE = 1 << 22  # entries and rows of several colors per launch: bounds the latency of Ctrl-C


class Launch(NamedTuple):
    """The clusters that one launch relaxes."""

    start: int
    end: int
    direction: int  # 1 for forward, -1 for backward


@rule
def first_cluster(launch, begins, indptr, worker, workers):
    """Where a worker's share of clusters starts when their entries are split evenly."""
    if worker >= workers:
        return launch.end
    base = indptr[begins[launch.start]]
    wanted = (indptr[begins[launch.end]] - base) * worker // workers
    low, high = launch.start, launch.end
    while low < high:
        middle = (low + high) >> 1
        if indptr[begins[middle]] - base < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(by="workers", types="int int int int32[] int32[] int32[] int32[] T[] T[] T[] T[]", T="float64 complex128")
def relax(worker, workers, launch: Launch, begins, rows, matrix: PermutedRows, b, x):
    """Relax the rows of clusters one after another."""
    direction = launch.direction
    start = begins[first_cluster(launch, begins, matrix.indptr, worker, workers)]
    end = begins[first_cluster(launch, begins, matrix.indptr, worker + 1, workers)]
    p = start if direction > 0 else end - 1
    for _ in range(end - start):
        soon = rows[min(max(p + _AHEAD_BY * direction, start), end - 1)]
        prefetch(b, soon)
        prefetch(x, soon)
        i = rows[p]
        rest = b[i]
        for e in range(matrix.indptr[p], matrix.indptr[p + 1]):
            rest -= matrix.data[e] * x[matrix.indices[e]]
        x[i] = rest * matrix.inverse_diagonal[p]
        p += direction


class GaussSeidel:
    """Gauss-Seidel sweeps for one matrix; made by `gauss_seidel`.

    Attributes
    ----------
    shape : (int, int)
        Of the matrix.
    num_clusters, num_colors : int
        Of point Gauss-Seidel every row is a cluster.
    symmetric : bool
        Whether a sweep is one forward and one backward.
    sweeps : int
        How many sweeps `sweep` and the preconditioner make.
    nbytes : int
        Memory taken, in bytes.
    seconds : dict of str to float
        What the setup took, by phase.

    Notes
    -----
    Nothing but `update` changes it, and it has no work memory: several threads may sweep at once. It can be copied and
    pickled.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.gauss_seidel(sg.gallery.laplacian((20, 20)), clusters="mis2")
    <GaussSeidel: 400 rows, ... clusters, ... colors, symmetric, 1 sweep, ... bytes, setup ... s (checks ..., ...)>
    """

    def __init__(self, order: SweepOrder, matrix: Any, symmetric: bool, sweeps: int, seconds: dict[str, float]) -> None:
        n = order.rows.size
        self.shape = (n, n)
        self.num_clusters, self.num_colors = order.begins.size - 1, len(order.offsets) - 1
        self.symmetric, self.sweeps, self.seconds = symmetric, sweeps, seconds
        self._order, self._matrix = order, matrix

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
        return self._matrix.data.dtype

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self._order.rows, self._order.begins, *self._matrix))

    @suggests_options
    def sweep(self, x: Vector, b: Any) -> Vector:
        """Make x a better solution of A x = b, in place.

        Parameters
        ----------
        x : float64 array (n,) or (n, k)
            Contiguous; complex128 if A is complex. Several columns are swept one after another.
        b : real array of the shape of `x`
            Not the same memory as `x`.

        Returns
        -------
        array
            `x` itself.

        Raises
        ------
        TypeError
            If `x` is no float64 array, or complex128 for a complex matrix, or `b` is complex, but not the matrix.
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
    def aspreconditioner(self) -> LinearOperator:
        """The sweeps from x = 0 as an operator for SciPy's solvers (their option ``M``).

        Returns
        -------
        scipy.sparse.linalg.LinearOperator (n, n)
            Symmetric positive definite if A is and sweeps are symmetric, as conjugate gradients need it.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> from scipy.sparse.linalg import cg
        >>> A = sg.gallery.laplacian((30, 30))
        >>> x, failed = cg(A, np.ones(900), M=sg.gauss_seidel(A, clusters="mis2").aspreconditioner())
        >>> failed
        0
        """
        return SweepPreconditioner(self)

    @suggests_options
    def update(self, A: Any) -> None:
        """Take new values for the same pattern: clusters, colors and the order of rows are kept.

        Parameters
        ----------
        A : sparse matrix
            With exactly the entries of the matrix that this was made for.

        Raises
        ------
        ValueError
            If the patterns differ, or for values that `gauss_seidel` would refuse. Nothing is changed then.

        Examples
        --------
        >>> import numpy as np, stablegraph as sg
        >>> A = sg.gallery.laplacian(3)
        >>> smoother = sg.gauss_seidel(A, symmetric=False)
        >>> smoother.update(2 * A)
        >>> smoother.sweep(np.zeros(3), np.array([2.0, 0.0, 2.0]))
        array([0.5, 0.5, 0.5])
        """
        A, old = checked_matrix(A), self._matrix
        if A.shape == self.shape:
            if A.dtype != self._dtype:
                raise TypeError(
                    f"A is {A.dtype}, the matrix that this was made for {self._dtype}; call gauss_seidel anew"
                )
            new = permuted_rows(A, self._order.rows)
            if np.array_equal(new.indptr, old.indptr) and np.array_equal(new.indices, old.indices):
                self._matrix = new
                return
        raise ValueError("A has another pattern than the matrix that this was made for; call gauss_seidel anew")

    # As a smoother of multigrid: unchecked, for contiguous vectors.

    def before(self, x: Vector, b: Vector, zero: bool = False) -> None:
        """All sweeps; forward ones where they are not symmetric. `zero` says that x is zero, whatever it holds."""
        if zero:
            x[:] = 0
        for _ in range(self.sweeps):
            self.forward(x, b)
            if self.symmetric:
                self.backward(x, b)

    def after(self, x: Vector, b: Vector) -> None:
        """The adjoint of `before`: backward sweeps where they are not symmetric."""
        for _ in range(self.sweeps):
            if self.symmetric:
                self.forward(x, b)
            self.backward(x, b)

    def forward(self, x: Vector, b: Vector) -> None:
        """One sweep through colors, and rows of clusters, in ascending order."""
        self._relax(self._launches(), 1, x, b)

    def backward(self, x: Vector, b: Vector) -> None:
        """One sweep in the reverse order."""
        self._relax(reversed(list(self._launches())), -1, x, b)

    def _relax(self, launches: Iterator[tuple[int, int, int]], direction: int, x: Vector, b: Vector) -> None:
        matrix = PermutedRows(*map(read_only, self._matrix))  # which arrays out of a pickle are not
        arrays = read_only(self._order.begins), read_only(self._order.rows), matrix, read_only(b), x
        for start, end, workers in launches:
            relax(workers, Launch(start, end, direction), *arrays)

    @property
    def _offsets(self) -> Any:
        """Where rows begin among the entries, in the order of a sweep."""
        return self._matrix.indptr

    def _launches(self) -> Iterator[tuple[int, int, int]]:
        """Clusters (start, end) for each launch, and its workers: a color, or several where one worker does."""
        pending, together = 0, 0
        for start, end, work in self._colors:
            workers = worker_count("cpu", work)
            if pending < start and (workers > 1 or together + work > _MAX_AT_ONCE):
                yield pending, start, 1
                pending, together = start, 0
            together += work
            if workers > 1:
                yield start, end, workers
                pending, together = end, 0
        if pending < self.num_clusters:
            yield pending, self.num_clusters, 1

    @cached_property
    def _colors(self) -> list[tuple[int, int, int]]:
        """Clusters (start, end) of each color, and how much there is to do: rows and entries."""
        ends = self._order.begins[self._order.offsets]
        work = np.diff(ends) + np.diff(self._offsets[ends])
        return list(zip(self._order.offsets, self._order.offsets[1:], work.tolist(), strict=False))

    def _checked(self, x: Any, b: Any) -> Vector:
        """Return b as an array of the type of x; raise an error if x or b cannot be swept."""
        kind = self._dtype
        if not isinstance(x, np.ndarray) or x.dtype != kind:
            told = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
            raise TypeError(f"x must be a {kind} NumPy array, as it is changed in place; got {told}")
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[0]:
            raise ValueError(f"x must have shape ({self.shape[0]},) or ({self.shape[0]}, k), got {x.shape}")
        if not (x.flags.c_contiguous and x.flags.writeable):
            raise ValueError("x must be contiguous and writeable, as it is changed in place; pass a copy of it")
        if np.iscomplexobj(b) and kind.kind != "c":
            raise TypeError("b is complex, but sweeps are real: sweep its real and its imaginary part")
        given: Vector = np.ascontiguousarray(unmasked(b, "b"), kind)
        if given.shape != x.shape:
            raise ValueError(f"b must have the shape of x, {x.shape}, got {given.shape}")
        if np.may_share_memory(x, given):
            raise ValueError("x and b share memory, but x changes while b is read; pass a copy of one of them")
        return given


class SweepPreconditioner(LinearOperator):
    """Sweeps from x = 0."""

    def __init__(self, sweeps: GaussSeidel) -> None:
        super().__init__(sweeps._dtype, sweeps.shape)  # type: ignore[call-arg]
        self._sweeps = sweeps

    def _matmat(self, b: Any) -> Vector:
        return self._sweeps.sweep(np.zeros(b.shape, self._sweeps._dtype), b)

    _matvec = _matmat


@suggests_options
def gauss_seidel(
    A: GraphLike,
    *,
    clusters: Aggregation | ArrayLike | Sequence[int] | None = None,
    symmetric: bool = True,
    sweeps: int = 1,
) -> GaussSeidel:
    """Set up parallel Gauss-Seidel sweeps for a sparse matrix: by points, or by clusters of rows.

    Parameters
    ----------
    A : sparse matrix (n, n), dense array, or Graph with weights
        Real or complex, in any format, without a zero on the diagonal. Its pattern need not be symmetric. It is copied.
    clusters : None, str, or integer array (n,)
        Groups of rows. The rows of a cluster are swept one after another, the clusters of one color in parallel:

        - None: single rows (point multicolor Gauss-Seidel).
        - "mis2", "kokkos" or "mis2_basic": the aggregates of `aggregate` (cluster multicolor Gauss-Seidel). As a
          preconditioner it mostly needs fewer iterations.
        - an array: the cluster of each row, numbered from 0 without gaps. Any partition will do.
    symmetric : bool
        Whether a sweep is one forward and one backward, as a preconditioner for conjugate gradients must be.
    sweeps : int
        How many sweeps `GaussSeidel.sweep` and the preconditioner make.

    Returns
    -------
    GaussSeidel
        With `sweep`, `aspreconditioner` and `update`. Its `repr` shows the numbers of colors, clusters and bytes, and
        the seconds of the setup by phase.

    Raises
    ------
    ValueError
        If A is not square, an entry is NaN or infinite, or a diagonal entry is zero or missing: the message names the
        row. If clusters do not fit A, or `sweeps` is less than 1.
    TypeError
        If A lives on a GPU, or is no matrix; if clusters are not integers, or `symmetric` is no boolean.

    See Also
    --------
    aggregate : The clusters.
    smoothed_aggregation : Multigrid, which can have these sweeps as a smoother.

    Notes
    -----
    Deterministic: bit for bit the same on any number of threads. The result is that of one thread that sweeps the rows
    in the order of colors, then clusters (by their smallest rows), then rows. Memory: 12 bytes per entry, 16 to 28 per
    row.

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
    symmetric, sweeps = boolean(symmetric, "symmetric"), integer(sweeps, "sweeps", least=1)
    seconds: dict[str, float] = {}
    with timed(seconds, "checks"):
        A = checked_matrix(A)
    with timed(seconds, "graph"):
        graph = as_graph(A, symmetrize=True, weights=False)
    with timed(seconds, "clusters"):
        partition = _clusters(graph, clusters)
    with timed(seconds, "order"):
        order = point_order(graph) if partition is None else cluster_order(graph, *partition)
    with timed(seconds, "rows"):
        matrix = permuted_rows(A, order.rows)
    return GaussSeidel(order, matrix, symmetric, sweeps, seconds)


def _clusters(graph: Graph, clusters: Any) -> tuple[int, Any] | None:
    """How many clusters there are, and the cluster of each row; None for single rows."""
    if clusters is None:
        return None
    if isinstance(clusters, str):
        return aggregate(graph, algorithm=choice(clusters, "clusters", ALGORITHMS, otherwise=", None, or labels"))
    return checked_labels(clusters, graph.num_vertices)
