"""The public functions: effective resistances, spectral embeddings, and Fiedler vectors."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.dispatch import dispatches_on_graph
from .._core.runtime.thread_count import warn_user
from .._core.typing import ArrayLike, GraphLike
from .._core.validation import boolean, host_array, integer, listed, number, seed_hash
from .._core.vertex_names import number_of, python_objects, refuse_mapping
from ..conversion import undirected
from ..graph import Graph
from ..solvers.conjugate_gradients import ConvergenceWarning
from .embedding import eigenpairs
from .laplacian import Laplacian, laplacian_of
from .resistance import exact_resistances, projected_resistances, required_projections

__all__ = ["effective_resistance", "fiedler_vector", "spectral_embedding"]

Floats = npt.NDArray[np.float64]

_MAX_ERROR = 1e-6  # of a resistance, for a result without a warning


@dispatches_on_graph
def effective_resistance(
    graph: GraphLike, pairs: ArrayLike | Iterable[Any], *, error: float | None = None, tol: float = 1e-10, seed: int = 0
) -> Floats:
    """Compute the effective resistance between pairs of vertices: how far apart they are along all paths together.

    >>> import stablegraph as sg
    >>> sg.effective_resistance(sg.gallery.grid((4,)), [(0, 3)]).round(6)
    array([3.])

    Each edge is a resistor with the weight as its conductance. The resistance is the voltage at which a current of 1
    flows from one vertex to the other. It is small if many short paths connect them.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph on the CPU. Weights are conductances, at least 0; without weights all are 1. Loops do not
        matter, repeated entries are added, and an edge of weight 0 is no edge.
    pairs : int array (m, 2), or sequence of pairs
        The pairs of vertices, by number or by name.
    error : float, optional
        Compute approximate results by random projections if this needs fewer solutions of linear systems: with a
        probability of 99 %, all of them have a relative error of at most `error`. For many pairs.
    tol : float
        The maximum relative residual of the exact solutions.
    seed : int
        Seed of the random projections.

    Returns
    -------
    float64 (m,)
        0 for a vertex and itself, infinite for vertices in different components.

    Raises
    ------
    TypeError
        If the graph is on a GPU, weights are not real numbers, or pairs are not integers.
    ValueError
        If the graph is directed; if a weight is negative, NaN or infinite, or differs between both directions; if the
        weights of a vertex add up to infinity, or a resistance between connected vertices does; if `pairs` has another
        shape, or a vertex is out of range.

    Warns
    -----
    ConvergenceWarning
        If a system was not solved to `tol`, or rounding errors limit a resistance to a relative error above 1e-6.

    See Also
    --------
    solve : The solver, which chooses its method by the graph.

    Notes
    -----
    Deterministic: the same bits for any number of threads. Cost: one linear system per pair, or per vertex that occurs
    in `pairs`, whichever are fewer; with `error`, at most 2 ln(200 m) / (e**2 / 2 - e**3 / 3) systems, where e is 0.9
    `error`: 259 systems for 1,000 pairs and an error of 0.5. Work memory: about three times that of the Laplacian.

    If weights differ by more than a factor of 10^6, the effect of rounding is estimated. If it matters, graphs of at
    most 500 vertices are eliminated without subtractions, so that every edge keeps its relative accuracy, and larger
    ones are divided into weakly joined parts.

    References
    ----------
    D. Spielman, N. Srivastava, "Graph Sparsification by Effective Resistances", SIAM Journal on Computing 40(6), 2011.

    Examples
    --------
    Two resistors in series, and the third one parallel to both:

    >>> import stablegraph as sg
    >>> triangle = sg.from_edges([0, 1, 2], [1, 2, 0], symmetrize=True)
    >>> sg.effective_resistance(triangle, [(0, 1), (2, 2)]).round(6)
    array([0.666667, 0.      ])
    """
    tol = number(tol, "tol", above=0)
    allowed = None if error is None else number(error, "error", above=0, below=1)
    hashed = seed_hash(seed)
    graph = undirected(graph, weights=True)
    laplacian = laplacian_of(graph)
    u, v = _checked_pairs(_numbered(pairs, graph), laplacian.degrees.size)
    result = np.where(u == v, 0.0, np.inf)
    connected = np.flatnonzero((u != v) & (laplacian.labels[u] == laplacian.labels[v]))
    if not connected.size:
        return result
    ends = np.stack([np.minimum(u, v)[connected], np.maximum(u, v)[connected]], axis=1)
    distinct, places = np.unique(ends, axis=0, return_inverse=True)
    tails, heads = distinct[:, 0], distinct[:, 1]
    exact = min(len(distinct), np.unique(distinct).size)
    count = exact if allowed is None else required_projections(len(distinct), allowed)
    if allowed is None or count >= exact:
        values, errors = exact_resistances(laplacian, tails, heads, tol)
    else:
        values, errors = projected_resistances(laplacian, tails, heads, count, allowed, hashed, tol)
    worst = int(errors.argmax())
    pair = f"the resistance between {tails[worst]} and {heads[worst]}"
    if np.isnan(values[worst]):
        raise ValueError(f"rounding errors hide {pair}: {laplacian.advice()}")
    if errors[worst] > _MAX_ERROR:
        warn_user(
            f"rounding errors limit {pair} to a relative error of about {errors[worst]:.1g}: {laplacian.advice()}",
            ConvergenceWarning,
        )
    with np.errstate(over="ignore"):
        values = np.ldexp(values, -laplacian.exponent)
    worst = int(values.argmax())
    if np.isinf(values[worst]):
        raise ValueError(
            f"the resistance between {tails[worst]} and {heads[worst]} exceeds the largest float64: multiply all "
            "weights by the same number"
        )
    result[connected] = values[places.ravel()]
    return result


@dispatches_on_graph
def spectral_embedding(
    graph: GraphLike,
    k: int = 2,
    *,
    normalized: bool = True,
    tol: float = 1e-4,
    maxiter: int = 300,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Embed the vertices by the eigenvectors of the smallest eigenvalues of the Laplacian.

    >>> import stablegraph as sg
    >>> values, vectors = sg.spectral_embedding(sg.gallery.grid((30, 20)))
    >>> vectors.shape
    (600, 2)

    Vertices that are connected by many edges or by heavy edges get similar coordinates. The embedding is used for
    clustering, for drawing, and as features.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph on the CPU, with any number of components. Weights must be at least 0; without weights all
        are 1. Loops do not matter, repeated entries are added, and an edge of weight 0 is no edge.
    k : int
        The number of coordinates, less than the number of vertices.
    normalized : bool
        Solve L x = lambda D x, where D has the sums of the weights of each vertex, instead of L x = lambda x. These
        are the coordinates of scikit-learn's ``SpectralEmbedding``, except for scale and sign.
    tol : float
        The maximum norm of a residual relative to its eigenvalue. The relative error of an eigenvalue is about the
        square of this number, divided by the relative gap to the next one.
    maxiter : int
        The maximum number of iterations.
    seed : int
        Seed of the start vectors. Has an effect on rounding errors only, unless an eigenvalue is repeated.

    Returns
    -------
    values : float64 (k,)
        The eigenvalues in ascending order, without the 0 of the constant vector.
    vectors : float64 (n, k)
        Their eigenvectors x, with x . D x = 1 (or x . x = 1), in columns.

    Warns
    -----
    ConvergenceWarning
        If `maxiter` was too small, or rounding errors are too large because parts of the graph are joined weakly.

    Raises
    ------
    TypeError
        If the graph is on a GPU, or weights are not real numbers.
    ValueError
        If the graph is directed; if a weight is negative, NaN or infinite, or differs between both directions; if the
        weights of a vertex add up to infinity, or an eigenvalue is infinite; if `k` is not less than the number of
        vertices.

    See Also
    --------
    fiedler_vector : The first coordinate without normalization.

    Notes
    -----
    Deterministic: the same bits for any number of threads. The sign of a vector makes its largest entry positive. With
    c components, the first c - 1 eigenvalues are 0; their vectors are constant on each component, and compare one
    component with those of smaller numbers. A vertex without edges is a component with D = 1.

    Eigenvalues below 1e-7 of the largest are checked without cancellation. If rounding matters, graphs of at most 500
    vertices are solved by an elimination and rotations with a small relative error for any weights, and larger ones are
    divided into weakly joined parts. Coordinates that differ by less than rounding errors then become equal.

    Cost: 10 to 40 iterations on meshes, each with one multigrid cycle and one product per coordinate. Work memory:
    about 16 (k + 2) vectors, and the hierarchy.

    References
    ----------
    A. Knyazev, "Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate Gradient
    Method", SIAM Journal on Scientific Computing 23(2), 2001. M. Belkin, P. Niyogi, "Laplacian Eigenmaps for
    Dimensionality Reduction and Data Representation", Neural Computation 15(6), 2003.

    Examples
    --------
    >>> import stablegraph as sg
    >>> values, vectors = sg.spectral_embedding(sg.gallery.grid((30, 20)))
    >>> vectors.shape, bool(values[0] < values[1])
    ((600, 2), True)
    """
    k = integer(k, "k", minimum=1)
    return _embedding(laplacian_of(graph), k, boolean(normalized, "normalized"), tol, maxiter, seed)


