"""from_table and to_table: the doors for tables of edges and of answers."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from .._arguments import boolean, choice, shown
from ..conversion import from_edges
from ..csr.arrays import on_host
from ..graph import Graph
from ..names import Merge
from .arrow_names import ArrowNames
from .columns import column_values, ends_by_name, id_kinds, integer_ids, numbered_ends, pyarrow_module, weight_values
from .numbering import number_integers

_INDEX = "__index_level_"  # the columns into which pandas puts an index


def from_table(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    directed: bool = False,
    *,
    merge: Merge | None = None,
) -> Graph:
    """Make a Graph of a table with an edge in each row.

    Parameters
    ----------
    table : table
        Anything with the Arrow C stream interface: a pyarrow Table or RecordBatchReader, a DataFrame of polars or
        pandas (from 2.2 on), a DuckDB relation.
    source, target : str, optional
        The columns of the two ends. By default those called source and target, u and v, from and to, or src and dst (in
        any case of letters), if there is one such pair; else the two columns of a table that has no other ones, the
        weights not counted. Ids are integers (with gaps, or negative), texts, or bytes such as UUIDs; categories count
        as what they stand for.
    weight : str, optional
        The column of weights, numbers. Without it the graph has none.
    directed : bool
        Whether a row is an arc from source to target. If not, it is an edge, whichever way round it stands.
    merge : {"min", "max", "sum"}, optional
        How the weights of rows that are the same undirected edge are combined, where they may differ.

    Returns
    -------
    Graph
        Vertices are numbered in ascending order of id, so the order of the rows does not matter; the ids are
        ``graph.nodes``, unless they are 0 .. n - 1 already. Texts and bytes stay an Arrow array there. Equal rows count
        once, but for arcs whose weights differ. An id that stands in a loop only is a vertex.

    Raises
    ------
    ValueError
        Naming the column, and the row: a value is missing, a column does not exist or has another type, the ends are of
        two types, the columns of the ends are not clear (all are listed), weights of an edge differ.
    TypeError
        `table` is no table, or `directed` no bool.
    ModuleNotFoundError
        Pyarrow is missing.

    Notes
    -----
    Texts are told apart on all threads, and only the distinct ones are sorted. Work memory: 24 bytes for each value in
    both columns and 40 for each distinct one, if all ids have at most 15 bytes; else a copy of both columns, and 32
    bytes for each value in them.

    Examples
    --------
    >>> import pyarrow as pa, stablegraph as sg
    >>> friends = pa.table({"source": ["Bob", "Ann", "Eve"], "target": ["Cy", "Bob", "Dan"]})
    >>> graph = sg.from_table(friends)
    >>> count, labels = sg.connected_components(graph)
    >>> sg.to_table(graph, component=labels).to_pydict()
    {'id': ['Ann', 'Bob', 'Cy', 'Dan', 'Eve'], 'component': [0, 0, 0, 1, 1]}
    """
    boolean(directed, "directed")
    if merge is not None:
        choice(merge, "merge", get_args(Merge), otherwise=" or None")
    if merge and directed:
        raise ValueError("merge is for the two directions of undirected edges; leave out directed=True, or merge")
    arrow = _arrow_table(table)
    first, second = chosen_ends(arrow.column_names, source, target, weight)
    for name in {first, second} | ({weight} if weight is not None else set()):
        check_column(arrow.column_names, name)
    kind = id_kinds(ValueError, arrow.schema, (first, second))
    columns = [column_values(ValueError, arrow, name) for name in (first, second)]
    weights = None if weight is None else weight_values(ValueError, weight, column_values(ValueError, arrow, weight))
    nodes: Any
    if kind == "integers":
        ids = (integer_ids(ValueError, name, column) for name, column in zip((first, second), columns, strict=True))
        u, v, n, nodes = number_integers(*ids)
    else:
        u, v, nodes = numbered_ends(*columns)
        n = len(nodes)
    if directed:
        return _arcs(u, v, weights, n, nodes)
    try:
        return from_edges(u, v, weights, n, symmetrize=merge or True, nodes=nodes)
    except ValueError as error:
        cure = str(error).replace("pass symmetrize=", "pass merge=").replace("pass no weights", "name no weight=")
        raise ValueError(cure) from None


def _arcs(u: np.ndarray, v: np.ndarray, weights: Any, n: int, nodes: Any) -> Graph:
    try:
        return from_edges(u, v, weights, n, directed=True, nodes=nodes)
    except ValueError:  # parallel arcs whose weights differ stay as entries of their own
        return from_edges(u, v, weights, n, directed=True, nodes=nodes, drop_duplicates=False)


def _arrow_table(table: Any) -> Any:
    pa = pyarrow_module()
    if isinstance(table, pa.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        cure = "; read_graph reads files" if isinstance(table, str) or hasattr(table, "__fspath__") else ""
        raise TypeError(
            f"a table is a pyarrow Table, a polars or pandas DataFrame, a DuckDB relation, or another one with "
            f"__arrow_c_stream__, got {type(table).__name__}{cure}"
        )
    try:
        return pa.table(table)
    except pa.ArrowException as error:
        reason = " ".join(str(part) for part in error.args)
        raise ValueError(f"the table cannot be read as Arrow: {reason}; make each column of one type") from None


def chosen_ends(names: list[str], source: str | None, target: str | None, weight: str | None) -> list[str]:
    """The columns of the ends, as they are named or as their names tell."""
    if (source is None) != (target is None):
        raise ValueError("name both source and target, or neither")
    if source is not None and target is not None:
        return [source, target]
    named = ends_by_name(names)
    others = [name for name in names if name != weight and not name.startswith(_INDEX)]
    found = named[0] if len(named) == 1 else others
    if len(found) != 2 or len(named) > 1:
        raise ValueError(f"name the columns of the two ends by source= and target=; the columns are {_listed(names)}")
    return found


def check_column(names: list[str], name: Any) -> None:
    """Refuse the name of a column that is not there, or there twice."""
    if names.count(name) != 1:
        wrong = (
            f"there is no column {shown(name)}" if name not in names else f"several columns are called {shown(name)}"
        )
        raise ValueError(f"{wrong}; the columns are {_listed(names)}")


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def to_table(graph: Graph, /, **columns: Any) -> Any:
    """A table of answers: the id of each vertex, and a column for each answer.

    Parameters
    ----------
    graph : Graph
        The graph that was asked.
    **columns : arrays (n,)
        One value for each vertex, under the name of its column: labels, colors, distances, a mask.

    Returns
    -------
    pyarrow.Table
        The columns ``id`` (``graph.nodes``, of the type that the ids had in `from_table`, integers as int64; or else
        the vertices' numbers) and those given, a row for each vertex. ``polars.from_arrow`` takes it, pandas by
        ``.to_pandas()``, DuckDB by its name.

    Raises
    ------
    ValueError
        An answer has not one value for each vertex; a column is called id; names are of several types.
    ModuleNotFoundError
        Pyarrow is missing.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True)
    >>> sg.to_table(graph, member=sg.maximal_independent_set(graph), degree=graph.degrees).to_pydict()
    {'id': ['Ann', 'Bob', 'Cy'], 'member': [True, False, True], 'degree': [1, 2, 1]}
    """
    pa = pyarrow_module()
    if not isinstance(graph, Graph):
        got = f"{type(graph).__module__}.{type(graph).__qualname__}"  # networkx has a class Graph, too
        raise TypeError(f"to_table(graph, name=answer, ...) takes a Graph first, which as_graph makes; got {got}")
    if "id" in columns:
        raise ValueError("the column id is for the ids of the vertices; give that answer another name")
    arrays = {}
    for name, values in columns.items():
        array = None if isinstance(values, tuple) else np.asarray(on_host(values))
        if array is None or array.shape != (graph.num_vertices,):
            got = f"a tuple of {len(values)} results" if array is None else f"shape {array.shape}"
            raise ValueError(f"{name} must have one value for each of the {graph.num_vertices} vertices, got {got}")
        arrays[name] = pa.array(array)
    return pa.table({"id": id_column(graph.num_vertices, graph.nodes), **arrays})


def id_column(n: int, nodes: Any) -> Any:
    """The ids of n vertices as an Arrow array: their names, or else their numbers."""
    pa = pyarrow_module()
    if isinstance(nodes, ArrowNames):
        return nodes.array
    try:
        return pa.array(np.arange(n) if nodes is None else nodes)
    except pa.ArrowException:
        raise ValueError("names of several types make no column; give the graph names of one type") from None
