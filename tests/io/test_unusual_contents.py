"""Texts without a last line end, values that are not wanted, infinities, tables without rows, indices of pandas, and
texts that are not UTF-8: the same graph, or the same error, in every format.
"""

from __future__ import annotations

import io
import itertools
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io import FORMATS, GraphFileError
from stablegraph.io.detect import BINARY, SUFFIXES
from tests.io.samples import assert_same, needs_pyarrow, read

TEXTS = {suffix: format for suffix, format in SUFFIXES.items() if format not in BINARY}


def saved(graph, suffix, tmp_path):
    """Return the file that `write_graph` writes for a suffix, or None if the format cannot hold the graph."""
    path = tmp_path / f"graph{suffix}"
    try:
        sg.write_graph(path, graph)
    except ValueError:
        return None
    return path.read_bytes()


def outcome(data, name="", **options):
    """Return the graph in a file, or the message of the error."""
    try:
        return read(data, name, **options)
    except GraphFileError as error:
        return str(error)


# ---- Line ends

GRAPHS = {
    "empty": sg.from_edges([], [], n=0, symmetrize=True),
    "one vertex": sg.from_edges([], [], n=1, symmetrize=True),
    "no edges": sg.from_edges([], [], n=3, symmetrize=True),
    "last vertices isolated": sg.from_edges([0, 1], [1, 2], n=5, symmetrize=True),
    "last vertex isolated": sg.from_edges([0, 1], [1, 2], [5, 7], n=4, symmetrize=True),
    "edges": sg.from_edges([0, 1, 3], [1, 2, 4], symmetrize=True),
    "weights": sg.from_edges([0, 1, 3], [1, 2, 4], [5, 7, 12], symmetrize=True),
    "decimals": sg.from_edges([0, 1], [1, 2], [0.5, 7e10], symmetrize=True),
    "infinite": sg.from_edges([0, 1], [1, 2], [np.inf, -np.inf], symmetrize=True),
    "arcs": sg.from_edges([0, 2, 3], [1, 1, 2], [5, 7, 12], directed=True),
    "ids": sg.from_edges([0, 1], [1, 2], nodes=[3, 50, 60], symmetrize=True),
    "names": sg.from_edges([0, 1], [1, 2], nodes=["a", "b b", "é"], symmetrize=True),
}
WRITTEN = {  # forms that `write_graph` does not write
    ".mtx": [
        "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2.5\n0\n",
        "%%MatrixMarket matrix array integer symmetric\n0 0\n",
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n3 1 -4\n% the end\n",
    ],
    ".col": ["c\np edge 3 2\ne 1 2\nn 1 5\ne 2 3\nc end\n", "p edge 3 0\n"],
    ".graph": [
        "2 1 11 2\n1 2 2 3\n5 6 1 3\n",
        "2 0 10\n5\n6\n",
        "3 1\n2\n1\n% c\n\n",
        "3 0\n\n\n\n",
        "0 0\n",
        "1 0\n\n",
    ],
    ".txt": [
        "% sym\n0 1\n",
        "# Directed graph\n# Nodes: 3 Edges: 0\n",
        "0\t1\n1\t2\n\n",
        "# c\n5 7 -1\n7 9 1\n# end\n",
    ],
    ".csv": ["source,target\n", "u;v;w\na;b;1\nb;c;2\n", "u,v\n1,2\n2,'3'\n", '"from","to"\n"x","y"\n'],
    ".gr": ["p tw 3 1\n1 2\n", "p sp 2 1\na 1 2 5\n", "p tw 2 0\nc\n"],
}


@needs_pyarrow
@pytest.mark.parametrize("suffix", TEXTS)
def test_a_last_line_without_an_end_means_the_same(suffix, tmp_path):
    texts = [data for graph in GRAPHS.values() if (data := saved(graph, suffix, tmp_path)) is not None]
    texts += [text.encode() for text in WRITTEN.get(suffix, [])]
    assert len(texts) >= 4
    names = {"": {"format": TEXTS[suffix]}, f"x{suffix}": {}, "a pipe": {}}
    for text, ends, (name, options) in itertools.product(texts, (b"\n", b"\r\n"), names.items()):
        data = text.replace(b"\n", ends)
        assert data.endswith(ends)
        whole = outcome(data, name, **options)
        for cut in {1, len(ends)}:
            other = outcome(data[:-cut], name, **options)
            if isinstance(whole, str):  # without a name, "1 0" and an empty line could be two formats, "1 0" is an edge
                assert other == whole or "could be of format" in whole, data
            else:
                assert not isinstance(other, str), (data, other)
                assert_same(whole, other)
                assert whole.nodes is None or list(whole.nodes) == list(other.nodes)


