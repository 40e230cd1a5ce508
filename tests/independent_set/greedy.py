"""Common code of the tests of greedy sets: the orders, the serial greedy set as the oracle, and conditions."""

import re
import zlib
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from stablegraph._core import option_names as names
from tests.support import naive
from tests.support.remember import remember

PRIORITIES = get_args(names.Priority)
ALGORITHMS = get_args(names.SetAlgorithm)
SEEDS = [0, 1, 2**32 - 1]


@remember
def oracle(graph, priority="degree", seed=0, **chosen):
    return naive.greedy_independent_set(graph, naive.priority_key(graph, priority, seed), **chosen)


def draw_conditions(data, graph):
    """Draw compatible vertices that must be in a set, and vertices that must not."""
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    members = np.flatnonzero(oracle(graph, "random", data.draw(st.integers(0, 9)), exclude=exclude)).tolist()
    return members[: data.draw(st.integers(0, n))], exclude


def crc(mask):
    assert mask.dtype == bool
    return zlib.crc32(mask.tobytes())


def numbers_in(error):
    return {int(number) for number in re.findall(r"\d+", str(error.value))}
