"""Imports inside the package point downwards, and have no cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablegraph
from tests.house.arrows import circle, forbidden, imports, room

SOURCE = Path(stablegraph.__file__).parent
ARROWS = imports(SOURCE)

# From the bottom to the top: the modules that each file or folder may import, in addition to itself. The lowest ones
# import nothing.
LOWEST = {
    *("_version", "dispatch", "html", "interpreter", "names", "printable", "progress", "typing"),
    "unknown_options",
}
GROUND = {"_validation", "csr", "parallel", "vertex_names"} | LOWEST
GRAPHS = {"graph", "conversion"} | GROUND
PROBLEM = {"bipartition", "memory", "patterns", "patterns_cuda"} | GRAPHS
PROBLEMS = {"independent_set", "coloring", "components", "forest", "traversal", "coarsening", "solvers"}
ALLOWED = {name: set() for name in LOWEST} | {
    "dispatch": {"unknown_options"},
    "parallel": LOWEST,
    "memory": LOWEST,
    "vertex_names": LOWEST,
    "_validation": {"parallel", "vertex_names"} | LOWEST,
    "csr": GROUND,
    "patterns": {"memory"} | GROUND,
    "patterns_cuda": {"memory", "patterns"} | GROUND,
    "bipartition": GROUND,
    "representation": GROUND,
    "graph": {"representation"} | GROUND,
    "converters": GROUND,
    "conversion": {"graph", "converters"} | GROUND,
    "verify": {"graph", "conversion", "_validation", "vertex_names"} | LOWEST,  # nothing that it verifies
    "reference_kernels": GRAPHS,
    "reference_kernels_cuda": GRAPHS,
    "gallery": GRAPHS,
    "tables": GRAPHS,
    "io": PROBLEM | {"tables"},
    "independent_set": PROBLEM | {"components"},
    "components": PROBLEM,
    "forest": PROBLEM,
    "traversal": PROBLEM,
    "coloring": PROBLEM | {"independent_set"},
    "coarsening": PROBLEM | {"independent_set"},
    "solvers": PROBLEM | {"coloring", "coarsening"},
    "csgraph": PROBLEM | {"components", "forest", "independent_set", "traversal"},
    "interop": PROBLEM | PROBLEMS | {"representation"},
    "distributed": PROBLEM | PROBLEMS | {"representation", "gallery", "io", "tables", "verify"},
    "plot": PROBLEM | PROBLEMS | {"verify"},
    "": {"_version", "interpreter"},  # the public names are loaded on demand
    "__main__": {"cli"},
}
ALLOWED["cli"] = {""} | set(ALLOWED) - {"__main__"}


def test_every_room_has_its_place():
    assert {room(module) for module in ARROWS} - set(ALLOWED) == set()


def test_arrows_point_downwards():
    assert forbidden(ARROWS, ALLOWED) == set()


def test_no_circles():
    assert circle(ARROWS) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("parallel/kernel.py", "from ..graph import Graph"),
        ("parallel/kernel.py", "def late():\n    from .. import graph"),
        ("parallel/__init__.py", "import stablegraph.graph"),
        ("graph.py", "def late():\n    from .io import read_graph"),
        ("graph.py", "from .conversion import as_graph"),
        ("verify/coloring.py", "from ..coloring import first_fit"),
        ("verify/coloring.py", "from ..parallel import kernel"),
        ("verify/coloring.py", "if True:\n    from ..csgraph import x"),
        ("forest/kruskal.py", "from ..coloring.order import x"),
    ],
)
def test_what_points_upwards_is_found(tmp_path, module, text):
    arrows = _planted(tmp_path, {module: text})
    assert len(forbidden(arrows, ALLOWED)) == 1, arrows


def test_a_circle_is_found(tmp_path):
    assert circle(_planted(tmp_path, {"io/a.py": "from .b import x", "io/b.py": "def late():\n    from . import a"}))
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a"
    assert not circle(_planted(tmp_path, {"io/a.py": "from .b import x", "io/b.py": typed}))


def _planted(folder, texts):
    """Return the imports of a package in which all modules are empty except for these."""
    for name in [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    for name, text in texts.items():
        (folder / name).write_text(text)
    return imports(folder)
