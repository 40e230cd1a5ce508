"""All targets, the case of a number, and cases one after another until the time is up."""

from __future__ import annotations

import math
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice, takewhile
from random import Random

import stablegraph as sg

from . import backends, colorings, doors, others, relations, sets, solvers, structure, sums, systems, verifiers
from .cases import Case, draw_run, failure
from .shrinking import kind, shrunk
from .tiny import COUNT, beside
from .wrong import made_wrong

TARGETS = [
    target
    for room in (sets, colorings, structure, verifiers, doors, systems, others, relations, solvers, sums, backends)
    for target in room.TARGETS
]
_WRONG = 0.2  # of the cases of a target whose arguments can be wrong


def drawn(seed: int, number: int, tiny: int = 0) -> Case | None:
    """The case of a number: targets follow one another, on random graphs, or on so many tiny ones beside each other.

    None if the target does not take the tiny ones, as some are directed.
    """
    target = TARGETS[number % len(TARGETS)]
    random = Random(f"{seed} {number}")
    if tiny:
        first = number // len(TARGETS) * tiny
        given = target.made_of(random, beside(range(first, first + tiny)))
    else:
        given = target.given(random)
    if given is None:
        return None
    options = target.draw(random, given)
    runs = draw_run(random, given.n), draw_run(random, given.n)
    if target.kinds and not tiny and random.random() < _WRONG:
        wrong, options = made_wrong(random, target, given, options)
        return Case(target, given, options, runs, wrong)
    return Case(target, given, options, runs)


def report(seed: int, number: int, case: Case, tiny: int = 0) -> str:
    """What a failing case is, made smaller."""
    small = shrunk(case)
    what = failure(small) or "it does not fail any more: it depends on the schedule"
    again = f"python -m tests.fuzz --seed {seed} --case {number}" + (f" --tiny {tiny}" if tiny else "")
    run = small.runs[1] if what.startswith("another answer") else small.runs[0]
    return f"# {again}\n# {case.target.name}: " + what.replace("\n", "\n# ") + f"\n{small.program(run)}"


def share_of(numbers: Iterable[int], share: int, jobs: int, turns: int) -> Iterator[int]:
    """Of rounds in which each function has its turn, every so-manieth: all shares have work of all kinds."""
    return (number for number in numbers if number // turns % jobs == share)


def until(seconds: float, numbers: Iterable[int]) -> Iterator[int]:
    """Numbers of cases until the time is up."""
    end = time.monotonic() + seconds
    return takewhile(lambda _: time.monotonic() < end, numbers)


def campaign(arguments: Namespace, share: int) -> Counter[str]:
    """A share of the cases that the command line asks for, until the time is up; counts as of `run`."""
    tiny = arguments.tiny
    numbers = islice(all_tiny(tiny) if tiny else count(), arguments.first, None)
    numbers = share_of(numbers, share, arguments.jobs, len(TARGETS))
    seconds = arguments.seconds or (math.inf if tiny else 30)
    return run(until(seconds, numbers), arguments.seed, arguments.only, lambda text: print(text, flush=True), tiny)


def all_tiny(tiny: int) -> range:
    """The numbers of cases of all tiny graphs, so many beside each other."""
    return range(-(-COUNT // tiny) * len(TARGETS))


def run(
    numbers: Iterable[int],
    seed: int,
    only: str | None = None,
    tell: Callable[[str], object] = print,
    tiny: int = 0,
) -> Counter[str]:
    """The cases of these numbers; how many each target had, and as "failed" how many failed.

    Of cases of one target that fail in the same way, the first is told.
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
                    tell(report(seed, number, case, tiny))
    finally:
        sg.set_num_threads(threads)
    return counts
