"""Files of more than 4 GiB, and lines of more than 2**31 characters: read correctly, or rejected with a message.

Offsets in them do not fit into 32 bits. The graphs follow a rule, so they are not compared with a second copy. Each
test takes up to 8 GB of memory and some minutes, so they run one after another, and only if there is enough memory.
"""

import gc
import io
import os
import shutil

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.memory import free_memory
from stablegraph.io import FORMATS, GraphFileError

GB = 10**9
WIDTH = 512  # characters of a line with two numbers, most of them blanks
LINES = 5 * GB // WIDTH

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _one_at_a_time(tmp_path_factory):
    """Run these tests one at a time, even in several processes; free the memory of a caught error in between."""
    with open(tmp_path_factory.getbasetemp().parent / "huge.lock", "w") as lock:
        pytest.importorskip("fcntl").flock(lock, 2)  # LOCK_EX
        if free_memory() < 11 * GB:
            pytest.skip("needs 11 GB of free memory")
        yield
        gc.collect()


class Stream(io.RawIOBase):
    """A file that is generated from these pieces while it is read."""

    def __init__(self, *pieces):
        self.pieces, self.left = iter([piece if not isinstance(piece, bytes) else [piece] for piece in pieces]), b""
        self.piece = iter(())

    def readable(self):
        return True

    def read(self, size=-1):
        while not self.left:
            try:
                self.left = memoryview(next(self.piece))
            except StopIteration:
                try:
                    self.piece = iter(next(self.pieces))
                except StopIteration:
                    return b""
        block, self.left = bytes(self.left[:size]), self.left[size:]
        return block


def blanks(size):
    """Yield `size` blanks, in pieces."""
    piece = b" " * 2**20
    for done in range(0, size, len(piece)):
        yield piece[: size - done]


def numbers_in_lines(*columns, width=WIDTH, end=b"\n"):
    """Yield lines of this width in pieces; each has one number from each column, aligned to the right."""
    share = width // len(columns)
    for first in range(0, columns[0].size, 2**12):
        some = [column[first : first + 2**12] for column in columns]
        text = np.full((some[0].size, share * len(columns)), ord(" "), np.uint8)
        for k, column in enumerate(some):
            remaining = column.copy()
            for place in range((k + 1) * share - 2, (k + 1) * share - 12, -1):
                text[:, place] = np.where(
                    (remaining > 0) | (place == (k + 1) * share - 2), ord("0") + remaining % 10, ord(" ")
                )
                remaining //= 10
        text[:, -1] = ord(end)
        yield text.tobytes()


def is_cycle(graph):
    """Return whether the only arc of each vertex i leads to i + 1, modulo n."""
    n = graph.num_vertices
    steps = np.arange(1, n + 1)
    steps[-1] = 0
    return np.array_equal(graph.indptr, np.arange(n + 1)) and np.array_equal(graph.indices, steps)


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("# Directed graph\n# Nodes: {n} Edges: {n}\n", 0),
        ("%%MatrixMarket matrix coordinate pattern general\n{n} {n} {n}\n", 1),
    ],
    ids=["snap", "mtx"],
)
def test_texts_of_5_gb(header, first):
    u = np.arange(LINES) + first
    stream = Stream(header.format(n=LINES).encode(), numbers_in_lines(u, np.roll(u, -1)))
    assert is_cycle(sg.read_graph(stream, directed=True))


def test_an_error_behind_the_first_4_gib_names_its_line():
    u = np.arange(LINES)
    stream = Stream(numbers_in_lines(u, u), b"7 x\n")
    with pytest.raises(GraphFileError, match=f"line {LINES + 1}: 'x' is not a number"):
        sg.read_graph(stream, format="snap")


def test_a_line_of_neighbors_of_more_than_2_to_the_31_characters():
    leaves = 2**31 // WIDTH + 10
    neighbors = numbers_in_lines(np.arange(2, leaves + 2), end=b" ")
    stream = Stream(f"{leaves + 1} {leaves}\n".encode(), neighbors, b"\n" + b"1\n" * leaves)
    graph = sg.read_graph(stream)
    assert graph.indptr.tolist() == [0, *range(leaves, 2 * leaves + 1)]
    assert np.array_equal(graph.indices[:leaves], np.arange(1, leaves + 1)) and not graph.indices[leaves:].any()


def test_blanks_and_digits_of_more_than_2_to_the_31_characters():
    more = 2**31 + 10
    graph = sg.read_graph(Stream(b"0 1\n1", blanks(more), b"2\n2 0\n"), format="snap", directed=True)
    assert is_cycle(graph) and graph.num_vertices == 3
    with pytest.raises(GraphFileError, match=r"the line has 2,147,483,\d+ characters, more than any header"):
        sg.read_graph(Stream(b"p", blanks(more), b"tw 3 2\n"))
    with pytest.raises(GraphFileError, match=r"line 2: '1    .*' does not fit|line 2: '1111\S+' does not fit"):
        ones = (piece.replace(b" ", b"1") for piece in blanks(more))
        sg.read_graph(Stream(b"0 1\n1 ", ones, b"\n"), format="snap")


@pytest.mark.skipif(os.name != "posix", reason="files have no holes there")
@pytest.mark.parametrize("format", [None, *FORMATS])
def test_5_gb_of_zeros(format, tmp_path):
    """An interrupted copy or a full disk may leave a file with a hole."""
    with open(tmp_path / "zeros.txt", "wb") as file:
        file.truncate(5 * GB)
    with pytest.raises(GraphFileError) as caught:
        sg.read_graph(tmp_path / "zeros.txt", format=format)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("mmap", [False, True], ids=["read", "mapped"])
def test_an_npz_file_of_5_gb(mmap, tmp_path):
    """Its member "indices" has more than 4 GiB."""
    if shutil.disk_usage(tmp_path).free < 11 * GB:
        pytest.skip("needs 11 GB of disk")
    n, half = 25_000_000, 25
    steps = np.concatenate([np.arange(-half, 0), np.arange(1, half + 1)])
    blocks = range(0, n, 10**6)

    def rows(first):
        neighbors = ((np.arange(first, first + 10**6)[:, None] + steps) % n).astype(np.int32)
        neighbors.sort(axis=1)
        return neighbors.ravel()

    indices = np.empty(2 * half * n, np.int32)
    for first in blocks:
        indices[2 * half * first : 2 * half * (first + 10**6)] = rows(first)
    graph = sg.as_graph((np.arange(0, indices.size + 1, 2 * half), indices))
    sg.write_graph(tmp_path / "g.npz", graph)
    del graph, indices
    assert (tmp_path / "g.npz").stat().st_size > 5 * GB
    graph = sg.read_graph(tmp_path / "g.npz", mmap=mmap)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (n, half * n, False)
    assert np.array_equal(graph.indptr, np.arange(0, 2 * half * n + 1, 2 * half))
    assert all(
        np.array_equal(graph.indices[2 * half * first : 2 * half * (first + 10**6)], rows(first)) for first in blocks
    )
