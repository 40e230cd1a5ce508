"""The line that shows the progress of a long call: on a terminal only, and erased at the end."""

import io
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import dask
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import progress_line, workers
from tests.support.cases import each


class _Terminal(io.StringIO):
    is_terminal = True

    def isatty(self):
        return self.is_terminal


@pytest.fixture
def terminal(monkeypatch):
    """Replace standard error by a terminal on which lines appear immediately."""
    stream = _Terminal()
    monkeypatch.setattr(progress_line, "sys", SimpleNamespace(stderr=stream))  # pytest replaces the real one later
    monkeypatch.setattr(progress_line, "_PATIENCE", 0)
    monkeypatch.setattr(progress_line, "_MIN_INTERVAL", 0)
    monkeypatch.setenv("COLUMNS", "60")
    return stream


def test_rounds_are_shown_and_erased(client, terminal):
    graph = distributed.grid((9, 9), 3, client=client)
    sg.connected_components(graph)
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines[1] == "connected_components: round 1, 0 s" and lines[-1] == ""
    assert all(len(line) < 60 and line.isprintable() for line in lines)


def test_remaining_vertices_are_shown(client, terminal, monkeypatch):
    from stablegraph.cluster import supersteps

    monkeypatch.setattr(supersteps, "MAX_ENTRIES_OF_ONE_TASK", 0)
    graph = distributed.uniform_random(300, 3, partitions=3, client=client)
    sg.maximal_independent_set(graph)
    assert "maximal_independent_set: round 2, " in terminal.getvalue() and " left, " in terminal.getvalue()


@each(reason=["no terminal", "no stream", "option", "function"])
def test_nothing_is_shown(client, terminal, monkeypatch, reason):
    graph, calls = distributed.grid((9, 9), 3, client=client), []
    terminal.is_terminal = reason != "no terminal"
    if reason == "function":
        graph.progress = lambda *numbers: calls.append(numbers)
    with dask.config.set({"stablegraph.progress": reason != "option"}), monkeypatch.context() as patch:
        if reason == "no stream":
            patch.setattr(progress_line.sys, "stderr", None)
        sg.connected_components(graph)
    assert terminal.getvalue() == "" and bool(calls) == (reason == "function")


def test_short_calls_show_nothing(client, terminal, monkeypatch):
    monkeypatch.setattr(progress_line, "_PATIENCE", 1000)
    sg.connected_components(distributed.grid((9, 9), 3, client=client))
    assert terminal.getvalue() == ""


def test_an_error_erases_the_line(client, terminal):
    graph = distributed.grid((9, 9), 3, client=client)

    @progress_line.shows_progress
    def fail(graph):
        sg.connected_components(graph)
        raise ValueError("an error")

    with pytest.raises(ValueError, match="an error"):
        fail(graph)
    assert terminal.getvalue().startswith("\r\x1b[Kfail: round 1") and terminal.getvalue().endswith("\r\x1b[K")
    assert progress_line.current_line() is None


def test_tasks_are_counted(threads_cluster, terminal, monkeypatch):
    monkeypatch.setattr(workers, "_REDRAWN", 0.02)

    @progress_line.shows_progress
    def build():
        futures = [threads_cluster.submit(time.sleep, 0.1 * k, key=f"nap-{k}", pure=False) for k in (1, 2)]
        return workers.gather(threads_cluster, futures)

    assert build() == [None, None]
    assert "build: nap, 0 of 2 tasks, 0 s" in terminal.getvalue()


_PROGRAM = """
import time
from distributed import Client
import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import progress_line, workers
from stablegraph.cluster.supersteps import Supersteps
from stablegraph.cluster.progress_line import shows_progress

progress_line._PATIENCE = workers._REDRAWN = 0.1

def rest(part, state, inbox):
    time.sleep(0.5)
    return state, None, None

@shows_progress
def endless(graph):
    rounds = Supersteps(graph, "endless")
    while True:
        rounds.step(rest)

with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    graph = distributed.grid((9, 9), 2, client=client)
    try:
        endless(graph)
    except KeyboardInterrupt:
        print("interrupted", sg.connected_components(graph)[0])
"""


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_ctrl_c_on_a_terminal(tmp_path):
    """Ctrl-C ends the call and erases the line; the graph can be used afterwards."""
    terminal_side, program_side = os.openpty()
    program = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], cwd=tmp_path, stdout=subprocess.PIPE, stderr=program_side, text=True
    )
    os.close(program_side)
    shown = b""
    while b"endless: " not in shown:
        shown += os.read(terminal_side, 1000)
    program.send_signal(signal.SIGINT)
    printed, _ = program.communicate(timeout=60)
    shown += os.read(terminal_side, 100_000)
    os.close(terminal_side)
    assert printed == "interrupted 1\n", shown
    assert b"\r\x1b[K" in shown[shown.index(b"endless: ") :] and b"Traceback" not in shown
