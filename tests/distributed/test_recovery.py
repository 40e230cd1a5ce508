"""Killed workers, tasks that finish in any order, and abandoned computations."""

import math
import os
import random
import signal
import subprocess
import sys
import threading
import time

import dask
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import supersteps
from tests.support.cases import each

from ..killed_workers import Killing, cluster_of_processes, kill_workers, result_of
from ..support.partitioned import CALLS, OF_ARCS, arcs_of, checksum, fetched, weighted

GRAPH = weighted(sg.gallery.rmat(10, seed=6))
QUICK = ["set by degree"]  # the other calls run if slow tests are requested


def _mostly_slow(call):
    return pytest.param(call, marks=() if call in QUICK else pytest.mark.slow)


def _kill_one(client):
    """Kill the worker process that stores the most keys."""
    held = {address: len(keys) for address, keys in client.has_what().items()}
    pids = client.run(os.getpid)
    os.kill(pids[max(held, key=held.get)], signal.SIGKILL)


@each(time_of_death=[1, 2, 3])
@pytest.mark.parametrize("call", [_mostly_slow(call) for call in [*CALLS, *OF_ARCS]])
def test_a_worker_is_killed(processes_cluster, call, time_of_death):
    client = processes_cluster
    client.wait_for_workers(2)
    directed = call in OF_ARCS
    run, at_home = (OF_ARCS[call], arcs_of(GRAPH)) if directed else (CALLS[call], GRAPH)
    graph = distributed.from_graph(at_home, 4, directed=directed, client=client)
    killed = []

    def kill(name, rounds, remaining):
        if rounds >= min(time_of_death, 2) and not killed:
            killed.append(rounds)
            threading.Timer(0.01 * time_of_death, _kill_one, [client]).start()

    graph.progress = kill
    assert checksum(fetched(run(graph))) == checksum(run(at_home))
    assert killed


@pytest.mark.slow
def test_a_worker_is_killed_while_tables_are_read_and_written(processes_cluster, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    client = processes_cluster
    u, v = GRAPH._rows(), GRAPH.indices
    pq.write_table(pa.table({"source": u, "target": v}), tmp_path / "edges.parquet", row_group_size=2000)
    wanted = sg.from_table(pq.read_table(tmp_path / "edges.parquet"))
    killer = threading.Timer(0.3, _kill_one, [client])
    killer.start()
    graph = distributed.from_table(tmp_path / "edges.parquet", partitions=6, client=client)
    killer.join()
    assert graph.to_graph() == wanted
    killer = threading.Timer(0.05, _kill_one, [client])
    killer.start()
    distributed.to_parquet(graph, tmp_path / "answer", degree=graph.degrees)
    killer.join()
    assert pq.read_table(tmp_path / "answer")["degree"].to_pylist() == wanted.degrees.tolist()


@each(moment=["while a function runs", "before its answer is fetched"])
def test_all_workers_are_killed_at_once(separate_cluster, moment):
    """The nannies start new workers, at other addresses."""
    separate_cluster.wait_for_workers(2)
    graph, killed = distributed.from_graph(GRAPH, 4, client=separate_cluster), []

    def kill(name, rounds, remaining):
        if rounds == 2:
            killed.append(kill_workers(separate_cluster))

    graph.progress = kill if moment == "while a function runs" else None

    def call():
        answer = sg.connected_components(graph)
        if not killed:
            killed.append(kill_workers(separate_cluster))
        return checksum(fetched(answer))

    assert result_of(call) == checksum(sg.connected_components(GRAPH))
    assert killed == [2]


def test_no_worker_comes_back(separate_cluster):
    """Raise an error after a configurable time; with new workers the same graph works."""
    client, killed = separate_cluster, []
    graph = distributed.from_graph(GRAPH, 4, client=client)

    def end(name, rounds, remaining):
        for nanny in client.cluster.workers.values():
            nanny.close_gracefully()  # starts no new worker
        killed.append(kill_workers(client))

    graph.progress = end
    with (
        dask.config.set({"stablegraph.no-workers-timeout": "500 ms"}),
        pytest.raises(TimeoutError, match=r"no worker for 0.5 s; start workers and .* or set stablegraph.no-workers-t"),
    ):
        result_of(lambda: sg.maximal_independent_set(graph))
    assert killed == [2]
    graph.progress = None
    client.cluster.scale(4)
    assert result_of(lambda: checksum(fetched(CALLS["set by degree"](graph)))) == checksum(
        CALLS["set by degree"](GRAPH)
    )


def test_the_soak_sees_a_wrong_answer(client):
    killing = Killing(client, kills=0, seconds=0, seed=0)
    with dask.config.set(scheduler="sync"):
        killing.call("components", False, CALLS["components"], checksum(sg.connected_components(killing.whole)))
        killing.call("search", False, CALLS["search"], "another")
    assert (killing.calls, killing.right) == (2, 1)
    assert [wrong.partition(", is ")[0] for wrong in killing.wrong] == ["search: was another"]


@pytest.mark.slow
def test_two_hundred_kills():
    with cluster_of_processes() as client:
        killing = Killing(client, kills=200, seconds=math.inf, seed=0)
        killing.run()
    assert (killing.wrong, killing.done, killing.right) == ([], 200, killing.calls)


def test_tasks_finish_in_any_order(threads_cluster, monkeypatch):
    step, delays = supersteps.run_step, random.Random(5)

    def late(*arguments):
        time.sleep(delays.random() / 50)
        return step(*arguments)

    monkeypatch.setattr(supersteps, "run_step", late)
    graph = distributed.from_graph(GRAPH, 3, client=threads_cluster)
    for call in ("set by degree", "components", "search", "colors by degree and hash"):
        assert checksum(fetched(CALLS[call](graph))) == checksum(CALLS[call](GRAPH))


def test_what_is_given_up_leaves_nothing_behind(threads_cluster):
    graph = distributed.from_graph(GRAPH, 3, client=threads_cluster)

    def give_up(name, rounds, remaining):
        if rounds == 2:
            raise KeyboardInterrupt

    graph.progress = give_up
    with pytest.raises(KeyboardInterrupt):
        sg.maximal_independent_set(graph)
    graph.progress = None
    _wait_until(lambda: not any(_is_ours(key, "mis") for key in _keys(threads_cluster)))
    assert sg.is_maximal_independent_set(graph, sg.maximal_independent_set(graph))


_CLIENT = """
import sys, stablegraph as sg
from distributed import Client
client = Client(sys.argv[1])
graph = sg.distributed.grid((300, 300), 4, client=client)
print("begun", flush=True)
while True:
    sg.breadth_first_search(graph, 0)
"""


@pytest.mark.slow
def test_a_client_is_killed(processes_cluster):
    with subprocess.Popen(
        [sys.executable, "-c", _CLIENT, processes_cluster.scheduler_info()["address"]],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begun\n"
        _wait_until(lambda: any(_is_ours(key, "bfs") for key in _keys(processes_cluster)))
        process.kill()
    _wait_until(lambda: not _keys(processes_cluster), 60)


def test_graphs_and_answers_are_freed(threads_cluster):
    graph = distributed.from_graph(GRAPH, 3, client=threads_cluster)
    labels = sg.connected_components(graph)
    del graph, labels
    _wait_until(lambda: not _keys(threads_cluster))


def _keys(client):
    return [key for keys in client.has_what().values() for key in keys]


def _is_ours(key, name):
    return str(key).startswith(f"{name}-")


def _wait_until(done, seconds=20):
    import gc

    for _ in range(seconds * 10):
        gc.collect()
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("something was left behind")
