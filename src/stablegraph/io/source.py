"""The input of the readers: a file, a stream or standard input, uncompressed in memory, with its name for errors.

Compression (.gz, .bz2, .xz) is detected from the first bytes, not from the name. The text is kept unchanged, so that an
error at any byte can report its line number; lines are counted only when an error occurs.

Against decompression bombs and false headers, memory that is not backed by bytes of the file is limited to `FREELY`
bytes or `TIMES` the size of the file, whichever is larger, unless the caller trusts the file: a file of a few bytes can
announce 10**12 vertices, or unpack to terabytes.
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

from .._core.memory import free_memory
from .._core.texts import printable

Progress = Callable[[int, int | None], object]

FREELY = 1 << 28
TIMES = 200
_MEBIBYTE = 2**20
_BLOCK = 1 << 20
_BYTES_PER_CHECK = 1 << 26  # bytes between two checks of the free memory
_LONGEST_HEADER = 1 << 20
_BLANKS = re.compile(rb"[ \t\r\v\f]*")
_MAX_DIGITS = 18  # which always fit 64 bits


class GraphFileError(ValueError):
    """A file is damaged, truncated, or of an unknown format.

    The message is one sentence: the file, the line if it is known, the error, and a remedy if there is one. Control
    characters in quoted contents of the file are escaped, because a terminal would execute them.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass
class Allowance:
    """The memory allowance of a file; `size` is the number of its (compressed) bytes that have been read so far."""

    name: str
    trusted: bool = False
    size: int = 0

    def check(self, needed: int, what: str) -> None:
        """Refuse an excessive amount of memory; `what` names its purpose, such as "the rows of the table"."""
        if not self.trusted and needed > max(FREELY, TIMES * self.size):
            raise GraphFileError(
                f"{self.name}: {what} would take {needed // _MEBIBYTE:,} MiB of memory, but the file has only "
                f"{self.size:,} bytes; if it comes from someone whom you trust, pass trusted=True (--trusted)"
            )


@dataclass(frozen=True)
class Source:
    """The uncompressed bytes of a file, and its name."""

    name: str
    data: bytearray
    allowance: Allowance = field(default_factory=lambda: Allowance("the stream"), repr=False)
    array: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        array = np.frombuffer(self.data, np.uint8)
        array.flags.writeable = False
        object.__setattr__(self, "array", array)

    def without_byte_order_mark(self) -> Source:
        """Return the text without a UTF-8 byte order mark; refuse UTF-16."""
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise self.error("the byte order mark is that of UTF-16; convert the text to UTF-8")
        if self.data.startswith(codecs.BOM_UTF8):
            return Source(self.name, self.data[len(codecs.BOM_UTF8) :], self.allowance)
        return self

    @property
    def suffix(self) -> str:
        """The name's last suffix, in lower case, except for suffixes of compression."""
        return format_suffix(self.name)

    @property
    def quoted_name(self) -> str:
        """The name of a file as a text of Python, or FILE for a stream."""
        return repr(self.name) if os.path.isfile(self.name) else "FILE"

    def line(self, start: int) -> tuple[bytes, int]:
        """Return the line that starts at this byte, without its end, and the start of the next line.

        Use it only for headers and titles: a line longer than any header is refused. Lines of numbers may have any
        length, because the parser does not copy them.
        """
        end = self.end_of_line(start)
        if end - start > _LONGEST_HEADER:
            raise self.error(
                f"the line has {end - start:,} characters, more than any header; the file is damaged, or no graph",
                position=start,
            )
        return bytes(self.data[start:end]), end + 1

    def end_of_line(self, start: int) -> int:
        """Return the end of the line that contains this byte."""
        end = self.data.find(b"\n", start)
        return len(self.data) if end < 0 else end

    def skip_comments(self, start: int, marks: bytes, *, empty: bool = True) -> int:
        """Return the start of the first line that is not empty and does not begin with one of `marks`."""
        size = len(self.data)
        while start < size:
            first = self.first_on_line(start)
            if not empty if first in b"\n" else first not in marks:
                break
            start = self.end_of_line(start) + 1
        return min(start, size)

    def first_on_line(self, start: int) -> bytes:
        """Return the first byte at or after `start` that is not blank: a newline, or nothing at the end of the file."""
        blanks = _BLANKS.match(self.data, start)
        first = blanks.end() if blanks else start
        return bytes(self.data[first : first + 1])

    def count(self, word: bytes, position: int) -> int:
        """Return a number from a header; `position` is a byte of its line."""
        digits = word.lstrip(b"0") or b"0"
        if len(digits) > _MAX_DIGITS:
            raise self.error(
                f"the number {digits[:8].decode()}... has {len(digits)} digits, more than any graph has; correct it",
                position=position,
            )
        return int(digits)

    def word(self, position: int) -> str:
        """Return the word around this byte, truncated to a length that fits a message."""
        start = position
        while start > 0 and position - start < 30 and self.data[start - 1] not in b" \t\r\n,":
            start -= 1
        words = bytes(self.data[start : start + 40]).split(maxsplit=1)
        return words[0].decode("ascii", "backslashreplace").rstrip(",") if words else ""

    def starts_line(self, position: int) -> bool:
        """Return whether only blanks precede this byte on its line."""
        before = self.data.rfind(b"\n", 0, position) + 1
        return not self.data[before:position].strip()

    def error(self, message: str, *, position: int | None = None, line: int | None = None) -> GraphFileError:
        """Return an error about this file, with the line number of a byte or a given line number."""
        if position is not None:
            line = 1 + self.data.count(b"\n", 0, position)
        place = self.name if line is None else f"{self.name}, line {line}"
        return GraphFileError(f"{place}: {message}")

    def miscount(
        self, announced: str, actual: str, cure: str = "the file is cut short or its header is wrong"
    ) -> GraphFileError:
        """Return an error about a count that differs from the header's."""
        return self.error(f"the header announces {announced}, but {actual} follow; {cure}", line=self._last_line())

    def _last_line(self) -> int:
        """Return the number of the last line."""
        newlines = self.data.count(b"\n")
        return max(1, newlines if self.data.endswith(b"\n") else newlines + 1)


