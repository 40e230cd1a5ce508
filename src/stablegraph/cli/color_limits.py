"""Constraints of colorings on the command line: capacities, and fixed, allowed and forbidden colors in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import stablegraph as sg

from . import options

if TYPE_CHECKING:
    from .answer_files import Numbers

FILES = ("sizes", "fixed", "allowed", "forbidden")
NAMES = ("capacity", *FILES)


limits = options.combine(
    click.option(
        "--capacity",
        type=click.IntRange(min=0),
        metavar="N",
        help="Maximum number of vertices of a color, or of their total size with --sizes.",
    ),
    options.file_option(
        "--sizes", "Sizes of the vertices, integers: a table with the columns id and size, or a number per vertex."
    ),
    options.file_option(
        "--fixed",
        "Colors chosen in advance: a table with the columns id and color, a row for each such vertex; or a color per "
        "vertex, -1 for none.",
    ),
    options.file_option(
        "--allowed",
        "Colors that vertices may have: a table with the columns id and color, a row for each permitted color of a "
        "vertex. Vertices without a row may have all colors.",
    ),
    options.file_option("--forbidden", "Colors that vertices must not have: a table with the columns id and color."),
)


def read_limits(values: dict[str, Any], graph: sg.Graph) -> dict[str, Any]:
    """Read the files of the constraints in `values`; return the arguments of `vertex_coloring`."""
    chosen = {name: value for name, value in values.items() if value is not None}
    for name in chosen.keys() & set(FILES):
        chosen[name] = _read_sizes(chosen[name], graph) if name == "sizes" else _read_colors(chosen[name], name, graph)
    return chosen


def _read_sizes(file: str, graph: sg.Graph) -> Numbers:
    import numpy as np

    from .answer_files import read_weights

    sizes = read_weights(file, graph)
    return sizes.astype(np.int64) if np.array_equal(sizes, np.rint(sizes)) else sizes


def _read_colors(file: str, option: str, graph: sg.Graph) -> Any:
    """Return colors of vertices by name, or by number if there are no names; of fixed ones also as an array."""
    from .answer_files import numbers_in, read_bytes, refuse_other_titles, table_in

    name, data = read_bytes(file)
    lines = table_in(name, data)
    if lines is None:
        refuse_other_titles(name, data, "id and color")
    if lines is None and option == "fixed":
        return numbers_in(name, data, "colors", graph)
    title, *rows = lines or [[]]
    if len(title) != 2 or title[0] != "id" or title[1] not in ("color", "colors"):
        got = repr(",".join(title)[:60]) if title else "no table that begins with id"
        raise ValueError(f"{name}, line 1: the columns must be id and color, got {got}")
    by_text = {str(v): v for v in (range(graph.num_vertices) if graph.nodes is None else graph.nodes)}
    colors: dict[Any, list[int]] = {}
    for line, row in enumerate(filter(None, rows), 2):
        if row[0] not in by_text:
            raise ValueError(f"{name}, line {line}: the graph has no vertex {row[0][:30]}")
        if len(row) != 2 or not row[1].isdecimal():
            raise ValueError(f"{name}, line {line}: expected an id and a color from 0 on, got {','.join(row)[:60]!r}")
        known, color = colors.setdefault(by_text[row[0]], []), int(row[1])
        if known and option == "fixed":
            raise ValueError(f"{name}, line {line}: a second line for vertex {row[0][:30]}")
        known.append(color)
    return {vertex: several[0] for vertex, several in colors.items()} if option == "fixed" else colors
