"""Tables of clusters: the id of each record, the name of its cluster, and the size of the cluster.

A cluster is named after its smallest id, so that its name depends neither on other clusters nor on the order of rows.
`cluster_table` makes the table from labels of a graph. `cluster_pairs` makes it from a table of scored pairs: a
threshold selects the pairs, and connected components, or forest/one_per_source.py, are the clusters.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.groups import as_groups, smallest_members
from .._core.texts import short_repr
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, host_array
from .._core.vertex_names import shown_vertex
from .._core.vertex_values import in_vertex_order
from ..components.api import connected_components
from ..components.bridges import bridges
from ..conversion import from_edges, undirected
from ..forest.one_per_source import one_per_source
from ..graph import Graph
from . import arrow_table, checked_graph, id_column, id_values
from .columns import (
    Column,
    Columns,
    NamedColumn,
    choose_columns,
    column_values,
    ends_by_name,
    id_kind,
    number_values,
    numbered_columns,
    plain_values,
    pyarrow_module,
    schema_columns,
)

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


@suggests_options
def cluster_table(graph: Graph, labels: Any, *, facts: bool = False) -> Any:
    """Make a table of clusters: the id of each vertex, the smallest id of its cluster, and the size of the cluster.

    >>> import stablegraph as sg
    >>> sg.cluster_table(sg.gallery.grid((3,)), [0, 0, 1]).to_pydict()
    {'id': [0, 1, 2], 'cluster': [0, 0, 2], 'size': [2, 2, 1]}

    Parameters
    ----------
    graph : Graph
        The graph to which the labels belong.
    labels : integer array (n,)
        The cluster of each vertex, as from `connected_components`, `communities` or `aggregate`; any numbers.
    facts : bool
        Add three columns about the edges with both ends in the cluster: ``edges``, their number; ``density``, that
        number divided by the number of pairs of vertices (missing for a single vertex); and ``bridges``, the number of
        edges whose removal divides the cluster. The graph must then be undirected.

    Returns
    -------
    pyarrow.Table
        One row for each vertex, with the columns ``id``, ``cluster`` and ``size``, and with those of `facts`, which are
        equal for all vertices of a cluster. Loops and repeated entries are not counted as edges. A cluster is called by
        the id of its smallest vertex. `from_table` numbers vertices in ascending order of id, so this is its smallest
        id, and it does not depend on other clusters. In a graph with names from `from_edges`, it is the first of its
        names in ``graph.nodes``.

    Raises
    ------
    ValueError
        If there is not one label for each vertex, names have several types, or `facts` are requested for a directed
        graph.
    TypeError
        If `graph` is no Graph, the labels are not integers, or `facts` is not a bool.
    ModuleNotFoundError
        Pyarrow is not installed.

    Notes
    -----
    Work memory: about 30 bytes per vertex. Labels that are negative or at least n are sorted first. `facts` take a
    depth-first search, and up to 40 bytes per entry.

    Examples
    --------
    >>> import pyarrow as pa, stablegraph as sg
    >>> graph = sg.from_table(pa.table({"source": ["r-17", "r-02", "r-88"], "target": ["r-20", "r-17", "r-31"]}))
    >>> count, labels = sg.connected_components(graph)
    >>> table = sg.cluster_table(graph, labels).to_pydict()
    >>> table["id"]
    ['r-02', 'r-17', 'r-20', 'r-31', 'r-88']
    >>> table["cluster"], table["size"]
    (['r-02', 'r-02', 'r-02', 'r-31', 'r-31'], [3, 3, 3, 2, 2])
    """
    pa, graph = pyarrow_module(), checked_graph(graph, "cluster_table(graph, labels)")
    array = host_array(in_vertex_order(labels, "labels", graph), "labels")
    if array.shape != (graph.num_vertices,):
        raise ValueError(f"labels must have one label for each of the {graph.num_vertices} vertices, got {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    smallest, ids = smallest_members(as_groups(array)), id_column(graph.num_vertices, graph.nodes)
    sizes = np.bincount(smallest)[smallest]
    columns = {"id": ids, "cluster": ids.take(pa.array(smallest)), "size": pa.array(sizes, pa.int64())}
    return pa.table(columns | (_facts(graph, smallest, sizes) if boolean(facts, "facts") else {}))


def _facts(graph: Graph, smallest: np.ndarray, sizes: np.ndarray) -> dict[str, Any]:
    """Return the columns of facts about the clusters; `smallest` is the smallest vertex of each vertex's cluster."""
    pa, n, graph = pyarrow_module(), graph.num_vertices, edges_inside(graph, smallest)
    edges = np.bincount(smallest[graph._rows()], minlength=n)[smallest] // 2
    cut = np.bincount(smallest[bridges(graph)[:, 0]], minlength=n)[smallest]
    pairs = sizes * (sizes - 1) / 2
    density = pa.array(edges / np.maximum(pairs, 1), mask=sizes < 2)
    return {"edges": pa.array(edges, pa.int64()), "density": density, "bridges": pa.array(cut, pa.int64())}


