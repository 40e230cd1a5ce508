"""How much memory a file may take beside its own size: headers and compressed files can promise anything.

A few bytes can announce 10**12 vertices, or unpack to terabytes. So what is not there byte by byte must stay below
`FREELY`, or below `TIMES` the size of the file, unless the caller trusts it.
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
    """What a file may take; `size` is its bytes as it lies on the disk, as far as they have been read."""

    name: str
    trusted: bool = False
    size: int = 0

    def check(self, needed: int, what: str) -> None:
        """Refuse what takes too much memory, which is said as in "the rows of the table"."""
        if not self.trusted and needed > max(FREELY, TIMES * self.size):
            raise GraphFileError(
                f"{self.name}: {what} would take {needed // _MEBIBYTE:,} MiB of memory, but the file has only "
                f"{self.size:,} bytes; if it comes from someone whom you trust, pass trusted=True (--trusted)"
            )
