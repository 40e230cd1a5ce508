"""Messages about graphs in partitions, and of the commands that make them with ``--dask``; their advice is followed."""

from __future__ import annotations

import contextlib
import functools
import re
import shlex

import numpy as np
import pytest

import stablegraph as sg
from tests.cli.invoking import facts
from tests.house.following import PATH, WEIGHTED, command, done, edges, options_said, said, table, write

ENDS = np.array([0, 1, 2]), np.array([1, 2, 3])


def client():
    from stablegraph.cluster.workers import InProcess

    return InProcess()


@contextlib.contextmanager
def in_process(**patches):
    """Let all tasks run in this process, also those of commands."""
    pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patch, pytest.importorskip("dask").config.set(scheduler="sync"):
        patch.setattr("stablegraph.cli.cluster._client", lambda address: contextlib.nullcontext(client()))
        for name, value in patches.items():
            patch.setattr(f"stablegraph.cluster.building.{name}", value)
        yield


def followed(fragment, cause, follow, **patches):
    """Return a case of which both steps run without a cluster."""
    return fragment, in_process(**patches)(cause), in_process(**patches)(follow)


def split(u=ENDS[0], v=ENDS[1], weights=None, **options):
    """Return a graph in partitions; a path by default."""
    directions = {} if "directed" in options or "symmetrize" in options else {"symmetrize": True}
    return sg.distributed.from_edges(u, v, weights, **{"partitions": 2, "client": client()} | directions | options)


def refused(*arguments):
    return command(*arguments, "--dask", "local")


def answer(*arguments):
    """Return the fingerprint of the answer of a command with --dask, which is verified."""
    result = facts(*arguments, "--dask", "local", "--partitions", 2)
    assert result["verified"]
    return result["crc32"]


def values(array):
    return np.asarray(array).tolist()


def edge_file(name, **columns):
    columns = columns or {"source": ENDS[0], "target": ENDS[1]}
    pytest.importorskip("pyarrow.parquet").write_table(table(**columns), name)
    return name


def graph_file(name, graph=PATH):
    sg.write_graph(name, graph)
    return name


def arc_file():
    return graph_file("arcs.npz", sg.from_edges(*ENDS, directed=True))


def from_file(name):
    return sg.distributed.from_table(name, partitions=2, client=client())


def rows_of(write_folder, graph, name, *given, **columns):
    """Write an answer as a folder, and return its columns."""
    write_folder(graph, name, *given, **columns)
    return pytest.importorskip("pyarrow.parquet").read_table(name).to_pydict()


def set_of(graph):
    return values(sg.maximal_independent_set(graph))


def set_on_a_cluster(text):
    """Execute both calls that a message shows, with threads instead of processes."""
    distributed = pytest.importorskip("distributed")

    class Small:
        Client = functools.partial(distributed.Client, processes=False, n_workers=1, threads_per_worker=1)

    with said(text, r"first, (distributed\.Client\(.*?\)) for", distributed=Small) as first:
        found = [set_of(sg.distributed.grid((3, 3), 2))]
        with said(text, r"or (distributed\.Client\(.*?\))$", distributed=distributed, address=first.scheduler.address):
            return [*found, set_of(sg.distributed.grid((3, 3), 2))]


def labels_of(graph):
    return values(sg.connected_components(graph, label="smallest")[1])


def earlier_labels_as_edges():
    """Return components after one more edge, from the labels without it."""
    return labels_of(split([1, *range(5)], [2, *labels_of(split([0, 2], [1, 3], n=5))], n=5))


def ids_of(*parts):
    """Return the ids of a table whose parts have these ids, as those of a data frame may have."""
    pa = pytest.importorskip("pyarrow")
    from stablegraph.cluster import tables

    number = np.arange(1)
    blocks = [(number, number, None, pa.array(part)) for part in parts]
    one = client()
    (names,) = one.gather(tables._numbered_by_all(one, blocks, 2, None, ValueError)[1](np.array([0, len(parts)])))
    return names.to_pylist()


OPTIONS = {"--distance": 2, "--priority": "degree", "--algorithm": "lexicographic", "--seed": 3}