def edges_inside(graph: Graph, labels: np.ndarray) -> Graph:
    """Return the simple graph of the edges whose ends have equal labels."""
    graph = undirected(graph).to("cpu").simple()
    rows, indices = graph._rows(), graph.indices
    inside = labels[rows] == labels[indices]
    return graph if inside.all() else from_edges(rows[inside], indices[inside], n=graph.num_vertices)


@suggests_options
def cluster_pairs(
    pairs: Any,
    records: Any = None,
    *,
    threshold: float | None = None,
    column: str | None = None,
    source: str | None = None,
    target: str | None = None,
    id: str | None = None,
    sources: str | None = None,
    start: Any = None,
    facts: bool = False,
) -> Any:
    """Find the clusters of records that pairs connect, for deduplication: a table with the cluster of each id.

    >>> import pyarrow as pa, stablegraph as sg
    >>> pairs = pa.table({"id_l": ["a1", "a2"], "id_r": ["a2", "b1"], "score": [0.99, 0.3]})
    >>> sg.cluster_pairs(pairs, ["a1", "a2", "b1"], threshold=0.9).to_pydict()
    {'id': ['a1', 'a2', 'b1'], 'cluster': ['a1', 'a1', 'b1'], 'size': [2, 2, 1]}

    Records that are connected directly or through other records are a cluster (entity resolution, record linkage).

    Parameters
    ----------
    pairs : table
        One pair of ids in each row: what `from_table` takes.
    records : table or column of ids, optional
        All records, so that those without pairs are in the result: a column of ids, or a table with one.
    threshold : int or float, optional
        Use only pairs with a score of at least this number. By default all pairs are used.
    column : str, optional
        The column of scores in `pairs`, for `threshold` and `sources`. The default is the only column of numbers other
        than the ends.
    source, target : str, optional
        The columns of the two ids of a pair. The default is the only pair of columns called source and target, u and v,
        from and to, or src and dst (case-insensitive), or the only two columns other than the scores.
    id : str, optional
        The column of ids in the table `records`. The default is the column called id (case-insensitive), or the only
        column other than `sources`.
    sources : str, optional
        A column of the table `records` that names the source of each record, if no source contains the same entity
        twice. A cluster then has at most one record of each source: pairs join two clusters in the order of their
        scores, the largest first, unless the clusters have records of the same source. Of pairs with equal scores, the
        one with the smallest ids is first.
    start : table, optional
        An earlier result, with the columns id and cluster. Its clusters are kept together, and `pairs` need to contain
        only the pairs that were added since. A cluster keeps its name unless it gets a smaller id.
    facts : bool
        Add the number of edges (distinct pairs), the density and the number of bridges of each cluster, as
        `cluster_table` does. Not with `start`, whose table does not contain the earlier pairs.

    Returns
    -------
    table
        One row for each id of a pair that is used, of `records` and of `start`, in ascending order of id, with the
        columns ``id``, ``cluster`` (the smallest id in the cluster) and ``size``. A polars or pandas DataFrame if
        `pairs` is one, otherwise a pyarrow Table.

    Raises
    ------
    ValueError
        An id, a score or a source is missing, or a score is NaN; a column does not exist, is ambiguous or has an
        unsupported type; an argument has no effect without another one; an id of the pairs has no source, or one id
        several; `start` contains an id twice, a cluster that is no id, or two records of the same source in one
        cluster. The message names the column, and the row if there is one.
    TypeError
        A table is none, `records` is neither a table nor a column of ids, or `threshold` is not a number.
    ModuleNotFoundError
        Pyarrow is not installed.

    See Also
    --------
    cluster_table : Make the same table from a graph and labels.
    connected_components : Find the clusters of a graph.
    is_one_per_source : Check clusters with at most one record of each source.

    Notes
    -----
    Deterministic: the result depends neither on the order of the rows nor on the number of threads. Ids of pairs below
    the threshold are in the result only if `records` or other pairs contain them. Work memory: that of `from_table` for
    the pairs that are used, the records and `start`. With `sources`, one thread joins the clusters, in O(m + n log n)
    steps for n records of at most 62 sources and m pairs; for k sources, a refused pair takes up to k / 62 steps.
    The rule and its cost are in forest/one_per_source.py.

    References
    ----------
    J. Kruskal, "On the Shortest Spanning Subtree of a Graph and the Traveling Salesman Problem", Proceedings of the AMS
    7(1), 1956.

    Examples
    --------
    Two customer lists, each without duplicates; the link of b2 is weaker than that of b1:

    >>> records = pa.table({"id": ["a1", "b1", "b2"], "list": ["A", "B", "B"]})
    >>> links = pa.table({"id_l": ["a1", "a1"], "id_r": ["b1", "b2"], "score": [0.9, 0.8]})
    >>> sg.cluster_pairs(links, records, threshold=0.5, sources="list").to_pydict()["cluster"]
    ['a1', 'a1', 'b2']

    One more pair:

    >>> earlier = sg.cluster_pairs(links, threshold=0.85)
    >>> sg.cluster_pairs(pa.table({"source": ["c1"], "target": ["b1"]}), start=earlier).to_pydict()
    {'id': ['a1', 'b1', 'c1'], 'cluster': ['a1', 'a1', 'a1'], 'size': [3, 3, 3]}
    """
    facts, number = boolean(facts, "facts"), _threshold(threshold)
    if column is not None and number is None and sources is None:
        raise ValueError("column= names the scores, which only threshold= and sources= use; pass one of them")
    if sources is not None and not _is_table(records):
        raise ValueError("sources= names a column of the table records; pass records=, a table with ids and sources")
    if id is not None and not _is_table(records):
        raise ValueError("id= names a column of the table records; pass such a table")
    if facts and start is not None:
        raise ValueError("facts=True counts pairs, but start= does not contain the earlier ones; leave out one of them")

    needs_scores = number is not None or sources is not None
    ends, scores = _chosen_pairs(pairs, Columns(source, target, column), needs_scores, number)
    given, origin = (None, None) if records is None else chosen_records(records, id, sources)
    earlier = [] if start is None else _chosen_start(start)
    columns = [*ends, *earlier, *([] if given is None else [given])]
    filled = [one for one in columns if len(one.values)]
    kind = id_kind(ValueError, filled) if filled else "integers"
    columns = [one if len(one.values) or not filled else NamedColumn(one.name, filled[0].values[:0]) for one in columns]
    values = [plain_values(ValueError, one) for one in columns]
    if not filled:
        values = [pyarrow_module().chunked_array([], "int64") for _ in columns]
    u, v, others, n, nodes = numbered_columns(ValueError, kind, columns, values)
    groups = None if start is None else _groups(n, nodes, *others[:2])
    if origin is None:
        if groups is not None:
            u, v = np.concatenate([u, np.arange(n, dtype=u.dtype)]), np.concatenate([v, groups.astype(v.dtype)])
        graph = from_edges(u, v, n=n, symmetrize=True, nodes=nodes)
        labels = connected_components(graph)[1]
    else:
        u, v = (end.astype(index_type(n), copy=False) for end in (u, v))
        scores = np.empty(0) if scores is None else scores
        labels = one_per_source(u, v, scores, sources_of(n, nodes, others[-1], origin), groups, nodes)
        used = slice(None) if facts else slice(0)  # only the facts need edges
        graph = from_edges(u[used], v[used], n=n, symmetrize=True, nodes=nodes)
    return _as_library_of(pairs, cluster_table(graph, labels, facts=facts))