@dispatches_on_graph
def fiedler_vector(
    graph: GraphLike, *, normalized: bool = False, tol: float = 1e-4, maxiter: int = 300, seed: int = 0
) -> tuple[float, Floats]:
    """Find the second smallest eigenvalue of the Laplacian, the algebraic connectivity, and its eigenvector.

    >>> import stablegraph as sg
    >>> value, vector = sg.fiedler_vector(sg.gallery.grid((5,)))
    >>> round(value, 6), vector.round(3)
    (0.381966, array([ 0.602,  0.372,  0.   , -0.372, -0.602]))

    The signs of the entries split a connected graph into two connected parts with few edges between them.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `spectral_embedding`, with at least two vertices.
    normalized : bool
        Solve L x = lambda D x instead of L x = lambda x.
    tol, maxiter, seed
        As for `spectral_embedding`.

    Returns
    -------
    value : float
        The eigenvalue; 0 if the graph is not connected.
    vector : float64 (n,)
        Of length 1 (with `normalized`: x . D x = 1); its largest entry is positive. If the graph is not connected, it
        compares the first two components.

    Warns
    -----
    ConvergenceWarning
        As for `spectral_embedding`.

    Raises
    ------
    TypeError, ValueError
        As for `spectral_embedding`.

    See Also
    --------
    spectral_embedding : Several coordinates, and notes on the method.

    Notes
    -----
    Deterministic: the same bits for any number of threads. Cost and work memory: as for `spectral_embedding`.

    References
    ----------
    M. Fiedler, "A Property of Eigenvectors of Nonnegative Symmetric Matrices and its Application to Graph Theory",
    Czechoslovak Mathematical Journal 25(4), 1975.
    """
    values, vectors = _embedding(laplacian_of(graph), 1, boolean(normalized, "normalized"), tol, maxiter, seed)
    return float(values[0]), np.ascontiguousarray(vectors[:, 0])


