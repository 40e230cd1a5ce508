"""Clusters of pairs: equal to sets that are merged one by one, for tables of every library; wrong tables are named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.forest.one_per_source import one_per_source
from tests.support import naive
from tests.support.cases import each

pa = pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")

IDS = ["a", "bb", "c" * 20, "d", "é", "f"]
PAIRS = {"l": ["a", "bb", "d", "a"], "r": ["bb", "c" * 20, "é", "d"], "score": [0.9, 0.6, 0.6, 0.1]}
ROWS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0])), max_size=14
)


def rows(table):
    return list(zip(*table.to_pydict().values(), strict=True))


def expected_rows(clusters, names):
    """Return id, smallest id and size of each vertex."""
    named = [sorted(names[v] for v in cluster) for cluster in clusters]
    return sorted((name, cluster[0], len(cluster)) for cluster in named for name in cluster)


def table_of(edges, names):
    u, v, scores = zip(*edges, strict=True) if edges else ((), (), ())
    kind = pa.string() if isinstance(names[0], str) else pa.int64()
    columns = [pa.array([names[w] for w in end], kind) for end in (u, v)]
    return pa.table({"u": columns[0], "v": columns[1], "score": pa.array(scores, pa.float64())})


@settings(max_examples=40)
@given(ROWS, st.sampled_from([None, 0.0, 0.2]), st.sampled_from(["texts", "long", "integers"]), st.integers(0, 8))
def test_equal_to_merging_sets(edges, threshold, kind, split):
    """With records, and if earlier pairs are replaced by their result."""
    names = {"texts": list("abcdefgh"), "long": [k * 20 for k in "abcdefgh"], "integers": [7, 5, 9, -3, 2**40, 0, 1, 4]}
    names = names[kind]
    kept = [edge for edge in edges if threshold is None or edge[2] >= threshold]
    clusters = naive.one_per_source(8, kept, range(8))
    pairs = table_of(edges, names)
    how = {"threshold": threshold} if threshold is not None else {}
    assert rows(sg.cluster_pairs(pairs, names, **how)) == expected_rows(clusters, names)
    used = {v for edge in kept for v in edge[:2]}
    alone = [cluster for cluster in clusters if cluster <= used]
    assert rows(sg.cluster_pairs(pairs, **how)) == expected_rows(alone, names)
    earlier = sg.cluster_pairs(pairs[:split], names[:4], **how)
    assert rows(sg.cluster_pairs(pairs[split:], pa.array(names), start=earlier, **how)) == expected_rows(
        clusters, names
    )


@given(ROWS, st.lists(st.integers(0, 3), min_size=8, max_size=8), st.sampled_from([1, 17, 62]), st.booleans())
def test_one_record_per_source(edges, sources, factor, in_python):
    """Sources with a common bit (62 apart) are looked up one by one."""
    origin = [source * factor for source in sources]
    clusters = naive.one_per_source(8, edges, origin)
    records = pa.table({"id": range(8), "source": origin})
    with use_target("python" if in_python else "cpu", **({"seed": 0} if in_python else {})):
        found = sg.cluster_pairs(table_of(edges, range(8)), records, sources="source")
    assert rows(found) == expected_rows(clusters, range(8))
    strong = [edge for edge in edges if edge[2] >= 0.25]
    first = naive.one_per_source(8, strong, origin)
    start = sg.cluster_pairs(table_of(edges, range(8)), records, threshold=0.25, sources="source")
    later = sg.cluster_pairs(table_of(edges, range(8)), records, sources="source", start=start)
    assert rows(later) == expected_rows(naive.one_per_source(8, edges, origin, first), range(8))


@given(ROWS, st.lists(st.integers(0, 2), min_size=8, max_size=8), st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_the_verifier_accepts_only_the_clusters_of_the_rule(edges, sources, other):
    u, v, scores = zip(*edges, strict=True) if edges else ((), (), ())
    graph = sg.from_edges(np.array(u, int), np.array(v, int), np.array(scores, float), 8, symmetrize="max")
    clusters = naive.one_per_source(8, edges, sources)
    right = [next(k for k, cluster in enumerate(clusters) if w in cluster) for w in range(8)]
    assert sg.explain(sg.is_one_per_source, graph, right, sources) is None
    for changed in (other, right[:-1] + other[:1]):
        same = {frozenset(np.flatnonzero(np.array(changed) == label).tolist()) for label in changed}
        assert sg.is_one_per_source(graph, changed, sources) == (same == set(map(frozenset, clusters)))


def test_many_records_per_source(threads):
    """Hash chains and bits give clusters that the verifier accepts."""
    draw, n, m = np.random.default_rng(3), 3000, 9000
    u, v, scores = draw.integers(0, n, m), draw.integers(0, n, m), draw.integers(0, 50, m)
    graph = sg.from_edges(u, v, scores, n, symmetrize="max")
    for k in (3, 62, 63, 500, 2500):
        sources = draw.integers(0, k, n)
        labels = one_per_source(graph._rows(), graph.indices, graph.weights, sources)
        assert sg.explain(sg.is_one_per_source, graph, labels, sources) is None
        assert np.bincount(labels).max() <= k
        labels[np.flatnonzero(labels == labels[0])[0]] = n
        assert not sg.is_one_per_source(graph, labels, sources)


def test_the_verifier_takes_names_in_any_order():
    graph = sg.from_edges(["a", "a", "b"], ["b", "c", "d"], [3, 2, 1], symmetrize=True)
    sources = {"d": "Z", "c": "Y", "b": "Y", "a": "X"}
    right = {"c": "c", "a": "a", "d": "a", "b": "a"}
    for labels in (right, [right[name] for name in graph.nodes], [0, 0, 2, 0]):
        for origins in (sources, np.array([sources[name] for name in graph.nodes], object), [0, 1, 1, 2]):
            assert sg.explain(sg.is_one_per_source, graph, labels, origins) is None
    wrong = sg.explain(sg.is_one_per_source, graph, {**right, "c": "a"}, sources)
    assert wrong == "vertices 'b' and 'c' both have label 'a', but are of the same source"
    for origins, words in (
        ({"a": "X"}, "origins has no value for vertex 'b'"),
        ({**sources, "e": "X"}, "'e'"),
        ({**sources, "a": None}, "origins must be integers or texts, got dtype object"),
        ([1.5] * 4, "origins must be integers or texts, got dtype float64"),
    ):
        with pytest.raises((ValueError, TypeError), match=re.escape(words)):
            sg.is_one_per_source(graph, right, origins)


def test_the_verifier_names_two_vertices(monkeypatch):
    graph = sg.from_edges([0, 0, 1], [1, 2, 3], [3, 2, 1], symmetrize=True)
    say = [
        ([0, 0, 0, 0], [0, 1, 1, 2], "vertices 1 and 2 both have label 0, but are of the same source"),
        ([0, 0, 1, 1], [0, 1, 1, 2], "vertices 2 and 3 both have label 1, but are not connected inside it"),
        ([0, 0, 2, 3], [0, 1, 1, 2], "vertices 1 and 3 have different labels, but no source had vertices in both"),
        ([0, 1, 0, 1], [0, 1, 1, 2], "vertices 0 and 1 have different labels, but no source had vertices in both"),
    ]
    for piece in (1, 1 << 20):
        monkeypatch.setattr("stablegraph.verify.one_per_source._PIECE", piece)
        assert sg.is_one_per_source(graph, [0, 0, 2, 0], [0, 1, 1, 2])
        for labels, sources, words in say:
            assert words in sg.explain(sg.is_one_per_source, graph, labels, sources)
    with pytest.raises(ValueError, match="NaN"):
        sg.is_one_per_source(sg.from_edges([0], [1], [np.nan], symmetrize=True), [0, 0], [0, 1])


def libraries():
    def polars(columns):
        return pytest.importorskip("polars", reason="polars is not installed").DataFrame(columns)

    def pandas(columns):
        return pytest.importorskip("pandas", minversion="2.2", reason="pandas is not installed").DataFrame(columns)

    def duckdb(columns):
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
        made = pa.table(columns)  # noqa: F841 - in the query
        return duckdb.connect().sql("SELECT * FROM made")

    return [pa.table, polars, pandas, duckdb]


@pytest.mark.parametrize("library", libraries(), ids=["pyarrow", "polars", "pandas", "duckdb"])
def test_tables_of_every_library(library):
    pairs, records = library(PAIRS), library({"name": list(range(6)), "id": IDS})
    found = sg.cluster_pairs(pairs, records, threshold=0.6)
    expected = pa.table if library.__name__ == "duckdb" else library
    assert type(found) is type(expected(PAIRS))
    table = found if isinstance(found, pa.Table) else pa.table(found)
    clusters = [("a", "a", 3), ("bb", "a", 3), ("c" * 20, "a", 3), ("d", "d", 2), ("f", "f", 1), ("é", "d", 2)]
    assert rows(table) == clusters
    alone = sg.cluster_pairs(pairs, IDS if library.__name__ == "duckdb" else records["id"])
    alone = alone if isinstance(alone, pa.Table) else pa.table(alone)
    assert {name: size for name, _, size in rows(alone)} == {**dict.fromkeys(IDS, 5), "f": 1}


def test_facts_of_clusters():
    pairs = pa.table({"u": list("abbcdxf"), "v": list("bcaadyf")})
    found = sg.cluster_pairs(pairs, ["z"], facts=True).to_pydict()
    by_id = dict(zip(found["id"], zip(found["edges"], found["density"], found["bridges"], strict=True), strict=True))
    assert by_id == {
        **dict.fromkeys("abc", (3, 1.0, 0)),
        **dict.fromkeys("dfz", (0, None, 0)),
        **dict.fromkeys("xy", (1, 1.0, 1)),
    }
    graph = sg.from_table(pairs)
    halves = sg.cluster_table(graph, [0, 0, 1, 2, 3, 4, 4], facts=True).to_pydict()
    assert (halves["edges"][:3], halves["bridges"][:3]) == ([1, 1, 0], [1, 1, 0])
    counties = sg.gallery.load("us-counties")
    whole = sg.cluster_table(counties, np.zeros(len(counties), int), facts=True)
    assert whole["edges"][0].as_py() == counties.num_edges
    assert whole["bridges"][0].as_py() == len(sg.bridges(counties))


def test_integers_are_compared_exactly():
    pairs = pa.table({"u": [0, 1], "v": [1, 2], "score": [2**53, 2**53 + 1]})
    assert len(sg.cluster_pairs(pairs, threshold=2**53 + 1)) == 2
    assert len(sg.cluster_pairs(pairs, threshold=float(2**53))) == 3
    tenths = pairs.set_column(2, "score", pa.array([0.7, 0.6], pa.float32()))
    assert len(sg.cluster_pairs(tenths, threshold=0.7)) == 2
    assert (
        len(sg.cluster_pairs(tenths.set_column(2, "score", pa.array([True, False])), column="score", threshold=1)) == 2
    )


def test_empty_tables():
    empty = pa.table({"u": [], "v": [], "score": []})
    assert rows(sg.cluster_pairs(empty)) == []
    assert rows(sg.cluster_pairs(empty, ["b", "a"], threshold=0)) == [("a", "a", 1), ("b", "b", 1)]
    assert rows(sg.cluster_pairs(empty, [3, 1], start=pa.table({"id": [5], "cluster": [5]}), facts=False)) == [
        (1, 1, 1),
        (3, 3, 1),
        (5, 5, 1),
    ]
    assert sg.from_table(empty, "u", "v", nodes=["x"]).nodes == ["x"]
    assert len(sg.from_table(pa.table(PAIRS), "l", "r", nodes=[])) == 5


def test_ids_without_edges():
    table = pa.table({"u": [3, 5], "v": [5, 9], "w": [1, 2]})
    graph = sg.from_table(table, nodes=np.array([4, 9, 12], np.int32), weight="w")
    assert (list(graph.nodes), graph.degrees.tolist()) == ([3, 4, 5, 9, 12], [1, 0, 2, 1, 0])
    arcs = sg.from_table(table, nodes=pa.chunked_array([[0], [0]]), directed=True, weights=False)
    assert (list(arcs.nodes), arcs.directed) == ([0, 3, 5, 9], True)


PLAIN = pa.table(PAIRS)
RECORDS = pa.table({"id": IDS, "s": [1, 2, 3, 1, 2, 3]})
ZERO = pa.table({"u": [0], "v": [1], "score": [1.0], "rank": [2]})


@each(
    case=[
        (lambda: sg.cluster_pairs(PLAIN, column="score"), ValueError, "threshold= and sources="),
        (lambda: sg.cluster_pairs(PLAIN, threshold=np.nan), ValueError, "finite number, got nan"),
        (lambda: sg.cluster_pairs(PLAIN, threshold="0.6"), TypeError, "finite number, got '0.6'"),
        (lambda: sg.cluster_pairs(PLAIN, threshold=True), TypeError, "finite number"),
        (
            lambda: sg.cluster_pairs(ZERO, threshold=1),
            ValueError,
            "one of 'score', 'rank'; name their column by column=",
        ),
        (lambda: sg.cluster_pairs(ZERO.select(["u", "v"]), threshold=1), ValueError, "in no column of numbers"),
        (lambda: sg.cluster_pairs(ZERO, threshold=1, column="u"), ValueError, "'u' is an end of the pairs"),
        (lambda: sg.cluster_pairs(ZERO, threshold=1, column="x"), ValueError, "pairs: there is no column 'x'"),
        (lambda: sg.cluster_pairs(ZERO.rename_columns(list("abcd"))), ValueError, "pairs: name the columns of the two"),
        (lambda: sg.cluster_pairs(PLAIN, RECORDS, sources="t", threshold=0), ValueError, "one column by sources="),
        (lambda: sg.cluster_pairs(PLAIN, IDS, sources="s"), ValueError, "pass records=, a table"),
        (lambda: sg.cluster_pairs(PLAIN, IDS, id="id", threshold=0), ValueError, "id= names a column"),
        (lambda: sg.cluster_pairs(PLAIN, ZERO, threshold=0), ValueError, "records: name one column by id="),
        (lambda: sg.cluster_pairs(PLAIN, RECORDS, id="x", threshold=0), ValueError, "records: name one column by id="),
        (lambda: sg.cluster_pairs(PLAIN, RECORDS[1:], sources="s"), ValueError, "the id 'a' is not in records"),
        (lambda: sg.cluster_pairs(PLAIN, [1, 2], threshold=0), ValueError, "column 'records' of type int64"),
        (lambda: sg.cluster_pairs(PLAIN, [["a"]], threshold=0), ValueError, "column 'records' is of type list"),
        (lambda: sg.cluster_pairs(PLAIN, "ids.txt", threshold=0), TypeError, "records must be one column of ids"),
        (lambda: sg.cluster_pairs(PLAIN, ["a", None], threshold=0), ValueError, "column 'records', row 1 .*missing"),
        (lambda: sg.cluster_pairs(PLAIN, threshold=0, start=PLAIN), ValueError, "start must have the columns id and"),
        (lambda: sg.cluster_pairs(PLAIN, threshold=0, start=RECORDS, facts=True), ValueError, "facts=True counts"),
        (lambda: sg.cluster_pairs("pairs.csv"), TypeError, "read_graph reads files"),
        (lambda: sg.from_table(PLAIN, "l", "r", nodes=RECORDS), TypeError, "nodes must be one column of ids"),
        (lambda: sg.from_table(PLAIN, "l", "r", nodes=[1.5]), ValueError, "column 'nodes' is of type double"),
    ]
)
def test_wrong_arguments(case):
    call, error, words = case
    with pytest.raises(error, match=words):
        call()


@each(
    case=[
        ({"score": [0.9, None, 0.6, 0.1]}, "column 'score', row 1 .*missing"),
        ({"score": [0.9, 0.6, float("nan"), 0.1]}, "column 'score', row 2 .*the score is not a number"),
        ({"score": ["a", "b", "c", "d"]}, "the scores are in no column of numbers"),
        ({"l": ["a", None, "d", "a"]}, "column 'l', row 1 .*missing"),
    ]
)
def test_missing_values_are_named(case):
    change, words = case
    with pytest.raises(ValueError, match=words):
        sg.cluster_pairs(pa.table({**PAIRS, **change}), threshold=0.2)


def test_wrong_records_and_earlier_results():
    again = pa.concat_tables([RECORDS, pa.table({"id": ["a"], "s": [3]})])
    with pytest.raises(ValueError, match="records= has the id 'a' with several sources"):
        sg.cluster_pairs(PLAIN, again, sources="s")
    with pytest.raises(ValueError, match=r"records: column 's', row 1 .*missing"):
        sg.cluster_pairs(PLAIN, pa.table({"id": ["a", "bb"], "s": [1, None]}), sources="s")
    for start, words in (
        ({"id": ["a", "a"], "cluster": ["a", "a"]}, "several rows with the id 'a'"),
        ({"id": ["a", "bb"], "cluster": ["a", "d"]}, "the cluster 'd', which is none of its ids"),
    ):
        with pytest.raises(ValueError, match=words):
            sg.cluster_pairs(PLAIN, threshold=0.2, start=pa.table(start))
    with pytest.raises(ValueError, match="start has the id 'd' in a cluster with another record of the same source"):
        sg.cluster_pairs(PLAIN, RECORDS, sources="s", start=pa.table({"id": ["a", "d"], "cluster": ["a", "a"]}))
    texts = RECORDS.set_column(1, "s", pa.array(["x", "y", "z", "x", "y", "z"]).dictionary_encode())
    assert rows(sg.cluster_pairs(PLAIN, texts, sources="s")) == rows(sg.cluster_pairs(PLAIN, RECORDS, sources="s"))
    for title in ("ID", " id "):  # of several columns
        named = pa.table({"name": RECORDS["s"], title: RECORDS["id"]})
        assert rows(sg.cluster_pairs(PLAIN, named, threshold=0.2)) == rows(
            sg.cluster_pairs(PLAIN, RECORDS["id"], threshold=0.2)
        )