def utf8(name: str, data: bytes | bytearray) -> str:
    """Return a text; raise GraphFileError with the line of the first byte that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line, cure = 1 + data.count(b"\n", 0, error.start), "convert the file, for example by iconv -f latin1 -t utf-8"
        raise GraphFileError(f"{name}, line {line}: the byte {data[error.start]:#x} is not UTF-8; {cure}") from None


def format_suffix(name: str) -> str:
    """Return the last suffix of a name, in lower case, except for suffixes of compression."""
    stem, suffix = os.path.splitext(os.path.basename(name).lower())
    return os.path.splitext(stem)[1] if suffix in (".gz", ".bz2", ".xz") else suffix


class _Counted(io.RawIOBase):
    """A raw stream that counts the bytes read and reports them to `progress`."""

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
    """The uncompressed bytes of an .xz file, a sequence of streams, each padded with a multiple of four zeros.

    `lzma.open` cannot be used: it takes padding for the beginning of another stream, and ignores any other bytes after
    a stream.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._stream, self._unread = raw, lzma.LZMADecompressor(lzma.FORMAT_XZ), b""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
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
        """Return whether another stream begins after the padding of the finished one."""
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
def open_source(path: Any, progress: Progress | None) -> Iterator[tuple[str, io.BufferedReader]]:
    """Yield the name and the raw (still compressed) bytes of a path, a binary stream, or "-" for standard input."""
    with contextlib.ExitStack() as cleanup:
        total = None
        name: str
        stream: Any
        if isinstance(path, str) and path == "-":
            if sys.stdin is None:
                raise GraphFileError("standard input is closed; name a file instead of -")
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


def load_path(path: Any, trusted: bool = True) -> Source:
    """Read a file or stream completely, and uncompress it."""
    with open_source(path, None) as (name, raw):
        return load(name, raw, Allowance(name, trusted))


def load(name: str, raw: io.BufferedReader, allowance: Allowance) -> Source:
    """Read an opened stream completely, and uncompress it."""
    counted: Any = raw.raw
    head = raw.peek(8)[:8]
    stream: Any = raw
    for magic, decompressor in _MAGIC.items():
        if head.startswith(magic):
            stream = decompressor(raw)
    data = bytearray()
    try:
        while block := stream.read(_BLOCK):
            if len(data) % _BYTES_PER_CHECK < _BLOCK:
                _check_memory(name, len(data), (counted.total or 0) - len(data) if stream is raw else 0)
            data += block
            allowance.size = counted.done
            allowance.check(len(data), "its uncompressed contents")
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise GraphFileError(f"{name}: the compressed file is damaged or cut short: {_as_clause(error)}") from None
    return Source(name, data, allowance)


def _check_memory(name: str, done: int, remaining: int) -> None:
    """Raise MemoryError before the system would end the process; `remaining` bytes are left, if known."""
    if not done and remaining < _BYTES_PER_CHECK:
        return
    free = free_memory()
    if max(remaining, _BYTES_PER_CHECK) > free:
        raise MemoryError(
            f"{name}: the memory is short: {done / 1e9:.3g} GB were read, which are held until the graph is built, "
            + (f"{remaining / 1e9:.3g} GB" if remaining else "more")
            + f" follow, and {free / 1e9:.3g} GB are free"
        )


def _as_clause(error: Exception) -> str:
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]
