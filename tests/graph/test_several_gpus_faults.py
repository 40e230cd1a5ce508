"""Faults of several GPUs, emulated: memory, Ctrl-C, processes. test_several_gpus.py has threads and names of GPUs.

No access between GPUs: kernels use only the memory of their GPU (test_kernels_and_copies_use_the_memory_of_their_gpu),
so that all other accesses are copies, which CUDA passes through host memory if it must.
"""

import gc
import multiprocessing
import signal
import weakref

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.csr import spread as spread_rows
from stablegraph._core.runtime.cuda import cards
from stablegraph._core.runtime.cuda.source import _REPORTED
from tests.support.cases import each
from tests.support.emulated_cuda import _Emulated, emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
CALLS = {
    "set": sg.maximal_independent_set,
    "set at distance two": lambda graph: sg.maximal_independent_set(graph, 2, include=[0]),
    "components": lambda graph: sg.connected_components(graph)[1],
    "search": lambda graph: sg.breadth_first_search(graph, 3)[1],
    "colors": lambda graph: sg.vertex_coloring(graph, reduce="none"),
    "matching": sg.maximal_matching,
    "aggregates": lambda graph: sg.aggregate(graph, algorithm="kokkos")[1],
    "forest": lambda graph: sg.minimum_spanning_forest(graph).indices,
}


class Faults:
    """Launches that are counted; one of them fails. `arrays` has all arrays that kernels got and that still exist."""

    def __init__(self, monkeypatch):
        self.launches, self.failing, self.fault, self.entered = 0, -1, None, []
        self.arrays = weakref.WeakValueDictionary()
        call = _Emulated.__call__

        def launch(program, name, threads, *arguments):
            self.launches += 1
            if self.launches == self.failing:
                self.fault()
            for array in arguments:
                if isinstance(array, np.ndarray):
                    self.arrays[id(array)] = array
            call(program, name, threads, *arguments)

        monkeypatch.setattr(_Emulated, "__call__", launch)
        monkeypatch.setattr(cards.Card, "__enter__", lambda card: self.entered.append(card))
        monkeypatch.setattr(cards.Card, "__exit__", lambda card, *_: self.entered.remove(card))

    def remaining(self):
        """Return the arrays that still exist, except for the few numbers that each GPU keeps for its next report."""
        gc.collect()
        return {id(array) for array in self.arrays.values() if array.size != _REPORTED}


def short_of_memory():
    raise MemoryError("out of memory allocating 1,024 bytes")


def interrupt():
    signal.raise_signal(signal.SIGINT)


@each(name=CALLS, fault=[short_of_memory, interrupt])
def test_calls_that_fail_between_launches(name, fault, monkeypatch):
    """Nothing stays allocated, no GPU stays the current one, and the next call has the right answer."""
    graph, call = gallery.uniform_random(90, 2), CALLS[name]
    expected, faults, caught = call(graph), Faults(monkeypatch), []
    faults.fault = fault
    with emulated_cuda(cards=3):
        spread = graph.to("cuda:all")
        call(spread)  # the graph now has its facts and pointers
        before, count = faults.remaining(), faults.launches
        for failing in {1, count // 3, count // 2, count} - {0}:
            faults.launches, faults.failing = 0, failing
            try:
                call(spread)
            except (MemoryError, KeyboardInterrupt) as error:
                caught.append(str(error))
            assert faults.remaining() == before
            assert not faults.entered
        faults.failing = -1
        np.testing.assert_array_equal(call(spread), expected)
    assert len(caught) >= 2
    if fault is short_of_memory:
        assert all('1,024 bytes. The CPU may have enough: graph.to("cpu")' in text for text in caught)


def test_a_move_for_which_the_last_gpu_has_no_memory(monkeypatch):
    graph, made, move = gallery.uniform_random(90, 2), [], spread_rows.moved

    def moved(array, xp):
        if len(made) == 4:  # a row pointer and the entries of two GPUs
            raise MemoryError("out of memory allocating 1,024 bytes")
        made.append(weakref.ref(result := move(array, xp)))
        return result

    with emulated_cuda(cards=3):
        monkeypatch.setattr(spread_rows, "moved", moved)
        try:
            graph.to("cuda:all")
        except MemoryError as error:
            assert "1,024 bytes" in str(error)
        gc.collect()
        assert [array() for array in made] == [None] * 4
        monkeypatch.undo()
        assert graph.to("cuda:all") == graph


def _answer(graph, connection):
    with emulated_cuda(cards=2):
        connection.send((sg.connected_components(graph)[1], sg.aggregate(graph.to("cuda:1,0"))[1]))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_after_fork_uses_other_gpus():
    """Only emulated: CUDA itself does not support a fork of a process that has used a GPU."""
    graph, context = gallery.uniform_random(90, 2), multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    with emulated_cuda(cards=3):
        spread = graph.to("cuda:all")
        expected = sg.connected_components(spread)[1], sg.aggregate(spread)[1]
        child = context.Process(target=_answer, args=(spread, theirs))
        child.start()
        assert ours.poll(60)
        for found, wanted in zip(ours.recv(), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
        child.join()
    assert child.exitcode == 0
