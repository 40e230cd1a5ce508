"""Some functions of `scipy.sparse.csgraph` with the same names and signatures.

Change only the import:

>>> from stablegraph.csgraph import connected_components
>>> connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
(2, array([0, 0, 1], dtype=int32))

The functions accept the same arguments as SciPy's: sparse matrices and arrays of any format, and dense ones, in which
zero, infinity and NaN mean that there is no edge (in a masked array only masked elements and NaN). They differ from
SciPy in three points: a zero that is stored or not masked is an edge, weights keep their dtype (SciPy rounds large
64-bit integers to float64), and a vertex out of range is an error. Docstrings define which correct result is returned.

Sparse matrices and arrays of CuPy are accepted, too. `connected_components` and `minimum_spanning_tree` then run on the
GPU and return arrays and matrices of CuPy; the other functions copy the matrix to the host and return NumPy arrays.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._core.converters import of_dense, smaller_values_at, to_scipy_matrix, values_at, with_type_of
from ._core.csr.merge import merged_rows
from ._core.texts import short_repr
from ._core.unknown_options import suggests_options
from ._core.validation import choice, host_array, is_sparse, number
from ._core.vertex_values import checked_weights
from .components.api import connected_components as weak_components
from .components.api import strongly_connected_components
from .conversion import as_graph
from .forest.api import minimum_spanning_forest
from .graph import Graph
from .independent_set.large.flow import maximum_matching
from .traversal.api import lengths_and_parents
from .traversal.queue_order import cuthill_mckee, queue_order

__all__ = [
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "dijkstra",
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

    >>> import stablegraph as sg
    >>> sg.csgraph.connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    (2, array([0, 0, 1], dtype=int32))

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    directed : bool
        If False, `connection` does not matter: an entry joins its two ends.
    connection : {"weak", "strong"}
        "weak" ignores the directions of arcs; in a "strong" component all vertices can reach one another.
    return_labels : bool
        Whether to return the labels, too.

    Returns
    -------
    n_components : int
    labels : int32 (n,)
        Components are numbered in the order of their smallest vertices; SciPy numbers strong components differently. A
        CuPy array for a sparse matrix of CuPy.

    Raises
    ------
    ValueError
        If `connection` is neither of the two, or the matrix is not a graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.connected_components([[0, 1, 0], [0, 0, 1], [0, 1, 0]], connection="strong")
    (2, array([0, 1, 1], dtype=int32))
    """
    kind = connection.lower() if isinstance(connection, str) else connection  # type: ignore[redundant-expr]
    strong = choice(kind, "connection", ("weak", "strong")) == "strong" and directed
    answer = (strongly_connected_components if strong else weak_components)(_on_its_device(csgraph))
    return answer if return_labels else answer[0]


