"""Harwell-Boeing and Rutherford-Boeing files, written here field by field, and by SciPy."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io import GraphFileError

from ..support.cases import each


def file_of(kind, n, columns, *, rutherford=False, widths=(6, 5), value="(3E26.18)", end="\n", right_sides=False):
    """Return a file with the given lists of (row, value) of each column; rows count from 0."""
    starts = np.cumsum([1, *map(len, columns)])
    rows = [row + 1 for column in columns for row, _ in column]
    values = [x for column in columns for _, x in column]

    def block(texts, in_line):
        return ["".join(texts[k : k + in_line]) for k in range(0, len(texts), in_line)]

    pointers = block([f"{x:{widths[0]}d}" for x in starts], 80 // widths[0])
    indices = block([f"{x:{widths[1]}d}" for x in rows], 80 // widths[1])
    number = {"E": "{:26.18E}", "D": "{:26.18E}", "I": "{:8d}", "F": "{:10.3f}"}[next(c for c in value if c in "EDIF")]
    texts = [number.format(part) for x in values for part in ([x.real, x.imag] if kind[0] == "c" else [x])]
    if "D" in value:
        texts = [text.replace("E", "D") for text in texts]
    numbers = [] if kind[0] == "p" else block(texts, int(value.strip("(").split("P")[-1].strip(",")[0]))
    counts = [len(pointers) + len(indices) + len(numbers), len(pointers), len(indices), len(numbers)]
    counts += [] if rutherford else [int(right_sides)]
    lines = [f"{'A matrix with a title':72}KEY     ", "".join(f"{x:14d}" for x in counts)]
    lines += [f"{kind.upper():14}" + "".join(f"{x:14d}" for x in (n, n, len(rows), 0))]
    lines += [f"{f'({80 // widths[0]}I{widths[0]})':16}{f'({80 // widths[1]}I{widths[1]})':16}{value:20}{value:20}"]
    lines += [f"{'F':14}{1:14d}{0:14d}"] if right_sides else []
    lines += [*pointers, *indices, *numbers, *(["  1.0"] if right_sides else [])]
    return end.join([*lines, ""]).encode()


def columns_of(random, n, kind):
    """Return random columns: for symmetric kinds only the lower part, for skew-symmetric ones without the diagonal."""
    first = {"u": lambda j: 0, "r": lambda j: 0, "z": lambda j: j + 1}.get(kind[1], lambda j: j)
    draw = {
        "r": lambda: float(random.normal()),
        "i": lambda: int(random.integers(-50, 50)),
        "c": lambda: complex(random.normal(), random.normal()),
        "p": lambda: 1,
    }[kind[0]]
    return [[(i, draw()) for i in range(first(j), n) if random.random() < 0.4] for j in range(n)]


def expected_entries(columns, kind, weights):
    """Return the entries (row, column) of the graph with their weights, by the definition of the type."""
    entries = {}
    for j, column in enumerate(columns):
        for i, x in column:
            entries[i, j] = x if weights else None
            if kind[1] in "shz":
                entries[j, i] = (-x if kind[1] == "z" else x) if weights else None
    return entries


def entries_of(graph):
    rows = np.repeat(np.arange(len(graph)), np.diff(graph.indptr)).tolist()
    weights = [None] * len(rows) if graph.weights is None else graph.weights.tolist()
    return dict(zip(zip(rows, graph.indices.tolist(), strict=True), weights, strict=True))


FORMS = ["plain", "crlf", "dense fields", "upper D", "right sides"]
TYPES = ["rua", "rsa", "rza", "rra", "iua", "isa", "iza", "pua", "psa", "pza", "cua", "csa", "cha", "cza"]


@each(kind=TYPES, rutherford=[False, True], n=[1, 2, 7, 30], form=FORMS, pairs=True)
def test_every_type(kind, rutherford, n, form):
    columns = columns_of(np.random.default_rng(n), n, kind)
    value = "(9I8)" if kind[0] == "i" else {"upper D": "(1P,3D26.18)"}.get(form, "(3E26.18)")
    # Fields without a blank between them: the entries fill their width.
    widths = (max(len(str(sum(map(len, columns)) + 1)), 1), len(str(n))) if form == "dense fields" else (6, 5)
    data = file_of(
        kind,
        n,
        columns,
        rutherford=rutherford,
        value=value,
        widths=widths,
        end="\r\n" if form == "crlf" else "\n",
        right_sides=form == "right sides" and not rutherford,
    )
    has_weights = kind[0] in "ri"
    if kind[0] == "c":
        with pytest.raises(GraphFileError, match=r"line 3: the matrix is complex.*pass weights=False"):
            sg.read_graph(io.BytesIO(data))
    for weights in (None, False) if kind[0] != "c" else (False,):
        graph = sg.read_graph(io.BytesIO(data), weights=weights)
        wanted = expected_entries(columns, kind, has_weights and weights is None)
        assert entries_of(graph) == wanted
        is_symmetric = all(wanted.get((j, i), "no") == x for (i, j), x in wanted.items())
        assert graph.directed == (not is_symmetric)
        assert graph.weights is None or graph.weights.dtype == (np.int64 if kind[0] == "i" else np.float64)


@pytest.mark.parametrize("n", [2, 5, 60])
def test_files_of_scipy(tmp_path, n):
    matrix = sp.random_array((n, n), density=0.3, rng=np.random.default_rng(n), format="csc")
    matrix.data -= 0.5
    scipy.io.hb_write(tmp_path / "m.rua", matrix)
    graph = sg.read_graph(tmp_path / "m.rua")
    assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
    np.testing.assert_array_equal(scipy.io.hb_read(tmp_path / "m.rua", spmatrix=False).toarray(), matrix.toarray())


def test_every_function_accepts_the_file(tmp_path):
    laplacian = sg.gallery.laplacian((6, 6)).tocsc()
    lower = sp.tril(laplacian, format="csc")
    columns = [
        [(int(i), float(x)) for i, x in zip(lower.indices[a:b], lower.data[a:b], strict=True)]
        for a, b in zip(lower.indptr[:-1], lower.indptr[1:], strict=True)
    ]
    (tmp_path / "m.rsa").write_bytes(file_of("rsa", 36, columns))
    graph = sg.read_graph(tmp_path / "m.rsa")
    assert not graph.directed and sg.fingerprint(graph) == sg.fingerprint(sg.as_graph(laplacian, weights=True))
    pytest.importorskip("click")
    from tests.cli.invoking import facts

    assert facts("mis", tmp_path / "m.rsa")["verified"] is True
    assert facts("solve", tmp_path / "m.rsa")["converged"] is True


RUA = file_of("rua", 3, [[(0, 4.0), (1, -1.0)], [(1, 4.0)], [(2, 4.0)]])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b"RUA           ",
            b"RUE           ",
            "line 3: a graph needs an assembled square matrix, got the type RUE and the size 3 x 3",
        ),
        (
            f"RUA{3:25d}{3:14d}".encode(),
            f"RUA{3:25d}{4:14d}".encode(),
            "line 3: .* got the type RUA and the size 3 x 4",
        ),
        (b"(16I5)", b"(16X5)", "line 4: the line must have the formats of the parts"),
        (b"(16I5)", b"(9999I999)", "line 4: the line must have the formats of the parts"),
        (b"     1     3     4     5", b"     1     3     2     5", "line 5: the columns must start at 1, ascend"),
        (b"     1     3     4     5", b"     2     3     4     5", "line 5: the columns must start at 1, ascend"),
        (b"     1     3     4     5", b"     1     3     4     6", "line 5: .* end at 5"),
        (b"     1     3     4     5", b"     1     3     4", "line 5: expected an integer from 1 on, got ''"),
        (b"     1     3     4     5", b"     1           4     5", "line 5: expected an integer from 1 on, got ''"),
        (b"     1     3     4     5", b"     1    -3     4     5", "line 5: expected an integer from 1 on, got '-3'"),
        (b"    1    2    2    3", b"    1    2    2    4", "line 6: entry 4, 3 is not in the 3 rows"),
        (b"    1    2    2    3", b"    1    2    2    0", "line 6: entry 0, 3 is not in the 3 rows"),
        (b"4.000000000000000000E+00", b"4.00000000000000x000E+00", "line 7: expected a number with a decimal point"),
        (b"4.000000000000000000E+00", b"40000000000000000000E+00", "line 7: expected a number with a decimal point"),
        (b"4.000000000000000000E+00", b"4.00000000000000000E+400", "line 7: expected a number of 64 bits"),
    ],
)
def test_broken_files(old, new, message):
    assert old in RUA
    with pytest.raises(GraphFileError, match=message):
        sg.read_graph(io.BytesIO(RUA.replace(old, new, 1)))


@pytest.mark.parametrize("kind", ["rua", "rsa", "pua", "iua", "cua"])
def test_a_pattern_that_is_cut_short(kind):
    """Also the values that are not read must be complete."""
    columns = columns_of(np.random.default_rng(5), 3, kind)
    data = file_of(kind, 3, columns, value="(3I8)" if kind == "iua" else "(3E26.18)")
    assert sg.read_graph(io.BytesIO(data), weights=False).num_vertices == 3
    for size in range(200, len(data) - 1, 3):  # the header is tested for real matrices
        with pytest.raises(GraphFileError):
            sg.read_graph(io.BytesIO(data[:size]), weights=False)


def test_a_file_that_is_cut_short():
    assert sg.read_graph(io.BytesIO(RUA[:-1])).num_entries == 4  # without the last line end
    with pytest.raises(GraphFileError, match=r"line 9: expected 4 numbers in 2 lines; the file is cut short"):
        sg.read_graph(io.BytesIO(RUA[:-3]))
    with pytest.raises(GraphFileError, match="the contents are in the format 'hb', not 'mtx'"):
        sg.read_graph(io.BytesIO(RUA), format="mtx")
