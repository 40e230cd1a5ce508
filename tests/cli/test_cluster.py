"""``--dask``: the same answers as without it, from files to folders."""

from __future__ import annotations

import contextlib
import re

import pytest

import stablegraph as sg
from stablegraph import gallery

from ..support.processes import ROOT
from .invoking import facts, ok, refused, run

pytest.importorskip("distributed")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COMMANDS = [
    ("mis",),
    ("mis", "--distance", 2, "--priority", "degree"),
    ("mis", "--priority", "random", "--seed", 5),
    ("color", "--reduce", "none", "--ties", "hash"),
    ("components", "--label", "smallest"),
    ("bfs", "--sources", "3,7-9", "--max-distance", "2"),
    ("aggregate",),
    ("aggregate", "--algorithm", "kokkos"),
    ("forest",),
    ("forest", "--maximum"),
]


@pytest.fixture
def in_process(monkeypatch):
    """Start no cluster: tasks run in this process."""
    from stablegraph.cli import cluster
    from stablegraph.cluster.workers import InProcess

    monkeypatch.setattr(cluster, "_client", lambda address: contextlib.nullcontext(InProcess()))
    import dask

    with dask.config.set(scheduler="sync"):
        yield


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command)))
def test_the_same_fingerprint(folder, in_process, command):
    sg.write_graph("graph.npz", gallery.rmat(9, seed=3))
    name, *options = command
    whole = facts(name, "graph.npz", *options)
    split = facts(name, "graph.npz", *options, "--dask", "local", "--partitions", 3, "-o", "answer")
    assert (split["crc32"], split["verified"], split["partitions"]) == (
        whole["crc32"],
        True,
        3,
    )
    assert pq.read_table("answer").num_rows == split.get("forest_edges", 512)
    assert "rounds" in ok(name, "graph.npz", *options, "--dask", "local")


def test_tables_with_ids(folder, in_process):
    pq.write_table(pa.table({"source": ["Bob", "Ann", "Eve"], "target": ["Cy", "Bob", "Dan"]}), "edges.parquet")
    result = facts("components", "edges.parquet", "--dask", "local", "--partitions", 2, "-o", "answer", "--no-verify")
    assert (result["components"], result["verified"]) == (2, None)
    assert pq.read_table("answer").to_pydict() == {
        "id": ["Ann", "Bob", "Cy", "Dan", "Eve"],
        "component": [0, 0, 0, 1, 1],
    }


@pytest.mark.parametrize("command", [("scc",), ("components",), ("bfs", "--sources", "3")], ids=lambda one: one[0])
def test_arcs(folder, in_process, command):
    arcs = gallery.with_directions(gallery.rmat(8, seed=3))
    sg.write_graph("arcs.npz", arcs)
    u, v = arcs._rows(), arcs.indices
    pq.write_table(pa.table({"source": [*range(256), *u], "target": [*range(256), *v]}), "arcs.parquet")
    name, *options = command
    whole = facts(name, "arcs.npz", *options)
    for file in ("arcs.npz", "arcs.parquet"):
        split = facts(name, file, *options, "--directed", "--dask", "local", "--partitions", 3)
        assert (split["crc32"], split["verified"]) == (whole["crc32"], True)
    assert "the graph is directed" in refused("mis", "arcs.npz", "--dask", "local")
    assert facts("scc", "arcs.parquet", "--dask", "local")["components"] == facts("scc", "arcs.npz")["components"]
    sg.write_graph("edges.npz", gallery.grid((3, 3)))
    on_edges = refused(name, "edges.npz", *options, "--directed", "--dask", "local")
    assert "edges.npz says that its graph is undirected" in on_edges


def test_forests_with_ids_and_weights(folder, in_process):
    edges = {"source": ["Bob", "Ann", "Cy", "Eve"], "target": ["Cy", "Bob", "Ann", "Dan"], "weight": [3, 1, 2, 5]}
    pq.write_table(pa.table(edges), "edges.parquet")
    result = facts("forest", "edges.parquet", "--dask", "local", "--partitions", 2, "-o", "answer")
    assert (result["forest_edges"], result["trees"], result["weight"], result["verified"]) == (3, 2, 8, True)
    wanted = {"source": ["Ann", "Ann", "Dan"], "target": ["Bob", "Cy", "Eve"], "weight": [1, 2, 5]}
    assert pq.read_table("answer").to_pydict() == wanted
    assert "--merge for tables" in refused("forest", "graph.npz", "--merge", "min", "--dask", "local")


