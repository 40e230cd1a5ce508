"""Tables of edges as input, and tables of results as output, through pyarrow.

`from_table` and `to_table` convert tables of edges to graphs, and results to tables; clusters.py makes tables of
clusters. numbering.py converts a column of ids of any type to vertex numbers. The ids remain an Arrow array as the
graph's `nodes`, so that no Python object is created per vertex. The readers of Parquet, Feather and CSV files use the
same code.
"""

from __future__ import annotations

import contextlib
from typing import Any, get_args

import numpy as np

from .._core.csr.groups import entries_of_pairs
from .._core.csr.merge import UnsymmetricError
from .._core.option_names import Merge
from .._core.unknown_options import suggests_options
from .._core.validation import choice, host_array, optional_boolean
from .._core.vertex_values import in_vertex_order
from ..conversion import any_graph, as_graph, from_edges
from ..graph import Graph
from .columns import (
    Column,
    Columns,
    NamedColumn,
    choose_columns,
    distinct_columns,
    edges_of,
    pyarrow_module,
    schema_columns,
    stated_graph,
)
from .numbering import ArrowNames

__all__ = ["from_table", "to_table"]


# Methods that convert lazy tables, relations and data sets of Spark, DuckDB, pyarrow and polars to tables.
_MAKE_TABLES = ("toArrow", "toPandas", "fetch_arrow_table", "to_table", "collect")


@suggests_options
def from_table(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    directed: bool | None = None,
    *,
    nodes: Any = None,
    merge: Merge | None = None,
    weights: bool | None = None,
) -> Graph:
    """Make a Graph from a table with one edge in each row.

    >>> import pyarrow as pa, stablegraph as sg
    >>> sg.from_table(pa.table({"source": ["Ann", "Bob"], "target": ["Bob", "Cy"]})).num_edges
    2

    Parameters
    ----------
    table : table
        Anything with the Arrow C stream interface: a pyarrow Table or RecordBatchReader, a DataFrame of polars or
        pandas (from 2.2 on), a DuckDB relation.
    source, target : str, optional
        The columns of the two ends. The default is the only pair of columns called source and target, u and v, from and
        to, or src and dst (case-insensitive). If there is no such pair, the table must have exactly two columns in
        addition to the weights. Ids are integers (which may be negative and have gaps), texts, or bytes such as UUIDs;
        categorical columns are decoded.
    weight : str, optional
        The column of weights, which must be numbers. The default is the column called weight or w (case-insensitive).
        If there is none, no other column may hold numbers, unless you name the ends or `weights` is False.
    directed : bool, optional
        Whether a row is an arc from source to target. If not, it is an undirected edge, and two rows with opposite
        directions are the same edge. By default rows are edges, except in the table of a directed graph from
        `write_graph`, whose metadata states the direction. False refuses such a table if an arc has no opposite arc;
        True makes two arcs of each edge that `write_graph` wrote.
    nodes : column of ids, optional
        Ids that are vertices even if no row contains them: an Arrow array, a column of a DataFrame, a NumPy array or a
        list, with ids of the type of the ends. Repeated ids, and ids that rows contain, change nothing.
    merge : {"min", "max", "sum"}, optional
        How to combine the weights of rows that are the same undirected edge. By default such weights must be equal.
        Sums of integers are int64, except that sums of uint64 are uint64; other results keep the dtype of the weights.
    weights : bool, optional
        False: make a graph without weights. True: refuse other columns of numbers even if you name the ends.

    Returns
    -------
    Graph
        Vertices are numbered in ascending order of id, so that the order of the rows does not matter. The ids are
        ``graph.nodes`` (int64, or uint64 if one is at least 2**63), unless they are 0 .. n - 1. Texts and bytes remain
        an Arrow array. Equal rows count once; if the weights of an arc differ, all rows are kept. An id that occurs
        only in a loop is a vertex.

    Raises
    ------
    ValueError
        A value is missing; a column does not exist or has an unsupported type; the ends have different types; the
        columns of the ends or of the weights are ambiguous; the weights of an edge differ; a sum of weights does not
        fit its dtype; or `nodes` is passed with a table from `write_graph`, whose metadata states the vertices. The
        message names the column, and the row if there is one.
    TypeError
        `table` is not a table, `nodes` is not a column of ids, or `directed` or `weights` is not a bool.
    ModuleNotFoundError
        Pyarrow is not installed.

    Notes
    -----
    The distinct texts are found on all threads, and only these are sorted. Work memory, if all ids have at most 15
    bytes: 24 bytes for each value in both columns and 40 bytes for each distinct value. Otherwise: a copy of both
    columns, and 32 bytes for each value in them.

    Examples
    --------
    >>> import pyarrow as pa, stablegraph as sg
    >>> friends = pa.table({"source": ["Bob", "Ann", "Eve"], "target": ["Cy", "Bob", "Dan"]})
    >>> graph = sg.from_table(friends)
    >>> count, labels = sg.connected_components(graph)
    >>> sg.to_table(graph, component=labels).to_pydict()
    {'id': ['Ann', 'Bob', 'Cy', 'Dan', 'Eve'], 'component': [0, 0, 0, 1, 1]}
    """
    columns = Columns(source, target, weight, optional_boolean(weights, "weights"))
    check_direction(directed, merge)
    arrow = arrow_table(table, columns)
    try:
        ends, chosen = choose_columns(ValueError, schema_columns(arrow.schema), columns)
    except UnicodeDecodeError:
        raise ValueError("the name of a column is not UTF-8; rename the columns") from None
    vertices, stated = stated_graph(ValueError, arrow.schema.metadata)
    if nodes is not None and vertices is not None:
        raise ValueError(f"the table states its {vertices} vertices; leave out nodes=, or drop its metadata")
    others = [] if nodes is None else [id_values("nodes", nodes)]
    edges = edges_of(ValueError, arrow, ends, chosen, vertices, [column for column in others if len(column.values)])
    are_arcs = not merge and (bool(directed) if stated is None else stated)
    try:
        if not are_arcs:
            graph = from_edges(*edges[:4], symmetrize=merge or True, nodes=edges.nodes)
            return as_graph(graph, directed=True) if directed else graph
        arcs = _arcs(*edges)
        return arcs if directed is not False else as_graph(as_graph(arcs), symmetrize=True)
    except ValueError as error:
        raise ValueError(with_cures_for_tables(error)) from None


