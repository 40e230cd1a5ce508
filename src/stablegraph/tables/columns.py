"""The columns of a table of edges: their choice, and their values as arrays for `from_edges`.

Errors are created by the argument `refused`, which converts a sentence to an exception: readers of files add the file's
name to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._core.texts import short_repr
from .numbering import ArrowNames, Texts, least_and_largest, number_integers, number_texts
from .short_strings import are_short, number_short, of_keys, short_keys

Refused = Callable[[str], Exception]

PANDAS = b"pandas"  # metadata key under which pandas describes its columns
METADATA = "stablegraph"  # metadata key under which `write_graph` stores its statement about the graph
_ENDS = (("source", "target"), ("u", "v"), ("from", "to"), ("src", "dst"))
_WEIGHTS = ("weight", "w")
_INDEX = "__index_level_"  # prefix of the columns in which pandas stores an index without a name
_LARGEST_SIGNED = 2**63 - 1
_LONGEST = 200  # characters of a type's name, or of the names of columns, in a message
_MAX_BYTES = 2**31  # limit of Arrow's types with 32-bit offsets


def pyarrow_module() -> Any:
    """Import pyarrow and the modules of it that this package uses."""
    try:
        import pyarrow
        import pyarrow.compute
    except ModuleNotFoundError:
        raise ModuleNotFoundError('tables need pyarrow: pip install "stablegraph[io]"', name="pyarrow") from None
    return pyarrow


class Columns(NamedTuple):
    """The columns of a table that the caller names; for None the rule of `choose_columns` decides."""

    source: str | None = None
    target: str | None = None
    weight: str | None = None
    weights: bool | None = None  # whether the graph must have weights; None: if their column is unambiguous

    @property
    def are_named(self) -> bool:
        """Whether the caller names any column."""
        return self[:3] != (None, None, None)

    @property
    def may_have_weights(self) -> bool:
        """Whether weights are read if the table has any."""
        return self.weights is not False


class Column(NamedTuple):
    """A column of a table, as far as `choose_columns` needs it."""

    name: str
    is_number: bool
    is_index: bool = False  # of pandas, as its metadata state


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column of ids, as a chunked Arrow array, and its name in messages."""

    name: str
    values: Any


class TableEdges(NamedTuple):
    """The edges of a table, between vertices 0 .. n - 1."""

    u: np.ndarray
    v: np.ndarray
    weights: np.ndarray | None
    n: int
    nodes: Any  # the ids of the vertices; None if the ids are 0 .. n - 1


def choose_columns(refused: Refused, columns: Sequence[Column], caller: Columns) -> tuple[list[str], str | None]:
    """Return the columns of the two ends, and the column of the weights or None.

    All readers of tables use this rule:

    * The ends are the columns that the caller names; otherwise the only pair among source and target, u and v, from and
      to, src and dst; otherwise, if there is no such pair, the only two columns in addition to the weights.
    * The weights are the column that the caller names, otherwise the column weight or w. If there is no such column,
      any other column of numbers could be the weights, so the caller must name the weights or pass weights=False.
      However, if the caller names the ends, other columns are ignored unless `weights` is True, because that caller
      knows the columns.

    An index of pandas is no data, unless the caller names it, it has the name of an end, or its two levels are the only
    columns in addition to the weights. Every other table is refused with a list of its columns.
    """
    names = [column.name for column in columns]
    if (caller.source is None) != (caller.target is None):
        raise refused(f"name both source= and target=, or neither; {_listed(names)}")
    if caller.weight is not None and not caller.may_have_weights:
        raise refused("weight= names a column, but weights=False ignores weights; leave out one of them")
    plain = [column.name for column in columns if not column.is_index]
    levels = [column.name for column in columns if column.is_index and not column.name.startswith(_INDEX)]
    if levels and not ends_by_name(plain) and (ends_by_name(names) or (len(levels) == 2 and len(plain) < 2)):
        plain = [name for name in names if name in plain or name in levels]
    candidates = [name for name in plain if name.lower() in (_WEIGHTS if len(plain) > 2 else _WEIGHTS[:1])]
    if caller.source is not None and caller.target is not None:
        ends: list[Any] = [caller.source, caller.target]
    else:
        pairs = ends_by_name(plain)
        weights = set(candidates if caller.weight is None else [caller.weight])
        others = [name for name in plain if name not in weights]
        ends = [*pairs[0]] if len(pairs) == 1 else others if not pairs else []
    for name in (*ends, *([] if caller.weight is None else [caller.weight])):
        if names.count(name) != 1:
            wrong = "there is no column" if name not in names else "several columns are called"
            hint = f"; pass {str(name)!r}" if isinstance(name, int) and names.count(str(name)) == 1 else ""
            raise refused(f"{wrong} {short_repr(name)}{hint}; {_listed(names)}")
    if len(ends) != 2:
        raise refused(f"name the columns of the two ends by source= and target=; {_listed(names)}")
    if ends[0] == ends[1]:
        raise refused(f"both ends are the column {short_repr(ends[0])}; an edge has two; {_listed(names)}")
    if caller.weight is not None or not caller.may_have_weights:
        return ends, caller.weight
    candidates = [name for name in candidates if name not in ends]
    if len(candidates) == 1:
        return ends, candidates[0]
    ignored = caller.source is not None and not caller.weights
    numbers = [
        column.name for column in columns if column.is_number and column.name in plain and column.name not in ends
    ]
    possible = candidates or ([] if ignored else numbers)
    if possible:
        raise refused(
            f"the weights could be in {_quoted(possible)}; name their column by weight=, or "
            f"pass weights=False; {_listed(names)}"
        )
    return ends, None


