"""What is read: a file, a stream or standard input, uncompressed, whole in memory, with a name for its errors.

Compression (.gz, .bz2, .xz) is told from the first bytes, never from the name. The text is kept as it is, so an error
found at some byte can still say which line that is; lines are counted only then.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from ..host_memory import free_memory
from .errors import GraphFileError
from .proportion import Allowance

__all__ = ["Progress", "Source", "opened"]

Progress = Callable[[int, int | None], object]

_BLOCK = 1 << 20
_STEP = 1 << 26  # bytes from one look at the free memory to the next
_LONGEST_HEADER = 1 << 20
_BLANKS = re.compile(rb"[ \t\r\v\f]*")
_MOST_DIGITS = 18  # fit 64 bits


@dataclass(frozen=True)
class Source:
    """The uncompressed bytes of a file and what to call it."""

    name: str
    data: bytearray
    allowance: Allowance = field(default_factory=lambda: Allowance("the stream"), repr=False)
    array: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        array = np.frombuffer(self.data, np.uint8)
        array.flags.writeable = False
        object.__setattr__(self, "array", array)

    def without_byte_order_mark(self) -> Source:
        """The text behind a byte order mark of UTF-8, or this one."""
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise self.error("the byte order mark is that of UTF-16; convert the text to UTF-8")
        if self.data.startswith(codecs.BOM_UTF8):
            return Source(self.name, self.data[len(codecs.BOM_UTF8) :], self.allowance)
        return self

    @property
    def suffix(self) -> str:
        """The name's last suffix that does not name a compression, in lower case."""
        return format_suffix(self.name)

    def line(self, start: int) -> tuple[bytes, int]:
        """The line that starts at this byte, without its end, and where the next one starts; refused if it is endless.

        For headers and titles. What a line of numbers may be long is the parser's, who copies none.
        """
        end = self.end_of_line(start)
        if end - start > _LONGEST_HEADER:
            raise self.error(
                f"the line has {end - start:,} characters, more than any header; the file is damaged, or no graph",
                position=start,
            )
        return bytes(self.data[start:end]), end + 1

    def end_of_line(self, start: int) -> int:
        """Where the line ends that this byte is in."""
        end = self.data.find(b"\n", start)
        return len(self.data) if end < 0 else end

    def skip_comments(self, start: int, marks: bytes, *, empty: bool = True) -> int:
        """Where the first line starts that has something on it and does not begin with one of `marks`."""
        size = len(self.data)
        while start < size:
            first = self.first_on_line(start)
            if not empty if first in b"\n" else first not in marks:
                break
            start = self.end_of_line(start) + 1
        return min(start, size)

    def first_on_line(self, start: int) -> bytes:
        """The first byte from here on that is no blank; the end of a line is one, that of the file none."""
        blanks = _BLANKS.match(self.data, start)
        first = blanks.end() if blanks else start
        return bytes(self.data[first : first + 1])

    def count(self, word: bytes, position: int) -> int:
        """A number in a header, which stands at this byte or on its line."""
        digits = word.lstrip(b"0") or b"0"
        if len(digits) > _MOST_DIGITS:
            raise self.error(
                f"the number {digits[:8].decode()}... has {len(digits)} digits, more than any graph has; correct it",
                position=position,
            )
        return int(digits)

    def word(self, position: int) -> str:
        """The word around this byte, cut to a length that fits a message."""
        start = position
        while start > 0 and position - start < 30 and self.data[start - 1] not in b" \t\r\n,":
            start -= 1
        words = bytes(self.data[start : start + 40]).split(maxsplit=1)
        return words[0].decode("ascii", "backslashreplace").rstrip(",") if words else ""

    def starts_line(self, position: int) -> bool:
        """Whether nothing but blanks stands before this byte on its line."""
        before = self.data.rfind(b"\n", 0, position) + 1
        return not self.data[before:position].strip()

    def error(self, message: str, *, position: int | None = None, line: int | None = None) -> GraphFileError:
        """An error about this file, with the line number of a byte or a line's own."""
        if position is not None:
            line = 1 + self.data.count(b"\n", 0, position)
        place = self.name if line is None else f"{self.name}, line {line}"
        return GraphFileError(f"{place}: {message}")

    def miscount(
        self, announced: str, found: str, cure: str = "the file is cut short or its header is wrong"
    ) -> GraphFileError:
        """An error about more or less of something than the header announces."""
        return self.error(f"the header announces {announced}, but {found} follow; {cure}", line=self._last_line())

    def _last_line(self) -> int:
        """The number of the last line."""
        newlines = self.data.count(b"\n")
        return max(1, newlines if self.data.endswith(b"\n") else newlines + 1)


