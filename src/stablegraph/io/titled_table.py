"""Text tables of edges with a title line, .csv and .tsv: ids may be texts. They are read through pyarrow.

Fields are separated by commas, tabs or semicolons, whichever the first line has; quotes are those of spreadsheets. The
columns are chosen as those of a Parquet table are. Ids are integers if all of both columns are, and else texts, without
the blanks around them. An empty field is a missing value.

A first line of words is a title if it names the ends, or if ids follow that are integers. Otherwise it might be an edge
between names, and the table is refused: nothing is guessed.
"""

from __future__ import annotations

import csv
import importlib
from typing import Any

from ..tables.columns import ends_by_name, pyarrow_module
from .contents import Contents
from .parquet import chosen_columns, table_contents
from .source import Source

__all__ = ["begins", "read"]

_SEPARATORS = "\t,;"
_NAMES_SHOWN, _NAME_SHOWN = 6, 40  # names of a title in a message, and the letters of one


def begins(source: Source, start: int) -> bool:
    """Whether the line that starts here begins with a word."""
    first = source.first_on_line(start)
    return first.isalpha() or first in (b'"', b"'") or first >= b"\x80"


def read(source: Source, start: int, *, weights: bool) -> Contents:
    """Read the table whose title line starts here."""
    line, first_row = source.line(start)
    title, separator = _title(source, start, line)
    if not ends_by_name(title) and not source.first_on_line(first_row).isdigit():
        shown = line[:40].decode("utf-8", "replace").strip()
        named = len(title) > 1 and all(name.isprintable() and len(name) <= _NAME_SHOWN for name in title[:2])
        first, second = title[:2] if named else ("source", "target")
        names = ["source", "target", *(f"column{i}" for i in range(3, len(title) + 1))]
        fitting = repr(separator.join(names[:_NAMES_SHOWN]))
        if len(names) > _NAMES_SHOWN:
            fitting += f" and so on, of {len(names)} names"
        raise source.error(
            f"{shown!r} is not an edge between integer ids, nor a title line that names the ends; before an edge "
            f"between names put the line {fitting}, and in a title call the ends so, or read the table yourself and "
            f"pass it to from_table(table, {first!r}, {second!r})",
            position=start,
        )
    if source.skip_comments(first_row, b"") == len(source.data):
        raise source.error("there are no edges in the table", position=start)
    ends, weight = chosen_columns(source, title)
    columns = [*ends, weight] if weights and weight is not None else ends
    table = _table(source, first_row, title, separator, columns, ends)
    return table_contents(source, table, ends, weight if weights else None)


def _title(source: Source, start: int, line: bytes) -> tuple[list[str], str]:
    """The names of the columns, and what stands between them."""
    text = line.decode("utf-8", "replace")
    separator = next((mark for mark in _SEPARATORS if mark in text), "")
    if not separator:
        raise source.error(
            f"{text.strip()[:40]!r} is not an edge between integer ids; put '#' before a title line, and let as_graph("
            f"networkx.read_edgelist({source.name!r}, data=False)) number vertices with names",
            position=start,
        )
    try:
        return [name.strip() for name in next(csv.reader([text], delimiter=separator))], separator
    except csv.Error as error:
        raise source.error(f"the title line is damaged: {error}", position=start) from None


def _table(source: Source, start: int, title: list[str], separator: str, columns: list[str], ends: list[str]) -> Any:
    pa = pyarrow_module()
    importlib.import_module("pyarrow.csv")
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(memoryview(source.data)[start:]),
            read_options=pa.csv.ReadOptions(column_names=title),
            parse_options=pa.csv.ParseOptions(delimiter=separator),
            convert_options=pa.csv.ConvertOptions(
                include_columns=columns,
                column_types={end: pa.string() for end in ends},
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        reason = " ".join(str(error).split()).rstrip(".")[:200]
        raise source.error(f"the table is damaged: {reason}") from None
    trimmed = [pa.compute.utf8_trim_whitespace(table[end]) for end in ends]
    try:
        values = [column.cast(pa.int64()) for column in trimmed]
    except pa.ArrowException:
        values = trimmed
    for end, column in zip(ends, values, strict=True):
        table = table.set_column(table.schema.get_field_index(end), end, column)
    return table
