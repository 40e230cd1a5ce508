"""What the tests of greedy sets share: the orders, the serial greedy set as the oracle, conditions, and runs."""

import re
import zlib

import numpy as np
from hypothesis import strategies as st

from stablegraph.independent_set.history import History
from tests.support import naive

PRIORITIES = ["degree", "ecl", "random", "natural", "high_degree"]
ALGORITHMS = ["priority", "lexicographic", "luby", "luby_select", "locked", "karp_wigderson", "residual"]
SEEDS = [0, 1, 2**32 - 1]


def oracle(graph, priority="degree", seed=0, **chosen):
    return naive.greedy_independent_set(graph, naive.priority_key(graph, priority, seed), **chosen)


def draw_conditions(data, graph):
    """Some vertices that must be in a set and can be in one, and others that must not."""
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    members = np.flatnonzero(oracle(graph, "random", data.draw(st.integers(0, 9)), exclude=exclude)).tolist()
    return members[: data.draw(st.integers(0, n))], exclude


def run(algorithm, graph, include=(), exclude=(), **options):
    """The set by the file of an algorithm, and what its history tells."""
    included, excluded = (np.array(sorted(vertices), graph.indices.dtype) for vertices in (include, exclude))
    history = History()
    mask, info = algorithm.independent_set(graph, included, excluded, history, **options), history.info()
    assert mask.dtype == bool and mask.shape == (graph.num_vertices,)
    assert info["rounds"] == len(info["undecided"]) - 1
    assert info["undecided"][0] == graph.num_vertices
    assert min(info["seconds"].values()) >= 0
    return mask, info


def crc(mask):
    assert mask.dtype == bool
    return zlib.crc32(mask.tobytes())


def numbers_in(error):
    return {int(number) for number in re.findall(r"\d+", str(error.value))}
