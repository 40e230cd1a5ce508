"""Some functions of `scipy.sparse.csgraph` with the same names and signatures.

Change the import, and nothing else:

>>> from stablegraph.csgraph import connected_components
>>> connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
(2, array([0, 0, 1], dtype=int32))

They take what SciPy's take: sparse matrices and arrays of any format, and dense ones, where zero, infinity, NaN and
what is masked mean that there is no edge. They differ where SciPy goes wrong: a stored zero of a sparse matrix is an
edge, weights keep their dtype (SciPy rounds large 64-bit integers to float64), and a vertex out of range is refused.
Where several answers are right, it is always the same one that is given; the docstrings tell which, and whether it is
SciPy's.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import csgraph_from_dense

from ._arguments import choice
from .components import connected_components as weak_components
from .components.strong import strongly_connected_components
from .conversion import as_graph
from .forest import minimum_spanning_forest
from .graph import Graph
from .independent_set.near_maximum.matching import maximum_matching
from .traversal.queue_order import cuthill_mckee, queue_order
from .unknown_options import suggests_options

__all__ = [
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "maximum_bipartite_matching",
    "minimum_spanning_tree",
    "reverse_cuthill_mckee",
    "structural_rank",
]

_NO_PREDECESSOR = -9999


@suggests_options
def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the weak or strong components, as `scipy.sparse.csgraph.connected_components` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    directed : bool
        If not, `connection` does not matter: an entry joins its two ends.
    connection : {"weak", "strong"}
        Whether the directions of arcs are ignored, or the vertices of a component can all reach one another.
    return_labels : bool
        Whether the labels are returned, too.

    Returns
    -------
    n_components : int
    labels : int32 (n,)
        Components are numbered by their smallest vertices; SciPy's strong ones are not.

    Raises
    ------
    ValueError
        If `connection` is neither of the two, or the matrix is no graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.connected_components([[0, 1, 0], [0, 0, 1], [0, 1, 0]], connection="strong")
    (2, array([0, 1, 1], dtype=int32))
    """
    connection = choice(
        connection.lower() if isinstance(connection, str) else connection, "connection", ("weak", "strong")
    )
    strong = directed and connection == "strong"
    answer = (strongly_connected_components if strong else weak_components)(_directed(csgraph))
    return answer if return_labels else answer[0]


