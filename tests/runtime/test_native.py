"""The C file of the library of kernels, build_kernels/runtime.c: its thread pool, and calls from Python.

It is compiled with the table of test kernels in this folder. The pool is also tested with ThreadSanitizer.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from stablegraph._core.runtime import library as runtime_library

HERE = Path(__file__).parent
SOURCES = [HERE / "pool_test.c", HERE.parents[1] / "build_kernels/runtime.c"]

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler `cc`"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pool_test.c is written for Linux"),
]


def compiled(path, *options, sources=SOURCES):
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-g", f"-I{HERE}", *options, "-o", path, *sources, "-pthread"]
    return subprocess.run(command, capture_output=True, text=True)


# ---- The pool


@pytest.fixture(scope="module")
def pool_test(tmp_path_factory):
    path = tmp_path_factory.mktemp("pool") / "pool_test"
    result = compiled(path, "-O2", "-Werror")
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture(scope="module")
def sanitized_pool_test(tmp_path_factory):
    path = tmp_path_factory.mktemp("sanitized") / "pool_test"
    result = compiled(path, "-O1", "-fsanitize=thread", "-Wno-tsan")
    if result.returncode or subprocess.run([path, "launches", "1"], capture_output=True).returncode:
        pytest.skip("programs cannot be compiled or run with -fsanitize=thread")
    return path


def run(path, mode, launches, *, before=None, **environment):
    environment = {**os.environ, **environment}
    command = [path, mode, str(launches)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=3000, env=environment, preexec_fn=before)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "ThreadSanitizer" not in result.stderr
    print(result.stdout)  # the numbers of launches and forks; use -s to see them


@pytest.mark.parametrize("launches", [25_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", ["launches", "concurrent", "fork"])
def test_every_worker_runs_once(pool_test, mode, launches):
    run(pool_test, mode, launches)


def test_threads_on_one_processor(pool_test):
    run(pool_test, "launches", 1000, before=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))


def test_workers_that_take_turns_finish(pool_test):
    run(pool_test, "order", 2000)


@pytest.mark.parametrize(("mode", "launches"), [("order", 500), ("fork", 10_000)])
def test_thread_sanitizer(sanitized_pool_test, mode, launches):
    run(sanitized_pool_test, mode, launches, TSAN_OPTIONS="die_after_fork=0:halt_on_error=1")


@pytest.mark.slow
def test_thread_sanitizer_with_a_million_launches(sanitized_pool_test):
    run(sanitized_pool_test, "fork", 1_000_000, TSAN_OPTIONS="die_after_fork=0:halt_on_error=1")


# ---- Calls from Python


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("library") / "kernels.so"
    result = compiled(path, "-O2", "-shared", "-fPIC", "-fvisibility=hidden")
    assert result.returncode == 0, result.stderr
    runtime_library.started(path)
    library = runtime_library.started(path)  # a second start changes nothing
    library.sg_sources.restype = ctypes.c_char_p
    library.kernels = runtime_library.kernels_in(library)
    return library


@pytest.fixture
def launcher(library):
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p], ctypes.py_object
    return lambda name: make(ctypes.addressof(library.method), library.kernels[name], None)


def test_table(library):
    assert list(library.kernels) == ["numbers", "tuple", "tuples", "pair", "types", "wait", "count"]
    assert library.sg_sources() == b"the hash of the sources"


def int64(size):
    return np.zeros(size, np.int64)


def bits(number):
    return np.float64(number).view(np.int64)


def test_words_of_numbers_and_arrays(launcher):
    words = int64(6)
    assert launcher("numbers")(2, 3, words, -1, -1.0, True) is None
    assert words.tolist() == [3, words.ctypes.data, 6, -1, bits(-1.0), 1]
    words.flags.writeable = False
    assert launcher("numbers")(1, np.int32(9), words, np.int8(-7), 2, []) is None
    assert words.tolist() == [9, words.ctypes.data, 6, -7, bits(2), 0]


def test_words_of_tuples(launcher):
    words, vector, matrix = int64(11), np.zeros(5, np.int32), np.zeros((2, 7))
    assert launcher("tuples")(1, 4, words, (vector, (8, matrix), True), 9) is None
    data = [array.ctypes.data for array in (words, vector, matrix)]
    assert words.tolist() == [4, data[0], 11, data[1], 5, 8, data[2], 2, 7, 1, 9]


CODES = {
    "bool": 0x31,
    "int8": 0x11,
    "int16": 0x12,
    "int32": 0x14,
    "int64": 0x18,
    "uint8": 0x21,
    "uint16": 0x22,
    "uint32": 0x24,
    "uint64": 0x28,
    "float16": 0x42,
    "float32": 0x44,
    "float64": 0x48,
    "complex64": 0x58,
    "complex128": 0x50,
    "longlong": 0x18,
    "ulonglong": 0x28,
    "long": 0x10 + np.dtype("l").itemsize,
}


@pytest.mark.parametrize("name", CODES)
def test_form_is_that_of_the_element_type(library, launcher, name):
    result, vector = int64(1), np.zeros(3, name)
    assert launcher("types")(1, 1, result, vector) is None
    assert result[0] == CODES[name]
    for array in (vector, np.ones((2, 5), name), np.array(1, name)):
        seen = (ctypes.c_int64 * 8)()
        assert library.sg_describe(ctypes.c_void_p(id(array)), seen) == 1
        assert [*seen] == [CODES[name], array.ndim, array.ctypes.data, *array.shape, 0x101, *[0] * (4 - array.ndim)]


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "array",
    [
        None,
        [1, 2],
        np.int64(1),
        int64(3).view(Subclass),
        int64(6)[::2],
        int64((2, 2)),
        np.array(1),
        int64(3).astype(np.int64().dtype.newbyteorder()),
        np.zeros(33, np.uint8)[1:].view(np.int64),
        *(np.zeros(3, kind) for kind in ("g", "G", "U1", "S8", "O", "M8[s]", "i8,i8", "V8", np.dtypes.StringDType())),
    ],
    ids=repr,
)
def test_arrays_that_kernels_do_not_take(launcher, array):
    call = launcher("numbers")
    assert call(1, 1, array, 1, 1.0, True) is call.__self__


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("numbers", ()),
        ("numbers", (int64(6), 1, 1.0)),
        ("numbers", (int64(6), 1, 1.0, True, 1)),
        ("pair", (int64(6), 1)),
        ("pair", ([int64(6), int64(6)], 1)),
        ("pair", ((int64(6),), 1)),
        ("pair", ((), 1)),
        ("pair", ((int64(6), int64(6), 1), 1)),
        ("pair", ((int64(6), np.zeros(6, np.int32)), 1)),
        ("tuples", (int64(12), (np.zeros(5, np.int32), np.zeros((2, 7)), True), 9)),
    ],
)
def test_arguments_that_no_form_fits(launcher, name, arguments):
    call = launcher(name)
    assert call(1, 1, *arguments) is call.__self__
    assert call() is call.__self__


def test_subclasses_of_tuple(launcher):
    class Pair(tuple):
        pass

    words = int64(8)
    assert launcher("pair")(1, 1, Pair((words, words)), 5) is None
    assert words.tolist() == [1, words.ctypes.data, 8, words.ctypes.data, 8, 5, words[6], words[7]]


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (TypeError, (1.0, 1, int64(6), 1, 1.0, True)),
        (TypeError, (1, "1", int64(6), 1, 1.0, True)),
        (OverflowError, (1, 1, int64(6), 2**63, 1.0, True)),
        (TypeError, (1, 1, int64(6), None, 1.0, True)),
        (TypeError, (1, 1, int64(6), 1, "1", True)),
        (ValueError, (1, 1, int64(6), 1, 1.0, np.ones(2))),
    ],
)
def test_errors_of_numbers(launcher, error, arguments):
    with pytest.raises(error):
        launcher("numbers")(*arguments)


def test_error_in_a_tuple(launcher):
    with pytest.raises(TypeError):
        launcher("tuple")(1, 1, (int64(6), "1"), 1.0)


def test_references(launcher):
    call, words, pair = launcher("pair"), int64(8), (int64(6),)
    counts = [sys.getrefcount(value) for value in (words, call.__self__, pair)]
    for _ in range(100):
        call(1, 1, (words, words), 5)
        call(1, 1, pair, 5)
    assert counts == [sys.getrefcount(value) for value in (words, call.__self__, pair)]


def test_the_gil_is_released(launcher):
    flag = int64(1)
    thread = threading.Thread(target=launcher("wait"), args=(2, 2, flag))
    thread.start()
    flag[0] = 1
    thread.join(60)
    assert not thread.is_alive()


def test_concurrent_launches(launcher):
    counts = [int64(5) for _ in range(4)]

    def launch(array):
        for _ in range(5000):
            launcher_of_count(3, 5, array)

    launcher_of_count = launcher("count")
    threads = [threading.Thread(target=launch, args=(array,)) for array in counts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(array.tolist() == [5000] * 5 for array in counts)
