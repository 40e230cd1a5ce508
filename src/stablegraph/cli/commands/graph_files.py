"""``stablegraph info``, ``convert`` and ``generate``: describe, convert and generate graphs in files."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import click
import numpy as np

import stablegraph as sg

from .. import options
from ..answers import lines_of
from ..frame import command
from ..job import Job, Report, byte_count, size_line
from ..terminal import Facts, print_lines


@command("info", options.graph, options.merged_weights)
def info(job: Job) -> Report:
    """Describe the graph in a file.

    Example: stablegraph info graph.mtx.gz
    """
    graph = job.read(weights=True)
    degrees, n, weights = graph.degrees, graph.num_vertices, graph.weights
    facts: Facts = {
        "file": job.file,
        "vertices": n,
        "edges": graph.num_edges,
        "entries": graph.num_entries,
        "directed": graph.directed,
        "degree_min": int(degrees.min()) if n else 0,
        "degree_mean": float(degrees.mean()) if n else 0.0,
        "degree_max": int(degrees.max()) if n else 0,
        "isolated_vertices": int(np.count_nonzero((degrees == 0) & (graph.transpose().degrees == 0))),
        "loops": graph.facts.get("loops"),
        "duplicates": graph.facts.get("duplicates"),
        "weights": None if weights is None else str(weights.dtype),
        "vertex_weights": graph.facts["vertex_weights"].shape[1] if "vertex_weights" in graph.facts else None,
        "node_names": graph.nodes is not None,
        "indptr_dtype": str(graph.indptr.dtype),
        "indices_dtype": str(graph.indices.dtype),
        "bytes": sum(int(array.nbytes) for array in (graph.indptr, graph.indices, weights) if array is not None),
        "file_bytes": None if job.file == "-" else byte_count(job.file),
        "seconds": job.clock.seconds,
    }
    notes: Facts = {"kind": "undirected", "arcs_or_edges": "edges", "degrees": "degree", "times": job.clock}
    if graph.directed:
        notes |= {"kind": "directed", "arcs_or_edges": "arcs", "degrees": "out-degree"}
    if weights is not None and weights.size:
        notes |= {"lightest": weights.min(), "heaviest": weights.max()}
    return Report(facts, lines_of("info", {**facts, **notes}), job.name)


@command(
    "convert",
    click.argument("file", metavar="IN", type=options.FileName()),
    click.argument("output", metavar="OUT", type=options.FileName("graph")),
    options.edges_input,
    options.weights,
    options.target_format,
    options.merge,
    options.flag("--simple", "Write no loops, repeated entries and weights."),
    options.threads,
    options.json,
)
def convert(job: Job, simple: bool) -> Report:
    """Read a graph in one format and write it in another.

    Example: stablegraph convert graph.mtx.gz graph.npz
    """
    graph = job.read(weights=True)
    graph = graph.simple() if simple else graph
    job.write(graph)
    return _written_report(job, {"source": job.file}, graph, job.name)


def _written_report(job: Job, facts: Facts, graph: sg.Graph, source: str) -> Report:
    """Return the report on a graph that `Job.write` wrote."""
    facts = {
        **facts,
        "output": job.output,
        "output_bytes": None if job.output in (None, "-") else os.path.getsize(str(job.output)),
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "seconds": job.clock.seconds,
    }
    return Report(facts, lines_of("graph file", {**facts, "times": job.clock}), f"{source}: {size_line(graph)}")


def _shape(text: str) -> tuple[int, ...]:
    parts = text.lower().split("x")
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter(f"expected points along each axis, such as 100x100, got {text!r}")
    return tuple(int(part) for part in parts)


def _generators() -> dict[str, Callable[..., Any]]:
    """Return the functions of the gallery by the names of their commands."""
    return {
        "grid": sg.gallery.grid,
        "laplacian": sg.gallery.laplacian,
        "elasticity": sg.gallery.elasticity_3d,
        "uniform": sg.gallery.uniform_random,
        "regular": sg.gallery.random_regular,
        "rmat": sg.gallery.rmat,
        "kronecker": sg.gallery.kronecker,
        "delaunay": sg.gallery.delaunay,
        "benchmark": sg.gallery.benchmark_graph,
        "real": sg.gallery.load,
    }


_TYPES: dict[str, Any] = {"int": int, "int | None": int, "float": float, "bool": bool, "str": str}


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    """Return the argument or, for a parameter with a default, the option for a parameter of a generator."""
    name, kind = parameter.name, _TYPES.get(str(parameter.annotation), _shape if parameter.name == "shape" else int)
    if parameter.default is parameter.empty:
        return click.Argument([name], type=kind)
    spelling = f"--{name}/--no-{name}" if kind is bool else "--" + name.replace("_", "-")
    return click.Option([spelling], type=kind, default=parameter.default, show_default=True)


class Generators(options.NamedCommands):
    """A group with one command per generator, which is created from the gallery's function on access."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_generators())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        generator = _generators().get(name)
        if generator is None:
            return None

        def run(job: Job, **arguments: Any) -> Report:
            return _generate(job, name, generator, arguments)

        output_option = options.output("File to write; - is standard output.", "graph", required=True)
        result = command(name, output_option, options.target_format, options.threads, options.json)(run)
        parameters = dict(inspect.signature(generator).parameters)
        parameters.pop("device", None)  # the graph is written to a file
        result.short_help = (inspect.getdoc(generator) or "").split("\n\n")[0]
        shape = "\n\nSHAPE is points along each axis, such as 100x100 or 9x9x9." if "shape" in parameters else ""
        result.help = result.short_help + shape
        result.epilog = f"help(stablegraph.gallery.{generator.__name__}) in Python explains the parameters."
        result.params = [*map(_parameter, parameters.values()), *result.params]
        return result


def _generate(job: Job, name: str, generator: Callable[..., Any], arguments: dict[str, Any]) -> Report:

    with job.clock("generate", f"generating {name}"):
        matrix = generator(**arguments)
        graph = sg.as_graph(
            matrix[0] if isinstance(matrix, tuple) else matrix
        )  # elasticity also returns rigid-body modes
    job.write(graph)
    facts = {"kind": name, "options": {key: value for key, value in arguments.items() if value is not None}}
    return _written_report(job, facts, graph, name)


@click.group("generate", cls=Generators, invoke_without_command=True)
@click.option("--list", "as_list", is_flag=True, help="List the kinds of graphs.")
@click.pass_context
def generate(ctx: click.Context, as_list: bool) -> None:
    """Generate a graph and write it to a file.

    Example: stablegraph generate grid 100x100 -o grid.mtx
    """
    generators = _generators()
    if ctx.invoked_subcommand is None and not as_list:
        raise click.UsageError(f"say what to make: {', '.join(generators)} (stablegraph generate --list says more)")
    if ctx.invoked_subcommand is None:
        lines = {}
        for name, generator in generators.items():
            parameters = inspect.signature(generator).parameters.values()
            required = [one.name.upper() for one in parameters if one.default is one.empty]
            lines[" ".join([name, *required])] = (inspect.getdoc(generator) or "").splitlines()[0]
        print_lines(lines)
