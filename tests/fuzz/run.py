"""All targets, the case of a number, and runs of cases until the time is up."""

from __future__ import annotations

import math
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice, takewhile
from random import Random

import stablegraph as sg

from . import (
    backends,
    colorings,
    conversions,
    derivatives,
    gpus,
    laplacians,
    matchings,
    miscellaneous,
    relations,
    sets,
    solvers,
    structure,
    sums,
    systems,
    verifiers,
)
from .cases import Case, draw_run, failure
from .invalid_arguments import made_wrong
from .shrinking import kind, shrunk
from .tiny import COUNT, beside

TARGETS = [
    target
    for room in (
        sets,
        colorings,
        structure,
        matchings,
        verifiers,
        conversions,
        laplacians,
        derivatives,
        systems,
        miscellaneous,
        relations,
        solvers,
        sums,
        backends,
        gpus,
    )
    for target in room.TARGETS
]
_WRONG = 0.2  # fraction of the cases of a target whose arguments can be wrong


def drawn(seed: int, number: int, tiny: int = 0) -> Case | None:
    """Draw the case of a number; the targets alternate.

    The graph is random, or consists of `tiny` disjoint tiny graphs. Return None if the target does not accept the tiny
    graphs because some of them are directed.
    """
    target = TARGETS[number % len(TARGETS)]
    random = Random(f"{seed} {number}")
    if tiny:
        first = number // len(TARGETS) * tiny
        input_graph = target.made_of(random, beside(range(first, first + tiny)))
    else:
        input_graph = target.input_graph(random)
    if input_graph is None:
        return None
    options = target.draw(random, input_graph)
    runs = draw_run(random, input_graph.n), draw_run(random, input_graph.n)
    if target.kinds and not tiny and random.random() < _WRONG:
        wrong, options = made_wrong(random, target, input_graph, options)
        return Case(target, input_graph, options, runs, wrong)
    return Case(target, input_graph, options, runs)


def report(seed: int, number: int, case: Case, tiny: int = 0) -> str:
    """Describe a failing case, after shrinking it."""
    small = shrunk(case)
    what = failure(small) or "it does not fail any more: it depends on the schedule"
    again = f"python -m tests.fuzz --seed {seed} --case {number}" + (f" --tiny {tiny}" if tiny else "")
    run = small.runs[1] if what.startswith("another answer") else small.runs[0]
    return f"# {again}\n# {case.target.name}: " + what.replace("\n", "\n# ") + f"\n{small.program(run)}"


def share_of(numbers: Iterable[int], share: int, jobs: int, turns: int) -> Iterator[int]:
    """Divide numbers among jobs, such that every job gets cases of each of the `turns` functions."""
    return (number for number in numbers if number // turns % jobs == share)


def until(seconds: float, numbers: Iterable[int]) -> Iterator[int]:
    """Yield numbers of cases until the time is up."""
    end = time.monotonic() + seconds
    return takewhile(lambda _: time.monotonic() < end, numbers)


def campaign(arguments: Namespace, share: int) -> Counter[str]:
    """Run one process's part of the requested cases until the time is up; return the counts of `run`."""
    tiny = arguments.tiny
    numbers = islice(all_tiny(tiny) if tiny else count(), arguments.first, None)
    numbers = share_of(numbers, share, arguments.jobs, len(TARGETS))
    seconds = arguments.seconds or (math.inf if tiny else 30)
    return run(until(seconds, numbers), arguments.seed, arguments.only, lambda text: print(text, flush=True), tiny)


def all_tiny(tiny: int) -> range:
    """Return the numbers of the cases of all tiny graphs, `tiny` of them per case."""
    return range(-(-COUNT // tiny) * len(TARGETS))


def run(
    numbers: Iterable[int],
    seed: int,
    only: str | None = None,
    report_line: Callable[[str], object] = print,
    tiny: int = 0,
) -> Counter[str]:
    """Run the cases of these numbers; count them by target, and the failures as "failed".

    Of several cases of one target that fail in the same way, the first is reported.
    """
    counts: Counter[str] = Counter()
    told: set[tuple[str, str | None]] = set()
    threads = sg.num_threads()
    try:
        for number in numbers:
            target = TARGETS[number % len(TARGETS)]
            if only not in (None, target.name):
                continue
            case = drawn(seed, number, tiny)
            if case is None:
                continue
            counts[target.name] += 1
            what = failure(case)
            if what is not None:
                counts["failed"] += 1
                if (target.name, kind(what)) not in told:
                    told.add((target.name, kind(what)))
                    report_line(report(seed, number, case, tiny))
    finally:
        sg.set_num_threads(threads)
    return counts
