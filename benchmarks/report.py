"""Reports: the blocks of a study, and their way into the pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from .best import Changed, best_table, overview, rows_of
from .cases import NAMES, load
from .results import MACHINES, blocks, lines_of
from .study import Study
from .tables import Line

CHANGED = "changed.json"  # of the results: the speed-ups that changed between two runs of a release


def newest_lines(study: Study, results: Path) -> list[Line]:
    """Return the lines of a study; none if there are none."""
    return next(iter(blocks(study, results).values()), [])


def blocks_of(study: Study, results: Path, *, report: bool = False) -> dict[str, str]:
    """Return the tables of a study by the names of their blocks: complete ones, and those with the best peers."""
    tables, changed = {}, _changed(study, results)
    table: Callable[[list[Line]], str] = (study.page or study.report) if not report else study.report
    for name, lines in blocks(study, results).items():
        tables[name] = table(lines)
        if study.best and not report:
            suffix = name.removeprefix(study.name)
            tables[f"{study.name}-best{suffix}"] = best_table(study.best, lines, changed)
    return tables


def _changed(study: Study, results: Path) -> Changed:
    """Return the ratios of a study that changed between the runs of a release."""
    path, start = results / CHANGED, f"{study.name}: "
    known: Changed = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {key.removeprefix(start): runs for key, runs in known.items() if key.startswith(start)}


def write_pages(tables: dict[str, str], root: Path) -> dict[str, Path]:
    """Write tables between their markers in README.md and the pages of docs/; return the pages by block."""
    written = {}
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        for name, table in tables.items():
            if markers(name)[0] in text:
                put_between_markers(page, table, name)
                written[name] = page
    return written


def write_study(study: Study, results: Path, root: Path) -> list[Path]:
    """Write the tables of a study into the pages that have its markers, and draw its pictures; return the pages."""
    for name, draw in study.pictures.items():
        draw(newest_lines(study, results), root / "docs" / "images" / name)
    return sorted(set(write_pages(blocks_of(study, results), root).values()))


def overview_of(results: Path) -> str:
    """Return the table of all problems, from the files of the machines."""
    parts = []
    for name in NAMES:
        study = load(name)
        for machine in MACHINES:
            if study.best and (lines := lines_of(name, results, [machine])):
                parts.append((machine, rows_of(study.best, lines, _changed(study, results))))
    return overview(parts)


def markers(name: str) -> tuple[str, str]:
    """Return the comments around a block."""
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def put_between_markers(path: Path, table: str, name: str) -> None:
    """Replace the text between the two markers of that name in a file."""
    first, last = markers(name)
    text = path.read_text(encoding="utf-8")
    before, begin, remaining = text.partition(first)
    _, end, after = remaining.partition(last)
    if not begin or not end:
        raise ValueError(f"{path} lacks the markers {first} and {last}")
    path.write_text(f"{before}{first}\n\n{table}\n\n{last}{after}", encoding="utf-8")