# Part of the message in the sources; a call that causes it; a check that does what the message says.
PARTITIONS = [
    followed(
        "is for undirected graphs in partitions; make it with",
        lambda: sg.maximal_independent_set(split(directed=True)),
        lambda m: set_of(split(**options_said(m, r"make it with (.*) instead"))) == set_of(split()),
    ),
    followed(
        "must not be omitted{}: pass {}={}",
        lambda: sg.vertex_coloring(split()),
        lambda m: values(sg.vertex_coloring(split(), **options_said(m, "pass (.*)$"))) == [1, 0, 1, 0],
    ),
    followed(
        "must be ascending{}: sort them, or pass a mask of bool",
        lambda: sg.subgraph(split(), [2, 1, 0]),
        lambda m: (
            sg.subgraph(split(), sorted([2, 1, 0])).num_edges
            == sg.subgraph(split(), np.isin(np.arange(4), [2, 1, 0])).num_edges
            == 2
        ),
    ),
    followed(
        "give the graph the earlier labels as edges instead",
        lambda: sg.connected_components(split(), start=[0, 0, 2, 2]),
        lambda m: earlier_labels_as_edges() == labels_of(split([0, 1, 2], [1, 2, 3], n=5)),
    ),
    followed(
        "as a dict: pass an array in the order of the vertices",
        lambda: sg.maximal_independent_set(split(), priority={0: 1}),
        lambda m: sum(values(sg.maximal_independent_set(split(), priority=np.arange(len(split()))))) > 0,
    ),
    (
        "there is no cluster: make a client first",
        lambda: pytest.importorskip("distributed") and sg.distributed.grid((3, 3), 2),
        lambda m: set_on_a_cluster(m) == [set_of(sg.gallery.grid((3, 3)))] * 2,
    ),
    followed(
        "of a worker while it is made, and a task may use",
        lambda: split(np.arange(500), np.arange(1, 501), partitions=1),
        lambda m: set_of(split(np.arange(500), np.arange(1, 501), **options_said(m, "pass (.*), or more")))[0],
        room_of=lambda client: 9000,
    ),
    followed(
        "has no partner ({}, {}); pass symmetrize=True to",
        lambda: split(symmetrize=False),
        lambda m: (
            edges(split(**options_said(m, "pass (.*) to from_edges"))) == 3
            and split(**options_said(m, r"\(or (.*),")).directed
        ),
    ),
    followed(
        "the column id is for the ids of the vertices",
        lambda: sg.distributed.to_parquet(split(), "out", id=np.arange(4)),
        lambda m: rows_of(sg.distributed.to_parquet, split(), "out", other=np.arange(4))["other"] == [0, 1, 2, 3],
    ),
    followed(
        "pass the result of minimum_spanning_forest for this graph",
        lambda: sg.distributed.forest_to_parquet(split(), "out", sg.minimum_spanning_forest(PATH)),
        lambda m: (
            rows_of(
                sg.distributed.forest_to_parquet,
                graph := split(),
                "out",
                said(m, "the result of (.*) for").__call__(graph),
            )["target"]
            == [1, 2, 3]
        ),
    ),
    followed(
        "it exists already; name a new folder",
        lambda: sg.distributed.to_parquet(split(), "other"),
        lambda m: rows_of(sg.distributed.to_parquet, split(), "new")["id"] == [0, 1, 2, 3],
    ),
    followed(
        "ids are of several types: {}; convert them to one",
        lambda: ids_of(["a"], [3]),
        lambda m: "int64, string" in m and ids_of(["a"], ["3"]) == ["3", "a"],
    ),
    followed(
        "graphs in partitions are read from Parquet files",
        lambda: from_file(write("g 1.csv", "source,target\n0,1\n")),
        lambda m: (
            done(*(words := shlex.split(re.search("stablegraph (.*)$", m)[1]))) and edges(from_file(words[-1])) == 1
        ),
    ),
    followed(
        "--dask takes one --order",
        lambda: refused("color", graph_file("p.npz"), "--reduce", "none", "--order", "natural", "--order", "random"),
        lambda m: answer("color", "p.npz", "--reduce", "none", "--order", "natural"),
    ),
    followed(
        "scc --dask is for directed graphs",
        lambda: refused("scc", graph_file("p.npz")),
        lambda m: answer("components", "p.npz") == facts("scc", "p.npz")["crc32"],
    ),
    followed(
        "--dask has no option {} of {}; it has",
        lambda: refused("mis", graph_file("p.npz"), "--large"),
        lambda m: (
            re.findall(r"--\w+", m.split("it has ")[1]) == [*OPTIONS]
            and all(answer("mis", "p.npz", *option) for option in OPTIONS.items())
        ),
    ),
    followed(
        "--dask has {} for tables only",
        lambda: refused("forest", graph_file("w.npz", WEIGHTED), "--merge", "min"),
        lambda m: answer(
            "forest", edge_file("w.parquet", source=[0, 1], target=[1, 0], weight=[1, 2]), "--merge", "min"
        ),
    ),
    followed(
        "--dask has --directed for tables only",
        lambda: refused("components", graph_file("p.npz"), "--directed"),
        lambda m: answer("components", edge_file("p.parquet"), "--directed") == answer("components", "p.npz"),
    ),
    followed(
        "--dask is for undirected graphs; leave out --directed",
        lambda: refused("mis", edge_file("p.parquet"), "--directed") + refused("mis", arc_file()),
        lambda m: (
            done(*re.search("stablegraph (convert .*)$", m)[1].split(), "arcs.npz", "p.npz")
            and answer("mis", "p.parquet") == answer("mis", "p.npz")
        ),
    ),
]
