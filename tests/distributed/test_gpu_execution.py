"""Steps on GPUs. Without a GPU, arrays that must not be mixed with those of the host replace CuPy's."""

import gc
import os
import pickle

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import gpu_execution
from stablegraph.cluster.problems import sweep as partitioned_sweep
from tests.support.cases import each
from tests.support.fake_cupy import FakeArray, Runtime, install_fake_cupy
from tests.support.partitioned import CALLS, OF_ARCS, arcs_of, checksum, fetched
from tests.support.zoo import HARD, ZOO

ON_GPUS = [name for name in CALLS if "forest" not in name]


@pytest.fixture
def kernels_run(monkeypatch):
    """Return the list of the kernels that run on the GPU from now on."""
    return install_fake_cupy(monkeypatch)


@each(call=ON_GPUS)
def test_the_same_answers(hard_graph, client, quick_client, little, kernels_run, call):
    """Tasks run twice on the graphs with loops and repeated entries."""
    if len(hard_graph) not in (6, 300) and (little == "finished" or len(hard_graph) > 50):
        pytest.skip("loops, repeated entries and hubs are enough for a task that finishes the remaining vertices")
    kernels_run.clear()
    client = client if len(hard_graph) == 6 else quick_client
    answer = CALLS[call](distributed.from_graph(hard_graph, 3, client=client))
    assert checksum(fetched(answer)) == checksum(CALLS[call](hard_graph))
    assert kernels_run


@pytest.mark.parametrize("call", OF_ARCS)
def test_the_same_answers_with_directions(client, kernels_run, call):
    graph = arcs_of(sg.as_graph(ZOO["skewed"]))
    answer = OF_ARCS[call](distributed.from_graph(graph, 3, directed=True, client=client))
    assert checksum(fetched(answer)) == checksum(OF_ARCS[call](graph))


@pytest.mark.parametrize("call", ["set by random", "colors, random"])
def test_long_chains_are_followed_by_a_thread(client, kernels_run, monkeypatch, call):
    rests, by_one = [], partitioned_sweep._settle_on_one_thread

    def noted(attempt, part, remaining, *others):
        rests.append(remaining)
        by_one(attempt, part, remaining, *others)

    monkeypatch.setattr(partitioned_sweep, "_settle_on_one_thread", noted)
    monkeypatch.setattr(partitioned_sweep, "_STALLED", 0)
    graph = sg.gallery.grid((400,))
    answer = CALLS[call](distributed.from_graph(graph, 2, client=client))
    assert checksum(fetched(answer)) == checksum(CALLS[call](graph))
    assert rests and all(isinstance(remaining, np.ndarray) for remaining in rests)


def test_how_many_steps_are_on_gpus(client, monkeypatch):
    split = distributed.from_graph(sg.gallery.grid((30, 30)), 2, client=client)
    mask, info = sg.maximal_independent_set(split, return_info=True)
    assert info["on_gpus"] == 0
    install_fake_cupy(monkeypatch)
    again, info = sg.maximal_independent_set(split, return_info=True)
    assert info["on_gpus"] > 0
    assert checksum(fetched(again)) == checksum(fetched(mask))


def test_memory_that_is_too_small(client, kernels_run, monkeypatch):
    graph = sg.gallery.grid((30, 30))

    def is_full(array):
        raise MemoryError("none is left")

    monkeypatch.setattr(gpu_execution.cupy_module(), "asarray", is_full, raising=False)
    colors, info = sg.vertex_coloring(distributed.from_graph(graph, 2, client=client), reduce="none", return_info=True)
    assert checksum(fetched(colors)) == checksum(sg.vertex_coloring(graph, reduce="none"))
    assert info["on_gpus"] == 0


@each(error=["CUDA_ERROR_OUT_OF_MEMORY: out of memory", "cudaErrorMemoryAllocation: out of memory"])
def test_a_second_try_without_copies_of_others(client, kernels_run, monkeypatch, error):
    graph, refused = sg.gallery.grid((30, 30)), []

    def is_full_once(value):
        if not refused:
            refused.append(value)
            raise RuntimeError(error)
        return FakeArray(np.array(value))

    monkeypatch.setattr(gpu_execution.cupy_module(), "asarray", is_full_once, raising=False)
    mask, info = sg.maximal_independent_set(distributed.from_graph(graph, 2, client=client), return_info=True)
    assert checksum(fetched(mask)) == checksum(sg.maximal_independent_set(graph))
    assert refused and info["on_gpus"] > 0


