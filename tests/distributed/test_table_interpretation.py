"""One interpretation of a table: by read_graph, from_table, the command line and the reader in partitions."""

from __future__ import annotations

import contextlib

import pytest

import stablegraph as sg
from stablegraph import distributed

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.csv")
pytest.importorskip("pyarrow.feather")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("click")
from tests.cli.invoking import facts, ok, refused  # noqa: E402
from tests.support.cases import each  # noqa: E402

IDS = {
    "integers": [0, 1, 2, 3, 4],
    "gaps": [7, 10, 30, 400, 2**40],
    "negative": [-(2**40), -3, 0, 5, 9],
    "texts": ["", "Ann", "Bob, Jr.", 'the "Boss"', "é" * 20],
}
ROWS = [(3, 1), (1, 2), (2, 1), (4, 4), (3, 1), (0, 4)]  # both directions, a loop, an equal row
COLUMNS = {
    "found": ("source", "target", "weight", {}),
    "named": ("buyer", "seller", "cost", {"source": "buyer", "target": "seller", "weight": "cost"}),
    "ignored": ("from", "to", "cost", {"weights": False}),
}


def _table(ids, columns):
    source, target, weight, _ = COLUMNS[columns]
    weights = [10 + u + v for u, v in ROWS]
    return pa.table({source: [ids[u] for u, _ in ROWS], weight: weights, target: [ids[v] for _, v in ROWS]})


def _write(table, form, folder):
    """Write a table in one of the forms, and return its path."""
    path = folder / f"edges.{form}"
    if form == "parquet":
        pq.write_table(table, path, row_group_size=2)
    elif form == "feather":
        pa.feather.write_feather(table, str(path))
    elif form in ("csv", "tsv"):
        separator = "," if form == "csv" else "\t"
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=separator))
    elif form == "txt":
        u, w, v = (column.to_pylist() for column in table.columns)
        path.write_text("".join(f"{row[0]}\t{row[1]}\t{row[2]}\n" for row in zip(u, v, w, strict=True)))
    else:
        path.mkdir()
        (path / "_SUCCESS").write_text("")
        for k in range(3):
            pq.write_table(table[2 * k : 2 * k + 2], path / f"part-{k}.parquet")
    return path


def _meaning(graph):
    """Return the direction, the ids, the number of edges, and the entries between ids with their weights."""
    ids = list(range(graph.num_vertices)) if graph.nodes is None else list(graph.nodes)
    rows = graph._rows().tolist()
    weights = [None] * len(rows) if graph.weights is None else graph.weights.tolist()
    entries = sorted((ids[u], ids[v], w) for u, v, w in zip(rows, graph.indices.tolist(), weights, strict=True))
    return graph.directed, ids, graph.num_edges, entries


def _expected(ids, weighted, directed):
    """Compute the same values from the rows."""
    pairs = {*ROWS} if directed else {*ROWS, *((v, u) for u, v in ROWS)}
    entries = sorted((ids[u], ids[v], 10 + u + v if weighted else None) for u, v in pairs)
    return bool(directed), ids, 4 if directed else 3, entries


def _as_options(columns, directed):
    flags = [
        word for name in ("source", "target", "weight") if name in columns for word in (f"--{name}", columns[name])
    ]
    no_weights = ["--no-weights"] if columns.get("weights") is False else []
    return [*flags, *no_weights, *(["--directed"] if directed else [])]


@pytest.fixture
def in_process(monkeypatch):
    """Start no cluster for ``--dask``: tasks run in this process."""
    import dask

    from stablegraph.cli import cluster
    from stablegraph.cluster.workers import InProcess

    monkeypatch.setattr(cluster, "_client", lambda address: contextlib.nullcontext(InProcess()))
    with dask.config.set(scheduler="sync"):
        yield


