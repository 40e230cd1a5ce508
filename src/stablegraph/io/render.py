"""The inverse of the byte parser: converts columns of numbers to text, in compiled code, block by block.

Each block takes two passes. The first computes the number of bytes of each number. The second writes the digits, at
positions from the running sum of these sizes. NumPy converts decimals to their shortest exact text first; the compiled
code only copies them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from .._core.runtime import Bytes, ByteTable, Int64s, kernel, rule

_BLOCK = 1 << 18
ZERO, MINUS, NOTHING = 48, 45, 0
INTEGER, WORD, SILENT = range(3)


@rule
def digits_of(value):
    """Return the number of digits of a value that is zero or negative."""
    count = 1
    while value <= -10:
        value = (value + 9) // 10
        count += 1
    return count


@kernel
def measure(i, values: Int64s, kinds: Bytes, words: ByteTable, after: Bytes, sizes: Int64s):
    """Compute the size of token i in bytes, including the byte after it."""
    size = 0
    if kinds[i] == INTEGER:
        value = values[i]
        size = digits_of(-value) if value >= 0 else 1 + digits_of(value)
    elif kinds[i] == WORD:
        while size < words.shape[1] and words[values[i], size] != NOTHING:
            size += 1
    sizes[i] = size + 1


@kernel
def print_tokens(i, values: Int64s, kinds: Bytes, words: ByteTable, after: Bytes, ends: Int64s, text: Bytes):
    """Write token i at its place, with its digits from the last to the first."""
    position = ends[i] - 1
    text[position] = after[i]
    if kinds[i] == INTEGER:
        value = values[i]
        remaining = -value if value >= 0 else value
        while True:
            quotient = (remaining + 9) // 10  # rounds toward zero; left <= 0, because -left may not fit
            position -= 1
            text[position] = ZERO + (quotient * 10 - remaining)
            remaining = quotient
            if remaining == 0:
                break
        if value < 0:
            text[position - 1] = MINUS
    elif kinds[i] == WORD:
        start = ends[i - 1] if i > 0 else 0
        for k in range(position - start):
            text[start + k] = words[values[i], k]


@dataclass(frozen=True)
class Tokens:
    """Numbers, whether each is printed, and the byte after each."""

    values: np.ndarray
    shown: np.ndarray
    after: np.ndarray

    def blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield values, kinds, words and following bytes, block by block."""
        no_words = np.zeros((1, 1), np.uint8)
        for start in range(0, self.values.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            kinds = np.where(self.shown[part], INTEGER, SILENT).astype(np.uint8)
            yield self.values[part], kinds, no_words, self.after[part]


@dataclass(frozen=True)
class Lines:
    """Lines with one number of each column; `add` is added to the first two columns, and `prefix` starts each line."""

    columns: list[np.ndarray]
    separator: bytes = b" "
    prefix: bytes = b""
    add: int = 0

    def blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield values, kinds, words and following bytes, block by block."""
        lead = len(self.prefix)
        width = lead + len(self.columns)
        size = self.columns[0].size
        decimal = self.columns[-1].dtype.kind == "f"
        for start in range(0, size, _BLOCK // width):
            part = slice(start, min(size, start + _BLOCK // width))
            rows = part.stop - part.start
            values = np.zeros((rows, width), np.int64)
            kinds = np.full((rows, width), INTEGER, np.uint8)
            after = np.full((rows, width), self.separator[0], np.uint8)
            after[:, -1] = ord("\n")
            words = np.zeros((1, 1), np.uint8)
            # Each byte of the prefix is a silent token, which prints only the byte after it.
            kinds[:, :lead] = SILENT
            after[:, :lead] = np.frombuffer(self.prefix, np.uint8)
            for k, column in enumerate(self.columns):
                if decimal and k == len(self.columns) - 1:
                    texts = column[part].astype(np.float64).astype("S32")
                    words = texts.view(np.uint8).reshape(rows, 32)
                    values[:, lead + k] = np.arange(rows)
                    kinds[:, lead + k] = WORD
                else:
                    values[:, lead + k] = column[part]
                    if k < 2:
                        values[:, lead + k] += self.add
            yield values.ravel(), kinds.ravel(), words, after.ravel()


def render(stream: IO[bytes], tokens: Lines | Tokens) -> None:
    """Write tokens as text."""
    for values, kinds, words, after in tokens.blocks():
        sizes = np.empty(values.size, np.int64)
        measure(values.size, values, kinds, words, after, sizes)
        ends = np.cumsum(sizes)
        text = np.empty(int(ends[-1]), np.uint8)
        print_tokens(values.size, values, kinds, words, after, ends, text)
        stream.write(text.data)
