"""Control and formatting characters in names are escaped before they reach a terminal, a message or a page."""

import json
import sys
import unicodedata
import warnings

import pytest

import stablegraph as sg
from stablegraph._core.texts import printable
from tests.support.cases import each

from .invoking import ok, process, refused, run

BAD = [*map(chr, range(32)), *map(chr, range(127, 160)), *"\u2028\u2029\u200e\u200f\u061c\u2066\u2067\u2068\u2069"]
BAD += list("\u202a\u202b\u202c\u202d\u202e\ud800\ufeff")
NAME = "no\x1b[31mfile\x07\u202e\u2028\x85"


def clean(text):
    return all(line.isprintable() for line in text.split("\n"))


@each(character=BAD)
def test_each_character_that_a_terminal_obeys_becomes_an_escape(character):
    text = printable(f"a{character}b")
    assert text.isascii() and text.isprintable()
    assert text == f"a{ascii(character)[1:-1]}b"


def test_all_categories_of_control_and_format_are_escaped_and_letters_are_not():
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            assert printable(chr(code)).isascii()
    for text in ("", "plain", "é ß 中文 \u05d0\u05d1 عربي 🙂"):
        assert printable(text) == text


def test_the_name_of_a_missing_file_is_printable():
    assert clean(refused("info", NAME)) and "\\x1b[31mfile" in refused("info", NAME)
    child = process("info", NAME)
    _, stderr = child.communicate()
    assert clean(stderr.decode()) and child.returncode == 2


def test_the_name_of_a_file_is_printable_in_results(folder):
    path = folder / f"{NAME}.mtx"
    path.write_bytes((folder / "path.mtx").read_bytes())
    for command in (["info"], ["mis", "-o", f"{NAME}.csv"], ["color"], ["forest", "-o", f"{NAME}.npz"]):
        assert clean(ok(command[0], path, *command[1:]))
    assert json.loads(run("info", path, "--json").stdout)["file"] == str(path)  # escaped by JSON, and complete


def test_the_title_of_a_report_and_its_pictures_are_printable(folder):
    pytest.importorskip("matplotlib")
    path = folder / f"{NAME}.csv"
    path.write_text("source,target\na\x1b[31m,b\x07\nb\x07,\u202ec\n$x$,a\x1b[31m\n", encoding="utf-8")
    result = run("report", path, "-o", "page.html", "--symmetrize")
    assert (result.exit_code, result.stderr) == (0, "") and clean(result.stdout)
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert clean(page)
    assert "<title>no\\x1b[31mfile\\x07\\u202e\\u2028\\x85.csv: a report</title>" in page


def test_names_in_pictures_cause_no_warning(folder):
    pytest.importorskip("matplotlib")
    graph = sg.from_edges(["a\x1b[31m", "b\x07"], ["b\x07", "\x00"], symmetrize=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = sg.plot.independent_set_figure(graph, sg.maximal_independent_set(graph), names=True, title="$\\x$")
        figure.savefig(folder / "x.png")
    texts = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert "a\\x1b[31m" in texts and all(text.isprintable() for text in texts)


def test_names_are_printable_in_messages():
    graph = sg.from_edges(["a\x1b", "b\u202e"], ["b\u202e", "c"], symmetrize=True)
    with pytest.raises(ValueError, match=r"'d\\x1b'") as caught:
        graph.index("d\x1b")
    assert clean(str(caught.value))

    class Name:
        def __str__(self):
            return "x\x1b[2J"

    first, second = Name(), Name()
    with pytest.raises(ValueError, match="has no partner") as caught:
        sg.from_edges([first], [second])
    assert clean(str(caught.value)) and "x\\x1b[2J" in str(caught.value)


def test_names_of_a_table_are_printable_in_their_repr():
    pa = pytest.importorskip("pyarrow")
    nodes = sg.from_table(pa.table({"source": ["a\x1b"], "target": ["b\u202e"]})).nodes
    assert repr(nodes) == "<ArrowNames: 2 of type string, a\\x1b, b\\u202e>"
