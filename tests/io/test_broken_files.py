"""Malformed, truncated and damaged files are rejected with the position of the error."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError
from tests.io.samples import ALL_FORMATS, needs_pyarrow, read, written

HUGE = "7" * 5000
BROKEN = [
    ("", "x.mtx", "empty"),
    ("%%MatrixMarket matrix coordinate pattern general\n", "", "line 2: the size line"),
    ("%%MatrixMarket matrix coordinate pattern gen", "", "line 1"),
    ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "", "line 1: .*complex"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", "", "line 3: .*2 entries, but 1 line"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2", "", "line 3: .*2 entries, but 1 line"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n2 3\n", "", "line 4: .*1 entries, but 2 line"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 9999999999999\n1 2\n", "", "line 3: .*cut short"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 x\n", "", "line 4: 'x' is not a number"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 4\n", "", "line 4: vertex 4 is out of range"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n0 1\n", "", "line 4: vertex id 0 is less than 1"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n", "", "line 2: .*square matrix.*3 x 4"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 3\n", "", "line 3: 3 numbers, but 2 are needed"),
    ("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 5.5\n", "", "line 3: '5.5' is not an integer"),
    ("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 99999999999999999999\n", "", "line 3: "),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 nan\n", "", "line 3: 'nan' is not a number"),
    ("%%MatrixMarket matrix coordinate pattern symmetric\n12 12 2\n2 1\n12 11-", "", "line 4: '11-' is not a number"),
    ("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 5\n1 2 6\n", "", "weights of entry"),
    (
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 4\n",
        "",
        "line 3: .*below the diagonal, not at .1, 1",
    ),
    ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 4\n1 2 5\n", "", "line 4: .*not at .1, 2"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 -1e400\n", "", "line 3: '-1e400' is too large for"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 9007199254740993\n", "", "line 3: weight 9007.*point"),
    ("%%MatrixMarket matrix array real general\n1 1\n9007199254740993\n", "", "line 3: weight 90071992547409"),
    ("%%MatrixMarket matrix array pattern general\n2 2\n0\n1\n1\n0", "", "line 1: .*unknown"),
    ("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n", "", "line 5: .*4 numbers, but 3 follow"),
    ("hello\n", "x.mtx", "line 1: .*MatrixMarket"),
    ("\0\1\2\3\4\5", "x.mtx", "binary file of no known format"),
    ("hello world\n", "", "the first line may be the title line"),
    ("0 1\n1 2 3\n", "x.txt", "line 2: 3 numbers where the lines before have 2"),
    ("0 1\n\n# c\n1\n", "x.txt", "line 4: 1 number where the lines before have 2"),
    ("0 1 2 3\n", "x.txt", "line 1: 4 numbers"),
    ("0\n", "x.txt", "line 1: 1 number"),
    ("source target\n0 1\n", "x.csv", "line 1: 'source target' is not an edge .*; put '#' before a title line"),
    ("# names\nann,bob\nbob,cy\n", "x.csv", "line 2: 'ann,bob' may be .* put the line 'source,target' before"),
    ("# names\nann bob\n", "x.txt", "line 2: 'ann bob' is not an edge .*networkx.read_edgelist.*names"),
    ("0,,1\n", "x.csv", "line 1: a field is empty"),
    ("0,1\n\n# a,,b\n,2,3\n", "x.csv", "line 4: a field is empty"),
    ("0,1, ,7\n", "x.csv", "line 1: a field is empty"),
    ("0,1\n1,2, \r\n", "x.csv", "line 2: a field is empty"),
    ("0,1\n1,2,", "x.csv", "line 2: a field is empty"),
    ("0,1\n,,\n", "x.csv", "line 2: a field is empty"),
    ("0\t1\t5\n0\t\t2\t5\n", "x.tsv", "line 2: a field is empty"),
    ("0 1\n1,5\t10\n", "x.txt", "line 2: the line mixes separators .*; separate the fields of each line in one way"),
    ("0 1 2\n1 5, 10\n", "x.csv", "line 2: the line mixes separators before '10'"),
    ("0\t1\t2\n1\t5 10\n", "x.tsv", "line 2: the line mixes separators before '10'"),
    ("0\t1\t2\n1\t5,10\n", "x.tsv", "line 2: the line mixes separators before '10'"),
    ("1 2\n01 2\n", "x.txt", "line 2: '01' has a sign or a leading zero, .* put the title line 'source,target'"),
    ("1,2,5\n3,-00,5\n", "x.csv", "line 2: '-00' has a sign or a leading zero"),
    ("1 2\n2 +1\n", "x.txt", r"line 2: '\+1' has a sign or a leading zero"),
    ("1 2\n2 -0\n", "x.txt", "line 2: '-0' has a sign or a leading zero"),
    ("0 1 2.5\n1 2 1e400\n", "x.txt", "line 2: '1e400' is too large for a 64-bit float"),
    ("0 1 2.5\n1 2 -0.01e-400\n", "x.txt", "line 2: '-0.01e-400' is too near to zero for a 64-bit float"),
    ("0 1 2.5\n1 2 9007199254740993\n", "x.txt", "line 2: weight 9007199254740993 .*decimal point"),
    ("0 1\n1 two\n", "x.txt", "line 2: 'two' is not a number"),
    ("0 1\n1 2-3\n", "x.txt", "line 2: '2-3' is not a number"),
    ("0 1\n1 --2\n", "x.txt", "line 2: '--2' is not a number"),
    ("0 1 .\n", "x.txt", "line 1: '.' is not a number"),
    ("0 1 1e\n", "x.txt", "line 1: '1e' is not a number"),
    ("0 1\n1.5 2\n", "x.txt", "line 2: a vertex id must be an integer"),
    ("0 1\n1 -2\n", "x.txt", "line 2: vertex id -2"),
    ("0 9223372036854775808\n", "x.txt", "line 1: '9223372036854775808' does not fit"),
    ("# Nodes: 3 Edges: 3\n0 1\n1 2\n", "x.txt", "line 3: the header announces 3 edges, but 2 lines"),
    ("# Nodes: 3 Edges: 2\n0 1\n7 8\n", "x.txt", "3 nodes, but 4 different ids"),
    ("# nothing\n", "x.txt", "no edges"),
    ("c x\n", "x.gr", "line 2: a line 'p sp n m'"),
    ("p max 2 1\na 1 2 3\n", "x.gr", "line 1: problem 'max'"),
    ("p sp 2\na 1 2 3\n", "x.gr", "line 1: the header must be"),
    ("p sp 2 x\na 1 2 3\n", "x.gr", "line 1: the header must be"),
    ("p sp 2 2\na 1 2 3\n", "x.gr", "line 2: the header announces 2 arcs, but 1 lines"),
    ("p sp 2 1\na 1 3 3\n", "x.gr", "line 2: vertex 3 is out of range"),
    ("p sp 2 1\na 0 2 3\n", "x.gr", "line 2: vertex id 0 is less than 1"),
    ("p sp 2 1\na 1 2\n", "x.gr", "line 2: 2 numbers, but 3 are needed"),
    ("p sp 2 1\n1 2 3\n", "x.gr", "line 2: 'a' is missing"),
    ("p sp 2 1\ne 1 2 3\n", "x.gr", "line 2: a line starts with 'e', but must start with 'a'"),
    ("p edge 2 2\ne 1 2\n", "x.col", "line 2: the header announces 2 edges"),
    ("p edge 3 1\ne 1 2\ne 1 3\n", "x.col", "line 2: .*1 edges, but 2 lines follow.*edge 1-2 is not listed twice"),
    ("p col 3 2\ne 1 2\ne 3 1\nc\ne 2 1\ne 2 3\n", "x.col", "line 3: .*edge 3-1 is not listed twice"),
    ("p col 3 3\ne 3 2\ne 2 1\ne 2 3\ne 1 2\ne 2 3\ne 2 1\n", "x.col", "line 2: .*edge 3-2 is not listed twice"),
    ("p edge 2 1\ne 1 2.5\n", "x.col", "line 2: '2.5' is not an integer"),
    ("p tw 2 1\n1 5\n", "x.gr", "line 2: vertex 5"),
    ("p tw 2 1\np tw 2 1\n", "x.gr", "line 2: 'p' is not a number"),
    ("3\n2\n1 3\n2\n", "x.graph", "line 1: the first line must be"),
    ("3 2 2\n2\n1 3\n2\n", "x.graph", "line 1: fmt 2 is unknown"),
    ("3 2\n2\n1 3\n", "x.graph", "line 3: .*3 vertices, but only 2 lines"),
    ("3 2\n2\n1 3\n2\n1\n", "x.graph", "line 5: .*more lines follow"),
    ("3 3\n2\n1 3\n2\n", "x.graph", "line 1: .*3 edges, but the lines hold 4"),
    ("3 2\n2\n1 3\n1\n", "x.graph", "line 3: vertex 2 lists 3, but vertex 3 does not list 2"),
    ("3 2\n2\n1 4\n2\n", "x.graph", "line 3: vertex 4 is out of range"),
    ("3 2\n2\n1 b\n2\n", "x.graph", "line 3: 'b' is not a number"),
    ("2 1\n1 2\n1\n", "x.graph", "line 2: vertex 1 lists itself"),
    ("2 2\n% c\n2\n1 2\n", "x.graph", "line 4: vertex 2 lists itself"),
    ("3 2 001\n2 1\n1 1 3\n2 1\n", "x.graph", "line 3: vertex 2 lacks a number"),
    ("3 2 010\n1 2\n\n1 2\n", "x.graph", "line 3: vertex 2 lacks a number"),
    ("2 1 1\n2 5\n1 6\n", "x.graph", "line 2: the edge between 1 and 2 has weight 5 at 1, but 6 at 2"),
    (
        "4 3 1\n2 5 2 6\n1 5\n4 7 4 8\n3 7\n",
        "x.graph",
        "line 2: the edge between 1 and 2 is listed 2x at 1, but 1x",
    ),
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"%%MatrixMarket matrix coordinate pattern general\n{HUGE} {HUGE} 1\n1 2\n", "x.mtx"),
        (f"%%MatrixMarket matrix coordinate pattern general\n3 3 {HUGE}\n1 2\n", "x.mtx"),
        (f"%%MatrixMarket matrix array real general\n{HUGE} {HUGE}\n1\n", "x.mtx"),
        (f"p sp {HUGE} 1\na 1 2 3\n", "x.gr"),
        (f"p edge 3 {HUGE}\ne 1 2\n", "x.col"),
        (f"{HUGE} 1\n2\n1\n", "x.graph"),
        (f"2 1 {HUGE}\n2\n1\n", "x.graph"),
        (f"# Nodes: {HUGE} Edges: 1\n0 1\n", "x.txt"),
        (f"# Nodes: 2 Edges: {HUGE}\n0 1\n", "x.txt"),
    ],
)
def test_endless_number_in_a_header_is_refused(text, name):
    with pytest.raises(GraphFileError, match=r"^x\.\w+, line \d: the number 7777\S* has 5000 digits"):
        read(text, name)


def test_leading_zeros_in_a_header_are_no_digits():
    assert read(f"p sp {'0' * 5000}7 1\na 1 2 3\n").num_vertices == 7


@pytest.mark.parametrize(("text", "name", "message"), BROKEN)
def test_broken_file_is_refused_with_its_place(text, name, message):
    with pytest.raises(GraphFileError, match=message) as caught:
        read(text, name)
    assert str(caught.value).startswith(name or "the stream")
    assert "\n" not in str(caught.value)


def sample(fmt: str, weighted: bool) -> bytes:
    """Return a small file of a format that states its counts."""
    edges = [(0, 1, 12), (1, 2, 345), (3, 10, 67), (10, 11, 89)]
    u, v, w = (np.array(column) for column in zip(*edges, strict=True))
    return written(sg.from_edges(u, v, w if weighted else None, 12, symmetrize=True), fmt)


@pytest.mark.parametrize("fmt", ["mtx", "snap", "dimacs", "metis", "egr"])
def test_file_cut_anywhere_is_refused_without_its_weights(fmt):
    test_file_cut_anywhere_is_refused(fmt, weighted=True, wanted=False)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_file_cut_anywhere_is_refused(fmt, weighted, wanted=None):
    data = sample(fmt, weighted)
    whole = read(data, format=fmt, weights=wanted)
    text = data.rstrip(b"\n")
    last_number = (
        len(data)
        if fmt in ("egr", "npz", "parquet")
        else 1 + max(text.rfind(b" "), text.rfind(b"\t"), text.rfind(b"\n"))
    )
    for cut in range(len(data)):
        if fmt == "egr" and weighted and cut == len(data) - 4 * whole.num_entries:
            continue  # only the weights are missing: that is a complete file, too
        try:
            graph = read(data[:cut], format=fmt, weights=wanted)
        except GraphFileError:
            continue
        # A cut last number, or a missing last line end, cannot be detected.
        assert cut > last_number
        assert graph.num_vertices == whole.num_vertices
        assert graph.num_entries == whole.num_entries


@pytest.mark.parametrize("fmt", ["mtx", "snap", "dimacs", "metis"])
def test_cut_file_is_refused_whatever_format_its_content_suggests(fmt):
    data = sample(fmt, True)
    suffix = {"mtx": ".mtx", "snap": ".txt", "dimacs": ".gr", "metis": ".graph"}[fmt]
    for cut in range(0, len(data.rstrip(b"\n")) - 4):
        with pytest.raises(GraphFileError):
            read(data[:cut], "x" + suffix)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_file_is_read_and_its_damage_noticed(pack, tmp_path):
    text = b"# Nodes: 2000 Edges: 1000\n" + b"".join(b"%d %d\n" % (i, 2 * i) for i in range(1000))
    packed = pack(text)
    path = tmp_path / "edges.txt"  # detected from the bytes, not from the suffix
    path.write_bytes(packed)
    assert sg.read_graph(path).num_vertices == 2000
    for cut in (len(packed) - 1, len(packed) - 9, len(packed) // 2, 20):
        path.write_bytes(packed[:cut])
        with pytest.raises(
            GraphFileError, match=r"edges\.txt: the compressed file .* cut short: compressed file ended"
        ):
            sg.read_graph(path)
    spoilt = bytearray(packed)
    spoilt[len(packed) // 2] ^= 0xFF
    path.write_bytes(spoilt)
    with pytest.raises(GraphFileError):
        sg.read_graph(path)


def test_concatenated_gzip_members_are_one_file():
    assert read(gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n"), "x.txt").num_edges == 2


SIZES = b"% a line of sizes?\n3 3 2\n1 2 -0.5\n3 1 2\n"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (SIZES, ""),
        (SIZES, "x.txt"),
        (SIZES.replace(b" ", b",").replace(b"%,", b"%"), "x.csv"),
        (b"3 3 1\n2 3", "x.txt"),
    ],
)
def test_a_first_line_that_may_be_sizes_is_refused(data, name):
    """The line is an edge with a weight, or the sizes of a Matrix Market file without its banner."""
    message = r"line \d: the first line, 3 3 \d, is an edge .*format='snap'.*--from snap"
    with pytest.raises(GraphFileError, match=message):
        read(data, name)
    if data.startswith(b"%"):
        assert read(data, name, format="snap", directed=True).num_entries == 3


@pytest.mark.parametrize("first", ["3 3 1", "3 3 3", "2 2 2", "3 2 2", "3 3 2.0", "3 3"])
def test_a_first_edge_that_is_no_line_of_sizes_is_read(first):
    """Other numbers of lines, ids beyond the size, two different ends, no integer, no weight."""
    remaining = "1 2\n3 1\n" if first == "3 3" else "1 2 5\n3 1 5\n"
    assert read(f"{first}\n{remaining}", "x.txt", directed=True).num_entries == 3
    assert read("# Nodes: 3 Edges: 3\n3 3 2\n1 2 5\n2 1 5\n", "x.txt", directed=True).num_entries == 3


def test_weights_may_have_signs_and_zeros():
    assert sorted(read("0 1 +2\n1 0 -02\n2 0 007\n", "x.txt", directed=True).weights.tolist()) == [-2, 2, 7]
    assert read("1 , 2,\t3\n2\t, 1 ,3\n", "x.csv", directed=True).num_entries == 2


def test_xz_streams_may_have_padding():
    """Zeros after a stream are legal if their number is a multiple of four."""
    first, second = lzma.compress(b"0 1\n"), lzma.compress(b"1 2\n")
    for data in (first + bytes(4) + second, first + second + bytes(8), first + second):
        assert read(data, "x.txt").num_edges == 2
    for data in (first + bytes(3), first + bytes(5) + second, first + b"behind it", first + second[:-1]):
        with pytest.raises(GraphFileError, match="the compressed file is damaged or cut short"):
            read(data, "x.txt")


def test_missing_file_and_folder_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        sg.read_graph(tmp_path / "none.mtx")
    with pytest.raises(IsADirectoryError, match="it is empty; name a file, or a folder of Parquet files"):
        sg.read_graph(tmp_path)
    with pytest.raises(IsADirectoryError):
        sg.write_graph(tmp_path, sg.from_edges([0], [1], directed=True), format="mtx")


def test_options_that_make_no_sense():
    for options in (
        {"format": "xyz"},
        {"symmetrize": "mean"},
        {"symmetrize": True, "directed": True},
        {"mmap": True},
    ):
        with pytest.raises(ValueError):
            read("0 1\n", "x.txt", **options)
    with pytest.raises(TypeError, match="binary"):
        sg.read_graph(io.StringIO("0 1\n"))
    with pytest.raises(TypeError, match="path must be"):
        sg.read_graph(3)


def test_symmetrize_and_directed():
    text = "# Directed graph\n0 1 3\n1 2 4\n2 1 4\n"
    assert read(text).directed
    graph = read(text, symmetrize=True)
    assert not graph.directed
    assert graph.num_edges == 2
    with pytest.raises(GraphFileError, match="symmetrize"):
        read(text, directed=False)
    differing = "# arcs\n0 1 3\n1 0 4\n"
    assert read(differing, symmetrize="max").weights.tolist() == [4, 4]
    assert read(differing, symmetrize="min").weights.tolist() == [3, 3]
    assert read(differing, symmetrize="sum").weights.tolist() == [7, 7]
    with pytest.raises(ValueError):
        read(differing, symmetrize=True)
    assert read("# gaps\n5 7\n", symmetrize=True).nodes is not None
    assert read("p tw 2 1\n1 2\n", directed=True).directed
    assert not read("p tw 2 1\n1 2\n", symmetrize="sum").directed


def test_a_message_about_a_file_has_no_control_characters_and_is_short():
    """A terminal would interpret them; the fuzzer of files found both cases."""
    for text in ("%%MatrixMarket mat\x1b[2Jrix x real general\n", f"%%MatrixMarket matrix {'x' * 9999} real general\n"):
        with pytest.raises(GraphFileError) as caught:
            read(text)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 200
    assert str(GraphFileError("mat\x1b[2Jrix é")) == "mat\\x1b[2Jrix é"
    for text in (f"p {'s' * 9999} 3 2\n", f"{'source' * 999},\nx,2\n"):
        with pytest.raises(GraphFileError) as caught:
            read(text)
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("format", ["mtx", "snap", "dimacs", "metis"])
def test_a_header_without_end_is_refused(format):
    """The header must not be copied; the parser of numbers skips any number of blanks at the end of a line."""
    start = {"mtx": "%%MatrixMarket matrix", "snap": "source", "dimacs": "p", "metis": "3"}[format]
    with pytest.raises(GraphFileError, match=r"line 1: the line has 2,000,0\d\d characters, more than any header"):
        read(start + " " * 2_000_000 + "2\n1 2\n", format=format)
    assert read("0 1" + " " * 2_000_000 + "\n1 2\n", "x.txt").num_vertices == 3


@needs_pyarrow
def test_a_feather_file_whose_names_lie_outside_of_its_texts_is_refused():
    """All offsets are checked before any is used: Arrow would read beyond the last string."""
    import pyarrow as pa
    import pyarrow.feather

    places = np.array([0, 1, 10**6, 3], np.int32)
    names = pa.StringArray.from_buffers(3, pa.py_buffer(places), pa.py_buffer(b"abc"))
    stream = io.BytesIO()
    pyarrow.feather.write_feather(pa.table({"source": names, "target": ["b", "a", "a"]}), stream, "uncompressed")
    with pytest.raises(GraphFileError, match=r"the Feather file is damaged.*[Oo]ffset"):
        read(stream.getvalue())


@needs_pyarrow
def test_a_feather_file_with_a_name_that_is_no_text_is_refused():
    data = written(sg.from_edges([0], [1], symmetrize=True), "feather")
    with pytest.raises(GraphFileError):
        read(data.replace(b"source", b"sourc\xff"))
