"""Sets by residual degree of graphs on a GPU: computed in host memory, and returned to the GPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

from ..support.emulated_cuda import needs_a_compiler
from ..support.fake_cupy import FakeArray, install_fake_cupy
from .emulated_sets import WIDE_TYPES, same_for_types, same_sets, same_under_conditions, same_when_counted

OPTIONS = {"algorithm": "residual", "seed": 3}


def without_times(info):
    return {name: value for name, value in info.items() if name != "seconds"}


@pytest.mark.parametrize("conditions", [{}, {"include": [7], "exclude": [8, 40]}])
def test_the_answer_returns_to_the_gpu(monkeypatch, conditions):
    graph = gallery.grid((9, 11))
    expected, counted = sg.maximal_independent_set(graph, return_info=True, **conditions, **OPTIONS)
    install_fake_cupy(monkeypatch)
    on_gpu = graph.to("cuda")
    mask = sg.maximal_independent_set(on_gpu, **conditions, **OPTIONS)
    again, info = sg.maximal_independent_set(on_gpu, return_info=True, **conditions, **OPTIONS)
    for answer in (mask, again):
        assert isinstance(answer, FakeArray)
        assert answer.dtype == bool
        np.testing.assert_array_equal(answer.get(), expected)
    assert without_times(info) == without_times(counted)


@needs_a_compiler
def test_emulated(hard_graph):
    same_sets(hard_graph, **OPTIONS)
    same_under_conditions(hard_graph, **OPTIONS)
    same_when_counted(algorithm="residual")


@needs_a_compiler
@pytest.mark.parametrize("types", WIDE_TYPES)
def test_index_types(types):
    same_for_types(types, **OPTIONS)
