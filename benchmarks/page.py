"""The report as one self-contained HTML file: panels, explanations, and the machines."""

from __future__ import annotations

from pathlib import Path

from .bars import CPU, GPU, RESULTS, lines_of_jobs, panels
from .tables import provenance

STYLE = """
.job { margin: 1.2em 0 2em; }
.job figcaption { font-weight: 700; margin-bottom: .3em; }
.job .bar, .job .scale { display: grid; grid-template-columns: 16em minmax(8em, 1fr) 18em; gap: 0 .8em;
  align-items: center; font-size: .9em; }
.job .who { text-align: right; overflow-wrap: anywhere; }
.job .track { position: relative; height: 1.25em; background: repeating-linear-gradient(to right,
  rgba(128, 128, 128, .45) 0 1px, transparent 1px var(--decade)); }
.job .fill { position: absolute; inset: 2px auto 2px 0; background: #8a8a8a; }
.job .ours { font-weight: 700; }
.job .ours .fill { background: #1f6fb2; }
.job .scale .track { background: none; }
.job .scale span { font-size: .85em; }
.job .scale .track { font-size: 1em; }
.job .scale .track span { position: absolute; transform: translateX(-50%); }
@media (max-width: 720px) {
  .job .bar, .job .scale { grid-template-columns: 1fr; margin-bottom: .35em; }
  .job .who { text-align: left; }
  .job .scale .track { margin: 0 1em; }
}
"""

ABOVE = (
    "A bar is the time of one call as a multiple of the time that it takes to read all entries of the graph once (a "
    "sweep), on the same machine in the same run. The scale is logarithmic: a bar one step longer took ten times as "
    "long. Blue bars are this library's."
)


def sections(results: Path = RESULTS) -> str:
    """Return the body of the page."""
    return f"""<p>{ABOVE}</p>
<h2>On two cores</h2>
<p>A graph with 1,048,576 vertices, each joined to four random vertices. The linear system is a Laplacian on a grid of
100 by 100 by 100 points; its time is that of setup and solution together.</p>
{panels(CPU, results)}
<p>{provenance(lines_of_jobs(CPU, results))}</p>
<h2>On a GPU</h2>
<p>The same graph on one NVIDIA H200, compared with other CUDA programs on the same card. Their times do not include the
allocation of memory; ours include the whole call.</p>
{panels(GPU, results)}
<p>{provenance(lines_of_jobs(GPU, results))}</p>
"""


def write_html(path: Path, results: Path = RESULTS) -> None:
    """Write the report; an old file stays until the new one is complete."""
    from stablegraph.io.target import replacing  # imported late, since printing does not need the package

    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>stablegraph, measured</title>
<style>body {{ font: 16px/1.45 system-ui, sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; }}
{STYLE}</style></head><body><h1>stablegraph, measured</h1>
{sections(results)}</body></html>
"""
    with replacing(path) as file:
        file.write(text.encode())
