"""Help, version and the accepted names of options."""

from __future__ import annotations

from typing import get_args

import click
import pytest

import stablegraph as sg
from stablegraph import cli, gallery
from stablegraph._core import option_names as names
from stablegraph.cli import options as choices

from .invoking import facts, ok


def test_version_and_help():
    assert ok("--version") == f"stablegraph {sg.__version__}\n"
    overview = ok("--help")
    for name in cli.main.commands:
        assert name in overview
        assert "Usage:" in ok(name, "--help")
    assert "..." not in ok("--help").replace("[ARGS]...", "") + ok("generate", "--help").replace("[ARGS]...", "")
    assert "100x100" in ok("generate", "grid", "--help")


def test_every_option_is_explained():
    options = [
        (name, option)
        for name, command in cli.main.commands.items()
        for option in command.params
        if option.param_type_name == "option"
    ]
    assert [(name, option.name) for name, option in options if not option.help] == []


def test_names_are_those_of_the_library():
    graph = gallery.grid((4, 4))
    for find, known in (
        (sg.maximal_independent_set, names.SetAlgorithm),
        (sg.vertex_coloring, names.ColoringAlgorithm),
        (sg.communities, names.CommunityAlgorithm),
        (sg.connected_components, names.ComponentAlgorithm),
        (sg.strongly_connected_components, names.StrongAlgorithm),
        (sg.minimum_spanning_forest, names.ForestAlgorithm),
    ):
        with pytest.raises(ValueError, match="algorithm") as refusal:
            find(graph, algorithm="bogus")
        assert [name for name in get_args(known) if name not in str(refusal.value)] == []


@pytest.mark.parametrize("library", ["luby-select", "luby_select"])
@pytest.mark.parametrize("typed", ["luby-select", "luby_select"])
def test_hyphens_and_underscores_are_alike(library, typed):
    """Either spelling is converted to the spelling of the library."""
    name = choices.Name(["luby", library])
    assert name.convert(typed, None, None) == library
    for wrong in ("Luby", "lubyselect", "luby-"):
        with pytest.raises(click.BadParameter, match="luby"):
            name.convert(wrong, None, None)


def test_names_reach_the_library(folder):
    assert facts("color", "path.mtx", "--order", "smallest-last")["order"] == "smallest_last"
    assert facts("mis", "path.mtx", "--algorithm", "luby_select")["verified"] is True
    assert facts("forest", "path.mtx", "--algorithm", "filter_kruskal")["verified"] is True
