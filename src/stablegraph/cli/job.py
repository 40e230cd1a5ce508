"""What all commands share: a `Job` reads a graph and computes, and a `Report` is the result."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

import stablegraph as sg

from .._core.option_names import Format
from ..io.source import format_suffix
from .failures import blamed_on
from .terminal import Clock, Facts, reading, shown_name


@dataclass
class Job:
    """The values of the options that several commands share, the graph after it has been read, and the times."""

    file: str = ""
    source_format: Format | None = None
    symmetrize: bool = False
    directed: bool = False
    merge: str | None = None
    source_column: str | None = None
    target_column: str | None = None
    weight_column: str | None = None
    no_weights: bool = False
    trusted: bool = False
    device: str = "cpu"
    cluster: str | None = None  # the address of a scheduler
    partitions: int | None = None
    as_json: bool = False
    verify: bool = True
    output: str | None = None
    target_format: Any = None  # a Format of a graph, or one of `ANSWER_FORMS`
    picture: str | None = None
    clock: Clock = field(default_factory=Clock)
    graph: Any = None  # after it has been read: a Graph, or one in partitions on a cluster

    @property
    def name(self) -> str:
        """The name of the input for messages and pages."""
        return shown_name(self.file)

    @property
    def answer_suffix(self) -> str:
        """The suffix of the form of an answer: of ``--to`` or else of the output; "" for text."""
        chosen = f".{self.target_format}" if self.target_format else ""
        return chosen or ("" if self.output in (None, "-") else format_suffix(str(self.output)))

    @property
    def columns(self) -> dict[str, Any]:
        """``--source``, ``--target``, ``--weight`` and ``--no-weights`` as arguments of `read_graph`."""
        named = {"source": self.source_column, "target": self.target_column, "weight": self.weight_column}
        columns: dict[str, Any] = {name: column for name, column in named.items() if column is not None}
        return {**columns, "weights": False} if self.no_weights else columns

    def read(self, *, weights: bool = False, directed: bool | None = None) -> sg.Graph:
        """Read the graph; `directed` is False if the command needs an undirected graph, True if it needs arcs."""
        symmetrize = self.merge or self.symmetrize
        if self.directed and symmetrize:
            raise click.UsageError("--directed keeps arcs, --symmetrize and --merge make edges of them; leave out one")
        keeps_arcs = self.directed or (directed and not symmetrize)
        graph: sg.Graph = self.read_file(
            self.file,
            format=self.source_format,
            symmetrize=symmetrize,
            directed=True if keeps_arcs else False if directed is False else None,
            **{"weights": weights, **self.columns},
        )
        self.graph = graph
        return graph

    def read_file(self, file: Any, **how: Any) -> sg.Graph:
        """Read a graph from a file or a folder, a stream, or standard input."""
        name = shown_name(getattr(file, "name", file))
        with self.clock("read"), reading(name) as progress, _remedies_of_this_command():
            return sg.read_graph(file, trusted=self.trusted, progress=progress, **how)

    def compute(self, find: Callable[[sg.Graph], Any], activity: str | None = "computing") -> Any:
        """Apply `find` to the graph on the device of ``--device``; return the answer in host memory."""
        if self.device == "cpu":
            with self.clock("compute", activity):
                return find(self.graph)
        with self.clock("copy"):
            graph = self.graph.to(self.device)
        with self.clock("compute", activity):
            return _on_host(find(graph))  # copying waits for the GPU

    def write(self, graph: Any) -> None:
        """Write a graph to the output or, for "-", to standard output (in Matrix Market format by default)."""
        assert self.output is not None
        with self.clock("write", f"writing {self.output}"), blamed_on(self.output):
            if self.output == "-":
                sg.write_graph(sys.stdout.buffer, graph, format=self.target_format or "mtx")
                sys.stdout.buffer.flush()
            else:
                sg.write_graph(self.output, graph, format=self.target_format)

    def times(self) -> str:
        """Return the times, and the threads or the device used, as text."""
        device = "on the GPU" if self.device == "cuda" else threads_line()
        return str(self.clock) if self.cluster else f"{self.clock}  ({device})"


@dataclass
class Report:
    """The result of a command: facts for the JSON object, and lines for the text output."""

    facts: Facts
    lines: dict[str, str] | Callable[[], None]  # labeled lines, or a function that prints the text
    title: str = ""
    exit_code: int = 0  # 1 if the answer is wrong, 4 if the limits did not suffice


@contextlib.contextmanager
def _remedies_of_this_command() -> Iterator[None]:
    """Remove ``--merge`` from the message about different weights in commands without that option."""
    try:
        yield
    except ValueError as error:
        has_merge = any(parameter.name == "merge" for parameter in click.get_current_context().command.params)
        message = str(error) if has_merge else re.sub(r"pass symmetrize=('\w+'[, or]*)+combine", "combine", str(error))
        if message == str(error):
            raise
        raise type(error)(message) from None


def _on_host(answer: Any) -> Any:
    """Copy the arrays and sparse matrices of an answer from a GPU to host memory."""
    if type(answer) in (tuple, list):
        return type(answer)(map(_on_host, answer))
    return answer.get() if type(answer).__module__.partition(".")[0] in ("cupy", "cupyx") else answer


def explicit_option(*names: str) -> str | None:
    """Return the first of these options that was passed on the command line, in its spelling, or None."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


def byte_count(file: str) -> int:
    """Return the size of a file, or of all files in a folder."""
    return sum(map(os.path.getsize, files_in(file)))


def files_in(path: str) -> list[str]:
    """Return a path in a list if it is a file, or the paths in it if it is a folder."""
    if os.path.isdir(path):
        return [entry.path for entry in os.scandir(path)]
    return [path] if os.path.exists(path) else []


def picture_format(output: str) -> str:
    """Return the format of a picture; raise an error for a suffix of no such format, or if Matplotlib is missing."""
    from ..plot.page import require_matplotlib

    require_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    kind = Path(output).suffix.lower().lstrip(".") or "png"
    if kind not in FigureCanvasBase.get_supported_filetypes():
        raise ValueError(f"{output}: a picture can be .png, .svg or .pdf, not .{kind}")
    return kind


def picture_of(figure: Any, output: str) -> bytes:
    """Return the contents of the file of a figure."""
    content = io.BytesIO()
    figure.savefig(content, format=picture_format(output))
    return content.getvalue()


def write_file(output: str, content: bytes) -> None:
    """Write a file; an existing one is replaced only after the new one is complete."""
    from ..io.target import replacing

    with blamed_on(output), replacing(output) as file:
        file.write(content)


def size_line(graph: sg.Graph) -> str:
    """Return the size of a graph as text."""
    return f"{graph.num_vertices:,} vertices, {graph.num_edges:,} {'arcs' if graph.directed else 'edges'}"


def threads_line() -> str:
    """Return the number of threads as text."""
    return f"{sg.num_threads()} thread{'s' if sg.num_threads() > 1 else ''}"
