"""Answers of commands: their kinds, and how every answer is verified, written, drawn and described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import stablegraph as sg

from .. import __version__
from . import color_limits
from .job import Job, Report, picture_of, size_line, write_file
from .lines import lines_of
from .terminal import Facts, shown_name, working


class Kind(NamedTuple):
    """A kind of answer."""

    predicate: Callable[..., bool] | None  # its verifier
    right: str  # the description of a correct answer
    columns: str = "labels"  # the names of its columns in a file, separated by spaces
    options: tuple[str, ...] = ()  # of ``verify``
    directed: bool | None = False  # whether its verifier needs arcs; None if it accepts arcs and edges


KINDS = {
    "set": Kind(sg.is_maximal_independent_set, "independent and maximal", "mask", ("distance", "exclude")),
    "coloring": Kind(sg.is_proper_coloring, "a proper coloring", "colors", ("distance", *color_limits.NAMES)),
    "communities": Kind(sg.is_community_labeling, "connected communities"),
    "components": Kind(sg.is_component_labeling, "the connected components", directed=None),
    "scc": Kind(sg.is_strong_component_labeling, "the strongly connected components", directed=True),
    "aggregation": Kind(
        sg.is_aggregation, "aggregates of vertices near each other, without gaps", options=("connected",)
    ),
    "forest": Kind(sg.is_minimum_spanning_forest, "no spanning forest is better", "", ("maximum",)),
    "matching": Kind(
        sg.is_maximal_matching, "a matching, and no edge is heavier than the matched ones next to it", "mates"
    ),
    "bfs": Kind(sg.is_bfs_tree, "shortest paths", "distances parents", ("sources", "max_distance"), None),
}


@dataclass
class Answer:
    """The computed answer, and its description."""

    kind: Kind
    values: Any  # for -o and the fingerprint: a row per vertex
    facts: Facts
    notes: Facts = field(default_factory=dict)  # further values in lines
    checked: tuple[Any, ...] | None = None  # arguments of the verifier after the graph; by default the values
    options: Facts = field(default_factory=dict)  # of the verifier
    stored: tuple[str, ...] = ()  # names of the facts that are stored in a .npz file
    right: str | None = None  # the description of a correct answer, by default that of the kind
    wrong: str | None = None  # the defect, if it is already known
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
            checked = (values,) if answer.checked is None else answer.checked
            answer.wrong = sg.explain(kind.predicate, job.graph, *checked, **answer.options)
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
        write_answer(job.output, kind.columns, values, about, job.graph.nodes)
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
    return Report(facts, lines, title, is_wrong=right is False)
