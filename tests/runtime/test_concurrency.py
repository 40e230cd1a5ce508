"""Calls at the same time: results in order, one thread each, the first error, and the end of all calls by Ctrl-C."""

import _thread
import threading
import time

import pytest

import stablegraph as sg
from stablegraph._core.runtime.concurrency import call_concurrently


def until_ended():
    """Run until another thread ends this one by an exception."""
    while True:
        time.sleep(0.001)


def test_results_are_in_order_and_each_call_has_one_thread():
    both = threading.Barrier(2)

    def call(i):
        if i < 2:
            both.wait(60)  # the first two calls run at the same time
        return i, sg.num_threads()

    with sg.threads(2):
        assert call_concurrently([lambda i=i: call(i) for i in range(9)]) == [(i, 1) for i in range(9)]
        assert sg.num_threads() == 2
        assert call_concurrently([lambda: sg.num_threads()]) == [2]  # fewer than threads
    with sg.threads(1):
        assert call_concurrently([threading.get_ident] * 3) == [threading.get_ident()] * 3


def test_the_first_error_ends_all_calls():
    def fail(name):
        raise ValueError(name)

    calls = [lambda: None, lambda: fail("second"), until_ended, lambda: fail("fourth"), until_ended]
    with sg.threads(2), pytest.raises(ValueError, match="second"):
        call_concurrently(calls)


def test_ctrl_c_ends_all_calls():
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with sg.threads(2), pytest.raises(KeyboardInterrupt):
        call_concurrently([until_ended] * 5)
    timer.join()
