"""Files: names, suffixes, streams, permissions, interrupted writes, memory."""

from __future__ import annotations

import errno
import gzip
import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io

import stablegraph as sg
from stablegraph._core.memory import free_memory
from stablegraph.io import GraphFileError
from stablegraph.io.target import replacing
from tests.io.samples import ALL_FORMATS, assert_same, needs_pyarrow, read, written
from tests.support.cases import each


@pytest.mark.parametrize(
    "suffix", [".mtx", ".txt", ".gr", ".graph", ".egr", ".npz", pytest.param(".parquet", marks=needs_pyarrow)]
)
@each(packing=["", ".gz", ".bz2", ".xz"])
def test_file_by_suffix(suffix, packing, tmp_path):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    path = tmp_path / f"g{suffix}{packing}"
    sg.write_graph(str(path), graph)
    assert_same(sg.read_graph(path), graph)
    magic = {"": b"", ".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ"}[packing]
    assert path.read_bytes().startswith(magic)
    assert os.listdir(tmp_path) == [path.name]


def test_scipy_reads_what_is_written(tmp_path):
    path = tmp_path / "g.mtx"
    graph = sg.from_edges([0, 1], [1, 2], [2.5, 1 / 3], symmetrize=True)
    sg.write_graph(path, graph)
    assert (scipy.io.mmread(path, spmatrix=False) != graph.to_scipy()).nnz == 0


@pytest.mark.parametrize("fmt", ["mtx", "snap", "dimacs", "metis"])
@pytest.mark.parametrize("weight", [np.uint64(2**63), np.int64(-(2**63)), np.nan])
def test_weights_that_text_cannot_hold_are_refused(fmt, weight):
    graph = sg.from_edges([0, 1], [1, 2], np.array([weight, weight]), symmetrize=True)
    with pytest.raises(ValueError, match=r"entry \(0, 1\) weighs .*; write the format 'npz' instead"):
        sg.write_graph(io.BytesIO(), graph, format=fmt)
    graph = sg.from_edges([0, 1], [1, 2], np.array([1j, 2]), symmetrize=True)
    with pytest.raises(ValueError, match="real numbers, not complex128"):
        sg.write_graph(io.BytesIO(), graph, format=fmt)


def test_weights_that_a_table_cannot_hold_are_refused():
    pytest.importorskip("pyarrow")
    graph = sg.from_edges([0, 1], [1, 2], [1, np.nan], directed=True)
    with pytest.raises(ValueError, match=r"entry \(1, 2\) weighs nan; write the format 'npz' instead"):
        sg.write_graph(io.BytesIO(), graph, format="parquet")


@pytest.mark.parametrize("weight", [2**31, -(2**31) - 1])
def test_weights_that_32_bits_cannot_hold_are_refused(weight):
    graph = sg.from_edges([0], [1], [weight], directed=True)
    with pytest.raises(ValueError, match="32-bit integers, but these do not fit; write 'npz'"):
        sg.write_graph(io.BytesIO(), graph, format="egr")
    nearest = weight - 1 if weight > 0 else weight + 1
    stream = io.BytesIO()
    sg.write_graph(stream, sg.from_edges([0], [1], [nearest], directed=True), format="egr")
    assert sg.read_graph(io.BytesIO(stream.getvalue())).weights.tolist() == [nearest]


