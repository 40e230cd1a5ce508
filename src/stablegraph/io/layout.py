"""Layouts of text formats: the letters that may start a line, the marks of comments, and the separators of fields.

The compiled parser uses two tables of a layout: the class of each byte, and the kind of a line by its first byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .source import Source

# Classes of bytes.
BLANK, SEPARATOR, END, DIGIT, SIGN, POINT, EXPONENT, OTHER = range(8)
# Kinds of lines, by their first byte that is not blank.
NUMBERS, LETTER, COMMENT, EMPTY, STRANGE = range(5)

NEWLINE = 10


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
