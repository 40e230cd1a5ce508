"""The fingerprint of an answer: a checksum of its values, equal on every machine and for every width of integers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .csr.arrays import StoredGraph
from .texts import short_repr
from .unknown_options import suggests_options
from .validation import host_array, is_sparse

_INT32 = np.iinfo(np.int32)
_NUMBERS = (int, float, complex, np.number, np.bool_)


@suggests_options
def fingerprint(answer: Any) -> str:
    """Compute the fingerprint of an answer, by which two people compare their answers without exchanging them.

    >>> import stablegraph as sg
    >>> sg.fingerprint(sg.maximal_independent_set(sg.gallery.load("us-counties")))
    'e92ca0e0'

    Equal answers have equal fingerprints, on every machine, device and number of threads, for indices of 32 and of 64
    bits. The command line prints the same fingerprint as ``crc32``.

    Parameters
    ----------
    answer : array, number, sparse matrix, Graph, IndependentSet, or tuple or list of these
        An answer of any function of this package, on the CPU, a GPU or a Dask cluster: a mask, labels, colors,
        distances, values.

    Returns
    -------
    str
        Eight hexadecimal digits: the crc32 of the values, as the notes describe.

    Raises
    ------
    TypeError
        If the answer contains anything but numbers and booleans, such as names, or a table.

    Notes
    -----
    The bytes of the values are hashed one after another, little-endian, in row-major order: a boolean is one byte.
    Integers are int32 if all integers of their array fit, else int64 (or uint64). Floats are float64, and complex
    numbers complex128, whose bits count: 0.0 and -0.0 differ. A number on its own takes 8 bytes (16 if it is complex).
    A sparse matrix or a `Graph` counts as its shape, then the rows, the columns and the values of its entries, which
    are sorted by row and column; a graph without weights has no values. If all its values are whole numbers of at most
    2**53, they are hashed as integers, whatever their type, because CuPy's sparse matrices hold no integers. Names do
    not count. The parts of a tuple or list are hashed in turn; a list of numbers is an array.

    A fingerprint shows whether two answers are equal (different ones agree with a probability of 2**-32), but not
    whether they are right: for that, there are verifiers (see `explain`). It is not a protection against forgery.

    Cost: one pass; sorting, if the entries of a matrix are not sorted. Work memory: the size of the answer, at most
    twice if its dtype is converted.

    See Also
    --------
    explain : Describe what is wrong with an answer.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> counties = sg.gallery.load("us-counties")
    >>> mask = sg.maximal_independent_set(counties)
    >>> sg.fingerprint(mask)
    'e92ca0e0'
    >>> count, labels = sg.connected_components(counties)
    >>> sg.fingerprint(labels) == sg.fingerprint(labels.astype(np.int64))
    True
    """
    crc32 = 0
    for part in _hashed_arrays(answer):
        crc32 = zlib.crc32(canonical_bytes(part), crc32)
    return f"{crc32:08x}"


def canonical_bytes(values: np.ndarray, *, wide: bool = False) -> Any:
    """Return the bytes of the values that are hashed; `wide` integers are int64 even if all of them fit int32."""
    kind = values.dtype.kind
    if kind in "iu":
        narrow = values.ndim > 0 and not wide and fits_int32(values)
        dtype = "<i4" if narrow else "<u8" if int(values.max(initial=0)) >= 2**63 else "<i8"
    elif kind in "bfc" and values.dtype.itemsize <= (16 if kind == "c" else 8):
        dtype = {"b": "?", "f": "<f8", "c": "<c16"}[kind]
    else:
        raise TypeError(f"a fingerprint is of numbers or booleans, got an array of {values.dtype}")
    return np.ascontiguousarray(values, dtype).reshape(-1).view(np.uint8)


def fits_int32(values: np.ndarray) -> bool:
    """Return whether int32 holds all integers of an array; True for values that are no integers."""
    if values.size == 0 or values.dtype.kind not in "iu" or np.can_cast(values.dtype, np.int32):
        return True
    return bool(values.min() >= _INT32.min and values.max() <= _INT32.max)


def _hashed_arrays(answer: Any) -> Iterator[np.ndarray]:
    """Yield the arrays and numbers of which an answer consists."""
    if isinstance(answer, StoredGraph):
        rows = answer.xp.repeat(answer.xp.arange(answer.num_vertices), answer.xp.diff(answer.indptr))
        yield from _sorted_entries((len(answer), len(answer)), rows, answer.indices, answer.weights)
    elif is_sparse(answer) or type(answer).__module__.startswith("cupyx."):
        entries = answer.tocoo()
        yield from _sorted_entries(answer.shape, entries.row, entries.col, entries.data)
    elif hasattr(answer, "to_scipy"):  # a forest in partitions
        yield from _hashed_arrays(answer.to_scipy())
    elif isinstance(answer, (tuple, list)) and not all(isinstance(part, _NUMBERS) for part in answer):
        for part in answer:
            yield from _hashed_arrays(part)
    elif isinstance(answer, (str, bytes, dict, set)) or answer is None or hasattr(answer, "columns"):
        raise TypeError(
            "a fingerprint is of an array, a number, a sparse matrix, a Graph, or a tuple or list of these, got "
            f"{short_repr(answer)}"
        )
    else:
        yield host_array(answer, "answer")


def _sorted_entries(shape: tuple[int, ...], *columns: Any) -> Iterator[np.ndarray]:
    """Yield the shape of a matrix, and the rows, columns and values of its entries, sorted."""
    rows, indices, *values = (host_array(column, "answer") for column in columns if column is not None)
    same_row = rows[1:] == rows[:-1]
    if (rows[1:] < rows[:-1]).any() or (same_row & (indices[1:] < indices[:-1])).any():
        order = np.lexsort((indices, rows))
        rows, indices, *values = (column[order] for column in (rows, indices, *values))
    yield from (np.array(shape), rows, indices, *map(_whole, values))


def _whole(values: np.ndarray) -> np.ndarray:
    """Return floats that are whole numbers of at most 2**53 as integers."""
    if values.dtype.kind != "f" or not ((np.abs(values) <= 2**53) & (values == np.trunc(values))).all():
        return values
    return values.astype(np.int64)
