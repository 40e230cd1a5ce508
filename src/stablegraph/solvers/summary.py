"""The table of a hierarchy, as text and as HTML: its levels, their memory, and the time of each phase of the setup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._core.texts import rows_as_html
from .hierarchy import Level

_HEADINGS = ("level", "unknowns", "entries", "a row", "share", "MB")
_WIDTHS = (7, 12, 13, 7, 7, 9)


def table(levels: Sequence[Level], operator_complexity: float, seconds: Mapping[str, float]) -> str:
    """Describe the levels of a hierarchy in lines of text; `seconds` is the time of each phase of its setup."""
    lines = [_headline(levels, operator_complexity)]
    for cells in (_HEADINGS, *_cells(levels)):
        lines.append(" ".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True)))
    return "\n".join(lines + [f"  {note}" for note in _notes(levels, seconds)])


def table_as_html(levels: Sequence[Level], operator_complexity: float, seconds: Mapping[str, float]) -> str:
    """Describe the levels of a hierarchy for a notebook."""
    return rows_as_html(_headline(levels, operator_complexity), _HEADINGS, _cells(levels), _notes(levels, seconds))


def _headline(levels: Sequence[Level], operator_complexity: float) -> str:
    count = f"{len(levels)} levels" if len(levels) > 1 else "1 level"
    return f"Multigrid, {count}, operator complexity {operator_complexity:.2f}"


def _cells(levels: Sequence[Level]) -> list[tuple[str, ...]]:
    total = max(sum(level.A.nnz for level in levels), 1)
    rows: list[tuple[str, ...]] = []
    for number, level in enumerate(levels):
        n, entries = level.A.shape[0], level.A.nnz
        sizes = (str(number), f"{n:,d}", f"{entries:,d}")
        shares = (f"{entries / max(n, 1):.1f}", f"{entries / total:.1%}", f"{level_bytes(level) / 1e6:.1f}")
        rows.append(sizes + shares)
    return rows


def _notes(levels: Sequence[Level], seconds: Mapping[str, float]) -> list[str]:
    last = levels[-1].note
    phases = ", ".join(f"{phase} {part:.3f}" for phase, part in seconds.items())
    notes = [] if last is None else [f"the last level is the last because {last}"]
    return [*notes, f"setup {sum(seconds.values()):.3f} s: {phases}"]


def level_bytes(level: Level) -> int:
    """Return the bytes of a level's matrix, prolongator and restriction."""
    arrays = {}
    for matrix in (level.A, level.P, level.R):
        if matrix is not None:
            arrays.update({id(array): array.nbytes for array in (matrix.indptr, matrix.indices, matrix.data)})
    return sum(arrays.values())