def test_colorings_with_long_rows_are_for_threads(client, kernels_run):
    star = sg.from_edges(np.zeros(20_000, int), np.arange(1, 20_001), symmetrize=True)
    colors, info = sg.vertex_coloring(distributed.from_graph(star, 2, client=client), reduce="none", return_info=True)
    assert checksum(fetched(colors)) == checksum(sg.vertex_coloring(star, reduce="none"))
    assert info["on_gpus"] == 1  # of the partition without the center


def test_errors_that_are_not_of_memory_are_told(client, kernels_run, monkeypatch):
    def wrong(array):
        raise RuntimeError("an error of another kind")

    monkeypatch.setattr(gpu_execution.cupy_module(), "asarray", wrong, raising=False)
    with pytest.raises(RuntimeError, match="of another kind"):
        sg.maximal_independent_set(distributed.from_graph(sg.gallery.grid((3, 3)), 2, client=client))


def test_copies_are_kept_while_there_is_room(kernels_run, monkeypatch):
    graphs, copies = [sg.gallery.grid((20, 20)) for _ in range(3)], gpu_execution._Copies()
    first = copies.of(graphs[0])
    assert isinstance(first.indices, FakeArray)
    assert copies.of(graphs[0]) is first
    assert copies.original(first) is graphs[0]
    monkeypatch.setattr(Runtime, "memory", 5 * (graphs[0].indptr.nbytes + graphs[0].indices.nbytes))
    for graph in graphs:
        copies.of(graph)
    assert copies.original(first) is None
    assert len(copies._copies) == 2
    second = copies.of(graphs[1])
    del graphs[2:], graph
    gc.collect()
    assert copies.of(graphs[0]) is not first
    assert copies.original(second) is graphs[1] and len(copies._copies) == 2


def test_a_state_that_is_sent_has_the_arrays_of_the_host(kernels_run):
    state = gpu_execution.to_device({"a": (np.arange(3), None, 5), "b": [sg.gallery.grid((3, 3))]})
    assert isinstance(state["a"][0], FakeArray)
    sent = pickle.loads(pickle.dumps(gpu_execution.OnGpu(state)))
    assert sent["a"][0].tolist() == [0, 1, 2] and sent["a"][1:] == (None, 5)
    assert sent["b"] == [sg.gallery.grid((3, 3))]


@pytest.mark.parametrize("named", [None, "", "-1", "NoDevFiles", "0", "1,0"])
def test_which_workers_have_gpus(monkeypatch, named):
    monkeypatch.setattr(gpu_execution, "cuda_available", lambda: True)
    if named is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    assert gpu_execution.has_gpu.__wrapped__() == (named in ("0", "1,0"))


@pytest.fixture
def on_a_gpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES") or "0")
    gpu_execution.has_gpu.cache_clear()
    yield
    gpu_execution.has_gpu.cache_clear()


@pytest.mark.gpu
@each(name=HARD, call=[*ON_GPUS, *OF_ARCS])
def test_the_same_answers_of_a_gpu(client, little, on_a_gpu, call, name):
    graph = sg.as_graph(ZOO[name])
    run, directed = (CALLS | OF_ARCS)[call], call in OF_ARCS
    graph = arcs_of(graph) if directed else graph
    answer = run(distributed.from_graph(graph, 3, directed=directed, client=client))
    assert checksum(fetched(answer)) == checksum(run(graph))


@pytest.mark.gpu
def test_workers_with_gpus(on_a_gpu):
    from distributed import Client

    graph = sg.gallery.uniform_random(1 << 15, 4)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        split = distributed.from_graph(graph, 4, client=client)
        for call in ON_GPUS:
            answer = CALLS[call](split)
            assert checksum(fetched(answer)) == checksum(CALLS[call](graph)), call
        _, info = sg.maximal_independent_set(split, return_info=True)
        assert info["on_gpus"] > 0
