"""Some half a minute of the fuzzer; that it sees defects, makes cases smaller, and draws the same ones again."""

import numpy as np
import pytest

import stablegraph as sg

from .cases import failure
from .run import TARGETS, drawn, report, run

CASES = 3000


def test_nothing_fails():
    told = []
    counts = run(range(CASES), seed=0, tell=told.append)
    assert not told, "\n".join(told)
    assert counts.total() == CASES


def test_a_case_depends_on_the_seed_and_its_number_alone():
    for number in range(3 * len(TARGETS)):
        first, again = drawn(5, number), drawn(5, number)
        assert first.program(first.runs[0]) == again.program(again.runs[0])
    assert drawn(5, 0).program() != drawn(6, 0).program()


def numbers_of(name):
    """The numbers of a function's cases."""
    return range([target.name for target in TARGETS].index(name), 10**5, len(TARGETS))


def test_a_wrong_answer_is_seen_and_made_smaller(monkeypatch):
    """Breadth-first search takes vertex 0 out of reach, wherever it has another parent."""
    right = sg.breadth_first_search

    def wrong(graph, sources):
        distance, parent = right(graph, sources)
        return np.where((parent != 0) & (np.arange(parent.size) == 0), -1, distance), parent

    monkeypatch.setattr(sg, "breadth_first_search", wrong)
    cases = ((number, drawn(1, number)) for number in numbers_of("breadth_first_search"))
    number, case = next((number, case) for number, case in cases if not case.wrong and failure(case))
    text = report(1, number, case)
    assert f"python -m tests.fuzz --seed 1 --case {number}" in text
    assert "wrong answer: distance" in text
    assert "shape=(2, 2)" in text  # a source and vertex 0 are all that is left


@pytest.mark.parametrize("error", [IndexError, ZeroDivisionError])
def test_an_error_of_another_kind_is_seen(monkeypatch, error):
    def fails(*_, **__):
        raise error("inside")

    number = next(number for number in numbers_of("vertex_coloring") if not drawn(2, number).wrong)
    case = drawn(2, number)
    monkeypatch.setattr(sg, "vertex_coloring", fails)
    assert failure(case).startswith(f"{error.__name__}: inside")
    assert "shape=(0, 0)" in report(2, number, case)


def test_an_argument_that_is_not_refused_is_seen(monkeypatch):
    number = next(number for number in numbers_of("color_bounds") if drawn(3, number).wrong)
    assert failure(drawn(3, number)) is None
    monkeypatch.setattr(sg, "color_bounds", lambda graph: (0, 0))
    assert failure(drawn(3, number)).startswith("not refused: graph=")
