"""Ctrl-C, SIGTERM and kill in every phase of a command: a file with its final name is complete, or does not exist."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import stablegraph as sg
from tests.support.processes import run_python

from .invoking import process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

CODES = {"SIGINT": (130, "interrupted"), "SIGTERM": (143, "ended by SIGTERM"), "SIGHUP": (129, "ended by SIGHUP")}
HEARD = {"SIGINT": "default_int_handler", "SIGTERM": "SIG_DFL", "SIGHUP": "SIG_DFL"}  # the handlers when Python starts
# Python's messages if a signal comes before it starts a program; it exits with 1
BEFORE_THE_PROGRAM = b"Fatal Python error: init_", b"Could not import runpy", b"Could not access runpy"

# In each phase the command sends the signal to itself, when the phase calls this function.
PHASES = {
    "reading": "stablegraph.io.source._Counted.readinto",
    "computing": "stablegraph.independent_set.api.maximal_independent_set",
    "verifying": "stablegraph.verify.explain",
    "writing": "numpy.save",
    "replacing": "os.fsync",
}

SIGNALLED = """
import os, pkgutil, signal, sys, time
import stablegraph.cli

*place, name = {where!r}.split(".")
place = pkgutil.resolve_name(".".join(place))
own = getattr(place, name)

def signaled(*arguments, **options):
    answer = own(*arguments, **options)
    os.kill(os.getpid(), signal.{signal})
    time.sleep(60)
    return answer

setattr(place, name, signaled)
stablegraph.cli.main(["mis", "path.mtx", "-o", "set.npy"])
"""


# Each phase with one signal. The handlers do not depend on the phase, so the other pairs are slow tests.
QUICK = dict(zip(PHASES, ["SIGINT", "SIGTERM", "SIGHUP", "SIGINT", "SIGTERM"], strict=True))


@pytest.mark.parametrize(
    ("phase", "sent"),
    [
        pytest.param(phase, sent, marks=() if QUICK[phase] == sent else pytest.mark.slow)
        for phase in PHASES
        for sent in CODES
    ],
)
def test_a_signal_in_each_phase_of_a_command(folder, phase, sent):
    (folder / "set.npy").write_text("old")
    handler = f"import signal\nsignal.signal(signal.{sent}, signal.{HEARD[sent]})\n"
    program = handler + SIGNALLED.format(where=PHASES[phase], signal=sent)  # also if these tests run under nohup
    done = run_python(program, check=False, cwd=folder)
    code, output = CODES[sent]
    assert (done.returncode, done.stderr) == (code, f"stablegraph: {output}\n")
    assert (folder / "set.npy").read_text() == "old"
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx", "set.npy"]


def test_a_signal_that_is_ignored_stays_so(folder):
    """For example under nohup."""
    program = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    program += SIGNALLED.format(where="numpy.save", signal="SIGHUP").replace("sleep(60)", "sleep(0)")
    assert run_python(program, cwd=folder).returncode == 0
    assert (folder / "set.npy").exists()
    run_python(
        "import signal\nfrom stablegraph.cli.failures import exits_by_signals\nwith exits_by_signals():\n    pass\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    )


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_signals_at_any_time(folder, sent):
    """The signal comes at any time, from Python's start, where it ends Python, to the end of the command or later."""
    graph = sg.gallery.uniform_random(100_000)
    sg.write_graph("g.txt", graph)
    started = time.monotonic()
    for _ in range(2):
        with process("convert", "g.txt", "h.mtx") as running:
            assert running.wait() == 0
    longest = (time.monotonic() - started) / 2
    expected = (folder / "h.mtx").read_bytes()
    (folder / "h.mtx").write_text("old")
    draw = random.Random(sent)
    codes = {}  # an output for each
    for _ in range(40):
        with process("convert", "g.txt", "h.mtx") as running:
            time.sleep(draw.uniform(0, longest))
            running.send_signal(getattr(signal, sent))
            _, output = running.communicate(timeout=60)
        if not any(message in output for message in BEFORE_THE_PROGRAM):
            codes[running.returncode] = output
        content = (folder / "h.mtx").read_bytes()
        assert content in (b"old", expected)
        assert content == expected or running.returncode != 0
        parts = [name for name in os.listdir(folder) if name.endswith(".part")]
        assert sent == "SIGKILL" or running.returncode < 0 or not parts
        (folder / "h.mtx").write_text("old")
    assert codes.keys() <= {0, CODES.get(sent, (0,))[0], -getattr(signal, sent)}, codes
    with process("convert", "g.txt", "h.mtx") as running:
        assert running.wait() == 0
    assert sorted(os.listdir(folder)) == ["arcs.txt", "g.txt", "h.mtx", "path.mtx"]


def test_a_script_that_is_ended_in_a_call_leaves_nothing_half_written(tmp_path):
    """SIGTERM ends Python at once unless the script handles it."""
    program = """
import sys
import stablegraph as sg
graph = sg.gallery.grid((60, 60))
print("begun", flush=True)
while True:
    sg.vertex_coloring(graph)
    sg.write_graph(sys.argv[1], graph)
    sg.read_graph(sys.argv[1])
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "g.npz")], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "begun\n"
        while not (tmp_path / "g.npz").exists():
            time.sleep(0.01)
        running.terminate()
        assert running.wait(60) == -signal.SIGTERM
    assert sg.read_graph(tmp_path / "g.npz").num_vertices == 3600