def id_values(name: str, values: Any) -> NamedColumn:
    """Return a column of ids that the caller passes as an argument of this name."""
    pa, cause = pyarrow_module(), None
    values = values.array if isinstance(values, ArrowNames) else values
    try:
        if isinstance(values, pa.ChunkedArray):
            return NamedColumn(name, values)
        if not (isinstance(values, (str, bytes)) or hasattr(values, "columns")):  # a text, a table
            is_stream = hasattr(values, "__arrow_c_stream__")
            return NamedColumn(name, pa.chunked_array(values if is_stream else [pa.array(values)]))
    except (pa.ArrowException, TypeError) as error:
        cause = error
    raise TypeError(
        f"{name} must be one column of ids of one type, such as table['id'], got {type(values).__name__}"
    ) from cause


def check_direction(directed: bool | None, merge: Merge | None) -> None:
    """Refuse values of `directed` and `merge` that `from_table` does not support."""
    optional_boolean(directed, "directed")
    if merge is not None:
        choice(merge, "merge", get_args(Merge), otherwise=" or None")
    if merge and directed:
        raise ValueError("merge is for the two directions of undirected edges; leave out directed=True, or merge")


def with_cures_for_tables(error: ValueError) -> str:
    """Return the message of `as_graph` or `from_edges`, with remedies in terms of `from_table`'s parameters."""
    if isinstance(error, UnsymmetricError):
        return f"{error.missing}; leave out directed=False, or pass merge='min' to make edges of arcs"
    return str(error).replace("pass symmetrize=", "pass merge=").replace("pass no weights", "pass weights=False")


