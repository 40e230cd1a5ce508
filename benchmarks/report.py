"""Reports: the tables of a study, from the newest file of its lines, and their way into the pages."""

from __future__ import annotations

from pathlib import Path

from .study import Study
from .tables import Line, read_lines


def newest_lines(study: Study, results: Path) -> list[Line]:
    """Return the lines of a study's newest file; none if there is no file."""
    newest = max(results.glob(f"{study.name}-*.jsonl"), default=None)
    return read_lines(newest) if newest else []


def write_page(study: Study, lines: list[Line], root: Path) -> Path | None:
    """Write the tables between the study's markers in a page, and draw its pictures.

    Pages are those in docs/; pictures are written to docs/images/. Return the page, or None if no page has the markers.
    """
    page = _page_of(study, root)
    if page:
        put_between_markers(page, (study.page or study.report)(lines), study.name)
    for name, draw in study.pictures.items():
        draw(lines, root / "docs" / "images" / name)
    return page


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def _page_of(study: Study, root: Path) -> Path | None:
    pages = sorted((root / "docs").rglob("*.md"))
    first, _ = _markers(study.name)
    return next((page for page in pages if page.exists() and first in page.read_text(encoding="utf-8")), None)


def put_between_markers(path: Path, table: str, name: str) -> None:
    """Replace the text between the two markers of that name in a file."""
    first, last = _markers(name)
    text = path.read_text(encoding="utf-8")
    before, begin, remaining = text.partition(first)
    _, end, after = remaining.partition(last)
    if not begin or not end:
        raise ValueError(f"{path} lacks the markers {first} and {last}")
    path.write_text(f"{before}{first}\n\n{table}\n\n{last}{after}", encoding="utf-8")
