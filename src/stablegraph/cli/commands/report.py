"""``stablegraph report``: make a page on a graph or a matrix, with answers, pictures, and Python code for each.

report_sections.py computes the contents, and report_page.py formats the page. The page contains no times and no date:
it depends only on the file, the options and the versions, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

from .. import options
from ..answers import verdict_line
from ..frame import command
from ..job import Job, Report, size_line, write_file
from ..terminal import Facts, byte_size, shown_name


@command(
    "report",
    options.file,
    options.output("The page, an .html file.", "page", default="report.html", show_default=True),
    options.input_format,
    options.weights,
    options.symmetrize,
    options.directed,
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
    from .report_page import page
    from .report_sections import Subject, sections

    output = str(job.output)
    graph = job.read(weights=True)
    how = {"format": job.source_format, "symmetrize": job.symmetrize or None, "directed": job.directed or None}
    how = {name: value for name, value in how.items() if value is not None}
    subject = Subject(graph, job.file, {**how, **job.columns}, seed, job.verify)
    contents = list(sections(subject, job.clock))
    text = page(shown_name(Path(job.file).name), size_line(graph), contents).encode()
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
    return Report(facts, lines, f"{job.name}: {size_line(graph)}", is_wrong=bool(wrong))
