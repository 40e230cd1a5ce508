"""The checks of the built site find errors: artificial sites of one page, each with its own error."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from tests.support.processes import ROOT


def load(name):
    spec = importlib.util.spec_from_file_location(f"site_{name}", ROOT / "docs" / "checks" / f"{name}.py")
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page(body):
    return f"<!DOCTYPE html><html lang='en'><head><title>a page</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<a href='other.html#there'>fine</a> <a href='https://example.org/'>fine</a>", None),
        ("<a href='#top' id='top'>fine</a> <a href='file.zip?digest=1'>fine</a>", None),
        ("<a href='gone.html'>wrong</a>", "index.html links to gone.html, which is not there"),
        ("<a href='other.html#gone'>wrong</a>", "index.html links to other.html#gone, which has no such anchor"),
        ("<img src='gone.png' alt=''>", "index.html links to gone.png, which is not there"),
        ("<script src='https://example.org/x.js'></script>", "index.html loads https://example.org/x.js"),
    ],
)
def test_links(tmp_path, body, problem):
    (tmp_path / "index.html").write_text(page(body))
    (tmp_path / "other.html").write_text(page("<p id='there'>"))
    (tmp_path / "file.zip").write_bytes(b"")
    assert load("links").problems(tmp_path) == ([problem] if problem else [])


@pytest.mark.slow
def test_what_the_browser_finds(tmp_path):
    browser = load("browser")
    program = browser.installed()
    if program is None:
        pytest.skip("no browser is installed")
    wrong = {
        "fine.html": ("<p>a text</p>", ""),
        "wide.html": ("<div style='width: 2000px'>a text</div>", "scrolls sideways"),
        "mute.html": (
            "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'>",
            "has no alternative text",
        ),
        "lost.html": ("<img src='gone.png' alt='a picture'>", "was not loaded"),
        "pale.html": ("<p style='color: #ccc'>a pale text</p>", "contrast 1.61"),
    }
    for name, (body, _) in wrong.items():
        (tmp_path / name).write_text(page(body))
    result = browser.look(tmp_path, program, tuple(wrong))
    assert result["frames"] == 4 * len(wrong)
    for name, (_, problem) in wrong.items():
        output = [line for line in result["problems"] if line.startswith(name)]
        assert all(problem in line for line in output) and bool(output) == bool(problem), output
