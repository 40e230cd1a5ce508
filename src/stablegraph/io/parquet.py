"""Parquet edge tables, through pyarrow: one edge a row, two columns of vertex ids and perhaps one of weights.

The ends are the columns source and target, u and v, from and to, or src and dst (in any case of letters), else the
first two; weights are in a column weight or w. Ids are integers or texts. As in a SNAP edge list they may have gaps:
vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`.

The writer adds metadata, the JSON text {"vertices": N, "directed": false} under the key "stablegraph". Where that is
there, an edge of an undirected graph stands in one direction only, and integer ids below N are the vertices as they
stand, so that isolated ones survive. Pages have checksums, which are verified.
"""

from __future__ import annotations

import json
from typing import IO, Any

import numpy as np

from .contents import Contents
from .snap import check_node_count, edge_list, relabel
from .source import Source

__all__ = ["MAGIC", "read", "write"]

MAGIC = b"PAR1"
_ENDS = (("source", "target"), ("u", "v"), ("from", "to"), ("src", "dst"))
_WEIGHT = ("weight", "w")
_METADATA = "stablegraph"
_LARGEST_ID = 2**63 - 1


def read(source: Source, *, weights: bool) -> Contents:
    """Read an edge table."""
    pa = _pyarrow()
    try:
        return _contents(source, weights)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise source.error(f"the Parquet file is damaged or cut short: {reason}") from None


def _contents(source: Source, weights: bool) -> Contents:
    pa = _pyarrow()
    file = pa.parquet.ParquetFile(pa.BufferReader(source.data), page_checksum_verification=True)
    schema = file.schema_arrow
    ends, weight = _chosen_columns(source, schema.names)
    has_texts = _ends_are_texts(source, schema, ends)
    chosen = [*ends, weight] if weights and weight is not None else ends
    table = file.read(columns=chosen)
    stated, directed = _metadata(source, schema.metadata)
    if not table.num_rows and stated is None:
        raise source.error("there are no edges in the table, and no metadata that says how many vertices there are")
    first, second, *last = (_values(source, table, name) for name in chosen)
    n: int
    nodes: Any
    if has_texts:
        u, v, nodes = _numbered_texts(first, second)
        n = len(nodes)
        check_node_count(source, stated, n)
    else:
        u, v = _integer_ids(source, ends[0], first), _integer_ids(source, ends[1], second)
        u, v, n, nodes = relabel(source, u, v, stated)
    return Contents(
        n,
        u,
        v,
        weights=_weights(source, chosen[2], last[0]) if last else None,
        directed=directed,
        mirrored=False,
        nodes=nodes,
    )


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'Parquet tables need pyarrow: pip install "stablegraph[io]"', name="pyarrow"
        ) from None
    return pyarrow


def _chosen_columns(source: Source, names: list[str]) -> tuple[list[str], str | None]:
    """The names of the two columns of ends, and of the column of weights if there is one."""
    lower = [name.lower() for name in names]
    by_name = next(([lower.index(a), lower.index(b)] for a, b in _ENDS if a in lower and b in lower), None)
    ends = by_name or [k for k, name in enumerate(lower) if name != _WEIGHT[0]][:2]
    if len(ends) < 2:
        raise source.error(
            f"an edge has two ends, but the columns are {names}; name those of the ends 'source' and 'target'"
        )
    weight = next((lower.index(name) for name in _WEIGHT if name in lower and lower.index(name) not in ends), None)
    for k in (*ends, weight):
        if k is not None and names.count(names[k]) > 1:
            raise source.error(f"two columns are called {names[k]!r}; rename one")
    return [names[k] for k in ends], None if weight is None else names[weight]


def _ends_are_texts(source: Source, schema: Any, ends: list[str]) -> bool:
    """Whether ids are texts, not integers; nothing else is an id, and one table does not mix them."""
    pa = _pyarrow()
    texts = []
    for name in ends:
        kind = schema.field(name).type
        values = kind.value_type if pa.types.is_dictionary(kind) else kind
        texts.append(str(values) in ("string", "large_string", "string_view"))
        if not texts[-1] and not pa.types.is_integer(values):
            raise source.error(f"column {name!r} is of type {kind}, but vertex ids are integers or texts; convert it")
    if texts[0] != texts[1]:
        raise source.error(
            f"column {ends[0]!r} is of type {schema.field(ends[0]).type}, but column {ends[1]!r} of type "
            f"{schema.field(ends[1]).type}; both ends of an edge must be integers, or both texts"
        )
    return texts[0]


def _values(source: Source, table: Any, name: str) -> Any:
    """A column of values, none of them missing (pandas stores categories as a dictionary and numbers into it)."""
    pa = _pyarrow()
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = pa.compute.index(pa.compute.is_null(column), True).as_py()
        raise _error_at(source, name, row, "the value is missing; fill it in or drop the row")
    return column


def _error_at(source: Source, column: str, row: int, message: str) -> Exception:
    return source.error(f"column {column!r}, row {row} (the first is 0): {message}")


def _integer_ids(source: Source, name: str, column: Any) -> np.ndarray:
    ids: np.ndarray = column.to_numpy()
    wrong = (ids < 0) | (ids > _LARGEST_ID)
    if wrong.any():
        row = int(np.argmax(wrong))
        reason = "is less than 0" if ids[row] < 0 else "does not fit 64 bits with a sign"
        raise _error_at(source, name, row, f"vertex id {int(ids[row])} {reason}")
    return ids.astype(np.int64)


def _numbered_texts(u: Any, v: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Numbers 0 .. n - 1 in place of texts, and the texts in ascending order."""
    pa = _pyarrow()
    u, v = u.cast(pa.large_string()), v.cast(pa.large_string())
    names = pa.compute.unique(pa.chunked_array([*u.chunks, *v.chunks], pa.large_string()))
    names = names.take(pa.compute.sort_indices(names))
    u, v = (pa.compute.index_in(column, value_set=names).to_numpy().astype(np.int64) for column in (u, v))
    return u, v, names.to_pylist()


def _weights(source: Source, name: str, column: Any) -> np.ndarray:
    pa = _pyarrow()
    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise source.error(
            f"column {name!r} is of type {kind}, but weights are numbers; convert it, or read without weights"
        )
    weights: np.ndarray = column.to_numpy()
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        raise _error_at(source, name, int(np.argmax(np.isnan(weights))), "the weight is not a number")
    return weights


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
    pa = _pyarrow()
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
            raise ValueError(f"the format parquet has no weights of type {w.dtype}; write 'npz'") from None
    about = json.dumps({"vertices": graph.num_vertices, "directed": not undirected})
    table = pa.table(columns).replace_schema_metadata({_METADATA: about})
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, write_page_checksum=True)
    stream.write(memoryview(sink.getvalue()))
