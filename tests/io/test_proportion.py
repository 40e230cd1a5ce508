"""Limits on the memory for a file: headers, compressed files and long numbers that would need far more memory."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError, source

from ..support.processes import run_python
from .samples import needs_pyarrow, read, written

PATH = sg.gallery.grid((3,))


@pytest.fixture
def little(monkeypatch):
    """Limit a file to one megabyte of memory."""
    monkeypatch.setattr(source, "FREELY", 1 << 20)


@pytest.mark.parametrize(
    "text",
    [
        "%%MatrixMarket matrix coordinate pattern general\n50000 50000 1\n1 2\n",
        "p sp 50000 1\na 1 2 3\n",
        "p tw 50000 1\n1 2\n",
        "# Nodes: 50000 Edges: 1\n0 1\n",
    ],
)
def test_vertices_that_are_only_announced(text, little):
    message = "the 50000 vertices that it announces would take 1 MiB .* only [0-9]+ bytes; .* pass trusted=True"
    with pytest.raises(GraphFileError, match=message):
        read(text)
    assert read(text, trusted=True).num_vertices == 50000


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_bombs(pack, little, tmp_path):
    bomb = pack(b"# " + b"-" * 2_000_000 + b"\n0 1\n")
    with pytest.raises(GraphFileError, match="its uncompressed contents would take"):
        read(bomb)
    assert read(bomb, trusted=True).num_vertices == 2
    (tmp_path / "bomb.txt").write_bytes(bomb)
    with pytest.raises(GraphFileError, match=r"bomb\.txt: its uncompressed contents"):
        sg.read_graph(tmp_path / "bomb.txt")


def test_what_is_compressed_well_is_read(monkeypatch):
    """Files may expand up to `TIMES` their size."""
    monkeypatch.setattr(source, "FREELY", 1 << 10)
    graph = sg.gallery.uniform_random(3000)
    assert read(lzma.compress(written(graph, "mtx"))) == graph


def _npz(**members):
    stream = io.BytesIO()
    np.savez_compressed(stream, **members)
    return stream.getvalue()


def test_a_bomb_in_npz(little):
    bomb = _npz(indptr=np.zeros(400_000, np.int64), indices=np.zeros(0, np.int32), directed=np.array(True))
    with pytest.raises(GraphFileError, match="its uncompressed members would take 3 MiB"):
        read(bomb)
    assert read(bomb, trusted=True).num_vertices == 399_999


@pytest.mark.parametrize("of_scipy", [False, True])
def test_a_header_in_npz_that_states_more_than_there_is(of_scipy):
    stream, header = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ("format", "shape", "indptr") if of_scipy else ("indptr", "indices"):
            archive.writestr(f"{name}.npy", header.getvalue() + bytes(16))
    with pytest.raises(
        GraphFileError, match=r"cannot be read \(its header states 80000000001\d\d bytes, but there are"
    ):
        read(stream.getvalue())


@needs_pyarrow
def test_a_bomb_in_parquet(little):
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"u": np.zeros(100_000, np.int64), "v": np.ones(100_000, np.int64)}), stream)
    with pytest.raises(GraphFileError, match="the 100000 rows of the table would take"):
        read(stream.getvalue())
    assert read(stream.getvalue(), trusted=True).num_vertices == 2


@pytest.mark.parametrize(("pack", "known"), [(bytes, True), (gzip.compress, False)], ids=["plain", "gzip"])
def test_a_file_that_is_larger_than_the_free_memory(pack, known, tmp_path, monkeypatch):
    """The file is not read, or only in part if its size is unknown: otherwise the system would end the process."""
    (tmp_path / "g.txt").write_bytes(pack(b"# " + b"-" * 100_000_000 + b"\n0 1\n"))
    monkeypatch.setattr(source, "free_memory", lambda: 50e6)
    read_so_far, remaining = ("0 GB", "0.1 GB follow") if known else ("0.0671 GB", "more follow")
    message = f"g.txt: the memory is short: {read_so_far} were read, .*, {remaining}, and 0.05 GB are free"
    with pytest.raises(MemoryError, match=message):
        sg.read_graph(tmp_path / "g.txt")


def test_numbers_for_which_the_memory_is_short(monkeypatch):
    from stablegraph._core import memory

    monkeypatch.setattr(memory, "free_memory", lambda: 1000.0)
    with pytest.raises(MemoryError, match=r"the memory is short: .* for the numbers of x\.txt"):
        read("0 1\n" * 200, "x.txt")


def test_metis_with_more_weights_than_any_file_has():
    assert read("0 0 10 100000000000000000\n", format="metis").num_vertices == 0
    with pytest.raises(GraphFileError, match="vertex 1 lacks a number"):
        read("1 0 10 100000000000000000\n1\n", format="metis")


def test_a_title_without_end_is_refused():
    with pytest.raises(GraphFileError, match="the title line is damaged: field larger than"):
        read("a" * 200_000 + ",b\n1,2\n", format="snap")


def test_one_long_decimal_among_many_takes_no_memory_for_the_others():
    """Its length times the number of numbers would take two gigabytes; the process may use half a gigabyte."""
    run_python(
        """
        import io, resource
        import numpy as np
        import stablegraph as sg

        def text(digits):
            lines = [f"{v} {v + 1} 1.12345678901234567" for v in range(20_000)]
            return io.BytesIO("\\n".join([*lines, f"0 2 0.{'3' * digits}", ""]).encode())

        few = sg.read_graph(text(30))
        taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + 2**29, taken + 2**29))
        assert np.array_equal(sg.read_graph(text(100_000)).weights, few.weights)
        """
    )


def test_the_first_of_several_numbers_that_no_float_is_near_to_is_named():
    text = f"0 1 1.5\n1 2 1{'0' * 400}.0\n2 3 1e999\n"
    with pytest.raises(GraphFileError, match=r"line 2: '10000.* is too large"):
        read(text, format="snap")


@pytest.mark.parametrize("layout", ["coo", "csc", "dia", "bsr"])
def test_vertices_that_a_matrix_of_scipy_only_announces(layout, little):
    arrays = {
        "coo": {"row": [0, 1], "col": [1, 0], "data": [1.0, 1.0]},
        "csc": {"indptr": [0], "indices": [], "data": []},
        "dia": {"offsets": [1, -1], "data": np.ones((2, 3))},
        "bsr": {"indptr": [0, 0], "indices": np.zeros(0, np.int32), "data": np.zeros((0, 50_000, 50_000))},
    }[layout]
    stream = io.BytesIO()
    shape = (50_000, 0) if layout == "csc" else (50_000, 50_000)
    np.savez(stream, format=np.array(layout.encode()), shape=np.array(shape), **arrays)
    with pytest.raises(GraphFileError, match=r"50000 vertices that it announces|needs a square matrix, .* 50000 x 0"):
        read(stream.getvalue())
    if layout != "csc":
        assert read(stream.getvalue(), trusted=True).num_vertices == 50_000


def test_a_matrix_of_scipy_is_measured_also_where_others_are_mapped(little, tmp_path):
    n = 10**6
    arrays = {"indptr": np.zeros(n + 1, np.int32), "indices": np.zeros(0, np.int32), "data": np.zeros(0)}
    np.savez_compressed(tmp_path / "bomb.npz", format=np.array(b"csr"), shape=np.array((n, n)), **arrays)
    for mmap in (False, True):
        with pytest.raises(GraphFileError, match="its uncompressed members would take"):
            sg.read_graph(tmp_path / "bomb.npz", mmap=mmap)


def test_a_member_that_hides_behind_another_of_its_name():
    """NumPy would read "indices", which declares a terabyte, although "indices.npy" was checked."""
    stream, lie = io.BytesIO(), io.BytesIO()
    np.savez(stream, format=np.array(b"csr"), shape=[2, 2], indptr=[0, 1, 2], indices=[1, 0], data=[1.0, 1.0])
    assert read(stream.getvalue()).num_edges == 1
    np.lib.format.write_array_header_1_0(lie, {"descr": "<i4", "fortran_order": False, "shape": (1 << 38,)})
    with zipfile.ZipFile(stream) as archive:
        members = {"indices": lie.getvalue()} | {name: archive.read(name) for name in archive.namelist()}
    hidden = io.BytesIO()
    with zipfile.ZipFile(hidden, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(GraphFileError, match="two of its members have one name"):
        read(hidden.getvalue())