@suggests_options
def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Find the minimum spanning tree, or forest, as `scipy.sparse.csgraph.minimum_spanning_tree` does.

    >>> import stablegraph as sg
    >>> sg.csgraph.minimum_spanning_tree([[0, 3, 1], [0, 0, 2], [0, 0, 0]]).toarray().tolist()
    [[0, 0, 1], [0, 0, 2], [0, 0, 0]]

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entries (i, j) and (j, i) are one edge; its weight is the smaller one.
    overwrite : bool
        Accepted for compatibility with SciPy, and ignored. The input is never changed.

    Returns
    -------
    csr_array or csr_matrix (n, n)
        A matrix if `csgraph` is a sparse matrix, otherwise an array. It contains each edge once, from its smaller to
        its larger end, and ties between equal weights are broken by these ends. SciPy stores the entry of the side on
        which it found the edge. For a sparse matrix of CuPy, CuPy's `csr_matrix`.

    Raises
    ------
    ValueError
        If a weight is NaN, or the matrix is not a graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.minimum_spanning_tree([[0, 3, 1], [0, 0, 2], [0, 0, 0]]).toarray()
    array([[0, 0, 1],
           [0, 0, 2],
           [0, 0, 0]])
    """
    graph = _on_its_device(csgraph, weights=True)
    with contextlib.suppress(ValueError):  # raised if the weights of the two directions differ
        if graph.facts.get("symmetric"):
            return with_type_of(minimum_spanning_forest(as_graph(graph)), csgraph)
    return with_type_of(minimum_spanning_forest(graph, symmetrize="min"), csgraph)


@suggests_options
def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """Compute a breadth-first order, as `scipy.sparse.csgraph.breadth_first_order` does.

    >>> import stablegraph as sg
    >>> sg.csgraph.breadth_first_order([[0, 0, 1], [0, 0, 0], [0, 1, 0]], 0)
    (array([0, 2, 1], dtype=int32), array([-9999,     2,     0], dtype=int32))

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    i_start : int
        The start vertex.
    directed : bool
        If False, arcs can be followed in both directions.
    return_predecessors : bool
        Whether to return the predecessors, too.

    Returns
    -------
    node_array : int32 array
        The vertices that can be reached, in the order of a queue, as in SciPy. The entries of a row are followed in the
        order in which they are stored; SciPy sorts them first if the weights are not float64.
    predecessors : int32 (n,)
        The vertex from which each vertex was found first, as in SciPy; -9999 for the start and for unreachable
        vertices.

    Raises
    ------
    ValueError
        If `i_start` is not one of the vertices, or the matrix is not a graph.

    See Also
    --------
    stablegraph.breadth_first_search : Distances and smallest parents, on all threads.

    Notes
    -----
    O(n + m), on one thread. If not `directed`, the matrix is transposed first, unless its pattern is symmetric.
    """
    nodes, predecessors = _search(_searchable(csgraph, directed), i_start, directed)
    return (nodes, predecessors) if return_predecessors else nodes


@suggests_options
def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Compute a breadth-first tree, as `scipy.sparse.csgraph.breadth_first_tree` does.

    >>> import stablegraph as sg
    >>> sg.csgraph.breadth_first_tree([[0, 8, 0], [0, 0, 2], [0, 0, 0]], 0).toarray().tolist()
    [[0, 8, 0], [0, 0, 2], [0, 0, 0]]

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    i_start : int
        The start vertex.
    directed : bool
        If False, arcs can be followed in both directions.

    Returns
    -------
    csr_array or csr_matrix (n, n)
        A matrix if `csgraph` is a sparse matrix, otherwise an array. Entry (i, j) is stored if i is the predecessor of
        j in `breadth_first_order`. It has the weight of `csgraph`, where repeated entries are added up (integers as
        int64 or uint64); if not `directed`, it has the smaller weight of (i, j) and (j, i). SciPy's tree is the same,
        except that SciPy ignores stored zeros if not `directed`, and stores infinity if both weights are zero.

    Raises
    ------
    ValueError
        In the same cases as `breadth_first_order`, or if a sum of repeated entries does not fit its dtype.

    Notes
    -----
    The cost is about twice that of `breadth_first_order`; half of it is the search for the weights.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.breadth_first_tree([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]], 0).toarray()
    array([[0, 8, 0, 3],
           [0, 0, 2, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0]])
    """
    graph = _searchable(csgraph, directed, weights=True)
    predecessors = _search(graph, i_start, directed)[1]
    children = np.flatnonzero(predecessors >= 0).astype(predecessors.dtype)
    ends = predecessors[children], children
    if graph.weights is not None and graph.has_duplicates:
        graph = Graph._trusted(*merged_rows(graph, "sum"), directed=True)
    matrix = graph.to_scipy()
    weights = (values_at if directed else smaller_values_at)(matrix, *ends)
    return with_type_of(sp.csr_array((weights, ends), shape=matrix.shape), csgraph)


