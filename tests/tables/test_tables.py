"""Tables of edges as input, and tables of answers as output."""

from __future__ import annotations

import pickle
import uuid

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.tables.columns import numbered_names
from stablegraph.tables.numbering import Texts, first_equals, number_integers
from tests.support.cases import each

pa = pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")

ENDS = {"source": ["Bob", "Ann", "Eve"], "target": ["Cy", "Bob", "Dan"]}


def test_one_line_in_and_one_line_out():
    graph = sg.from_table(pa.table(ENDS))
    assert (graph.num_vertices, graph.num_edges, graph.directed, graph.weights) == (5, 3, False, None)
    answer = sg.to_table(graph, component=sg.connected_components(graph)[1])
    assert answer.to_pydict() == {"id": ["Ann", "Bob", "Cy", "Dan", "Eve"], "component": [0, 0, 0, 1, 1]}
    assert answer.schema.field("id").type == pa.string()


def frames():
    rows = {"who": ["é", "b", "", "b"], "w": [1, 2, 3, 2], "whom": ["b", "z" * 40, "b", "é"]}

    def polars():
        return pytest.importorskip("polars", reason="polars is not installed").DataFrame(rows)

    def pandas():
        return pytest.importorskip("pandas", minversion="2.2", reason="pandas is not installed").DataFrame(rows)

    def categories():
        return pandas().astype({"who": "category", "whom": "category"}).set_index("w", drop=False)

    def duckdb():
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
        edges = pa.table(rows)  # noqa: F841 - in the query
        return duckdb.connect().sql("SELECT * FROM edges")

    def reader():
        return pa.RecordBatchReader.from_batches(pa.table(rows).schema, pa.table(rows).to_batches(max_chunksize=3))

    return [pa.table(rows), polars, pandas, categories, duckdb, reader]


@pytest.mark.parametrize("table", frames(), ids=["pyarrow", "polars", "pandas", "categories", "duckdb", "reader"])
def test_same_graph_from_every_library(table):
    graph = sg.from_table(table() if callable(table) else table, "who", "whom", "w", merge="sum")
    assert list(graph.nodes) == ["", "b", "z" * 40, "é"]
    assert graph.to_scipy().toarray().tolist() == [[0, 3, 0, 0], [3, 0, 2, 3], [0, 2, 0, 0], [0, 3, 0, 0]]
    assert sg.to_table(graph)["id"].to_pylist() == list(graph.nodes)


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        (pa.int64(), [-5, 2**40, 0, 7]),
        (pa.uint8(), [3, 9, 1, 200]),
        (pa.uint64(), [2**63, 2**64 - 1, 0, 7]),
        (pa.int32(), [2, 0, 1, 3]),
        (pa.dictionary(pa.int8(), pa.int64()), [2, 0, 1, 3]),
        (pa.dictionary(pa.int8(), pa.binary()), [b"b", b"a", b"c", b"d"]),
        (pa.large_string(), ["b", "a", "ab", ""]),
        (pa.string_view(), ["b", "a" * 20, "a" * 19, ""]),
        (pa.dictionary(pa.int8(), pa.string()), ["b", "a", "c", "d"]),
        (pa.binary(), [b"b", b"\xff", b"\0", b""]),
        (pa.binary(3), [b"bcd", b"\xff\0\0", b"\0\0\1", b"abc"]),
        (pa.uuid(), [uuid.UUID(int=k).bytes for k in (2**100, 1, 2**127, 5)]),
    ],
)
def test_ids_of_every_type(kind, ids):
    numbers = [0, 1, 2, 3, 0]
    column = pa.array([ids[k] for k in numbers], kind)
    both = pa.chunked_array([column[:2], column[2:]])
    graph = sg.from_table(pa.table({"source": both[:4], "target": both[1:]}))
    assert [int(d) for d in graph.degrees] == [2, 2, 2, 2]
    names = sorted(set(column.to_pylist()))
    assert sg.to_table(graph)["id"].to_pylist() == names
    assert [graph.index(name) for name in names] == [0, 1, 2, 3]
    assert graph.index(names[::-1]).tolist() == [3, 2, 1, 0]
    kept = graph.subgraph([False, True, False, True])
    assert (kept.nodes is None and graph.nodes is None) or list(kept.nodes) == names[1::2]
    assert pickle.loads(pickle.dumps(graph)) == graph


