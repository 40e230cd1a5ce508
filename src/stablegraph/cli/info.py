"""``stablegraph info``: describe the graph in a file."""

from __future__ import annotations

import click

from .clock import Clock
from .options import byte_count, direction, graph_file, merge_option, read, weight_options
from .terminal import Facts, byte_size, show, shown_name


@click.command("info")
@graph_file
@weight_options
@merge_option
def command(
    file: str, source_format: str | None, symmetrize: bool, directed: bool, merge: str | None, as_json: bool
) -> None:
    """Describe the graph in a file.

    Example: stablegraph info graph.mtx.gz
    """
    import numpy as np

    clock = Clock()
    graph = read(
        file,
        source_format,
        merge or symmetrize,
        clock,
        weights=True,
        directed=direction(directed, merge or symmetrize),
    )
    degrees = graph.degrees
    n = graph.num_vertices
    arrays = [graph.indptr, graph.indices] + ([] if graph.weights is None else [graph.weights])
    low, mean, high = (int(degrees.min()), float(degrees.mean()), int(degrees.max())) if n else (0, 0.0, 0)
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "entries": graph.num_entries,
        "directed": graph.directed,
        "degree_min": low,
        "degree_mean": mean,
        "degree_max": high,
        "isolated_vertices": int(np.count_nonzero((degrees == 0) & (graph.transpose().degrees == 0))),
        "loops": graph.facts.get("loops"),
        "duplicates": graph.facts.get("duplicates"),
        "weights": None if graph.weights is None else str(graph.weights.dtype),
        "node_names": graph.nodes is not None,
        "indptr_dtype": str(graph.indptr.dtype),
        "indices_dtype": str(graph.indices.dtype),
        "bytes": sum(int(array.nbytes) for array in arrays),
        "file_bytes": None if file == "-" else byte_count(file),
        "seconds": clock.seconds,
    }
    weights = "none"
    if graph.weights is not None:
        weights = str(graph.weights.dtype)
        if graph.weights.size:
            weights += f", {graph.weights.min():g} to {graph.weights.max():g}"
    of_what = "out-degree" if graph.directed else "degree"
    lines = {
        "vertices": f"{n:,}" + ("" if graph.nodes is None else "  (with names)"),
        "arcs" if graph.directed else "edges": f"{graph.num_edges:,}",
        "kind": "directed" if graph.directed else "undirected",
        of_what: f"{low:,} to {high:,}, mean {mean:.3g}",
        "isolated": f"{facts['isolated_vertices']:,}",
        "entries": f"{graph.num_entries:,}"
        + "".join(f", {facts[kind]:,} {kind}" for kind in ("loops", "duplicates") if facts[kind]),
        "weights": weights,
        "memory": f"{byte_size(facts['bytes'])}  (indptr {facts['indptr_dtype']}, indices {facts['indices_dtype']})",
        "times": str(clock),
    }
    show(as_json, facts, lines, title=shown_name(file))