def _embedding(
    laplacian: Laplacian, k: int, normalized: bool, tol: float, maxiter: int, seed: int
) -> tuple[Floats, Floats]:
    tol, maxiter = number(tol, "tol", above=0, below=1), integer(maxiter, "maxiter", minimum=1)
    hashed, n = seed_hash(seed), laplacian.degrees.size
    if k >= n:
        raise ValueError(f"{k} coordinates need a graph with more than {k} vertices, got {n}")
    result = eigenpairs(laplacian, k, normalized=normalized, tol=tol, maxiter=maxiter, seed=hashed)
    if not (result.residuals <= 1).all():
        worst = int(result.residuals.argmax())
        residual = f"the residual of eigenvalue {worst} is {result.residuals[worst] * tol:.3g} times the eigenvalue"
        if result.iterations == maxiter:
            text = f"maxiter={maxiter} iterations were not enough: {residual}, and not {tol:.3g}"
        else:
            text = f"rounding errors are too large: {residual}, and not {tol:.3g}: {laplacian.advice()}"
        warn_user(text, ConvergenceWarning)
    if not np.isfinite(result.values).all():
        raise ValueError("an eigenvalue exceeds the largest float64: divide all weights by the same number")
    return result.values, result.vectors


def _numbered(pairs: Any, graph: Graph) -> Any:
    """Return pairs with the number of each vertex that is given by its name; other values are unchanged."""
    refuse_mapping(pairs, "pairs")
    rows = python_objects(listed(pairs, "pairs"))
    are_numbers = getattr(getattr(pairs, "dtype", None), "kind", "O") in "iuf"
    if graph.nodes is None or are_numbers or not isinstance(rows, list):
        return pairs
    numbers = graph._numbers_by_name()
    pairs = [[pair] if isinstance(pair, (str, bytes, Number)) else pair for pair in rows]
    return [[x if isinstance(x, Number) else number_of(x, numbers) for x in pair] for pair in pairs]


def _checked_pairs(pairs: Any, n: int) -> tuple[Any, Any]:
    """Return the vertices of each pair; raise an error for other shapes and vertices out of range."""
    array = host_array(pairs, "pairs")
    if array.size == 0:
        array = array.reshape(-1, 2).astype(np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"pairs must have shape (m, 2), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"pairs must be integers, got dtype {array.dtype}")
    outside = np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))
    if outside.size:
        u, v = array[outside[0]]
        raise ValueError(f"pair {outside[0]}, ({u}, {v}), is out of range: the graph has {n} vertices")
    array = array.astype(np.int64, copy=False)
    return array[:, 0], array[:, 1]