def distinct_columns(ends: list[str], weight: str | None) -> list[str]:
    """Return the columns to read, each once."""
    return list(dict.fromkeys([*ends, *([] if weight is None else [weight])]))


def _listed(names: Sequence[str]) -> str:
    return f"the columns are {_quoted(names) or 'none'}"


def _quoted(names: Sequence[str]) -> str:
    """Return the first names, as far as they fit in a message, and the number of omitted names."""
    text = ", ".join(map(short_repr, names[:1]))
    for k, name in enumerate(names[1:], 1):
        if len(text) + len(short_repr(name)) > _LONGEST:
            return f"{text} and {len(names) - k} more"
        text += f", {short_repr(name)}"
    return text


def ends_by_name(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names (case-insensitive) denote the two ends."""
    named: dict[str, list[str]] = {word: [] for pair in _ENDS for word in pair}
    for name in names:
        if (same := named.get(name.lower())) is not None and len(same) < 2:  # two are enough to detect ambiguity
            same.append(name)
    return [(one, other) for first, second in _ENDS for one in named[first] for other in named[second]]


def schema_columns(schema: Any) -> list[Column]:
    """Return the columns of an Arrow schema; the metadata of pandas state which of them are an index."""
    types = pyarrow_module().types
    kinds, names = [_plain_type(kind) for kind in schema.types], schema.names
    numbers = [types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) for kind in kinds]
    try:
        stated = json.loads((schema.metadata or {})[PANDAS])["index_columns"]
        index = [name in stated for name in names]
    except (ValueError, KeyError, TypeError):
        index = [name.startswith(_INDEX) for name in names]
    return list(map(Column, names, numbers, index))


def stated_graph(refused: Refused, metadata: dict[bytes, bytes] | None) -> tuple[int | None, bool | None]:
    """Return the number of vertices and whether the graph is directed, if the metadata of a table states them."""
    text = (metadata or {}).get(METADATA.encode())
    if text is None:
        return None, None
    try:
        about = json.loads(text)
        vertices, directed = about["vertices"], about["directed"]
    except (ValueError, KeyError, TypeError):
        vertices = directed = None
    if type(vertices) is not int or vertices < 0 or type(directed) is not bool:
        raise refused(
            f"the metadata {METADATA!r} must be like {json.dumps({'vertices': 5, 'directed': False})}, not "
            f"{text[:60].decode('utf-8', 'backslashreplace')!r}"
        )
    return vertices, directed


def edges_of(
    refused: Refused,
    table: Any,
    ends: list[str],
    weight: str | None,
    vertices: int | None = None,
    others: Sequence[NamedColumn] = (),
) -> TableEdges:
    """Return the edges of an Arrow table, between vertices in ascending order of id.

    If the table states a number of `vertices`, integer ids below it are vertex numbers, so that isolated vertices are
    preserved. The ids in `others` are vertices, too.
    """
    try:
        none_of = others[0].values[:0] if others and not table.num_rows else None  # its columns may have other types
        columns = [NamedColumn(name, table.column(name) if none_of is None else none_of) for name in ends]
        kind = id_kind(refused, [*columns, *others])
        values = [plain_values(refused, column) for column in (*columns, *others)]
        weights = None if weight is None else number_values(refused, weight, column_values(refused, table, weight))
    except ValueError:
        if table.num_rows or others:
            raise
        none = np.zeros(0, np.int64)  # columns without rows often have no type, or another one
        return TableEdges(none, none, None if weight is None else none, vertices or 0, None)
    u, v, _, n, names = numbered_columns(refused, kind, [*columns, *others], values, vertices)
    return TableEdges(u, v, weights, n, names)


def numbered_columns(
    refused: Refused, kind: str, columns: Sequence[NamedColumn], values: list[Any], vertices: int | None = None
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray], int, Any]:
    """Return the vertex numbers of the ids of two ends and of the other columns, the number of vertices, their ids."""
    names = [column.name for column in columns]
    if kind == "integers":
        u, v, *more = integer_ids(refused, names, values)
        u, v = (np.concatenate([end, *more]) if more else end for end in (u, v))
        u, v, n, ids = numbered_integers(refused, u, v, vertices)
        u, *others = np.split(u, np.cumsum([len(column) for column in (values[0], *more[:-1])]))
        return u, v[: len(values[1])], others, n, ids
    try:
        numbers, array = numbered_names(values)
    except pyarrow_module().ArrowInvalid:
        raise _no_utf8(refused, names, values) from None
    check_vertex_count(refused, vertices, len(array))
    u, v, *others = np.split(numbers, np.cumsum([len(column) for column in values[:-1]]))
    return u, v, others, len(array), ArrowNames(array)


def _no_utf8(refused: Refused, ends: Sequence[str], columns: Sequence[Any]) -> Exception:
    """Return the error about the first text that is not UTF-8; other errors of texts are those of damaged tables."""
    for end, column in zip(ends, columns, strict=True):
        for row, text in enumerate(column.cast(pyarrow_module().large_binary()).to_pylist()):
            try:
                text.decode()
            except UnicodeDecodeError:
                return _at(refused, end, row, f"{text[:_LONGEST]!r} is not UTF-8; convert the texts to UTF-8")
    return refused("the texts of the table are damaged")


def numbered_integers(
    refused: Refused, u: np.ndarray, v: np.ndarray, vertices: int | None
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """Return the ends by vertex number, the number of vertices, and their ids (None if the ids are 0 .. n - 1)."""
    smallest, largest = least_and_largest(u, v)
    if vertices is not None and smallest >= 0 and largest < vertices:
        return u, v, vertices, None
    u, v, n, ids = number_integers(u, v)
    check_vertex_count(refused, vertices, n)
    return u, v, n, ids


def check_vertex_count(refused: Refused, stated: int | None, count: int) -> None:
    """Refuse a number of ids that differs from the number that the file or table announces."""
    if stated is not None and count != stated:
        raise refused(
            f"the file announces {stated} nodes, but {count} different ids follow; "
            "get the whole file, or take that number out if it is wrong"
        )


def id_kind(refused: Refused, columns: Sequence[NamedColumn]) -> str:
    """Return the type of the ids, "integers", "texts" or "bytes"; refuse columns of different types."""
    first, kinds = columns[0], [_kind_of(refused, column.name, column.values.type) for column in columns]
    for column, kind in zip(columns, kinds, strict=True):
        if kind != kinds[0]:
            all_ids = "both ends of an edge" if len(columns) == 2 else "all ids"
            raise refused(
                f"column {short_repr(first.name)} is of type {first.values.type}, but column "
                f"{short_repr(column.name)} of type {column.values.type}; {all_ids} must be integers, or "
                f"{all_ids.split()[0]} texts"
            )
    return kinds[0]


def _kind_of(refused: Refused, name: str, kind: Any) -> str:
    types = pyarrow_module().types
    values = _plain_type(kind)
    if types.is_integer(values):
        return "integers"
    if str(values) in ("string", "large_string", "string_view"):
        return "texts"
    if types.is_fixed_size_binary(values) or str(values) in ("binary", "large_binary", "binary_view"):
        return "bytes"
    raise refused(
        f"column {short_repr(name)} is of type {str(kind)[:_LONGEST]}, but vertex ids are integers or texts (or bytes, "
        "such as UUIDs); convert it"
    )


def _plain_type(kind: Any) -> Any:
    """Return the type of a dictionary's values, or the type in which an extension such as UUIDs is stored."""
    while hasattr(kind, "value_type") and pyarrow_module().types.is_dictionary(kind):
        kind = kind.value_type
    return getattr(kind, "storage_type", kind)


def column_values(refused: Refused, table: Any, name: str) -> Any:
    """Return a column with decoded dictionaries (pandas stores categories in them); refuse missing values."""
    return plain_values(refused, NamedColumn(name, table.column(name)))


def plain_values(refused: Refused, given: NamedColumn) -> Any:
    """Return the same for a column that is not in a table."""
    pa, name, column = pyarrow_module(), given.name, given.values
    while pa.types.is_dictionary(column.type):
        column = _decoded(column)
    if column.null_count:
        row = pa.compute.index(pa.compute.is_null(column), True).as_py()
        raise _at(refused, name, row, "the value is missing; fill it in or drop the row")
    return column


def _decoded(column: Any) -> Any:
    """Return the values of a dictionary column; views become large texts or bytes, because pyarrow cannot take them."""
    pa = pyarrow_module()
    values = column.type.value_type
    large = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(values), values)
    chunks = [chunk.dictionary.cast(large).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, large)


