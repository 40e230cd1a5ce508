"""``stablegraph mis``, ``forest`` and ``matching``: a set of vertices or of edges.

``mis`` computes a maximal independent set, and with ``--large`` a set near the maximum, and a bound; ``forest`` a
minimum spanning forest, which is written as a graph; ``matching`` edges without common ends.
"""

from __future__ import annotations

from functools import partial
from typing import Any, get_args

import click
import numpy as np

import stablegraph as sg

from ..._core.option_names import ForestAlgorithm, Priority, SetAlgorithm, WeightedPriority
from ..._core.texts import counted
from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job, explicit_option
from ..terminal import Facts, searching

Result = tuple[Any, Facts, Facts]  # the set, facts about the computation, and notes


@command(
    "mis",
    options.graph_on_device,
    options.flag("--large", "Search for a set near the maximum, with a bound. Takes far longer."),
    options.number_option("--rounds", 0, None, "For --large: rounds of local search.  [default: 100]"),
    options.number_option("--distance", 1, 1, "Members are more than this number of edges apart."),
    click.option(
        "--priority",
        type=options.Name((*get_args(Priority), *get_args(WeightedPriority)), files=True),
        help="Order in which vertices are taken; @FILE: the larger number first, a table with the columns id and "
        "priority, or a number per vertex.  [default: degree; from --distance 2 on random; with --weights ratio]",
    ),
    options.file_option(
        "--weights",
        "Weights of the vertices: a table with the columns id and weight, or a number per vertex (.npy or text). "
        "The larger weight / (number of neighbors + 1) is taken first; with --priority weight the larger weight. With "
        "--large, the sum of the weights is maximized.",
    ),
    options.choice("--algorithm", SetAlgorithm, "priority", "Algorithm to use."),
    options.seed,
    options.flag("--synchronous", "Run all rounds in parallel; the same set.", default=None),
    click.option(
        "--adaptive/--no-adaptive",
        default=None,
        help="For luby_select: draw all undecided vertices in late rounds.  [default: adaptive]",
    ),
    options.flag("--info", "Also report rounds and entries read; takes longer."),
    options.vertices("--include", "Vertices that must be in the set"),
    options.vertices("--exclude", "Vertices that must not be in the set"),
    options.cluster,
    options.answer_output("set", "one line (0 or 1) a vertex"),
)
def mis(
    job: Job, large: bool, rounds: int | None, include: str | None, exclude: str | None, seed: int, **how: Any
) -> Answer:
    """Compute a maximal independent set.

    The set is that of the serial greedy algorithm, which takes vertices in the order of --priority, unless --algorithm
    names another method, or --distance is more than 1. It does not depend on the number of threads (except with
    --algorithm locked).

    With --large the set is nearly as large (with --weights as heavy) as possible, and a bound shows how far from the
    maximum it can be. Ctrl-C ends the search; the answer is then the best set so far.

    Example: stablegraph mis graph.mtx.gz -o set.txt
    """
    from ..answer_files import read_weights
    from ..vertex_values import vertices_from

    unused = explicit_option(
        "distance", "priority", "algorithm", "synchronous", "adaptive", "info", "exclude", "device"
    )
    if large and unused:
        raise click.UsageError(f"--large has no option {unused}; it has --rounds, --seed, --weights and --include")
    if rounds is not None and not large:
        raise click.UsageError("--rounds is an option of --large")
    graph = job.read(directed=False)
    included, excluded = vertices_from(include, "--include", graph), vertices_from(exclude, "--exclude", graph)
    how["weights"] = how["weights"] and read_weights(how["weights"], graph)
    if (shown := how["priority"]) and shown.startswith("@"):
        how["priority"] = read_weights(shown[1:], graph, "priority")
    if large:
        mask, facts, notes = _find_large_set(job, rounds, seed=seed, include=included, weights=how["weights"])
    else:
        mask, facts, notes = _find_maximal_set(job, shown, **how, seed=seed, include=included, exclude=excluded)
    n, size, distance = graph.num_vertices, int(np.count_nonzero(mask)), how["distance"]
    return Answer(
        KINDS["set"],
        mask,
        facts={"distance": distance, "size": size, "share": size / n if n else None, **facts, "seed": seed},
        notes=notes,
        checked=(mask, distance),
        options={"exclude": excluded},
        stored=("algorithm", *(fact for fact in facts if fact != "info"), "distance", "seed", "size"),
        table="large set" if large else "mis",
    )


def _find_maximal_set(
    job: Job, shown: str | None, *, distance: int, info: bool, seed: int, include: Any, exclude: Any, **how: Any
) -> Result:
    """Compute a maximal independent set by one of the algorithms."""
    from ..._core.csr.merge import exact_sum

    if explicit_option("seed"):
        how["seed"] = seed  # not all algorithms accept one
    how |= {"distance": distance, "include": include, "exclude": exclude}
    weights, algorithm = how["weights"], how["algorithm"]
    answer = job.compute(partial(sg.maximal_independent_set, return_info=info, **how))
    default = "ratio" if weights is not None else "degree" if distance == 1 else "random"
    facts: Facts = {"priority": (shown or default) if algorithm == "priority" else None, "algorithm": algorithm}
    mask, history = answer if info else (answer, None)
    if weights is not None:
        facts["weight"] = exact_sum(weights[mask])
    return mask, facts | ({"info": history} if info else {}), {}