@pytest.mark.parametrize("kind", ["Categorical", "Enum"])
def test_categories_of_polars(kind):
    """In Arrow they are dictionaries of views, which pyarrow does not convert."""
    pl = pytest.importorskip("polars", reason="polars is not installed")
    kind = pl.Categorical if kind == "Categorical" else pl.Enum(["z" * 40, "b", "é"])
    both = {"source": ["é", "b", "b"], "target": ["b", "z" * 40, "é"]}
    expected = sg.from_table(pa.table(both))
    for columns in (["source", "target"], ["target"]):
        frame = pl.DataFrame(both).with_columns(pl.col(columns).cast(kind))
        graph = sg.from_table(frame)
        assert (graph, list(graph.nodes)) == (expected, ["b", "z" * 40, "é"])
    with pytest.raises(ValueError, match=r"column 'target', row 1 .*missing"):
        sg.from_table(frame.with_columns(pl.Series("target", ["b", None, "b"], dtype=kind)))


@pytest.mark.parametrize(("first", "second"), [(4, 8), (8, 4), (16, 20), (4, -1), (-1, 4)])
def test_bytes_of_different_widths(first, second):
    u, v = (pa.array([letter * abs(width)], pa.binary(width)) for letter, width in ((b"a", first), (b"b", second)))
    graph = sg.from_table(pa.table({"source": u, "target": v}))
    assert list(graph.nodes) == [b"a" * abs(first), b"b" * abs(second)]
    assert graph.num_edges == 1


def test_numbers_are_names_where_ids_leave_no_gaps():
    """Programs must work no matter whether ids happen to be 0 .. n - 1."""
    for ids in ([0, 1, 2], [0, 1, 5]):
        graph = sg.from_table(pa.table({"source": ids[:2], "target": ids[1:]}))
        assert [graph.index(name) for name in ids] == [0, 1, 2]
        assert graph.index(ids[::-1]).tolist() == graph.index(np.array(ids[::-1])).tolist() == [2, 1, 0]
        assert sg.maximal_independent_set(graph, include=np.array(ids[1:2], object)).tolist() == [False, True, False]
        for wrong in (7, -1, "a", None, 0.5):
            with pytest.raises(ValueError, match=r"no vertex is named|pass their numbers, which are less than 3; got"):
                graph.index([wrong])


def test_names_of_a_table():
    names = sg.from_table(pa.table(ENDS)).nodes
    assert (len(names), names[1], names[-1], names[1:3]) == (5, "Bob", "Eve", ["Bob", "Cy"])
    assert names == ["Ann", "Bob", "Cy", "Dan", "Eve"]
    assert "Cy" in names and "Zoe" not in names and 3 not in names
    assert repr(names) == "<ArrowNames: 5 of type string, Ann, Bob, Cy, ...>"
    graph = sg.from_table(pa.table(ENDS))
    with pytest.raises(ValueError, match="no vertex is named 'Zoe'"):
        graph.index(["Ann", "Zoe"])
    assert graph.subgraph(["Eve", "Dan"]).nodes == ["Eve", "Dan"]
    assert sorted(graph.to_networkx()["Bob"]) == ["Ann", "Cy"]


