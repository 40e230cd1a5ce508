"""All targets, the case of a number, and cases one after another until the time is up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count, takewhile
from random import Random

import stablegraph as sg

from . import colorings, doors, sets, structure, systems, verifiers
from .cases import Case, draw_run, failure
from .shrinking import kind, shrunk
from .wrong import made_wrong

TARGETS = [target for room in (sets, colorings, structure, verifiers, doors, systems) for target in room.TARGETS]
_WRONG = 0.2  # of the cases of a target whose arguments can be wrong


def drawn(seed: int, number: int) -> Case:
    """The case of a number: targets follow one another."""
    target = TARGETS[number % len(TARGETS)]
    random = Random(f"{seed} {number}")
    given = target.given(random)
    options = target.draw(random, given)
    runs = draw_run(random), draw_run(random)
    if target.kinds and random.random() < _WRONG:
        wrong, options = made_wrong(random, target, given, options)
        return Case(target, given, options, runs, wrong)
    return Case(target, given, options, runs)


def report(seed: int, number: int, case: Case) -> str:
    """What a failing case is, made smaller."""
    small = shrunk(case)
    what = failure(small) or "it does not fail any more: it depends on the schedule"
    again = f"python -m tests.fuzz --seed {seed} --case {number}"
    run = small.runs[1] if what.startswith("another answer") else small.runs[0]
    return f"# {again}\n# {case.target.name}: " + what.replace("\n", "\n# ") + f"\n{small.program(run)}"


def until(seconds: float) -> Iterator[int]:
    """Numbers of cases, from 0 on, until the time is up."""
    end = time.monotonic() + seconds
    return takewhile(lambda _: time.monotonic() < end, count())


def run(
    numbers: Iterable[int], seed: int, only: str | None = None, tell: Callable[[str], object] = print
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
            case = drawn(seed, number)
            counts[target.name] += 1
            what = failure(case)
            if what is not None:
                counts["failed"] += 1
                if (target.name, kind(what)) not in told:
                    told.add((target.name, kind(what)))
                    tell(report(seed, number, case))
    finally:
        sg.set_num_threads(threads)
    return counts
