"""Messages about kernels, threads, memory and other packages; their advice is followed."""

from __future__ import annotations

import functools
import importlib
import re
import tomllib
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core import memory
from stablegraph._core.csr.groups import lower_smallest
from stablegraph._core.runtime import jit, kernel, rule, thread_count, use_target
from tests.cli.invoking import run
from tests.house.following import edges, message_of, options_said, pairs, said
from tests.support.processes import ROOT


def with_patches(function, *patches, **variables):
    """Call a function with changed attributes, as (path, value), and variables of the environment.

    Dask sets a variable for the threads in a process that starts workers, as other tests do.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OMP_NUM_THREADS", raising=False)
        for path, value in [(f"{thread_count.__name__}._in_process", None), *patches]:
            patch.setattr(path, value)
        for name, value in variables.items():
            patch.setenv(name, value)
        thread_count.threads_by_default.cache_clear()
        try:
            return function()
        finally:
            thread_count.threads_by_default.cache_clear()


def setting_said(text):
    """Return the assignment to a variable of the environment in a message, as a dict."""
    return dict([re.search(r"(STABLEGRAPH_\w+)=(\w+)", text).groups()])


def double(value):
    return 2 * value


def fill(v, values):
    values[v] = double(v)


def filled(function):
    """Run a kernel that calls another function."""
    values, before = np.zeros(3, np.int64), double
    globals()["double"] = function
    try:
        with use_target("python"):
            kernel(fill)(3, values)
    finally:
        globals()["double"] = before
    return values.tolist()


@kernel
def count_up(v, values):
    values[v] += 1


def without_numba(function):
    """Call a function that cannot reach the compiler, even if an earlier test has imported it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(jit, "backend", raising=False)
        return function()


def smallest(dtype):
    result = np.full(2, 9, dtype)
    lower_smallest(4, np.array([1, 0, 1, 0], np.int32), result)
    return result.tolist()


def threads_found(**variables):
    """Return the line about threads of the doctor, with its advice."""
    text = with_patches(lambda: run("doctor").stdout, ("stablegraph.cli.commands.machine._QUOTA", QUOTA), **variables)
    return re.search(r"threads .*(?:\n {3,}.*)*", text)[0]


QUOTA = SimpleNamespace(read_text=lambda: "max 100000")
SMALL_QUOTA = SimpleNamespace(read_text=lambda: "100000 100000")


def fails(*arguments, **options):
    raise KeyError("vertex")


FAILING = ("stablegraph.read_graph", fails)
STAR = pairs(np.zeros(150, int), np.arange(1, 151), n=200)


def two_apart(**options):
    """Color a star at distance 2 with little memory."""
    call = functools.partial(sg.vertex_coloring, STAR, distance=2, **options)
    return with_patches(call, (f"{memory.__name__}.free_memory", lambda: 10_000))


CURVED = type("Mesh", (), {"__module__": "meshio._mesh"})()
CURVED.points, CURVED.cells = np.zeros((6, 2)), [SimpleNamespace(type="triangle6", data=[range(6)])]
WEAK = 10.0 ** np.random.default_rng(0).uniform(-12, 0, 799)
WEAK_PATH = pairs(np.arange(799), np.arange(1, 800), WEAK)


def without_weak_edges():
    """Return the largest connected part of a path whose weights are more than 1e-6."""
    ends = np.arange(799)[WEAK > 1e-6]
    return sg.largest_component(pairs(ends, ends + 1, WEAK[ends]))[0]


MATRIX = sp.csr_array((np.ones(4), [1, 1, 0, 0], [0, 2, 4]), shape=(2, 2))  # with repeated entries


def summed(add_up):
    """Return a copy of the matrix, in which a function has added up repeated entries."""
    matrix = MATRIX.copy()
    add_up(matrix)
    return matrix


def from_matrix(matrix):
    pytest.importorskip("networkx")
    return importlib.import_module("stablegraph.interop.networkx_backend").backend.from_scipy_sparse_array(matrix)