def called_id(names: Sequence[str]) -> list[int]:
    """Return the positions of the columns called id, in any case and with blanks around the name."""
    return [i for i, name in enumerate(names) if name.strip().lower() == "id"]


def selects(comparison: str, values: np.ndarray, number: float) -> Any:
    """Return the mask of the values that compare as stated; integers are compared exactly."""
    if values.dtype.kind != "f" and float(number).is_integer():
        number = int(number)
    return COMPARISONS[comparison](values, number)


def _threshold(threshold: Any) -> float | None:
    """Return a threshold that is a number, or None."""
    if threshold is None:
        return None
    is_number = isinstance(threshold, (int, float, np.integer, np.floating)) and not isinstance(threshold, bool)
    if not is_number or not np.isfinite(threshold):
        error = ValueError if is_number else TypeError
        raise error(f"threshold must be a finite number, got {short_repr(threshold)}")
    return threshold if isinstance(threshold, int) else threshold.item() if hasattr(threshold, "item") else threshold


def _is_table(records: Any) -> bool:
    return hasattr(records, "columns") or (hasattr(records, "schema") and hasattr(records, "__arrow_c_stream__"))


def _chosen_pairs(
    pairs: Any, columns: Columns, needs_scores: bool, number: float | None
) -> tuple[list[NamedColumn], np.ndarray | None]:
    """Return the columns of both ends, with the rows up to the threshold, and their scores."""
    pa, table = pyarrow_module(), arrow_table(pairs, columns)
    known = schema_columns(table.schema)
    if columns.weight is None:
        score = _only_numbers(known, columns, needs_scores and table.num_rows > 0)
        columns = columns._replace(weight=score, weights=None if score else False)
    names, score = choose_columns(_about("pairs"), known, columns)
    if score in names:
        raise ValueError(f"column {short_repr(score)} is an end of the pairs, so it holds no scores; pass column=")
    ends = [NamedColumn(name, column_values(ValueError, table, name)) for name in names]
    if score is None or not needs_scores:
        return ends, None
    scores = number_values(ValueError, score, column_values(ValueError, table, score), called="score")
    if number is None:
        return ends, scores
    rows = selects(">=", scores, number)
    large = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}  # pyarrow cannot filter views
    flat = [end.values.cast(large.get(str(end.values.type), end.values.type)) for end in ends]
    return [NamedColumn(*end) for end in zip(names, (one.filter(pa.array(rows)) for one in flat), strict=True)], scores[
        rows
    ]


