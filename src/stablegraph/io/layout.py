"""The layout of text formats: which letters may start a line, which of them make it a comment, what separates fields.

For the compiled parser a layout is two tables: what each byte is, and what a line is that starts with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .source import Source

# What a byte is.
BLANK, SEPARATOR, END, DIGIT, SIGN, POINT, EXPONENT, OTHER = range(8)
# What a line is, by its first byte that is not blank.
NUMBERS, LETTER, COMMENT, EMPTY, STRANGE = range(5)

NEWLINE = 10


@dataclass(frozen=True)
class Layout:
    """What the lines of a text format look like.

    `letters` may start a line of numbers (and must, if `bare` is false); `comments` start a line that is ignored. Each
    of the `separators` separates two numbers of a line, perhaps with blanks next to it. Blanks without a separator
    do so, too. All numbers of a line are separated in one way. The first `ids` numbers of a line are ids, which have
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
    """The bytes of a text, and what they mean."""

    data: Any  # (size,): the bytes
    kinds: Any  # (256,): what a byte is
    leads: Any  # (256,): what a line is that starts with a byte
    empty_lines_count: bool  # whether an empty line is a row
    ids: int  # how many numbers of a line, from the first on, must be written without leading zeros and plus signs


@cache
def _tables(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """For each byte: its kind; and the role of a line that starts with it."""
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
    """The text of a source, as kernels take it."""
    return Text(source.array, *_tables(layout), layout.empty_lines_count, layout.ids)
