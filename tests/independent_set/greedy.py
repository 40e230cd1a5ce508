"""What the tests of greedy sets share: the orders, and the serial greedy set as the oracle."""

import re
import zlib
from typing import get_args

from stablegraph import names
from tests.support import naive

PRIORITIES = get_args(names.Priority)
ALGORITHMS = get_args(names.SetAlgorithm)
SEEDS = [0, 1, 2**32 - 1]


def oracle(graph, priority="degree", seed=0, **chosen):
    return naive.greedy_independent_set(graph, naive.priority_key(graph, priority, seed), **chosen)


def crc(mask):
    assert mask.dtype == bool
    return zlib.crc32(mask.tobytes())


def numbers_in(error):
    return {int(number) for number in re.findall(r"\d+", str(error.value))}
