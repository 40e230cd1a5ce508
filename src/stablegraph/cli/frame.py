"""The frame of all commands: parse options, compute, verify, write, draw, and print the result.

A command is a function of a `Job` and of its special options. It returns a `Report`, which is printed, or an `Answer`
with values for each vertex, which is also verified, written and drawn.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

import stablegraph as sg

from .. import __version__
from .choices import files_of
from .job import Answer, Job, Report, files_in, picture_format, picture_of, size_line, verdict_line, write_file
from .options import combine
from .terminal import Facts, print_json, print_lines, shown_name, working

_GENERAL = (  # options of nearly all commands, which --help lists after a command's own options
    *("source_format", "source_column", "target_column", "symmetrize", "directed", "trusted"),
    *("threads", "as_json", "device", "cluster", "partitions"),
)


def command(name: str, *parameters: Callable[..., Any]) -> Callable[[Callable[..., Any]], click.Command]:
    """Turn a function of a `Job` and of further options into a command with these parameters."""
    shared = {one.name for one in fields(Job)}

    def decorate(compute: Callable[..., Report | Answer]) -> click.Command:
        def run(cluster: str | None = None, partitions: int | None = None, **values: Any) -> None:
            job = Job(**{option: values.pop(option) for option in shared & values.keys()})
            _check_files(click.get_current_context(), job, cluster is not None)
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


def _check_files(ctx: click.Context, job: Job, on_cluster: bool) -> None:
    """Refuse outputs that would replace an input or each other, or that cannot be written, before anything is read."""
    inputs, outputs = files_of(ctx)
    if sum(file == "-" for _, file in inputs) > 1:
        both = " and ".join(option for option, file in inputs if file == "-")
        raise click.UsageError(f"{both} cannot both come from standard input")
    read = {place: option for option, file in inputs for place in _places(file)}
    if option := read.get(_place(_descriptor(sys.stdout))):
        raise click.UsageError(f"standard output would change the file of {option}; send it to another file")
    written: dict[Any, str] = {}
    for option, file, content in outputs:
        if file == "-" and content in ("answer", "graph"):
            if job.as_json:
                raise click.UsageError(f"--json and {option} - both want standard output")
            if content == "graph":
                _check_output(os.devnull, content, replace(job, target_format=job.target_format or "mtx"))
            continue
        target = os.path.realpath(file)
        place = _place(target) or os.path.normcase(target)
        if place in read:
            raise click.UsageError(
                f"{option} {file} is read ({read[place]}), and the output would replace it; name another file"
            )
        for folder in filter(read.get, map(_place, Path(target).parents)):
            raise click.UsageError(f"{option} {file} is in the folder of {read[folder]}; name a file in another folder")
        if place in written:
            raise click.UsageError(f"{written[place]} and {option} both write {file}; name another file")
        written[place] = option
        if not on_cluster:
            _check_output(file, content, job)


def _check_output(file: str, content: str, job: Job) -> None:
    """Raise the error for a file that cannot be written: its folder, its format, or a missing package."""
    from ..io import format_to_write
    from ..io.source import format_suffix
    from ..io.target import checked_target
    from ..plot.checks import require_matplotlib
    from ..tables.columns import pyarrow_module

    if content == "pictures":
        return  # `demo` writes none if Matplotlib is missing
    if content == "page":
        require_matplotlib()
        if file == "-":
            raise click.UsageError("a page goes into a file: name one with -o")
    elif content == "picture":
        picture_format(file)
    elif content == "graph":
        format_to_write(file, job.target_format)
    elif format_suffix(file) in (".parquet", ".feather"):
        pyarrow_module()
    checked_target(file)


def _places(file: str) -> list[Any]:
    """Return the places of a file that is read, or of a folder and the files in it."""
    if file == "-":
        return list(filter(None, [_place(_descriptor(sys.stdin))]))
    return list(filter(None, map(_place, [file, *files_in(file)])))


def _place(file: Any) -> Any:
    """Return what identifies a file or a folder by any of its names, or a descriptor; None for devices and pipes."""
    try:
        status = os.stat(file)
    except (OSError, TypeError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else None


def _descriptor(stream: Any) -> int | None:
    """Return the number of the file that a stream reads or writes; None if the stream is closed, or has none."""
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def _conclude(job: Job, answer: Answer) -> Report:
    """Verify, write, draw and describe an answer."""
    from .answer_files import write_answer

    if answer.check and job.verify:
        with job.clock("verify", "verifying"):
            answer.wrong = answer.check()
    right = None if answer.check and not job.verify else answer.wrong is None
    values, picture = answer.values, b""
    # of several columns, the fingerprint is that of the tuple that the Python function returns
    crc32 = sg.fingerprint(tuple(values.T) if len(answer.columns.split()) > 1 else values)
    if job.picture is not None and answer.draw:  # before anything is written, because drawing may fail
        with working("drawing"):
            picture = picture_of(answer.draw(shown_name(Path(job.file).name)), job.picture)
    if job.output is not None and answer.write:
        answer.write()
    elif job.output is not None:
        stored = {fact: answer.facts[fact] for fact in answer.stored}
        about = {"stablegraph": __version__, **stored, "crc32": crc32}
        write_answer(job.output, answer.columns, answer.values, about, job.graph.nodes)
    if job.picture is not None and answer.draw:
        write_file(job.picture, picture)
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
