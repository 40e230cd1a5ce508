"""Texts for people: without control characters, numbers with nouns and units, and tables in HTML for notebooks.

The tables inherit colors and fonts from the notebook, so that they fit light and dark themes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_CELL = "padding: 0.1em 1em 0.1em 0; background: none; border: none; vertical-align: top;"
_LONGEST = 200  # characters of a value in a message
_LEFT, _RIGHT = f"{_CELL} text-align: left;", f"{_CELL} text-align: right;"


def printable(text: str) -> str:
    """Return the text with every unprintable character replaced by its Python escape.

    These are control characters (C0 and C1), line and paragraph separators, bidirectional and other formatting
    characters, blanks other than the space, surrogates, and unassigned characters.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def short_repr(value: Any) -> str:
    """Return a value as one line of limited length for a message; an array is described by its shape."""
    if getattr(value, "ndim", 0):
        return f"an array of shape {value.shape}"
    if isinstance(value, int) and value.bit_length() > _LONGEST:  # Python refuses to print more than 4300 digits
        return f"an integer of {value.bit_length()} bits"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def counted(number: int, one: str, several: str) -> str:
    """Return a number with a noun."""
    return f"{number:,} {one if number == 1 else several}"


def in_units(size: float) -> str:
    """Return a number of bytes with a unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def facts_as_html(title: str, facts: Mapping[str, str]) -> str:
    """Return a table with one line per fact."""
    lines = "".join(
        f'<tr><th scope="row" style="{_LEFT} font-weight: normal; opacity: 0.7;">{_escaped(name)}</th>'
        f'<td style="{_LEFT}">{_escaped(text)}</td></tr>'
        for name, text in facts.items()
    )
    return _html_table(title, lines)


def rows_as_html(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """Return a table of numbers with headings, and notes below it."""
    head = "".join(
        f'<th scope="col" style="{_RIGHT} font-weight: normal; opacity: 0.7;">{_escaped(text)}</th>'
        for text in headings
    )
    lines = "".join(
        "<tr>" + "".join(f'<td style="{_RIGHT}">{_escaped(text)}</td>' for text in row) + "</tr>" for row in rows
    )
    below = "".join(f'<div style="opacity: 0.7;">{_escaped(note)}</div>' for note in notes)
    return _html_table(title, f"<tr>{head}</tr>{lines}") + below


def _escaped(text: str) -> str:
    from html import escape  # imported when a notebook shows a table: its list of characters is long

    return escape(text)


def _html_table(title: str, lines: str) -> str:
    caption = f'<caption style="text-align: left; font-weight: bold; color: inherit;">{_escaped(title)}</caption>'
    return f'<table style="border: none;">{caption}<tbody>{lines}</tbody></table>'