def test_names_of_arrays_of_vertices():
    graph = sg.from_table(pa.table(ENDS))
    for names in (graph.nodes, graph.subgraph([0, 1, 2, 3, 4]).nodes):
        for vertices in (
            [4, 0, 0],
            np.array([4, 0, 0]),
            np.array([4, 0, 0], np.uint8),
            np.arange(8, -1, -2)[:1].repeat(0),
        ):
            found = names[vertices]
            assert isinstance(found, np.ndarray)
            assert found.tolist() == [names[int(v)] for v in vertices]
        assert names[np.array([[0, 1], [3, 4]])].tolist() == [["Ann", "Bob"], ["Dan", "Eve"]]
        assert names[np.array([True, False, False, True, False])].tolist() == ["Ann", "Dan"]
        assert names[[True] + [False] * 4].tolist() == ["Ann"]
        assert names[np.array(2)] == names[np.int8(2)] == "Cy"
        assert names[np.zeros((0, 2), int)].shape == (0, 2)
        assert names[[]].shape == (0,)
        assert np.array_equal(graph.index(names[[3, 1]]), [3, 1])
    numbers = sg.from_table(pa.table({"u": [70, 5], "v": [900, 70]})).nodes
    assert numbers[[2, 0]].dtype == np.int64 and numbers[[2, 0]].tolist() == [900, 5]
    for wrong, kind, message in (
        ([0, 5], IndexError, r"got 5, but there are 5 vertices, numbered from 0$"),
        ([0, -1], IndexError, "got -1, but there are 5 vertices, numbered from 0; -1 means no vertex"),
        (np.array([2**64 - 1], np.uint64), IndexError, "got 18446744073709551615, but there are 5"),
        ([True, False], IndexError, r"got a mask of shape \(2,\), but there are 5 vertices"),
        ([1.0], TypeError, "takes numbers of vertices or a mask of bool, got float64"),
        (["Ann"], TypeError, "takes numbers of vertices or a mask of bool, got"),
        ("Ann", TypeError, "an array of numbers, or a mask; got 'Ann'"),
        (1.5, TypeError, "an array of numbers, or a mask; got 1.5"),
        (5, IndexError, "index out of bounds"),
    ):
        with pytest.raises(kind, match=message):
            graph.nodes[wrong]


def test_the_order_of_the_rows_does_not_matter(threads):
    rng = np.random.default_rng(0)
    ids = np.array([f"id{k:06d}" for k in rng.permutation(60_000)])
    u, v = ids[rng.integers(0, ids.size, (2, 50_000))]
    order = rng.permutation(u.size)
    graph = sg.from_table(pa.table({"u": u, "v": v}))
    assert graph == sg.from_table(pa.table({"v": v[order], "u": u[order]}))
    assert list(graph.nodes) == np.unique([u, v]).tolist()
    names = np.asarray(graph.nodes)
    ends = np.searchsorted(names, u), np.searchsorted(names, v)
    assert graph == sg.from_edges(*ends, symmetrize=True, nodes=graph.nodes)


def test_wide_integers_are_numbered_as_numpy_does(threads):
    u, v = np.random.default_rng(1).integers(-(2**62), 2**62, (2, 40_000)) // 2**48 * 2**48
    first, second, n, ids = number_integers(u, v)
    expected, inverse = np.unique([u, v], return_inverse=True)
    assert n == expected.size
    assert np.array_equal(ids, expected)
    assert np.array_equal([first, second], inverse.reshape(2, -1))


TAILS = ["", "\0", "\0\0", "a", "a\0", "aa", "b", "é", "z\0z"]


