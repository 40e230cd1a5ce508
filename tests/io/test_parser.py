"""The parser and the printer of numbers, compared with Python's."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.io import GraphFileError, parse, render
from stablegraph.io.source import Source
from tests.io.samples import read, written


def numbers_of(text: bytes, **layout):
    return parse.parse(Source("text", bytearray(text)), 0, parse.Layout(**layout))


@given(
    st.lists(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), max_size=4), max_size=20), st.sampled_from(["\n", "\r\n"])
)
def test_parser_reads_integers(rows, line_end):
    text = line_end.join("\t ".join(map(str, row)) for row in rows) + line_end
    numbers = numbers_of(text.encode(), empty_lines_count=True)
    assert numbers.integers.tolist() == [value for row in rows for value in row]
    assert np.diff(numbers.row_ends).tolist()[: len(rows)] == [len(row) for row in rows]
    assert numbers.decimals is None


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    st.sampled_from(["%r", "%.17g", "%.3f", "%e"]),
)
def test_parser_reads_decimals_exactly(values, style):
    words = [style % value for value in values] + ["1.5"]
    numbers = numbers_of("\n".join(words).encode(), decimals=True)
    assert numbers.decimals.tolist() == [float(word) for word in words]
    assert [math_sign(x) for x in numbers.decimals] == [math_sign(float(word)) for word in words]


def math_sign(x: float) -> float:
    return float(np.copysign(1.0, x))


@pytest.mark.parametrize("word", ["+5", "-0", "007", "9223372036854775807", "-9223372036854775807", "0" * 30 + "12"])
def test_parser_reads_unusual_integers(word):
    assert numbers_of(word.encode()).integers.tolist() == [int(word)]


@pytest.mark.parametrize(
    "word",
    [".5", "5.", "1E+2", "-.5e-3", "-0e400", "0.0e-400", "5e-324", "0.1e1", "123456789012345678901.25"]
    + [f"3e{power}" for power in (21, 22, 23, -21, -22, -23)],  # near the last power of ten that is exact
)
def test_parser_reads_unusual_decimals(word):
    assert numbers_of(word.encode(), decimals=True).decimals.tolist() == [float(word)]


@pytest.mark.parametrize("weight", [2**53, 2**53 + 2, -(2**62), 3 * 2**60, 10**18])
def test_integers_that_a_float_holds_are_read_beside_decimals(weight):
    assert read(f"# x\n0 1 0.1\n1 2 {weight}\n", directed=True).weights.tolist() == [0.1, weight]
    assert read(f"%%MatrixMarket matrix array real general\n1 1\n{weight}\n").weights.tolist() == [weight]


def long_text() -> bytes:
    random = np.random.default_rng(3)
    lines = [b"# comment", b"", b"  ", b"1 2", b"-3 4.5", b"6", b"7 1.23456789012345678"]
    return b"\n".join(lines[i] for i in random.integers(0, len(lines), 500))


@pytest.mark.parametrize("workers", [2, 3, 7, 64])
def test_parser_gives_the_same_for_any_number_of_workers(workers, monkeypatch):
    layout = {"comments": "#", "decimals": True}
    alone = numbers_of(long_text(), **layout)
    monkeypatch.setattr(parse, "BYTES_PER_WORKER", 1)
    for target in ("cpu", "python"):
        with use_target(target, seed=workers, workers=workers):
            shared = numbers_of(long_text(), **layout)
        for name in ("integers", "decimals", "row_ends"):
            assert np.array_equal(getattr(alone, name), getattr(shared, name))


def test_shares_begin_behind_the_ends_of_lines(monkeypatch):
    """An empty line counts in METIS: a chunk that began with a line end would add one."""
    monkeypatch.setattr(parse, "BYTES_PER_WORKER", 1)
    text = b"1 2\n" * 100 + b"\n" * 20
    with use_target("cpu", workers=7):
        assert numbers_of(text, comments="%", empty_lines_count=True).rows == 120


def test_words_of_messages():
    source = Source("f", bytearray(b"1,2,x7 9\n" + b"y" * 50))
    assert [source.word(position) for position in (0, 4, 5, 7)] == ["1,2,x7", "x7", "x7", "9"]
    assert source.word(9 + 35) == "y" * 40  # thirty characters before the position and ten from it on


def test_parser_names_the_first_fault_of_many_workers(monkeypatch):
    monkeypatch.setattr(parse, "BYTES_PER_WORKER", 1)
    lines = [b"1 2"] * 100
    lines[40] = b"1 2-"
    lines[90] = b"--"
    with use_target("cpu", workers=8), pytest.raises(GraphFileError, match="line 41: '2-'"):
        numbers_of(b"\n".join(lines))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
@example([-1, 0, 9, -9, 10, -10])
def test_printed_integers_are_right(values):
    stream = io.BytesIO()
    column = np.array(values, np.int64)
    render.render(stream, render.Lines([column, column[::-1]]))
    expected = "".join(f"{a} {b}\n" for a, b in zip(values, values[::-1], strict=True))
    assert stream.getvalue().decode() == expected


def test_printing_in_plain_python():
    graph = sg.from_edges([0, 1], [1, 11], [2.5, -1e-300], 12, directed=True)
    expected = written(graph, "snap")
    with use_target("python", seed=1):
        assert written(graph, "snap") == expected


def test_printing_over_block_borders(monkeypatch):
    graph = sg.from_edges(np.arange(50), np.arange(1, 51), np.arange(50) / 7, directed=True)
    expected = written(graph, "dimacs")
    monkeypatch.setattr(render, "_BLOCK", 16)
    assert written(graph, "dimacs") == expected