@each(pairs=True, directed=[None, False, True], columns=COLUMNS, kind=IDS)
@pytest.mark.parametrize("form", ["parquet", "feather", "csv", "tsv", "folder", "txt"])
def test_one_table_has_one_meaning(form, kind, columns, directed, tmp_path, client, in_process):
    if form == "txt" and kind not in ("integers", "gaps"):
        pytest.skip("without a title line, ids are integers from 0 on")
    ids, named = IDS[kind], COLUMNS[columns][-1]
    if form == "txt":
        named = {name: value for name, value in named.items() if name == "weights"}
    table = _table(ids, columns)
    path, wanted = _write(table, form, tmp_path), _expected(ids, columns != "ignored", directed)
    options = _as_options(named, directed)
    assert _meaning(sg.read_graph(path, directed=directed, **named)) == wanted
    assert _meaning(sg.from_table(table, directed=directed, **COLUMNS[columns][-1])) == wanted
    ok("convert", path, tmp_path / "out.npz", *options)
    assert _meaning(sg.read_graph(tmp_path / "out.npz")) == wanted
    if form in ("parquet", "folder"):
        graph = distributed.from_table(path, directed=directed, partitions=2, client=client, **named)
        nodes = None if graph.nodes is None else graph.nodes.compute(scheduler="sync").tolist()
        assert _meaning(graph.to_graph()._replace(nodes=nodes)) == wanted
        options = [option for option in options if option not in ("--weight", "cost", "--no-weights")]
        whole = facts("components", path, *options)
        split = facts("components", path, *options, "--dask", "local", "--partitions", 2)
        same = ("vertices", "edges", "components", "crc32", "verified")
        assert [split[fact] for fact in same] == [whole[fact] for fact in same]
        assert whole["edges"] == wanted[2]


UNCLEAR = {
    "ends": ({"row": [1, 2], "a": ["x", "y"], "b": ["y", "z"], "score": [0.5, 0.7]}, "columns of the two ends"),
    "pairs": ({"source": ["x"], "target": ["y"], "u": ["x"], "v": ["z"]}, "columns of the two ends"),
    "weights": ({"source": ["x", "y"], "target": ["y", "z"], "match": [0.5, 0.7]}, "the weights could be in 'match'"),
    "two weights": ({"u": ["x"], "v": ["y"], "w": [1], "weight": [2]}, "the weights could be in 'w', 'weight'"),
}


@each(form=["parquet", "feather", "csv", "tsv", "folder"], what=UNCLEAR)
def test_unclear_columns_are_refused_by_all(what, form, tmp_path, client, in_process):
    columns, message = UNCLEAR[what]
    table = pa.table(columns)
    path = _write(table, form, tmp_path) if form != "folder" else tmp_path
    if form == "folder":
        pq.write_table(table, tmp_path / "part-0.parquet")
    listed = ", ".join(map(repr, columns))
    doors = [lambda: sg.read_graph(path), lambda: sg.from_table(table)]
    if form in ("parquet", "folder"):
        doors.append(lambda: distributed.from_table(path, partitions=2, client=client))
    for door in doors:
        with pytest.raises(ValueError, match=f"{message}.*; the columns are {listed}") as caught:
            door()
        assert "by source= and target=;" in str(caught.value) or "by weight=, or pass weights=False;" in str(
            caught.value
        )
    clusters = [(), ("--dask", "local")] if form in ("parquet", "folder") else [()]
    for cluster in clusters:
        text = refused("forest", path, *cluster)
        assert message in text and f"; the columns are {listed}" in text
        assert "by --source and --target;" in text or "by --weight, or pass --no-weights;" in text
        if "weights" in what:
            assert facts("components", path, *cluster)["verified"] is True


def test_who_names_the_ends_need_not_name_the_other_columns(tmp_path, client, in_process):
    table = pa.table({"row": [1, 2], "a": ["x", "y"], "b": ["y", "z"], "score": [0.5, 0.7]})
    path, ends = _write(table, "parquet", tmp_path), {"source": "a", "target": "b"}
    partitioned = distributed.from_table(path, **ends, partitions=2, client=client).to_graph()
    for graph in (sg.read_graph(path, **ends), sg.from_table(table, **ends), partitioned):
        assert (graph.num_vertices, graph.num_edges, graph.weights) == (3, 2, None)
    options = ("--source", "a", "--target", "b")
    assert facts("components", path, *options)["components"] == 1
    # Commands that need weights, and callers that request them, get an answer only if it is clear which column they
    # are.
    for cluster in ((), ("--dask", "local")):
        assert "the weights could be in 'row', 'score'" in refused("forest", path, *options, *cluster)
    with pytest.raises(ValueError, match="the weights could be in 'row', 'score'"):
        sg.read_graph(path, **ends, weights=True)


