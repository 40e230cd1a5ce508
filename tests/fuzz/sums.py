"""Weights near the limits of their types: sums by every function that merges edges, compared with exact arithmetic."""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf, isfinite, isnan
from random import Random
from typing import Any

import numpy as np

from ..interface import test_extreme_weights as extreme
from .cases import Edges, Options, Targets, must
from .input_graphs import InputGraph
from .shapes import INTEGERS, extremes

TARGETS = Targets()

_DTYPES = ("bool", *INTEGERS, "int64", "uint64", "float16", "float32", "float64")
_COUNTS = (2, 3, 4, 5, 8, 9, 16)  # numbers of equal weights whose sum is near the limit


def _near_the_limits(dtype: str) -> list[Any]:
    """Return weights such that the sum of a few of them just fits, or does not fit."""
    if dtype == "bool":
        return [False, True]
    if dtype in INTEGERS:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        shares = [limit // count + more for limit in (low, high) for count in _COUNTS for more in (-1, 0, 1)]
        return extremes(dtype) + [number for number in shares if low <= number <= high]
    high = np.finfo(dtype).max
    shares = [float(high / high.dtype.type(count)) for count in _COUNTS]
    return extremes(dtype) + shares + [-share for share in shares] + [inf, -inf]


def _draw_edges(random: Random, input_graph: InputGraph) -> Options:
    """Draw few ends, so that most edges are repeated, and few weights of one type."""
    dtype = random.choice(_DTYPES)
    ends = range(random.randint(1, 4))[: input_graph.n]
    weights = random.choices(_near_the_limits(dtype), k=random.randint(1, 3))
    count = random.choice([0, 1, 2, 3, 5, 9, 17, 40]) if ends else 0
    edges = Edges((random.choice(ends), random.choice(ends), random.choice(weights)) for _ in range(count))
    return {"edges": edges, "dtype": dtype, "n": input_graph.n, "parts": random.randint(1, 4)}


_BEGIN = (
    "inf = np.inf\nedges = {edges}\nu, v = (np.array([edge[side] for edge in edges], int) for side in (0, 1))\n"
    "w = np.array([edge[2] for edge in edges], {dtype})\n"
)


def _or_refused(call: str) -> str:
    return f"try:\n    answer = {call}\nexcept ValueError as error:\n    answer = str(error)\n"


_ARRAYS = "order = np.argsort(u, kind='stable')\nindptr = np.searchsorted(u[order], np.arange({n} + 1))\n"
_FINE = (  # two distinct vertices per edge, and one more per aggregate
    "m = len(edges)\nlabels = np.concatenate([u, v, np.arange({n})])\n"
    "fine = sg.from_edges(np.arange(m), np.arange(m) + m, w, 2 * m + {n}, symmetrize='max')\n"
)
_CHUNKS = (
    "import dask.array as da\nfrom stablegraph.cluster.workers import InProcess\n"
    "chunks = [da.from_array(array, chunks=max(1, len(edges) // {parts})) for array in (u, v, w)]\n"
)
_ON_ONE_MACHINE = _or_refused("sg.from_edges(u, v, w, {n}, symmetrize='sum')")
PROGRAMS = {
    "from_edges": _ON_ONE_MACHINE,
    "as_graph": _ARRAYS + _or_refused("sg.as_graph((indptr, v[order], w[order]), symmetrize='sum')"),
    "as_graph of a Graph": _or_refused(
        "sg.as_graph(sg.from_edges(u, v, w, {n}, directed=True, drop_duplicates=False), symmetrize='sum')"
    ),
    "from_table": "import pyarrow as pa\n"
    + _or_refused("sg.from_table(pa.table({'u': u, 'v': v, 'w': w}), 'u', 'v', 'w', merge='sum')"),
    "coarse_graph": _FINE + _or_refused("sg.coarse_graph(fine, labels, loops=True)"),
    "distributed": _CHUNKS
    + _or_refused(
        "sg.distributed.from_edges(*chunks, n={n}, symmetrize='sum', partitions={parts}, client=InProcess()).to_graph()"
    )
    + "there = answer\n"
    + _ON_ONE_MACHINE
    + "answer = there, answer",
}


def _check_sums(graph: Any, options: Options, answer: Any) -> None:
    """Check that sums are exact and have the documented type, and that the first sum that does not fit is reported."""
    if isinstance(answer, tuple):
        answer, on_one_machine = answer
        must(_plain(answer) == _plain(on_one_machine), f"in partitions {answer}, on one machine {on_one_machine}")
    dtype = np.dtype(options["dtype"])
    groups: dict[tuple[int, int], list[Any]] = {}
    for u, v, weight in options["edges"]:
        groups.setdefault((min(u, v), max(u, v)), []).append(weight)
    check = _check_integers if dtype.kind in "biu" else _check_floats
    if isinstance(answer, str):
        ends = re.search(r"entry \((\d+), (\d+)\)", answer)
        must(ends, answer)
        check(groups, dtype, (int(ends[1]), int(ends[2])), answer)
        return
    ids = range(answer.num_vertices) if answer.nodes is None else list(answer.nodes)
    rows = np.repeat(np.arange(answer.num_vertices), np.diff(answer.indptr)).tolist()
    entries = [(ids[u], ids[v]) for u, v in zip(rows, answer.indices.tolist(), strict=True)]
    must(entries == sorted({*groups, *((v, u) for u, v in groups)}), f"other entries: {entries}")
    check(groups, dtype, dict(zip(entries, answer.weights.tolist(), strict=True)), answer.weights.dtype)


def _plain(answer: Any) -> Any:
    return answer if isinstance(answer, str) else [answer.weights.dtype, answer.weights.tobytes()]


def _check_integers(groups: Any, dtype: Any, result: Any, reported: Any) -> None:
    kind = np.dtype(np.uint64 if dtype == np.uint64 else np.int64)
    limits, sums = np.iinfo(kind), {ends: sum(map(int, weights)) for ends, weights in groups.items()}
    wrong = [ends for ends, total in sums.items() if not limits.min <= total <= limits.max]
    if isinstance(reported, str):
        must(wrong and result == min(wrong), f"sums that do not fit: {wrong}; but {reported}")
        must(
            f" sum to {sums[result]}, which does not fit {kind};" in reported,
            f"the sum is {sums[result]}, but {reported}",
        )
        return
    must(not wrong, f"not refused: {wrong}")
    must(reported == kind, f"sums of {dtype} are {reported}")
    for (u, v), weight in result.items():
        must(weight == sums[min(u, v), max(u, v)], f"sum {weight} at {u, v}, expected {sums[min(u, v), max(u, v)]}")


def _check_floats(groups: Any, dtype: Any, result: Any, reported: Any) -> None:
    limits = np.finfo(dtype)
    if isinstance(reported, str):
        largest = sum(abs(Fraction(weight)) for weight in groups[result] if isfinite(weight))
        must(largest > Fraction(float(limits.max)), f"{groups[result]}: {reported}")
        must(f"overflows {dtype};" in reported, reported)
        return
    must(reported == dtype, f"sums of {dtype} are {reported}")
    for (u, v), weight in result.items():
        weights = groups[min(u, v), max(u, v)]
        infinities = sum(w for w in weights if not isfinite(w))
        if infinities:
            must(weight == infinities or (isnan(weight) and isnan(infinities)), f"{weight} for {weights}")
            continue
        must(isfinite(weight), f"sum {weight} of {weights}")
        exact, sizes = sum(map(Fraction, weights)), sum(abs(Fraction(w)) for w in weights)
        error = abs(Fraction(weight) - exact)
        must(error <= len(weights) * Fraction(float(limits.eps)) * sizes, f"sum {weight} of {weights}")


for _name, _program in PROGRAMS.items():
    TARGETS.of(f"{_name}, sums near the limits", _draw_edges, code=_BEGIN + _program)(_check_sums)


def _draw_extremes(random: Random, input_graph: InputGraph) -> Options:
    """Draw a function with an oracle in fractions, and weights of a type and a spread."""
    return {
        "name": random.choice(sorted(extreme.ORACLES)),
        "dtype": random.choice(extreme.REALS),
        "spread": random.choice(extreme.SPREADS),
        "repeated": random.random() < 0.5,
        "seed": random.randrange(2**32),
    }


@TARGETS.of(
    "weights of any size",
    _draw_extremes,
    code="from tests.interface import test_extreme_weights as extreme\n"
    "extreme.check({name}, extreme.FUNCTIONS[{name}], {dtype}, {spread}, {repeated}, {seed})\nanswer = True",
)
def _check_extremes(graph: Any, options: Options, answer: Any) -> None:
    """The oracle has raised an error if the answer is wrong."""
    must(answer is True, answer)