# ---- Values that are not wanted

VALUES = [
    "7",
    "0.5",
    "nan",
    "-NaN",
    "inf",
    "1e999",
    "99999999999999999999",
    "1e-999",
    "text",
    "0x1F",
    "(1+2j)",
    "--",
    "é",
]
VALUED = {  # texts with two values
    "mtx": [
        "%%MatrixMarket matrix coordinate {field} general\n3 3 2\n1 2 {}\n2 3 {}\n",
        "%%MatrixMarket matrix coordinate {field} symmetric\n3 3 2\n2 1 {}\n3 2 {}\n",
        "%%MatrixMarket matrix coordinate {field} skew-symmetric\n3 3 2\n2 1 {}\n3 2 {}\n",
        "%%MatrixMarket matrix array {field} general\n2 2\n0\n{}\n0\n{}\n",
        "%%MatrixMarket matrix array {field} symmetric\n2 2\n0\n{}\n{}\n",
        "%%MatrixMarket matrix coordinate complex general\n3 3 2\n1 2 {} {}\n2 3 1 0\n",
        "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n2 1 {} {}\n3 2 1 0\n",
        "%%MatrixMarket matrix array complex hermitian\n2 2\n0 0\n{} {}\n0 0\n",
    ],
    "snap": ["0 1 {}\n1 2 {}\n", "0,1,{}\n1,2,{}\n", "# Nodes: 5 Edges: 2\n0\t1\t{}\n1\t2\t{}\n"],
    "csv": ["source,target,weight\n0,1,{}\n1,2,{}\n", "u;v;w;x\na;b;{};1\nb;c;{};2\n"],
    "dimacs": ["p sp 3 2\na 1 2 {}\na 2 3 {}\n"],
    "metis": ["2 1 1\n2 {}\n1 {}\n", "3 2 011\n5 2 {}\n6 1 {} 3 4\n7 2 4\n"],
}


@needs_pyarrow
@pytest.mark.parametrize("kind", VALUED)
def test_values_that_are_not_wanted_cannot_be_an_error(kind):
    """The graph is that of the file with the values 7 and 7; a line more or less, or another field, is refused."""
    name, format = ("x.csv", None) if kind == "csv" else ("", kind)
    count = 0
    for text in VALUED[kind]:
        for field in ("real", "integer", "double") if "{field}" in text else ("",):
            plain = read(text.format(7, 7, field=field), name, format=format, weights=False)
            for one, other in zip(VALUES, VALUES[5:] + VALUES[:5], strict=True):
                for stated in {format, None}:
                    data = text.format(one, other, field=field)
                    graph = read(data, name, format=stated, weights=False)
                    assert graph.weights is None
                    assert_same(graph, plain)
                    count += 1
                if "Nodes" in text or "MatrixMarket" in text or kind in ("dimacs", "metis"):
                    for lines in (data.splitlines()[:-1], data.splitlines() + data.splitlines()[-1:]):
                        with pytest.raises(GraphFileError):
                            read("\n".join(lines) + "\n", name, format=format, weights=False)
                longer = data.rstrip("\n") + (";" if ";" in data else "," if "," in data else " ") + "7\n"
                with pytest.raises(GraphFileError):
                    read(longer, name, format=format, weights=False)
    assert count >= 2 * len(VALUES)


@needs_pyarrow
def test_values_that_are_not_wanted_in_binary_files():
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    wrong = pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe"))
    columns = [["a", "b"], [1.0, np.nan], [None, 1], [{"x": 1}, None], pa.nulls(2), wrong, [1j, 2j]]
    for values in columns[:-1]:
        table = pa.table({"source": [0, 1], "target": [1, 2], "weight": values})
        assert sg.from_table(table, weights=False).num_edges == 2
        for write in (pyarrow.parquet.write_table, pyarrow.feather.write_feather):
            stream = io.BytesIO()
            write(table, stream)
            assert read(stream.getvalue(), weights=False).num_edges == 2
    for values, format in itertools.product([[1j, 2], [np.nan, 1], [np.inf, 2], [0, 1]], ["csr", "csc", "coo", "bsr"]):
        stream = io.BytesIO()
        sp.save_npz(stream, sp.coo_array((np.array(values), ([0, 1], [1, 2])), shape=(3, 3)).asformat(format))
        assert read(stream.getvalue(), weights=False).num_entries >= 2
    for values in (np.array(["a", "b"]), np.array([1, None], object)):  # in a file of NumPy
        stream = io.BytesIO()
        np.savez(stream, indptr=[0, 1, 2], indices=[1, 0], weights=values)
        assert read(stream.getvalue(), weights=False).num_entries == 2


