"""as_graph and from_edges: the only functions that construct a Graph from user data.

They validate the input once; graph.py lists the properties that every Graph then has. A user's arrays that already have
the right form are used without a copy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ._core.converters import (
    KNOWN,
    EdgeList,
    converter_of,
    is_graph_of_library,
    matrix_of_pattern,
    summed_csr,
    table_hint,
)
from ._core.csr.arrays import is_marked_forest
from ._core.csr.build import build_rows
from ._core.csr.checks import checked_csr, checked_vertex_count, integers, nonzero_entries, numbered_ends, numbers
from ._core.csr.merge import UnsymmetricError, check_symmetrize, merge_duplicates
from ._core.option_names import Merge
from ._core.runtime.device import array_module, place_of
from ._core.unknown_options import suggests_options
from ._core.validation import PartitionedGraph, boolean, exact_array, is_sparse, unmasked
from ._core.vertex_names import shown_entry
from .graph import Graph


@suggests_options
def as_graph(obj: Any, *, directed: bool = False, symmetrize: bool | Merge = False, weights: bool = True) -> Graph:
    """Convert a graph, matrix, mesh or list of edges to a `Graph`, and check it.

    >>> import scipy.sparse, stablegraph as sg
    >>> sg.as_graph(scipy.sparse.csr_array([[0, 1], [1, 0]])).num_edges
    1

    Parameters
    ----------
    obj : Graph, sparse array or matrix, NetworkX graph, array or tuple
        * a SciPy or CuPy sparse array or matrix in any format: every stored entry is an edge, also if it is zero. This
          includes the zeros that fill a block of a BSR matrix, but not the padding of DIA. Formats other than CSR are
          converted;
        * a forest of `minimum_spanning_forest`: its undirected graph. This applies to the returned object itself, also
          after pickling; a result that SciPy computes from it (a slice, a sum) is an ordinary matrix;
        * a NetworkX graph: node names are kept in `.nodes`, the edge attribute "weight" if all edges have it;
        * ``(indptr, indices)`` or ``(indptr, indices, weights)``: CSR arrays (for two arrays of endpoints see
          `from_edges`);
        * an array (m, 2) of edges, or a list of tuples, with vertices given by number or by name. A square array of
          numbers is a dense matrix whose nonzero elements are edges;
        * a graph of igraph, rustworkx, NetworKit or PyTorch Geometric; a sparse matrix of PyTorch, JAX, `sparse` or
          python-graphblas; the vertices of a mesh of trimesh or meshio;
        * anything with ``.indptr``, ``.indices``, ``.shape`` (and ``.data``).

        Arrays may come from any library that supports DLPack.
    directed : bool
        Whether (u, v) is an arc. If False, the pattern must be symmetric.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v). With True, different weights of the same edge are an error; a name selects how the
        weights of all entries that become one edge are combined. Sums of integers and booleans are int64, sums of
        uint64 are uint64; all other weights keep their dtype.
    weights : bool
        Whether to keep the values (or weights).

    Returns
    -------
    Graph
        On the same device as `obj`. If `obj` is a Graph that needs no change, it is returned itself.

    Raises
    ------
    ValueError
        If the input is not a valid graph; the message gives the first invalid position and the remedy. Cases: the
        matrix is not square; indptr does not start at 0, decreases, or does not end at the number of indices; an index
        is out of range; an entry has no partner; a dense matrix contains NaN; a sum of weights does not fit its dtype.
    TypeError
        If `obj` is not a graph, or `directed` or `weights` is not a bool.

    Notes
    -----
    A CSR matrix with 32-bit indices is used without a copy, and must not be changed while the Graph exists; dtypes that
    no kernel supports are converted. All checks take one parallel pass, which costs 1.5 to 4 times as much as summing
    the indices of every row. Symmetry is tested with a 64-bit sum of hashes: an unsymmetric pattern passes with a
    probability below 2**-56. If a pattern is not symmetric, finding the entry for the message costs up to 50 such
    passes.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, stablegraph as sg
    >>> sg.as_graph(scipy.sparse.csr_array(np.array([[2, 1], [1, 2]]))).num_edges
    1
    >>> sg.as_graph((np.array([0, 1, 1]), np.array([1])))
    Traceback (most recent call last):
    ...
    ValueError: entry (0, 1) has no partner (1, 0); pass symmetrize=True to as_graph (or directed=True, ...)
    """
    directed, weights = boolean(directed, "directed"), boolean(weights, "weights")
    check_symmetrize(symmetrize, directed)
    return _converted(obj, directed, symmetrize, weights)


def undirected(obj: Any, weights: bool = False, *, partitions: bool = False) -> Graph:
    """Return an undirected graph for functions of undirected graphs; without `weights`, only a Graph keeps its own.

    With `partitions`, a graph in partitions is returned unchanged; the decorator of the function has checked it.
    """
    if partitions and isinstance(obj, PartitionedGraph):
        return cast("Graph", obj)
    try:
        return _converted(obj, False, False, weights or isinstance(obj, Graph))
    except UnsymmetricError as error:
        raise error.of_function(isinstance(obj, Graph), weights) from None


def any_graph(obj: Any, *, weights: bool = False, partitions: bool = False) -> Graph:
    """Make a Graph for functions that also accept directed graphs: a matrix is directed, a marked forest is not.

    With `partitions`, a graph in partitions is returned unchanged.
    """
    if isinstance(obj, Graph) or (partitions and isinstance(obj, PartitionedGraph)):
        return cast("Graph", obj)
    return _converted(obj, not is_marked_forest(obj), False, weights)


def as_pattern(obj: Any) -> Any:
    """Return a pattern of any shape: a Graph, a matrix of SciPy, or a dense array, or what converts to one."""
    return any_graph(obj) if is_graph_of_library(obj.__class__) else matrix_of_pattern(obj)


def _converted(obj: Any, directed: bool, symmetrize: bool | Merge, weights: bool) -> Graph:
    if isinstance(obj, Graph):
        return _fitting(obj, directed, symmetrize, weights)
    convert = converter_of(obj.__class__)
    if convert is not None:
        obj = convert(obj, weights)
        if isinstance(obj, EdgeList):
            return _from_edge_list(obj, directed, symmetrize)
    if is_sparse(obj) or type(obj).__module__.startswith("cupyx."):
        obj = obj if obj.format == "csr" else summed_csr(obj, weights)
        arrays = obj.indptr, obj.indices, obj.data if weights else None
        if not directed and is_marked_forest(obj):
            arcs = _from_csr(*arrays, True, False, obj.shape)
            if (arcs._rows() < arcs.indices).all():  # false if the matrix was changed in place
                return _symmetrized(arcs, symmetrize or True)
        return _from_csr(*arrays, directed, symmetrize, obj.shape)
    if all(hasattr(obj, name) for name in ("indptr", "indices", "shape")):
        data = getattr(obj, "data", None) if weights else None
        return _from_csr(obj.indptr, obj.indices, data, directed, symmetrize, obj.shape)
    if isinstance(obj, tuple):
        if any(isinstance(part, Graph) or is_sparse(part) for part in obj):
            raise TypeError(f"a tuple of {len(obj)} results is not a graph: pass only its graph element")
        if len(obj) not in (2, 3):
            raise ValueError(
                f"a tuple must be (indptr, indices) or (indptr, indices, weights), got {len(obj)} items; "
                "arrays of endpoints go to from_edges(u, v)"
            )
        data = obj[2] if len(obj) == 3 and weights else None
        return _from_csr(obj[0], obj[1], data, directed, symmetrize)
    if isinstance(obj, (np.ndarray, list)) or place_of(obj) == "cuda":
        return _from_array(obj, directed, symmetrize, weights)
    hint = "read_graph reads files; " if isinstance(obj, (str, os.PathLike)) else table_hint(obj)
    raise TypeError(
        f"cannot make a graph of {type(obj).__name__}: {hint}pass a sparse array, "
        f"(indptr, indices), a square array, an (m, 2) array of edges, or one of {KNOWN}; or use from_edges(u, v)"
    )


@suggests_options
def from_edges(
    u: Any,
    v: Any = None,
    weights: Any = None,
    n: int | None = None,
    *,
    directed: bool = False,
    symmetrize: bool | Merge = False,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    nodes: Sequence[Any] | None = None,
) -> Graph:
    """Make a Graph with sorted rows from edges (u[e], v[e]).

    >>> import stablegraph as sg
    >>> sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True).nodes
    ['Ann', 'Bob', 'Cy']

    Parameters
    ----------
    u, v : arrays (m,)
        The ends of each edge: integers of any dtype, or names. Texts are names, and so are other hashable objects in
        lists and arrays of objects. Names are numbered in the order of their first occurrence along the edges, u before
        v, as in NetworkX.
    weights : array (m,), optional
        A weight for each edge.
    n : int, optional
        The number of vertices; by default one more than the largest end.
    directed : bool
        Whether (u, v) is an arc. If False, (v, u) must also be given, or be added by `symmetrize`.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v). With True, different weights of the same edge are an error; a name selects how the
        weights of all equal or opposite edges are combined. Without `drop_duplicates`, all are kept. A loop is counted
        once. Sums of integers and booleans are int64, sums of uint64 are uint64; all other weights keep their dtype.
    drop_loops : bool
        Leave out edges (u, u).
    drop_duplicates : bool
        Store equal entries once. If their weights differ, `symmetrize` must say how to combine them; in a directed
        graph their weights must be equal.
    nodes : sequence, optional
        A name for each vertex. If `u` and `v` are names, `nodes` defines their numbers; it may contain more names.

    Returns
    -------
    Graph
        The same for any number of threads. Its `facts` report the changes: ``symmetrized``, ``loops_dropped`` (number
        of edges) and ``duplicates_dropped`` (number of entries).

    Raises
    ------
    ValueError
        If an edge is invalid; the message gives the first one. Cases: lengths differ; ids are negative, not below `n`
        or not integers; names are missing or not in `nodes`; weights differ; a sum of weights does not fit its dtype;
        an edge has no partner.
    TypeError
        If `v` is missing, or `directed`, `drop_loops` or `drop_duplicates` is not a bool.

    Notes
    -----
    A parallel counting sort: it takes as long as 4 to 9 sweeps over the result for 20 million random edges. Work memory
    in addition to the result: 8 bytes per entry (16 in the worst case, in which one vertex has all edges), and up to 30
    with weights.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 1], [1, 0, 2], symmetrize=True)
    >>> graph.indices
    array([1, 0, 2, 1], dtype=int32)
    >>> graph.facts["duplicates_dropped"]
    2
    >>> sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True).nodes
    ['Ann', 'Bob', 'Cy']
    """
    directed, drop_loops = boolean(directed, "directed"), boolean(drop_loops, "drop_loops")
    drop_duplicates = boolean(drop_duplicates, "drop_duplicates")
    check_symmetrize(symmetrize, directed)
    if v is None:
        raise TypeError(
            "from_edges takes two arrays of ends, u and v, but v is missing; for one array of shape (2, m) call "
            "from_edges(*edge_index), for one of shape (m, 2) or a list of pairs as_graph(edges)"
        )
    u, v, nodes = numbered_ends(u, v, nodes)
    return _of_edges(u, v, weights, n, directed, symmetrize, drop_loops, drop_duplicates, nodes, "from_edges")


def _of_edges(
    u: Any,
    v: Any,
    w: Any,
    n: int | None,
    directed: bool,
    symmetrize: bool | Merge,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    nodes: Sequence[Any] | None = None,
    door: str = "as_graph",
) -> Graph:
    """Make a Graph of edges whose ends are numbers; `door` is the public function that was called, for messages."""
    if u.size != v.size:
        raise ValueError(f"u and v must have equal lengths, got {u.size} and {v.size}")
    if u.dtype != v.dtype:
        u, v = u.astype(np.int64, copy=False), v.astype(np.int64, copy=False)
    if w is not None:
        w = numbers(w, "weights")
        if w.shape != u.shape:
            raise ValueError(f"weights must have one weight for each of the {u.size} edges, got shape {w.shape}")
    n = checked_vertex_count(u, v, n, nodes)

    mirror = bool(symmetrize)
    rows = build_rows(
        u,
        v,
        n,
        mirror=mirror,
        drop_loops=drop_loops,
        drop_duplicates=drop_duplicates and w is None,
        positions=w is not None,
    )
    indptr, indices, weights = rows.indptr, rows.indices, None
    if w is not None:
        weights = w[rows.positions]
        if drop_duplicates:
            without = "weights=False" if door == "as_graph" else "no weights"
            indptr, indices, weights = merge_duplicates(indptr, indices, weights, symmetrize, directed, nodes, without)
    facts = {
        "symmetrized": mirror,
        "loops_dropped": rows.loops if drop_loops else 0,
        "duplicates_dropped": rows.scattered - int(indices.size),
    }
    if drop_duplicates and (drop_loops or rows.loops == 0):
        facts |= {"loops": 0, "duplicates": 0}
    graph = Graph._trusted(indptr, indices, weights, directed=directed, nodes=nodes, facts=facts)
    if not directed and not mirror:
        _check_symmetric(graph, door)
    return graph


def _check_symmetric(graph: Graph, door: str = "as_graph") -> None:
    """Raise ValueError if an undirected graph is not symmetric; `door` names the function to call with symmetrize=."""
    scan = graph._scanned()
    if scan.forward == scan.backward:
        return
    if (culprit := graph._first_without_partner()) is not None:
        entry, partner = shown_entry(*culprit, graph.nodes), shown_entry(*culprit[::-1], graph.nodes)
        raise UnsymmetricError(f"entry {entry} has no partner {partner}", _cure(graph), door)


def _cure(graph: Graph) -> bool | Merge:
    """Return the value of symmetrize= for a graph: "max" for floats and if the weights of some edge differ, else True.

    The two directions of an edge of floats may differ in the last bit.
    """
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        return "max"
    try:
        _symmetrized(graph, True)
    except ValueError:
        return "max"
    return True


def _from_csr(
    indptr: Any, indices: Any, weights: Any, directed: bool, symmetrize: bool | Merge, shape: Any = None
) -> Graph:
    indptr, indices, weights, scan = checked_csr(indptr, indices, weights, shape)
    graph = Graph._trusted(indptr, indices, weights, directed=directed or bool(symmetrize), scan=scan)
    if symmetrize:
        return _symmetrized(graph, symmetrize)
    if not directed:
        _check_symmetric(graph)
    return graph


def _symmetrized(graph: Graph, symmetrize: bool | Merge) -> Graph:
    """Return the undirected graph of all entries; an unweighted symmetric graph is not rebuilt."""
    if graph.weights is None:
        scan = graph._scanned()
        if scan.forward == scan.backward:
            return graph._replace(directed=False, facts=graph._facts | {"symmetrized": False})
    return _of_edges(
        graph._rows(), graph.indices, graph.weights, graph.num_vertices, False, symmetrize, nodes=graph.nodes
    )


def _fitting(graph: Graph, directed: bool, symmetrize: bool | Merge, weights: bool) -> Graph:
    """Return a Graph with the requested direction and weights; the same object if no change is needed."""
    if not weights and graph.weights is not None:
        graph = graph._replace(weights=None)
    if graph.directed == directed:
        if not symmetrize or graph.weights is None or graph._facts.get("symmetrized"):
            return graph
        result = _symmetrized(graph, symmetrize)  # the weights of (u, v) and (v, u) may differ
        return graph if result == graph and result.weights.dtype == graph.weights.dtype else result
    if symmetrize:
        return _symmetrized(graph, symmetrize)
    if not directed:
        _check_symmetric(graph)
    return graph._replace(directed=directed, facts=graph._facts | {"symmetric": True})


def _from_array(obj: Any, directed: bool, symmetrize: bool | Merge, weights: bool) -> Graph:
    of_pairs = isinstance(obj, list) and all(isinstance(edge, (tuple, list)) and len(edge) == 2 for edge in obj)
    if of_pairs and any(isinstance(name, (str, bytes, tuple)) for edge in obj for name in edge):
        tails, heads = ([edge[side] for edge in obj] for side in (0, 1))
        return _of_pairs(tails, heads, directed, symmetrize)
    of_tuples = isinstance(obj, list) and all(isinstance(item, tuple) for item in obj)
    xp = array_module(place_of(obj))
    array = exact_array(unmasked(obj, "the array"), "the array") if xp is np else xp.asarray(obj)
    if array.ndim != 2:
        raise ValueError(f"an array must be a square matrix or edges of shape (m, 2), got shape {array.shape}")
    names = array.dtype.kind not in "biufc"
    if array.shape[1] == 2 and (names or array.shape[0] != 2 or of_tuples):
        return _of_pairs(array[:, 0], array[:, 1], directed, symmetrize)
    if names:
        raise ValueError(
            f"an array of names must be edges of shape (m, 2), got {array.dtype} of shape {array.shape}; "
            "ends and weights go to from_edges(u, v, weights)"
        )
    if array.dtype.kind in "iu" and array.shape[0] == 2 != array.shape[1]:
        raise ValueError(
            f"an array of shape {array.shape} is no matrix of a graph: if its two rows hold the ends of edges, use "
            "from_edges(*array)"
        )
    indptr, u, v = nonzero_entries(array)
    data = array[u, v] if weights and array.dtype != bool else None
    return _from_csr(indptr, v, data, directed, symmetrize)


def _of_pairs(u: Any, v: Any, directed: bool, symmetrize: bool | Merge) -> Graph:
    u, v, nodes = numbered_ends(u, v, called=("column 0 of the edges", "column 1 of the edges"))
    return _of_edges(u, v, None, None, directed, symmetrize, nodes=nodes)


def _from_edge_list(edges: EdgeList, directed: bool, symmetrize: bool | Merge) -> Graph:
    u, v, w = integers(edges.u, "the ends of edges"), integers(edges.v, "the ends of edges"), edges.weights
    if not edges.directed and (directed or not symmetrize):
        # Every edge of an undirected graph becomes two entries.
        both = u != v
        u, v = np.concatenate([u, v[both]]), np.concatenate([v, u[both]])
        w = None if w is None else np.concatenate([w, w[both]])
    drop_duplicates = edges.are_distinct or bool(symmetrize)  # parallel edges are valid as separate entries
    return _of_edges(u, v, w, edges.n, directed, symmetrize, drop_duplicates=drop_duplicates, nodes=edges.nodes)


def in_order(graph: Graph) -> Graph:
    """Return the same undirected graph with sorted rows and no repeated entries, for results that depend on both."""
    if graph.is_sorted and not graph.has_duplicates:
        return graph
    if ":" in graph.device:  # on several GPUs, where no memory may hold the graph
        return graph._with_sorted_rows()
    host = graph.to("cpu")
    return from_edges(host._rows(), host.indices, n=graph.num_vertices).to(graph.device)