def test_all_readers_use_the_statements_of_write_graph(tmp_path, client, in_process):
    """These statements are the direction, and vertices without edges."""
    for directed in (False, True):
        graph = sg.from_edges([0, 2], [1, 1], n=5, directed=directed, symmetrize=not directed)
        path = tmp_path / f"{directed}.parquet"
        sg.write_graph(path, graph)
        table = pq.read_table(path)
        split = distributed.from_table(path, partitions=2, client=client)
        for result in (sg.read_graph(path), sg.from_table(table), split.to_graph()):
            assert _meaning(result) == _meaning(graph)
        assert facts("components", path)["crc32"] == facts("components", path, "--dask", "local")["crc32"]
    for refusing in (
        lambda: sg.read_graph(path, directed=False),
        lambda: sg.from_table(table, directed=False),
        lambda: distributed.from_table(path, directed=False, partitions=2, client=client),
    ):
        with pytest.raises(ValueError, match=r"entry \(2, 1\) has no partner|entry \(0, 1\) has no partner"):
            refusing()
    edges = tmp_path / "False.parquet"
    assert sg.read_graph(edges, directed=True).num_edges == 4
    assert sg.from_table(pq.read_table(edges), directed=True) == sg.read_graph(edges, directed=True)
    arcs = distributed.from_table(edges, directed=True, partitions=2, client=client)
    assert _meaning(arcs.to_graph()) == _meaning(sg.read_graph(edges, directed=True))
    assert facts("scc", edges)["crc32"] == facts("scc", edges, "--dask", "local")["crc32"]
    assert "leave out --directed, or if" in refused("mis", path, "--dask", "local")


def test_names_of_sources_mean_the_same_in_partitions(tmp_path, in_process):
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"source": ["0", "Ann", "10"], "target": ["Ann", "10", "2"]}), path)
    whole, split = (facts("bfs", path, "--sources", "Ann", *options) for options in ((), ("--dask", "local")))
    assert split["crc32"] == whole["crc32"]
    for options in ((), ("--dask", "local")):
        assert "10 is a name, and also means vertex numbers" in refused("bfs", path, "--sources", "10", *options)
        assert "got 'Zoe'" in refused("bfs", path, "--sources", "Zoe", *options)


def test_cures_are_options_of_the_command_line(tmp_path):
    path = tmp_path / "weight=3.txt"
    path.write_text("3 3 2\n0 1 5\n1 2 6\n")
    assert "weight=3.txt, line 1:" in refused("info", path)
    assert "pass --from snap if it is an edge" in refused("info", path)
    assert facts("info", path, "--from", "snap")["vertices"] == 4
    table = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"source": [0, 1], "target": [1, 0], "weight": [2, 3]}), table)
    assert "differ: 2 and 3; pass --merge min, max or sum, or combine them before" in refused("forest", table)
    assert "differ: 2 and 3; combine them before" in refused("solve", table)
    assert "there is no column ''" in refused("forest", table, "--weight", "")


@pytest.mark.parametrize("weights", [[1, 1], [1, 2]])
@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_parallel_arcs_are_summed_and_checked_by_all(weights, form, tmp_path):
    arcs = pa.table({"source": [0, 0], "target": [1, 1], "weight": weights})
    arcs = arcs.replace_schema_metadata({"stablegraph": '{"vertices": 2, "directed": true}'})
    path = _write(arcs, form, tmp_path)
    assert _meaning(sg.read_graph(path, symmetrize="sum")) == _meaning(sg.from_table(arcs, merge="sum"))
    assert sg.read_graph(path, symmetrize="sum").weights.tolist() == [sum(weights)] * 2
    loops = pa.table({"source": ["a", "a"], "target": ["a", "a"], "weight": weights})
    loops = loops.replace_schema_metadata({"stablegraph": '{"vertices": 1, "directed": true}'})
    path = _write(loops, form, tmp_path)
    for door in (lambda: sg.read_graph(path, directed=False), lambda: sg.from_table(loops, directed=False)):
        if weights == [1, 1]:
            assert door().weights.tolist() == [1]
        else:
            with pytest.raises(ValueError, match="weights"):
                door()


