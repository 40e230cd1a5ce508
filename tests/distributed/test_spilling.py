"""Partitions that fill the memory of workers are stored in files: the answers are the same, and no file remains."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import on_disk, workers
from stablegraph.cluster.on_disk import OnDisk, loaded_arguments, on_disk_of


@pytest.fixture
def short_of_memory(client, monkeypatch):
    """Return a client whose worker keeps all partitions on disk in spite of its memory."""
    monkeypatch.setattr(client, "scheduler_info", lambda: {"workers": {"a": {"memory_limit": 10**9}}})
    monkeypatch.setattr(workers, "_MAX_HELD", 0.0)
    return client


def test_a_value_on_disk_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("stablegraph.cluster.on_disk._folder", lambda: str(tmp_path))
    arrays = {"a": np.arange(1000), "b": np.arange(7, dtype=np.int8), "none": None, "empty": np.empty(0), "text": "t"}
    kept = OnDisk(arrays)
    assert not list(tmp_path.iterdir())  # the file has no name
    assert kept.nbytes == 8000 + 64
    for one in (kept, pickle.loads(pickle.dumps(kept))):
        assert isinstance(one, OnDisk)
        with loaded_arguments((one, 5)) as (value, number):
            assert number == 5
            assert value.keys() == arrays.keys()
            assert all(np.array_equal(value[name], arrays[name]) for name in arrays)
            assert not value["a"].flags.writeable
        assert np.array_equal(one.value["a"], arrays["a"])  # also after its pages were released
    a = kept.value["a"]
    del kept, value, one
    assert a[-1] == 999  # an array keeps its file open


def test_arrays_of_another_file_stay_there():
    first = OnDisk({"a": np.arange(1000), "b": np.arange(500)})
    second = OnDisk({"a": first.value["a"], "part": first.value["b"][100:200], "new": np.arange(8)}, [first])
    third = OnDisk({**second.value, "empty": np.empty(0)}, [second])
    assert (second.nbytes, third.nbytes) == (64, 0)
    assert OnDisk(second.value).nbytes == 8000 + 832 + 64  # their file is not passed
    del first, second
    for one in (third, pickle.loads(pickle.dumps(third))):
        with loaded_arguments(([one], one)) as ([value], same):
            assert value is same
            assert np.array_equal(value["a"], np.arange(1000))
            assert np.array_equal(value["part"], np.arange(100, 200))
            assert np.array_equal(value["new"], np.arange(8))


def test_partitions_on_disk_give_the_same(short_of_memory, partitions):
    home = sg.gallery.uniform_random(300, 3, seed=5)
    graph = distributed.uniform_random(300, 3, 5, partitions, client=short_of_memory)
    assert graph.is_on_disk
    assert all(isinstance(part, OnDisk) for part in short_of_memory.gather(graph.parts))
    assert graph.to_graph() == home
    assert distributed.from_graph(home, partitions, client=short_of_memory).to_graph() == home
    assert np.array_equal(sg.maximal_independent_set(graph).compute(scheduler="sync"), sg.maximal_independent_set(home))
    result, wanted = sg.breadth_first_search(graph, 0), sg.breadth_first_search(home, 0)
    for one, other in zip(result, wanted, strict=True):
        assert np.array_equal(one.compute(scheduler="sync"), other)
    assert sg.is_bfs_tree(graph, 0, *result)
    assert np.array_equal(graph.degrees.compute(scheduler="sync"), home.degrees)


def test_what_is_on_disk_is_not_spilled_again(tmp_path):
    """Dask spills the least recently used values, whatever their size; opening a value counts as use."""
    from distributed.spill import SpillBuffer

    worker = SimpleNamespace(data=SpillBuffer(str(tmp_path), target=20_000))
    worker.data["kept"] = OnDisk(np.arange(5))
    worker.data["state 0"] = np.ones(1800)
    on_disk._mark_as_used(worker)
    worker.data["state 1"] = np.ones(1500)
    assert list(worker.data.disk) == ["state 0"]
    assert [key for key, _ in on_disk_of(worker)] == ["kept"]


def test_what_fits_stays_in_memory(client, monkeypatch):
    assert not distributed.grid((5, 5), 2, client=client).is_on_disk  # the memory limit is unknown
    limits = {"workers": {"a": {"memory_limit": 1000}, "b": {"memory_limit": 2000}}}
    monkeypatch.setattr(client, "scheduler_info", lambda: limits)
    largest = 0.6 * 1000 * workers._MAX_HELD
    assert not workers.do_not_fit(client, [largest / 2] * 4)
    assert workers.do_not_fit(client, [largest / 2, largest / 2 + 1, 0, 0])
