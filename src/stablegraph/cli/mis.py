"""``stablegraph mis``: a maximal independent set; with ``--large`` one near the maximum, and a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import __version__
from .answer_files import Mask, fingerprint, vertices_from, write_answer
from .options import (
    check_output,
    compile_ahead,
    given,
    graph_file,
    read,
    seed_option,
    size_line,
    threads_line,
    verify_option,
)
from .terminal import Clock, Facts, searching, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph

PRIORITIES = ("degree", "ecl", "random", "natural", "high-degree")
ALGORITHMS = ("priority", "lexicographic", "luby", "luby-select", "locked", "karp-wigderson", "residual")

Told = tuple[Mask, Facts, dict[str, str]]  # the set, and what is told of how it was found


@click.command("mis")
@graph_file
@click.option("--large", is_flag=True, help="Search for a set near the maximum, and prove a bound. Takes far longer.")
@click.option("--rounds", type=click.IntRange(0), help="For --large: rounds of local search.  [default: 100]")
@click.option(
    "--distance", type=click.IntRange(1), default=1, show_default=True, help="Members are farther apart than that."
)
@click.option(
    "--priority",
    type=click.Choice(PRIORITIES),
    help="Which vertices are taken first.  [default: degree; from --distance 2 on random]",
)
@click.option(
    "--algorithm", type=click.Choice(ALGORITHMS), default="priority", show_default=True, help="How the set is computed."
)
@seed_option
@click.option("--synchronous", is_flag=True, default=None, help="Take rounds until all is decided; the same set.")
@click.option(
    "--adaptive/--no-adaptive",
    default=None,
    help="For luby-select: draw all vertices that are left in late rounds.  [default: adaptive]",
)
@click.option("--info", is_flag=True, help="Also tell rounds and entries looked at; takes longer.")
@click.option("--include", metavar="VERTICES", help="Vertices that must be in: 3,7,10-12 or @FILE.")
@click.option("--exclude", metavar="VERTICES", help="Vertices that may not be in: 3,7,10-12 or @FILE.")
@verify_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the set: .npz (with the vertices' names), .npy, or else one line (0 or 1) a vertex.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    large: bool,
    rounds: int | None,
    distance: int,
    seed: int,
    include: str | None,
    exclude: str | None,
    verify: bool,
    output: str | None,
    **how: Any,
) -> None:
    """Compute a maximal independent set.

    The set is the one a serial greedy pass finds that takes vertices in the order of --priority, unless --algorithm
    names another method, or --distance is more than 1. It does not depend on the number of threads (but with
    --algorithm locked it does).

    With --large the set is nearly as large as possible, and a bound says how far from a maximum it can be. Ctrl-C ends
    the search; the best set so far is the answer.
    """
    from ..parallel import num_threads
    from ..verify import explain, is_maximal_independent_set

    check_output(output, file, as_json)
    strange = given(ctx, "distance", "priority", "algorithm", "synchronous", "adaptive", "info", "exclude")
    if large and strange:
        raise click.UsageError(f"--large has no option {strange}; it has --rounds, --seed and --include")
    if rounds is not None and not large:
        raise click.UsageError("--rounds is an option of --large")
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock)
    n = graph.num_vertices
    included = vertices_from(include, "--include", n)
    excluded = vertices_from(exclude, "--exclude", n)
    if large:
        mask, found, told = _search(graph, clock, rounds, seed, included)
    else:
        mask, found, told = _compute(graph, clock, {"k": distance, **how}, seed, included, excluded)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_maximal_independent_set, graph, mask, distance, exclude=excluded)
    size = int(np.count_nonzero(mask))
    facts: Facts = {
        "file": file,
        "vertices": n,
        "edges": graph.num_edges,
        "distance": distance,
        "size": size,
        "share": size / n if n else None,
        **found,
        "seed": seed,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(mask),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
    }
    if output is not None:
        telling = ("algorithm", *found, "distance", "seed", "size", "crc32")
        made = {name: facts[name] for name in telling if name != "info"}
        write_answer(output, "mask", mask, {"stablegraph": __version__, **made}, graph.nodes)
    lines = {
        "set size": f"{size:,}" + (f"  ({size / n:.1%} of the vertices)" if n else ""),
        **told,
        "verified": "not asked for" if not verify else "yes: independent and maximal" if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)


def _compute(graph: Graph, clock: Clock, how: Facts, seed: int, included: Any, excluded: Any) -> Told:
    """A maximal independent set by one of the algorithms."""
    from ..independent_set import maximal_independent_set

    with_info = how.pop("info")
    how["return_info"] = with_info
    compile_ahead(maximal_independent_set, graph, clock, **how)
    with clock("compute"), working("computing"):
        answer = maximal_independent_set(graph, seed=seed, include=included, exclude=excluded, **how)
    by_priority = how["algorithm"] == "priority"
    order = (how["priority"] or ("degree" if how["k"] == 1 else "random")) if by_priority else how["algorithm"]
    facts: Facts = {"priority": order if by_priority else None, "algorithm": how["algorithm"]}
    lines = {"order": f"{order}, seed {seed}"}
    if not with_info:
        return answer, facts, lines
    mask, info = answer
    lines["rounds"] = f"{info['rounds']:,}" + (f", looking at {info['edges']:,} entries" if "edges" in info else "")
    return mask, {**facts, "info": info}, lines


def _search(graph: Graph, clock: Clock, rounds: int | None, seed: int, included: Any) -> Told:
    """A large independent set, and a bound."""
    from ..independent_set import large_independent_set
    from ..independent_set.large import DEFAULT_ROUNDS, SearchInterrupted

    rounds = DEFAULT_ROUNDS if rounds is None else rounds
    compile_ahead(large_independent_set, graph, clock, rounds=min(rounds, 1))
    with clock("compute"), searching(rounds) as progress:
        try:
            found = large_independent_set(graph, rounds=rounds, seed=seed, include=included, progress=progress)
        except SearchInterrupted as stop:
            found = stop.best
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
