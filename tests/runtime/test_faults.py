"""Faults of the environment: memory, disks, signals, processes, names. docs/reliability.md documents the behavior."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import stablegraph as sg
from stablegraph.io import FORMATS, GraphFileError
from tests.support.processes import run_python

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals and limits")
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and /proc are those of Linux")

SHORT_OF_MEMORY = """
import io
import resource
import warnings

import numpy as np
import stablegraph as sg

graph = sg.gallery.uniform_random(200_000)
u, v = np.repeat(np.arange(len(graph)), np.diff(graph.indptr)), graph.indices
A = sg.gallery.laplacian((200, 200))
file = io.BytesIO()
sg.write_graph(file, graph, format="mtx")
calls = {{
    "set": lambda: sg.maximal_independent_set(graph),
    "set at distance 2": lambda: sg.maximal_independent_set(graph, 2),
    "coloring": lambda: sg.vertex_coloring(graph),
    "components": lambda: sg.connected_components(graph)[1],
    "strong": lambda: sg.strongly_connected_components(graph)[1],
    "search": lambda: sg.breadth_first_search(graph, 0)[1],
    "forest": lambda: sg.minimum_spanning_forest(graph).indices,
    "aggregates": lambda: sg.aggregate(graph)[1],
    "from_edges": lambda: sg.from_edges(u, v, symmetrize=True).indices,
    "read_graph": lambda: sg.read_graph(io.BytesIO(file.getvalue())).indices,
    "multigrid": lambda: sg.smoothed_aggregation(A).solve(np.ones(40_000)),
}}
expected = {{name: call() for name, call in calls.items()}}  # all modules are imported now


def taken():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()


ballast, before = [], taken()
while taken() < before + (1 << 21):  # where something was freed that the process keeps
    ballast.append(bytearray(1 << 15))
refused = 0
for name, call in calls.items():
    step = 1 << 17
    while step < 1 << 26:
        resource.setrlimit(resource.RLIMIT_AS, (taken() + step, resource.RLIM_INFINITY))
        try:
            answer = call()
        except (MemoryError, sg.io.GraphFileError) as error:
            refused += 1
            answer = None
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert answer is None or np.array_equal(answer, expected[name]), name
        step = int({factor} * step)
    assert np.array_equal(call(), expected[name]), name
print(refused)
"""


@LINUX
@pytest.mark.parametrize("factor", [4, pytest.param(1.2, marks=pytest.mark.slow)])
def test_short_of_memory_it_is_a_memory_error_or_the_right_answer_and_the_next_call_works(factor):
    program = SHORT_OF_MEMORY.format(factor=factor)
    # Blocks above 64 kilobytes are requested from the system each time, and none is requested in advance.
    done = run_python(program, MALLOC_MMAP_THRESHOLD_="65536", MALLOC_ARENA_MAX="1")
    assert int(done.stdout) > 10


@POSIX
def test_a_file_that_may_not_become_so_large_leaves_the_old_one(tmp_path):
    """A system limit on the size of files simulates a full disk."""
    sg.write_graph(tmp_path / "g.mtx", sg.gallery.grid((3,)))
    run_python(
        """
        import resource
        import stablegraph as sg

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        for name in ("g.mtx", "g.mtx.gz", "g.npz", "new.txt"):
            try:
                sg.write_graph(name, sg.gallery.uniform_random(3000))
            except OSError as error:
                assert error.errno == 27, error
            else:
                raise AssertionError(name)
        """,
        cwd=tmp_path,
    )
    assert sg.read_graph(tmp_path / "g.mtx").num_vertices == 3
    assert [path.name for path in tmp_path.iterdir()] == ["g.mtx"]


WRITING = """
import sys
import stablegraph as sg
graphs = [sg.gallery.grid((150, 150)), sg.gallery.grid((140, 140))]
print("begun", flush=True)
while True:
    for graph in graphs:
        sg.write_graph(sys.argv[1], graph)
