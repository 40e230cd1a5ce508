"""Command line of the fuzzer; see the package's docstring."""

import argparse
import json
import sys
import time
from collections import Counter
from functools import partial

from .. import conftest  # noqa: F401, three threads also on two cores
from ..support.jobs import in_processes, prepare
from . import large
from .cases import failure
from .run import TARGETS, campaign, drawn, report


def main() -> int:
    """Run the fuzzer; return exit code 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long (30; with --tiny, until all were tried)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other cases (0)")
    parser.add_argument("--only", choices=[target.name for target in TARGETS], metavar="NAME", help="one function")
    parser.add_argument("--case", type=int, help="only the case with this number")
    parser.add_argument("--tiny", type=int, default=0, metavar="K", help="all tiny graphs, K of them combined per case")
    parser.add_argument("--large", type=int, default=0, metavar="N", help="graphs of up to N vertices")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="NUMBER", help="the first case (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that share the cases (1)")
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
    prepare()
    work = large.campaign if arguments.large else campaign
    shares, crashed = in_processes(partial(work, arguments), arguments.jobs)
    counts = sum(shares, Counter())
    failed = counts.pop("failed", 0)
    if arguments.counts:
        names = ("seed", "tiny", "large", "first", "only", "jobs")
        line = {name: getattr(arguments, name) for name in names} | {"seconds": round(time.monotonic() - started)}
        with open(arguments.counts, "a") as file:
            print(json.dumps(line | {"cases": counts, "failed": failed, "crashed": len(crashed)}), file=file)
    print(*crashed, sep="\n", end="\n" if crashed else "")
    print(f"{counts.total()} cases of {len(counts)} functions, seed {arguments.seed}: {failed} failed")
    return int(failed > 0 or bool(crashed))


if __name__ == "__main__":
    sys.exit(main())
