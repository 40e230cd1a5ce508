"""The one error for a file that does not hold what its format promises."""

from __future__ import annotations

from ..printable import printable

__all__ = ["GraphFileError"]


class GraphFileError(ValueError):
    """A file is broken, cut short, or of no known format.

    The message is one sentence: the file, the line where that can be told, what is wrong, and the cure if there is one.
    What it quotes of the file is made printable, as a terminal would obey control characters.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))