"""


@POSIX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=["kill", "term", "int"])
def test_a_writer_that_is_ended_leaves_a_whole_file(how, tmp_path):
    path = tmp_path / "g.mtx"
    for delay in {signal.SIGKILL: (0.05, 0.31), signal.SIGTERM: (0.05,), signal.SIGINT: (0.31,)}[how]:
        with subprocess.Popen(
            [sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "begun\n"
            while not path.exists():
                time.sleep(0.01)
            time.sleep(delay)
            process.send_signal(how)
            process.communicate(timeout=60)
        assert process.returncode == -how
        assert sg.read_graph(path).num_vertices in (150 * 150, 140 * 140)
    sg.write_graph(path, sg.gallery.grid((3,)))
    assert [path.name for path in tmp_path.iterdir()] == ["g.mtx"]  # files of killed writers were removed


@POSIX
def test_an_interpreter_that_ends_during_calls_ends():
    done = run_python(
        """
        import threading
        import stablegraph as sg

        graph = sg.gallery.grid((300, 300))
        sg.vertex_coloring(graph)
        begun = threading.Barrier(3)

        def work():
            begun.wait()
            while True:
                sg.vertex_coloring(graph)

        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        begun.wait()
        print("end")
        """,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("end\n", "")


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=POSIX)])
def test_processes_that_are_started_anew(method, tmp_path):
    program = tmp_path / "program.py"  # children import it
    program.write_text(
        "import multiprocessing\n\nimport stablegraph as sg\n\n\ndef size(graph):\n"
        "    return int(sg.maximal_independent_set(graph).sum())\n\n\nif __name__ == '__main__':\n"
        "    graph = sg.gallery.grid((30, 30))\n    expected = size(graph)\n"
        f"    with multiprocessing.get_context({method!r}).Pool(1) as pool:\n"
        "        assert pool.map(size, [graph] * 2) == [expected] * 2\n    print('equal')\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "equal\n", done.stderr


@pytest.mark.parametrize(("kind", "first"), [("legacy", False), ("isolated", True)])
def test_sub_interpreters_are_refused_in_words(kind, first):
    done = run_python(
        f"""
        import stablegraph as sg

        if {first}:
            print(sg.maximal_independent_set(sg.gallery.grid((5, 5))).sum())
        program = (
            "try:\\n"
            "    import stablegraph\\n"
            "except ImportError as error:\\n"
            "    print(error, flush=True)\\n"
        )
        try:
            import _interpreters  # since Python 3.13

            there = _interpreters.create({kind!r})
            _interpreters.exec(there, program)
        except ModuleNotFoundError:
            import _xxsubinterpreters as _interpreters

            there = _interpreters.create(isolated={kind == "isolated"})
            _interpreters.run_string(there, program)
        _interpreters.destroy(there)
        print(sg.maximal_independent_set(sg.gallery.grid((5, 5))).sum())
        """
    )
    *before, output, after = done.stdout.splitlines()
    assert (before, after) == (["13"] * first, "13")
    assert output.startswith("stablegraph works in the main interpreter of a process only")


def test_arrays_that_are_changed_while_a_graph_lives_are_found_out():
    """The caller must call `check`; a Graph does not check itself again."""
    graph = sg.gallery.grid((4, 4))
    indices = graph.indices.copy()
    live = sg.as_graph((graph.indptr, indices))
    live.check()
    indices[[0, 1]] = indices[[1, 0]] + 1
    with pytest.raises(ValueError, match="were changed after it was made"):
        live.check()


def test_without_a_folder_for_temporary_files(tmp_path):
    done = run_python(
        """
        import stablegraph as sg

        graph = sg.gallery.grid((5, 5))
        sg.write_graph("g.mtx.xz", graph)
        print(sg.maximal_independent_set(sg.read_graph("g.mtx.xz")).sum())
        """,
        cwd=tmp_path,
        TMPDIR=str(tmp_path / "missing"),
        TEMP=str(tmp_path / "missing"),
    )
    assert (done.stdout, done.stderr) == ("13\n", "")


@LINUX
def test_without_shared_memory():
    """Numba warns that processes cannot wait for each other; Python's process pools cannot be made."""
    hidden = [
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs -o ro none /dev/shm && exec "$@"',
        "-",
    ]
    if shutil.which("unshare") is None or subprocess.run([*hidden, "true"], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    program = """if True:
        import os
        import stablegraph as sg

        try:
            open("/dev/shm/x", "w")
        except OSError:
            print("hidden")
        graph = sg.gallery.grid((300, 300))  # large enough for several threads
        expected = sg.vertex_coloring(graph)
        child = os.fork()
        if child == 0:
            os._exit(int((sg.vertex_coloring(graph) != expected).any()))
        print(sg.is_proper_coloring(graph, expected), os.waitpid(child, 0)[1])
    """
    done = subprocess.run([*hidden, sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "hidden\nTrue 0\n", done.stderr
    assert "UserWarning" not in done.stderr  # none from stablegraph


NAMES = ["with blanks.mtx", "Größe.mtx", "グラフ.npz", "-.txt", "a'b\"c.graph", "%s{}.gr"]


@POSIX
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_name_of_a_file(locale, tmp_path):
    """In locales without such letters, names are bytes."""
    program = f"""
    import os
    import stablegraph as sg

    graph = sg.gallery.grid((3, 3))
    for name in map(os.fsdecode, {[os.fsencode(name) for name in NAMES]!r}):
        sg.write_graph(name, graph)
        assert sg.read_graph(os.path.join(".", name), directed=False) == graph, ascii(name)
        with open(name, "w") as file:
            file.write("what")
        try:
            sg.read_graph(name)
        except ValueError as error:
            print(ascii(str(error)))
    """
    done = run_python(program, cwd=tmp_path, LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert len(done.stdout.splitlines()) == len(NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("format", [None, *FORMATS])
def test_empty_files(format, tmp_path):
    (tmp_path / "g").touch()
    with pytest.raises(GraphFileError, match=r"g: .*(is empty|\.npz file)"):
        sg.read_graph(tmp_path / "g", format=format)


@POSIX
@pytest.mark.parametrize("format", ["mtx", "dimacs", "metis", "npz"])
def test_a_pipe_that_ends_early(format, tmp_path):
    """Formats whose headers state the size detect it."""
    sg.write_graph(tmp_path / "g", sg.gallery.grid((40, 40)), format=format)
    whole = (tmp_path / "g").read_bytes()
    reading, writing = os.pipe()
    os.write(writing, whole[: len(whole) // 2])
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe, pytest.raises(GraphFileError):
        sg.read_graph(pipe, format=format)


@POSIX
def test_links(tmp_path):
    """A link is followed, a link to a missing file creates that file, and a cycle of links is an OSError."""
    graph = sg.gallery.grid((3, 3))
    (tmp_path / "link.npz").symlink_to("target.npz")
    sg.write_graph(tmp_path / "link.npz", graph)
    assert (tmp_path / "link.npz").is_symlink()
    assert sg.read_graph(tmp_path / "target.npz") == graph
    (tmp_path / "circle.npz").symlink_to("circle.npz")
    with pytest.raises(OSError):
        sg.read_graph(tmp_path / "circle.npz")


def test_a_file_that_grows_while_it_is_read(tmp_path):
    """The file is read up to its final end: a list without a header may be truncated, one with a header is rejected."""
    path = tmp_path / "g.txt"

    def grow(done, total):
        if path.stat().st_size < 5_000_000:
            with open(path, "a") as file:
                file.write("1 2\n" * 300_000)

    for header in ("", "# Nodes: 3 Edges: 1\n"):
        path.write_text(header + "0 1\n")
        if header:
            with pytest.raises(GraphFileError, match=r"the header announces 1 edges, but [0-9]+ lines follow"):
                sg.read_graph(path, progress=grow)
        else:
            assert sg.read_graph(path, progress=grow).num_vertices == 3
