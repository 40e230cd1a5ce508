"""Conversion of columns of short ids to keys, piece by piece from Arrow's buffers, and of keys back to ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .short_strings import KEY_BYTES, LONGEST_TEXT, PIECE, read_keys, write_keys

__all__ = ["are_short", "keys_of", "of_keys"]

_LONGEST_IN_VIEW = 12  # bytes; longer texts are stored outside the view


def are_short(column: Any) -> bool:
    """Return whether all ids of a column fit into keys."""
    if _is_fixed(column.type):
        return bool(column.type.byte_width <= KEY_BYTES)
    longest = _LONGEST_IN_VIEW if _is_view(column.type) else LONGEST_TEXT
    return all(int(_places(piece)[2].max(initial=0)) <= longest for piece in _pieces([column]))


def keys_of(columns: Sequence[Any]) -> Iterator[np.ndarray]:
    """Yield the keys of all ids in pieces, as arrays of 16 columns."""
    for piece in _pieces(columns):
        if _is_fixed(piece.type):
            width = piece.type.byte_width
            data = np.frombuffer(piece.buffers()[1] or b"", np.uint8, width * len(piece), width * piece.offset)
            keys = np.zeros((len(piece), KEY_BYTES), np.uint8)
            keys[:, :width] = data.reshape(len(piece), width)
            yield keys
        else:
            yield write_keys(*_places(piece))


def of_keys(keys: np.ndarray, kind: Any) -> Any:
    """Return ids as an Arrow array of type `kind` if its values have a fixed size, else as large texts or bytes."""
    import pyarrow as pa

    if _is_fixed(kind):
        data = np.ascontiguousarray(keys[:, : kind.byte_width])
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(keys), [None, pa.py_buffer(data)])
    data, offsets = read_keys(keys)
    large = pa.large_string() if "string" in str(kind) else pa.large_binary()
    return pa.Array.from_buffers(large, len(keys), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _is_fixed(kind: Any) -> bool:
    return str(kind).startswith("fixed_size_binary")


def _is_view(kind: Any) -> bool:
    return str(kind).endswith("_view")


def _pieces(columns: Sequence[Any]) -> Iterator[Any]:
    for column in columns:
        for chunk in column.chunks:
            for start in range(0, len(chunk), PIECE):
                yield chunk[start : start + PIECE]


def _places(piece: Any) -> tuple[Any, Any, Any]:
    """Return the buffer of a piece's texts, the start of each text in it, and its length."""
    size, first = len(piece), piece.offset
    if _is_view(piece.type):  # a view has 16 bytes: a length of 4 and, for short texts, 12 bytes of text
        views = piece.buffers()[1]
        lengths = np.frombuffer(views, np.int32, 4 * size, 16 * first)[::4].astype(np.int64)
        return np.frombuffer(views, np.uint8), 16 * np.arange(first, first + size) + 4, lengths
    width = np.dtype(np.int64 if str(piece.type).startswith("large") else np.int32)
    offsets = np.frombuffer(piece.buffers()[1], width, size + 1, width.itemsize * first).astype(np.int64)
    return np.frombuffer(piece.buffers()[2] or b"", np.uint8), offsets[:-1], np.diff(offsets)
