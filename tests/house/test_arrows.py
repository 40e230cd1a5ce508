"""Imports inside the package point downwards, and have no cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablegraph
from tests.house.arrows import circle, forbidden, imports, room

SOURCE = Path(stablegraph.__file__).parent

# From the bottom to the top: the rooms that each file or folder may import, in addition to itself. The lowest ones
# import nothing.
LOWEST = {"_version"} | {
    f"_core.{name}" for name in ("environment", "option_names", "progress", "texts", "unknown_options")
}
RUNTIME = {"_core.memory", "_core.runtime"} | LOWEST
GROUND = {"_core.csr", "_core.dispatch", "_core.engines", "_core.validation", "_core.vertex_names"} | RUNTIME
GRAPHS = {"graph", "spread_graph", "conversion", "_core.typing", "_core.vertex_values"} | GROUND
PROBLEMS = {"independent_set", "coloring", "components", "forest", "traversal", "coarsening", "community", "matching"}
PROBLEMS |= {"derivatives", "laplacians", "solvers"}
PROBLEMS |= {f"{problem}.api" for problem in PROBLEMS}
BESIDE = {"study"} | GRAPHS  # called by public functions, like their own algorithms
ALLOWED = {name: set() for name in LOWEST} | {
    "_core": set(),
    "_core.memory": LOWEST,
    "_core.runtime": LOWEST,
    "_core.engines": RUNTIME,
    "_core.dispatch": {"_core.validation"} | LOWEST,
    "_core.vertex_names": {"_core.texts"},
    "_core.validation": {"_core.vertex_names"} | RUNTIME,
    "_core.vertex_values": {"_core.validation", "_core.vertex_names"} | RUNTIME,
    "_core.csr": GROUND,
    "_core.representation": GROUND,
    "_core.fingerprint": GROUND,
    "_core.converters": GROUND,
    "_core.typing": {"_core.csr"} | GROUND,
    "graph": {"_core.representation"} | GROUND,
    "spread_graph": {"graph"} | GROUND,
    "conversion": {"graph", "_core.converters"} | GROUND,
    # Verifiers import nothing that they verify, except for the order of edges in partitions.
    "verify": {
        "graph",
        "spread_graph",
        "conversion",
        "_core.dispatch",
        "_core.typing",
        "_core.validation",
        "_core.vertex_names",
    }
    | {"_core.vertex_values"}
    | LOWEST,
    "cluster.verify": {"verify", "cluster", "cluster.problems", "forest"} | GRAPHS,
    "gallery": GRAPHS,
    "tables": GRAPHS,
    "tables.api": {"components", "components.api", "forest", "tables"} | GRAPHS,
    "io": GRAPHS | {"_core.converters", "tables"},
    # The algorithms of each problem.
    "components": GRAPHS,
    "traversal": GRAPHS,
    "forest": GRAPHS | {"_core.converters"},
    "independent_set": GRAPHS | {"components", "traversal"},
    "coloring": GRAPHS | {"independent_set", "traversal"},
    "coarsening": GRAPHS | {"independent_set"},
    "community": GRAPHS | {"components", "forest"},
    "matching": GRAPHS | {"forest", "independent_set"},
    "derivatives": GRAPHS | {"coloring"},
    # Historical algorithms; the engine for graphs in partitions, and with it the form of each problem.
    "study": GRAPHS | {"coloring", "components", "forest", "independent_set"},
    "cluster": GRAPHS | {"_core.converters", "_core.representation", "gallery", "io", "tables"},
    "cluster.problems": {"cluster", "coarsening", "coloring", "components", "forest", "independent_set"} | GRAPHS,
    "distributed": {"_core.dispatch", "cluster", "cluster.problems", "cluster.verify"},
    # Public functions, and problems that are built upon those of other problems.
    "components.api": {"components"} | BESIDE,
    "traversal.api": {"traversal"} | BESIDE,
    "forest.api": {"forest"} | BESIDE,
    "independent_set.api": {"independent_set"} | BESIDE,
    "coloring.api": {"coloring", "tables"} | BESIDE,
    "coarsening.api": {"coarsening", "independent_set"} | BESIDE,
    "community.api": {"community"} | GRAPHS,
    "matching.api": {"matching", "forest"} | GRAPHS,
    "derivatives.api": {"derivatives", "coloring"} | GRAPHS,
    "solvers": GRAPHS | {"coloring", "coloring.api", "coarsening", "coarsening.api", "independent_set.api"},
    "solvers.api": {"solvers", "coarsening.api"} | GRAPHS,
    "laplacians": GRAPHS | {"components.api", "forest.api", "solvers", "solvers.api"},
    "laplacians.api": {"laplacians", "solvers"} | GRAPHS,
    "csgraph": GRAPHS
    | {"_core.converters", "components.api", "forest.api", "independent_set", "independent_set.api", "traversal"}
    | {"traversal.api"},
    "interop": GRAPHS | PROBLEMS | {"_core.representation"},
    "plot": GRAPHS | PROBLEMS | {"verify"},
    "": {"_version", "_core.environment"},  # the public names are loaded on demand
    "__main__": {"cli"},
}
ALLOWED["cli"] = {""} | set(ALLOWED) - {"__main__"}
TYPES_ONLY = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
ROOT = {"__init__", "__main__", "_version", "conversion", "csgraph", "distributed", "graph", "spread_graph"}


@pytest.fixture(scope="module")
def arrows():
    """Return the imports of the package."""
    return imports(SOURCE)


def test_the_root_contains_eight_files():
    assert {path.stem for path in SOURCE.glob("*.py")} == ROOT


def test_every_room_has_its_place(arrows):
    assert {room(module) for module in arrows} - set(ALLOWED) == set()


def test_arrows_point_downwards(arrows):
    assert forbidden(arrows, ALLOWED) == set()


def test_core_imports_nothing_above_it():
    below = {name for name in ALLOWED if name.startswith("_core")} | {"_version"}
    assert all(ALLOWED[name] <= below for name in below)


def test_no_circles(arrows):
    assert circle(arrows) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("_core/runtime/kernel.py", "from ...graph import Graph"),
        ("_core/runtime/kernel.py", "def late():\n    from ... import graph"),
        ("_core/runtime/__init__.py", "import stablegraph.graph"),
        ("graph.py", "def late():\n    from .io import read_graph"),
        ("graph.py", "from .conversion import as_graph"),
        ("verify/coloring.py", "from ..coloring import first_fit"),
        ("verify/coloring.py", "from .._core.runtime import kernel"),
        ("verify/coloring.py", "if True:\n    from ..csgraph import x"),
        ("forest/kruskal.py", "from ..coloring.order import x"),
        ("cluster/graph.py", "from .problems.components import x"),
        ("cluster/problems/sets.py", "from ...independent_set.api import x"),
        ("coloring/first_fit.py", "from .api import x"),
        ("study/cfhp.py", "from ..components.api import x"),
        ("cluster/graph.py", "def late():\n    from .verify import forest"),
        ("cluster/verify/local_checks.py", "from ...coloring.first_fit import x"),
        ("_core/memory.py", "from .csr.arrays import index_type"),
        ("graph.py", f"{TYPES_ONLY}    from .conversion import as_graph"),
    ],
)
def test_what_points_upwards_is_found(tmp_path, module, text):
    arrows = _planted(tmp_path, {module: text})
    assert len(forbidden(arrows, ALLOWED)) == 1, arrows


def test_a_circle_is_found(tmp_path):
    assert circle(_planted(tmp_path, {"io/a.py": "from .b import x", "io/b.py": "def late():\n    from . import a"}))
    typed = f"{TYPES_ONLY}    from . import a"
    assert circle(_planted(tmp_path, {"io/a.py": "from .b import x", "io/b.py": typed}))


def _planted(folder, texts):
    """Return the imports of a package in which all modules are empty except for these."""
    for name in [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    for name, text in texts.items():
        (folder / name).write_text(text)
    return imports(folder)