@suggests_options
def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """Find shortest paths by weight, as `scipy.sparse.csgraph.dijkstra` does.

    >>> import stablegraph as sg
    >>> sg.csgraph.dijkstra([[0, 1, 4], [0, 0, 2], [0, 0, 0]], indices=0)
    array([0., 1., 3.])

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j. Its weight is a finite number of at least 0; SciPy accepts negative weights
        and returns wrong distances. Of repeated entries the smallest counts.
    directed : bool
        If False, arcs can be followed in both directions, with the smaller weight of (i, j) and (j, i). SciPy's result
        is wrong if both are stored and differ.
    indices : int or integer array, optional
        The start vertices, numbered from 0; by default all vertices. (SciPy also accepts negative numbers.)
    return_predecessors : bool
        Whether to return the predecessors, too.
    unweighted : bool
        Count each weight as 1.
    limit : float
        The distance at which searches end.
    min_only : bool
        Search from all start vertices together, for the distance from the nearest one.

    Returns
    -------
    dist_matrix : float64 (indices, n)
        The distances from each start vertex, or from the nearest one with `min_only`; infinity without a path.
        The axes of `indices` come first; a number has none.
    predecessors : int32 of the same shape
        The predecessor on a shortest path with the fewest edges, the smallest one if there are several; -9999 for
        starts and without a path. SciPy may return another predecessor if several paths are shortest.
    sources : int32 (n,)
        With `min_only` and `return_predecessors`: the start of the path to each vertex, or -9999.

    Raises
    ------
    ValueError
        If a start is not one of the vertices, a weight is negative or not finite, `limit` is negative or NaN, or the
        matrix is not a graph.
    TypeError
        If the starts are not integers.

    See Also
    --------
    stablegraph.shortest_paths : Distances and parents, from one set of sources, with exact integers.

    Notes
    -----
    One search after another, each on all threads if the graph is large. Distances of integers are exact up to 2**53.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.dijkstra([[0, 1, 4], [0, 0, 2], [0, 0, 0]], indices=0, return_predecessors=True)
    (array([0., 1., 3.]), array([-9999,     0,     1], dtype=int32))
    """
    limit, graph = number(limit, "limit", minimum=0), _directed(csgraph, weights=not unweighted)
    if not directed:
        graph = as_graph(graph, symmetrize=True if graph.weights is None else "min")
    n, ids = graph.num_vertices, np.arange(graph.num_vertices)
    starts, weights = ids if indices is None else _starts(indices, n), checked_weights(graph, None, "unweighted=True")
    searches = [np.unique(starts)] if min_only else starts.reshape(-1, 1)
    shape = (len(searches), n)
    distance, predecessors = np.empty(shape), np.empty(shape, graph.indices.dtype)
    for i, sources in enumerate(searches):
        lengths, parent = lengths_and_parents(graph, sources, weights, limit)
        distance[i] = np.where(parent < 0, np.inf, lengths)
        predecessors[i] = np.where((parent < 0) | (parent == ids), _NO_PREDECESSOR, parent)
    shape = (n,) if min_only else (*starts.shape, n)
    answer: tuple[Any, ...] = distance.reshape(shape), predecessors.reshape(shape)
    if min_only and return_predecessors:
        roots = np.where(parent < 0, ids, parent).astype(parent.dtype)
        while (roots[roots] != roots).any():
            roots = roots[roots]
        answer += (np.where(parent < 0, _NO_PREDECESSOR, roots),)
    return answer if return_predecessors else answer[0]


def _starts(indices: Any, n: int) -> np.ndarray:
    """Return the checked start vertices as an integer array of the same shape."""
    starts = host_array(indices, "indices")
    if starts.size and starts.dtype.kind not in "iu":
        raise TypeError(f"indices must be numbers of vertices, got dtype {starts.dtype}")
    if (outside := (starts < 0) | (starts >= n)).any():
        raise ValueError(f"indices names vertex {starts[outside][0]}, but there are {n} vertices, numbered from 0")
    return starts.astype(np.int64)


@suggests_options
def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """Number the vertices such that the matrix has a small bandwidth, as `scipy.sparse.csgraph.reverse_cuthill_mckee`.

    >>> import scipy.sparse, stablegraph as sg
    >>> sg.csgraph.reverse_cuthill_mckee(scipy.sparse.csr_array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))
    array([1, 2, 0], dtype=int32)

    Parameters
    ----------
    graph : sparse or dense matrix, or Graph
        Entry (i, j) joins i and j; its value does not matter.
    symmetric_mode : bool
        Assume that (j, i) is stored wherever (i, j) is. This is not checked; only stored entries are followed then.

    Returns
    -------
    perm : int32 (n,)
        Vertex ``perm[i]`` becomes the i-th: ``graph[perm][:, perm]`` has the small bandwidth. Each component starts at
        its smallest vertex of minimum degree. SciPy's permutation differs in three points: its choice among several
        vertices of minimum degree depends on an unstable sort, it ignores entries (i, j) and (j, i) whose sum is zero,
        and its dtype is that of the indices.

    Raises
    ------
    ValueError
        If the matrix is not a graph.

    Notes
    -----
    A breadth-first search on one thread, in which the vertices found from the same vertex are sorted by degree:
    O(m + n log n). SciPy's function takes time proportional to the square of the largest degree.

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

    >>> import scipy.sparse, stablegraph as sg
    >>> sg.csgraph.maximum_bipartite_matching(scipy.sparse.csr_array([[0, 0, 1], [1, 1, 0]]), perm_type="column")
    array([2, 0], dtype=int32)

    Parameters
    ----------
    graph : sparse array or matrix (rows, columns), or Graph
        Row i may be matched with column j where entry (i, j) is stored, also if it is zero.
    perm_type : {"row", "column"}
        Whether to return the row of each column, or the column of each row.

    Returns
    -------
    perm : int32 (columns,) or (rows,)
        -1 for unmatched columns or rows. The matching has maximum size; if there are several, SciPy may find another
        one.

    Raises
    ------
    TypeError
        If the matrix is not sparse.
    ValueError
        If `perm_type` is neither of the two (SciPy treats it as "row"), or the matrix is invalid.

    Notes
    -----
    A greedy matching, followed by the algorithm of Hopcroft and Karp on one thread: O(m sqrt(n)), usually a few times
    m. Work memory: five numbers per row or column, whichever number is larger.

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
    axis = choice(perm_type, "perm_type", ("row", "column"))
    of_row, of_column = _matching(graph)
    return of_row if axis == "column" else of_column


@suggests_options
def structural_rank(graph: Any) -> int:
    """Count the rows that can be matched with columns, as `scipy.sparse.csgraph.structural_rank` does.

    >>> import scipy.sparse, stablegraph as sg
    >>> sg.csgraph.structural_rank(scipy.sparse.csr_array([[1, 1, 0], [1, 1, 0], [0, 1, 0]]))
    2

    Parameters
    ----------
    graph : sparse array or matrix (rows, columns), or Graph
        Only the pattern matters; a stored zero belongs to it.

    Returns
    -------
    int
        The size of a maximum matching: no matrix with this pattern has a larger rank.

    Raises
    ------
    TypeError
        If the matrix is not sparse.
    ValueError
        If the matrix is invalid.

    Notes
    -----
    The cost is that of `maximum_bipartite_matching`, for the transposed matrix if there are more rows than columns.
    """
    matrix = to_scipy_matrix(graph)
    is_tall = is_sparse(matrix) and matrix.shape[0] > matrix.shape[1]
    return int(np.count_nonzero(_matching(matrix.T if is_tall else matrix)[0] >= 0))


def _directed(csgraph: Any, *, weights: bool = False) -> Graph:
    """Return a matrix that SciPy's functions accept as a directed graph in host memory."""
    csgraph = to_scipy_matrix(csgraph)
    if not isinstance(csgraph, Graph) and not sp.issparse(csgraph):
        csgraph = of_dense(csgraph)
    return as_graph(csgraph, directed=True, weights=weights).to("cpu")


