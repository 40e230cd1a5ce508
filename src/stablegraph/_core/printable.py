"""Text without control characters, which a terminal or a browser would interpret, for messages, pages and pictures."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text with every unprintable character replaced by its Python escape.

    These are control characters (C0 and C1), line and paragraph separators, bidirectional and other formatting
    characters, blanks other than the space, surrogates, and unassigned characters.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
