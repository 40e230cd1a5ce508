"""The frame of all commands: parse options, compute, verify, write, draw, and print the result.

A command is a function of a `Job` and of its special options. It returns a `Report`, which is printed, or an `Answer`
with values for each vertex, which is also verified, written and drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

import stablegraph as sg

from .. import __version__
from .job import Answer, Job, Report, save_picture, size_line, verdict_line
from .options import combine
from .terminal import Facts, print_json, print_lines, shown_name, working

_GENERAL = (  # options of nearly all commands, which --help lists after a command's own options
    *("source_format", "source_column", "target_column", "symmetrize", "directed", "trusted"),
    *("threads", "as_json", "device", "cluster", "partitions"),
)


def command(
    name: str, *parameters: Callable[..., Any], may_replace_input: bool = False
) -> Callable[[Callable[..., Any]], click.Command]:
    """Turn a function of a `Job` and of further options into a command with these parameters."""
    shared = {one.name for one in fields(Job)}

    def decorate(compute: Callable[..., Report | Answer]) -> click.Command:
        def run(cluster: str | None = None, partitions: int | None = None, **values: Any) -> None:
            job = Job(**{option: values.pop(option) for option in shared & values.keys()})
            job.check_output(*([] if may_replace_input else [job.file]))
            if cluster is not None:
                from .cluster import compute_on_cluster

                report: Report | Answer = compute_on_cluster(name, cluster, partitions, job)
            elif partitions is not None:
                raise click.UsageError("--partitions is an option of --dask")
            else:
                report = compute(job, **values)
            if isinstance(report, Answer):
                report = _conclude(job, report)
            if job.as_json:
                print_json(report.facts)
            elif callable(report.lines):
                report.lines()
            else:
                print_lines(report.lines, report.title, stderr=job.output == "-")
            if report.is_wrong:
                click.get_current_context().exit(1)

        run.__doc__ = compute.__doc__
        result = click.command(name)(combine(*parameters)(run))
        result.params.sort(key=lambda parameter: parameter.name in _GENERAL)
        return result

    return decorate


def _conclude(job: Job, answer: Answer) -> Report:
    """Verify, write, draw and describe an answer."""
    from .answer_files import fingerprint, write_answer

    if answer.check and job.verify:
        with job.clock("verify", "verifying"):
            answer.wrong = answer.check()
    right = None if answer.check and not job.verify else answer.wrong is None
    crc32 = fingerprint(answer.values)
    if job.output is not None and answer.write:
        answer.write()
    elif job.output is not None:
        stored = {fact: answer.facts[fact] for fact in answer.stored}
        about = {"stablegraph": __version__, **stored, "crc32": crc32}
        write_answer(job.output, answer.columns, answer.values, about, job.graph.nodes)
    if job.picture is not None and answer.draw:
        with working("drawing"):
            save_picture(answer.draw(shown_name(Path(job.file).name)), job.picture)
    facts: Facts = {
        "file": job.file,
        **(answer.size or {"vertices": job.graph.num_vertices, "edges": job.graph.num_edges}),
        **answer.facts,
        answer.verdict: right,
        "crc32": crc32,
        "threads": sg.num_threads(),
        "device": job.device,
        "seconds": job.clock.seconds,
        "output": job.output,
        **({"picture": job.picture} if answer.draw else {}),
    }
    lines = {
        **answer.lines,
        answer.verdict: verdict_line(right, answer.right, answer.wrong),
        "crc32": crc32,
        "times": job.times(),
        **({"written": job.output} if job.output not in (None, "-") else {}),
        **({"picture": job.picture} if job.picture is not None else {}),
    }
    title = f"{job.name}: {answer.title or size_line(job.graph)}"
    return Report(facts, lines, title, is_wrong=right is False)
