"""Smoothed-aggregation multigrid: the public function, and the table of smoothers with their options."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

from .._core.option_names import Aggregation, Smoother
from .._core.texts import short_repr
from .._core.typing import ArrayLike, GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import Algorithm, choice, integer, number
from ..coarsening.api import ALGORITHMS as AGGREGATIONS
from .checked_matrix import asymmetry, checked_matrix, given_matrix
from .coarsest import LARGEST_INVERSE
from .conjugate_gradients import ConvergenceWarning
from .cycle import MakeSmoother
from .hierarchy import build_levels
from .inputs import block_size_of, near_nullspace, nullspace_columns
from .multigrid import Multigrid
from .polynomial import chebyshev, jacobi
from .sweeps import gauss_seidel

__all__ = ["ConvergenceWarning", "Multigrid", "smoothed_aggregation"]


SMOOTHERS: dict[Smoother, Algorithm] = {
    "chebyshev": Algorithm(chebyshev, ("degree", "lower", "upper")),
    "jacobi": Algorithm(jacobi, ("sweeps", "damping")),
    "gauss_seidel": Algorithm(partial(gauss_seidel, False), ("sweeps",)),
    "cluster_gauss_seidel": Algorithm(partial(gauss_seidel, True), ("sweeps",)),
}


@suggests_options
def smoothed_aggregation(
    A: GraphLike,
    B: ArrayLike | None = None,
    *,
    strength: float | None = None,
    aggregate: Aggregation = "mis2",
    smoother: Smoother | tuple[Smoother, dict[str, Any]] = "chebyshev",
    block_size: int | None = None,
    damping: float = 1.4,
    coarse_size: int = 500,
    max_levels: int = 20,
    nullspace: ArrayLike | None = None,
) -> Multigrid:
    """Set up smoothed-aggregation multigrid for a sparse linear system.

    >>> import numpy as np, stablegraph as sg
    >>> round(sg.smoothed_aggregation(sg.gallery.laplacian((50, 50))).solve(np.ones(2500)).max())
    191

    Group the vertices of the matrix's graph into aggregates, which are grown from a distance-2 independent set. The
    aggregates are the unknowns of the next level. Repeat this until few unknowns remain. For symmetric or Hermitian
    positive definite matrices of elliptic equations, the number of iterations hardly grows with the number of unknowns.

    Parameters
    ----------
    A : sparse array or matrix (n, n), dense array, or Graph with weights
        Real, or complex and Hermitian; any format. A CSR matrix of float64 or complex128 values with sorted indices is
        not copied: do not change it while the hierarchy is in use. With several unknowns per node, this applies to a
        BSR matrix with blocks of this size; any other matrix is copied into blocks if at least half of the values in
        the blocks would be entries. A real sparse CuPy matrix selects multigrid on its GPU, where blocks are always
        made.
    B : float array (n,) or (n, k), optional
        The near-nullspace: vectors that A maps to nearly zero, which coarser levels must represent. By default one
        constant vector for each unknown of a node. For elasticity, pass the rigid-body modes, translations first.
    strength : float, optional
        Aggregate only along entries with ``|a_ij| >= strength * sqrt(|a_ii a_jj|)``; for blocks, Frobenius norms are
        compared. The threshold is halved on each coarser level, where entries are smaller relative to the diagonal. By
        default all entries are used.
    aggregate : {"mis2", "kokkos", "mis2_basic"}
        The algorithm, see `aggregate`. "mis2_basic" gives fewer and larger aggregates.
    smoother : str or (str, dict)
        A name, or a name and options:

        - "chebyshev": ``degree`` 2, on the interval [``lower`` rho, ``upper`` rho] with 1/6 and 1.1;
        - "jacobi": ``sweeps`` 1, ``damping`` 4 / (3 rho);
        - "gauss_seidel", "cluster_gauss_seidel": ``sweeps`` 1, forward before the coarser levels and backward after
          them, see `gauss_seidel`. Aggregates are the clusters.

        Here rho is the largest eigenvalue of D^-1 A on a level, and D its diagonal.
    block_size : int, optional
        The number of unknowns per node, which are in consecutive rows and are aggregated together. By default the block
        size of a BSR matrix, or the number of translations in the first columns of `B`, or else 1.
    damping : float
        The factor in the smoothed prolongator P = (I - damping / rho D^-1 A) T, where T is the piecewise form of `B`.
        The usual 4/3 is for an exact rho. The estimate of rho is a little too small; with it, 1.4 saves up to one
        iteration in ten.
    coarse_size : int
        The maximum number of rows of the last level, which is solved directly: by dense elimination up to 2000 rows, by
        a sparse factorization (SciPy's SuperLU) on one thread for more rows.
    max_levels : int
        The maximum number of levels.
    nullspace : float array (n,) or (n, k), optional
        Vectors that span the null space of a singular matrix, as a constant does for a Neumann problem. Right-hand
        sides and solutions are projected onto its orthogonal complement, see `solve`.

    Returns
    -------
    Multigrid
        With `solve`, `aspreconditioner` and `update`.

    Raises
    ------
    TypeError
        If `A` is not a matrix, or is complex and on a GPU; if `B` or `nullspace` is complex, but the matrix is not.
    ValueError
        If it is not square, has an entry that is NaN or infinite, has no partner for an entry and more than
        `coarse_size` rows (its pattern must be symmetric), or has a zero on the diagonal; the message names the first
        row. Also for unknown names and options, and vectors that do not fit.
    MemoryError
        If a coarser level needs more memory than is available, before it is filled; the message says how many entries
        it has.

    Notes
    -----
    Deterministic: hierarchies and solutions are bit for bit the same for any number of threads and from run to run. On
    a GPU, values equal those on a CPU up to rounding, and are the same from run to run. Aggregates and patterns are the
    same as on a CPU (with `strength`, except for ties between values that are equal up to rounding). Cycles on a GPU
    run in single precision, inside conjugate gradients in double precision, so `tol` has the same meaning as on a CPU.

    The matrix is checked first, which takes about 8 edge sweeps for 7 entries per row. All steps of the setup are
    parallel, except on the smallest levels. Memory: the coarser matrices and the prolongators, about 1.5 times the
    memory of A for 7 entries per row, and a dozen vectors. Levels with several unknowns per node are BSR matrices.

    Hubs are rows that are so long that they would make coarser levels dense. They are aggregated but not smoothed, so
    the next level takes at most twice the products that it would take if all rows had the same length. Grids, finite
    elements and uniformly random graphs have no hubs.

    References
    ----------
    P. Vanek, J. Mandel, M. Brezina, "Algebraic Multigrid by Smoothed Aggregation for Second and Fourth Order Elliptic
    Problems", Computing 56, 1996. B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal
    Independent Set and Graph Coarsening", IPDPS 2022.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> A = sg.gallery.laplacian((50, 50))
    >>> solver = sg.smoothed_aggregation(A)
    >>> x = solver.solve(np.ones(2500))
    >>> bool(np.allclose(A @ x, 1))
    True

    A floating body, or another problem with a null space:

    >>> A, modes = sg.gallery.elasticity_3d((5, 5, 5), clamped=False)
    >>> load = A @ np.sin(np.arange(375.0))
    >>> x = sg.smoothed_aggregation(A, modes, nullspace=modes).solve(load)
    >>> bool(abs(modes.T @ x).max() < 1e-6)
    True
    """
    maker = smoother_maker(smoother)
    choice(aggregate, "aggregate", AGGREGATIONS)
    if strength is not None:
        strength = number(strength, "strength", minimum=0, below=1)
    coarse_size = integer(coarse_size, "coarse_size", minimum=1)
    max_levels = integer(max_levels, "max_levels", minimum=1)
    damping = number(damping, "damping", minimum=0, below=2)
    user_matrix = given_matrix(A)
    n = user_matrix.shape[0]
    block_size = block_size_of(user_matrix, B, n, block_size)
    matrix, diagonal, facts = checked_matrix(user_matrix, block_size)
    xp = getattr(matrix, "xp", np)
    if xp is not np and coarse_size > LARGEST_INVERSE:
        raise ValueError(f"coarse_size is {coarse_size:,}, but a GPU solves at most {LARGEST_INVERSE:,} rows directly")
    missing, unsymmetric = asymmetry(matrix, diagonal[0], facts)
    if missing is not None and n > coarse_size:
        raise ValueError(f"{missing}: aggregates need a symmetric pattern; use stablegraph.solve(A, b), or store zeros")
    options: dict[str, Any] = {"block_size": block_size, "coarse_size": coarse_size, "max_levels": max_levels}
    options |= {"strength": strength, "aggregate": aggregate, "damping": damping}
    return hierarchy_of(matrix, B, nullspace, maker, diagonal=diagonal, unsymmetric=unsymmetric, **options)


def hierarchy_of(
    matrix: Any,
    B: ArrayLike | None,
    nullspace: ArrayLike | None,
    maker: MakeSmoother,
    *,
    block_size: int = 1,
    coarse_size: int = 500,
    unsymmetric: str | None = None,
    **options: Any,
) -> Multigrid:
    """Set up multigrid for a checked matrix; `unsymmetric` is that of `Multigrid`, the options of `build_levels`."""
    n, xp, kind = matrix.shape[0], getattr(matrix, "xp", np), matrix.data.dtype
    columns = near_nullspace(B, n, block_size, xp, kind)
    null_columns = None if nullspace is None else nullspace_columns(nullspace, n, xp, kind)
    levels = build_levels(matrix, columns, block_size=block_size, coarse_size=coarse_size, **options)
    return Multigrid(levels, maker, null_columns, unsymmetric, block_size, coarse_size)


def smoother_maker(request: Any) -> MakeSmoother:
    """Return the function that makes the requested smoother of a level.

    Raise ValueError for an unknown name or option.
    """
    name, options = (request, {}) if isinstance(request, str) else _name_and_options(request)
    smoother = SMOOTHERS[choice(name, "smoother", SMOOTHERS)]
    smoother.reject_unsupported_options(f"smoother {name!r}", options)
    return cast(MakeSmoother, smoother.run(**options))


def _name_and_options(request: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(request, (tuple, list)) and len(request) == 2 and isinstance(request[1], dict):
        return request[0], request[1]
    known = "a name or a pair (name, options), as ('jacobi', {'sweeps': 2})"
    raise ValueError(f"a smoother is {known}; got {short_repr(request)}")
