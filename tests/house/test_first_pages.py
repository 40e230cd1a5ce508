"""The first pages say how to install the package: from a copy before the first release, by its name after it."""

from __future__ import annotations

import importlib.util
import re

import pytest

from tests.house import test_documented_use as documented
from tests.support.processes import ROOT

spec = importlib.util.spec_from_file_location("release_switch", ROOT / "docs" / "checks" / "release_switch.py")
assert spec is not None and spec.loader is not None
switch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(switch)


def page_text(page, released):
    return switch.with_block(page, (ROOT / page).read_text("utf-8"), released)


@pytest.mark.parametrize("page", switch.PAGES)
def test_pages_have_the_position_of_the_switch(page):
    assert page_text(page, switch.RELEASED) == (ROOT / page).read_text("utf-8")


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("page", switch.PAGES)
def test_both_positions(page, released, monkeypatch):
    text = page_text(page, released)
    by_name = re.findall(r'^pip install "?stablegraph\b', text, re.MULTILINE)
    if page != "docs/stability.md":
        assert bool(by_name) == released or page == "docs/install.md"  # which also speaks of images and GPUs
    assert ("no release yet" in text) <= (not released)
    monkeypatch.setitem(documented.PAGES, page, text)
    documented.test_commands_and_options_exist(page)


@pytest.mark.parametrize("released", [False, True])
def test_first_pages_are_short_and_the_readme_has_the_commands_for_a_copy(released):
    """`.ci/run` extracts the two commands of the README."""
    assert len(page_text("docs/index.md", released).splitlines()) <= 60
    text = page_text("README.md", released)
    assert len(text.splitlines()) <= 60
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(re.findall(r'^pip install "\.\[', blocks, re.MULTILINE)) == 2
    assert ('"stablegraph[' in text) == ("pip install stablegraph" in text) == released


def test_a_page_without_the_markers_is_refused():
    with pytest.raises(ValueError, match="once, but has them 0 times"):
        switch.with_block("README.md", "# stablegraph", False)
