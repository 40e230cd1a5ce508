"""The crc32 of any answer; it depends on values, not on their dtypes."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg


def canonical(answer: Any) -> Iterator[bytes]:
    """Yield the bytes of an answer, part by part.

    Booleans are packed into bits, integers become int64 and floats float64, little-endian. A graph or a sparse matrix
    consists of its rows, columns and values. A tuple, a list, a dictionary (in the order of its keys) or a dataclass
    consists of its parts in turn.
    """
    if answer is None:
        return
    if type(answer).__module__.partition(".")[0] in ("cupy", "cupyx"):
        answer = answer.get()
    if isinstance(answer, bytes):
        yield answer
    elif isinstance(answer, str):
        yield answer.encode()
    elif isinstance(answer, int) and abs(answer) >= 2**63:
        yield str(answer).encode()
    elif isinstance(answer, sg.Graph):
        yield from canonical((answer.indptr, answer.indices, answer.weights))
    elif sp.issparse(answer):
        rows = answer.tocsr()
        yield from canonical((rows.indptr, rows.indices, rows.data))
    elif dataclasses.is_dataclass(answer):
        yield from canonical([getattr(answer, field.name) for field in dataclasses.fields(answer)])
    elif isinstance(answer, dict):
        yield from canonical([answer[key] for key in sorted(answer)])
    elif isinstance(answer, (tuple, list)):
        for part in answer:
            yield from canonical(part)
    else:
        array = np.ascontiguousarray(answer)
        kind = array.dtype.kind
        if kind == "b":
            yield np.packbits(array).tobytes()
        elif kind in "iu":
            yield array.astype("<u8" if array.dtype == np.uint64 else "<i8").tobytes()
        elif kind == "f":
            yield array.astype("<f8").tobytes()
        else:
            raise TypeError(f"an answer of {array.dtype} has no canonical form")


def checksum(answer: Any) -> str:
    """Return a checksum of eight hexadecimal digits."""
    crc = 0
    for part in canonical(answer):
        crc = zlib.crc32(part, crc)
    return f"{crc:08x}"
