"""The byte parser, which converts text to arrays of numbers, for every text format of this package.

A text is treated as lines of numbers; `Layout` (layout.py) describes the lines of a format. The result is flat: all
numbers in reading order, and the end of each row's numbers. It represents both edge lists (rows of equal length) and
adjacency lists (rows of any length).

Idea: two passes of compiled code, each divided among the workers at line ends. The first pass counts rows and numbers,
and refuses bytes that do not occur in numbers, and empty fields. The second pass reads the numbers into arrays of
exactly the right size. Integers are exact up to 64 bits. Decimals are correctly rounded: those of up to 15 digits by
one multiplication or division by an exact power of ten, longer ones by NumPy. Decimals that would become infinite or
zero are refused. Errors state the line number.

Cost: at most 16 bytes are written per number, and 8 per row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._core.memory import allocate_or_raise
from .._core.runtime import kernel, rule, worker_count
from .layout import (
    BLANK,
    COMMENT,
    DIGIT,
    EMPTY,
    END,
    EXPONENT,
    LETTER,
    NEWLINE,
    OTHER,
    POINT,
    SEPARATOR,
    SIGN,
    STRANGE,
    Layout,
    Text,
    text_of,
)
from .source import Source

__all__ = ["NOT_INTEGER", "Numbers", "parse", "row_position"]

# Errors of numbers.
NOT_A_NUMBER, TOO_LARGE, NOT_CANONICAL = 1, 2, 3

BLANKS, PLUS, MINUS, ZERO = 32, 43, 45, 48
NOT_INTEGER = -(2**63)
"""Stands among the integers for a number that has a decimal point or an exponent."""

LARGEST = 2**63 - 1
NAN = float("nan")
EXACT_DIGITS, EXACT_POWER = 15, 22
BYTES_PER_WORKER = 1 << 18


class Output(NamedTuple):
    """The numbers of a text."""

    integers: Any
    decimals: Any  # empty if all are integers
    row_ends: Any  # (rows,): the end of each row's numbers


@rule
def skip_blanks(text, position, end):
    """Return the first position at or after `position` that is not blank."""
    while position < end and text.kinds[text.data[position]] == BLANK:
        position += 1
    return position


@rule
def skip_gap(text, position, end):
    """Return the first position at or after `position` that is neither blank nor a separator."""
    while position < end and text.kinds[text.data[position]] < END:
        position += 1
    return position


@rule
def skip_line(text, position, end):
    """Return the start of the next line."""
    while position < end and text.data[position] != NEWLINE:
        position += 1
    return position + 1


@rule
def line_at(text, position, end):
    """Return the first position that is not blank, and the kind of a line that starts at it; COMMENT at the end."""
    position = skip_blanks(text, position, end)
    lead = COMMENT
    if position < end:
        lead = text.leads[text.data[position]]
    return position, lead


@rule
def exceeds_64_bits(text, position, end):
    """Return whether a number's digits exceed a signed 64-bit integer."""
    value = 0
    for i in range(position, end):
        digit = text.data[i] - ZERO
        if value > (LARGEST - digit) // 10:
            return True
        value = value * 10 + digit
    return False


@rule
def is_padded(text, position, end):
    """Return whether a number starts with a plus sign, with a zero before another digit, or with -0."""
    data = text.data
    if data[position] == PLUS:
        return True
    first_digit = position
    if data[position] == MINUS:
        first_digit += 1
    if data[first_digit] != ZERO:
        return False
    return first_digit > position or (position + 1 < end and text.kinds[data[position + 1]] == DIGIT)


