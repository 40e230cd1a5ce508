"""``stablegraph mis``: compute a maximal independent set; with ``--large`` a set near the maximum, and a bound."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .._core.option_names import Priority, SetAlgorithm
from .answer import Answer, Job, answering, share
from .choices import Name, name_option
from .cluster import on_a_cluster
from .options import given, graph_on_a_device, output_option, seed_option, verify_option
from .terminal import Facts, searching

if TYPE_CHECKING:
    from ..graph import Graph
    from .answer_files import Mask

Found = tuple["Mask", Facts, dict[str, str]]  # the set, and facts and lines about the computation


@answering(
    "mis",
    graph_on_a_device,
    click.option("--large", is_flag=True, help="Search for a set near the maximum, with a bound. Takes far longer."),
    click.option("--rounds", type=click.IntRange(0), help="For --large: rounds of local search.  [default: 100]"),
    click.option(
        "--distance",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Members are more than this number of edges apart.",
    ),
    click.option(
        "--priority",
        type=Name(Priority),
        help="Order in which vertices are taken.  [default: degree; from --distance 2 on random]",
    ),
    name_option("--algorithm", SetAlgorithm, "priority", "Algorithm to use."),
    seed_option,
    click.option("--synchronous", is_flag=True, default=None, help="Run all rounds in parallel; the same set."),
    click.option(
        "--adaptive/--no-adaptive",
        default=None,
        help="For luby_select: draw all undecided vertices in late rounds.  [default: adaptive]",
    ),
    click.option("--info", is_flag=True, help="Also report rounds and entries read; takes longer."),
    click.option("--include", metavar="VERTICES", help="Vertices that must be in the set: 3,7,10-12, names, or @FILE."),
    click.option(
        "--exclude", metavar="VERTICES", help="Vertices that must not be in the set: 3,7,10-12, names, or @FILE."
    ),
    on_a_cluster,
    verify_option,
    output_option("set", "one line (0 or 1) a vertex"),
)
def command(
    job: Job, large: bool, rounds: int | None, include: str | None, exclude: str | None, seed: int, **how: Any
) -> Answer:
    """Compute a maximal independent set.

    The set is that of the serial greedy algorithm, which takes vertices in the order of --priority, unless --algorithm
    names another method, or --distance is more than 1. It does not depend on the number of threads (except with
    --algorithm locked).

    With --large the set is nearly as large as possible, and a bound shows how far from the maximum it can be. Ctrl-C
    ends the search; the answer is then the best set so far.

    Example: stablegraph mis graph.mtx.gz -o set.txt
    """
    import numpy as np

    from ..verify import explain, is_maximal_independent_set
    from .answer_files import vertices_from

    strange = given("distance", "priority", "algorithm", "synchronous", "adaptive", "info", "exclude", "device")
    if large and strange:
        raise click.UsageError(f"--large has no option {strange}; it has --rounds, --seed and --include")
    if rounds is not None and not large:
        raise click.UsageError("--rounds is an option of --large")
    graph = job.read(directed=False)
    included, excluded = vertices_from(include, "--include", graph), vertices_from(exclude, "--exclude", graph)
    if large:
        mask, facts, lines = _search(job, rounds, seed=seed, include=included)
    else:
        mask, facts, lines = _compute(job, **how, seed=seed, include=included, exclude=excluded)
    n, size, distance = graph.num_vertices, int(np.count_nonzero(mask)), how["distance"]
    return Answer(
        mask,
        "mask",
        facts={"distance": distance, "size": size, "share": size / n if n else None, **facts, "seed": seed},
        lines={"set size": f"{size:,}{share(size, n, ' of the vertices')}", **lines},
        about=("algorithm", *(fact for fact in facts if fact != "info"), "distance", "seed", "size"),
        check=partial(explain, is_maximal_independent_set, graph, mask, distance, exclude=excluded),
        right="independent and maximal",
    )


def _compute(job: Job, *, distance: int, info: bool, seed: int, include: Any, exclude: Any, **how: Any) -> Found:
    """Compute a maximal independent set by one of the algorithms."""
    from ..independent_set.api import maximal_independent_set

    if given("seed"):
        how["seed"] = seed  # not all algorithms accept one
    how |= {"distance": distance, "include": include, "exclude": exclude}
    found = job.compute(partial(maximal_independent_set, return_info=info, **how))
    by_priority = how["algorithm"] == "priority"
    order = (how["priority"] or ("degree" if distance == 1 else "random")) if by_priority else how["algorithm"]
    facts: Facts = {"priority": order if by_priority else None, "algorithm": how["algorithm"]}
    lines = {"order": f"{order}, seed {seed}"}
    if not info:
        return found, facts, lines
    mask, history = found
    lines["rounds"] = f"{history['rounds']:,}" + (f", {history['edges']:,} entries read" if "edges" in history else "")
    return mask, {**facts, "info": history}, lines


def _search(job: Job, rounds: int | None, *, seed: int, include: Any) -> Found:
    """Search for a large independent set, and compute a bound."""
    from ..independent_set.api import DEFAULT_ROUNDS, large_independent_set
    from ..independent_set.large_set import SearchInterrupted

    rounds = DEFAULT_ROUNDS if rounds is None else rounds

    def find(graph: Graph) -> Any:
        with searching(rounds) as progress:
            try:
                return large_independent_set(graph, rounds=rounds, seed=seed, include=include, progress=progress)
            except SearchInterrupted as stop:
                return stop.best

    found = job.compute(find, None)
    gap = (found.upper_bound - found.size) / found.size if found.size else 0.0
    stopped = found.rounds < rounds and not found.optimal
    facts: Facts = {
        "algorithm": "large",
        "upper_bound": found.upper_bound,
        "gap": gap,
        "optimal": found.optimal,
        "rounds": found.rounds,
        "stopped": stopped,
    }
    proof = "a maximum independent set" if found.optimal else f"gap {gap:.2%}"
    lines = {
        "upper bound": f"{found.upper_bound:,}  ({proof})",
        "search": f"{found.rounds:,} of {rounds:,} rounds, seed {seed}" + ("  (stopped)" if stopped else ""),
    }
    return found.mask, facts, lines
