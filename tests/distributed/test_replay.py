"""The replayed rounds have the same counts as real graphs in partitions."""

from pathlib import Path

import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import supersteps


@pytest.mark.parametrize("partitions", [2, 7])
@pytest.mark.parametrize("make", [lambda: sg.gallery.grid((25, 25)), lambda: sg.gallery.rmat(9, seed=1)])
def test_rounds_and_bytes(quick_client, monkeypatch, make, partitions):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    monkeypatch.setattr(supersteps, "MAX_ENTRIES_OF_ONE_TASK", 0)  # no vertices are finished by one task
    replay = pytest.importorskip("benchmarks.replay")
    graph = make()
    counted = replay.replayed(graph, partitions, replay.ranks(graph))
    split = distributed.from_graph(graph, partitions, client=quick_client)
    _, info = sg.maximal_independent_set(split, return_info=True)
    assert (info["rounds"], info["bytes"]) == (counted["set_rounds"], counted["set_bytes"])
    *_, info = sg.breadth_first_search(split, 0, return_info=True)
    assert (info["rounds"] - 1, info["bytes"]) == (counted["search_rounds"], counted["search_bytes"])
