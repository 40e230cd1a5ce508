"""Compare the pinned answers with those of this code, or pin these: see the package's docstring."""

import argparse
import sys

from .graphs import LISTS
from .lists import differences, keep, made


def main() -> int:
    """Exit code 1 if an answer differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.pins", description=__doc__)
    parser.add_argument("lists", nargs="*", metavar="LIST", help=f"{', '.join(LISTS)}; all of them unless stated")
    parser.add_argument("--write", action="store_true", help="pin the answers of this code")
    arguments = parser.parse_args()
    strange = [name for name in arguments.lists if name not in LISTS]
    if strange:
        parser.error(f"there is no list {strange[0]!r}; there are {', '.join(LISTS)}")
    different = 0
    for name in arguments.lists or LISTS:
        found = made(name)
        if arguments.write:
            keep(name, found)
            print(f"{name}: {len(found)} answers are pinned")
            continue
        lines = differences(name, found)
        print(*lines, f"{name}: {len(found)} answers, {len(lines)} differences", sep="\n")
        different += len(lines)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
