"""The number of threads: how to set it, where the setting applies, and that too large numbers are no error.

Also all variables of the environment.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import functools
import re
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from build_kernels import hatch_build
from stablegraph._core import environment
from stablegraph._core.runtime import num_threads, set_num_threads, thread_count, threads, worker_count
from tests.support.processes import ROOT, run_python

_thread_limit = thread_count.thread_limit.__wrapped__

both = pytest.mark.parametrize("ask", [set_num_threads, threads])


@pytest.fixture(autouse=True)
def _a_new_process_with_four_threads(monkeypatch):
    monkeypatch.setattr(thread_count, "_in_process", None)
    monkeypatch.setattr(thread_count, "thread_limit", lambda: 4)
    for name in ("STABLEGRAPH_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    thread_count.threads_by_default.cache_clear()
    yield
    thread_count.threads_by_default.cache_clear()


# Ways to set the number


def test_unless_told_otherwise_all_work():
    assert num_threads() == 4


@both
@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (0, ValueError, "n must be at least 1, got 0"),
        (-1, ValueError, "n must be at least 1, got -1"),
        *[(n, TypeError, "n must be an integer, got ") for n in ("2", 1.0, None, True, np.True_)],
    ],
)
def test_what_is_no_number_of_threads_is_refused(ask, n, error, message):
    with pytest.raises(error, match=message):
        ask(n)
    assert num_threads() == 4


def test_blocks_nest_and_end_also_by_an_exception():
    set_num_threads(np.int32(3))
    with threads(2):
        with pytest.raises(KeyError), threads(1):
            assert num_threads() == 1
            set_num_threads(4)  # for the process: the block keeps its own number
            assert num_threads() == 1
            raise KeyError
        assert num_threads() == 2
    assert num_threads() == 4


def test_a_call_in_a_block_uses_its_threads():
    assert worker_count("cpu", 10**9) == 4
    with threads(2):
        assert worker_count("cpu", 10**9) == 2


def test_a_block_is_for_its_own_python_thread():
    seen = []
    with threads(1):
        other = threading.Thread(target=lambda: seen.append(num_threads()))
        other.start()
        other.join()
    assert seen == [4]


def test_a_block_is_for_its_own_task():
    async def task(n):
        with threads(n):
            await asyncio.sleep(0)  # the other task runs now
            return num_threads()

    async def at_once():
        return await asyncio.gather(task(1), task(2))

    assert asyncio.run(at_once()) == [1, 2]


@pytest.mark.parametrize(
    ("stablegraph", "openmp", "expected"),
    [
        ("3", "", 3),
        ("", "2", 2),
        ("3", "2", 3),  # the more specific variable applies
        ("", "2,4,8", 2),
        (" 3 ", "nonsense", 3),  # the other variable is not read
        ("", "", 4),
    ],
)
def test_the_environment(monkeypatch, stablegraph, openmp, expected):
    monkeypatch.setenv("STABLEGRAPH_NUM_THREADS", stablegraph)
    monkeypatch.setenv("OMP_NUM_THREADS", openmp)
    assert num_threads() == expected
    with threads(1):
        assert num_threads() == 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("STABLEGRAPH_NUM_THREADS", "many", "must be an integer, got 'many'"),
        ("STABLEGRAPH_NUM_THREADS", "2,4", "must be an integer, got '2,4'"),
        ("STABLEGRAPH_NUM_THREADS", "1.5", "must be an integer, got '1.5'"),
        ("STABLEGRAPH_NUM_THREADS", "0", "must be at least 1, got 0"),
        ("OMP_NUM_THREADS", "-2", "must be at least 1, got -2"),
        ("OMP_NUM_THREADS", ",2", "must be an integer, got ',2'"),
    ],
)
def test_what_is_no_number_in_the_environment_is_refused(monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name} {message}"):
        num_threads()


# The limit


@both
def test_more_than_there_can_be_is_a_warning_with_the_cure(ask):
    with pytest.warns(UserWarning, match=r"requested 9 threads, but .* only 4 .* STABLEGRAPH_MAX_THREADS") as caught:
        block = ask(9)
    assert [warning.filename for warning in caught] == [__file__]
    with block or contextlib.nullcontext():
        assert num_threads() == 4


@pytest.mark.parametrize("name", ["STABLEGRAPH_NUM_THREADS", "OMP_NUM_THREADS"])
def test_the_environment_asks_for_more_than_there_can_be_once(monkeypatch, name):
    monkeypatch.setenv(name, "9")
    with pytest.warns(UserWarning, match=rf"requested 9 threads \({name}\), but") as caught:
        assert [num_threads(), num_threads()] == [4, 4]
    assert len(caught) == 1


@pytest.mark.parametrize(("stated", "expected"), [("7", 7), (" 7 ", 7), ("", 5)])
def test_the_limit_is_that_of_the_processors_or_of_a_variable(monkeypatch, stated, expected):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(5)), raising=False)
    monkeypatch.setenv("STABLEGRAPH_MAX_THREADS", stated)
    assert _thread_limit() == expected


def test_a_process_reads_its_environment():
    program = "import stablegraph; print(stablegraph.num_threads())"
    assert run_python(program, OMP_NUM_THREADS="3,2", STABLEGRAPH_MAX_THREADS="4").stdout.strip() == "3"


# ---- All variables of the environment


@functools.cache
def _variables():
    """Return the variables that the sources of the package and of its build read."""
    names = set()
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "build_kernels").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "STABLEGRAPH_" in text else ():
            if isinstance(node, ast.Constant) and re.fullmatch("STABLEGRAPH_[A-Z_]+", str(node.value)):
                names.add(node.value)
    return sorted(names)


def test_each_variable_has_a_table_of_values_and_is_documented():
    known = {*environment._WORDS, *environment._LARGEST, *environment._OF_THE_BUILD, "STABLEGRAPH_BUILD"}
    assert set(_variables()) == known and len(known) >= 8
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text.partition("## Environment variables")[2] for name in known)


@pytest.mark.parametrize("name", _variables())
@pytest.mark.parametrize("value", ["bogus", "abc", "-1", "2.5", "99999999999", "1 2", "yes"])
def test_a_wrong_value_of_a_variable_is_an_error(monkeypatch, name, value):
    if (name, value) == ("STABLEGRAPH_NUM_THREADS", "99999999999"):
        pytest.skip("more threads than processors are a warning")
    monkeypatch.setenv(name, value)
    if "_BUILD" in name:
        said = []
        hook = SimpleNamespace(app=SimpleNamespace(abort=lambda text: (said.append(text), sys.exit(1))))
        method = "_wants_gpu" if name in environment._OF_THE_BUILD else "_wanted"
        with pytest.raises(SystemExit):
            getattr(hatch_build.KernelLibrary, method)(hook)
        assert said[0].startswith(f"{name} must be ") and repr(value) in said[0]
        return
    message = rf"^{name} must be .*, got '?{re.escape(value)}'?$"
    with pytest.raises(ValueError, match=message):
        _thread_limit()
    cli = pytest.importorskip("stablegraph.cli")
    from click.testing import CliRunner

    result = CliRunner().invoke(cli.main, ["generate", "grid", "2x2", "-o", "-"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(f"stablegraph: {message[1:-1]}\n", result.stderr)
    monkeypatch.setenv(name, "")
    assert _thread_limit() >= 1


def test_a_program_with_a_wrong_value_ends_with_the_error():
    program = "import stablegraph as sg; print('imported'); sg.num_threads()"
    done = run_python(program, check=False, STABLEGRAPH_TARGET="bogus")
    assert done.stdout == "imported\n"
    assert done.stderr.endswith("ValueError: STABLEGRAPH_TARGET must be cpu or python, or not be set, got 'bogus'\n")
    other = run_python("import stablegraph as sg; print(sg.num_threads() > 0)", STABLEGRAPH_ANYTHING="bogus")
    assert other.stdout == "True\n"
