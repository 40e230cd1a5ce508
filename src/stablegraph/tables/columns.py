"""The columns of a table of edges: which they are, and their values as arrays for `from_edges`.

What is wrong is said by the exception that `refused` makes of a sentence: a file adds its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._arguments import shown
from .arrow_names import ArrowNames
from .equal import Texts
from .keys import are_short, keys_of, of_keys
from .numbering import number_texts
from .short import number_short

__all__ = ["column_values", "ends_by_name", "id_kinds", "numbered_ends", "pyarrow_module", "weight_values"]

Refused = Callable[[str], Exception]

_ENDS = (("source", "target"), ("u", "v"), ("from", "to"), ("src", "dst"))
_LARGEST_ID = 2**63 - 1
_LONGEST = 200  # characters of the name of a type in a message
_MOST_BYTES = 2**31  # of texts that are not large


def pyarrow_module() -> Any:
    """Pyarrow, with what is used of it."""
    try:
        import pyarrow
        import pyarrow.compute
    except ModuleNotFoundError:
        raise ModuleNotFoundError('tables need pyarrow: pip install "stablegraph[io]"', name="pyarrow") from None
    return pyarrow


def ends_by_name(names: Sequence[str]) -> list[list[str]]:
    """The pairs of columns whose names, in any case of letters, say that they are the two ends."""
    lower = [name.lower() for name in names]
    return [[names[lower.index(end)] for end in pair] for pair in _ENDS if all(end in lower for end in pair)]


def id_kinds(refused: Refused, schema: Any, ends: Sequence[str]) -> str:
    """What the ids of both columns are: "integers", "texts" or "bytes"; one table does not mix them."""
    kinds = [_kind_of(refused, schema, name) for name in ends]
    if kinds[0] != kinds[1]:
        raise refused(
            f"column {shown(ends[0])} is of type {schema.field(ends[0]).type}, but column {shown(ends[1])} of type "
            f"{schema.field(ends[1]).type}; both ends of an edge must be integers, or both texts"
        )
    return kinds[0]


def _kind_of(refused: Refused, schema: Any, name: str) -> str:
    types = pyarrow_module().types
    kind = schema.field(name).type
    values = _plain_type(kind)
    if types.is_integer(values):
        return "integers"
    if str(values) in ("string", "large_string", "string_view"):
        return "texts"
    if types.is_fixed_size_binary(values) or str(values) in ("binary", "large_binary", "binary_view"):
        return "bytes"
    raise refused(
        f"column {shown(name)} is of type {str(kind)[:_LONGEST]}, but vertex ids are integers or texts (or bytes, "
        "such as UUIDs); convert it"
    )


def _plain_type(kind: Any) -> Any:
    """The type of the values of a dictionary, and of what an extension such as UUIDs stores."""
    while hasattr(kind, "value_type") and pyarrow_module().types.is_dictionary(kind):
        kind = kind.value_type
    return getattr(kind, "storage_type", kind)


def column_values(refused: Refused, table: Any, name: str) -> Any:
    """A column of values, none of them missing (pandas stores categories as a dictionary and numbers into it)."""
    pa = pyarrow_module()
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = pa.compute.index(pa.compute.is_null(column), True).as_py()
        raise _at(refused, name, row, "the value is missing; fill it in or drop the row")
    return column


def _at(refused: Refused, column: str, row: int, message: str) -> Exception:
    return refused(f"column {shown(column)}, row {row} (the first is 0): {message}")


def integer_ids(refused: Refused, name: str, column: Any, least: int = -_LARGEST_ID) -> np.ndarray:
    """A column of integers, as int64."""
    ids: np.ndarray = column.to_numpy()
    wrong = (ids < least) | (ids > _LARGEST_ID)
    if wrong.any():
        row = int(np.argmax(wrong))
        reason = f"is less than {least}" if ids[row] < least else "does not fit 64 bits with a sign"
        raise _at(refused, name, row, f"vertex id {int(ids[row])} {reason}")
    return ids.astype(np.int64, copy=False)


def numbered_ends(u: Any, v: Any) -> tuple[np.ndarray, np.ndarray, ArrowNames]:
    """Numbers 0 .. n - 1 in place of texts or bytes, and the names in ascending order, of the type of `u`."""
    pa = pyarrow_module()
    kind = u.type
    columns = [_stored(column) for column in (u, v)]
    if columns[0].type != columns[1].type:
        large = pa.large_string() if "string" in str(columns[0].type) else pa.large_binary()
        columns = [column.cast(large) for column in columns]
    number = _by_keys if all(map(are_short, columns)) else _by_bytes
    numbers, names = number(columns)
    names.validate(full=True)  # texts of a damaged file may not be UTF-8
    return numbers[: len(u)], numbers[len(u) :], ArrowNames(_as_given(names, kind))


def _by_keys(columns: list[Any]) -> tuple[np.ndarray, Any]:
    """The number of each id that is short, and the distinct ones."""
    numbers, keys = number_short(sum(map(len, columns)), lambda: keys_of(columns))
    return numbers, of_keys(keys, columns[0].type)


def _by_bytes(columns: list[Any]) -> tuple[np.ndarray, Any]:
    """The same for ids of any length."""
    pa = pyarrow_module()
    flat = pa.large_string() if "string" in str(columns[0].type) else pa.large_binary()
    both = pa.concat_arrays([chunk for column in columns for chunk in column.cast(flat).chunks])
    offsets = np.frombuffer(both.buffers()[1], np.int64, len(both) + 1, 8 * both.offset)
    texts = Texts(np.frombuffer(both.buffers()[2] or b"", np.uint8), offsets)
    numbers, places = number_texts(texts, lambda where: pa.compute.sort_indices(both.take(where)).to_numpy())
    return numbers, both.take(pa.array(places))


def _stored(column: Any) -> Any:
    """What an extension type such as UUIDs stores."""
    pa = pyarrow_module()
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _as_given(names: Any, kind: Any) -> Any:
    """Names in the type of the column that they come from; views, of which pyarrow does little, stay large."""
    pa = pyarrow_module()
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, names.cast(kind.storage_type))
    plain = str(kind) in ("string", "binary") or pa.types.is_fixed_size_binary(kind)
    return names.cast(kind) if plain and names.nbytes < _MOST_BYTES else names


def weight_values(refused: Refused, name: str, column: Any) -> np.ndarray:
    """A column of weights: numbers, none of them NaN."""
    pa = pyarrow_module()
    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        kind = str(kind)[:_LONGEST]
        raise refused(
            f"column {shown(name)} is of type {kind}, but weights are numbers; convert it, or leave weights out"
        )
    weights: np.ndarray = column.to_numpy()
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        raise _at(refused, name, int(np.argmax(np.isnan(weights))), "the weight is not a number")
    return weights