@needs_pyarrow
def test_columns_that_are_not_wanted_in_data_frames():
    """A column of pandas may hold objects of several types, which Arrow refuses."""
    import pyarrow as pa

    class Frame(dict):
        columns = property(list)

        def __getitem__(self, names):
            return Frame({name: self.get(name) for name in names})

        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(dict(self)).__arrow_c_stream__(requested_schema)

    frame = Frame(source=[0, 1], target=[1, 2], weight=[1, "a"], note=[{}, 2])
    for options in ({"weights": False}, {"source": "source", "target": "target", "weights": False}):
        assert sg.from_table(frame, **options).num_edges == 2
    for options in ({}, {"source": "source", "target": "target"}, {"weight": "weight"}):
        with pytest.raises(ValueError, match=r"the table cannot be read as Arrow: .*; make each column of one type"):
            sg.from_table(frame, **options)
    assert sg.from_table(Frame(frame, weight=[5, 6]), "source", "target", "weight").weights.tolist() == [5, 5, 6, 6]


def test_a_complex_matrix_names_the_way_to_read_its_pattern():
    for symmetry in ("general", "symmetric", "hermitian"):
        text = f"%%MatrixMarket matrix coordinate complex {symmetry}\n2 2 1\n2 1 1 5\n"
        with pytest.raises(GraphFileError, match=r"line 1: .*complex.*; pass weights=False to read its pattern"):
            read(text)
        assert read(text, weights=False).directed == (symmetry == "general")


# ---- Infinities


@needs_pyarrow
@pytest.mark.parametrize("word", ["inf", "Inf", "INF", "+inf", "-inf", "Infinity", "-infinity", "+INFINITY"])
def test_infinite_weights_are_read_as_other_programs_write_them(word):
    value = float(word)
    for text, name in (
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 {}\n", ""),
        ("%%MatrixMarket matrix array real general\n2 2\n0\n0\n{}\n0\n", ""),
        ("# Directed graph\n0 1 {}\n", ""),
        ("0,1,{}\n", "x.csv"),
        ("source,target,weight\n0,1,{}\n", "x.csv"),
        ("p sp 2 1\na 1 2 {}\n", ""),
    ):
        assert set(read(text.format(word), name).weights.tolist()) == {value}
        for wrong in ("nan", f"{word}x", f"{word}e1", f"1{word}", f"{word[:-1]}", "infinit", "1.#INF"):
            with pytest.raises(GraphFileError, match=rf"{re.escape(wrong)}|not a number|of type string"):
                read(text.format(wrong), name)
    with pytest.raises(GraphFileError, match=r"(?i)inf"):
        read(f"2 1 1\n2 {word}\n1 {word}\n", format="metis")


@needs_pyarrow
def test_infinite_weights_are_written_and_read_again(tmp_path):
    graph, kept = GRAPHS["infinite"], 0
    for suffix in SUFFIXES:
        if (data := saved(graph, suffix, tmp_path)) is not None:
            assert_same(read(data, f"x{suffix}"), graph)
            kept += 1
    assert kept == len(SUFFIXES) - len([".graph", ".metis", ".egr", ".col"])


# ---- Tables without rows


