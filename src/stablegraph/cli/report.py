"""``stablegraph report``: make a page on a graph or a matrix, with answers, pictures, and Python code for each.

report_sections.py computes the contents, and report_page.py formats the page. The page contains no times and no date:
it depends only on the file, the options and the versions, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import click

from .choices import FileName
from .clock import Clock
from .options import (
    check_output,
    columns,
    directed_option,
    direction,
    input_options,
    json_option,
    number_of_threads,
    read,
    seed_option,
    size_line,
    symmetrize_option,
    threads_line,
    verify_option,
    weight_options,
)
from .terminal import Facts, byte_size, show, shown_name


@click.command("report")
@click.argument("file", type=FileName())
@click.option(
    "-o",
    "--output",
    type=FileName(),
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="The page, an .html file.",
)
@input_options
@weight_options
@symmetrize_option
@directed_option
@seed_option
@verify_option
@number_of_threads
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    output: str,
    source_format: str | None,
    symmetrize: bool,
    directed: bool,
    seed: int,
    verify: bool,
    as_json: bool,
) -> None:
    """Make a page on a graph or matrix, with pictures.

    The page describes the contents of FILE (degrees, components, bandwidth, symmetry). It shows a set, a large set with
    its bound, a coloring, a spanning forest and aggregates, each with its fingerprint and the Python code that computes
    it. The page is one file, and needs no network. For a directed graph, these answers treat every arc as an edge.

    Example: stablegraph report graph.mtx.gz -o report.html
    """
    from ..io.target import replacing
    from ..plot.checks import require_matplotlib
    from .failures import blamed_on
    from .report_page import page
    from .report_sections import Subject, sections

    require_matplotlib()
    check_output(output, file, as_json)
    if output == "-":
        raise click.UsageError("a page goes into a file: name one with -o")
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock, weights=True, directed=direction(directed, symmetrize))
    options = {"format": source_format, "symmetrize": symmetrize or None, "directed": directed or None, **columns()}
    subject = Subject(graph, file, {name: value for name, value in options.items() if value is not None}, seed, verify)
    found = list(sections(subject, clock))
    name = shown_name(Path(file).name)
    text = page(name, size_line(graph), found).encode()
    with blamed_on(output), replacing(output) as target:
        target.write(text)
    wrong = {section.key: section.wrong for section in found if section.wrong}
    verified = not wrong if verify else None
    facts: Facts = {
        "file": file,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **{section.key: section.about for section in found},
        "verified": verified,
        "output": output,
        "output_bytes": len(text),
        "seconds": clock.seconds,
    }
    lines = {
        **{section.title.lower(): section.headline for section in found},
        "verified": "not asked for" if verified is None else "yes" if verified else f"no: {'; '.join(wrong.values())}",
        "times": threads_line(clock),
        "written": f"{output}  ({byte_size(len(text))}); open it in a browser",
    }
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}")
    if wrong:
        ctx.exit(1)
