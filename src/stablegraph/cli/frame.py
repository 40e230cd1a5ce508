"""The frame of all commands: parse options, check the names of files, compute, and print the result.

A command is a function of a `Job` and of its special options. It returns a `Report`, which is printed, or an `Answer`
with values for each vertex, which `conclude` also verifies, writes and draws.
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

from .answers import Answer, conclude
from .job import Job, Report, files_in, picture_format
from .messages import names_options
from .options import combine, files_of
from .terminal import print_json, print_lines

_GENERAL = (  # options of nearly all commands, which --help lists after a command's own options
    *("source_format", "source_column", "target_column", "symmetrize", "directed", "trusted"),
    *("threads", "as_json", "device", "cluster", "partitions"),
)


def command(name: str, *parameters: Callable[..., Any]) -> Callable[[Callable[..., Any]], click.Command]:
    """Turn a function of a `Job` and of further options into a command with these parameters."""
    shared = {one.name for one in fields(Job)}

    def decorate(compute: Callable[..., Report | Answer]) -> click.Command:
        def run(**values: Any) -> None:
            values = {str(one.name): values[str(one.name)] for one in result.params if one.name in values}
            job = Job(**{option: values.pop(option) for option in shared & values.keys()})
            with names_options(result):
                _check_files(click.get_current_context(), job)
                report = _report(name, job, compute, values)
            if job.as_json:
                print_json(report.facts)
            elif callable(report.lines):
                report.lines()
            else:
                print_lines(report.lines, report.title, stderr=job.output == "-")
            if report.exit_code:
                click.get_current_context().exit(report.exit_code)

        run.__doc__ = compute.__doc__
        result = click.command(name)(combine(*parameters)(run))
        result.params.sort(key=lambda parameter: parameter.name in _GENERAL)
        return result

    return decorate


def _report(name: str, job: Job, compute: Callable[..., Report | Answer], values: dict[str, Any]) -> Report:
    """Carry a command out, on this machine or on a cluster."""
    if job.cluster is not None:
        from .cluster import report_of_cluster

        return report_of_cluster(name, job)
    if job.partitions is not None:
        raise click.UsageError("--partitions is an option of --dask")
    report = compute(job, **values)
    return conclude(name, job, report) if isinstance(report, Answer) else report


def _check_files(ctx: click.Context, job: Job) -> None:
    """Refuse outputs that would replace an input or each other, or that cannot be written, before anything is read."""
    if job.target_format and job.output is None:
        raise click.UsageError("--to goes with -o FILE; with -o - to standard output")
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
            chosen = job.target_format or ("mtx" if content == "graph" else None)
            _check_output(os.devnull, content, replace(job, target_format=chosen))
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
        if job.cluster is None:
            _check_output(file, content, job)


def _check_output(file: str, content: str, job: Job) -> None:
    """Raise the error for a file that cannot be written: its folder, its format, or a missing package."""
    from ..io import format_to_write
    from ..io.target import checked_target
    from ..tables.columns import pyarrow_module

    if content == "pictures":
        return  # `demo` writes none if Matplotlib is missing
    if content == "page":
        from ..plot.page import require_matplotlib

        require_matplotlib()
        if file == "-":
            raise click.UsageError("a page goes into a file: name one with -o")
    elif content == "picture":
        picture_format(file)
    elif content == "graph":
        format_to_write(file, job.target_format)
    elif job.answer_suffix in (".parquet", ".feather"):
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
