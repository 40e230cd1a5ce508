"""``stablegraph report``: make a page on a graph or a matrix, with answers, pictures, and Python code for each.

report_sections.py computes the contents. The page is HTML: one file that includes its pictures and loads nothing from
the network. It contains no times and no date: it depends only on the file, the options and the versions, byte for byte.

It has one column on a phone and two on a desktop screen. A content security policy in the page forbids scripts and all
addresses except for the included pictures, so that a name in a graph file is only shown as text.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ... import __version__
from .. import options
from ..answers import verdict_line
from ..frame import command
from ..job import Job, Report, size_line, write_file
from ..terminal import Facts, byte_size, shown_name

if TYPE_CHECKING:
    from .report_sections import Picture, Section

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@command(
    "report",
    options.file,
    options.output("The page, an .html file.", "page", default="report.html", show_default=True),
    options.edges_input,
    options.weights,
    options.seed,
    options.verify,
    options.threads,
    options.json,
)
def report(job: Job, seed: int) -> Report:
    """Make a page on a graph or matrix, with pictures.

    The page describes the contents of FILE (degrees, components, bandwidth, symmetry). It shows a set, a large set with
    its bound, a coloring, a spanning forest and aggregates, each with its fingerprint and the Python code that computes
    it. The page is one file, and needs no network. For a directed graph, these answers treat every arc as an edge.

    Example: stablegraph report graph.mtx.gz -o report.html
    """
    from .report_sections import Subject, sections

    output = str(job.output)
    graph = job.read(weights=True)
    how = {"format": job.source_format, "symmetrize": job.symmetrize or None, "directed": job.directed or None}
    how = {name: value for name, value in how.items() if value is not None}
    subject = Subject(graph, job.file, {**how, **job.columns}, seed, job.verify)
    contents = list(sections(subject, job.clock))
    text = _page(shown_name(Path(job.file).name), size_line(graph), contents).encode()
    write_file(output, text)
    wrong = {section.key: section.wrong for section in contents if section.wrong}
    verified = not wrong if job.verify else None
    facts: Facts = {
        "file": job.file,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **{section.key: section.facts for section in contents},
        "verified": verified,
        "output": output,
        "output_bytes": len(text),
        "seconds": job.clock.seconds,
    }
    lines = {
        **{section.title.lower(): section.headline for section in contents},
        "verified": verdict_line(verified, "", "; ".join(wrong.values())),
        "times": job.times(),
        "written": f"{output}  ({byte_size(len(text))}); open it in a browser",
    }
    return Report(facts, lines, f"{job.name}: {size_line(graph)}", exit_code=int(bool(wrong)))


def _page(name: str, size: str, sections: Sequence[Section]) -> str:
    """Return the page on a graph with this name and size."""
    links = "".join(f'<li><a href="#{section.key}">{escape(section.title)}</a></li>' for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(name)}: a report</title>
<style>{_style()}</style>
</head>
<body>
<main>
<h1>{escape(name)}</h1>
<p class="quiet">{escape(size)}</p>
<nav aria-label="On this page"><ul>{links}</ul></nav>
{"".join(map(_section_html, sections))}
<section>
<p class="quiet">Made by stablegraph {escape(__version__)}. The fingerprints (crc32) are those of every machine, for any
number of threads; the lines of Python give the same answers. How answers are verified: by other means than they were
computed, in time about linear in the graph.</p>
</section>
</main>
</body>
</html>
"""


def _style() -> str:
    from ...plot.page import Ink

    return f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: {Ink.PAPER}; color: {Ink.TEXT}; font: 1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 68rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.25rem; margin: 0; }}
section {{ border-top: 1px solid #DDE3E8; margin-top: 2.5rem; padding-top: 1.5rem; }}
.headline {{ font-size: 1.15rem; font-weight: 600; color: #B53C08; margin: 0.25rem 0; }}
.quiet {{ color: #536270; margin: 0.25rem 0; }}
table {{ border-collapse: collapse; margin: 0.75rem 0; }}
th, td {{ text-align: left; vertical-align: top; padding: 0.15rem 1.25rem 0.15rem 0; overflow-wrap: anywhere; }}
th {{ font-weight: 400; color: #536270; white-space: nowrap; }}
pre {{ background: #F1F3F2; padding: 0.75rem 1rem; overflow-x: auto; border-radius: 4px; font-size: 0.875rem; }}
code {{ font-family: ui-monospace, monospace; }}
.pictures {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.5rem; }}
figure {{ margin: 1rem 0 0; max-width: 34rem; }}
img {{ display: block; width: 100%; height: auto; }}
figcaption {{ color: #536270; font-size: 0.9rem; margin-top: 0.35rem; }}
a {{ color: #1B5E78; }}
nav ul {{ padding: 0; margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; }}
.yes {{ color: #2B6B2F; }} .no {{ color: #A11414; font-weight: 600; }}
"""


def _section_html(section: Section) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(text)}</td></tr>' for label, text in section.rows.items()
    )
    table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    code = escape("\n".join(section.code))
    return f"""
<section id="{section.key}" aria-labelledby="{section.key}-title">
<h2 id="{section.key}-title">{escape(section.title)}</h2>
<p class="headline">{escape(section.headline)}</p>
{text}{table}
<div class="pictures">{"".join(map(_picture_html, section.pictures))}</div>
<pre tabindex="0" aria-label="Python"><code>{code}</code></pre>
<p class="quiet">{_verdict_html(section)}</p>
</section>
"""


def _verdict_html(section: Section) -> str:
    """Return the fingerprint, and the result of the verifier."""
    if not section.checked:
        verdict = ""
    elif section.wrong is None:
        verdict = ' · <span class="yes">verified</span>'
    else:
        verdict = f' · <span class="no">wrong: {escape(section.wrong)}</span>'
    return f"crc32 <code>{section.crc32}</code>{verdict}"


def _picture_html(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    image = f'<img src="data:image/png;base64,{data}" alt="{escape(picture.alternative)}">'
    return f"<figure>{image}<figcaption>{escape(picture.caption)}</figcaption></figure>"
