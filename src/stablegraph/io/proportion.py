"""Limits on the memory that a file may take relative to its size, against decompression bombs and false headers.

A file of a few bytes can announce 10**12 vertices, or unpack to terabytes. Therefore memory that is not backed by bytes
of the file is limited to `FREELY` bytes or `TIMES` the size of the file, whichever is larger, unless the caller trusts
the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import GraphFileError

__all__ = ["Allowance"]

FREELY = 1 << 28
TIMES = 200
_MEBIBYTE = 2**20


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
