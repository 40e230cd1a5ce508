"""Answers of commands: their kinds, how every answer is verified, written and drawn, and the lines that people read.

The lines are made from the facts of a command: for each command a table of labels and formats. A format names
facts, as in `str.format`, with these further forms. A line is omitted if one of its facts is missing or None; of
several formats, the first without a missing fact applies. Labels are formats, too.

    {share:share}        in percent, in parentheses, nothing if missing; {share:share of the vertices} says of what
    {optimal:?TEXT}      TEXT with the value instead of #, nothing if it is missing or False
    {loops:+TEXT}        the same; nothing for 0, too
    {weight:total}       all digits of an integer, ten digits of other numbers
    {bytes:bytes}        an amount of memory
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import stablegraph as sg

from .. import __version__
from .job import Job, Report, picture_of, size_line, write_file
from .options import COLOR_LIMITS
from .terminal import Facts, byte_size, shown_name, working


class Kind(NamedTuple):
    """A kind of answer."""

    predicate: Callable[..., bool] | None  # its verifier
    right: str  # the description of a correct answer
    columns: str  # the names of its columns in a file, separated by spaces
    options: tuple[str, ...] = ()  # of ``verify``
    directed: bool | None = False  # whether its verifier needs arcs; None if it accepts arcs and edges


KINDS = {
    "set": Kind(sg.is_maximal_independent_set, "independent and maximal", "mask", ("distance", "exclude")),
    "coloring": Kind(sg.is_proper_coloring, "a proper coloring", "color", ("distance", *COLOR_LIMITS, "records")),
    "communities": Kind(sg.is_community_labeling, "connected communities", "community"),
    "components": Kind(
        sg.is_component_labeling, "the connected components", "component", ("where", "records", "sources"), None
    ),
    "scc": Kind(
        sg.is_strong_component_labeling, "the strongly connected components", "strong_component", directed=True
    ),
    "aggregation": Kind(
        sg.is_aggregation, "aggregates of vertices near each other, without gaps", "aggregate", ("connected",)
    ),
    "forest": Kind(sg.is_minimum_spanning_forest, "no spanning forest is better", "", ("maximum",)),
    "matching": Kind(
        sg.is_maximal_matching, "a matching, and no edge is heavier than the matched ones next to it", "mate"
    ),
    "bfs": Kind(sg.is_bfs_tree, "paths with the fewest edges", "distance parent", ("sources", "max_distance"), None),
}

ONE_PER_SOURCE = KINDS["components"]._replace(
    predicate=sg.is_one_per_source, right="at most one record of each source in a cluster, the best pairs first"
)


@dataclass
class Answer:
    """The computed answer, and its description."""

    kind: Kind
    values: Any  # for -o and the fingerprint: a row per vertex
    facts: Facts
    notes: Facts = field(default_factory=dict)  # further values in lines
    checked: tuple[Any, ...] | None = None  # arguments of the verifier after the graph; by default the values
    options: Facts = field(default_factory=dict)  # of the verifier
    checks: list[tuple[tuple[Any, ...], Facts]] | None = None  # of several answers: `checked` and `options` of each
    stored: tuple[str, ...] = ()  # names of the facts that are stored in a .npz file
    right: str | None = None  # the description of a correct answer, by default that of the kind
    wrong: str | None = None  # the defect, if it is already known
    failure_code: int = 1  # the exit code of a wrong answer
    verdict: str = "verified"  # the name of the verdict in facts and lines
    size: Facts | None = None  # of the graph; by default vertices and edges
    title: str | None = None
    table: str | None = None  # the name of the table of lines, by default that of the command
    lines: dict[str, str] | None = None  # by default those of the table
    crc32: str | None = None  # by default computed
    write: Callable[[], None] | None = None  # writes the answer to the output, if it is not an array
    draw: Callable[[str], Any] | None = None  # returns a figure with this title


def verdict_line(right: bool | None, description: str, wrong: str | None) -> str:
    """Return whether an answer is right, with a description of a right answer or the defect; None if not checked."""
    if right is None:
        return "not asked for"
    return f"no: {wrong}" if not right else f"yes: {description}" if description else "yes"


def conclude(command: str, job: Job, answer: Answer) -> Report:
    """Verify, write, draw and describe the answer of a command."""
    from .answer_files import write_answer

    kind, values, picture = answer.kind, answer.values, b""
    if kind.predicate and job.verify:
        with job.clock("verify", "verifying"):
            checks = answer.checks or [((values,) if answer.checked is None else answer.checked, answer.options)]
            defects = [sg.explain(kind.predicate, job.graph, *checked, **options) for checked, options in checks]
            answer.wrong = next(filter(None, defects), None)
    right = None if kind.predicate and not job.verify else answer.wrong is None
    # of several columns, the fingerprint is that of the tuple that the Python function returns
    crc32 = answer.crc32 or sg.fingerprint(tuple(values.T) if len(kind.columns.split()) > 1 else values)
    if job.picture is not None and answer.draw:  # before anything is written, because drawing may fail
        with working("drawing"):
            picture = picture_of(answer.draw(shown_name(Path(job.file).name)), job.picture)
    if job.output is not None and answer.write:
        answer.write()
    elif job.output is not None:
        stored = {fact: answer.facts[fact] for fact in answer.stored}
        about = {"stablegraph": __version__, **stored, "crc32": crc32}
        write_answer(job.output, job.answer_suffix, kind.columns, values, about, job.graph.nodes)
    if job.picture is not None and answer.draw:
        write_file(job.picture, picture)
    facts: Facts = {
        "file": job.file,
        **(answer.size or {"vertices": job.graph.num_vertices, "edges": job.graph.num_edges}),
        **answer.facts,
        answer.verdict: right,
        "crc32": crc32,
        **({} if job.cluster else {"threads": sg.num_threads(), "device": job.device}),
        "seconds": job.clock.seconds,
        "output": job.output,
        **({"picture": job.picture} if answer.draw else {}),
    }
    lines = {
        **(lines_of(answer.table or command, {**facts, **answer.notes}) if answer.lines is None else answer.lines),
        answer.verdict: verdict_line(right, kind.right if answer.right is None else answer.right, answer.wrong),
        "crc32": crc32,
        "times": job.times(),
        **({"written": job.output} if job.output not in (None, "-") else {}),
        **({"picture": job.picture} if job.picture is not None else {}),
    }
    title = f"{job.name}: {answer.title or size_line(job.graph)}"
    return Report(facts, lines, title, exit_code=0 if right is not False else answer.failure_code)


Lines = dict[str, str | tuple[str, ...]]

_ALGORITHM: Lines = {"algorithm": "{algorithm}"}
_LARGEST: Lines = {"largest": "{largest:,} vertices{largest_share:share}"}
_OF_ONE = "({single_vertices:,} of a single vertex)"
_COMPONENTS: Lines = {"components": "{components:,}  " + _OF_ONE, **_LARGEST, **_ALGORITHM}
_SET: Lines = {"set size": "{size:,}{share:share of the vertices}"}
_WEIGHT: Lines = {"weight": "{weight:total}"}

LINES: dict[str, Lines] = {
    "aggregate": {
        "aggregates": "{aggregates:,}",
        "sizes": (
            "{smallest:,} to {largest:,} vertices, {mean_size:.2f} on average; "
            "10% have at most {tenth:,}, half {half:,}, 90% {nine_tenths:,}",
            "none",
        ),
        "algorithm": "{algorithm}{strength:?, strength #}",
    },
    "bfs": {
        "reached": "{reached:,} vertices{share:share}",
        "farthest": ("vertex {farthest_vertex}{name:? (# in the file)}, at distance {farthest:,} in edges", "none"),
    },
    "color": {
        "colors": "{colors:,}{in_use:?, # of them in use}{optimal:?  (the fewest possible)}",
        "bounds": (
            "{reason}",
            "at least {lower_bound:,}: a clique; at most {upper_bound:,} are needed: degeneracy + 1",
            "at least {lower_bound:,}: a vertex and its neighbors",
        ),
        "to try": "{to_try}{effect}",
        "color sizes": ("{smallest:,} to {largest:,} vertices", "none"),
        "order": "{shown_order}, seed {seed}",
    },
    "communities": {
        "communities": "{communities:,}  " + _OF_ONE,
        "{objective_name}": "{objective_value:.6g}",
        **_LARGEST,
        "algorithm": ("{algorithm}, {iterations} iterations, seed {seed}", "{algorithm}, until stable, seed {seed}"),
    },
    "components": _COMPONENTS,
    "forest": {"forest": "{forest_edges:,} edges, {trees_with_noun}", **_WEIGHT, **_ALGORITHM},
    "graph file": {"written": "{output}  ({output_bytes:bytes})", "times": "{times}"},
    "info": {
        "vertices": "{vertices:,}{node_names:?  (with names)}",
        "{arcs_or_edges}": "{edges:,}",
        "kind": "{kind}",
        "{degrees}": "{degree_min:,} to {degree_max:,}, mean {degree_mean:.3g}",
        "isolated": "{isolated_vertices:,}",
        "entries": "{entries:,}{loops:+, # loops}{duplicates:+, # duplicates}",
        "weights": ("{weights}, {lightest:g} to {heaviest:g}", "{weights}", "none"),
        "vertex weights": "{vertex_weights} per vertex",
        "memory": "{bytes:bytes}  (indptr {indptr_dtype}, indices {indices_dtype})",
        "times": "{times}",
    },
    "large set": {
        **_SET,
        **_WEIGHT,
        "upper bound": "{upper_bound:,}  ({proof})",
        "search": "{rounds:,} of {limit:,} rounds, seed {seed}{stopped:?  (stopped)}",
    },
    "matching": {
        "matching": "{matched_edges:,} edges{share:share of the vertices}",
        "weight": "{total:total}",
        "rounds": "{rounds:,}, seed {seed}",
    },
    "mis": {
        **_SET,
        "order": ("{priority}, seed {seed}", "{algorithm}, seed {seed}"),
        **_WEIGHT,
        "rounds": ("{info[rounds]:,}, {info[edges]:,} entries read", "{info[rounds]:,}"),
    },
    "resolution": {
        "resolution {resolution}": "{communities:,} communities, {objective_name} {objective_value:.6g}, "
        "{largest:,} vertices in the largest"
    },
    "scc": _COMPONENTS,
    "solve": {
        "method": "{method}: {reason}{eliminated:+, # unknowns eliminated first}",
        "levels": "{unknowns} unknowns, operator complexity {operator_complexity:.2f}",
        "smoother": "{smoother}, {cycle}-cycle",
        "right side": ("{source}", "random, seed {seed}"),
        "iterations": "{iterations:,}, residual {size}",
    },
    "verify": {
        **_SET,
        "colors": "{colors:,}{in_use:?, # of them in use}",
        "labels": "{labels:,}",
        **_WEIGHT,
        "matching": "{matched_edges:,} edges",
        "reached": "{reached:,} vertices",
    },
}


def lines_of(name: str, values: Facts) -> dict[str, str]:
    """Return the labeled lines of a table for these facts, and further values."""
    lines, text = {}, _Text()
    for label, formats in LINES[name].items():
        for form in (formats,) if isinstance(formats, str) else formats:
            try:
                lines[text.vformat(label, (), values)] = text.vformat(form, (), values)
                break
            except (LookupError, TypeError):  # a fact is missing
                continue
    return lines


class _Text(Formatter):
    """A formatter with the forms of this module."""

    def get_value(self, key: Any, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key)

    def format_field(self, value: Any, form: str) -> str:
        if form.startswith("share"):
            return "" if value is None else f"  ({value:.1%}{form.removeprefix('share')})"
        if form[:1] in ("?", "+"):
            shown = f"{value:g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
            is_absent = value is None or value is False or (form[0] == "+" and not value)
            return "" if is_absent else form[1:].replace("#", shown)
        if value is None:
            raise LookupError
        special = {"total": shown_weight, "bytes": byte_size}
        return special[form](value) if form in special else format(value, form)


def shown_weight(weight: float) -> str:
    """Return a total weight as text: all digits of an integer, ten digits of other numbers."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"