def _arcs(u: np.ndarray, v: np.ndarray, weights: Any, n: int, nodes: Any) -> Graph:
    """Return the directed graph of the rows."""
    try:
        return from_edges(u, v, weights, n, directed=True, nodes=nodes)
    except ValueError:  # parallel arcs with different weights remain separate entries
        return from_edges(u, v, weights, n, directed=True, nodes=nodes, drop_duplicates=False)


def arrow_table(table: Any, columns: Columns) -> Any:
    """Return an Arrow table; of a DataFrame that is none, at least the columns that are wanted."""
    pa = pyarrow_module()
    if isinstance(table, pa.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        cure = "; read_graph reads files" if isinstance(table, str) or hasattr(table, "__fspath__") else ""
        method = next((name for name in _MAKE_TABLES if hasattr(table, name)), None)
        cure = f"; pass table.{method}(), which is one" if method else cure
        raise TypeError(
            f"a table is a pyarrow Table, a polars or pandas DataFrame, a DuckDB relation, or another one with "
            f"__arrow_c_stream__, got {type(table).__name__}{cure}"
        )
    try:
        return pa.table(table)
    except pa.ArrowException as error:
        ignores_others = columns.weights is False or (columns.source is not None and columns.weights is None)
        if ignores_others and hasattr(table, "columns"):
            with contextlib.suppress(pa.ArrowException):
                ends, weight = choose_columns(ValueError, [Column(name, False) for name in table.columns], columns)
                return pa.table(table[distinct_columns(ends, weight)])
        reason = " ".join(str(part) for part in error.args)
        raise ValueError(f"the table cannot be read as Arrow: {reason}; make each column of one type") from None


@suggests_options
def to_table(graph: Graph, /, **columns: Any) -> Any:
    """Make a table of results: the id of each vertex and a column for each result; or a table of edges.

    >>> import stablegraph as sg
    >>> sg.to_table(sg.gallery.grid((3,)), color=[1, 0, 1]).to_pydict()
    {'id': [0, 1, 2], 'color': [1, 0, 1]}

    Parameters
    ----------
    graph : Graph
        The graph to which the results belong.
    **columns : arrays (n,)
        One value for each vertex, under the name of its column, such as labels, colors, distances or a mask. A matrix
        or Graph under the name ``forest``, as from `minimum_spanning_forest`, or ``edges``, as from `coarse_graph`,
        gives a table of its edges instead, and so do mates under the name ``matching``, as from `maximal_matching`.

    Returns
    -------
    pyarrow.Table
        One row for each vertex. The column ``id`` contains ``graph.nodes`` in the type that the ids had in
        `from_table` (integers as int64 or uint64), or the vertex numbers if the graph has no names; the given columns
        follow. For edges, a forest or a matching, one row for each edge, in the order of (source, target) by vertex
        number, with the columns ``source``, ``target`` and, if `graph` has weights, ``weight``. Edges include loops,
        and those of a directed graph are arcs. Convert it with
        ``polars.from_arrow``, or with ``.to_pandas()`` for pandas; DuckDB finds the table by the name of its variable.

    Raises
    ------
    ValueError
        A result does not have one value for each vertex; a column is called id; names have several types; a forest has
        another number of vertices, or is a triangular matrix that `as_graph` refuses; mates are not a matching; or a
        forest or matching is passed with other columns.
    TypeError
        A column is a tuple of several results.
    ModuleNotFoundError
        Pyarrow is not installed.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True)
    >>> sg.to_table(graph, forest=sg.minimum_spanning_forest(graph)).to_pydict()
    {'source': ['Ann', 'Bob'], 'target': ['Bob', 'Cy']}
    >>> sg.to_table(graph, member=sg.maximal_independent_set(graph), degree=graph.degrees).to_pydict()
    {'id': ['Ann', 'Bob', 'Cy'], 'member': [True, False, True], 'degree': [1, 2, 1]}
    """
    pa = pyarrow_module()
    graph = checked_graph(graph, "to_table(graph, name=answer, ...)")
    if "id" in columns:
        raise ValueError("the column id is for the ids of the vertices; give that answer another name")
    for name in ("forest", "edges"):
        answer = columns.get(name)
        if isinstance(answer, Graph) or hasattr(answer, "tocsr"):
            if len(columns) > 1:
                kind = "a forest has" if name == "forest" else "edges have"
                raise ValueError(f"{kind} a row for each edge: make a table without other answers")
            return _edge_table(graph, name, as_graph(answer) if name == "forest" else any_graph(answer, weights=True))
    if "matching" in columns:
        if len(columns) > 1:
            raise ValueError("a matching has a row for each edge: make a table of its own for it, without answers")
        return _matching_table(graph.to("cpu"), columns["matching"])
    arrays = {}
    for name, values in columns.items():
        array = host_array(in_vertex_order(values, name, graph), name)
        if array.shape != (graph.num_vertices,):
            raise ValueError(
                f"{name} must have one value for each of the {graph.num_vertices} vertices, got shape {array.shape}"
            )
        arrays[name] = pa.array(array)
    return pa.table({"id": id_column(graph.num_vertices, graph.nodes), **arrays})


def checked_graph(graph: Any, call: str) -> Graph:
    """Return a Graph; raise a TypeError for anything else that is the first argument of a call."""
    if not isinstance(graph, Graph):
        got = f"{type(graph).__module__}.{type(graph).__qualname__}"  # networkx has a class Graph, too
        if hasattr(graph, "tocsr") and call.startswith("to_table"):
            got += "; for a table of the edges of a forest: to_table(graph, forest=forest)"
        raise TypeError(f"{call} takes a Graph first, which as_graph makes; got {got}")
    return graph


def _edge_table(graph: Graph, name: str, edges: Graph) -> Any:
    """Return a table of edges, each once, or of arcs, with the ids of the graph; a forest has no loops."""
    n, edges = graph.num_vertices, edges.to("cpu")
    if edges.num_vertices != n:
        raise ValueError(f"{name} must have the {n} vertices of the graph, got {edges.num_vertices}")
    rows = edges._rows()
    once = rows < edges.indices if name == "forest" else (rows <= edges.indices) | edges.directed
    weights = edges.weights[once] if graph.weights is not None and edges.weights is not None else None
    return _table_of_edges(graph, rows[once], edges.indices[once], weights)


def _matching_table(graph: Graph, mate: Any) -> Any:
    """Return a table of the edges of a matching, with the ids of the graph."""
    n, rows, mates = graph.num_vertices, graph._rows(), host_array(in_vertex_order(mate, "matching", graph), "matching")
    if mates.shape != (n,):
        raise ValueError(f"matching must have one mate for each of the {n} vertices, got shape {mates.shape}")
    entries = entries_of_pairs(rows, graph.indices, mates, graph.weights)
    source, target = rows[entries], graph.indices[entries]
    if 2 * entries.size != np.count_nonzero(mates != -1) or (mates[target] != source).any():
        raise ValueError("matching is not a matching of this graph: explain(is_matching, graph, mate) says why")
    return _table_of_edges(graph, source, target, None if graph.weights is None else graph.weights[entries])


def _table_of_edges(graph: Graph, source: np.ndarray, target: np.ndarray, weights: np.ndarray | None) -> Any:
    """Return a table of edges with the ids of the graph."""
    pa, ids = pyarrow_module(), id_column(graph.num_vertices, graph.nodes)
    columns = {"source": ids.take(pa.array(source)), "target": ids.take(pa.array(target))}
    return pa.table(columns if weights is None else {**columns, "weight": pa.array(weights)})


def id_column(n: int, nodes: Any) -> Any:
    """Return the ids of n vertices as an Arrow array: their names, or their numbers if they have no names."""
    pa = pyarrow_module()
    if isinstance(nodes, ArrowNames):
        return nodes.array
    try:
        return pa.array(np.arange(n) if nodes is None else nodes)
    except pa.ArrowException:
        raise ValueError("names of several types make no column; give the graph names of one type") from None
