"""Output in notebooks: objects as tables, and bars for `progress=True`."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from tests.support.processes import run_python


class Cells(HTMLParser):
    """The texts of a page, unmodified; every tag must be closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)


GRID = gallery.grid((6, 6))


@pytest.mark.parametrize(
    ("shown", "texts"),
    [
        (GRID, ["Graph", "36 vertices", "60 edges", "undirected", "unweighted", "cpu"]),
        (sg.from_edges([], [], n=0), ["0 vertices", "0 edges"]),
        (sg.large_independent_set(GRID), ["18 of 36 vertices (50.0%)", "the same: a maximum set"]),
        (sg.large_independent_set(sg.from_edges([], [], n=0)), ["size", "0"]),
        (sg.gauss_seidel(gallery.laplacian((6, 6))), ["Gauss-Seidel", "36 rows", "2 colors"]),
        (sg.smoothed_aggregation(gallery.laplacian((50, 50))), ["level", "unknowns", "2,500", "12,300", "441"]),
    ],
)
def test_objects_are_tables(shown, texts):
    result = Cells(shown._repr_html_()).texts
    assert [text for text in texts if text not in result] == []


def test_nothing_in_a_table_is_taken_for_html():
    from stablegraph._core.texts import facts_as_html, rows_as_html

    assert Cells(facts_as_html("<b>", {"a & b": "<script>"})).texts == ["<b>", "a & b", "<script>"]
    assert Cells(rows_as_html("x", ["<i>"], [["<u>"]], ["</div>"])).texts == ["x", "<i>", "<u>", "</div>"]


EDGES = b"0 1\n1 0\n1 2\n2 1\n"
CALLS = [
    lambda progress: sg.read_graph(io.BytesIO(EDGES), progress=progress),
    lambda progress: sg.large_independent_set(gallery.uniform_random(300, 6), rounds=3, progress=progress).mask,
    lambda progress: sg.smoothed_aggregation(gallery.laplacian((9, 9))).solve(np.ones(81), progress=progress),
]


@pytest.mark.parametrize(
    ("call", "words"),
    list(zip(CALLS, ["MB read", "of at most", "iteration"], strict=True)),
    ids=["read", "search", "solve"],
)
def test_bars_are_shown_where_they_are_asked_for_and_change_nothing(call, words, capsys):
    pytest.importorskip("rich")
    quiet = call(None)
    assert capsys.readouterr().out == ""
    assert np.array_equal(call(False), quiet) if isinstance(quiet, np.ndarray) else call(False) == quiet
    assert capsys.readouterr().out == ""
    shown = call(True)
    assert words in capsys.readouterr().out
    assert np.array_equal(shown, quiet) if isinstance(quiet, np.ndarray) else shown == quiet


@pytest.mark.parametrize("call", CALLS, ids=["read", "search", "solve"])
def test_what_cannot_be_told_is_refused(call):
    with pytest.raises(TypeError, match=r"progress must be True or a function of \(.*\), got 'yes'"):
        call("yes")


def test_a_bar_without_rich_says_what_to_install():
    program = """
import sys
sys.modules["rich"] = sys.modules["rich.progress"] = None
import stablegraph as sg
try:
    sg.large_independent_set(sg.gallery.grid((3, 3)), progress=True)
except ModuleNotFoundError as error:
    print(error)
"""
    assert 'pip install "stablegraph[cli]"' in run_python(program).stdout
