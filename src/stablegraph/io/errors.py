"""The one error for a file that does not hold what its format promises."""

from __future__ import annotations

__all__ = ["GraphFileError"]


class GraphFileError(ValueError):
    """A file is broken, cut short, or of no known format.

    The message is one sentence: the file, the line where that can be told, what is wrong, and the cure if there is one.
    """
