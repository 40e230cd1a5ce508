"""Files of result lines: those of one study and day, and those of a release, one for each machine.

A file of a release has short lines. A line "machine" has the facts about the machine, the versions, the commit and the
day of all lines after it; "spent" the seconds of a study on a graph, and whether it is finished; "expected" those of an
earlier file. The other lines have the study, without the values that follow from them; times have four digits.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .study import Study
from .tables import Line, read_lines

MACHINES = ("cpu2", "cpu16", "gpu")
_DERIVED = ("machine", "time", "told", "options", "seed", "sweeps")
_TIMES = ("runs", "sweep", "path", "wall", "cpu", "taken", "processor")
_EXACT = "values"  # results whose last digits are compared


def pack(study: str, line: Line) -> Line:
    """Return the short form of a line."""
    kept = {key: value for key, value in line.items() if key not in _DERIVED}
    if isinstance(kept.get("seconds"), dict):
        kept["runs"] = kept.pop("seconds")["runs"]
    if isinstance(kept.get("sweep"), dict):
        kept["sweep"] = [kept["sweep"]["seconds"], kept["sweep"]["threads"]]
    if kept.get("device") == "cpu":
        del kept["device"]
    return {"study": study, **_rounded(kept, 7)}


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return {key: part if key == _EXACT else _rounded(part, 4 if key in _TIMES else digits)
                for key, part in value.items()}  # fmt: skip
    return [_rounded(part, digits) for part in value] if isinstance(value, list | tuple) else value


def unpack(line: Line, machine: Line) -> Line:
    """Return a line as a run writes it."""
    full = {"device": "cpu", **line, "machine": machine, "time": machine["time"]}
    if isinstance(full.get("sweep"), list):
        seconds, runs = full["sweep"][0], full.pop("runs")
        median, least = statistics.median(runs), min(runs)
        full["seconds"] = {"median": median, "min": least, "runs": runs}
        full["sweep"] = {"seconds": seconds, "threads": full["sweep"][1]}
        full["sweeps"] = {"median": median / seconds, "min": least / seconds}
    return full


def read_release(path: Path) -> list[Line]:
    """Return the lines of a file of a release in the form in which a run writes them."""
    lines, machine = [], {}
    for line in read_lines(path):
        if "machine" in line:
            machine = line["machine"]
        elif "study" in line:
            lines.append(unpack(line, machine))
    return lines


_known: dict[tuple[Path, int], list[Line]] = {}


def lines_of(name: str, results: Path, machines: Iterable[str] = MACHINES) -> list[Line]:
    """Return the lines of a study: those of its newest file, otherwise those of the first machine that has some."""
    if newest := max(results.glob(f"{name}-????-??-??.jsonl"), default=None):
        return read_lines(newest)
    for machine in machines:
        path = results / f"{machine}.jsonl"
        if path.exists():
            key = path, path.stat().st_mtime_ns
            if key not in _known:
                _known[key] = read_release(path)
            if lines := [line for line in _known[key] if line["study"] == name]:
                return lines
    return []


def blocks(study: Study, results: Path) -> dict[str, list[Line]]:
    """Return the lines of each block of a study: NAME for its first machine, NAME-MACHINE for further ones."""
    found = {}
    for machine in study.machines:
        if lines := lines_of(study.name, results, [machine]):
            found[study.name if not found else f"{study.name}-{machine}"] = lines
    return found or ({study.name: lines} if (lines := lines_of(study.name, results)) else {})


def append(path: Path, line: Line) -> None:
    """Append a line to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