def test_what_is_wrong_is_told(folder, in_process, monkeypatch):
    import dask.array as da

    from stablegraph._core.dispatch import FORMS, Form

    sg.write_graph("graph.npz", sg.from_edges([0, 3], [1, 4], symmetrize=True))
    wrong = Form(lambda graph, label: ((1, da.zeros(5, dtype=int)), {}), accepts_arcs=True, adds_info=True)
    monkeypatch.setitem(FORMS, "connected_components", wrong)
    result = run("components", "graph.npz", "--dask", "local", "--partitions", 2)
    assert (result.exit_code, "no: vertices 0 and 2 both have label 0" in result.stdout) == (1, True)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("mis", "--large", "--dask", "local"), "--dask has no option --large of mis; it has --distance, --priority"),
        (("mis", "--device", "cuda", "--dask", "local"), "--dask has no option --device of mis"),
        (("color", "--dask", "local"), "pass --reduce none"),
        (("mis", "--partitions", 3), "--partitions is an option of --dask"),
        (("components", "--dask", "local", "-o", "path.mtx"), "would replace"),
    ],
)
def test_what_is_refused(folder, in_process, command, message):
    sg.write_graph("graph.npz", gallery.grid((4, 4)))
    name, *options = command
    file = "path.mtx" if "path.mtx" in options else "graph.npz"
    assert message in refused(name, file, *options)


@pytest.mark.parametrize("start", ["--dask local", "threads"])
def test_no_socket_is_open_to_other_machines(start):
    """Test scheduler, nannies, workers and dashboards, started as by the command line and the examples in docs."""
    import psutil
    from distributed import Client

    from stablegraph.cli import cluster

    members = psutil.Process()
    before = set(_listening(members))
    threads = {"processes": False, "protocol": "tcp", "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with cluster._client("local") if start == "--dask local" else Client(**threads):
        processes = [members, *members.children(recursive=True)]
        opened = {address for process in processes for address in _listening(process)} - before
    assert len(opened) >= 4  # of scheduler and worker, each with a dashboard
    assert {ip for ip, _ in opened} == {"127.0.0.1"}


def _listening(process):
    connections = getattr(process, "net_connections", None) or process.connections  # before psutil 6
    return [tuple(one.laddr) for one in connections("tcp") if one.status == "LISTEN"]


def test_examples_open_no_socket_to_other_machines():
    """The defaults of Dask listen on all interfaces."""
    files = [path for folder in ("src", "docs", "examples", "benchmarks") for path in (ROOT / folder).rglob("*")]
    texts = [path.read_text() for path in files if path.suffix in (".py", ".md")]
    calls = [result for text in texts for result in re.findall(r"\bClient\(([^()]*)\) as", text)]
    local = [arguments for arguments in calls if re.search(r"\b(n_workers|processes)=", arguments)]
    assert len(local) > 10
    for arguments in local:
        assert "dashboard_address=" in arguments and "127.0.0.1:0" in arguments, arguments
        assert "processes=False" not in arguments or 'protocol="tcp"' in arguments, arguments


def test_what_is_being_done_is_shown(folder, in_process, monkeypatch):
    from stablegraph.cli import terminal

    texts = []

    class Activity(terminal.Activity):
        def __setattr__(self, name, text):
            texts.append(text)

    monkeypatch.setattr(terminal, "Activity", Activity)
    sg.write_graph("graph.npz", gallery.grid((4, 4)))
    ok("mis", "graph.npz", "--dask", "local", "--partitions", 2, "-o", "answer")
    rounds = [text.split(":")[0] for text in texts]
    assert list(dict.fromkeys(rounds)) == [
        "looking for the cluster local",
        *("reading graph.npz", "mis", "verifying", "verify", "writing answer"),
    ]


def test_a_wrong_address(folder, monkeypatch):
    from stablegraph.cli import cluster

    monkeypatch.setattr(cluster, "_SECONDS", 0.3)
    sg.write_graph("graph.npz", gallery.grid((4, 4)))
    output = refused("mis", "graph.npz", "--dask", "tcp://127.0.0.1:9")
    assert "--dask tcp://127.0.0.1:9: no Dask scheduler answers there" in output
