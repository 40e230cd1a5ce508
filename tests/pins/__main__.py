"""Command line of the pinned answers: compare or rewrite them; see the package's docstring."""

import argparse
import contextlib
import math
import sys
import time

from ..support.emulated_cuda import emulated_cuda
from .calls import PARTITIONS
from .graphs import LISTS
from .lists import computed, differences, keep


def main() -> int:
    """Compare or rewrite the lists; return exit code 1 if an answer differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.pins", description=__doc__)
    parser.add_argument("lists", nargs="*", metavar="LIST", help=f"{', '.join(LISTS)}; all of them by default")
    parser.add_argument("--write", action="store_true", help="pin the answers of this code")
    parser.add_argument(
        "--device",
        choices=["cpu", "cuda", "emulated", "cards", "partitions"],
        default="cpu",
        help="where answers are found; cards: several emulated GPUs",
    )
    parser.add_argument(
        "--part", type=int, nargs=2, default=(0, 1), metavar=("I", "K"), help="every K-th call from I on"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="how long, at most")
    arguments = parser.parse_args()
    strange = [name for name in arguments.lists if name not in LISTS]
    if strange:
        parser.error(f"there is no list {strange[0]!r}; there are {', '.join(LISTS)}")
    different = 0
    for name in arguments.lists or LISTS:
        is_emulated = arguments.device in ("emulated", "cards")
        with emulated_cuda(cards=PARTITIONS) if is_emulated else contextlib.nullcontext():
            device = "cpu" if arguments.device == "emulated" else arguments.device
            actual = computed(name, device, tuple(arguments.part), time.monotonic() + arguments.seconds)
        if arguments.write:
            keep(name, actual)
            print(f"{name}: {len(actual)} answers are pinned")
            continue
        partly = device != "cpu" or tuple(arguments.part) != (0, 1) or arguments.seconds < math.inf
        lines = differences(name, actual, partly=partly)
        print(*lines, f"{name}: {len(actual)} answers, {len(lines)} differences", sep="\n")
        different += len(lines)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
