"""Every failure prints one line and sets an exit code; every warning prints one line."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import warnings

import numpy as np
import pytest

from stablegraph import __main__
from stablegraph._core.runtime.thread_count import thread_limit
from stablegraph.cli import failures

from .invoking import PATH, refused, run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["mis"], "Missing argument 'FILE'"),
        (["mis", "path.mtx", "--bogus"], "No such option"),
        (["mis", "path.mtx", "--priority", "bogus"], "degree"),
        (["mis", "path.mtx", "--algorithm", "bogus"], "bogus"),
        (
            ["mis", "path.mtx", "--algorithm", "luby", "--priority", "ecl"],
            "has no option --priority; it has --seed",
        ),
        (["mis", "path.mtx", "--large", "--priority", "ecl"], "--large has no option --priority; it has --rounds"),
        (["mis", "path.mtx", "--large", "--no-adaptive"], "--large has no option --adaptive"),
        (["mis", "path.mtx", "--large", "--rounds", "-1"], "x>=0"),
        (["mis", "path.mtx", "--rounds", "5"], "--rounds is an option of --large"),
        (["color", "path.mtx", "--order", "bogus"], "largest_first"),
        (["color", "path.mtx", "--distance", "3"], "1<=x<=2"),
        (["color", "path.mtx", "--algorithm", "mis", "--order", "natural"], "--algorithm mis has no option --order"),
        (["color", "path.mtx", "-o", "path.mtx"], "name another file"),
        (["color", "arcs.txt"], "arcs.txt: entry (3, 30) has no partner (30, 3); pass --symmetrize"),
        (["mis", "arcs.txt", "--directed", "--symmetrize"], "--directed keeps arcs, --symmetrize"),
        (["verify", "path.mtx", "x", "--as", "scc", "--distance", "2"], "--distance goes with --as set or coloring"),
        (["verify", "path.mtx", "x", "--as", "coloring", "--exclude", "1"], "--exclude goes with --as set"),
        (["verify", "path.mtx", "x", "--as", "bfs", "--maximum"], "--maximum goes with --as forest"),
        (["forest", "arcs.txt"], "--symmetrize"),
        (["forest", "path.mtx", "-o", "path.mtx"], "name another file"),
        (["bfs", "path.mtx"], "--sources"),
        (["bfs", "path.mtx", "--sources", "5"], "5 is not among the graph's 5 vertices"),
        (["mis", "path.mtx", "--seed", "x"], "'x' is not a valid integer"),
        (["mis", "path.mtx", "--threads", "0"], "x>=1"),
        (["mis", "path.mtx", "--include", "0,1"], "0 and 1"),
        (["mis", "path.mtx", "--include", "7"], "7 is not among the graph's 5 vertices"),
        (["mis", "path.mtx", "--include", "a"], "expected vertex numbers such as"),
        (["mis", "path.mtx", "--exclude", "3-1"], "3-1 is not"),
        (
            ["mis", "path.mtx", "--include", ""],
            "--include: expected vertex numbers such as 3,7,10-12, names of vertices, or @FILE, got ''",
        ),
        (["mis", "path.mtx", "--exclude", "1,,3"], "--exclude: expected vertex numbers"),
        (["mis", "path.mtx", "--include", "1 3"], "--include: expected vertex numbers"),
        (["mis", "path.mtx", "--include", "9" * 5000], "--include: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", ""], "--sources: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", " , "], "--sources: expected vertex numbers"),
        (["bfs", "path.mtx", "--sources", "@"], "'': No such file or directory"),
        (["mis", ""], "'': No such file or directory"),
        (["mis", "path.mtx", "-o", ""], "'': Is a directory"),
        (["bench", "--graph", ""], "the benchmark graphs are G2"),
        (["mis", "path.mtx", "--exclude", "@nothing"], "nothing: No such file"),
        (["info", "nothing.mtx"], "nothing.mtx: No such file or directory"),
        (["info", "."], ".: a folder is read as one table if it contains Parquet files (*.parquet) and nothing else"),
        (["verify", "path.mtx", "nothing"], "nothing: No such file or directory"),
        (["mis", "path.mtx", "-o", "nowhere/set.txt"], "nowhere/set.txt: No such file or directory"),
        (["mis", "path.mtx", "-o", "."], ".: Is a directory"),
        (["convert", "path.mtx", "nowhere/g.mtx"], "nowhere/g.mtx: No such file or directory"),
        (["demo", "-o", "nowhere/demo.png"], "nowhere/demo.png: No such file or directory"),
    ],
)
def test_bad_input_gets_one_line(folder, arguments, message):
    if arguments[0] == "demo":
        pytest.importorskip("matplotlib")
    assert message in refused(*arguments)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01\x02\x03" * 50,
        PATH[:-3].encode(),
        PATH.replace("2 1", "9 1").encode(),
        PATH.replace("2 1", "two one").encode(),
        gzip.compress(PATH.encode() * 100)[:-20],
    ],
    ids=["empty", "binary", "cut", "out of range", "letters", "cut gz"],
)
@pytest.mark.parametrize("command", ["info", "mis"])
def test_broken_files_get_one_line(folder, command, content):
    (folder / "broken.mtx").write_bytes(content)
    assert "broken.mtx" in refused(command, "broken.mtx")


def test_a_folder_that_cannot_be_written(folder):
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("everything can be written here")
    os.chmod(folder, 0o555)
    assert "set.txt: Permission denied" in refused("mis", "path.mtx", "-o", "set.txt")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk(folder):
    assert "/dev/full: No space left on device" in refused("mis", "path.mtx", "-o", "/dev/full")
    assert os.path.exists("/dev/full")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "not enough memory"),
        (MemoryError("Unable to allocate 9 TiB"), 2, "Unable to allocate 9 TiB"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (ModuleNotFoundError('figures need Matplotlib: pip install "stablegraph[plot]"'), 2, "stablegraph[plot]"),
        (ValueError("two\nlines; pass symmetrize=True"), 2, "two lines; pass --symmetrize"),
        (KeyError("x"), 2, "unexpected KeyError"),
    ],
)
def test_every_failure_gets_one_line_and_a_code(folder, monkeypatch, error, code, message):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("stablegraph.read_graph", fail)
    assert message in refused("info", "path.mtx", code=code)


def test_more_threads_than_there_can_be_are_a_warning_of_one_line(folder):
    limit = thread_limit()
    result = run("mis", "path.mtx", "--threads", limit + 1, "--json")
    assert (result.exit_code, json.loads(result.stdout)["threads"]) == (0, limit)
    output = rf"stablegraph: warning: requested {limit + 1} threads, but .* only {limit} .* STABLEGRAPH_MAX_THREADS.*\n"
    assert re.fullmatch(output, result.stderr)
    run("info", "path.mtx")
    assert warnings.showwarning.__module__ != failures.__name__  # for callers of commands from Python


def test_traceback_on_request(folder, monkeypatch):
    monkeypatch.setenv("STABLEGRAPH_TRACEBACK", "1")
    result = run("info", "nothing.mtx")
    assert isinstance(result.exception, FileNotFoundError)


def test_an_interrupted_write_leaves_what_stood_there(folder, monkeypatch):
    (folder / "set.npy").write_text("old")

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupt)
    refused("mis", "path.mtx", "-o", "set.npy", code=130)
    assert (folder / "set.npy").read_text() == "old"
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx", "set.npy"]


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_missing_extras_are_named(monkeypatch, capsys, missing):
    for name in [name for name in sys.modules if name.startswith("stablegraph.") or name.split(".")[0] == missing]:
        if name.startswith("stablegraph.cli") or name.split(".")[0] == missing:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f'stablegraph: the command line needs {missing}: pip install "stablegraph[cli]"\n'
    )


def test_deprecations_are_not_for_users(folder, monkeypatch):
    """An older Matplotlib causes some with a newer pyparsing, for example; tests show them, other programs do not."""

    def read(*arguments, **options):
        warnings.warn("use another function", DeprecationWarning, stacklevel=1)
        warnings.warn("this matters", UserWarning, stacklevel=1)
        raise ValueError("stop")

    monkeypatch.setattr("stablegraph.read_graph", read)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run("info", "path.mtx").stderr == "stablegraph: warning: this matters\nstablegraph: stop\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links as on POSIX")
def test_an_answer_does_not_replace_a_circle_of_links(folder):
    (folder / "self").symlink_to("self")
    assert "symbolic links" in refused("mis", "path.mtx", "-o", "self")
    assert (folder / "self").is_symlink()