def _at(refused: Refused, column: str, row: int, message: str) -> Exception:
    return refused(f"column {short_repr(column)}, row {row} (the first is 0): {message}")


def integer_ids(refused: Refused, ends: Sequence[str], columns: Sequence[Any]) -> list[np.ndarray]:
    """Return both columns of integers as int64, or as uint64 if an id is at least 2**63."""
    ids = [column.to_numpy() for column in columns]
    smallest, largest = least_and_largest(*ids)
    if largest > _LARGEST_SIGNED and smallest < 0:
        end, column = next((end, column) for end, column in zip(ends, ids, strict=True) if (column < 0).any())
        row = int(np.argmax(column < 0))
        reason = f"is negative and id {largest} is 2**63 or more, which no integer type holds; convert all ids to texts"
        raise _at(refused, end, row, f"vertex id {int(column[row])} {reason}")
    kind = np.int64 if largest <= _LARGEST_SIGNED else np.uint64
    return [column.astype(kind, copy=False) for column in ids]


def numbered_names(columns: Sequence[Any]) -> tuple[np.ndarray, Any]:
    """Number the texts or bytes of some chunked columns; return the number of each, and the names in ascending order.

    The names have the type of the first column, or varying size if the columns have several types of fixed size.
    """
    pa = pyarrow_module()
    kind = columns[0].type
    stored = [_stored(column) for column in columns]
    if len({column.type for column in stored}) > 1:
        large = pa.large_string() if "string" in str(stored[0].type) else pa.large_binary()
        kind = large if pa.types.is_fixed_size_binary(stored[0].type) else kind
        stored = [column.cast(large) for column in stored]
    number = _by_keys if all(map(are_short, stored)) else _by_bytes
    numbers, names = number(stored)
    names.validate(full=True)  # texts of a damaged file may not be UTF-8
    return numbers, _as_given(names, kind)


