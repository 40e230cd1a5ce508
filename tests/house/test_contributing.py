"""The skeleton of an algorithm in CONTRIBUTING.md works: it runs, and computes the documented set."""

from __future__ import annotations

import importlib.util
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.engines.rounds import History
from stablegraph._core.runtime import Kernel, use_target
from tests.support import naive
from tests.support.processes import ROOT

NAME = "stablegraph.independent_set.greedy.skeleton"


@pytest.fixture(scope="module")
def skeleton(tmp_path_factory):
    """Return its module, as if it were in the folder of the other algorithms."""
    (text,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path_factory.mktemp("skeleton") / "skeleton.py"
    path.write_text(text, encoding="utf-8")
    before = len(Kernel.registry)
    spec = importlib.util.spec_from_file_location(NAME, path)
    sys.modules[NAME] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[NAME], Kernel.registry[before:]


@pytest.mark.jit
def test_a_kernel_without_types_names_a_remedy_that_works(skeleton, monkeypatch):
    """The first call of the kernel is in this test; later calls find it compiled."""
    graph, none = sg.as_graph(sp.eye_array(3)), np.zeros(0, np.int32)
    with use_target("cpu", workers=1):
        with pytest.raises(
            TypeError, match="declares no types, so it is not in the library; add types=, or"
        ) as refused:
            skeleton.independent_set(graph, none, none, History())
        monkeypatch.setenv(*re.search(r"(STABLEGRAPH_\w+)=(\w+) compiles", str(refused.value)).groups())
        assert skeleton.independent_set(graph, none, none, History()).all()


@pytest.mark.parametrize("target", [pytest.param("cpu", marks=pytest.mark.jit), "python"])
def test_the_skeleton_runs(skeleton, zoo_graph, target, monkeypatch):
    monkeypatch.setenv("STABLEGRAPH_JIT", "1")  # it is not in the library
    ids = zoo_graph.indices.dtype
    exclude = list(range(2, zoo_graph.num_vertices, 7))
    include = np.flatnonzero(naive.greedy_independent_set(zoo_graph, range(10**6), exclude=exclude))[-1:]
    for included, excluded in (([], []), (include, exclude)):
        history = History(counted=True)
        with use_target(target, seed=1, workers=5):
            mask = skeleton.independent_set(zoo_graph, np.array(included, ids), np.array(excluded, ids), history)
        expected = naive.greedy_independent_set(zoo_graph, range(10**6), included, excluded)
        assert mask.tolist() == expected.tolist()
        info = history.info()
        assert set(info) == {"rounds", "undecided", "edges", "seconds"} and info["undecided"][-1] == 0
