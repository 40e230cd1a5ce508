"""The command line of the fuzzer: see the package's docstring."""

import argparse
import json
import math
import sys
import time
from collections import Counter
from itertools import count

from .. import conftest  # noqa: F401, three threads also on two cores
from . import large
from .cases import failure
from .run import TARGETS, all_tiny, drawn, report, run, until


def main() -> int:
    """Exit code 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long (30; with --tiny, until all were tried)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other cases (0)")
    parser.add_argument("--only", choices=[target.name for target in TARGETS], metavar="NAME", help="one function")
    parser.add_argument("--case", type=int, help="the case of this number alone")
    parser.add_argument(
        "--tiny", type=int, default=0, metavar="K", help="all tiny graphs, K at a time beside each other"
    )
    parser.add_argument("--large", type=int, default=0, metavar="N", help="graphs of up to N vertices")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="NUMBER", help="the first case (0)")
    parser.add_argument("--counts", metavar="FILE", help="add a JSON line there: how many cases each function had")
    arguments = parser.parse_args()
    seed, tiny = arguments.seed, arguments.tiny
    if arguments.case is not None:
        case = drawn(seed, arguments.case, tiny)
        if case is None:
            parser.error("this function takes no directed graph: there is no such case")
        failed = failure(case) is not None
        print(report(seed, arguments.case, case, tiny) if failed else case.program(case.runs[0]))
        return int(failed)
    started = time.monotonic()
    if arguments.large:
        counts, failed = _run_large(arguments)
        return _ended(counts, failed, arguments, started)
    seconds = arguments.seconds or (math.inf if tiny else 30)
    numbers = until(seconds, all_tiny(tiny) if tiny else count(), arguments.first)
    counts = run(numbers, seed, arguments.only, lambda text: print(text, flush=True), tiny)
    return _ended(counts, counts.pop("failed", 0), arguments, started)


def _run_large(arguments: argparse.Namespace) -> tuple[Counter[str], int]:
    """Shapes in turn, until the time is up: how many of each, and how many failed."""
    counts: Counter[str] = Counter()
    failed = 0
    for number in until(arguments.seconds or 30, count(), arguments.first):
        shape, n, seed = large.case(arguments.seed, number, arguments.large)
        told = large.report(shape, n, seed)
        counts[shape] += 1
        if told is not None:
            failed += 1
            print(told, flush=True)
    return counts, failed


def _ended(counts: Counter[str], failed: int, arguments: argparse.Namespace, started: float) -> int:
    """Tell and keep how many cases there were; the exit code."""
    if arguments.counts:
        options = {name: getattr(arguments, name) for name in ("seed", "tiny", "large", "first", "only")}
        line = options | {"seconds": round(time.monotonic() - started)}
        with open(arguments.counts, "a") as file:
            print(json.dumps(line | {"cases": counts, "failed": failed}), file=file)
    print(f"{counts.total()} cases of {len(counts)} functions, seed {arguments.seed}: {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
