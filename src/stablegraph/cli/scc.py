"""``stablegraph scc``: the strong components of a directed graph."""

from __future__ import annotations

from typing import Any

import click

from .components import labels_output, show_components
from .options import graph_file


@click.command("scc")
@graph_file
@click.option(
    "--algorithm",
    type=click.Choice(["auto", "tarjan", "forward-backward", "cfhp"]),
    default="auto",
    show_default=True,
    help="How they are found; it changes the time, not the result.",
)
@labels_output
def command(**asked: Any) -> None:
    """Find the strong components of a directed graph.

    Two vertices are in one if each can be reached from the other along arcs. Components are numbered from 0 by their
    smallest vertices, and do not depend on the number of threads.
    """
    from ..components.strong import strongly_connected_components
    from ..verify import is_strong_component_labeling

    show_components(strongly_connected_components, is_strong_component_labeling, "strong components", **asked)
