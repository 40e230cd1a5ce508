"""``stablegraph components``, ``scc``, ``communities``, ``aggregate`` and ``bfs``: a label or a distance per vertex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import click
import numpy as np

import stablegraph as sg

from ..._core import option_names as names
from ..._core.csr.groups import by_smallest_vertex, smallest_members
from ..._core.texts import counted
from .. import options
from ..answers import KINDS, ONE_PER_SOURCE, Answer, lines_of
from ..frame import command
from ..job import Job, explicit_option
from ..terminal import Facts

_SPREAD = {"smallest": 0, "tenth": 10, "half": 50, "nine_tenths": 90, "largest": 100}  # percentiles of the sizes


@command(
    "components",
    options.graph_on_device,
    options.algorithm(names.ComponentAlgorithm),
    options.choice(
        "--label",
        names.ComponentLabel,
        "number",
        "Labels are numbers of components, or the smallest vertex of each; tables, such as FILE.csv, then have "
        "the columns id, cluster (the smallest id) and size.",
    ),
    options.file_option(
        "--start",
        "Components of an earlier run, as -o wrote them; the graph then needs to contain only the added edges.",
    ),
    options.pairs,
    options.text(
        "--sources",
        "COLUMN",
        "A column of the records, the source of each: a cluster has at most one record of each source. Pairs with a "
        "larger value in the column of the condition join first.",
    ),
    options.flag("--facts", "Add the columns edges, density and bridges to a table of --label smallest."),
    options.cluster,
    options.labels_output,
)
def weak_components(
    job: Job, algorithm: str, label: names.ComponentLabel, start: str | None, facts: bool, **pairs: Any
) -> Answer:
    """Find the connected components.

    In a directed graph these are the weakly connected components, which ignore directions. Components are numbered from
    0 by their smallest vertices, and do not depend on the number of threads.

    For deduplication, --where selects the pairs with a high score, and --records adds the ids without pairs.

    Example: stablegraph components graph.mtx.gz -o labels.txt
    """
    from ..answer_files import is_table
    from ..pair_tables import read_pairs
    from ..vertex_values import with_earlier_clusters, write_clusters

    sources = pairs["sources"]
    if facts and (start is not None or label != "smallest" or not is_table(job.answer_suffix)):
        raise click.UsageError("--facts needs --label smallest and -o FILE.csv or another table, and no --start")
    if sources is not None and (unused := explicit_option("algorithm", "device", "start")):
        raise click.UsageError(f"{unused} cannot be combined with --sources; leave out one of them")
    graph = read_pairs(job, **pairs)
    if start is not None:
        with job.clock("start", "adding the earlier components"):
            job.graph = with_earlier_clusters(graph, start)
    find = sg.connected_components if sources is None else _one_per_source
    answer = _find_components(job, "components", algorithm, partial(find, label=label))
    answer.facts |= {"label": label, "start": start, **pairs}
    if sources is not None:
        answer.kind, answer.options = ONE_PER_SOURCE, {"origins": graph.facts["sources"]}
        answer.facts["algorithm"] = None
    if start is not None:
        answer.size = {"vertices": len(job.graph), "edges": graph.num_edges}
        answer.title = f"{len(job.graph):,} vertices, {counted(graph.num_edges, 'edge', 'edges')} added to {start}"
    if label == "smallest" and job.output is not None and is_table(job.answer_suffix):
        answer.write = partial(write_clusters, job.output, job.answer_suffix, job.graph, answer.values, facts)
    return answer


def _one_per_source(graph: sg.Graph, algorithm: str, label: names.ComponentLabel) -> tuple[int, Any]:
    """Return the clusters with at most one record of each source as `connected_components` returns components."""
    from ...forest.one_per_source import one_per_source

    assert graph.weights is not None
    clusters = one_per_source(graph._rows(), graph.indices, graph.weights, graph.facts["sources"])
    count, numbers = by_smallest_vertex(clusters)
    return count, smallest_members(clusters) if label == "smallest" else numbers


@command(
    "scc",
    options.graph_on_device,
    options.algorithm(names.StrongAlgorithm),
    options.cluster,
    options.labels_output,
)
def strong_components(job: Job, algorithm: str) -> Answer:
    """Find the strongly connected components of a directed graph.

    Two vertices are in one component if each can be reached from the other along arcs. Components are numbered from 0
    by their smallest vertices, and do not depend on the number of threads. The lines of an edge list and the rows of a
    table are arcs, even without --directed; an edge of an undirected graph is two arcs.

    Example: stablegraph scc arcs.txt -o labels.txt
    """
    job.read(directed=True)
    return _find_components(job, "scc", algorithm, sg.strongly_connected_components)


def _find_components(job: Job, kind: str, algorithm: str, find: Callable[..., tuple[int, Any]]) -> Answer:
    """Compute the components of either kind, and describe them."""
    count, labels = job.compute(partial(find, algorithm=algorithm))
    facts = {"components": count, **_size_facts(labels), "algorithm": algorithm}
    return Answer(KINDS[kind], labels, facts, stored=("components", "algorithm"))


def _size_facts(labels: Any) -> Facts:
    """Return facts about the sizes of the parts of a graph."""
    sizes = np.bincount(labels)
    largest, single = int(sizes.max(initial=0)), int(np.count_nonzero(sizes == 1))
    share = largest / labels.size if labels.size else None
    return {"largest": largest, "largest_share": share, "single_vertices": single}


@command(
    "communities",
    options.graph_on_device,
    options.choice("--algorithm", names.CommunityAlgorithm, "leiden", "With refinement of communities, or without."),
    options.choice(
        "--objective", names.Objective, "modularity", "The objective: modularity, or the constant Potts model."
    ),
    click.option(
        "--resolution",
        type=click.FloatRange(0),
        multiple=True,
        default=[1.0],
        show_default=True,
        help="Larger values give more and smaller communities; several values give a column for each.",
    ),
    options.number_option(
        "--iterations", 0, 3, "Number of iterations; 0 repeats until no vertex can improve the objective by moving."
    ),
    options.number_option("--max-size", 1, None, "Maximum number of vertices of a community."),
    options.number_option("--min-size", 1, None, "Minimum number of vertices of a community that has neighbors."),
    options.merged_weights,
    options.seed,
    options.labels_output,
    options.plot("the communities, or the matrix sorted by community"),
)
def communities(job: Job, **how: Any) -> Answer:
    """Find communities.

    A community is a group of vertices with many edges inside and few to other communities.

    Weights count; --no-weights ignores them. Every community is connected. Communities are numbered from 0 by their
    smallest vertices, and do not depend on the number of threads.

    Example: stablegraph communities graph.mtx.gz -o labels.txt
    """
    values = how["resolution"] = list(dict.fromkeys(how["resolution"]))
    if len(values) > 1 and job.picture is not None:
        raise click.UsageError("--plot draws one answer; pass one --resolution")
    graph = job.read(weights=True, directed=False)
    how["iterations"] = how["iterations"] or None
    choice = how | {"resolution": values if len(values) > 1 else values[0], "return_info": True}
    found = job.compute(partial(sg.communities, **choice))
    if len(values) == 1:
        answer = _described(found, how | {"resolution": values[0]})
        answer.draw = partial(_communities_figure, graph, answer.values)
        return answer
    several = [_described(one, how | {"resolution": value}) for one, value in zip(found, values, strict=True)]
    columns = [f"community_{value}".removesuffix(".0") for value in values]
    facts = {fact: [one.facts[fact] for one in several] for fact in several[0].facts if fact not in how}
    return replace(
        several[0],
        kind=KINDS["communities"]._replace(columns=" ".join(columns)),
        values=np.stack([one.values for one in several], axis=1),
        facts=facts | how,
        lines={k: v for one in several for k, v in lines_of("resolution", {**one.facts, **one.notes}).items()},
        checks=[((one.values,), one.options) for one in several],
    )


def _described(found: tuple[int, Any, Facts], how: Facts) -> Answer:
    """Describe the communities for one resolution."""
    count, labels, info = found
    sizes, name = _size_facts(labels), "modularity" if how["objective"] == "modularity" else "objective"
    notes = {
        "objective_name": name,
        "objective_value": info["objective"],
        "largest_share": sizes.pop("largest_share"),
    }
    more = {"levels": len(info["levels"]), "moves": info["moves"], **how}
    is_stable = how["iterations"] is None and how["min_size"] is None
    checked = ("max_size", "min_size", *(("objective", "resolution") if is_stable else ()))
    return Answer(
        KINDS["communities"],
        labels,
        facts={"communities": count, name: info["objective"], **sizes, **more},
        notes=notes,
        options={option: how[option] for option in checked},
        stored=("communities", *how),
        right="connected" + (", and no vertex can improve them by moving" if is_stable else ""),
    )


def _communities_figure(graph: Any, labels: Any, title: str) -> Any:
    from ...plot import communities_figure
    from ...plot.page import drawn_at

    return communities_figure(graph, labels, drawn_at(graph)[0], title=title)


@command(
    "aggregate",
    options.graph_on_device,
    options.choice(
        "--algorithm",
        names.Aggregation,
        "mis2",
        "With two distance-2 sets of roots, with one, or as in Kokkos Kernels.",
    ),
    options.weights,
    options.strength_option("Use only entries with |a_ij| >= THETA sqrt(|a_ii a_jj|)."),
    options.cluster,
    options.labels_output,
    options.plot("the aggregates, or the middle ones of a large graph"),
)
def aggregate(job: Job, algorithm: names.Aggregation, strength: float | None) -> Answer:
    """Partition the vertices into small aggregates.

    Each aggregate has a root, and its other vertices are at most two steps from it. Aggregates are numbered from 0 by
    their roots, and do not depend on the number of threads.

    Example: stablegraph aggregate matrix.mtx.gz -o labels.npz --plot patches.png
    """
    if strength is None and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --strength; without it, weights are not read")
    graph = job.read(weights=strength is not None, directed=False if strength is None else None)
    count, labels = job.compute(partial(sg.aggregate, algorithm=algorithm, strength=strength))
    sizes = np.bincount(labels)
    facts = {
        "aggregates": count,
        "mean_size": graph.num_vertices / count if count else None,
        "aggregates_of_size": np.bincount(sizes).tolist(),
        "algorithm": algorithm,
        "strength": strength,
    }
    spread = np.percentile(sizes, list(_SPREAD.values()), method="lower") if count else ()
    return Answer(
        KINDS["aggregation"],
        labels,
        facts,
        notes=dict(zip(_SPREAD, spread, strict=False)),
        options={"connected": algorithm != "kokkos"},
        stored=("aggregates", "algorithm", "strength"),
        right="near each other, without gaps",
        draw=lambda title: sg.plot.aggregates_figure(graph, labels, title=title),
    )


@command(
    "bfs",
    options.graph_on_device,
    options.vertices("--sources", "Where the search starts", required=True),
    options.max_distance("End the search at this distance; vertices farther away get -1."),
    options.cluster,
    options.answer_output("distances and parents", "two numbers a line"),
)
def bfs(job: Job, sources: str, max_distance: int | None) -> Answer:
    """Run a breadth-first search from one or several vertices.

    Distances are numbers of edges; weights are ignored. In a directed graph the search follows the arcs. With
    --directed, the lines of an edge list and the rows of a table are arcs. The parent of a vertex is the vertex before
    it on a shortest path from a source; if there are several, it is the smallest. A source has distance 0 and is its
    own parent; both are -1 for unreachable vertices. The answer does not depend on the number of threads.

    Example: stablegraph bfs graph.mtx.gz --sources 0,7 -o paths.npz
    """
    from ..vertex_values import vertices_from

    graph = job.read()
    start: Any = vertices_from(sources, "--sources", graph)
    find = partial(sg.breadth_first_search, sources=start, max_distance=max_distance)
    distance, parents = job.compute(find, "searching")
    n, reached = graph.num_vertices, int(np.count_nonzero(distance >= 0))
    last = int(distance.argmax()) if reached else None
    facts = {
        "sources": sources,
        "max_distance": max_distance,
        "reached": reached,
        "share": reached / n if n else None,
        "farthest": None if last is None else int(distance[last]),
        "farthest_vertex": last,
    }
    return Answer(
        KINDS["bfs"],
        np.stack([distance, parents], axis=1),
        facts,
        notes={"name": None if graph.nodes is None or last is None else str(graph.nodes[last])},
        checked=(start, distance, parents),
        options={"smallest": True, "max_distance": max_distance},
        stored=("sources", "max_distance", "reached", "farthest"),
    )