def test_folders_that_are_not_one_table(tmp_path, client):
    pq.write_table(pa.table({"u": [1], "v": [2]}), tmp_path / "a.parquet")
    doors = (sg.read_graph, lambda path: distributed.from_table(path, partitions=2, client=client))

    def all_refuse(error, message):
        for door in doors:
            with pytest.raises(error, match=message):
                door(tmp_path)

    (tmp_path / "notes.txt").write_text("")
    all_refuse(IsADirectoryError, "nothing else, but it contains 'notes.txt'; name a file, or a folder of Parquet")
    (tmp_path / "notes.txt").rename(tmp_path / "_notes.txt")
    (tmp_path / "year=2020").mkdir()
    all_refuse(IsADirectoryError, "nothing else, but it contains 'year=2020'")
    (tmp_path / "year=2020").rmdir()
    pq.write_table(pa.table({"u": ["x"], "v": ["y"]}), tmp_path / "b.parquet")
    all_refuse(
        ValueError, r"b\.parquet: its columns are u \(string\), v \(string\), but those of a\.parquet are u \(int64\)"
    )
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    all_refuse(ValueError, r"b\.parquet: the Parquet file is damaged or cut short")
    table = pa.table({"u": [1], "v": [2]}).replace_schema_metadata({"stablegraph": '{"vertices": 3, "directed": true}'})
    pq.write_table(table, tmp_path / "b.parquet")
    all_refuse(ValueError, r"b\.parquet: its metadata 'stablegraph' differs from that of a\.parquet")


def test_columns_are_for_tables(tmp_path):
    for name, data in (
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"),
        ("g.txt", "0 1\n"),
    ):
        (tmp_path / name).write_text(data)
        with pytest.raises(ValueError, match="source=, target= and weight= name the columns of a table, but"):
            sg.read_graph(tmp_path / name, source="u", target="v")
        assert "--source, --target and --weight name the columns of a table" in refused(
            "info", tmp_path / name, "--weight", "w"
        )
    sg.write_graph(tmp_path / "g.npz", sg.from_edges([0], [1], symmetrize=True))
    with pytest.raises(ValueError, match="the format is 'npz'; leave them out"):
        sg.read_graph(tmp_path / "g.npz", weight="w")


def test_columns_that_are_named_make_the_first_line_a_title(tmp_path):
    (tmp_path / "g.csv").write_text("buyer,seller\nAnn,Bob\n")
    assert "such as --source buyer and --target seller" in refused("components", tmp_path / "g.csv")
    assert facts("components", tmp_path / "g.csv", "--source", "buyer", "--target", "seller")["vertices"] == 2
    assert "there is no column 'x'; the columns are" in refused(
        "components", tmp_path / "g.csv", "--source", "buyer", "--target", "x"
    )


def test_weights_are_named_where_they_are_read(tmp_path):
    (tmp_path / "g.csv").write_text("source,target,cost\nAnn,Bob,3\nBob,Cy,4\nAnn,Cy,9\n")
    assert facts("forest", tmp_path / "g.csv", "--weight", "cost")["weight"] == 7
    assert facts("forest", tmp_path / "g.csv", "--no-weights")["weight"] == 2
    assert "No such option '--weight'; mis reads no weights" in refused("mis", tmp_path / "g.csv", "--weight", "cost")
    (tmp_path / "labels.txt").write_text("0\n0\n0\n")
    verify = ("verify", tmp_path / "g.csv", tmp_path / "labels.txt", "--as", "components")
    assert "--weight goes with --as forest" in refused(*verify, "--weight", "cost")
    assert "--no-weights goes with --strength" in refused("aggregate", tmp_path / "g.csv", "--no-weights")


def test_answers_do_not_replace_a_file_of_the_folder_that_is_read(tmp_path):
    for k in range(2):
        pq.write_table(pa.table({"u": [k], "v": [k + 1]}), tmp_path / f"{k}.parquet")
    said = refused("components", tmp_path, "-o", tmp_path / "1.parquet")
    assert "is read (FILE), and the output would replace it" in said
    assert facts("info", tmp_path)["file_bytes"] == sum(path.stat().st_size for path in tmp_path.iterdir())
