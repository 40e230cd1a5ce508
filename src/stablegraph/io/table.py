"""Tables of numbers whose first two columns are vertex ids, from SNAP, DIMACS and Matrix Market files."""

from __future__ import annotations

from typing import Any

import numpy as np

from .contents import check_range
from .layout import Layout
from .parse import NOT_INTEGER, Numbers, row_position
from .source import Source

__all__ = ["edge_table", "last_column"]


def edge_table(
    source: Source, start: int, layout: Layout, numbers: Numbers, width: int, *, first: int, n: int | None = None
) -> np.ndarray:
    """Return the numbers as rows of `width`; check the two vertex ids of each row.

    Ids must be at least `first`, and less than first + n if n is known.
    """

    def row_at(row: int) -> int:
        return row_position(source, start, layout, row)

    _check_width(source, numbers, width, row_at)
    table = numbers.integers.reshape(-1, width)
    for ids in table.T[:2]:
        _check_ids(source, ids, first, row_at)
        if n is not None:
            check_range(source, ids, n, first, row_at)
    return table


def _check_width(source: Source, numbers: Numbers, width: int, row_at: Any) -> None:
    """Refuse the first row that does not have exactly `width` numbers."""
    if numbers.integers.size == width * numbers.rows:
        uneven = numbers.row_ends != np.arange(0, numbers.integers.size + 1, width)
        if not uneven.any():
            return
    lengths = np.diff(numbers.row_ends)
    row = int(np.flatnonzero(lengths != width)[0])
    raise source.error(
        f"{int(lengths[row])} number{'s' if lengths[row] != 1 else ''} where the lines before have {width}"
        if row
        else f"{int(lengths[row])} number{'s' if lengths[row] != 1 else ''}, but {width} are needed",
        position=row_at(row),
    )


def _check_ids(source: Source, ids: np.ndarray, first: int, row_at: Any) -> None:
    """Refuse the first id that is not an integer or is less than `first`."""
    if ids.size and int(ids.min()) < first:
        row = int(np.flatnonzero(ids < first)[0])
        wrong = int(ids[row])
        reason = "a vertex id must be an integer" if wrong == NOT_INTEGER else f"vertex id {wrong} is less than {first}"
        raise source.error(reason, position=row_at(row))


def last_column(
    source: Source, start: int, layout: Layout, numbers: Numbers, width: int, *, floats: bool = False
) -> np.ndarray:
    """Return the weights: integers if all of them are and `floats` is false, otherwise floats.

    An integer that a 64-bit float cannot represent exactly is refused among floats.
    """
    integers = numbers.integers.reshape(-1, width)[:, -1]
    if numbers.decimals is None and not floats:
        return integers.copy()
    large = np.flatnonzero(np.abs(integers) > 2**53)  # without NOT_INTEGER, whose absolute value overflows to itself
    written = integers[large]
    inexact = np.abs(written) // (written & -written) > 2**53
    if inexact.any():
        k = int(large[np.argmax(inexact)])
        row = int(np.searchsorted(numbers.row_ends, k * width, side="right")) - 1
        raise source.error(
            f"weight {integers[k]} is read as a 64-bit float, which cannot hold it exactly; write it with a decimal "
            "point to have it rounded",
            position=row_position(source, start, layout, row),
        )
    if numbers.decimals is None:
        return integers.astype(np.float64)
    return numbers.decimals.reshape(-1, width)[:, -1].copy()
