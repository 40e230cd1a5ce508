"""Parquet edge tables, through pyarrow: one edge a row, two columns of vertex ids and perhaps one of weights.

The ends are the columns source and target, u and v, from and to, or src and dst (in any case of letters), else the
first two; weights are in a column weight or w. Ids are integers, texts or bytes. As in a SNAP edge list they may have
gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`.

The writer adds metadata, the JSON text {"vertices": N, "directed": false} under the key "stablegraph". Where that is
there, an edge of an undirected graph stands in one direction only, and integer ids below N are the vertices as they
stand, so that isolated ones survive. Pages have checksums, which are verified.
"""

from __future__ import annotations

import importlib
import json
from typing import IO, Any

import numpy as np

from ..tables.columns import (
    column_values,
    ends_by_name,
    id_kinds,
    integer_ids,
    numbered_ends,
    pyarrow_module,
    weight_values,
)
from .contents import Contents
from .edge_lists import check_node_count, edge_list, relabel
from .source import Source

__all__ = ["MAGIC", "read", "write"]

MAGIC = b"PAR1"
WEIGHT_COLUMNS = ("weight", "w")
_METADATA = "stablegraph"
BYTES_PER_ROW = 16  # two ids


def read(source: Source, *, weights: bool) -> Contents:
    """Read an edge table."""
    pa = _pyarrow()
    try:
        return _contents(source, weights)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")[:200]
        raise source.error(f"the Parquet file is damaged or cut short: {reason}") from None


def _contents(source: Source, weights: bool) -> Contents:
    pa = _pyarrow()
    file = pa.parquet.ParquetFile(pa.BufferReader(source.data), page_checksum_verification=True)
    ends, weight = chosen_columns(source, file.schema_arrow.names)
    id_kinds(source.error, file.schema_arrow, ends)
    source.allowance.check(BYTES_PER_ROW * file.metadata.num_rows, f"the {file.metadata.num_rows} rows of the table")
    table = file.read(columns=[*ends, weight] if weights and weight is not None else ends)
    return table_contents(source, table, ends, weight if weights else None)


def table_contents(source: Source, table: Any, ends: list[str], weight: str | None) -> Contents:
    """What a table of edges says, given its columns."""
    kind = id_kinds(source.error, table.schema, ends)
    stated, directed = _metadata(source, table.schema.metadata)
    if not table.num_rows and stated is None:
        raise source.error("there are no edges in the table, and no metadata that says how many vertices there are")
    columns = [column_values(source.error, table, name) for name in ends]
    n: int
    nodes: Any
    if kind == "integers":
        u, v = (integer_ids(source.error, name, column, 0) for name, column in zip(ends, columns, strict=True))
        u, v, n, nodes = relabel(source, u, v, stated)
    else:
        u, v, nodes = numbered_ends(*columns)
        n = len(nodes)
        check_node_count(source, stated, n)
    given = None if weight is None else column_values(source.error, table, weight)
    return Contents(
        n,
        u,
        v,
        weights=None if weight is None else weight_values(source.error, weight, given),
        directed=directed,
        mirrored=False,
        nodes=nodes,
    )


def _pyarrow() -> Any:
    pa = pyarrow_module()
    importlib.import_module("pyarrow.parquet")
    return pa


def chosen_columns(source: Source, names: list[str]) -> tuple[list[str], str | None]:
    """The names of the two columns of ends, and of the column of weights if there is one."""
    lower = [name.lower() for name in names]
    others = [name for name in names if name.lower() != WEIGHT_COLUMNS[0]]
    ends = next(iter(ends_by_name(names)), others[:2])
    if len(ends) < 2:
        raise source.error(
            f"an edge has two ends, but the columns are {str(names)[:200]}; name those of the ends 'source' and "
            "'target'"
        )
    weight = next((names[lower.index(name)] for name in WEIGHT_COLUMNS if name in lower), None)
    weight = None if weight in ends else weight
    twice = next((name for name in names if name in (*ends, weight) and names.count(name) > 1), None)
    if twice is not None:
        raise source.error(f"two columns are called {twice[:200]!r}; rename one")
    return ends, weight


def _metadata(source: Source, metadata: dict[bytes, bytes] | None) -> tuple[int | None, bool | None]:
    """The number of vertices and whether the graph is directed, if the table says so."""
    text = (metadata or {}).get(_METADATA.encode())
    if text is None:
        return None, None
    try:
        about = json.loads(text)
        vertices, directed = about["vertices"], about["directed"]
    except (ValueError, KeyError, TypeError):
        vertices = directed = None
    if type(vertices) is not int or vertices < 0 or type(directed) is not bool:
        raise source.error(
            f"the metadata {_METADATA!r} must be like {json.dumps({'vertices': 5, 'directed': False})}, not "
            f"{text[:60].decode('utf-8', 'backslashreplace')!r}"
        )
    return vertices, directed


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an edge table."""
    table = graph_table(graph, "parquet")
    pa = _pyarrow()
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, write_page_checksum=True)
    stream.write(memoryview(sink.getvalue()))


def graph_table(graph: Any, format: str) -> Any:
    """The table of a graph's edges."""
    pa = pyarrow_module()
    u, v, w, undirected, names = edge_list(graph, "iuU")
    columns = {"source": pa.array(u), "target": pa.array(v)}
    if names is not None:
        labels = pa.array(names)
        columns = {end: labels.take(numbers) for end, numbers in columns.items()}
    if w is not None:
        if w.dtype.kind == "f" and np.isnan(w).any():
            k = int(np.argmax(np.isnan(w)))
            raise ValueError(
                f"weights in a table are numbers, but entry ({int(u[k])}, {int(v[k])}) weighs nan; write the format "
                "'npz' instead"
            )
        try:
            columns["weight"] = pa.array(w)
        except pa.ArrowNotImplementedError:
            raise ValueError(f"the format {format} has no weights of type {w.dtype}; write 'npz'") from None
    about = json.dumps({"vertices": graph.num_vertices, "directed": not undirected})
    return pa.table(columns).replace_schema_metadata({_METADATA: about})
