"""Synchronous rounds: the number of vertices that each leaves undecided, and the number of entries that they read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.greedy import order as order_file
from tests.independent_set.greedy import PRIORITIES, SEEDS, oracle
from tests.support import naive
from tests.support.cases import each
from tests.support.remember import remember
from tests.support.zoo import graphs

# -------------------------------------------------------------------------------- synchronous rounds, and counting


@remember
def rounds_of(graph, priority, seed=0, **chosen):
    """Return the oracle's set, and the undecided vertices after each round."""
    keys = naive.priority_key(graph, priority, seed)
    return naive.in_rounds(graph, lambda _: keys, **chosen)


def synchronous(graph, priority, **options):
    """Return the mask as bytes, and all reported values except for the seconds."""
    mask, info = sg.maximal_independent_set(graph, priority=priority, synchronous=True, return_info=True, **options)
    assert min(info.pop("seconds").values()) >= 0
    assert info["rounds"] == len(info["undecided"]) - 1
    return mask.tobytes(), info


@each(pairs=True, priority=PRIORITIES)
def test_synchronous_on_the_zoo(zoo_graph, priority, threads):
    expected, lefts = rounds_of(zoo_graph, priority)
    mask, info = synchronous(zoo_graph, priority)
    assert mask == expected.tobytes() == oracle(zoo_graph, priority).tobytes()
    assert info["undecided"] == [len(remaining) for remaining in lefts]
    assert info["rounds"] <= sg.dependence_depth(zoo_graph, priority=priority)[0]
    seed, workers = ((1, 1), (2, 7), (3, 50))[threads - 1]
    with use_target("python", seed=seed, workers=workers):
        assert synchronous(zoo_graph, priority) == (mask, info)


@given(thing=graphs(), priority=st.sampled_from(PRIORITIES), seed=st.sampled_from(SEEDS), data=st.data())
def test_synchronous_on_any_graph(thing, priority, seed, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    include = np.flatnonzero(oracle(graph, "random", 5, exclude=exclude))[:3].tolist()
    expected, lefts = rounds_of(graph, priority, seed, include=include, exclude=exclude)
    mask, info = synchronous(graph, priority, seed=seed, include=include, exclude=exclude)
    assert mask == expected.tobytes()
    assert info["undecided"] == [len(remaining) for remaining in lefts]


@each(priority=[*PRIORITIES, "values"])
def test_synchronous_on_a_larger_graph(larger, priority, threads):
    order = np.arange(larger.num_vertices) % 97 if priority == "values" else priority
    expected, lefts = rounds_of(larger, order)
    mask, info = synchronous(larger, order)
    assert mask == expected.tobytes()
    assert info["undecided"] == [len(remaining) for remaining in lefts]
    with use_target("cpu", workers=(1, 16, 1000)[threads - 1]):
        assert synchronous(larger, order) == (mask, info)


def test_a_path_by_id_takes_half_as_many_rounds_as_vertices():
    path = gallery.grid((101,))
    mask, info = sg.maximal_independent_set(path, algorithm="lexicographic", synchronous=True, return_info=True)
    assert mask.tolist() == [v % 2 == 0 for v in range(101)]
    assert info["rounds"] == 51
    assert synchronous(path, "natural")[1]["undecided"] == info["undecided"]


@remember
def looks(graph, state, lefts):
    """Return the number of entries that rounds read: four at a time, until one of them has a larger byte."""
    total = 0
    for remaining in lefts[:-1]:
        for v in remaining:
            row = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
            for e in range(0, len(row), 4):
                total += len(row[e : e + 4])
                if any(u in remaining and state[u] > state[v] for u in row[e : e + 4]):
                    break
    return total


@each(priority=PRIORITIES)
def test_entries_are_counted(larger, priority, threads):
    _, info = synchronous(larger, priority)
    mask, lefts = rounds_of(larger, priority)
    state = np.empty(mask.size, np.uint8)
    order_file.write_bytes(order_file.make_order(larger, priority, 0), np.array([0, mask.size]), state)
    assert info["edges"] == looks(larger, state, lefts) + np.diff(larger.indptr)[mask].sum()


@pytest.mark.parametrize("algorithm", [{"algorithm": "luby"}, {"priority": "random"}, {"priority": "natural"}], ids=str)
def test_entries_where_each_look_takes_the_whole_row(algorithm, threads):
    graph = gallery.grid((40, 50))
    mask, info = sg.maximal_independent_set(graph, **algorithm, return_info=True)
    lefts = naive.luby(graph)[1] if "algorithm" in algorithm else rounds_of(graph, algorithm["priority"])[1]
    degrees = graph.degrees
    looked_at = sum(degrees[list(remaining)].sum() for remaining in lefts[: info["rounds"]])
    assert info["edges"] == looked_at + degrees[mask].sum()
