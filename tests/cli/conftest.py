"""Fixtures of the command line tests: the tests need its packages, and run in a folder with two small graphs."""

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from .invoking import DIRECTED, PATH


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path.mtx").write_text(PATH)
    (tmp_path / "arcs.txt").write_text(DIRECTED)
    return tmp_path
