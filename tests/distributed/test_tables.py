"""Edges in Parquet files and Dask DataFrames, and answers by the callers' ids."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed
from tests.support.cases import each

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def _table(kind, rows=300, seed=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 60, (2, rows))
    if kind == "gaps":
        ends = ends * 1000 - 7000
    columns = [pa.array([f"v{x:03}é" for x in end] if kind == "texts" else end) for end in ends]
    weights = pa.array(((ends[0] + ends[1]) % 7).astype(np.float64))
    return pa.table({"source": columns[0], "target": columns[1], "weight": weights, "note": ["x"] * rows})


def _folder(path, table, files=3):
    path.mkdir()
    step = -(-table.num_rows // files)
    for k in range(files):
        pq.write_table(table.slice(k * step, step), path / f"edges-{k}.parquet", row_group_size=40)
    return path


@each(kind=["integers", "gaps", "texts"], weights=[False, True])
def test_a_folder_of_parquet_files(client, partitions, tmp_path, kind, weights):
    table = _table(kind)
    split = distributed.from_table(
        _folder(tmp_path / "edges", table), weights=weights, partitions=partitions, client=client
    )
    whole = sg.from_table(table, weights=weights)
    assert split.to_graph() == whole
    assert (split.nodes is None) == (whole.nodes is None)
    if whole.nodes is not None:
        assert split.nodes.compute(scheduler="sync").tolist() == list(whole.nodes)


def test_one_file_and_named_columns(client, tmp_path):
    table = _table("texts").rename_columns(["a", "b", "weight", "note"])
    pq.write_table(table, tmp_path / "edges.parquet", row_group_size=64)
    options = {"source": "a", "target": "b", "weight": "weight", "merge": "min"}
    split = distributed.from_table(tmp_path / "edges.parquet", partitions=3, client=client, **options)
    assert split.to_graph() == sg.from_table(table, **options)


def test_answers_by_ids(client, partitions, tmp_path):
    table = _table("texts")
    split = distributed.from_table(_folder(tmp_path / "edges", table), partitions=partitions, client=client)
    whole = sg.from_table(table)
    mask, (_, labels) = sg.maximal_independent_set(split), sg.connected_components(split)
    distributed.to_parquet(split, tmp_path / "answer", member=mask, component=labels)
    wanted = sg.to_table(
        whole,
        member=sg.maximal_independent_set(whole),
        component=sg.connected_components(whole)[1],
    )
    assert pq.read_table(tmp_path / "answer").equals(wanted)
    chosen = sg.subgraph(split, mask)
    assert chosen.to_graph() == whole.subgraph(mask.compute(scheduler="sync"))


@pytest.mark.parametrize("kind", ["integers", "gaps", "texts"])
def test_forests_by_ids(client, partitions, tmp_path, kind):
    table = _table(kind)
    options = {"weight": "weight", "merge": "min"}
    split = distributed.from_table(_folder(tmp_path / "edges", table), partitions=partitions, client=client, **options)
    whole = sg.from_table(table, **options)
    distributed.forest_to_parquet(split, tmp_path / "answer", sg.minimum_spanning_forest(split))
    assert pq.read_table(tmp_path / "answer").equals(sg.to_table(whole, forest=sg.minimum_spanning_forest(whole)))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", ["integers", "texts"])
def test_arcs(client, partitions, tmp_path, kind, weights):
    table = _table(kind)
    split = distributed.from_table(
        _folder(tmp_path / "edges", table), weights=weights, directed=True, partitions=partitions, client=client
    )
    whole = sg.from_table(table, weights=weights, directed=True)
    assert split.to_graph() == whole
    assert sg.strongly_connected_components(split)[0] == sg.strongly_connected_components(whole)[0]
    with pytest.raises(ValueError, match="leave out directed=True, or merge"):
        distributed.from_table(tmp_path / "edges", directed=True, merge="min", client=client)
    with pytest.raises(TypeError, match="directed must be"):
        distributed.from_table(tmp_path / "edges", directed="no", client=client)


def test_arcs_with_two_weights_stay_apart(client, tmp_path):
    table = pa.table({"source": [1, 1, 2], "target": [2, 2, 3], "weight": [1, 5, 7]})
    pq.write_table(table, tmp_path / "edges.parquet")
    split = distributed.from_table(
        tmp_path / "edges.parquet", weight="weight", directed=True, partitions=2, client=client
    )
    assert split.to_graph() == sg.from_table(table, weight="weight", directed=True)


def test_numbers_are_the_ids_where_there_are_no_others(client, tmp_path):
    graph = distributed.grid((3, 3), 2, client=client)
    distributed.to_parquet(graph, tmp_path / "answer", degree=graph.degrees)
    assert pq.read_table(tmp_path / "answer").to_pydict()["id"] == list(range(9))


@pytest.mark.slow
def test_dask_dataframes(threads_cluster):
    pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    table = _table("gaps")
    frame = dd.from_pandas(table.to_pandas(), npartitions=4)
    split = distributed.from_table(frame, weight="weight", client=threads_cluster)
    assert split.to_graph() == sg.from_table(table, weight="weight")


def _damage(folder, how):
    file = folder / "edges-1.parquet"
    if how == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif how == "no parquet":
        file.write_bytes(b"source,target\n1,2\n")
    elif how == "schema":
        pq.write_table(pa.table({"source": [1], "target": ["b"]}), file)
    else:  # a byte of a page, which is not covered by the footer
        raw = bytearray(file.read_bytes())
        raw[60] ^= 255
        file.write_bytes(bytes(raw))
    return file


def test_another_format_is_refused_with_its_cure(client, tmp_path):
    file = tmp_path / "my edges.csv"
    file.write_text("source,target\n1,2\n")
    cure = f"{file}: graphs in partitions are read from Parquet .* stablegraph convert '{file}' edges.parquet"
    with pytest.raises(ValueError, match=cure):
        distributed.from_table(file, client=client)


@pytest.mark.parametrize("how", ["cut", "no parquet", "schema"])
def test_damaged_files_are_named(client, tmp_path, how):
    folder = _folder(tmp_path / "edges", _table("integers"))
    file = _damage(folder, how)
    with pytest.raises(ValueError, match=f"{file}: (the Parquet file is damaged or cut short|its columns are source)"):
        distributed.from_table(folder, client=client, partitions=2)


def test_what_is_missing(client, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        distributed.from_table(tmp_path / "nowhere", client=client)
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        IsADirectoryError, match=r"contains Parquet files \(\*\.parquet\) and nothing else, but it is empty"
    ):
        distributed.from_table(tmp_path / "empty", client=client)
    with pytest.raises(TypeError, match="a table is the path of Parquet files or a Dask DataFrame, got int"):
        distributed.from_table(3, client=client)
    table = _table("integers").set_column(0, "source", pa.array([1, None] * 150))
    pq.write_table(table, tmp_path / "holes.parquet")
    with pytest.raises(ValueError, match=r"holes.parquet, row group 0: column 'source', row 1 .* the value is missing"):
        distributed.from_table(tmp_path / "holes.parquet", client=client)
    with pytest.raises(ValueError, match="there is no column 'x'; the columns are"):
        distributed.from_table(_folder(tmp_path / "edges", _table("gaps")), weight="x", client=client)


def test_weights_that_differ(client, tmp_path):
    table = pa.table({"source": [1, 2], "target": [2, 1], "weight": [1, 5]})
    pq.write_table(table, tmp_path / "edges.parquet")
    with pytest.raises(ValueError, match="pass merge='min', 'max' or 'sum'"):
        distributed.from_table(tmp_path / "edges.parquet", weight="weight", client=client, partitions=2)


def test_a_disk_that_is_full_leaves_nothing(client, tmp_path, monkeypatch):
    graph = distributed.grid((3, 3), 3, client=client)

    def full(table, path, **options):
        if "00002" in path:
            raise OSError(28, "No space left on device", path)
        open(path, "wb").close()

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        distributed.to_parquet(graph, tmp_path / "answer", degree=graph.degrees)
    assert not list(tmp_path.iterdir())


def test_a_file_that_may_not_grow_leaves_nothing(client, tmp_path):
    """Writing fails in the middle of a file, as on a full disk; a system limit causes this."""
    resource = pytest.importorskip("resource")
    graph = distributed.grid((200, 200), 2, client=client)
    forest = sg.minimum_spanning_forest(graph)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            distributed.forest_to_parquet(graph, tmp_path / "forest", forest)
        with pytest.raises(OSError, match="File too large"):
            distributed.to_parquet(graph, tmp_path / "answer", degree=graph.degrees)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_a_forest_that_was_not_found_there_is_refused(client, tmp_path):
    graph = distributed.grid((3, 3), 2, client=client)
    answer = sg.minimum_spanning_forest(graph)
    by_hand = distributed.DistributedForest(answer.u, answer.v, answer.weights, 9)
    with pytest.raises(ValueError, match="a piece for each of 2 partitions, has none; pass the result of minimum"):
        distributed.forest_to_parquet(graph, tmp_path / "forest", by_hand)
    with pytest.raises(TypeError, match="must be a DistributedForest, got csr_array"):
        distributed.forest_to_parquet(graph, tmp_path / "forest", answer.to_scipy())
    assert sg.as_graph(answer.to_scipy()).num_edges == 8
    assert not list(tmp_path.iterdir())


def test_a_file_that_goes_away_after_it_was_listed_is_named(client, tmp_path, monkeypatch):
    from stablegraph.cluster import tables

    folder, listed = _folder(tmp_path / "edges", _table("integers")), tables._readers

    def gone(*arguments):
        result = listed(*arguments)
        (folder / "edges-2.parquet").unlink()
        return result

    monkeypatch.setattr(tables, "_readers", gone)
    with pytest.raises(FileNotFoundError, match=r"edges-2\.parquet"):
        distributed.from_table(folder, client=client, partitions=2)


def test_names_that_are_taken(client, tmp_path):
    graph = distributed.grid((3, 3), 3, client=client)
    with pytest.raises(FileExistsError, match="it exists already"):
        distributed.to_parquet(graph, tmp_path, degree=graph.degrees)
    with pytest.raises(ValueError, match="the column id is for the ids"):
        distributed.to_parquet(graph, tmp_path / "answer", id=graph.degrees)
    with pytest.raises(ValueError, match=r"labels has shape \(4,\)"):
        distributed.to_parquet(graph, tmp_path / "answer", labels=np.zeros(4))
    assert not (tmp_path / "answer").exists()


def test_ids_beyond_63_bits(client, tmp_path):
    """Ids of this size in one block determine the type of all blocks."""
    small = pa.table({"source": np.arange(50, dtype=np.uint64), "target": np.arange(1, 51, dtype=np.uint64)})
    large = pa.table({name: pa.array(small[name].to_numpy() + np.uint64(2**63)) for name in ("source", "target")})
    table = pa.concat_tables([small, large])
    split = distributed.from_table(_folder(tmp_path / "edges", table), partitions=3, client=client)
    whole = sg.from_table(table)
    assert split.to_graph() == whole
    assert (
        split.nodes.compute(scheduler="sync").tolist()
        == whole.nodes.tolist()
        == [*range(51), *range(2**63, 2**63 + 51)]
    )
    mixed = pa.table({"source": [-1, 5], "target": pa.array([2, 2**64 - 1], pa.uint64())})
    folder = _folder(tmp_path / "mixed", mixed, files=2)
    with pytest.raises(ValueError, match="vertex id -1 is negative and another one is 2"):
        distributed.from_table(folder, client=client)


def test_a_single_long_id_of_bytes(client, tmp_path):
    """The range of ids that another worker numbers is then empty, and has no type of variable width."""
    ends = pa.array([b"x" * 20] * 8, pa.binary(20))
    folder = _folder(tmp_path / "loops", pa.table({"source": ends, "target": ends}), files=2)
    graph = distributed.from_table(folder, partitions=3, client=client)
    assert list(graph.to_graph().nodes) == [b"x" * 20]


def test_bytes_of_different_widths(client, tmp_path):
    rows = {"source": pa.array([b"aaaa", b"cccc"], pa.binary(4)), "target": pa.array([b"b" * 8] * 2, pa.binary(8))}
    table = pa.table(rows)
    split = distributed.from_table(_folder(tmp_path / "edges", table, files=2), partitions=2, client=client)
    assert split.nodes.compute(scheduler="sync").tolist() == list(sg.from_table(table).nodes)
