"""The byte parser, which converts text to arrays of numbers, for every text format of this package.

A text is treated as lines of numbers; `Layout` (text_kernels.py) describes the lines of a format. The result is flat:
all numbers in reading order, and the end of each row's numbers. It represents both edge lists (rows of equal length)
and adjacency lists (rows of any length).

Idea: two passes of compiled code, each divided among the workers at line ends. The first pass counts rows and numbers,
and refuses bytes that do not occur in numbers, and empty fields. The second pass reads the numbers into arrays of
exactly the right size. Integers are exact up to 64 bits. Decimals are correctly rounded: those of up to 15 digits by
one multiplication or division by an exact power of ten, longer ones by NumPy. Decimals that would become infinite or
zero are refused; the words inf and infinity (in any case, with a sign) are infinite. Values that are not wanted are
counted and not read. Errors state the line number.

Cost: at most 16 bytes are written per number, and 8 per row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .._core.memory import allocate_or_raise
from .._core.runtime import worker_count
from .source import Source
from .text_kernels import (
    DIGIT,
    EXACT_POWER,
    NOT_A_NUMBER,
    NOT_CANONICAL,
    NOT_INTEGER,
    POINT,
    SIGN,
    TOO_LARGE,
    Output,
    copy_words,
    count_numbers,
    find_ends,
    find_row,
    read_numbers,
    text_of,
)
from .text_kernels import Layout as Layout

BYTES_PER_WORKER = 1 << 18


@dataclass(frozen=True)
class Numbers:
    """All numbers of the lines of a text from byte `start` on, row after row.

    `integers` is int64 (NOT_INTEGER for a number that is not written as an integer). `decimals` is float64, or None if
    all numbers are integers. `row_ends` starts with 0 and then has the end of each row.
    """

    source: Source
    start: int
    layout: Layout
    integers: np.ndarray
    decimals: np.ndarray | None
    row_ends: np.ndarray

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.row_ends.size - 1

    def position(self, row: int) -> int:
        """Return the byte at which a row begins."""
        start_of_row = np.zeros(1, np.int64)
        text = text_of(self.source, self.layout)
        find_row(text, self.start, len(self.source.data), int(row), start_of_row)
        return int(start_of_row[0])

    def error(self, message: str, row: int) -> ValueError:
        """Return an error about a row."""
        return self.source.error(message, position=self.position(row))

    def edges(self, width: int, *, first: int, n: int | None = None) -> np.ndarray:
        """Return the numbers as rows of `width`; check the two vertex ids of each row.

        Ids must be at least `first`, and less than first + n if n is known.
        """
        self.check_width(width)
        table = self.integers.reshape(-1, width)
        for ids in table.T[:2]:
            if ids.size and int(ids.min()) < first:
                row = int(np.flatnonzero(ids < first)[0])
                wrong = int(ids[row])
                is_float = wrong == NOT_INTEGER
                reason = "a vertex id must be an integer" if is_float else f"vertex id {wrong} is less than {first}"
                raise self.error(reason, row)
            if n is not None:
                check_range(self, ids, n, first, lambda row: row)
        return table

    def check_width(self, width: int) -> None:
        """Refuse the first row that does not have exactly `width` numbers."""
        if self.integers.size == width * self.rows:
            uneven = self.row_ends != np.arange(0, self.integers.size + 1, width)
            if not uneven.any():
                return
        lengths = np.diff(self.row_ends)
        row = int(np.flatnonzero(lengths != width)[0])
        several = f"{int(lengths[row])} number{'s' if lengths[row] != 1 else ''}"
        rule = f" where the lines before have {width}" if row else f", but {width} are needed"
        raise self.error(several + rule, row)

    def last_column(self, width: int, *, floats: bool = False) -> np.ndarray:
        """Return the weights: integers if all of them are and `floats` is false, otherwise floats.

        An integer that a 64-bit float cannot represent exactly is refused among floats.
        """
        integers = self.integers.reshape(-1, width)[:, -1]
        if self.decimals is None and not floats:
            return integers.copy()
        large = np.flatnonzero(np.abs(integers) > 2**53)  # not NOT_INTEGER, whose absolute value overflows to itself
        written = integers[large]
        inexact = np.abs(written) // (written & -written) > 2**53
        if inexact.any():
            k = int(large[np.argmax(inexact)])
            row = int(np.searchsorted(self.row_ends, k * width, side="right")) - 1
            raise self.error(
                f"weight {integers[k]} is read as a 64-bit float, which cannot hold it exactly; write it with a "
                "decimal point to have it rounded",
                row,
            )
        if self.decimals is None:
            return integers.astype(np.float64)
        return self.decimals.reshape(-1, width)[:, -1].copy()


def check_range(numbers: Numbers, ids: np.ndarray, n: int, first: int, row_of: Callable[[int], int]) -> None:
    """Refuse vertex ids outside first .. first + n - 1; `row_of(k)` is the row of the id at index k of `ids`."""
    if ids.size and (int(ids.min()) < first or int(ids.max()) >= first + n):
        k = int(np.flatnonzero((ids < first) | (ids >= first + n))[0])
        announced = f"vertices {first} to {first + n - 1}" if n else "no vertices"
        raise numbers.error(f"vertex {int(ids[k])} is out of range, the file announces {announced}", row_of(k))


_REASONS = {
    NOT_A_NUMBER: "is not a number",
    TOO_LARGE: "does not fit into a 64-bit integer",
    NOT_CANONICAL: "has a sign or a leading zero, but without a title line ids are plain integers; write them so, or "
    "put the title line 'source,target' (and 'weight', if there are weights) first to have ids read as texts",
}


@cache
def _powers_of_ten() -> np.ndarray:
    powers = np.array([float(10**i) for i in range(EXACT_POWER + 1)])
    powers.flags.writeable = False
    return powers


def _cuts(source: Source, start: int) -> np.ndarray:
    """Return the start of each worker's chunk of the text, which follows a line end, and the end of the text."""
    size = len(source.data)
    workers = max(1, min(worker_count("cpu", size - start), (size - start) // BYTES_PER_WORKER))
    cuts = [start]
    for worker in range(1, workers):
        newline = source.data.find(b"\n", max(start + (size - start) * worker // workers, cuts[-1]))
        cuts.append(size if newline < 0 else newline + 1)
    return np.array([*cuts, size], np.int64)


def parse(source: Source, start: int, layout: Layout) -> Numbers:
    """Read all numbers of a text from byte `start` on.

    Raises GraphFileError, with the line number, at the first field that is not a number, does not fit into 64 bits, is
    empty, is separated in another way than the fields before it, or is not a canonical id.
    """
    text, cuts = text_of(source, layout), _cuts(source, start)
    workers = cuts.size - 1
    totals = np.zeros((workers, 4), np.int64)
    count_numbers(workers, text, cuts, totals)
    strange = totals[totals[:, 3] >= 0, 3]
    if strange.size:
        raise _strange(source, int(strange[0]), layout)

    starts = np.zeros((2, workers + 1), np.int64)
    np.cumsum(totals[:, :2].T, axis=1, out=starts[:, 1:])
    rows, size = starts[:, -1].tolist()
    purpose = f"the numbers of {source.name}"
    integers = allocate_or_raise(size, np.int64, purpose)
    decimals = allocate_or_raise(size if totals[:, 2].any() else 0, np.float64, purpose)
    if layout.unread != Layout.unread:
        integers[:] = decimals[:] = 0  # those that are not read remain zeros
    row_ends = np.zeros(rows + 1, np.int64)
    faults = np.zeros((workers, 2), np.int64)
    output = Output(integers, decimals, row_ends[1:])
    read_numbers(workers, text, cuts, starts, _powers_of_ten(), output, faults)
    wrong = np.flatnonzero(faults[:, 0])
    if wrong.size:
        what, position = faults[wrong[0]].tolist()
        word = source.word(position)
        if what == NOT_CANONICAL:
            word = word.partition(",")[0]
        raise source.error(f"{word!r} {_REASONS[what]}", position=position)
    if decimals.size:
        _finish_decimals(source, integers, decimals)
    return Numbers(source, start, layout, integers, decimals if decimals.size else None, row_ends)


def _finish_decimals(source: Source, integers: np.ndarray, decimals: np.ndarray) -> None:
    """Let NumPy read the decimals that are too long for exact arithmetic; refuse overflow and underflow."""
    pending = np.flatnonzero(np.isnan(decimals))
    if not pending.size:
        return
    ends = np.zeros(pending.size, np.int64)
    text = text_of(source, Layout(decimals=True, separators=","))
    find_ends(pending.size, text, integers[pending], ends)
    lengths = ends - integers[pending]
    values, lost = np.zeros(pending.size), np.zeros(pending.size, bool)
    widths = 1 << np.ceil(np.log2(lengths)).astype(np.int64)
    for width in np.unique(widths).tolist():  # group words by length, so that one long word does not pad all of them
        group = np.flatnonzero(widths == width)
        words = np.zeros((group.size, width), np.uint8)
        copy_words(group.size, source.array, integers[pending[group]], ends[group], words)
        values[group] = words.view(f"S{width}").ravel().astype(np.float64)
        lost[group] = np.isinf(values[group]) | ((values[group] == 0) & _has_digits(words))
    if lost.any():
        k = int(np.argmax(lost))
        position = int(integers[pending[k]])
        reason = "too large" if values[k] else "too near to zero"
        raise source.error(f"{source.word(position)!r} is {reason} for a 64-bit float; rescale it", position=position)
    decimals[pending] = values
    integers[pending] = NOT_INTEGER


def _has_digits(words: np.ndarray) -> np.ndarray:
    """Return whether each row of bytes, a decimal, has a digit other than 0 before its exponent."""
    exponent = np.logical_or.accumulate((words | 32) == ord("e"), axis=1)
    is_nonzero: np.ndarray = np.any((words >= ord("1")) & (words <= ord("9")) & ~exponent, axis=1)
    return is_nonzero


def _strange(source: Source, position: int, layout: Layout) -> Any:
    if chr(source.data[position]) in layout.separators:
        return source.error("a field is empty; fill it in, or take its column out of all lines", position=position)
    word = source.word(position)
    if not source.starts_line(position) and text_of(source, layout).kinds[source.data[position]] in (
        DIGIT,
        SIGN,
        POINT,
    ):
        return source.error(
            f"the line mixes separators before {word!r}; separate the fields of each line in one way, by commas, tabs "
            "or blanks",
            position=position,
        )
    if source.starts_line(position) and layout.letters and not word[:1].isdigit():
        expected = " or ".join(repr(letter) for letter in layout.letters)
        return source.error(f"a line starts with {word!r}, but must start with {expected}", position=position)
    if source.starts_line(position) and layout.letters:
        expected = " or ".join(repr(letter) for letter in layout.letters)
        return source.error(f"{expected} is missing at the start of the line", position=position)
    if layout.decimals or word.strip("+-.eE0123456789"):
        return source.error(f"{word!r} is not a number", position=position)
    return source.error(f"{word!r} is not an integer", position=position)