@suggests_options
def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Find the minimum spanning tree, or forest, as `scipy.sparse.csgraph.minimum_spanning_tree` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entries (i, j) and (j, i) are one edge; the smaller one counts.
    overwrite : bool
        Accepted for SciPy's sake. Nothing is overwritten.

    Returns
    -------
    csr_array or csr_matrix (n, n)
        A matrix if `csgraph` is a sparse one, else an array. Each edge once, from its smaller to its larger end; equal
        weights are ordered by these ends. SciPy keeps the side on which it found the edge.

    Raises
    ------
    ValueError
        If a weight is NaN, or the matrix is no graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.minimum_spanning_tree([[0, 3, 1], [0, 0, 2], [0, 0, 0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    graph = _directed(csgraph, weights=True)
    with contextlib.suppress(ValueError):  # both directions have the same weights, or one will be chosen below
        if graph.facts.get("symmetric"):
            return _as_given(minimum_spanning_forest(as_graph(graph)), csgraph)
    return _as_given(minimum_spanning_forest(graph, symmetrize="min"), csgraph)


@suggests_options
def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """Search breadth first, as `scipy.sparse.csgraph.breadth_first_order` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    i_start : int
        The vertex to begin with.
    directed : bool
        If not, arcs can be followed in both directions.
    return_predecessors : bool
        Whether the predecessors are returned, too.

    Returns
    -------
    node_array : int32 array
        The vertices that can be reached, in the order in which a queue takes them up, as SciPy's. Rows are followed as
        they are stored; SciPy sorts them before, but only if weights are not float64.
    predecessors : int32 (n,)
        The vertex that was the first to find each one; -9999 at the start and at unreachable vertices. As SciPy's, too.

    Raises
    ------
    ValueError
        If `i_start` is not one of the vertices, or the matrix is no graph.

    See Also
    --------
    stablegraph.breadth_first_search : Distances and smallest parents, on all threads.

    Notes
    -----
    O(n + m), on one thread; if not `directed`, the transposed matrix is made first, unless the pattern is symmetric.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.breadth_first_order([[0, 0, 1], [0, 0, 0], [0, 1, 0]], 0)
    (array([0, 2, 1], dtype=int32), array([-9999,     2,     0], dtype=int32))
    """
    nodes, predecessors = _search(_searchable(csgraph, directed), i_start, directed)
    return (nodes, predecessors) if return_predecessors else nodes


@suggests_options
def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Find the tree of a search breadth first, as `scipy.sparse.csgraph.breadth_first_tree` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    i_start : int
        The vertex to begin with.
    directed : bool
        If not, arcs can be followed in both directions.

    Returns
    -------
    csr_array or csr_matrix (n, n)
        A matrix if `csgraph` is a sparse one, else an array. Entry (i, j) if i is the predecessor of j in
        `breadth_first_order`, with the weight that it has in `csgraph`, where repeated entries are added up; if not
        `directed`, with the smaller one of (i, j) and (j, i). It is SciPy's tree, but that SciPy does not count stored
        zeros if not `directed`, and has infinity where both are.

    Raises
    ------
    ValueError
        As for `breadth_first_order`.

    Notes
    -----
    The cost is that of `breadth_first_order`, and as much again to find the weights.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.breadth_first_tree([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]], 0).toarray()
    array([[0., 8., 0., 3.],
           [0., 0., 2., 0.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    graph = _searchable(csgraph, directed, weights=True)
    predecessors = _search(graph, i_start, directed)[1]
    children = np.flatnonzero(predecessors >= 0).astype(predecessors.dtype)
    ends = predecessors[children], children
    matrix = graph.to_scipy()
    weights = _values_at(matrix, *ends)
    if not directed:
        pattern = sp.csr_array((np.ones(matrix.nnz, bool), matrix.indices, matrix.indptr), shape=matrix.shape)
        opposite, stored, opposite_stored = (
            _values_at(a, u, v) for a, u, v in ((matrix, *ends[::-1]), (pattern, *ends), (pattern, *ends[::-1]))
        )
        smaller = np.where(opposite < weights, opposite, weights)
        weights = np.where(stored & opposite_stored, smaller, np.where(stored, weights, opposite))
    return _as_given(sp.csr_array((weights, ends), shape=matrix.shape), csgraph)


@suggests_options
def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """Number vertices such that the matrix has a small band, as `scipy.sparse.csgraph.reverse_cuthill_mckee` does.

    Parameters
    ----------
    graph : sparse or dense matrix, or Graph
        Entry (i, j) joins i and j; its value does not matter.
    symmetric_mode : bool
        Whether (j, i) is stored wherever (i, j) is. This is not checked; what is stored then is what is followed.

    Returns
    -------
    perm : int32 (n,)
        Vertex ``perm[i]`` becomes the i-th: ``graph[perm][:, perm]`` has the small band. A component is begun at its
        smallest vertex of least degree. SciPy's permutation, but that with which of several vertices of least degree
        SciPy begins is left to a sort that is not stable, that it loses entries (i, j) and (j, i) whose sum is zero,
        and that its permutation has the dtype of the indices.

    Raises
    ------
    ValueError
        If the matrix is no graph.

    Notes
    -----
    A search breadth first on one thread, in which the vertices that one has found are sorted by degree:
    O(m + n log n). SciPy's takes the square of the largest degree.

    References
    ----------
    E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", ACM '69.

    Examples
    --------
    >>> import scipy.sparse
    >>> from stablegraph import csgraph
    >>> path = scipy.sparse.csr_array([[0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]])
    >>> csgraph.reverse_cuthill_mckee(path)
    array([3, 1, 2, 0], dtype=int32)
    """
    rows = _directed(graph)
    return cuthill_mckee(rows if symmetric_mode else as_graph(rows, symmetrize=True))[::-1]


@suggests_options
def maximum_bipartite_matching(graph: Any, perm_type: str = "row") -> Any:
    """Match as many rows with columns as possible, as `scipy.sparse.csgraph.maximum_bipartite_matching` does.

    Parameters
    ----------
    graph : sparse matrix (rows, columns), or Graph
        Row i may be matched with column j where entry (i, j) is stored, also if it is zero.
    perm_type : {"row", "column"}
        What is told: the row of each column, or the column of each row.

    Returns
    -------
    perm : int32 (columns,) or (rows,)
        -1 for what is not matched. No matching has more pairs; of several that have as many SciPy may find another.

    Raises
    ------
    TypeError
        If the matrix is not sparse.
    ValueError
        If `perm_type` is neither of the two (SciPy takes it for "row"), or the matrix is broken.

    Notes
    -----
    A greedy matching, and then the algorithm of Hopcroft and Karp on one thread: O(m sqrt(n)), usually a few times m.
    Work memory: five numbers a row or column, whichever there are more of.

    References
    ----------
    J. E. Hopcroft, R. M. Karp, "An n^(5/2) Algorithm for Maximum Matchings in Bipartite Graphs", SIAM Journal on
    Computing 2(4), 1973.

    Examples
    --------
    >>> import scipy.sparse
    >>> from stablegraph import csgraph
    >>> jobs = scipy.sparse.csr_array([[0, 0, 1], [1, 1, 0]])
    >>> csgraph.maximum_bipartite_matching(jobs, perm_type="column")
    array([2, 0], dtype=int32)
    >>> csgraph.maximum_bipartite_matching(jobs)
    array([ 1, -1,  0], dtype=int32)
    """
    told = choice(perm_type, "perm_type", ("row", "column"))
    of_row, of_column = _matching(graph)
    return of_row if told == "column" else of_column


def structural_rank(graph: Any) -> int:
    """Count the rows that can be matched with columns, as `scipy.sparse.csgraph.structural_rank` does.

    Parameters
    ----------
    graph : sparse matrix (rows, columns), or Graph
        Its pattern alone matters; a stored zero belongs to it.

    Returns
    -------
    int
        The size of a maximum matching: no matrix with this pattern has a larger rank.

    Raises
    ------
    TypeError
        If the matrix is not sparse.
    ValueError
        If it is broken.

    Notes
    -----
    The cost is that of `maximum_bipartite_matching`, for the transposed matrix if there are more rows than columns.

    Examples
    --------
    >>> import scipy.sparse
    >>> from stablegraph import csgraph
    >>> csgraph.structural_rank(scipy.sparse.csr_array([[1, 1, 0], [1, 1, 0], [0, 1, 0]]))
    2
    """
    matrix = _of_scipy(graph)
    tall = _is_sparse(matrix) and matrix.shape[0] > matrix.shape[1]
    return int(np.count_nonzero(_matching(matrix.T if tall else matrix)[0] >= 0))


def _directed(csgraph: Any, *, weights: bool = False) -> Graph:
    """A matrix of SciPy's kinds as a directed graph in host memory."""
    csgraph = _of_scipy(csgraph)
    if isinstance(csgraph, np.ma.MaskedArray):
        csgraph = np.ma.filled(csgraph.astype(np.float64), np.nan)
    if not isinstance(csgraph, Graph) and not sp.issparse(csgraph):
        csgraph = csgraph_from_dense(csgraph)
    return as_graph(csgraph, directed=True, weights=weights).to("cpu")


def _searchable(csgraph: Any, directed: bool, *, weights: bool = False) -> Graph:
    """The same, but SciPy searches columns before rows where these are at hand and both will be searched."""
    columns_first = not directed and _is_sparse(csgraph) and csgraph.format == "csc"
    return _directed(csgraph.T if columns_first else csgraph, weights=weights)


def _search(graph: Graph, i_start: int, directed: bool) -> tuple[Any, Any]:
    """What `breadth_first_order` returns."""
    if not 0 <= int(i_start) < graph.num_vertices:
        raise ValueError(f"i_start is {i_start}, but there are {graph.num_vertices} vertices, numbered from 0")
    one_way = directed or graph.facts.get("symmetric")
    nodes, parent = queue_order(graph, int(i_start), None if one_way else graph.transpose())
    parent[i_start] = -1
    return nodes, np.where(parent < 0, _NO_PREDECESSOR, parent)


def _values_at(matrix: Any, rows: Any, columns: Any) -> Any:
    """The entries of a sparse array at so many places; 0 where none is stored."""
    values = matrix[rows, columns]
    return values.toarray().ravel() if _is_sparse(values) else np.asarray(values).ravel()


def _matching(graph: Any) -> tuple[Any, Any]:
    """A maximum matching: (the column of each row, the row of each column), or -1."""
    if isinstance(graph, Graph):
        rows, num_columns = graph.to("cpu"), graph.num_vertices
        num_rows = num_columns
    else:
        matrix = _of_scipy(graph)
        if not _is_sparse(matrix):
            raise TypeError(f"graph must be a sparse matrix, got {type(graph).__name__}")
        matrix = matrix.tocsr()
        num_rows, num_columns = matrix.shape
        if matrix.nnz and (largest := int(matrix.indices.max())) >= num_columns:
            raise ValueError(f"column {largest} is stored, but there are {num_columns} columns, numbered from 0")
        indptr = np.pad(matrix.indptr, (0, max(0, num_columns - num_rows)), mode="edge")  # empty rows: a square matrix
        rows = as_graph((indptr, matrix.indices), directed=True)
    n = rows.num_vertices
    of_row, of_column, _ = maximum_matching(rows.indptr, rows.indices, np.arange(n, dtype=rows.indices.dtype))
    return of_row[:num_rows], of_column[:num_columns]


def _is_sparse(csgraph: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy, whose attributes `issparse` hides from type checkers."""
    return bool(sp.issparse(csgraph))


def _of_scipy(csgraph: Any) -> Any:
    """What is of the package `sparse` as a matrix of SciPy; anything else as it is."""
    if hasattr(csgraph, "to_scipy_sparse"):
        return csgraph.to_scipy_sparse(accept_fv=[0, np.inf, np.nan])
    return csgraph


def _as_given(matrix: Any, csgraph: Any) -> Any:
    """A sparse array in the form of what was handed in: a matrix for a sparse matrix, or of the package `sparse`."""
    if hasattr(csgraph, "from_scipy_sparse"):
        return type(csgraph).from_scipy_sparse(matrix, fill_value=csgraph.fill_value)
    return sp.csr_matrix(matrix) if sp.isspmatrix(csgraph) else matrix
