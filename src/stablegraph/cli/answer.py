"""The frame of commands that compute an answer: read a graph, compute, verify, write, draw, describe.

Such a command is a function that computes an `Answer` from a `Job`; `answering` turns it into a command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from .clock import Clock
from .cluster import run_on_a_cluster
from .options import check_output, device, direction, options, read, save_picture, size_line, threads_line
from .terminal import Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph


@dataclass
class Job:
    """The options that these commands share, and the graph after it has been read."""

    file: str
    source_format: str | None
    symmetrize: bool
    directed: bool
    as_json: bool
    verify: bool
    output: str | None
    picture: str | None

    @cached_property
    def clock(self) -> Clock:
        return Clock()

    def read(self, *, merge: str | None = None, weights: bool = False, directed: bool | None = None) -> Graph:
        """Read the graph; `directed` is False if the command needs an undirected graph, True if it needs arcs."""
        symmetrize = merge or self.symmetrize
        self.graph = read(
            self.file,
            self.source_format,
            symmetrize,
            self.clock,
            weights=weights,
            directed=direction(self.directed, symmetrize, directed),
        )
        return self.graph

    def compute(self, find: Callable[[Graph], Any], doing: str | None = "computing") -> Any:
        """Apply `find` to the graph on the device of ``--device``; return the answer in host memory."""
        if device() == "cpu":
            with self.clock("compute", doing):
                return find(self.graph)
        with self.clock("copy"):
            graph = self.graph.to(device())
        with self.clock("compute", doing):
            return _on_host(find(graph))  # copying waits for the GPU


@dataclass
class Answer:
    """The computed answer, and its description."""

    values: Any  # for -o and the fingerprint: a row per vertex
    columns: str  # the names of the columns of `values`, separated by spaces
    facts: Facts  # for the JSON object
    lines: dict[str, str]  # for the text output
    about: tuple[str, ...] = ()  # names of the facts that are stored in a .npz file
    check: Callable[[], str | None] | None = None  # the verifier: returns the defect, or None
    wrong: str | None = None  # the defect, if it is already known
    right: str = ""  # the description of a correct answer
    verdict: str = "verified"  # the name of the verdict in facts and lines
    size: Facts | None = None  # of the graph; by default vertices and edges
    title: str | None = None
    write: Callable[[str], None] | None = None  # writes the answer to a file, if it is not an array
    draw: Callable[[str], Any] | None = None  # returns a figure with this title


def _on_host(answer: Any) -> Any:
    """Copy the arrays and sparse matrices of an answer from a GPU to host memory."""
    if type(answer) is tuple:
        return tuple(map(_on_host, answer))
    return answer.get() if type(answer).__module__.partition(".")[0] in ("cupy", "cupyx") else answer


def answering(name: str, *parameters: Callable[..., Any]) -> Callable[[Callable[..., Answer]], click.Command]:
    """Turn a function of a `Job` and of further parameters into a command with these parameters."""

    def decorate(compute: Callable[..., Answer]) -> click.Command:
        def run(
            file: str,
            as_json: bool,
            output: str | None,
            source_format: str | None,
            symmetrize: bool = False,
            directed: bool = False,
            verify: bool = True,
            picture: str | None = None,
            cluster: str | None = None,
            partitions: int | None = None,
            **own: Any,
        ) -> None:
            check_output(output, file, as_json)
            if cluster is not None:
                run_on_a_cluster(name, cluster, file, as_json, output, verify)
                return
            if partitions is not None:
                raise click.UsageError("--partitions is an option of --dask")
            job = Job(file, source_format, symmetrize, directed, as_json, verify, output, picture)
            _conclude(job, compute(job, **own))

        run.__doc__ = compute.__doc__
        return click.command(name)(options(*parameters)(run))

    return decorate


def _conclude(job: Job, answer: Answer) -> None:
    """Verify, write, draw and describe an answer; the exit code is 1 if it is wrong."""
    from .._core.runtime import num_threads
    from .answer_files import fingerprint, write_answer

    if answer.check and job.verify:
        with job.clock("verify", "verifying"):
            answer.wrong = answer.check()
    right = None if answer.check and not job.verify else answer.wrong is None
    crc32 = fingerprint(answer.values)
    if job.output is not None and answer.write:
        answer.write(job.output)
    elif job.output is not None:
        about = {fact: answer.facts[fact] for fact in answer.about} | {"crc32": crc32}
        made = {"stablegraph": __version__, **about}
        write_answer(job.output, answer.columns, answer.values, made, job.graph.nodes)
    if job.picture is not None and answer.draw:
        with working("drawing"):
            save_picture(answer.draw(shown_name(Path(job.file).name)), job.picture)
    facts: Facts = {
        "file": job.file,
        **(answer.size or {"vertices": job.graph.num_vertices, "edges": job.graph.num_edges}),
        **answer.facts,
        answer.verdict: right,
        "crc32": crc32,
        "threads": num_threads(),
        "device": device(),
        "seconds": job.clock.seconds,
        "output": job.output,
        **({"picture": job.picture} if answer.draw else {}),
    }
    yes = f"yes: {answer.right}" if answer.right else "yes"
    lines = {
        **answer.lines,
        answer.verdict: "not asked for" if right is None else yes if right else f"no: {answer.wrong}",
        "crc32": crc32,
        "times": threads_line(job.clock),
        **({"written": job.output} if job.output not in (None, "-") else {}),
        **({"picture": job.picture} if job.picture is not None else {}),
    }
    title = answer.title or size_line(job.graph)
    show(job.as_json, facts, lines, title=f"{shown_name(job.file)}: {title}", stderr=job.output == "-")
    if right is False:
        click.get_current_context().exit(1)


def share(part: int, whole: int, of_what: str = "") -> str:
    """Return a part in percent, in parentheses; "" if the whole is 0."""
    return f"  ({part / whole:.1%}{of_what})" if whole else ""
