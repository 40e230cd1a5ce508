"""Comparison of every answer with the pinned one."""

import pytest

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler
from .graphs import data_folder
from .lists import WITH_LAPACK, computed, differences, kept

# Some graphs have fewer neighbors than a pinned call of `mutual_reachability` asks for.
pytestmark = pytest.mark.filterwarnings("ignore:.* have fewer than min_samples")


def check(name, but=()):
    """Compare a list, except for the calls whose names begin like one of `but`."""
    lines = [line for line in differences(name, computed(name)) if not line.partition(": ")[2].startswith(but)]
    assert not lines, "\n".join(["answers differ from those pinned in tests/pins:", *lines])


def test_the_zoo():
    check("zoo")


@pytest.mark.slow
@needs_a_compiler
def test_the_zoo_by_the_sources_for_a_gpu():
    """Solutions of linear systems by a GPU agree with those of a CPU within rounding errors only."""
    with emulated_cuda(7):
        check("zoo", but=(WITH_LAPACK, "solve "))


@pytest.mark.slow
def test_the_benchmarks():
    check("benchmarks")


@pytest.mark.slow
@pytest.mark.skipif(data_folder() is None, reason="STABLEGRAPH_DATA does not name the folder of real graphs")
def test_real_graphs():
    check("real")


def test_a_changed_answer_is_named():
    pins = kept("zoo")
    (graph, call), pin = next(iter(pins.items()))
    wrong = {**pins, (graph, call): "0" * 8}
    assert differences("zoo", wrong) == [f"{graph}: {call}: was {pin}, is 00000000"]
    del wrong[graph, call]
    assert differences("zoo", wrong) == [f"{graph}: {call}: was {pin}, is missing"]
