"""The npz format: archives of NumPy arrays."""

from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io import GraphFileError
from tests.io.samples import assert_same, dense, read, written


def native() -> sg.Graph:
    return sg.from_edges(
        [0, 1, 2], [1, 2, 0], [0.5, 1.5, 2.5], n=5, directed=True, nodes=np.array(["a", "b", "ç", "d", "e"])
    )


def test_npz_keeps_everything_and_numpy_reads_it(tmp_path):
    path = tmp_path / "g.npz"
    graph = native()
    sg.write_graph(path, graph)
    with np.load(path) as arrays:
        assert np.array_equal(arrays["indptr"], graph.indptr)
        assert np.array_equal(arrays["weights"], graph.weights)
        assert arrays["nodes"].tolist() == ["a", "b", "ç", "d", "e"]
    for mmap in (False, True):
        back = sg.read_graph(path, mmap=mmap)
        assert_same(back, graph)
        assert list(map(str, back.nodes)) == ["a", "b", "ç", "d", "e"]
        assert back.weights.dtype == graph.weights.dtype


def test_npz_members_are_aligned_and_mapped(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    raw = path.read_bytes()
    for array in (native().indptr, native().indices, native().weights):
        assert raw.find(array.tobytes()) % 64 == 0
    graph = sg.read_graph(path, mmap=True)
    for array in (graph.indptr, graph.indices, graph.weights):
        base = array
        while not isinstance(base, np.memmap) and base.base is not None:
            base = base.base
        assert isinstance(base, np.memmap)
        assert not array.flags.writeable


def test_members_of_gigabytes_are_aligned(tmp_path, monkeypatch):
    """Headers of large members are longer; with a limit of some bytes, members are just below and just above it."""
    path, graph = tmp_path / "g.npz", native()
    for limit in range(100, 500, 3):
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", limit)
        sg.write_graph(path, graph)
        for array in (graph.indptr, graph.indices, graph.weights):
            assert path.read_bytes().find(array.tobytes()) % 64 == 0
        assert_same(sg.read_graph(path, mmap=True), graph)


def test_npz_damage_is_noticed(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    raw = bytearray(path.read_bytes())
    raw[raw.find(native().weights.tobytes())] ^= 1
    path.write_bytes(raw)
    with pytest.raises(GraphFileError, match="damaged"):
        sg.read_graph(path)
    np.savez(path, indptr=np.array([0, 1]), indices=np.array([{}], object))
    with pytest.raises(GraphFileError, match="pickle"):
        sg.read_graph(path)
    with pytest.raises(GraphFileError, match="'indices'"):
        sg.read_graph(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(GraphFileError, match="'indptr' and 'indices'"):
        sg.read_graph(path)
    np.savez(path, indptr=np.array([0, 1, 2]), indices=np.array([1, 7]))
    with pytest.raises(GraphFileError):
        sg.read_graph(path)


def saved(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("mmap", [False, True])
def test_nothing_in_a_npz_is_unpickled(mmap, tmp_path):
    """Test each member, even if its header declares it as empty."""
    path, mark = tmp_path / "g.npz", tmp_path / "ran"

    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(mark),)

    plain, record = saved(np.array([Hostile()])), saved(np.array([(Hostile(),)], [("a", object)]))
    files = [plain, plain.replace(b"(1,)", b"(0,)"), plain.replace(b"(1,)", b"()  "), record]
    graph = {"indptr": saved(np.array([0, 1, 2])), "indices": saved(np.array([1, 0]))}
    of_scipy = graph | {"format": saved(b"csr"), "shape": saved([2, 2]), "data": saved([3, 3])}
    ours = ("indptr", "indices", "directed", "nodes", "weights", "vertex_weights", "vertex_sizes")
    for hostile in files:
        np.load(io.BytesIO(hostile), allow_pickle=True)
        mark.rmdir()  # it would be executed
        for members, keys in ((graph, ours), (of_scipy, of_scipy)):
            for key in keys:
                with zipfile.ZipFile(path, "w") as archive:
                    for name, data in (members | {key: hostile}).items():
                        archive.writestr(f"{name}.npy", data)
                with pytest.raises(GraphFileError):
                    sg.read_graph(path, mmap=mmap)
                assert not mark.exists(), key


def test_message_about_a_damaged_npz_is_text(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x81]) + whole[place + 1 :])
        for mmap in (False, True):
            try:
                sg.read_graph(path, mmap=mmap)
            except GraphFileError as error:
                message = str(error).removeprefix(f"{path}: ")
                assert "\\" not in message and "b'" not in message and message.isprintable(), message
                assert len(message) < 200


def test_npz_compressed(tmp_path):
    path = tmp_path / "g.npz"
    np.savez_compressed(path, indptr=np.array([0, 1, 2]), indices=np.array([1, 0]))
    assert sg.read_graph(path).num_edges == 1
    with pytest.raises(GraphFileError, match="cannot be mapped"):
        sg.read_graph(path, mmap=True)
    packed = tmp_path / "g.npz.gz"
    sg.write_graph(packed, native())
    assert_same(sg.read_graph(packed), native())


@pytest.mark.parametrize(
    ("nodes", "kept"),
    [([5, 3], [5, 3]), (["x", "yz"], ["x", "yz"]), ([(0, 1), 2.5], ["(0, 1)", "2.5"]), ([2**70, 1], [str(2**70), "1"])],
)
def test_npz_keeps_names_as_integers_or_texts(nodes, kept):
    back = read(written(sg.from_edges([0], [1], directed=True, nodes=nodes), "npz"))
    assert np.asarray(back.nodes).tolist() == kept


def test_npz_of_scipy(tmp_path):
    path = tmp_path / "m.npz"
    sp.save_npz(path, sp.csr_array(np.array([[0, 2], [2, 0]])))
    assert dense(sg.read_graph(path)) == [[0, 2], [2, 0]]


def test_npz_from_a_stream():
    assert_same(read(written(native(), "npz")), native())
    assert zipfile.ZipFile(io.BytesIO(written(native(), "npz"))).testzip() is None


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_in_members_that_are_compressed_in_any_way(method):
    """Each of the three decompressors raises its own exception."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name in ("indptr", "indices"):
            archive.writestr(f"{name}.npy", saved(np.arange(500) // 499))
    for place in range(60, 120, 3):
        data = bytearray(stream.getvalue())
        data[place] ^= 255
        with pytest.raises(GraphFileError):
            sg.read_graph(io.BytesIO(data), format="npz")


def test_sums_of_a_scipy_matrix_that_do_not_fit_are_refused(tmp_path):
    matrix = sp.coo_array((np.array([100] * 4, np.int8), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    sp.save_npz(tmp_path / "x.npz", matrix)
    with pytest.raises(GraphFileError, match=r"x\.npz: the sum of the matrix's repeated entries .* does not fit int8"):
        sg.read_graph(tmp_path / "x.npz")
    assert sg.read_graph(tmp_path / "x.npz", weights=False).num_edges == 1


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("directed", [True, False], "'directed' must be a single truth value"),
        ("directed", 0.5, "'directed' must be a single truth value"),
        ("indices", 1, "'indptr' and 'indices' must be one-dimensional"),
        ("indices", [[1, 0]], "'indptr' and 'indices' must be one-dimensional"),
        ("nodes", "a", "'nodes' must be an array, but is a single value"),
        ("weights", 1.5, "'weights' must be an array, but is a single value"),
        ("vertex_weights", 2, "'vertex_weights' must be an array, but is a single value"),
    ],
)
def test_members_of_a_wrong_shape_are_refused(tmp_path, key, value, message):
    members = {"indptr": [0, 1, 2], "indices": [1, 0], "directed": False}
    np.savez(tmp_path / "x.npz", **members | {key: value})
    with pytest.raises(GraphFileError, match=f"x.npz: {message}"):
        sg.read_graph(tmp_path / "x.npz")


_WRONG = {
    **{"a number": np.int64(3), "text": np.array("x"), "bytes": np.array(b"csr"), "two rows": np.ones((2, 2))},
    **{"nothing": np.zeros(0, np.int64), "negative": np.array([-1, 2]), "large": np.array([1 << 62, 1 << 62])},
    **{"real": np.ones(2), "nan": np.full(2, np.nan), "complex": np.ones(2, complex), "missing": None},
    **{"records": np.zeros(2, [("a", int)]), "dates": np.zeros(2, "M8[s]")},
}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_wrong_members_of_scipy_are_refused(form, tmp_path):
    # SciPy itself truncates real indices, and its conversions read and write outside of arrays.
    path, stored = tmp_path / "g.npz", io.BytesIO()
    matrix = sp.csr_array(np.array([[0, 1.0, 0], [1, 0, 2], [0, 2, 0]]))
    sp.save_npz(stored, matrix.asformat(form))
    with np.load(io.BytesIO(stored.getvalue())) as archive:
        members = {name: archive[name] for name in archive.files}
    for key, right in members.items():
        for name, wrong in (members | _WRONG).items():
            changed = {other: array for other, array in members.items() if other != key or wrong is not None}
            np.savez(path, **(changed if wrong is None else changed | {key: wrong}))
            for weights in (True, False):
                try:
                    graph = sg.read_graph(path, weights=weights)
                except ValueError:
                    continue
                if key in ("indptr", "indices", "row", "col", "coords"):
                    assert wrong is not None and wrong.dtype.kind in "iu" and wrong.ndim == right.ndim, (
                        key,
                        name,
                        graph,
                    )