def _by_keys(columns: list[Any]) -> tuple[np.ndarray, Any]:
    """Number short ids; return the number of each id, and the distinct ids."""
    numbers, keys = number_short(sum(map(len, columns)), lambda: short_keys(columns))
    return numbers, of_keys(keys, columns[0].type)


def _by_bytes(columns: list[Any]) -> tuple[np.ndarray, Any]:
    """Number ids of any length; return the number of each id, and the distinct ids."""
    pa = pyarrow_module()
    flat = pa.large_string() if "string" in str(columns[0].type) else pa.large_binary()
    chunks = [chunk for column in columns for chunk in column.cast(flat).chunks]
    both = pa.concat_arrays(chunks or [pa.array([], flat)])  # a column may have no chunks
    offsets = np.frombuffer(both.buffers()[1], np.int64, len(both) + 1, 8 * both.offset)
    texts = Texts(np.frombuffer(both.buffers()[2] or b"", np.uint8), offsets)
    numbers, places = number_texts(texts, lambda where: pa.compute.sort_indices(both.take(where)).to_numpy())
    return numbers, both.take(pa.array(places))


def _stored(column: Any) -> Any:
    """Return the storage of a column of an extension type such as UUIDs; any other column unchanged."""
    pa = pyarrow_module()
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _as_given(names: Any, kind: Any) -> Any:
    """Convert names to the type of their column; views remain large types, because pyarrow supports views poorly."""
    pa = pyarrow_module()
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, names.cast(kind.storage_type))
    plain = str(kind) in ("string", "binary") or pa.types.is_fixed_size_binary(kind)
    return names.cast(kind) if plain and names.nbytes < _MAX_BYTES else names


def number_values(refused: Refused, name: str, column: Any, called: str = "weight") -> np.ndarray:
    """Return a column of weights (or scores) as an array; refuse types other than numbers, and NaN."""
    pa = pyarrow_module()
    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        reason = "but weights are numbers; convert it, or leave weights out"
        reason = reason if called == "weight" else f"but {called}s are numbers; convert it"
        raise refused(f"column {short_repr(name)} is of type {str(kind)[:_LONGEST]}, {reason}")
    weights: np.ndarray = column.to_numpy()
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        raise _at(refused, name, int(np.argmax(np.isnan(weights))), f"the {called} is not a number")
    return weights
