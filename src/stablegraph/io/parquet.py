"""Parquet and Feather edge tables, through pyarrow: one edge per row, two columns of ids and perhaps one of weights.

`tables.columns.choose_columns` chooses the columns. Ids are integers, texts or bytes. As in a SNAP edge list they may
have gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`. A folder of
Parquet files with the same columns is one table: the rows of all files, in the order of the files' names.

The writer stores the names of the vertices, or their numbers if they have no names. It adds metadata, the JSON text
{"vertices": N, "directed": false} under the key "stablegraph". If a table has this metadata, it states the direction,
and integer ids below N are vertex numbers, so that isolated vertices are preserved. In a table without it, rows are
edges, unless the caller states that they are arcs. Pages of Parquet files have checksums, which the reader verifies;
Feather (Arrow IPC) files have none.
"""

from __future__ import annotations

import importlib
import json
import shlex
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..tables.columns import (
    METADATA,
    PANDAS,
    Columns,
    choose_columns,
    distinct_columns,
    pyarrow_module,
    schema_columns,
)
from .contents import Contents, names_at, table_contents, table_edges
from .source import Allowance, GraphFileError, Progress, Source

MAGIC = b"PAR1"
BYTES_PER_ROW = 16  # two ids
_SUFFIXES = (".parquet", ".pq")
_NO_DATA = (".", "_")  # first characters of hidden and descriptive files such as _SUCCESS and _metadata


def read(source: Source, columns: Columns) -> Contents:
    """Read an edge table."""
    pa = _pyarrow()
    try:
        file = pa.parquet.ParquetFile(pa.BufferReader(source.data), page_checksum_verification=True)
        ends, weight = choose_columns(source.error, schema_columns(file.schema_arrow), columns)
        rows = file.metadata.num_rows
        source.allowance.check(BYTES_PER_ROW * rows, f"the {rows} rows of the table")
        return table_contents(source, file.read(columns=distinct_columns(ends, weight)), ends, weight)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise damaged(source.name, error) from None


def read_feather(source: Source, columns: Columns) -> Contents:
    """Read an edge table in Feather format."""
    pa, feather = pyarrow_module(), importlib.import_module("pyarrow.feather")
    try:
        schema = pa.ipc.open_file(pa.BufferReader(source.data)).schema
        ends, weight = choose_columns(source.error, schema_columns(schema), columns)
        table = feather.read_table(pa.BufferReader(source.data), columns=distinct_columns(ends, weight))
        table.validate(full=True)
        source.allowance.check(BYTES_PER_ROW * table.num_rows, f"the {table.num_rows} rows of the table")
        return table_contents(source, table, ends, weight)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")[:200]
        raise source.error(f"the Feather file is damaged or cut short: {reason}") from None


def read_folder(folder: str, columns: Columns, allowance: Allowance, report: Progress | None) -> Contents:
    """Read all Parquet files of a folder as one table."""
    pa = _pyarrow()
    files, schema = table_files(Path(folder))
    source = Source(folder, bytearray(), allowance)
    ends, weight = choose_columns(source.error, schema_columns(schema), columns)
    sizes = [path.stat().st_size for path, _ in files]
    allowance.size = sum(sizes)
    allowance.check(BYTES_PER_ROW * sum(rows for _, rows in files), "the rows of the table")
    tables = []
    for k, (path, _) in enumerate(files):
        try:
            with open_file(path) as file:
                tables.append(file.read(columns=distinct_columns(ends, weight)))
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise damaged(path, error) from None
        if report is not None:
            report(sum(sizes[: k + 1]), allowance.size)
    table = pa.concat_tables([table.replace_schema_metadata(schema.metadata) for table in tables])
    return table_contents(source, table, ends, weight)


def table_files(path: Path) -> tuple[list[tuple[Path, int]], Any]:
    """Return the Parquet files of a table with their numbers of rows, in the order of their names, and the schema.

    `path` is a file, or a folder of files with the same columns. The metadata of the schema contains only the statement
    about the graph, which must be the same in all files, and the description of pandas in the first file.
    """
    files: list[tuple[Path, int]] = []
    first: Any = None
    for one in _files_in(path) if path.is_dir() else [path]:
        with open_file(one) as file:
            metadata = file.schema_arrow.metadata or {}
            about = metadata.get(METADATA.encode())
            kept = {key: metadata[key] for key in (METADATA.encode(), PANDAS) if key in metadata}
            schema = file.schema_arrow.with_metadata(kept)
            files.append((one, file.metadata.num_rows))
        first = schema if first is None else first
        if not schema.equals(first):
            raise GraphFileError(
                f"{one}: its columns are {_described(schema)}, but those of {files[0][0].name} are {_described(first)}"
            )
        if about != (first.metadata or {}).get(METADATA.encode()):
            raise GraphFileError(
                f"{one}: its metadata {METADATA!r} differs from that of {files[0][0].name}, so the files are not parts "
                "of one graph; read them one by one"
            )
    return files, first


def _files_in(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder in the order of their names; refuse a folder with anything else in it."""
    entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith(_NO_DATA)]
    other = next((one for one in entries if one.is_dir() or one.suffix.lower() not in _SUFFIXES), None)
    if other is not None or not entries:
        content = "it is empty" if other is None else f"it contains {other.name!r}"
        raise IsADirectoryError(
            f"{folder}: a folder is read as one table if it contains Parquet files (*.parquet) and nothing else, but "
            f"{content}; name a file, or a folder of Parquet files"
        )
    return entries


def open_file(path: Path | str) -> Any:
    """Open a Parquet file; refuse any other file by its name."""
    pa = _pyarrow()
    try:
        return pa.parquet.ParquetFile(path, page_checksum_verification=True)
    except pa.ArrowInvalid as error:
        if Path(path).suffix.lower() not in _SUFFIXES and not _begins_as_parquet(path):
            raise GraphFileError(
                f"{path}: graphs in partitions are read from Parquet files and .npz files; convert this file first: "
                f"stablegraph convert {shlex.quote(str(path))} edges.parquet"
            ) from None
        raise damaged(path, error) from None


def _begins_as_parquet(path: Path | str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def damaged(path: Path | str, error: Exception) -> GraphFileError:
    """Return the error about a Parquet file that pyarrow cannot read."""
    reason = " ".join(str(error).split()).rstrip(".")[:200]
    return GraphFileError(f"{path}: the Parquet file is damaged or cut short: {reason}")


def _described(schema: Any) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)


def _pyarrow() -> Any:
    pa = pyarrow_module()
    importlib.import_module("pyarrow.parquet")
    return pa


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an edge table."""
    table = _graph_table(graph, "parquet")
    pa = _pyarrow()
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, write_page_checksum=True)
    stream.write(memoryview(sink.getvalue()))


def write_feather(stream: IO[bytes], graph: Any) -> None:
    """Write an edge table in Feather format."""
    table = _graph_table(graph, "feather")
    sink = pyarrow_module().BufferOutputStream()
    importlib.import_module("pyarrow.feather").write_feather(table, sink)
    stream.write(memoryview(sink.getvalue()))


def _graph_table(graph: Any, format: str) -> Any:
    """Return the table of a graph's edges."""
    pa = pyarrow_module()
    u, v, w, undirected, names = table_edges(graph, counted=True)
    columns = {end: pa.array(names_at(names, vertices)) for end, vertices in (("source", u), ("target", v))}
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
    return pa.table(columns).replace_schema_metadata({METADATA: about})