@needs_pyarrow
def test_tables_without_rows_are_graphs_without_vertices(tmp_path):
    """Columns without rows often have no type; the answer is the same in every form of the table."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    kinds = [pa.null(), pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.timestamp("ns"), pa.list_(pa.int8())]
    kinds += [pa.dictionary(pa.int32(), pa.string()), pa.large_binary(), pa.uint64(), pa.string_view()]
    pairs = [(one, other, None) for one, other in itertools.product(kinds, repeat=2)]
    for one, other, values in pairs + [(kind, kind, values) for kind, values in itertools.product(kinds, repeat=2)]:
        columns = {"source": pa.array([], one), "target": pa.array([], other)}
        table = pa.table({**columns, **({} if values is None else {"weight": pa.array([], values)})})
        graph = sg.from_table(table)
        assert (len(graph), graph.num_edges, graph.weights is None) == (0, 0, values is None)
        if one == other and (values is None or values == one):
            for write in (pyarrow.parquet.write_table, pyarrow.feather.write_feather):
                stream = io.BytesIO()
                try:
                    write(table, stream)
                except pa.ArrowException:
                    continue  # the format has no such type
                assert_same(read(stream.getvalue()), graph)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(2):
        pyarrow.parquet.write_table(pa.table({"u": pa.nulls(0), "v": pa.nulls(0)}), folder / f"{k}.parquet")
    assert len(sg.read_graph(folder)) == 0
    for text in ("u,v\n", "source\ttarget\tweight", '"from";"to"\r\n'):
        assert len(read(text, "x.csv")) == len(read(text, format="snap")) == 0
    for table in (pa.table({}), pa.table({"source": []}), pa.table({"weight": []})):
        with pytest.raises(ValueError, match=r"name the columns of the two ends .*; the columns are "):
            sg.from_table(table)


# ---- Indices of pandas


def with_index(table, *index):
    """Return an Arrow table with the metadata that pandas writes; `index` are names, or descriptions of ranges."""
    return table.replace_schema_metadata({"pandas": json.dumps({"index_columns": list(index), "columns": []})})


@needs_pyarrow
@pytest.mark.parametrize("name", ["__index_level_0__", "__null_dask_index__", "key", "weight", "w", "x y"])
@pytest.mark.parametrize("values", [[7, 8], ["x", "y"], [0.5, 1.5]], ids=["integers", "texts", "decimals"])
def test_an_index_of_pandas_is_no_data(tmp_path, name, values):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    plain = {"a": [0, 1], "b": [1, 2]}
    table = with_index(pa.table({**plain, name: values}), name)
    expected = sg.from_table(pa.table(plain))
    graphs = [sg.from_table(table), sg.from_table(table, "a", "b"), sg.from_table(table, "a", "b", weights=True)]
    for write in (pyarrow.parquet.write_table, pyarrow.feather.write_feather):
        stream = io.BytesIO()
        write(table, stream)
        graphs.append(read(stream.getvalue()))
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(2):  # as dask.dataframe.to_parquet writes them
        pyarrow.parquet.write_table(table.slice(k, 1), folder / f"part.{k}.parquet")
    graphs.append(sg.read_graph(folder))
    for graph in graphs:
        assert_same(graph, expected)
    assert_same(sg.from_table(with_index(pa.table(plain), {"kind": "range", "start": 0})), expected)


@needs_pyarrow
def test_an_index_that_has_the_names_of_ends_is_read():
    """Counts of groups, as groupby(["u", "v"]).size() gives them, have both ends in the index."""
    import pyarrow as pa

    for u, v in (("u", "v"), ("source", "target"), ("person", "friend")):
        table = with_index(pa.table({u: [0, 1], v: [1, 2], "weight": [3, 4]}), u, v)
        graph = sg.from_table(table)
        assert (graph.num_edges, sorted(set(graph.weights.tolist()))) == (2, [3, 4])
    table = with_index(pa.table({"u": [5, 6], "v": [6, 7], "count": [1, 1]}), "u")
    assert sg.from_table(table, weights=False).num_edges == 2
    one = with_index(pa.table({"a": [0, 1], "__null_dask_index__": [1, 2]}), "__null_dask_index__")
    with pytest.raises(ValueError, match="name the columns of the two ends"):
        sg.from_table(one)
    unnamed = pa.table({"a": [0, 1], "b": [1, 2], "__index_level_0__": [7, 8]})  # another program kept the column
    assert sg.from_table(unnamed).num_edges == 2
    damaged = unnamed.replace_schema_metadata({"pandas": "no JSON"})
    assert sg.from_table(damaged).num_edges == 2


# ---- Texts that are not UTF-8


@needs_pyarrow
def test_texts_that_are_not_utf8_name_their_place():
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    for text in (
        b"source,target\nAnn,Bob\nBob,Andr\xe9\n",
        b"u;v;w\nx;y;1\nz\xff;y;2\n",
        b'from\tto\n"a"\tb\n\x80\tb\n',
    ):
        with pytest.raises(
            GraphFileError, match=r"x\.csv, line 3: the byte 0x(e9|ff|80) is not UTF-8; convert .* iconv"
        ):
            read(text, "x.csv")
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    for kind in (pa.string(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"a\xff")])
        if kind != pa.string():
            column = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), column)
        table = pa.table({"source": ["a", "b"], "target": column})
        with pytest.raises(
            ValueError, match=r"column 'target', row 1 \(the first is 0\): b'\\xff' is not UTF-8; convert"
        ):
            sg.from_table(table)
        for write in (pyarrow.parquet.write_table, pyarrow.feather.write_feather):
            stream = io.BytesIO()
            write(table, stream)
            with pytest.raises(GraphFileError, match=r"UTF-?8"):
                read(stream.getvalue())


def test_every_format_is_in_these_tests():
    assert {*VALUED, *BINARY} - {"csv"} == set(FORMATS)