@each(
    pairs=True,
    start=["", "customer-", "x" * 14, "long enough not to be a key: "],
    kind=[pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(7)],
)
def test_short_and_long_texts_ascend_alike(start, kind, threads):
    """Zeros count as bytes, and prefixes come first, no matter whether all texts fit into keys."""
    draw = np.random.default_rng(0)
    names = [start + tail for tail in [*TAILS, *(f"{k:x}" for k in draw.integers(0, 2**24, 20_000))]]
    values = [name.encode() for name in names] if "binary" in str(kind) else names
    if kind == pa.binary(7):
        values = [value[-7:].ljust(7, b"\0") for value in values]
    column = pa.array(values, kind)
    halves = column[: len(column) // 2], column[len(column) // 2 :]  # they begin within the memory of the whole column
    numbers, result = numbered_names([*map(pa.chunked_array, (halves[::-1], halves))])
    u, v = np.split(numbers, 2)
    expected, numbers = np.unique(np.array(values, object), return_inverse=True)
    assert result.to_pylist() == expected.tolist()
    assert np.array_equal(v, numbers)
    assert np.array_equal(u, np.roll(numbers, -(len(column) // 2)))


def test_short_texts_in_plain_python():
    words = [b"a", b"", b"b" * 15, b"a", b"\xff\0", b"", b"\xff"]
    column = pa.chunked_array([pa.array(words[:3]), pa.array(words[3:])])
    with use_target("python", seed=1):
        numbers, names = numbered_names([column, column])
    u, v = np.split(numbers, 2)
    assert u.tolist() == v.tolist() == [1, 0, 2, 1, 4, 0, 3]
    assert names.to_pylist() == [b"", b"a", b"b" * 15, b"\xff", b"\xff\0"]


def test_equal_texts_in_plain_python():
    words = [b"a", b"", b"b", b"a", b"\xff\0", b"", b"\xff", b"a"]
    texts = Texts(np.frombuffer(b"".join(words), np.uint8), np.cumsum([0, *map(len, words)]))
    with use_target("python", seed=1):
        assert first_equals(texts).tolist() == [0, 1, 2, 0, 4, 1, 6, 0]


def test_directed_tables_and_weights():
    rows = {"from": [1, 1, 2], "to": [2, 2, 1], "cost": [0.5, 0.5, 2.0]}
    arcs = sg.from_table(pa.table(rows), weight="cost", directed=True)
    assert (arcs.directed, arcs.nodes.tolist(), arcs.weights.tolist()) == (True, [1, 2], [0.5, 2.0])
    rows["cost"][1] = 0.75
    assert sg.from_table(pa.table(rows), weight="cost", directed=True).num_entries == 3
    assert sg.from_table(pa.table(rows), weight="cost", merge="max").weights.tolist() == [2.0, 2.0]
    with pytest.raises(
        ValueError, match=r"weights of entry \(1, 2\) differ: .* pass merge='min'.* pass weights=False$"
    ):
        sg.from_table(pa.table(rows), weight="cost")
    with pytest.raises(ValueError, match="leave out directed=True, or merge"):
        sg.from_table(pa.table(rows), weight="cost", directed=True, merge="min")


def test_sums_of_integers_have_64_bits():
    cents = pa.table({"u": [1, 1, 1], "v": [2, 2, 3], "cents": pa.array([1_500_000_000, 1_500_000_000, 1], pa.int32())})
    graph = sg.from_table(cents, "u", "v", "cents", merge="sum")
    assert graph.weights.tolist() == [3_000_000_000, 1, 3_000_000_000, 1]
    assert graph.weights.dtype == np.int64


def test_sums_that_do_not_fit_are_refused():
    for kind, number in ((pa.int64(), 2**62), (pa.uint64(), 2**63)):
        table = pa.table({"u": ["Ann", "Bob"], "v": ["Bob", "Ann"], "w": pa.array([number, number], kind)})
        with pytest.raises(ValueError, match=rf"the weights of entry \('Ann', 'Bob'\) sum to {2 * number}, which"):
            sg.from_table(table, "u", "v", "w", merge="sum")


def test_columns_that_are_found():
    assert sg.from_table(pa.table({"a": [0], "b": [1]})).num_edges == 1
    assert sg.from_table(pa.table({"a": [0], "w": [5], "b": [1]}), weight="w").weights.tolist() == [5, 5]
    assert sg.from_table(pa.table({"a": [0], "W": [5], "b": [1]})).weights.tolist() == [5, 5]
    assert sg.from_table(pa.table({"a": [0], "W": [5], "b": [1]}), weights=False).weights is None
    assert sg.from_table(pa.table({"Src": [0], "x": ["9"], "DST": [1]})).num_edges == 1
    assert sg.from_table(pa.table({"u": [0], "v": [1], "x": [2]}), "v", "x", weights=False).num_vertices == 2
    assert sg.from_table(pa.table({"u": [0], "v": [1], "__index_level_0__": [2]})).weights is None


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"a": [1]}, {}, "columns of the two ends .* the columns are 'a'"),
        ({"a": [1], "b": [2], "c": [3]}, {}, "by source= and target=; the columns are 'a', 'b', 'c'"),
        ({"weight": [1], "a": [1]}, {}, "columns of the two ends .* the columns are 'weight', 'a'"),
        ({"u": [1], "U": [1], "v": [2]}, {}, "columns of the two ends .* the columns are 'u', 'U', 'v'"),
        ({"u": [1], "v": [2], "x": [3]}, {}, "weights could be in 'x'; name their column by weight=, or pass weights="),
        ({"u": [1], "v": [2], "w": [3], "weight": [3]}, {}, "weights could be in 'w', 'weight'; name their column"),
        (
            {"u": [1], "v": [2], "x": [3]},
            {"source": "u", "target": "v", "weights": True},
            "weights could be in 'x'; name their column",
        ),
        ({"u": [1], "v": [2], "x": [3]}, {"weight": "x", "weights": False}, "weights=False ignores weights; leave out"),
        ({f"{k}{'x' * 60}": [1] for k in range(90)}, {}, "the columns are '0x+', '1x+', '2x+' and 87 more$"),
        ({"u": [1], "v": [2]}, {"source": "u", "target": "u"}, "both ends are the column 'u'"),
        ({"u": [1], "v": [2], "from": [3], "to": [3]}, {}, "the columns are 'u', 'v', 'from', 'to'"),
        ({"u": [1], "v": [2]}, {"source": "x", "target": "v"}, "no column 'x'; the columns are 'u', 'v'"),
        ({"u": [1], "v": [2]}, {"weight": "w"}, "no column 'w'"),
        ({"u": [1], "v": [2]}, {"source": "u"}, "both source= and target="),
        ({"u": ["a", None], "v": ["b", "c"]}, {}, "column 'u', row 1 .*missing"),
        ({"u": [1, 2], "v": [None, 2]}, {}, "column 'v', row 0 .*missing"),
        ({"u": [1], "v": ["b"]}, {}, "column 'u' is of type int64, but column 'v' of type string; both ends"),
        ({"u": [1.5], "v": [2.0]}, {}, "column 'u' is of type double, but vertex ids are"),
        ({"u": [1], "v": [2], "w": ["x"]}, {"weight": "w"}, "weights are numbers"),
        ({"u": [1], "v": [2], "w": [float("nan")]}, {"weight": "w"}, "not a number"),
        ({"u": np.array([2**63], np.uint64), "v": [-2]}, {}, "column 'v', row 0 .* -2 is negative and id .* texts"),
    ],
)
def test_wrong_tables_are_refused(columns, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        sg.from_table(pa.table(columns), **options)
    assert "\n" not in str(caught.value)


def test_what_is_no_table():
    with pytest.raises(TypeError, match="__arrow_c_stream__, got ndarray"):
        sg.from_table(np.zeros((2, 2)))
    with pytest.raises(TypeError, match="read_graph reads files"):
        sg.from_table("edges.parquet")
    data_set = pytest.importorskip("pyarrow.dataset").dataset(pa.table(ENDS))
    with pytest.raises(TypeError, match=r"got InMemoryDataset; pass table\.to_table\(\)"):
        sg.from_table(data_set)
    pandas = pytest.importorskip("pandas", minversion="2.2", reason="pandas is not installed")
    with pytest.raises(ValueError, match="cannot be read as Arrow"):
        sg.from_table(pandas.DataFrame({"u": [1, "a"], "v": [2, 3]}, dtype=object))
    for table in (pa.table(ENDS), pandas.DataFrame(ENDS)):
        with pytest.raises(TypeError, match=r"from_table\(table, 'source', 'target'\) takes two columns"):
            sg.as_graph(table)


def test_a_lazy_table_is_refused_with_its_cure():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(TypeError, match=r"got LazyFrame; pass table\.collect\(\), which is one"):
        sg.from_table(pl.DataFrame(ENDS).lazy())


@pytest.mark.parametrize("kind", [pa.int32(), pa.string(), pa.binary(4)])
def test_empty_table(kind):
    graph = sg.from_table(pa.table({"u": pa.array([], kind), "v": pa.array([], kind)}))
    assert (graph.num_vertices, sg.to_table(graph, x=graph.degrees).num_rows) == (0, 0)


def test_answers_that_are_no_columns():
    graph = sg.from_table(pa.table(ENDS))
    with pytest.raises(TypeError, match="parts is a tuple of 2 results: pass one array, the second of them"):
        sg.to_table(graph, parts=sg.connected_components(graph))
    with pytest.raises(ValueError, match=r"x must have one value .*got shape \(3,\)"):
        sg.to_table(graph, x=[1, 2, 3])
    assert sg.to_table(graph, x=(1, 2, 3, 4, 5)) == sg.to_table(graph, x=[1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="another name"):
        sg.to_table(graph, id=[1, 2, 3, 4, 5])
    with pytest.raises(TypeError, match=r"takes a Graph first, which as_graph makes; got pyarrow\.lib\.Table"):
        sg.to_table(pa.table(ENDS), x=[1])
    with pytest.raises(TypeError, match=r"for a table of the edges of a forest: to_table\(graph, forest=forest\)"):
        sg.to_table(sg.minimum_spanning_forest(graph))
    with pytest.raises(ValueError, match="several types"):
        sg.to_table(sg.from_edges([0], [1], symmetrize=True, nodes=["a", (1, 2)]))
    best = sg.large_independent_set(graph)
    assert sg.to_table(graph, member=best)["member"].to_pylist() == best.mask.tolist()


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.binary(2)])
def test_a_forest_is_a_table_of_edges_by_id(kind):
    ids = {pa.string(): ["c", "a", "b"], pa.int64(): [70, -5, 900], pa.binary(2): [b"cc", b"aa", b"bb"]}[kind]
    ends = [pa.array([ids[k] for k in numbers], kind) for numbers in ([0, 1, 2], [1, 2, 0])]
    graph = sg.from_table(pa.table({"u": ends[0], "v": ends[1], "cost": [5, 1, 2]}), "u", "v", "cost")
    table = sg.to_table(graph, forest=sg.minimum_spanning_forest(graph))
    cheap = {(frozenset((ids[1], ids[2])), 1), (frozenset((ids[2], ids[0])), 2)}
    assert {(frozenset(row[:2]), row[2]) for row in zip(*table.to_pydict().values(), strict=True)} == cheap
    assert table.schema.names == ["source", "target", "weight"]
    assert table.schema.field("source").type == kind
    again = sg.from_table(table, weight="weight")
    assert (list(again.nodes), again.num_edges) == (sorted(ids), 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_coarse_graph_is_a_table_of_edges_by_id(weighted):
    rows = {"source": ["d", "a", "b", "c"], "target": ["e", "b", "c", "d"]}
    graph = sg.from_table(pa.table(rows | ({"weight": [1.5, 2.0, 4.0, 8.0]} if weighted else {})))
    coarse = sg.coarse_graph(graph, [1, 1, 0, 0, 2], loops=True, names=True)
    assert list(coarse.nodes) == ["c", "a", "e"]  # the smallest of each aggregate
    table = sg.to_table(coarse, edges=coarse).to_pydict()
    assert list(zip(table["source"], table["target"], strict=True)) == [
        ("c", "c"),
        ("c", "a"),
        ("c", "e"),
        ("a", "a"),
    ]
    assert table.get("weight") == ([8.0, 4.0, 1.5, 2.0] if weighted else None)
    assert sg.coarse_graph(graph, [1, 1, 0, 0, 2]).nodes is None
    numbered = sg.coarse_graph(gallery.grid((4,)), [0, 1, 0, 1], names=True)
    assert list(numbered.nodes) == [0, 1]
    assert sg.to_table(numbered, edges=numbered).to_pydict() == {"source": [0], "target": [1]}
    with pytest.raises(TypeError, match="names must be True or False"):
        sg.coarse_graph(graph, [1, 1, 0, 0, 2], names="id")


def test_arcs_and_refused_edges():
    arcs = sg.from_edges(["x", "y", "y"], ["y", "x", "z"], directed=True)
    expected = {"source": ["x", "y", "y"], "target": ["y", "x", "z"]}
    assert sg.to_table(arcs, edges=arcs).to_pydict() == expected
    assert sg.to_table(arcs, edges=arcs.to_scipy()).to_pydict() == expected
    assert sg.to_table(arcs, edges=np.arange(3)).column_names == ["id", "edges"]  # an answer for each vertex
    with pytest.raises(ValueError, match="edges must have the 3 vertices of the graph, got 5"):
        sg.to_table(arcs, edges=gallery.grid((5,)))
    with pytest.raises(ValueError, match="edges have a row for each edge: make a table without other answers"):
        sg.to_table(arcs, edges=arcs, degree=arcs.degrees)


@pytest.mark.parametrize("ids", [[30, 10, 20, 5, 40], ["r30", "r10", "r20", "r05", "r40"]])
def test_clusters_by_their_smallest_ids(ids):
    graph = sg.from_table(pa.table({"source": [ids[0], ids[3]], "target": [ids[4], ids[2]]}))
    for labels in (
        sg.connected_components(graph)[1],
        sg.connected_components(graph, label="smallest")[1],
        [-7, -7, 9, 9],
    ):
        table = sg.cluster_table(graph, labels)
        assert table.column_names == ["id", "cluster", "size"]
        assert table["id"].to_pylist() == sorted(ids)[:1] + sorted(ids)[2:]
        assert table["cluster"].to_pylist() == [ids[3], ids[3], ids[0], ids[0]]
        assert table["size"].to_pylist() == [2, 2, 2, 2]


def test_clusters_without_names_and_what_is_refused():
    grid = gallery.grid((4,))
    table = sg.cluster_table(grid, [2, 0, 2, 2]).to_pydict()
    assert table == {"id": [0, 1, 2, 3], "cluster": [0, 1, 0, 0], "size": [3, 1, 3, 3]}
    assert sg.cluster_table(sg.from_edges([], [], n=0), []).num_rows == 0
    with pytest.raises(ValueError, match="labels must have one label for each of the 4 vertices"):
        sg.cluster_table(grid, [0, 1])
    with pytest.raises(TypeError, match="labels must be integers, got float64"):
        sg.cluster_table(grid, [0.5, 1, 1, 1])
    with pytest.raises(TypeError, match=r"cluster_table\(graph, labels\) takes a Graph first"):
        sg.cluster_table(grid.to_scipy(), [0, 0, 0, 0])


def test_a_table_of_a_forest_without_names_and_what_is_refused():
    graph = sg.from_edges([0, 1, 3], [1, 3, 0], n=5, symmetrize=True)
    forest = sg.minimum_spanning_forest(graph)
    assert sg.to_table(graph, forest=forest).to_pydict() == {"source": [0, 0], "target": [1, 3]}
    assert sg.to_table(graph, forest=forest + forest.T).equals(sg.to_table(graph, forest=sg.as_graph(forest)))
    assert sg.to_table(graph, forest=np.arange(5)).column_names == ["id", "forest"]  # an answer for each vertex
    with pytest.raises(ValueError, match="has no partner"):
        sg.to_table(graph, forest=forest.copy())
    with pytest.raises(ValueError, match="forest must have the 5 vertices of the graph, got 4"):
        sg.to_table(graph, forest=forest[:4, :4] + forest[:4, :4].T)
    with pytest.raises(ValueError, match="a row for each edge"):
        sg.to_table(graph, forest=forest, degree=graph.degrees)