@rule
def read_number(text, start, end, powers, output, k):
    """Read the number at `start` into index k of the output; return its end, or the negative code of an error."""
    data, kinds, integers, decimals = text.data, text.kinds, output.integers, output.decimals

    # Read digits; most numbers are integers and end after them.
    position = start
    negative = data[position] == MINUS
    if kinds[data[position]] == SIGN:
        position += 1
    first_digit = position
    value = 0
    while position < end and kinds[data[position]] == DIGIT:
        value = value * 10 + (data[position] - ZERO)
        position += 1
    digits = position - first_digit
    if position >= end or kinds[data[position]] <= END:
        if digits == 0:
            return -NOT_A_NUMBER
        if digits > 18 and exceeds_64_bits(text, first_digit, position):
            return -TOO_LARGE
        integers[k] = -value if negative else value
        if decimals.size > 0:
            decimals[k] = -float(value) if negative else float(value)
        return position

    # Read a decimal: the digits after the point, the exponent, and the value if it can be computed exactly.
    power = 0
    if kinds[data[position]] == POINT:
        position += 1
        while position < end and kinds[data[position]] == DIGIT:
            if digits < 18:
                value = value * 10 + (data[position] - ZERO)
            digits += 1
            power -= 1
            position += 1
    if digits == 0:
        return -NOT_A_NUMBER
    if position < end and kinds[data[position]] == EXPONENT:
        position += 1
        falling = position < end and data[position] == MINUS
        if position < end and kinds[data[position]] == SIGN:
            position += 1
        first_digit = position
        exponent = 0
        while position < end and kinds[data[position]] == DIGIT:
            exponent = min(exponent * 10 + (data[position] - ZERO), 100000)
            position += 1
        if position == first_digit:
            return -NOT_A_NUMBER
        power += -exponent if falling else exponent
    if position < end and kinds[data[position]] > END:
        return -NOT_A_NUMBER
    if digits <= EXACT_DIGITS and -EXACT_POWER <= power <= EXACT_POWER:
        number = float(value)
        number = number * powers[power] if power >= 0 else number / powers[-power]
        decimals[k] = -number if negative else number
        integers[k] = NOT_INTEGER
    else:
        decimals[k] = NAN  # NumPy reads this number later, from the text at this position
        integers[k] = start
    return position


@kernel(by="workers", types="uint8[] uint8[] uint8[] bool int int64[] int64[,]")
def count_numbers(worker, workers, text: Text, cuts, totals):
    """Count rows, numbers, and decimal points or exponents of a worker's chunk; find its first invalid byte.

    A byte is invalid if it does not occur in numbers, if it ends an empty field, or if it changes the separator.
    """
    data, kinds = text.data, text.kinds
    position, end = cuts[worker], cuts[worker + 1]
    rows = 0
    numbers = 0
    decimals = 0
    strange = -1
    while position < end and strange < 0:
        # Find the kind of the line.
        position, lead = line_at(text, position, end)
        if lead == COMMENT:
            position = skip_line(text, position, end)
            continue
        if lead == STRANGE:
            strange = position
            break
        if lead == LETTER:
            position += 1
        if lead != EMPTY or text.empty_lines_count:
            rows += 1

        # Scan its fields: a number starts where a byte of a number follows a blank or a separator.
        before = BLANK
        filled = False  # whether a number has started since the last separator
        separator = -1  # position of the last separator, if no number follows it so far
        between = -1  # the separator before the second number, or BLANKS; all later ones must equal it
        first = True  # no number has started yet
        while position < end:
            kind = kinds[data[position]]
            if kind == END:
                break
            if kind == SEPARATOR:
                if not filled:
                    strange = position
                    break
                filled = False
                separator = position
            elif kind > END and before < END:
                if not first:
                    mark = BLANKS
                    if separator >= 0:
                        mark = data[separator]
                    if between >= 0 and between != mark:
                        strange = position
                        break
                    between = mark
                first = False
                numbers += 1
                filled = True
                separator = -1
            if kind >= POINT:
                decimals += 1
                if kind == OTHER:
                    strange = position
                    break
            before = kind
            position += 1
        if strange < 0:
            strange = separator
        position += 1
    totals[worker, 0] = rows
    totals[worker, 1] = numbers
    totals[worker, 2] = decimals
    totals[worker, 3] = strange


@kernel(
    by="workers", types="uint8[] uint8[] uint8[] bool int int64[] int64[,] float64[] int64[] float64[] int64[] int64[,]"
)
def read_numbers(worker, workers, text: Text, cuts, starts, powers, output: Output, faults):
    """Read the numbers of a worker's chunk into their final places; stop at the first fault.

    starts[0] and starts[1] are the numbers of rows and of numbers before each chunk.
    """
    data = text.data
    position, end = cuts[worker], cuts[worker + 1]
    row, k = starts[0, worker], starts[1, worker]
    faults[worker, 0] = 0
    while position < end:
        position, lead = line_at(text, position, end)
        if lead == COMMENT:
            position = skip_line(text, position, end)
            continue
        if lead == LETTER:
            position += 1
        end_of_ids = k + text.ids
        while True:
            position = skip_gap(text, position, end)
            if position >= end or data[position] == NEWLINE:
                position += 1
                break
            reached = read_number(text, position, end, powers, output, k)
            if k < end_of_ids and reached >= 0 and is_padded(text, position, reached):
                reached = -NOT_CANONICAL
            if reached < 0:
                faults[worker, 0] = -reached
                faults[worker, 1] = position
                return
            position = reached
            k += 1
        if lead != EMPTY or text.empty_lines_count:
            output.row_ends[row] = k
            row += 1


