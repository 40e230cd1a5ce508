"""Components in tables with the ids of a file: each vertex, the smallest id of its component, and the size.

Such a table is an answer of ``components --label smallest``, which ``verify`` reads, and a start for added edges. A
cluster is called by an id, so that its name does not depend on the numbers of vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import stablegraph as sg

from .._core.csr.groups import smallest_members
from .._core.vertex_names import names_of
from ..io.source import format_suffix
from ..io.target import compressed, replacing
from ..io.titled_table import SUFFIXES, integers_of_texts
from ..tables.columns import pyarrow_module
from ..tables.interface import id_column
from .answer_files import (
    ARROW,
    Numbers,
    arrow_bytes,
    arrow_table,
    csv_bytes,
    numbers_in,
    read_bytes,
    refuse_other_titles,
    table_in,
)
from .failures import blamed_on

_COLUMNS = ["id", "cluster", "size"]
_CLUSTERS = ("cluster", "labels")  # names of the column of clusters in answers


def is_table(file: str) -> bool:
    """Return whether the suffix of a file is that of a table."""
    return format_suffix(file) in (*SUFFIXES, ".parquet", ".feather")


def write_clusters(file: str, graph: sg.Graph, labels: Numbers) -> None:
    """Write the table; `labels` are the smallest vertices."""
    suffix = format_suffix(file)
    with blamed_on(file), replacing(file) as whole, compressed(whole, file) as output:
        if suffix in SUFFIXES:
            output.write(csv_bytes(_COLUMNS, _cluster_rows(graph, labels), SUFFIXES[suffix]))
        else:
            output.write(arrow_bytes(sg.cluster_table(graph, labels), suffix))


def _cluster_rows(graph: sg.Graph, labels: Numbers) -> Any:
    """Yield id, cluster and size of each vertex; `labels` are the smallest vertices."""
    vertices, nodes = [np.arange(labels.size), labels], graph.nodes
    columns = [column.tolist() if nodes is None else names_of(column, nodes) for column in vertices]
    return zip(*columns, np.bincount(labels)[labels].tolist(), strict=True)


def read_labels(file: str, graph: sg.Graph) -> Numbers:
    """Read the components of all vertices from a file that ``components`` wrote, in one of its forms."""
    name, data = read_bytes(file)
    lines = table_in(name, data)
    if lines is None or lines[0] != _COLUMNS:
        return numbers_in(name, data, "labels", graph)
    ids, clusters = _ids_and_clusters(name, lines)
    names = np.array([str(vertex) for vertex in (range(len(graph)) if graph.nodes is None else graph.nodes)], np.str_)
    if not np.array_equal(np.sort(ids), np.sort(names)):
        raise ValueError(f"{name}: its ids are not those of the graph's {len(graph):,} vertices, each in one line")
    labels = np.empty(ids.size, np.int64)
    labels[np.argsort(names)[np.argsort(np.argsort(ids))]] = np.unique(clusters, return_inverse=True)[1]
    written = {tuple(line) for line in lines[1:]}
    for row in _cluster_rows(graph, smallest_members(labels)):
        if tuple(map(str, row)) not in written:
            raise ValueError(f"{name}: the smallest id in the cluster of {row[0]} is {row[1]}, and its size {row[2]}")
    return labels


def with_earlier_clusters(added: sg.Graph, file: str) -> sg.Graph:
    """Return a graph with the same components as all edges: the added ones, and each vertex with its earlier cluster.

    Its vertices are those of the graph and of the file, in ascending order of ids.
    """
    pa, n = pyarrow_module(), len(added)
    known, (ids, clusters) = id_column(n, added.nodes), _earlier_clusters(file, added)
    if pa.types.is_string(ids.type) and pa.types.is_integer(known.type):
        numbers = integers_of_texts(ids.to_pylist())
        ids = ids if numbers is None else pa.array(numbers)
    if pa.types.is_integer(ids.type) != pa.types.is_integer(known.type):
        ids, known = ids.cast(pa.string()), known.cast(pa.string())
    first, group = np.unique(clusters, return_index=True, return_inverse=True)[1:]
    columns = {  # each vertex is an end, so that it is in the graph
        "source": [known.take(pa.array(added._rows())), known, ids.take(pa.array(first[group]))],
        "target": [known.take(pa.array(added.indices)), known, ids],
    }
    both = {name: pa.chunked_array([piece.cast(known.type) for piece in pieces]) for name, pieces in columns.items()}
    graph = sg.from_table(pa.table(both), directed=False)
    is_numbered = added.nodes is None and np.array_equal(np.asarray(graph.nodes), np.arange(len(graph)))
    return graph._replace(nodes=None) if is_numbered else graph


def _earlier_clusters(file: str, added: sg.Graph) -> tuple[Any, Numbers]:
    """Return the ids in a file as an Arrow array, and a number for the cluster of each."""
    pa, (name, data) = pyarrow_module(), read_bytes(file)
    if data.startswith(ARROW):
        table = arrow_table(name, data)
        column = next((called for called in _CLUSTERS if called in table.column_names), None)
        if table.column_names[0] == "id" and column is not None:
            ids, clusters = (pa.concat_arrays(table[called].chunks) for called in ("id", column))
            if ids.null_count + clusters.null_count:
                raise ValueError(f"{name}: the columns id and {column} must not have missing values")
            if len(ids.unique()) == len(ids):
                return ids, clusters.dictionary_encode().indices.to_numpy()
    lines = table_in(name, data)
    if lines is not None:
        ids, clusters = _ids_and_clusters(name, lines)
        return pa.array(ids.tolist(), pa.string()), np.unique(clusters, return_inverse=True)[1]
    if pa.types.is_integer(id_column(len(added), added.nodes).type):
        refuse_other_titles(name, data, "id and cluster")
        clusters = numbers_in(name, data, "labels", added, all_vertices=False)
        return pa.array(np.arange(clusters.size)), clusters
    raise ValueError(f"{name}: the vertices of the graph have names; pass a table with the columns id and cluster")


def _ids_and_clusters(name: str, lines: list[list[str]]) -> tuple[Any, Any]:
    """Return the ids and the clusters of a table as arrays of texts."""
    title, *rows = lines
    column = next((title.index(called) for called in _CLUSTERS if called in title), None)
    if title[0] != "id" or column is None:
        raise ValueError(f"{name}, line 1: the columns must be id and cluster, got {','.join(title)[:60]!r}")
    for line, row in enumerate(rows, 2):
        if row and len(row) != len(title):
            raise ValueError(f"{name}, line {line}: expected {len(title)} values, got {len(row)}")
    ids, clusters = (np.array([row[place] for row in rows if row], np.str_) for place in (0, column))
    distinct, counts = np.unique(ids, return_counts=True)
    if distinct.size < ids.size:
        raise ValueError(f"{name}: vertex {distinct[counts.argmax()][:30]} has several lines")
    return ids, clusters
