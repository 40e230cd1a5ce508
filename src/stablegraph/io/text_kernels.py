"""The kernels of the byte parser, and the layouts of text formats that they use.

A layout states the letters that may start a line, the marks of comments, and the separators of fields. The kernels use
two tables of a layout: the class of each byte, and the kind of a line by its first byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import kernel, rule
from .source import Source

# Classes of bytes.
BLANK, SEPARATOR, END, DIGIT, SIGN, POINT, EXPONENT, OTHER = range(8)
# Kinds of lines, by their first byte that is not blank.
NUMBERS, LETTER, COMMENT, EMPTY, STRANGE = range(5)

NEWLINE = 10

# Errors of numbers.
NOT_A_NUMBER, TOO_LARGE, NOT_CANONICAL = 1, 2, 3

BLANKS, PLUS, MINUS, ZERO = 32, 43, 45, 48
NOT_INTEGER = -(2**63)
"""Stands among the integers for a number that has a decimal point or an exponent."""

LARGEST = 2**63 - 1
NAN = float("nan")
EXACT_DIGITS, EXACT_POWER = 15, 22


@dataclass(frozen=True)
class Layout:
    """Description of the lines of a text format.

    `letters` may start a line of numbers (and must, if `bare` is false); `comments` start a line that is ignored. One
    of the `separators`, with optional blanks next to it, or blanks without a separator divide two numbers of a line.
    All numbers of a line must be separated in the same way. The first `ids` numbers of a line are ids, which must have
    neither a leading zero nor a plus sign.
    """

    bare: bool = True
    letters: str = ""
    comments: str = ""
    separators: str = ""
    decimals: bool = False
    empty_lines_count: bool = False
    ids: int = 0


class Text(NamedTuple):
    """The bytes of a text, and the tables of its layout."""

    data: Any  # (size,): the bytes
    kinds: Any  # (256,): the class of each byte
    leads: Any  # (256,): the kind of a line that starts with the byte
    empty_lines_count: bool  # whether an empty line is a row
    ids: int  # how many numbers at the start of a line must be written without leading zeros and plus signs


@cache
def _tables(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return two tables indexed by byte: the class of the byte, and the kind of a line that starts with it."""
    kinds = np.full(256, OTHER, np.uint8)
    kinds[[ord(c) for c in " \t\r\v\f"]] = BLANK
    kinds[[ord(c) for c in layout.separators]] = SEPARATOR
    kinds[NEWLINE] = END
    kinds[ord("0") : ord("9") + 1] = DIGIT
    kinds[[ord("+"), ord("-")]] = SIGN
    if layout.decimals:
        kinds[ord(".")] = POINT
        kinds[[ord("e"), ord("E")]] = EXPONENT
    leads = np.full(256, STRANGE, np.uint8)
    leads[NEWLINE] = EMPTY
    if layout.bare:
        leads[np.isin(kinds, (DIGIT, SIGN, POINT, SEPARATOR))] = NUMBERS
    leads[[ord(c) for c in layout.letters]] = LETTER
    leads[[ord(c) for c in layout.comments]] = COMMENT
    for table in (kinds, leads):
        table.flags.writeable = False
    return kinds, leads


def text_of(source: Source, layout: Layout) -> Text:
    """Return the text of a source in the form that kernels accept."""
    return Text(source.array, *_tables(layout), layout.empty_lines_count, layout.ids)


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
def find_row(text: Text, start, end, row, result):
    """Find the start of a row; needed only for error messages about its numbers."""
    position = start
    remaining = row
    while position < end:
        position, lead = line_at(text, position, end)
        if lead != COMMENT and (lead != EMPTY or text.empty_lines_count):
            if remaining == 0:
                break
            remaining -= 1
        position = skip_line(text, position, end)
    result[0] = min(position, end)


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