@kernel(by="single", types="uint8[] uint8[] uint8[] bool int int int int int64[]")
def find_row(text: Text, start, end, row, found):
    """Find the start of a row; needed only for error messages about its numbers."""
    position = start
    left = row
    while position < end:
        position, lead = line_at(text, position, end)
        if lead != COMMENT and (lead != EMPTY or text.empty_lines_count):
            if left == 0:
                break
            left -= 1
        position = skip_line(text, position, end)
    found[0] = min(position, end)


@dataclass(frozen=True)
class Numbers:
    """All numbers of a text, row after row.

    `integers` is int64 (NOT_INTEGER for a number that is not written as an integer). `decimals` is float64, or None if
    all numbers are integers. `row_ends` starts with 0 and then has the end of each row.
    """

    integers: np.ndarray
    decimals: np.ndarray | None
    row_ends: np.ndarray

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.row_ends.size - 1


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


def _shares(source: Source, start: int) -> np.ndarray:
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
    text, cuts = text_of(source, layout), _shares(source, start)
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
    return Numbers(integers, decimals if decimals.size else None, row_ends)


def _finish_decimals(source: Source, integers: np.ndarray, decimals: np.ndarray) -> None:
    """Let NumPy read the decimals that are too long for exact arithmetic; refuse overflow and underflow."""
    left = np.flatnonzero(np.isnan(decimals))
    if not left.size:
        return
    ends = np.zeros(left.size, np.int64)
    text = text_of(source, Layout(decimals=True, separators=","))
    find_ends(left.size, text, integers[left], ends)
    lengths = ends - integers[left]
    values, lost = np.zeros(left.size), np.zeros(left.size, bool)
    widths = 1 << np.ceil(np.log2(lengths)).astype(np.int64)
    for width in np.unique(widths).tolist():  # group words by length, so that one long word does not pad all of them
        some = np.flatnonzero(widths == width)
        words = np.zeros((some.size, width), np.uint8)
        copy_words(some.size, source.array, integers[left[some]], ends[some], words)
        values[some] = words.view(f"S{width}").ravel().astype(np.float64)
        lost[some] = np.isinf(values[some]) | ((values[some] == 0) & _has_digits(words))
    if lost.any():
        k = int(np.argmax(lost))
        position = int(integers[left[k]])
        reason = "too large" if values[k] else "too near to zero"
        raise source.error(f"{source.word(position)!r} is {reason} for a 64-bit float; rescale it", position=position)
    decimals[left] = values
    integers[left] = NOT_INTEGER


def _has_digits(words: np.ndarray) -> np.ndarray:
    """Return whether each row of bytes, a decimal, has a digit other than 0 before its exponent."""
    exponent = np.logical_or.accumulate((words | 32) == ord("e"), axis=1)
    found: np.ndarray = np.any((words >= ord("1")) & (words <= ord("9")) & ~exponent, axis=1)
    return found


@kernel(types="uint8[] uint8[] uint8[] bool int int64[] int64[]")
def find_ends(i, text: Text, starts, ends):
    """Find the end of the word that starts at `starts[i]`."""
    position = starts[i]
    while position < text.data.size and text.kinds[text.data[position]] > END:
        position += 1
    ends[i] = position


@kernel(types="uint8[] int64[] int64[] uint8[,]")
def copy_words(i, data, starts, ends, words):
    """Copy word i of a text to row i of a matrix of bytes."""
    for position in range(starts[i], ends[i]):
        words[i, position - starts[i]] = data[position]


def row_position(source: Source, start: int, layout: Layout, row: int) -> int:
    """Return the byte at which a row of `parse(source, start, layout)` begins."""
    found = np.zeros(1, np.int64)
    find_row(text_of(source, layout), start, len(source.data), int(row), found)
    return int(found[0])


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