def test_arguments_in_the_wrong_places_are_refused(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    with pytest.raises(TypeError, match=r"takes a path .*, then a Graph .*got Graph, then str"):
        sg.write_graph(graph, str(tmp_path / "g.mtx"))
    with pytest.raises(TypeError, match=r"as_graph makes one of a matrix.*got str, then csr_array"):
        sg.write_graph(str(tmp_path / "g.mtx"), graph.to_scipy())
    assert os.listdir(tmp_path) == []


def test_unknown_suffix_is_refused(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    with pytest.raises(ValueError, match="names no format"):
        sg.write_graph(tmp_path / "g.xyz", graph)
    with pytest.raises(ValueError, match="format= is needed"):
        sg.write_graph(io.BytesIO(), graph)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_the_old_file(error, tmp_path, monkeypatch):
    path = tmp_path / "g.txt"
    graph = sg.from_edges([0], [1], directed=True)
    sg.write_graph(path, graph)
    before = path.read_bytes()

    def fail(stream, graph):
        stream.write(b"half")
        raise error

    monkeypatch.setattr("stablegraph.io.edge_lists.render", fail)
    with pytest.raises(type(error)):
        sg.write_graph(path, graph)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["g.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system does not name open files")
def test_open_files_are_not_replaced(tmp_path, monkeypatch):
    """The file behind the number of an open file may be a log, and that of a pipe has no folder."""
    log = tmp_path / "log"
    log.write_text("before\n")
    with open(log, "ab") as stream:
        os.symlink(f"/dev/fd/{stream.fileno()}", tmp_path / "link.txt")
        for path in (f"/dev/fd/{stream.fileno()}", tmp_path / "link.txt"):
            with replacing(path) as target:
                target.write(b"written\n")
        stream.write(b"after\n")
    assert log.read_text().split() == ["before", "written", "written", "after"]
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "log"]
    reader, writer = os.pipe()
    monkeypatch.setattr("sys.stdout", None)
    with replacing(f"/dev/fd/{writer}") as target:
        target.write(b"through a pipe")
    assert os.read(reader, 100) == b"through a pipe"
    for number in (reader, writer):
        os.close(number)
    with pytest.raises(OSError, match=f"/dev/fd/{writer}"), replacing(f"/dev/fd/{writer}"):
        pass


@pytest.mark.parametrize("stem", ["a" * 250, "\u00e9" * 125])
def test_longest_names_can_be_written(stem, tmp_path):
    path = tmp_path / f"{stem}.mtx"
    try:
        path.touch()
    except OSError:
        pytest.skip("this file system has shorter names")
    sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert sg.read_graph(path).num_edges == 1
    assert len(os.listdir(tmp_path)) == 1


KILLED = """
import os, signal, sys
from stablegraph.io.target import replacing
with replacing(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_parts_of_killed_writers_are_removed_and_those_of_living_ones_are_not(tmp_path):
    path = tmp_path / "g.txt"
    graph = sg.from_edges([0], [1], directed=True)
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)]).returncode == -signal.SIGKILL
    other = tmp_path / ".other.txt.0123abcd.part"
    other.write_bytes(b"of another file")
    assert len(os.listdir(tmp_path)) == 2
    with replacing(path) as slow:
        slow.write(b"0 1\n0 2\n")
        sg.write_graph(path, graph)
        assert sg.read_graph(path).num_edges == 1
        assert len(os.listdir(tmp_path)) == 3
    assert sg.read_graph(path).num_edges == 2
    assert sorted(os.listdir(tmp_path)) == [other.name, "g.txt"]


def test_refused_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "g.graph"
    path.write_bytes(b"old")
    with pytest.raises(ValueError):
        sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["g.graph"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links as on POSIX")
def test_permissions_and_links_are_kept(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    path = tmp_path / "real.txt"
    path.write_bytes(b"")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    sg.write_graph(link, graph)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sg.read_graph(path).num_edges == 1
    sg.write_graph(os.devnull, graph, format="npz")
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="links as on POSIX")
@pytest.mark.parametrize("name", ["a", "b", "self"])
def test_a_circle_of_links_is_not_replaced(name, tmp_path):
    for link, target in (("a", "b"), ("b", "a"), ("self", "self")):
        (tmp_path / link).symlink_to(target)
    with pytest.raises(OSError, match="symbolic links") as refused:
        sg.write_graph(tmp_path / name, sg.from_edges([0], [1], directed=True), format="snap")
    assert refused.value.errno == errno.ELOOP
    assert (tmp_path / name).is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "self"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"p tw 3 1\n1 3\n"))))
    assert sg.read_graph("-").num_edges == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"p tw 3 1\n1 4\n")))
    with pytest.raises(GraphFileError, match=r"^standard input, line 2: vertex 4"):
        sg.read_graph("-")


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_written_to_a_pipe(fmt):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    reading, writing = os.pipe()
    with open(writing, "wb") as stream:
        sg.write_graph(stream, graph, format=fmt)
    with open(reading, "rb") as stream:
        assert_same(sg.read_graph(stream, format=fmt), graph)


def test_parallel_edges_with_different_weights_are_kept():
    graph = read("p sp 2 3\na 1 2 5\na 1 2 7\na 1 2 5\n")
    assert graph.directed
    assert sorted(graph.weights.tolist()) == [5, 5, 7]
    assert graph.num_edges == 1
    assert read("p sp 2 2\na 1 2 5\na 1 2 7\n", symmetrize="min").weights.tolist() == [5, 5]


def test_sizes_beyond_all_memory_are_refused():
    with pytest.raises(GraphFileError, match="vertices"):
        read("p sp 9000000000000000 1\na 1 2 3\n")


@pytest.mark.parametrize(
    "text",
    [
        "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 1\n1 2\n",
        "p sp 1000000000 1\na 1 2 3\n",
        "# Nodes: 1000000000 Edges: 1\n0 1\n",
    ],
)
def test_more_vertices_than_the_memory_holds_are_refused_before_it_runs_out(text, monkeypatch):
    monkeypatch.setattr("stablegraph.io.contents.free_memory", lambda: 2**30)
    monkeypatch.setattr("stablegraph.io.contents.from_edges", None)
    with pytest.raises(
        GraphFileError, match=r"1000000000 vertices are .* take 22\.4 GiB .*, but only 1\.0 GiB .* free"
    ):
        read(text)


def test_memory_that_runs_out_all_the_same_is_an_error_about_the_file(monkeypatch):
    def none_left(*_):
        raise MemoryError

    monkeypatch.setattr("stablegraph.io.contents._graph_of", none_left)
    with pytest.raises(GraphFileError, match=r"x\.txt: 3 vertices are announced, for which the memory is short"):
        read("# Nodes: 3 Edges: 2\n0 1\n1 2\n", "x.txt")


def test_free_memory_is_known_or_not_limited():
    assert free_memory() > 2**20


def test_progress_reports_bytes_of_the_file(tmp_path):
    path = tmp_path / "g.txt.gz"
    sg.write_graph(path, sg.from_edges(np.arange(1000), np.arange(1, 1001), directed=True))
    calls: list[tuple[int, int | None]] = []
    sg.read_graph(path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_64_bit_indices_can_be_written(fmt):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    wide = sg.as_graph((graph.indptr.astype(np.int64), graph.indices.astype(np.int64)))
    assert_same(read(written(wide, fmt), format=fmt), graph)