def _only_numbers(known: list[Column], columns: Columns, needs_scores: bool) -> str | None:
    """Return the only column that can hold the scores, or None if they are not needed."""
    ends = {columns.source, columns.target}.union(*ends_by_name([column.name for column in known]))
    numbers = [one.name for one in known if one.is_number and not one.is_index and one.name not in ends]
    if needs_scores and len(numbers) != 1:
        found = f"one of {', '.join(map(short_repr, numbers))}" if numbers else "in no column of numbers"
        raise ValueError(f"pairs: the scores are {found}; name their column by column=")
    return numbers[0] if len(numbers) == 1 and len(known) > 2 else None


def _about(argument: str) -> Callable[[str], Exception]:
    """Return errors that name the argument."""
    return lambda text: ValueError(f"{argument}: {text}")


def chosen_records(records: Any, id: str | None, sources: str | None) -> tuple[NamedColumn, Any]:
    """Return the column of ids of the records, and the source of each as a number."""
    if not _is_table(records):
        return id_values("records", records), None
    table = arrow_table(records, Columns())
    names = [column.name for column in schema_columns(table.schema) if not column.is_index]
    others = [name for name in names if name != sources]
    called = [id] if id is not None else [names[i] for i in called_id(names)] or others
    for option, found in (("id", called), ("sources", [] if sources is None else [sources])):
        if (option == "id" or found) and [table.column_names.count(name) for name in found] != [1]:
            shown = ", ".join(map(short_repr, table.column_names))
            raise ValueError(f"records: name one column by {option}=; the columns are {shown or 'none'}")
    about = _about("records")
    ids = NamedColumn(called[0], column_values(about, table, called[0]))
    if sources is None:
        return ids, None
    values = NamedColumn(sources, column_values(about, table, sources))
    kind = id_kind(about, [values])
    return ids, numbered_columns(about, kind, [values, values], [values.values, values.values[:0]])[0]


def _chosen_start(start: Any) -> list[NamedColumn]:
    """Return the columns of the ids and the clusters of an earlier result."""
    table = arrow_table(start, Columns())
    for name in ("id", "cluster"):
        if table.column_names.count(name) != 1:
            shown = ", ".join(map(short_repr, table.column_names))
            raise ValueError(f"start must have the columns id and cluster, as cluster_pairs returns them, got {shown}")
    return [NamedColumn(name, column_values(_about("start"), table, name)) for name in ("id", "cluster")]


def _groups(n: int, nodes: Any, ids: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Return the smallest vertex of the earlier cluster of each vertex; new vertices are clusters of their own."""
    counts = np.bincount(ids, minlength=n)
    if counts.max(initial=0) > 1:
        raise ValueError(f"start has several rows with the id {shown_vertex(int(counts.argmax()), nodes)}")
    if not (known := counts[clusters] > 0).all():
        name = shown_vertex(int(clusters[known.argmin()]), nodes)
        raise ValueError(f"start has the cluster {name}, which is none of its ids; pass a table of cluster_pairs")
    groups = np.arange(n)
    groups[ids] = clusters
    smallest: np.ndarray = smallest_members(as_groups(groups))
    return smallest


def sources_of(n: int, nodes: Any, ids: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return the source of each vertex."""
    sources = np.full(n, -1)
    sources[ids] = origin
    if (other := sources[ids] != origin).any():
        raise ValueError(f"records= has the id {shown_vertex(int(ids[other.argmax()]), nodes)} with several sources")
    if n and sources.min() < 0:
        name = shown_vertex(int(sources.argmin()), nodes)
        raise ValueError(f"the id {name} is not in records=, so its source is unknown; add it, or drop its pairs")
    return sources


def _as_library_of(given: Any, table: Any) -> Any:
    """Return a table as a DataFrame of the library of `given`; a pyarrow Table for libraries that read these."""
    library = type(given).__module__.partition(".")[0]
    if library == "polars":
        return sys.modules["polars"].from_arrow(table)
    return table.to_pandas() if library == "pandas" else table