# Part of the message in the sources; a call that causes it; a check that does what the message says.
ENVIRONMENTS = [
    (
        "uses the function {}: make it a @rule",
        lambda: filled(double),
        lambda m: filled(said(m, r"make it a @(\w+)", rule=rule)(double)) == [0, 2, 4],
    ),
    (
        "convert the arrays before the call, or declare the types",
        lambda: smallest(np.int64),
        lambda m: smallest(re.search(r"declares '.* (\w+)\[\]'", m)[1]) == [1, 0],
    ),
    (
        "compiling it needs Numba ({}): pip install",
        lambda: without_numba(lambda: count_up(3, np.zeros(3))),
        lambda m: any(
            text.startswith("numba=")
            for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][
                re.search(r"pip install 'stablegraph\[(\w+)\]'", m)[1]
            ]
        ),
    ),
    (
        "this process may use only {} processors",
        lambda: with_patches(lambda: sg.set_num_threads(thread_count.thread_limit() + 1)),
        lambda m: (
            with_patches(thread_count.thread_limit.__wrapped__, **{re.search(r"variable (\w+)", m)[1]: "77"}) == 77
        ),
    ),
    (
        "export STABLEGRAPH_NUM_THREADS={}",
        lambda: with_patches(lambda: run("doctor").stdout, ("stablegraph.cli.commands.machine._QUOTA", SMALL_QUOTA)),
        lambda m: (
            "may use 1 processors only" in " ".join(m.split())
            and "may use"
            not in with_patches(
                lambda: run("doctor").stdout,
                ("stablegraph.cli.commands.machine._QUOTA", SMALL_QUOTA),
                **setting_said(m),
            )
        ),
    ),
    (
        "unset them, to use all",
        lambda: threads_found(STABLEGRAPH_NUM_THREADS="1"),
        lambda m: [*setting_said(m)] == ["STABLEGRAPH_NUM_THREADS"] and "unset" not in threads_found(),
    ),
    (
        "(STABLEGRAPH_TRACEBACK=1 shows where)",
        lambda: with_patches(lambda: run("info", "g.csv").stderr, FAILING),
        lambda m: isinstance(
            with_patches(lambda: run("info", "g.csv"), FAILING, **setting_said(m)).exception, KeyError
        ),
    ),
    (
        "all pairs within distance 2; pass reduce='none' and balance=False",
        lambda: two_apart(balance=True),
        lambda m: sg.is_proper_coloring(STAR, two_apart(**options_said(m, "pass (.*), which")), distance=2),
    ),
    (
        "join their vertices with from_edges(u, v)",
        lambda: sg.as_graph(CURVED),
        lambda m: edges(said(m, r"with (from_edges\(u, v\))", from_edges=pairs, u=[0, 1, 2], v=[1, 2, 0])) == 3,
    ),
    (
        "pass strongly joined parts of the graph separately",
        lambda: sg.fiedler_vector(WEAK_PATH),
        lambda m: message_of(lambda: sg.fiedler_vector(without_weak_edges()))[0] > 1e-9,
    ),
    (
        "A must be a CSR array of real numbers after",
        lambda: from_matrix(MATRIX.copy()),
        lambda m: from_matrix(summed(lambda A: said(m, r"after (A\.sum_duplicates\(\))", A=A))).graph.num_entries == 2,
    ),
    (
        "the name of a column is not UTF-8; rename the columns",
        lambda: sg.from_table(latin_column()),
        lambda m: sg.from_table(latin_column().rename_columns(["source", "target", "weight"])).weights[0] == 2,
    ),
]


def latin_column():
    """Return a table of which the name of one column is not UTF-8, as other programs may write it."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"source": [0], "target": [1], "w\xe9": [2]})
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(stream.getvalue().to_pybytes().replace("w\xe9".encode(), b"w\xe9w")).read_all()