def _find_large_set(job: Job, rounds: int | None, *, seed: int, include: Any, weights: Any) -> Result:
    """Search for a large or heavy independent set, and compute a bound."""
    from ...independent_set.large_set import SearchInterrupted
    from ...independent_set.near_maximum import DEFAULT_ROUNDS

    rounds = DEFAULT_ROUNDS if rounds is None else rounds

    def find(graph: sg.Graph) -> Any:
        with searching(rounds) as progress:
            try:
                return sg.large_independent_set(
                    graph, rounds=rounds, seed=seed, include=include, weights=weights, progress=progress
                )
            except SearchInterrupted as stop:
                return stop.best

    best = job.compute(find, None)
    value = best.size if best.weight is None else best.weight
    gap = (best.upper_bound - value) / value if value and not best.optimal else 0.0
    facts: Facts = {
        "algorithm": "large",
        **({} if best.weight is None else {"weight": best.weight}),
        "upper_bound": best.upper_bound,
        "gap": gap,
        "optimal": best.optimal,
        "rounds": best.rounds,
        "stopped": best.rounds < rounds and not best.optimal,
    }
    maximum = "a maximum independent set" if best.weight is None else "no set is heavier"
    return best.mask, facts, {"limit": rounds, "proof": maximum if best.optimal else f"gap {gap:.2%}"}


@command(
    "forest",
    options.graph_on_device,
    options.merged_weights,
    options.flag("--maximum", "Find the maximum spanning forest instead."),
    options.algorithm(ForestAlgorithm),
    options.cluster,
    options.verify,
    options.output(
        "Write the forest: .csv, .tsv, .parquet or .feather (a table of edges between the file's ids), or an "
        "undirected graph in the format of the suffix.",
        "graph",
    ),
    options.target_format,
)
def forest(job: Job, maximum: bool, algorithm: ForestAlgorithm) -> Answer:
    """Find the minimum spanning forest.

    The forest consists of the edges of least total weight that connect all vertices of each component; without weights
    every edge weighs 1. Ties are broken by the ends of the edges, so there is exactly one such forest, and it does not
    depend on the number of threads.

    Example: stablegraph forest graph.mtx.gz -o forest.mtx
    """
    graph = job.read(weights=True, directed=False)
    forest = job.compute(partial(sg.minimum_spanning_forest, algorithm=algorithm, maximum=maximum))
    trees = graph.num_vertices - forest.nnz
    facts = {
        "forest_edges": forest.nnz,
        "trees": trees,
        "weight": sg.total_weight(forest),
        "maximum": maximum,
        "algorithm": algorithm,
    }
    return Answer(
        KINDS["forest"],
        forest,
        facts,
        notes={"trees_with_noun": counted(trees, "tree", "trees")},
        checked=(forest, maximum),
        right=f"a {'maximum' if maximum else 'minimum'} spanning forest",
        write=lambda: job.write(_forest_graph(job, graph, forest.tocoo())),
    )


def _forest_graph(job: Job, graph: sg.Graph, edges: Any) -> sg.Graph:
    """Make an undirected graph of a forest, with the names of the vertices, and with weights if the graph has them.

    A table of edges does not list isolated vertices, so they are dropped for formats that cannot hold them.
    """
    from ...io import format_to_write
    from ...io.detect import TEXT_TABLES
    from ...io.titled_table import integers_of_texts

    weights, n = None if graph.weights is None else edges.data, graph.num_vertices
    format = job.target_format or ("mtx" if job.output == "-" else format_to_write(str(job.output), None))
    text, table = format in TEXT_TABLES, format in (*TEXT_TABLES, "parquet", "feather")
    nodes: Any = np.arange(n) if text and graph.nodes is None else graph.nodes
    forest = sg.from_edges(edges.row, edges.col, weights, n, symmetrize=True, nodes=nodes)
    if not table or nodes is None:
        return forest
    forest = forest.subgraph(forest.degrees > 0)
    integers = integers_of_texts(forest.nodes) if text else None  # `verify` compares ids as texts
    return forest if integers is None else forest._replace(nodes=integers)


@command(
    "matching",
    options.graph_on_device,
    options.merged_weights,
    options.seed,
    options.answer_output("mates", "one number a line: the other end of the vertex's edge, or -1"),
)
def matching(job: Job, seed: int) -> Answer:
    """Find a matching: edges without common ends.

    The heaviest edges are taken first, so that the weight is at least half of the maximum; --no-weights ignores
    weights. Without weights every edge weighs 1, and no further edge can be added. The matching does not depend on the
    number of threads.

    Example: stablegraph matching graph.mtx.gz -o mates.csv
    """
    graph = job.read(weights=True, directed=False)
    mate, info = job.compute(partial(sg.weighted_matching, seed=seed, return_info=True))
    n, size, weight = graph.num_vertices, info["size"], info["weight"]
    return Answer(
        KINDS["matching"],
        mate,
        facts={"matched_edges": size, "weight": weight, "rounds": info["rounds"], "seed": seed},
        notes={"share": 2 * size / n if n else None, "total": None if graph.weights is None else weight},
        options={"weighted": True},
        stored=("matched_edges", "weight", "seed"),
    )