def _on_its_device(csgraph: Any, *, weights: bool = False) -> Graph:
    """Return a directed graph for functions that have a form for GPUs: of a sparse matrix of CuPy on the GPU."""
    if not type(csgraph).__module__.startswith("cupyx."):
        return _directed(csgraph, weights=weights)
    return as_graph(csgraph, directed=True, weights=weights)


def _searchable(csgraph: Any, directed: bool, *, weights: bool = False) -> Graph:
    """Return the graph to search. If not `directed`, a CSC matrix is transposed: SciPy searches its columns first."""
    columns_first = not directed and is_sparse(csgraph) and csgraph.format == "csc"
    return _directed(csgraph.T if columns_first else csgraph, weights=weights)


def _search(graph: Graph, i_start: Any, directed: bool) -> tuple[Any, Any]:
    """Return the order and the predecessors of `breadth_first_order`."""
    is_inside = not isinstance(i_start, (str, bytes)) and 0 <= i_start < graph.num_vertices
    if isinstance(i_start, (str, bytes)) or (is_inside and int(i_start) != i_start):
        raise TypeError(f"i_start must be the number of a vertex, got {short_repr(i_start)}")
    if not is_inside:
        raise ValueError(f"i_start is {i_start}, but there are {graph.num_vertices} vertices, numbered from 0")
    one_way = directed or graph.facts.get("symmetric")
    nodes, parent = queue_order(graph, int(i_start), None if one_way else graph.transpose())
    parent[i_start] = -1
    return nodes, np.where(parent < 0, _NO_PREDECESSOR, parent)


def _matching(graph: Any) -> tuple[Any, Any]:
    """Return a maximum matching: (the column of each row, the row of each column), -1 if unmatched."""
    if isinstance(graph, Graph):
        rows, num_rows, num_columns = graph.to("cpu"), len(graph), len(graph)
    else:
        matrix = to_scipy_matrix(graph)
        if not is_sparse(matrix):
            raise TypeError(f"graph must be a sparse array, got {type(graph).__name__}")
        matrix = matrix.tocsr()
        num_rows, num_columns = matrix.shape
        if matrix.nnz and (largest := int(matrix.indices.max())) >= num_columns:
            raise ValueError(f"column {largest} is stored, but there are {num_columns} columns, numbered from 0")
        indptr = np.pad(matrix.indptr, (0, max(0, num_columns - num_rows)), mode="edge")  # empty rows: a square matrix
        rows = as_graph((indptr, matrix.indices), directed=True)
    every = np.arange(len(rows), dtype=rows.indices.dtype)
    of_row, of_column = maximum_matching(rows.indptr, rows.indices, every)
    return of_row[:num_rows], of_column[:num_columns]
