"""The public interface is the stored one: a change is a decision, and the changelog names it."""

from __future__ import annotations

import pytest

from tests.house.interface import SECTIONS, stored


@pytest.mark.parametrize("section", SECTIONS)
def test_the_public_interface_is_the_stored_one(section):
    """If a change is intended: `python -m tests.house.interface --write`, and a line in the changelog."""
    needed = {"stablegraph.distributed": "distributed", "stablegraph.plot": "matplotlib"}
    pytest.importorskip(needed.get(section, "stablegraph" if section.startswith("stablegraph") else "click"))
    assert list(SECTIONS[section]()) == stored()[section]
