"""The exception for a file whose contents do not conform to its format."""

from __future__ import annotations

from .._core.printable import printable

__all__ = ["GraphFileError"]


class GraphFileError(ValueError):
    """A file is damaged, truncated, or of an unknown format.

    The message is one sentence: the file, the line if it is known, the error, and a remedy if there is one. Control
    characters in quoted contents of the file are escaped, because a terminal would execute them.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))
