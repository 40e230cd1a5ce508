"""All measurements, generated from the raw lines at each build: bar charts, and a table of all lines, with a filter.

There are two directives. ``measured-panels`` inserts the charts of the benchmarks' report, ``measured-lines`` a table
with fields to filter it by. The lines of the table are in a script next to the page, so the page also works without a
server.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from benchmarks.bars import RESULTS
from benchmarks.page import STYLE, sections
from benchmarks.results import read_release
from benchmarks.tables import Line, is_near

SHOWN = ("size", "colors", "iterations", "components", "rounds", "crc32")
FORM = """
<form id="measured-filter" class="measured-filter">
<label>study <select name="study"><option value="">all</option></select></label>
<label>device <select name="device"><option value="">all</option><option>cpu</option>
<option>cuda</option></select></label>
<label>graph <input name="graph" size="12" placeholder="R4"></label>
<label>case <input name="case" size="22" placeholder="PyAMG"></label>
</form>
<p id="measured-count" role="status">The table needs JavaScript. The lines themselves are in the repository, in
<code>benchmarks/results/</code>; the tables of each study are on the pages of the how-to guide.</p>
<div class="measured-table" tabindex="0" role="region" aria-label="Measurements">
<table id="measured-lines" class="table"></table></div>
<script src="_static/measured-lines.js"></script>
<script src="_static/measured.js"></script>
"""


def raw(text: str) -> list[nodes.Node]:
    return [nodes.raw("", text, format="html")]


class Panels(Directive):
    """The panels of the report."""

    def run(self) -> list[nodes.Node]:
        """Their HTML, headings one level below the page's."""
        return raw(f"<style>{STYLE}</style>\n{sections()}" if RESULTS.exists() else "")


class Lines(Directive):
    """The table of all lines."""

    def run(self) -> list[nodes.Node]:
        """The form and the empty table, which the script fills."""
        return raw(FORM)


def result_of(line: Line) -> str:
    """What came out, in a few words."""
    quality = line.get("quality") or {}
    return ", ".join(f"{name} {quality[name]}" for name in SHOWN if name in quality)


def row_of(study: str, line: Line, machines: list[str]) -> list[Any]:
    """A line as `measured.js` takes it apart."""
    machine = line.get("machine") or {}
    where = f"{machine.get('processor', 'not recorded')}, {machine.get('processors', '?')} processors"
    if where not in machines:
        machines.append(where)
    sweeps = (line.get("sweeps") or {}).get("median")
    return [
        study,
        line["device"],
        line["graph"],
        line["algorithm"],
        line["threads"],
        float(f"{1e3 * line['seconds']['median']:.4g}"),
        float(f"{sweeps:.4g}") if sweeps else None,
        result_of(line),
        is_near(line),
        machines.index(where),
        line["time"][:10],
        machine.get("commit") or "",
    ]


def table() -> dict[str, Any]:
    """All timed lines of the release; none in a tree without results, such as that of an sdist."""
    machines: list[str] = []
    rows = []
    for path in sorted(RESULTS.glob("*.jsonl")):
        for line in read_release(path):
            if "algorithm" in line and "median" in (line.get("seconds") or {}):
                rows.append(row_of(line["study"], line, machines))
    return {"machines": machines, "rows": rows}


def write_lines(app: Any, error: Exception | None) -> None:
    """Write the script with the lines."""
    if error is None and app.builder.format == "html":
        path = Path(app.outdir, "_static", "measured-lines.js")
        path.write_text(f"const MEASURED = {json.dumps(table(), separators=(',', ':'))};\n", encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("measured-panels", Panels)
    app.add_directive("measured-lines", Lines)
    app.connect("build-finished", write_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
