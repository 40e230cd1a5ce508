"""Text for messages, pages and pictures without characters that a terminal or a browser would obey."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text with every character that is not printable as its Python escape.

    These are control characters (C0 and C1), line and paragraph separators, bidirectional and other formatting
    characters, blanks other than the space, surrogates, and characters that are not assigned.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
