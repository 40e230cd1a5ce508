"""The kernels of the byte parser, and the layouts of text formats that they use.

A layout states the letters that may start a line, the marks of comments, and the separators of fields. The kernels use
two tables of a layout: the class of each byte, and the kind of a line by its first byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .._core.runtime import Bytes, ByteTable, Float64s, Int64s, Int64Table, kernel, rule
from .source import Source

BLANK, SEPARATOR, END, DIGIT, SIGN, POINT, EXPONENT, INFINITE, OTHER = range(9)  # classes of bytes
# Kinds of lines, by their first byte that is not blank.
NUMBERS, LETTER, COMMENT, EMPTY, STRANGE = range(5)
# Places in the rules of a text.
EMPTY_LINES, IDS, UNREAD, STEP = range(4)

NEWLINE, LOWER, INF, INFINITY = 10, 32, int.from_bytes(b"inf"), int.from_bytes(b"infinity")

# Errors of numbers.
NOT_A_NUMBER, TOO_LARGE, NOT_CANONICAL = 1, 2, 3

BLANKS, PLUS, MINUS, ZERO = 32, 43, 45, 48
NOT_INTEGER = -(2**63)
"""Stands among the integers for a number that has a decimal point or an exponent."""

LARGEST = 2**63 - 1
NAN, INFINITE_NUMBER = float("nan"), float("inf")
EXACT_DIGITS, EXACT_POWER = 15, 22


@dataclass(frozen=True)
class Layout:
    """Description of the lines of a text format.

    `letters` may start a line of numbers (and must, if `bare` is false); `comments` start a line that is ignored. One
    of the `separators`, with optional blanks next to it, or blanks without a separator divide two numbers of a line.
    All numbers of a line must be separated in the same way. The first `ids` numbers of a line are ids, which must have
    neither a leading zero nor a plus sign. The numbers from index `unread` on, or every `step`-th of them, are values
    that are not wanted: they may be any words, and become zeros.
    """

    bare: bool = True
    letters: str = ""
    comments: str = ""
    separators: str = ""
    decimals: bool = False
    empty_lines_count: bool = False
    ids: int = 0
    unread: int = 1 << 62
    step: int = 1


class Text(NamedTuple):
    """The bytes of a text, and the tables of its layout."""

    data: Bytes  # (size,): the bytes
    kinds: Bytes  # (256,): the class of each byte
    leads: Bytes  # (256,): the kind of a line that starts with the byte
    rules: Int64s  # (4,): whether an empty line is a row, and `ids`, `unread` and `step` of the layout


@cache
def _tables(layout: Layout) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the class of each byte, the kind of a line that starts with it, and the rules of a layout."""
    kinds = np.full(256, OTHER, np.uint8)
    kinds[[ord(c) for c in " \t\r\v\f"]] = BLANK
    kinds[[ord(c) for c in layout.separators]] = SEPARATOR
    kinds[NEWLINE] = END
    kinds[ord("0") : ord("9") + 1] = DIGIT
    kinds[[ord("+"), ord("-")]] = SIGN
    if layout.decimals:
        kinds[ord(".")] = POINT
        kinds[[ord("e"), ord("E")]] = EXPONENT
        kinds[[ord(c) for c in "inftyINFTY"]] = INFINITE
    leads = np.full(256, STRANGE, np.uint8)
    leads[NEWLINE] = EMPTY
    if layout.bare:
        leads[np.isin(kinds, (SEPARATOR, DIGIT, SIGN, POINT, INFINITE))] = NUMBERS
    leads[[ord(c) for c in layout.letters]] = LETTER
    leads[[ord(c) for c in layout.comments]] = COMMENT
    rules = np.array([layout.empty_lines_count, layout.ids, layout.unread, layout.step], np.int64)
    for table in (kinds, leads, rules):
        table.flags.writeable = False
    return kinds, leads, rules


def text_of(source: Source, layout: Layout) -> Text:
    """Return the text of a source in the form that kernels accept."""
    return Text(source.array, *_tables(layout))


