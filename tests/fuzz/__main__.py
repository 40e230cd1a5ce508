"""The command line of the fuzzer: see the package's docstring."""

import argparse
import sys

from .. import conftest  # noqa: F401, three threads also on two cores
from .cases import failure
from .run import TARGETS, drawn, report, run, until


def main() -> int:
    """Exit code 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="how long (30)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other cases (0)")
    parser.add_argument("--only", choices=[target.name for target in TARGETS], metavar="NAME", help="one function")
    parser.add_argument("--case", type=int, help="the case of this number alone")
    arguments = parser.parse_args()
    if arguments.case is not None:
        case = drawn(arguments.seed, arguments.case)
        failed = failure(case) is not None
        print(report(arguments.seed, arguments.case, case) if failed else case.program(case.runs[0]))
        return int(failed)
    counts = run(until(arguments.seconds), arguments.seed, arguments.only, lambda text: print(text, flush=True))
    failed = counts.pop("failed", 0)
    print(f"{counts.total()} cases of {len(counts)} functions, seed {arguments.seed}: {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
