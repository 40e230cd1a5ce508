"""Feather (Arrow IPC) edge tables: the same tables and metadata as in parquet.py, but without checksums."""

from __future__ import annotations

import importlib
from typing import IO, Any

from ..tables.columns import Columns, choose_columns, pyarrow_module, schema_columns
from .contents import Contents
from .parquet import BYTES_PER_ROW, graph_table, table_contents
from .source import Source

__all__ = ["MAGIC", "read", "write"]

MAGIC = b"ARROW1"


def read(source: Source, columns: Columns) -> Contents:
    """Read an edge table."""
    pa = pyarrow_module()
    try:
        table = importlib.import_module("pyarrow.feather").read_table(pa.BufferReader(source.data))
        table.validate(full=True)
        source.allowance.check(BYTES_PER_ROW * table.num_rows, f"the {table.num_rows} rows of the table")
        ends, weight = choose_columns(source.error, schema_columns(table.schema), columns)
        return table_contents(source, table, ends, weight)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")[:200]
        raise source.error(f"the Feather file is damaged or cut short: {reason}") from None


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an edge table."""
    table = graph_table(graph, "feather")
    sink = pyarrow_module().BufferOutputStream()
    importlib.import_module("pyarrow.feather").write_feather(table, sink)
    stream.write(memoryview(sink.getvalue()))