class Output(NamedTuple):
    """The numbers of a text."""

    integers: Int64s
    decimals: Float64s  # empty if all are integers
    row_ends: Int64s  # (rows,): the end of each row's numbers


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
def is_unread(rules, field):
    """Return whether the number at this index of a line is not wanted."""
    return field >= rules[UNREAD] and (field - rules[UNREAD]) % rules[STEP] == 0


@rule
def skip_word(text, position, end):
    """Return the end of the word at `position`."""
    while position < end and text.kinds[text.data[position]] > END:
        position += 1
    return position


@rule
def end_of_infinity(text, position, end):
    """Return the end of the word inf or infinity, in any case, or the negative code of an error for another word."""
    letters = 0
    reached = skip_word(text, position, end)
    for i in range(position, min(reached, position + 9)):  # the longer word has 8 letters
        letters = letters * 256 + (text.data[i] | LOWER)
    return reached if letters in (INF, INFINITY) and reached <= position + 8 else -NOT_A_NUMBER


@rule
def read_number(text, start, end, powers, output, k):
    """Read the number at `start` into index k of the output; return its end, or the negative code of an error."""
    data, kinds, integers, decimals = text.data, text.kinds, output.integers, output.decimals
    position = start  # read digits; most numbers are integers and end after them
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

    if digits == 0 and kinds[data[position]] == INFINITE:
        decimals[k] = -INFINITE_NUMBER if negative else INFINITE_NUMBER
        integers[k] = NOT_INTEGER
        return end_of_infinity(text, position, end)

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


@kernel(by="workers")
def count_numbers(worker, workers, text: Text, cuts: Int64s, totals: Int64Table):
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
        if lead != EMPTY or text.rules[EMPTY_LINES]:
            rows += 1

        # Scan its fields: a number starts where a byte of a number follows a blank or a separator.
        before = BLANK
        filled = False  # whether a number has started since the last separator
        separator = -1  # position of the last separator, if no number follows it so far
        between = -1  # the separator before the second number, or BLANKS; all later ones must equal it
        field = -1  # the index of the current number
        wanted = True
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
                if field >= 0:
                    mark = BLANKS
                    if separator >= 0:
                        mark = data[separator]
                    if between >= 0 and between != mark:
                        strange = position
                        break
                    between = mark
                field += 1
                wanted = not is_unread(text.rules, field)
                numbers += 1
                filled = True
                separator = -1
            if kind >= POINT and wanted:
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


@kernel(by="workers", types="int64[] int64[,] float64[] int64[,]")
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
        start_of_row = k
        while True:
            position = skip_gap(text, position, end)
            if position >= end or data[position] == NEWLINE:
                position += 1
                break
            if is_unread(text.rules, k - start_of_row):  # it remains zero
                position = skip_word(text, position, end)
                k += 1
                continue
            reached = read_number(text, position, end, powers, output, k)
            if k - start_of_row < text.rules[IDS] and reached >= 0 and is_padded(text, position, reached):
                reached = -NOT_CANONICAL
            if reached < 0:
                faults[worker, 0] = -reached
                faults[worker, 1] = position
                return
            position = reached
            k += 1
        if lead != EMPTY or text.rules[EMPTY_LINES]:
            output.row_ends[row] = k
            row += 1


@kernel(by="single")
def find_row(text: Text, start: int, end: int, row: int, result: Int64s):
    """Find the start of a row; needed only for error messages about its numbers."""
    position = start
    remaining = row
    while position < end:
        position, lead = line_at(text, position, end)
        if lead != COMMENT and (lead != EMPTY or text.rules[EMPTY_LINES]):
            if remaining == 0:
                break
            remaining -= 1
        position = skip_line(text, position, end)
    result[0] = min(position, end)


@kernel
def find_ends(i, text: Text, starts: Int64s, ends: Int64s):
    """Find the end of the word that starts at `starts[i]`."""
    ends[i] = skip_word(text, starts[i], text.data.size)


@kernel
def copy_words(i, data: Bytes, starts: Int64s, ends: Int64s, words: ByteTable):
    """Copy word i of a text to row i of a matrix of bytes."""
    for position in range(starts[i], ends[i]):
        words[i, position - starts[i]] = data[position]
