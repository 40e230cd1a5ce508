"""``stablegraph report``: its statements are correct, its lines of Python run, and a browser shows it offline."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

from .invoking import facts, ok, refused, run

pytest.importorskip("matplotlib")

NAMES = {  # the variables that the last line of a section sets
    "contents": "labels",
    "maximal_set": "mask",
    "large_set": "mask",
    "coloring": "colors",
    "communities": "labels",
    "forest": "forest",
    "aggregates": "labels",
}


class Page(HTMLParser):
    """The sections of a page (programs, fingerprints, pictures and texts), and every address in it."""

    def __init__(self, file):
        super().__init__()
        self.sections, self.addresses, self.open, self.ids = {}, [], [], set()
        self.feed(file.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.addresses += [attributes[name] for name in ("src", "href", "action", "srcset") if name in attributes]
        if tag == "section" and "id" in attributes:
            self.now = self.sections[attributes["id"]] = {"alt": [], "pre": "", "text": ""}
        if tag == "img":
            self.now["alt"].append(attributes["alt"])
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if "section" in self.open:
            self.now["text"] += text
            if "pre" in self.open:
                self.now["pre"] += text


@pytest.fixture(scope="module")
def page_of_mesh(tmp_path_factory):
    """Return the path of a page for tests that only read it; two threads made it."""
    folder = tmp_path_factory.mktemp("mesh")
    sg.write_graph(folder / "mesh.mtx", sg.as_graph(gallery.laplacian((9, 8))))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ok("report", "mesh.mtx", "-o", "page.html", "--threads", 2)
    return folder / "page.html"


@pytest.fixture
def mesh(folder):
    sg.write_graph("mesh.mtx", sg.as_graph(gallery.laplacian((9, 8))))
    return folder


@pytest.fixture
def arcs(folder):
    graph = gallery.with_directions(gallery.uniform_random(60, 4, seed=2))
    sg.write_graph("arcs.mtx", graph)
    return folder


@pytest.mark.parametrize("file", ["mesh.mtx", "arcs.mtx"])
def test_the_lines_of_each_section_make_what_it_shows(mesh, arcs, file):
    result = facts("report", file, "--seed", "3", "-o", "page.html")
    assert result["verified"] is True
    page = Page(mesh / "page.html")
    assert list(page.sections) == list(NAMES)
    for key, section in page.sections.items():
        names = {}
        lines = section["pre"].splitlines()
        assert len(lines) == 3
        exec(section["pre"], names)
        crc32 = re.search(r"crc32 ([0-9a-f]{8})", section["text"])[1]
        assert sg.fingerprint(names[NAMES[key]]) == crc32 and "verified" in section["text"]
        assert key == "contents" or result[key]["crc32"] == crc32
        assert section["alt"] and all(len(text) > 20 for text in section["alt"])
    contents, is_directed = page.sections["contents"]["text"], file == "arcs.mtx"
    for said in ("strong components", "take every arc as an edge", "not symmetric"):
        assert (said in contents) == is_directed


def test_the_page_says_what_is_in_the_file(page_of_mesh):
    text = Page(page_of_mesh).sections["contents"]["text"]
    for said in (
        "72",
        "127",
        "326, 72 of them on the diagonal",
        "float64, -1 to 4",
        "pattern and values are symmetric",
    ):
        assert said in text
    band = int(re.search(r"bandwidth([\d,]+);", text)[1])
    matrix = gallery.laplacian((9, 8)).tocoo()
    assert band == np.abs(matrix.row - matrix.col).max() == 8


def test_the_page_is_the_same_each_time_and_for_any_number_of_threads(page_of_mesh, mesh):
    for threads in (1, 3):
        ok("report", "mesh.mtx", "-o", "page.html", "--threads", threads)
        assert (mesh / "page.html").read_bytes() == page_of_mesh.read_bytes()


def test_the_page_needs_nothing_from_elsewhere(page_of_mesh):
    page = Page(page_of_mesh)
    others = [address for address in page.addresses if not address.startswith(("data:image/png;base64,", "#"))]
    assert others == [] and {address[1:] for address in page.addresses if address.startswith("#")} <= page.ids
    assert "http" not in re.sub(r"data:image/png;base64,[\w+/=]*|http-equiv", "", page_of_mesh.read_text())


def test_names_are_text_and_nothing_else(folder):
    name = "<script>alert(1)</script>'.txt"
    (folder / name.replace("/", "_")).write_text("0 1\n1 0\n")
    ok("report", name.replace("/", "_"), "-o", "page.html")
    page = Page(folder / "page.html")
    assert "<script>" not in (folder / "page.html").read_text()
    names = {}
    exec(page.sections["coloring"]["pre"], names)
    assert len(names["colors"]) == 2


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_graphs_have_a_page(folder, n):
    sg.write_graph("tiny.npz", sg.from_edges([], [], n=n) if n < 2 else sg.from_edges([0], [1], symmetrize=True))
    ok("report", "tiny.npz", "-o", "page.html")
    assert len(Page(folder / "page.html").sections) == 7


def test_a_graph_too_large_to_be_drawn_is_shown_as_its_matrix_which_says_so(folder, monkeypatch):
    from stablegraph.plot import page as checks

    monkeypatch.setattr(checks, "MAX_DRAWN", 50)
    sg.write_graph("grid.npz", gallery.grid((30, 30)))
    ok("report", "grid.npz", "-o", "page.html")
    page = Page(folder / "page.html")
    assert (
        "900 vertices are too many to be drawn. Each dot represents 3 x 3 entries" in page.sections["coloring"]["text"]
    )
    assert "Each dot represents 3 x 3 entries of the matrix" in page.sections["contents"]["text"]


def test_a_wrong_answer_is_shown_as_one(mesh, monkeypatch):
    monkeypatch.setattr(sg, "vertex_coloring", lambda graph, seed: np.zeros(len(graph), np.int32))
    result = facts("report", "mesh.mtx", "-o", "page.html", code=1)
    assert result["verified"] is False
    assert "wrong: " in Page(mesh / "page.html").sections["coloring"]["text"]


def test_the_page_names_what_to_try_for_fewer_colors(folder, page_of_mesh):
    sg.write_graph("random.npz", gallery.uniform_random(100, 8))
    ok("report", "random.npz", "-o", "page.html")
    text = Page(folder / "page.html").sections["coloring"]["text"]
    assert 'reduce="thorough": takes longer, and may find fewer colors' in text
    assert "to try" not in Page(page_of_mesh).sections["coloring"]["text"]


def test_nothing_is_claimed_that_was_not_verified(mesh):
    assert facts("report", "mesh.mtx", "-o", "page.html", "--no-verify")["verified"] is None
    assert all(
        "verified" not in section["text"].split("Made by")[0] for section in Page(mesh / "page.html").sections.values()
    )


def test_a_page_stays_until_a_new_one_is_whole(mesh, monkeypatch):
    before = b"an earlier page"
    (mesh / "page.html").write_bytes(before)

    def fails(graph):
        raise MemoryError

    monkeypatch.setattr(sg, "aggregate", fails)
    assert "not enough memory" in refused("report", "mesh.mtx", "-o", "page.html")
    assert (mesh / "page.html").read_bytes() == before
    assert "not enough memory" in refused("report", "mesh.mtx", "-o", "other.html")
    assert sorted(path.name for path in mesh.iterdir()) == ["arcs.txt", "mesh.mtx", "page.html", "path.mtx"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.mtx"], "nothing.mtx: No such file"),
        (["path.mtx", "-o", "path.mtx"], "name another file"),
        (["path.mtx", "-o", "-"], "a page goes into a file"),
        (["path.mtx", "-o", "nowhere/page.html"], "nowhere/page.html: No such file or directory"),
    ],
)
def test_what_cannot_be_made_is_refused(folder, arguments, message):
    assert message in refused("report", *arguments)


def test_without_matplotlib_it_says_what_to_install(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("report", "path.mtx")
    assert result.exit_code == 2 and 'pip install "stablegraph[plot]"' in result.stderr
    assert not (folder / "report.html").exists()


BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--allow-file-access-from-files", "--virtual-time-budget=20000",
]  # fmt: skip
MEASURE = """<!DOCTYPE html><iframe src="page.html" style="border: 0; width: {width}px; height: 900px"></iframe><script>
onload = () => {{
  const page = frames[0].document, images = [...page.images];
  document.title = [page.documentElement.scrollWidth, images.length, images.filter(i => i.naturalWidth > 100).length,
                    frames[0].performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:")).length];
}};
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize("width", [360, 1280])
def test_a_browser_shows_it_without_scrolling_sideways_and_asks_for_nothing(page_of_mesh, tmp_path, width):
    shutil.copy(page_of_mesh, tmp_path / "page.html")
    (tmp_path / "measure.html").write_text(MEASURE.format(width=width))
    done = subprocess.run(
        [
            BROWSER,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            (tmp_path / "measure.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=100,
    )
    measured = re.search(r"<title>(.*?)</title>", done.stdout)
    assert measured, done.stderr[-2000:]
    wide, images, shown, asked_for = map(int, measured[1].split(","))
    pictures = page_of_mesh.read_text().count("<img")
    assert wide <= width and images == shown == pictures > 10 and asked_for == 0