def format_suffix(name: str) -> str:
    """The last suffix of a name that does not name a compression, in lower case."""
    stem, suffix = os.path.splitext(os.path.basename(name).lower())
    return os.path.splitext(stem)[1] if suffix in (".gz", ".bz2", ".xz") else suffix


class _Counted(io.RawIOBase):
    """A stream that tells how much of it has been read."""

    def __init__(self, stream: IO[bytes], total: int | None, progress: Progress | None) -> None:
        self._stream, self.total, self._progress, self.done = stream, total, progress, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._stream.read(len(buffer))
        if not isinstance(block, bytes):
            raise TypeError(f"the file must be opened in binary mode; read() gave {type(block).__name__}")
        buffer[: len(block)] = block
        self.done += len(block)
        if self._progress is not None and block:
            self._progress(self.done, self.total)
        return len(block)


class _XzStreams:
    """The uncompressed bytes of an .xz file: streams, each with zeros behind it, in multiples of four (its padding).

    `lzma.open` takes padding for the beginning of another stream, and ignores any other bytes behind a stream.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._stream, self._unread = raw, lzma.LZMADecompressor(lzma.FORMAT_XZ), b""

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        while not self._stream.eof or self._begins_another():
            compressed, self._unread = self._unread, b""
            if self._stream.needs_input and not compressed:
                compressed = self._raw.read(_BLOCK)
                if not compressed:
                    raise EOFError("compressed file ended before the end of a stream")
            if block := self._stream.decompress(compressed, size):
                return block
        return b""

    def _begins_another(self) -> bool:
        """Whether another stream begins behind the padding of the one that has ended."""
        padding, unread = 0, self._stream.unused_data or self._raw.read(_BLOCK)
        while unread:
            stream = unread.lstrip(b"\0")
            padding += len(unread) - len(stream)
            if stream:
                self._stream, self._unread = lzma.LZMADecompressor(lzma.FORMAT_XZ), stream
                break
            unread = self._raw.read(_BLOCK)
        if padding % 4:
            raise lzma.LZMAError(f"{padding} zeros follow a stream, but its padding is a multiple of four")
        return bool(unread)


_MAGIC: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": _XzStreams}


@contextlib.contextmanager
def opened(path: Any, progress: Progress | None) -> Iterator[tuple[str, io.BufferedReader]]:
    """The name and the raw bytes, still compressed, of a path, a binary stream, or "-" for standard input."""
    with contextlib.ExitStack() as cleanup:
        total = None
        name: str
        stream: Any
        if isinstance(path, str) and path == "-":
            if sys.stdin is None:
                raise GraphFileError("standard input is closed; name a file in place of -")
            name, stream = "standard input", sys.stdin.buffer
        elif isinstance(path, (str, os.PathLike)):
            name = os.fspath(path)
            stream = cleanup.enter_context(open(path, "rb", buffering=0))
            total = os.fstat(stream.fileno()).st_size or None
        elif hasattr(path, "read"):
            stated = getattr(path, "name", None)
            name, stream = stated if isinstance(stated, str) and stated else "the stream", path
        else:
            raise TypeError(f"path must be a path or a binary file, got {type(path).__name__}")
        yield name, io.BufferedReader(_Counted(stream, total, progress), _BLOCK)


def load(name: str, raw: io.BufferedReader, allowance: Allowance | None = None) -> Source:
    """All of a stream, uncompressed."""
    allowance = allowance or Allowance(name, trusted=True)
    counted: Any = raw.raw
    head = raw.peek(8)[:8]
    stream: Any = raw
    for magic, decompressor in _MAGIC.items():
        if head.startswith(magic):
            stream = decompressor(raw)
    data = bytearray()
    try:
        while block := stream.read(_BLOCK):
            if len(data) % _STEP < _BLOCK:
                _check_memory(name, len(data), (counted.total or 0) - len(data) if stream is raw else 0)
            data += block
            allowance.size = counted.done
            allowance.check(len(data), "its uncompressed contents")
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise GraphFileError(f"{name}: the compressed file is damaged or cut short: {_as_clause(error)}") from None
    return Source(name, data, allowance)


def _check_memory(name: str, done: int, left: int) -> None:
    """Refuse what the memory cannot hold, before the system ends the process; `left` if that is known."""
    if not done and left < _STEP:
        return
    free = free_memory()
    if max(left, _STEP) > free:
        raise MemoryError(
            f"{name}: the memory is short: {done / 1e9:.3g} GB were read, which are held until the graph is built, "
            + (f"{left / 1e9:.3g} GB" if left else "more")
            + f" follow, and {free / 1e9:.3g} GB are free"
        )


def _as_clause(error: Exception) -> str:
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]
